//! A dumb HTTP client on a raw socket, so that the tests see what really travels.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;

use serde_json::Value;
use tempfile::TempDir;

use crate::model::secret::ApiKey;
use crate::sandbox::{Embedded, ServerOptions};

/// A service with a state of its own, which is removed with it.
pub(super) struct Sandbox {
    pub(super) service: Embedded,
    pub(super) folder: TempDir,
}

/// The key of `Sandbox`'s services.
pub(super) const KEY: &str = "sandbox";

impl Sandbox {
    pub(super) fn new() -> Self {
        Self::with(|_| {})
    }

    /// A service with other options than the defaults.
    pub(super) fn with(change: impl FnOnce(&mut ServerOptions)) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let service = start(&folder, change);
        Self { service, folder }
    }

    /// With faults of the grammar.
    pub(super) fn with_faults(faults: &[&str]) -> Self {
        Self::with(|options| options.faults = faults.iter().map(|text| text.parse().expect("a fault")).collect())
    }

    /// A second service on the same state.
    pub(super) fn beside(&self, change: impl FnOnce(&mut ServerOptions)) -> Embedded {
        start(&self.folder, change)
    }

    pub(super) fn state(&self) -> PathBuf {
        state(&self.folder)
    }

    pub(super) fn send(&self, method: &str, path: &str, body: Option<Value>) -> Answer {
        send(&self.service, method, path, body)
    }

    pub(super) fn get(&self, path: &str) -> Answer {
        self.send("GET", path, None)
    }

    pub(super) fn post(&self, path: &str, body: Value) -> Answer {
        self.send("POST", path, Some(body))
    }

    /// The path of the project `Demo`.
    pub(super) fn demo(&self) -> String {
        let projects = self.get("/projects?filter=Demo&bypassCache=true").json();
        format!("/projects/{}", projects[0]["id"].as_str().expect("an id"))
    }

    /// Enrols a person in `Demo` and gives the entry id.
    pub(super) fn enrol(&self, body: Value) -> i64 {
        let answer = self.post(&format!("{}/testtakers", self.demo()), body);
        assert_eq!(answer.status, 201, "{}", answer.text());
        answer.json()["projectEntryId"].as_i64().expect("an entry id")
    }

    /// A field of each record of a list.
    pub(super) fn column(&self, path: &str, field: &str) -> Vec<Value> {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        let records = answer.json();
        records.as_array().expect("a list").iter().map(|record| record[field].clone()).collect()
    }
}

fn state(folder: &TempDir) -> PathBuf {
    folder.path().join("state").join("sandbox.db")
}

fn start(folder: &TempDir, change: impl FnOnce(&mut ServerOptions)) -> Embedded {
    let mut options = ServerOptions::new(state(folder));
    options.key = ApiKey::parse(KEY).expect("a key");
    change(&mut options);
    Embedded::with(options).expect("the service starts")
}

/// What came back.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) head: String,
    pub(super) body: Vec<u8>,
}

impl Answer {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let fields = self.head.lines().filter_map(|line| line.split_once(": "));
        fields.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("a JSON body")
    }
}

/// A request with the key and, where there is a body, its media type.
pub(super) fn send(service: &Embedded, method: &str, path: &str, body: Option<Value>) -> Answer {
    let body = body.map(|body| body.to_string()).unwrap_or_default();
    let key = format!("x-api-key: {}\r\n", service.key().expose());
    let label = if body.is_empty() { "" } else { "content-type: application/json\r\n" };
    raw(service, method, path, &format!("{key}{label}"), body.as_bytes())
}

/// A request with these header lines; panics where no answer comes.
pub(super) fn raw(service: &Embedded, method: &str, path: &str, headers: &str, body: &[u8]) -> Answer {
    let bytes = exchange(service, method, path, headers, body);
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n").expect("the head of an answer");
    let head = String::from_utf8(bytes[..end].to_vec()).expect("a head of ASCII");
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status line");
    Answer { status, head, body: bytes[end + 4..].to_vec() }
}

/// Everything that the socket gave until it ended, however it ended.
pub(super) fn exchange(service: &Embedded, method: &str, path: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let address = service.base_url().strip_prefix("http://").expect("an http address").to_owned();
    let mut stream = TcpStream::connect(&address).expect("the service listens");
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n"
    );
    stream.write_all(&[head.as_bytes(), body].concat()).expect("the request is sent");
    let mut bytes = Vec::new();
    // A reset is an end like any other here; what came before it stays in `bytes`.
    let _ = stream.read_to_end(&mut bytes);
    bytes
}
