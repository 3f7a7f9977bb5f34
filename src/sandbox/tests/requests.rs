//! What holds for every request: keys, problem bodies, media types, unknown things.

use serde_json::{Value, json};

use super::client::{KEY, Sandbox, raw, send};
use crate::model::results::ResultsApi;
use crate::model::secret::ApiKey;

fn assert_problem(answer: &super::client::Answer, status: u16, path: &str) {
    assert_eq!(answer.status, status, "{path}: {}", answer.text());
    let problem = answer.json();
    let mut names: Vec<&str> = problem.as_object().expect("an object").keys().map(String::as_str).collect();
    names.sort_unstable();
    assert_eq!(names, ["detail", "instance", "status", "title", "type"], "{path}");
    assert_eq!(problem["status"], status, "{path}");
    assert_eq!(problem["instance"], path.split('?').next().unwrap_or_default(), "{path}");
}

#[test]
fn without_a_known_key_everything_is_401() {
    let sandbox = Sandbox::new();
    for headers in ["", "x-api-key: wrong\r\n", "x-api-key:\r\n", "authorization: sandbox\r\n"] {
        for path in ["/projects", "/workspace/redirect-uris", "/nothing"] {
            assert_problem(&raw(&sandbox.service, "GET", path, headers, b""), 401, path);
        }
        assert_problem(&raw(&sandbox.service, "PATCH", "/projects", headers, b""), 401, "/projects");
    }
}

#[test]
fn the_read_only_key_reads_and_changes_nothing() {
    let sandbox = Sandbox::with(|options| options.read_only_key = Some(ApiKey::parse("reader").expect("a key")));
    let demo = sandbox.demo();
    let reader = |method: &str, path: &str| {
        raw(&sandbox.service, method, path, "x-api-key: reader\r\ncontent-type: application/json\r\n", b"{}")
    };
    for path in ["", "/get-link", "/testtakers", "/results"] {
        assert_eq!(reader("GET", &format!("{demo}{path}")).status, 200, "{path}");
    }
    for (method, path) in [
        ("POST", "/projects".to_owned()),
        ("POST", format!("{demo}/testtakers")),
        ("PATCH", format!("{demo}/testtakers/1")),
        ("DELETE", format!("{demo}/testtakers/1")),
        ("POST", format!("{demo}/testtakers/1/test-link")),
        ("POST", "/workspace/redirect-uris".to_owned()),
    ] {
        assert_problem(&reader(method, &path), 403, &path);
    }
}

#[test]
fn each_refusal_is_a_problem_with_its_status() {
    let sandbox = Sandbox::new();
    let demo = sandbox.demo();
    let unknown = "/projects/00000000-0000-0000-0000-000000000000";
    for path in [
        unknown.to_owned(),
        format!("{unknown}/get-link"),
        format!("{unknown}/testtakers"),
        format!("{unknown}/results"),
        format!("{unknown}/results/a"),
        "/projects/Demo".to_owned(),
        format!("{demo}/results/nobody"),
        format!("{demo}/results/%FF"),
        "/nothing".to_owned(),
    ] {
        assert_problem(&sandbox.get(&path), 404, &path);
    }
    let person = json!({ "email": "a@example.com" });
    let path = format!("{unknown}/testtakers");
    assert_problem(&sandbox.post(&path, person), 404, &path);
    for entry in ["1", "-1", "x", "99999999999"] {
        let path = format!("{demo}/testtakers/{entry}");
        assert_problem(&sandbox.send("PATCH", &path, Some(json!({}))), 404, &path);
        assert_problem(&sandbox.send("DELETE", &path, None), 404, &path);
    }
    assert_problem(&sandbox.send("DELETE", &demo, None), 405, &demo);
    for body in ["", "{", "[]", "null", "{}", "\"x\""] {
        let headers = format!("x-api-key: {KEY}\r\ncontent-type: application/json\r\n");
        assert_problem(&raw(&sandbox.service, "POST", "/projects", &headers, body.as_bytes()), 400, "/projects");
    }
}

