//! Fixtures typed by hand from the specification, a socket that answers with them, and raw requests.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use percent_encoding::percent_decode_str;
use serde_json::{Value, json};

use crate::socket::{Answer, Request, Socket};

/// The project of the fixtures.
pub(crate) const PROJECT: &str = "3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b690";

/// Text of a fixture, by its file's name.
pub(crate) fn text(name: &str) -> String {
    let path = format!("{}/tests/fixtures/wire/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A fixture read as JSON.
pub(crate) fn fixture(name: &str) -> Value {
    serde_json::from_str(&text(&format!("{name}.json"))).expect("a fixture is JSON")
}

/// A part of a URL without its encoding.
pub(crate) fn decoded(part: &str) -> String {
    percent_decode_str(part).decode_utf8().expect("UTF-8 in a URL").into_owned()
}

/// A workspace with one project of two people, that answers with the fixtures and accepts every write. With
/// `nobody`, the people are there only after an enrolment.
pub(crate) fn workspace(nobody: bool) -> Socket {
    let answers = workspace_answers(nobody);
    Socket::answering(move |request, _| answers(request))
}

/// The typed link, at the time when it was issued.
pub(crate) fn test_link() -> Answer {
    let head = ["Content-Type: application/json", "Date: Fri, 27 Feb 2026 06:00:00 GMT"];
    Answer::new(200, &head, &text("test-link.json"))
}

/// What [`workspace`] answers.
pub(crate) fn workspace_answers(nobody: bool) -> impl Fn(&Request) -> Answer + Send + Sync + 'static {
    let enrolled = AtomicBool::new(!nobody);
    let uris = Mutex::new(fixture("redirect-uris"));
    move |request| {
        let path: Vec<&str> = request.path().split('/').skip(1).collect();
        let body = request.json();
        match (request.method.as_str(), path.as_slice()) {
            ("GET", ["projects"]) => Answer::ok(&list(request, &["project", "project-without-response"])),
            ("POST", ["projects"]) => Answer::ok(&echo("project", &body)),
            ("GET", ["projects", PROJECT]) => Answer::ok(&text("project.json")),
            ("GET", ["projects", PROJECT, "get-link"]) => Answer::ok(&text("project-link.json")),
            ("GET", ["projects", PROJECT, "testtakers"]) if !enrolled.load(Ordering::SeqCst) => Answer::ok("[]"),
            ("GET", ["projects", PROJECT, "testtakers"]) => {
                Answer::ok(&list(request, &["test-taker", "test-taker-bare"]))
            }
            ("POST", ["projects", PROJECT, "testtakers"]) => {
                enrolled.store(true, Ordering::SeqCst);
                let bare = body["email"] == "anna@example.com";
                Answer::json(201, &text(if bare { "enrolment-bare.json" } else { "enrolment.json" }))
            }
            ("PATCH", ["projects", PROJECT, "testtakers", "4711"]) => Answer::ok(&echo("test-taker-patched", &body)),
            ("DELETE", ["projects", PROJECT, "testtakers", _]) => Answer::new(204, &[], ""),
            ("POST", ["projects", PROJECT, "testtakers", _, "test-link"]) => test_link(),
            ("GET", ["projects", PROJECT, "results"]) => Answer::ok(&list(request, &["test-taker", "test-taker-bare"])),
            ("GET", ["projects", PROJECT, "results", id]) => {
                Answer::ok(&echo("result", &json!({ "referenceId": decoded(id) })))
            }
            (method, ["workspace", "redirect-uris"]) => {
                let mut uris = uris.lock().expect("no server thread panics");
                let new = body.as_array().filter(|_| method == "POST").cloned().unwrap_or_default();
                uris.as_array_mut().expect("an array").extend(new);
                Answer::ok(&uris.to_string())
            }
            _ => Answer::problem(404, "Not Found", "no such operation"),
        }
    }
}

/// The first page of a list, narrowed by `referenceId` where the request has it; further pages are empty.
fn list(request: &Request, names: &[&str]) -> String {
    if request.parameter("page").is_some_and(|page| page != "1") {
        return "[]".to_owned();
    }
    let wanted = request.parameter("referenceId").map(decoded);
    let fits = |record: &Value| wanted.as_deref().is_none_or(|wanted| record["referenceId"] == wanted);
    Value::Array(names.iter().map(|name| fixture(name)).filter(fits).collect()).to_string()
}

/// A fixture in which the fields of `body` have the values that were sent.
fn echo(name: &str, body: &Value) -> String {
    let mut record = fixture(name);
    for (field, value) in body.as_object().into_iter().flatten() {
        record[field] = value.clone();
    }
    record.to_string()
}

/// An answer to a raw request.
#[derive(Debug)]
pub(crate) struct Reply {
    /// HTTP status.
    pub(crate) status: u16,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    /// The body as sent.
    pub(crate) body: String,
}

impl Reply {
    /// The body read as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("no JSON ({error}): {self:?}"))
    }

    /// Value of a header, by its name in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Sends one request to `address` over a connection of its own, with a key and a JSON body where given.
pub(crate) fn ask(address: &str, line: &str, key: Option<&str>, body: Option<&Value>) -> Reply {
    let mut stream = TcpStream::connect(address).expect("a connection");
    let mut head = vec![format!("{line} HTTP/1.1"), format!("Host: {address}")];
    head.extend(["Connection: close".to_owned(), "Accept: application/json".to_owned()]);
    head.extend(key.map(|key| format!("x-api-key: {key}")));
    let body = body.map(Value::to_string).unwrap_or_default();
    if !body.is_empty() {
        head.extend(["Content-Type: application/json".to_owned(), format!("Content-Length: {}", body.len())]);
    }
    let request = format!("{}\r\n\r\n{body}", head.join("\r\n"));
    stream.write_all(request.as_bytes()).expect("a request");
    read_reply(stream)
}

fn read_reply(stream: TcpStream) -> Reply {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).expect("a status line");
    let status = line.split_whitespace().nth(1).and_then(|code| code.parse().ok()).expect("a status");
    let mut headers = Vec::new();
    loop {
        line.clear();
        reader.read_line(&mut line).expect("a header line");
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let chunked = headers.iter().any(|(name, value)| name == "transfer-encoding" && value == "chunked");
    assert!(!chunked, "the sandbox sends bodies whole");
    let length = headers.iter().find(|(name, _)| name == "content-length").and_then(|(_, value)| value.parse().ok());
    let mut body = String::new();
    reader.take(length.unwrap_or(u64::MAX)).read_to_string(&mut body).expect("a UTF-8 body");
    Reply { status, headers, body }
}
