//! Witnesses beside the program's own types: what travels is compared with what was typed from the specification.

use serde_json::{Value, json};

use crate::harness::{Env, KEY, Said};
use crate::socket::{Answer, Request, Socket};
use crate::wire::{self, PROJECT, fixture};

/// The file with a request, and the command that has to send it; `{P}` is the project.
const REQUESTS: [(&str, &str); 22] = [
    ("projects-list", "projects list"),
    (
        "projects-list-everything",
        "projects list --page 2 --page-size 7 --order desc --order-by lastmodified --filter 'north & +' \
         --state activeexpired --bypass-cache",
    ),
    (
        "projects-create",
        "projects create 'Night shift north' --allow-duplicates --fit-for-duty-response 'Call the shift manager'",
    ),
    ("projects-create-name-alone", "projects create Depot --allow-duplicates"),
    ("projects-get", "projects get {P}"),
    ("projects-link", "projects link -p {P}"),
    ("testtakers-list", "testtakers list -p {P}"),
    (
        "testtakers-list-everything",
        "testtakers list -p {P} --page 3 --page-size 10 --order Desc --order-by LastTestSent --filter müller \
         --completed-only --has-reference-id true --reference-id a+b@c --has-last-test-sent false \
         --last-test-sent-from 2026-02-01T00:00:00Z --last-test-sent-to 2026-02-28T23:59:59+02:00",
    ),
    (
        "testtakers-enrol",
        "testtakers enrol -p {P} --email zoe.mueller@example.com --first-name Zoë --last-name Müller \
         --birth-year 1984 --reference-id EMP-00017",
    ),
    ("testtakers-enrol-email-alone", "testtakers enrol -p {P} --email anna@example.com"),
    ("testtakers-update", "testtakers update id:4711 -p {P} --first-name Zoe"),
    ("testtakers-update-clearing", "testtakers update ref:EMP-00017 -p {P} --reference-id '' --last-name ''"),
    ("testtakers-remove", "testtakers remove id:4711 -p {P} --yes"),
    ("links-issue", "links issue id:4711 -p {P}"),
    (
        "links-issue-with-both",
        "links issue email:zoe.mueller@example.com -p {P} --redirect-uri https://portal.example.com/done \
         --reference-id EMP-00017",
    ),
    ("results-list", "results list -p {P}"),
    (
        "results-list-everything",
        "results list -p {P} --page 1 --order-by Performance --order Desc --filter EMP- --completed-only \
         --has-reference-id true --has-last-test-sent true --last-test-sent-from 2026-02-01T00:00:00Z \
         --last-test-sent-to 2026-02-28T21:59:59Z",
    ),
    ("results-list-legacy", "results list -p {P} --results-api legacy"),
    ("results-get", "results get EMP-00017 -p {P}"),
    ("results-get-encoded", "results get 'a+b@c/d é%' -p {P}"),
    ("redirect-uris-list", "redirect-uris list"),
    ("redirect-uris-add", "redirect-uris add https://second.example.com/done 'https://new.example.com/*'"),
];

/// A request typed by hand: one line of method and target, headers, an empty line, a body.
fn typed(name: &str) -> Request {
    let text = wire::text(&format!("requests/{name}.http"));
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
    // In a query, and only there, a plus sign is a space.
    let value = |text: &str| wire::decoded(&text.replace('+', "%20"));
    let mut query: Vec<_> = request.query().into_iter().map(|(n, v)| (n.to_owned(), value(v))).collect();
    query.sort();
    let transport = ["host", "content-length", "user-agent", "connection"];
    let mut headers = request.headers.clone();
    headers.retain(|(name, _)| !transport.contains(&name.as_str()));
    headers.sort();
    Meaning { line: request.line(), query, headers, body: request.json() }
}

#[test]
fn each_operation_sends_the_request_that_was_typed_from_the_specification() {
    for (name, command) in REQUESTS {
        let typed = typed(name);
        let socket = if name.ends_with("legacy") {
            Socket::always(Answer::ok(&Value::Array(vec![fixture("result-legacy")]).to_string()))
        } else {
            wire::workspace(name.contains("enrol"))
        };
        let said = run(&Env::at(&socket.url), command).ok();
        let seen: Vec<_> = socket.requests().into_iter().filter(|seen| seen.line() == typed.line()).collect();
        assert!(!seen.is_empty(), "{name}: not sent, but {:?}\n{said}", socket.lines());
        let matching = seen.iter().filter(|seen| meaning(seen) == meaning(&typed)).count();
        assert_eq!(matching, 1, "{name}: expected\n{:?}\nsaw\n{seen:#?}", meaning(&typed));
        for request in socket.requests() {
            assert_eq!(request.header("x-api-key"), Some(KEY), "{name}: {}", request.line());
            assert_eq!(request.header("accept-encoding"), None, "{name}: {}", request.line());
        }
    }
}

#[test]
fn the_typed_requests_cover_all_thirteen_operations() {
    let id = |part: &str| part == PROJECT || part == "4711" || part.starts_with("EMP-") || part.starts_with("a%2B");
    let template = |request: Request| {
        let path: Vec<_> = request.path().split('/').map(|part| if id(part) { "{}" } else { part }).collect();
        format!("{} {}", request.method, path.join("/"))
    };
    let operations: std::collections::BTreeSet<_> = REQUESTS.iter().map(|(name, _)| template(typed(name))).collect();
    assert_eq!(operations.len(), 13, "{operations:#?}");
}