#[test]
fn a_body_must_be_labelled_as_json() {
    let sandbox = Sandbox::new();
    let create = |label: &str| {
        let headers = format!("x-api-key: {KEY}\r\n{label}");
        raw(&sandbox.service, "POST", "/projects", &headers, br#"{"name":"North"}"#)
    };
    for label in ["", "content-type: text/plain\r\n", "content-type: application/x-www-form-urlencoded\r\n"] {
        assert_problem(&create(label), 415, "/projects");
    }
    assert_eq!(create("Content-Type: Application/JSON; charset=utf-8\r\n").status, 200);
}

#[test]
fn a_body_of_more_than_4_mib_is_refused() {
    let sandbox = Sandbox::new();
    let answer = sandbox.post("/workspace/redirect-uris", json!(["x".repeat(4 * 1024 * 1024)]));
    assert_problem(&answer, 413, "/workspace/redirect-uris");
}

#[test]
fn bodies_are_labelled_as_the_caller_accepts() {
    let sandbox = Sandbox::new();
    for (accept, label) in [
        ("application/json", "application/json"),
        ("text/json", "text/json"),
        ("text/plain;q=0.5, application/json", "text/plain"),
        ("image/png", "application/json"),
        ("*/*", "application/json"),
    ] {
        for path in ["/projects", "/nothing"] {
            let headers = format!("x-api-key: {KEY}\r\naccept: {accept}\r\n");
            let answer = raw(&sandbox.service, "GET", path, &headers, b"");
            let label = format!("{label}; charset=utf-8");
            assert_eq!(answer.header("content-type"), Some(label.as_str()), "{accept}");
            assert!(serde_json::from_slice::<Value>(&answer.body).is_ok(), "{accept}");
        }
    }
}

#[test]
fn unknown_parameters_and_fields_are_ignored() {
    let sandbox = Sandbox::new();
    let demo = sandbox.demo();
    let headers = format!("x-api-key: {KEY}\r\napi-version: 9\r\nx-unknown: 1\r\n");
    let path = format!("{demo}/testtakers?api-version=9&unknown=%FF&Page=0");
    assert_eq!(raw(&sandbox.service, "GET", &path, &headers, b"").status, 200);
    let person = json!({ "email": "a@example.com", "unknown": [1], "shoeSize": null });
    assert_eq!(sandbox.enrol(person), 1);
}

#[test]
fn there_is_no_rate_limit() {
    let sandbox = Sandbox::new();
    for _ in 0..300 {
        assert_eq!(sandbox.get("/projects").status, 200);
    }
}

#[test]
fn there_is_no_quota() {
    let sandbox = Sandbox::new();
    let people = format!("{}/testtakers", sandbox.demo());
    for n in 0..150 {
        assert_eq!(sandbox.post("/projects", json!({ "name": format!("Site {n}") })).status, 200);
        assert_eq!(sandbox.post(&people, json!({ "email": format!("p{n}@example.com") })).status, 201);
    }
    let uris: Vec<String> = (0..150).map(|n| format!("https://example.com/{n}")).collect();
    assert_eq!(sandbox.post("/workspace/redirect-uris", json!(uris)).json(), json!(uris));
    for path in ["/projects?bypassCache=true&page=2", &format!("{people}?page=2"), "/workspace/redirect-uris?page=2"] {
        let rest = sandbox.get(path).json();
        assert!(rest.as_array().is_some_and(|rest| rest.len() >= 50), "{path}");
    }
}

#[test]
fn there_are_no_webhooks() {
    let sandbox = Sandbox::new();
    for path in ["/webhooks", "/workspace/webhooks"] {
        assert_problem(&sandbox.post(path, json!({ "url": "http://127.0.0.1:9/" })), 404, path);
    }
}

#[test]
fn a_connection_serves_several_requests() {
    use std::io::{Read, Write};
    let sandbox = Sandbox::new();
    let address = sandbox.service.base_url();
    let host = address.trim_start_matches("http://");
    let mut stream = std::net::TcpStream::connect(host).expect("it listens");
    for _ in 0..2 {
        let request = format!("GET /workspace/redirect-uris HTTP/1.1\r\nhost: {host}\r\nx-api-key: {KEY}\r\n\r\n");
        stream.write_all(request.as_bytes()).expect("the request is sent");
        let mut bytes = Vec::new();
        while !bytes.ends_with(b"\r\n\r\n[]") {
            let mut byte = [0];
            stream.read_exact(&mut byte).expect("the connection stays open");
            bytes.push(byte[0]);
        }
    }
}

#[test]
fn the_embedded_service_has_a_key_of_its_own_each_time() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("sandbox.db");
    let one = crate::sandbox::Embedded::start(file.clone(), ResultsApi::Current).expect("it starts");
    let other = crate::sandbox::Embedded::start(file, ResultsApi::Current).expect("it starts");
    assert_ne!(one.key().expose(), other.key().expose());
    assert_eq!(send(&one, "GET", "/projects", None).status, 200);
}

