//! The OpenAPI description: what it says is what the service does, and what the fixtures show.

use std::path::Path;

use serde_json::{Value, json};

use super::client::{KEY, Sandbox, raw};
use crate::model::results::ResultsApi;
use crate::sandbox::openapi;

/// What is wrong with a value by a schema of the description: of JSON Schema those words that it uses.
fn faults(document: &Value, schema: &Value, value: &Value, place: &str) -> Vec<String> {
    if let Some(name) = schema["$ref"].as_str() {
        let schema = document.pointer(name.trim_start_matches('#')).expect("what is referred to is there");
        return faults(document, schema, value, place);
    }
    let mut found = Vec::new();
    let mut check = |holds: bool, what: &str| {
        if !holds {
            found.push(format!("{place}: {what}: {value}"));
        }
    };
    if let Some(kind) = schema.get("type") {
        let kinds: Vec<&str> = kind
            .as_array()
            .map_or_else(|| vec![kind], |kinds| kinds.iter().collect())
            .into_iter()
            .filter_map(Value::as_str)
            .collect();
        let is = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(number) if number.is_i64() => "integer",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        check(kinds.contains(&is), "the type is another");
    }
    if let Some(words) = schema["enum"].as_array() {
        check(words.contains(value), "the word is not listed");
    }
    if let Some(text) = value.as_str() {
        let length = text.chars().count() as u64;
        check(schema["maxLength"].as_u64().is_none_or(|most| length <= most), "too long");
        check(schema["minLength"].as_u64().is_none_or(|least| length >= least), "too short");
        check(schema["format"] != "date-time" || text.parse::<jiff::Timestamp>().is_ok(), "not a time");
        check(schema["format"] != "uuid" || uuid::Uuid::parse_str(text).is_ok(), "not a uuid");
    }
    if let (Some(fields), Some(required)) = (value.as_object(), schema["required"].as_array()) {
        check(required.iter().all(|name| fields.contains_key(name.as_str().unwrap_or_default())), "a field is missing");
        for (name, field) in fields {
            if let Some(schema) = schema["properties"].get(name) {
                found.extend(faults(document, schema, field, &format!("{place}.{name}")));
            }
        }
    }
    for item in value.as_array().into_iter().flatten() {
        found.extend(faults(document, &schema["items"], item, place));
    }
    found
}

/// The schema of an operation's answer.
fn answer<'d>(document: &'d Value, method: &str, path: &str, status: u16) -> &'d Value {
    let responses = &document["paths"][path][method]["responses"];
    let response = responses.get(status.to_string()).unwrap_or(&responses["default"]);
    &response["content"]["application/json"]["schema"]
}

#[test]
fn the_fixtures_are_what_the_description_says() {
    let document = openapi("http://127.0.0.1:7878", ResultsApi::Current);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/wire");
    for (name, schema) in [
        ("project", "Project"),
        ("project-without-response", "Project"),
        ("test-taker", "TestTaker"),
        ("test-taker-bare", "TestTaker"),
        ("test-taker-patched", "TestTaker"),
        ("result", "Result"),
        ("result-bare", "Result"),
        ("result-legacy", "LegacyResult"),
        ("enrolment", "Enrolment"),
        ("enrolment-bare", "Enrolment"),
        ("test-link", "TestLink"),
        ("problem", "Problem"),
        ("problem-of-nulls", "Problem"),
        ("code-and-message", "CodeAndMessage"),
    ] {
        let text = std::fs::read_to_string(folder.join(format!("{name}.json"))).expect("a fixture");
        let value: Value = serde_json::from_str(&text).expect("a fixture is JSON");
        let schema = json!({ "$ref": format!("#/components/schemas/{schema}") });
        assert_eq!(faults(&document, &schema, &value, name), [""; 0], "{name}");
        let described = &document["components"]["schemas"]
            [schema["$ref"].as_str().expect("a name").rsplit('/').next().expect("a name")];
        for field in value.as_object().expect("a record").keys() {
            assert!(described["properties"].get(field).is_some(), "{name}: {field} is not described");
        }
        // A planted wrong type, and a planted lack, are seen.
        for (field, _) in value.as_object().expect("a record") {
            if field == "status" && name == "result-legacy" {
                continue;
            }
            let mut wrong = value.clone();
            wrong[field] = json!([1]);
            assert!(!faults(&document, &schema, &wrong, name).is_empty(), "{name}.{field}");
        }
        for field in described["required"].as_array().into_iter().flatten() {
            let mut lacking = value.clone();
            lacking.as_object_mut().expect("a record").remove(field.as_str().expect("a name"));
            assert_eq!(faults(&document, &schema, &lacking, name).len(), 1, "{name}.{field}");
        }
    }
}