/// An unknown property, written so that reading and writing it anew would show.
const UNKNOWN: &str = r#""zzUnknown":{"b":1.50,"a":[1e3,null]}"#;

/// A fixture with an unknown property at its end.
fn with_unknown(name: &str) -> String {
    let text = fixture(name).to_string();
    format!("{},{UNKNOWN}}}", text.strip_suffix('}').expect("a record"))
}

/// Runs a command in which `{P}` is the project of the fixtures.
fn run(env: &Env, command: &str) -> Said {
    env.line(&command.replace("{P}", PROJECT))
}

/// A service that holds one record: lists have it alone, single reads answer it.
fn holding(record: &str, single: bool) -> Socket {
    let body = if single { record.to_owned() } else { format!("[{record}]") };
    Socket::answering(move |request, _| match request.path().rsplit('/').next() {
        // `results get` may ask whether several people share the reference id.
        Some("testtakers") if single => Answer::ok("[]"),
        _ => Answer::ok(&body),
    })
}

#[test]
fn records_print_in_json_as_the_server_sent_them_unknown_properties_included() {
    let cases = [
        ("projects get {P}", "project", true),
        ("results get EMP-00017 -p {P}", "result", true),
        ("projects list", "project", false),
        ("testtakers list -p {P}", "test-taker", false),
        ("results list -p {P}", "test-taker", false),
    ];
    for (command, name, single) in cases {
        let record = with_unknown(name);
        let socket = holding(&record, single);
        let env = Env::at(&socket.url);
        let whole = run(&env, &format!("{command} -o json")).data();
        let expected = if single { json_of(&record) } else { json!([json_of(&record)]) };
        assert_eq!(json_of(&whole), expected, "{command}");
        let line = run(&env, &format!("{command} -o ndjson")).data();
        assert_eq!((line.lines().count(), json_of(&line)), (1, json_of(&record)), "{command}");
        for said in [whole, line] {
            assert!(said.contains("1.50") && said.contains("1e3"), "{command}: {said}");
        }
    }
}

fn json_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("no JSON ({error}): {text}"))
}

/// A CSV of one record as an object of strings, and its header.
fn csv_record(text: &str) -> Value {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().expect("a header").clone();
    let records: Vec<_> = reader.records().map(|record| record.expect("a record")).collect();
    assert_eq!(records.len(), 1, "{text}");
    header.iter().zip(&records[0]).map(|(name, cell)| (name.to_owned(), Value::from(cell))).collect()
}

/// How a JSON record stands in CSV: null is empty, everything else is its text.
fn as_cells(record: &Value) -> Value {
    let cell = |value: &Value| match value {
        Value::Null => Value::from(""),
        Value::String(text) => Value::from(text.as_str()),
        other => Value::from(other.to_string()),
    };
    record.as_object().expect("a record").iter().map(|(name, value)| (name.clone(), cell(value))).collect()
}

#[test]
fn each_field_of_the_specification_is_a_column_with_the_value_that_was_sent() {
    let cases = [
        ("projects list", "project"),
        ("projects list", "project-without-response"),
        ("projects get {P}", "project"),
        ("testtakers list -p {P}", "test-taker"),
        ("testtakers list -p {P}", "test-taker-bare"),
        ("results list -p {P}", "test-taker"),
        ("results list -p {P}", "test-taker-bare"),
        ("results list -p {P} --results-api legacy", "result-legacy"),
        ("results get EMP-00017 -p {P}", "result"),
        ("results get EMP-00022 -p {P}", "result-bare"),
    ];
    for (command, name) in cases {
        let socket = holding(&fixture(name).to_string(), command.contains(" get "));
        let said = run(&Env::at(&socket.url), &format!("{command} -o csv"));
        // Who has no result is shown all the same.
        assert_eq!(said.code, if name == "result-bare" { 4 } else { 0 }, "{command}: {said}");
        assert_eq!(csv_record(&said.stdout), as_cells(&fixture(name)), "{command}");
    }
}

#[test]
fn links_and_uris_are_read_as_typed() {
    let socket = wire::workspace(false);
    let env = Env::at(&socket.url);
    let link = run(&env, "projects link -p {P} -o json").data();
    assert!(link.contains("https://portal.example.com/join/7Qm2xV"), "{link}");
    let uris = run(&env, "redirect-uris list -o csv").data();
    assert_eq!(
        uris.lines().collect::<Vec<_>>(),
        ["redirectUri", "https://portal.example.com/done", "https://*.example.org/*"]
    );
    let issued = run(&env, "links issue id:4711 -p {P} -o csv").data();
    let issued = csv_record(&issued);
    let expected = fixture("test-link");
    assert_eq!((&issued["url"], &issued["expiresAtUtc"]), (&expected["url"], &expected["expiresAtUtc"]));
    assert_eq!(issued["projectEntryId"], "4711");
}

#[test]
fn both_error_bodies_are_read_and_a_body_of_nulls_is_borne() {
    let cases = [
        ("problem", 400, 5, "name must not be longer than 50 characters"),
        ("problem-of-nulls", 400, 5, "400"),
        ("code-and-message", 400, 5, "The test taker is being set up"),
    ];
    for (name, status, code, words) in cases {
        let socket = Socket::always(Answer::json(status, &wire::text(&format!("{name}.json"))));
        let said = Env::at(&socket.url).line("projects create Depot --allow-duplicates").fails(code);
        assert!(said.stderr.contains(words), "{name}:\n{said}");
        assert_eq!(socket.count("POST /projects"), 1, "{name}");
    }
}
