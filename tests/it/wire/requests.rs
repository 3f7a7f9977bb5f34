//! Each operation sends the request that was typed from the specification, and no other.

use serde_json::{Value, json};

use crate::support::env::{Env, KEY};
use crate::support::service::{Op, Service};
use crate::support::wire::{PROJECT, Request, fixture, text};

/// The file with a request, and the command that has to send it; `{P}` is the project.
const REQUESTS: [(&str, &str); 13] = [
    ("projects-list", "projects list"),
    (
        "projects-list-everything",
        "projects list --page 2 --page-size 7 --order desc --order-by lastmodified --filter 'north & +' \
         --state activeexpired --bypass-cache",
    ),
    (
        "projects-create",
        "projects create 'Night shift north' --allow-duplicate --fit-for-duty-response 'Call the shift manager'",
    ),
    ("projects-create-name-alone", "projects create Depot --allow-duplicate"),
    ("projects-get", "projects get {P}"),
    ("projects-link", "projects link -p {P}"),
    ("testtakers-list", "testtakers list -p {P}"),
    (
        "testtakers-list-everything",
        "testtakers list -p {P} --page 3 --page-size 10 --order Desc --order-by LastTestSent --filter müller \
         --completed-only --has-reference-id true --reference-id a+b@c --has-last-test-sent false \
         --last-test-sent-from 2026-02-01T00:00:00Z --last-test-sent-to 2026-02-28T23:59:59+02:00",
    ),
    ("results-list", "results list -p {P}"),
    (
        "results-list-everything",
        "results list -p {P} --page 1 --order-by Performance --order Desc --filter EMP- --completed-only \
         --has-reference-id true --has-last-test-sent true --last-test-sent-from 2026-02-01T00:00:00Z \
         --last-test-sent-to 2026-02-28T21:59:59Z",
    ),
    ("results-list-older", "results list -p {P} --order-by Risk"),
    ("results-get", "results get EMP-00017 -p {P}"),
    ("redirect-uris-list", "redirect-uris list"),
];

/// The same of commands that write about people.
const WRITES: [(&str, &str); 9] = [
    (
        "testtakers-enrol",
        "testtakers enrol -p {P} --email zoe.mueller@example.com --first-name Zoë --last-name Müller --birth-year 1984 \
         --reference-id EMP-00017",
    ),
    ("testtakers-enrol-email-alone", "testtakers enrol -p {P} --email anna@example.com"),
    ("testtakers-update", "testtakers update id:4711 -p {P} --first-name Zoe"),
    ("testtakers-update-clearing", "testtakers update id:4711 -p {P} --reference-id '' --last-name ''"),
    ("testtakers-remove", "testtakers remove id:4711 -p {P} --yes"),
    ("links-issue", "links issue id:4711 -p {P}"),
    (
        "links-issue-with-both",
        "links issue id:4711 -p {P} --own-reference-id --redirect-uri https://portal.example.com/done",
    ),
    ("results-get-encoded", "results get 'ref:a+b@c_d' -p {P}"),
    ("redirect-uris-add", "redirect-uris add https://second.example.com/done https://new.example.com/*"),
];

/// A request typed by hand: one line of method and target, headers, an empty line, a body.
fn typed(name: &str) -> Request {
    let text = text(&format!("requests/{name}.http"));
    let (head, body) = text.split_once("\n\n").unwrap_or((&text, ""));
    let mut lines = head.lines();
    let (method, target) = lines.next().and_then(|line| line.split_once(' ')).expect("a method and a target");
    let headers = lines.filter_map(|line| line.split_once(": ")).map(|(n, v)| (n.to_owned(), v.to_owned())).collect();
    Request { method: method.to_owned(), target: target.to_owned(), headers, body: body.as_bytes().to_vec() }
}

/// What counts in a request: the order of query parameters and of a body's fields does not.
#[derive(Debug, PartialEq)]
struct Meaning {
    line: String,
    query: Vec<(String, String)>,
    headers: Vec<(String, String)>,
    body: Value,
}

fn meaning(request: &Request) -> Meaning {
    let transport = ["host", "content-length", "user-agent", "connection", "accept-encoding", "cache-control"];
    let (mut query, mut headers) = (request.query(), request.headers.clone());
    headers.retain(|(name, _)| !transport.contains(&name.as_str()));
    query.sort();
    headers.sort();
    let mut body = request.json();
    // What a creation may leave out may be null as well (specification, Projects and Create test taker body).
    if let (Some(fields), "POST") = (body.as_object_mut(), request.method.as_str()) {
        fields.retain(|_, value| !value.is_null());
    }
    Meaning { line: request.line(), query, headers, body }
}

/// A workspace that knows everybody and everything that the commands name.
fn workspace() -> Service {
    let mut odd = fixture("test-taker");
    (odd["referenceId"], odd["id"]) = (json!("a+b@c_d"), json!(4713));
    let service = Service::start().of([fixture("test-taker"), fixture("test-taker-bare"), odd]);
    service.held().uris = fixture("redirect-uris").as_array().cloned().unwrap_or_default();
    service
}

fn sends(name: &str, command: &str) {
    let typed = typed(name);
    // Whoever is there already is not enrolled.
    let service = if name.starts_with("testtakers-enrol") { Service::start() } else { workspace() };
    let said = Env::at(&service.url).line(&command.replace("{P}", PROJECT)).ok();
    let seen: Vec<_> = service.log().into_iter().filter(|seen| seen.line() == typed.line()).collect();
    let matching = seen.iter().filter(|seen| meaning(seen) == meaning(&typed)).count();
    assert_eq!(matching, 1, "{name}: expected\n{:?}\nsaw\n{seen:#?}\n{said}", meaning(&typed));
    for request in service.log() {
        assert_eq!(request.header("x-api-key"), Some(KEY), "{name}: {}", request.line());
        assert_eq!(request.header("accept-encoding"), Some("identity"), "{name}: {}", request.line());
        assert_eq!(request.header("cache-control"), Some("no-cache, no-store"), "{name}: {}", request.line());
    }
}

#[test]
fn each_operation_sends_the_request_that_was_typed_from_the_specification() {
    for (name, command) in REQUESTS.into_iter().chain(WRITES) {
        sends(name, command);
    }
}

#[test]
fn the_typed_requests_cover_all_thirteen_operations() {
    let mut operations: Vec<Op> = Vec::new();
    for (name, _) in REQUESTS.into_iter().chain(WRITES) {
        let operation = Op::of(&typed(name));
        if ![Op::LookUp, Op::Other].contains(&operation) && !operations.contains(&operation) {
            operations.push(operation);
        }
    }
    assert_eq!(operations.len(), 13, "{operations:?}");
    let folder = format!("{}/tests/fixtures/wire/requests", env!("CARGO_MANIFEST_DIR"));
    assert_eq!(std::fs::read_dir(folder).expect("a folder").count(), REQUESTS.len() + WRITES.len(), "each is sent");
}

#[test]
fn whoever_is_called_like_a_step_in_a_path_is_found_by_the_list() {
    for dots in [".", ".."] {
        let mut odd = fixture("test-taker");
        odd["referenceId"] = json!(dots);
        let service = Service::start().of([odd]);
        let found = Env::at(&service.url).line(&format!("results get ref:{dots} -p {PROJECT} -o json")).json();
        assert_eq!(found["id"], 4711, "{dots}");
        assert!(service.log().iter().all(|request| !request.path().ends_with(dots)), "{dots}");
    }
}