#[test]
fn the_service_answers_what_the_description_says() {
    for results_api in [ResultsApi::Current, ResultsApi::Legacy] {
        let sandbox = Sandbox::with(|options| options.results_api = results_api);
        let document = openapi("http://127.0.0.1:7878", results_api);
        let demo = sandbox.demo();
        for person in
            [json!({ "email": "a@example.com", "referenceId": "EMP-1", "firstName": "A" }), json!({ "email": "b@x" })]
        {
            sandbox.enrol(person);
        }
        let project = json!({ "name": "North" });
        let person = json!({ "email": "c@example.com", "birthYear": 1984 });
        for (method, path, body) in [
            ("get", "/projects", None),
            ("post", "/projects", Some(project)),
            ("get", "/projects/{projectId}", None),
            ("get", "/projects/{projectId}/get-link", None),
            ("get", "/projects/{projectId}/testtakers", None),
            ("post", "/projects/{projectId}/testtakers", Some(person)),
            ("patch", "/projects/{projectId}/testtakers/{id}", Some(json!({ "firstName": "B" }))),
            ("post", "/projects/{projectId}/testtakers/{id}/test-link", Some(json!({}))),
            ("get", "/projects/{projectId}/results", None),
            ("get", "/projects/{projectId}/results/{referenceId}", None),
            ("post", "/workspace/redirect-uris", Some(json!(["https://a.example.com/"]))),
            ("get", "/workspace/redirect-uris", None),
            ("post", "/projects", Some(json!({}))),
            ("get", "/projects/{projectId}/results/nobody", None),
        ] {
            let at =
                path.replace("/projects/{projectId}", &demo).replace("{id}", "1").replace("{referenceId}", "EMP-1");
            let reply = sandbox.send(&method.to_uppercase(), &at, body);
            let path = path.replace("nobody", "{referenceId}");
            let schema = answer(&document, method, &path, reply.status);
            assert!(schema.is_object(), "{method} {path}: {} is not described", reply.status);
            assert_eq!(faults(&document, schema, &reply.json(), &path), [""; 0]);
        }
    }
}

/// A value that a parameter of this schema must refuse, if there is one.
fn refused(schema: &Value) -> Option<String> {
    let kind = schema["type"].to_string();
    match schema["maxLength"].as_u64() {
        Some(most) => Some("x".repeat(usize::try_from(most).ok()? + 1)),
        None if kind.contains("integer") => Some("0".to_owned()),
        None if kind.contains("boolean") || schema.get("enum").is_some() || schema["format"] == "date-time" => {
            Some("maybe".to_owned())
        }
        None => None,
    }
}

#[test]
fn every_parameter_of_the_description_is_read_and_held_to_its_rule() {
    let sandbox = Sandbox::new();
    let document = openapi("http://127.0.0.1:7878", ResultsApi::Current);
    let headers = format!("x-api-key: {KEY}\r\n");
    let (demo, mut seen) = (sandbox.demo(), 0);
    for (path, operations) in document["paths"].as_object().expect("paths") {
        for parameter in operations["get"]["parameters"].as_array().into_iter().flatten() {
            let (name, bad) =
                (parameter["name"].as_str().expect("a name"), refused(&parameter["schema"]).expect("a rule"));
            let path = format!("{}?{name}={bad}", path.replace("/projects/{projectId}", &demo));
            assert_eq!(raw(&sandbox.service, "GET", &path, &headers, b"").status, 400, "{path}");
            seen += 1;
        }
    }
    // Of the specification: 7 for projects, 11 for test takers, 10 for results, 3 for redirect URIs.
    assert_eq!(seen, 31);
}

#[test]
fn every_reading_is_in_the_description_and_every_operation_has_a_place_of_its_own() {
    let document = openapi("http://127.0.0.1:7878", ResultsApi::Current);
    assert_eq!(document["x-readings"].as_array().map(Vec::len), Some(crate::sandbox::readings().count()));
    let operations =
        document["paths"].as_object().expect("paths").values().flat_map(|path| path.as_object().expect("a path"));
    let ids: std::collections::BTreeSet<&str> =
        operations.filter_map(|(_, operation)| operation["operationId"].as_str()).collect();
    assert_eq!(ids.len(), 13);
}