/// What the service says to these bytes, to the end of the connection.
fn says(sandbox: &Sandbox, bytes: &str) -> String {
    use std::io::{Read, Write};
    let address = sandbox.service.base_url();
    let mut stream = std::net::TcpStream::connect(address.trim_start_matches("http://")).expect("it listens");
    stream
        .write_all(bytes.replace("PORT", address.rsplit(':').next().expect("a port")).as_bytes())
        .expect("bytes are sent");
    let mut answer = String::new();
    // A reset is an end like any other here.
    let _ = stream.read_to_string(&mut answer);
    answer
}

#[test]
fn a_request_by_another_hosts_name_is_refused_whatever_its_key() {
    let sandbox = Sandbox::new();
    let get = |host: &str| {
        says(&sandbox, &format!("GET /projects HTTP/1.1\r\n{host}x-api-key: {KEY}\r\nconnection: close\r\n\r\n"))
    };
    for host in ["host: 127.0.0.1:PORT\r\n", "host: LOCALHOST:PORT\r\n", "host: [::1]:PORT\r\n"] {
        assert!(get(host).starts_with("HTTP/1.1 200"), "{host}: {}", get(host));
    }
    let several = "host: 127.0.0.1:PORT\r\nhost: evil.example\r\n";
    let others = ["", "host: evil.example\r\n", "host: evil.example:PORT\r\n", "host: 127.0.0.1:1\r\n", "host: \r\n"];
    for host in others.into_iter().chain([several]) {
        let answer = get(host);
        assert!(answer.starts_with("HTTP/1.1 4") && !answer.contains("Demo"), "{host}: {answer}");
    }
    let by_address = |authority: &str| {
        let line = format!("GET http://{authority}/projects HTTP/1.1\r\nhost: 127.0.0.1:PORT\r\n");
        says(&sandbox, &format!("{line}x-api-key: {KEY}\r\nconnection: close\r\n\r\n"))
    };
    assert!(by_address("127.0.0.1:PORT").starts_with("HTTP/1.1 200"));
    assert!(by_address("evil.example:PORT").starts_with("HTTP/1.1 421"));
    let from = |origins: &[&str]| {
        let origins = origins.join("\r\norigin: ");
        let head =
            format!("host: 127.0.0.1:PORT\r\norigin: {origins}\r\nx-api-key: {KEY}\r\nconnection: close\r\n\r\n");
        says(&sandbox, &format!("GET /projects HTTP/1.1\r\n{head}"))
    };
    let (own, evil) = ("http://127.0.0.1:PORT", "http://evil.example");
    assert!(from(&[own]).starts_with("HTTP/1.1 200"));
    for origins in [&[evil][..], &[own, evil], &[evil, own]] {
        assert!(from(origins).starts_with("HTTP/1.1 403"), "{origins:?}");
    }
}

#[test]
fn connections_that_ask_nothing_or_slowly_are_closed_after_a_while() {
    let soon = std::time::Duration::from_millis(50);
    let sandbox = Sandbox::with(|options| {
        options.limits = crate::sandbox::Limits { connections: 3, first_request: soon, next_request: soon };
    });
    let head = format!("host: 127.0.0.1:PORT\r\nx-api-key: {KEY}\r\n");
    assert_eq!(says(&sandbox, ""), "");
    assert_eq!(says(&sandbox, &format!("GET /projects HTTP/1.1\r\n{head}")), "");
    let label = "content-type: application/json\r\ncontent-length: 99\r\n";
    let slow = says(&sandbox, &format!("POST /projects HTTP/1.1\r\n{head}{label}\r\n{{"));
    assert!(slow.is_empty() || slow.starts_with("HTTP/1.1 408"), "{slow}");
    let kept = says(&sandbox, &format!("GET /workspace/redirect-uris HTTP/1.1\r\n{head}\r\n"));
    assert!(kept.ends_with("\r\n\r\n[]"), "{kept}");
    // More half-open connections than there are places hold up others for as long as they may last, and no longer.
    let address = sandbox.service.base_url();
    let idle = || std::net::TcpStream::connect(address.trim_start_matches("http://")).expect("it listens");
    let _open: Vec<_> = (0..20).map(|_| idle()).collect();
    assert_eq!(sandbox.get("/workspace/redirect-uris").status, 200);
}

#[test]
fn work_that_lasts_is_not_taken_for_a_slow_client() {
    let soon = std::time::Duration::from_millis(20);
    let sandbox = Sandbox::with(|options| {
        options.faults = vec!["delay=200ms@list-redirect-uris".parse().expect("a fault")];
        options.limits = crate::sandbox::Limits { first_request: soon, ..options.limits };
    });
    assert_eq!(sandbox.get("/workspace/redirect-uris").status, 200);
}
