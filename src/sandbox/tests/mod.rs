//! The sandbox on a raw socket: what really travels.

mod operations;
mod rehearsals;

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use serde_json::Value;
use tempfile::TempDir;

use super::*;

/// A sandbox with a state of its own.
struct Bench {
    sandbox: Embedded,
    folder: TempDir,
}

struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("a JSON body")
    }

    fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

/// Sends a request.
fn begin(sandbox: &Embedded, method: &str, path: &str, headers: &str, body: &str) -> TcpStream {
    let address = sandbox.base_url.as_str().trim_start_matches("http://").trim_end_matches('/');
    let mut stream = TcpStream::connect(address).expect("it listens");
    let host = if headers.contains("host:") { String::new() } else { format!("host: {address}\r\n") };
    let length = body.len();
    let head =
        format!("{method} {path} HTTP/1.1\r\n{host}connection: close\r\ncontent-length: {length}\r\n{headers}\r\n");
    stream.write_all((head + body).as_bytes()).expect("sent");
    stream
}

/// Everything that the socket gives until it ends.
fn exchange(sandbox: &Embedded, method: &str, path: &str, headers: &str, body: &str) -> String {
    let (mut stream, mut bytes) = (begin(sandbox, method, path, headers, body), Vec::new());
    // A reset is an end like any other; what came before it stays.
    let _ = stream.read_to_end(&mut bytes);
    String::from_utf8(bytes).expect("text")
}

fn send(sandbox: &Embedded, method: &str, path: &str, headers: &str, body: &str) -> Answer {
    let text = exchange(sandbox, method, path, headers, body);
    let (head, body) = text.split_once("\r\n\r\n").expect("a head");
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    Answer { status, head: head.to_owned(), body: body.to_owned() }
}

impl Bench {
    fn new() -> Self {
        Self::with(|_| {})
    }

    fn with(change: impl FnOnce(&mut SandboxOptions)) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut options = SandboxOptions::new(&folder.path().join("state"));
        change(&mut options);
        Self { sandbox: Embedded::start(options).expect("started"), folder }
    }

    fn with_fault(fault: &str) -> Self {
        Self::with(|options| options.faults.push(fault.parse().expect("a fault")))
    }

    fn state(&self) -> std::path::PathBuf {
        self.folder.path().join("state")
    }

    fn key(&self) -> String {
        format!("x-api-key: {}\r\n", self.sandbox.key.expose())
    }

    fn send(&self, method: &str, path: &str, body: &str) -> Answer {
        send(&self.sandbox, method, path, &self.key(), body)
    }

    fn get(&self, path: &str) -> Answer {
        self.send("GET", path, "")
    }

    /// The path of the first project.
    fn demo(&self) -> String {
        let projects = self.get("/projects?filter=demo&bypassCache=true").json();
        format!("/projects/{}", projects[0]["id"].as_str().expect("an id"))
    }

    fn enrol(&self, person: &Value) -> i64 {
        let answer = self.send("POST", &format!("{}/testtakers", self.demo()), &person.to_string());
        assert_eq!(answer.status, 201, "{}", answer.body);
        answer.json()["projectEntryId"].as_i64().expect("a number")
    }

    /// A field of each record of a list.
    fn column(&self, path: &str, field: &str) -> Vec<Value> {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        answer.json().as_array().expect("a list").iter().map(|record| record[field].clone()).collect()
    }

    /// How many people the list shows.
    fn count(&self) -> usize {
        self.column(&format!("{}/testtakers", self.demo()), "id").len()
    }

    fn sql(&self, sql: &str) {
        state::open(&self.state()).expect("opened").execute_batch(sql).expect("executed");
    }
}

const PERSON: &str = r#"{"email":"a@x.example"}"#;

fn keys(record: &Value) -> String {
    record.as_object().expect("an object").keys().map(String::as_str).collect::<Vec<_>>().join(" ")
}

const READ_RECORD: &str =
    "id email referenceId firstName lastName fullName yearOfBirth result dateCompleted lastTestSentUtc";
