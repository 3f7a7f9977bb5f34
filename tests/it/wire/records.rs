//! Records are read and printed as they were sent: both results shapes, both error bodies, any content type.

use serde_json::{Value, json};

use crate::support::env::Env;
use crate::support::service::{Op, Service, Trouble, When};
use crate::support::wire::{Answer, PROJECT, fixture, text};

/// A service whose lists have this record only, and whose other answers are this record.
fn holding(record: Value) -> Service {
    Service::start().with(move |request, _| {
        let is_there = request.number("page").unwrap_or(1) == 1;
        let list = || if is_there { json!([record]) } else { json!([]) };
        let is_list = ["/projects", "/testtakers", "/results"].iter().any(|end| request.path().ends_with(end));
        Some(Answer::ok(if is_list { list() } else { record.clone() }))
    })
}

/// The command, and the fixture that it reads.
const READS: [(&str, &str); 11] = [
    ("projects list", "project"),
    ("projects list", "project-without-response"),
    ("projects get {P}", "project"),
    ("testtakers list -p {P}", "test-taker"),
    ("testtakers list -p {P}", "test-taker-bare"),
    ("results list -p {P}", "test-taker"),
    ("results list -p {P}", "test-taker-bare"),
    ("results list -p {P}", "result-older"),
    ("results list -p {P} --order-by Risk", "result-older"),
    ("results get EMP-00017 -p {P}", "result"),
    ("results get EMP-00022 -p {P}", "result-bare"),
];

#[test]
fn records_print_in_json_as_the_service_sent_them_unknown_fields_included() {
    for (command, name) in READS {
        let mut record = fixture(name);
        record["shoeSize"] = json!({ "left": [1.50, 12_345_678_901_234_567_890_u64], "right": null });
        let service = holding(record.clone());
        let line = |format: &str| format!("{} -o {format}", command.replace("{P}", PROJECT));
        let printed = Env::at(&service.url).line(&line("json")).json();
        let expected = if command.contains(" list") { json!([record]) } else { record.clone() };
        assert_eq!(printed, expected, "{command} {name}");
        let said = Env::at(&service.url).line(&line("ndjson")).data();
        assert_eq!((said.lines().count(), said.contains("1.5")), (1, true), "{command} {name}: {said}");
    }
}

/// How a JSON record stands in CSV: null is empty, everything else is its text.
fn as_cells(record: &Value) -> Vec<(String, String)> {
    let cell = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    record.as_object().expect("a record").iter().map(|(name, value)| (name.clone(), cell(value))).collect()
}

#[test]
fn each_field_of_the_specification_is_a_column_with_the_value_that_was_sent() {
    for (command, name) in READS {
        let service = holding(fixture(name));
        let said = Env::at(&service.url).line(&format!("{} -o csv", command.replace("{P}", PROJECT))).ok();
        let mut reader = csv::Reader::from_reader(said.stdout.as_bytes());
        let header = reader.headers().expect("a header").clone();
        let rows: Vec<_> = reader.records().map(|record| record.expect("a record")).collect();
        assert_eq!(rows.len(), 1, "{command} {name}: {said}");
        for (field, value) in as_cells(&fixture(name)) {
            let at = header.iter().position(|known| known == field);
            assert_eq!(at.and_then(|at| rows[0].get(at)), Some(value.as_str()), "{command} {name} {field}: {said}");
        }
    }
}

#[test]
fn links_and_redirect_uris_are_read_as_typed() {
    let service = Service::start();
    let uris = fixture("redirect-uris");
    service.held().uris = uris.as_array().cloned().expect("an array");
    let env = Env::at(&service.url);
    let line = |line: &str| env.line(&line.replace("{P}", PROJECT));
    let shown = fixture("project-link");
    assert_eq!(line("projects link {P} -q").data().trim_end(), shown.as_str().expect("a text"));
    assert!(line("projects link -p {P} -o json").data().contains(&shown.to_string()));
    let printed = line("redirect-uris list -o csv").data();
    assert_eq!(
        printed.lines().skip(1).collect::<Vec<_>>(),
        ["https://portal.example.com/done", "https://*.example.org/*"]
    );
    assert_eq!(line("redirect-uris list -q").data().lines().count(), 2);
}

#[test]
fn both_error_bodies_are_read_and_a_body_of_nulls_or_of_nothing_is_borne() {
    let bodies = ["problem.json", "problem-of-nulls.json", "code-and-message.json"].map(text);
    for body in bodies.into_iter().chain([String::new(), "gone".to_owned(), "\u{feff}{\"title\":\"x\"}".to_owned()]) {
        for label in ["application/json", "text/json", "text/plain", "application/problem+json; charset=utf-8"] {
            let answer = Answer::new(400, &[&format!("Content-Type: {label}")], &body);
            let service = Service::start().on(Op::CreateProject, When::Always, Trouble::Answer(answer));
            let said = Env::at(&service.url).line("projects create Depot --allow-duplicate").fails(5).names("400");
            // Of the second body the code is shown: it is one of the specification's words.
            assert_eq!(said.stderr.contains("test_taker_not_provisioned"), body.contains("\"code\""), "{said}");
            assert_eq!(service.count(Op::CreateProject), 1);
        }
    }
}

#[test]
fn bodies_are_read_however_they_arrive_and_whatever_their_label() {
    let body = format!("[{}]", text("project.json"));
    let labelled = |label: &str| Answer::new(200, &[&format!("Content-Type: {label}")], &body);
    let chunked =
        format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
    for answer in [
        labelled("text/plain"),
        labelled("text/json; charset=utf-8"),
        Answer::new(200, &[], &body),
        Answer::new(200, &[], &format!("\u{feff}{body}")),
        labelled("application/json").trickling(),
        Answer::bytes(chunked),
        Answer::bytes(format!("HTTP/1.1 200 OK\r\n\r\n{body}")),
    ] {
        let beyond = |number: Option<usize>| number.unwrap_or(1) > 1;
        let service = Service::start().with(move |request, _| {
            Some(if beyond(request.number("page")) { Answer::ok(json!([])) } else { answer.clone() })
        });
        let said = Env::at(&service.url).line("projects list -o csv --fields name").data();
        assert_eq!(said, "name\nNight shift north\n");
    }
}

#[test]
fn what_the_specification_does_not_show_breaks_no_list() {
    let odd = json!([
        { "id": 1, "email": null, "result": "Daydreaming", "referenceId": "a b/c é" },
        { "id": 2, "firstName": "", "yearOfBirth": -5, "dateCompleted": "soon" },
        { "id": 3, "topPerformer": null, "lastTestSentUtc": "2026-03-01T06:00:00.123" },
        { "email": "x@example.com", "status": 7, "fullName": "" },
    ]);
    let service = Service::start().of(odd.as_array().cloned().expect("an array"));
    for noun in ["testtakers", "results"] {
        for format in ["table", "csv", "json", "ndjson"] {
            let said = Env::at(&service.url).line(&format!("{noun} list -p {PROJECT} -o {format}")).data();
            assert!(said.contains("Daydreaming") && said.contains("soon"), "{said}");
        }
    }
}
