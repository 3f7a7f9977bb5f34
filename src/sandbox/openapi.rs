//! The service as OpenAPI 3.1: `openapi.json`, filled with the limits and words that the sandbox runs on; readings are
//! marked.

use axum::http::Method;
use clap::ValueEnum;
use serde_json::{Map, Value, json};

use super::operation::Operation;
use super::readings::readings;
use super::request::words_of;
use crate::model::field_rules::{FILTER_MAX, PERSON_NAME_MAX, PROJECT_NAME_MAX, REFERENCE_ID_MAX, RESPONSE_MAX};
use crate::model::list_query::{Order, PAGE_SIZE_MAX};
use crate::model::projects::{ProjectOrderBy, ProjectState};
use crate::model::results::{LegacyOrderBy, ResultsApi};
use crate::model::test_status::{IdentityStatus, TestStatus};
use crate::model::testtakers::TestTakerOrderBy;

/// The description of the service at an address, with one of the two shapes of its results.
pub fn openapi(server: &str, results_api: ResultsApi) -> Value {
    let mut template = template(results_api);
    let mut paths: Map<String, Value> = Map::new();
    for operation in Operation::value_variants() {
        let (method, path) = operation.route();
        let in_path = path.split('/').filter(|part| part.starts_with('{'));
        let parameters: Vec<&Value> = in_path.map(|name| &template["parameters"][name]).collect();
        let path = paths.entry(path.to_owned()).or_insert_with(|| json!({ "parameters": parameters }));
        path[method.as_str().to_lowercase()] = describe(&operation.name(), &method, &template);
    }
    let mut document = template["document"].take();
    document["servers"] = json!([{ "url": server }]);
    document["paths"] = paths.into();
    let marked = readings().map(|reading| {
        let (number, section, open, behaviour) = (reading.number, reading.section, reading.open, reading.behaviour);
        json!({ "number": number, "section": section, "open": open, "behaviour": behaviour })
    });
    document["x-readings"] = marked.collect();
    document
}

/// The template with a value for each text that begins with `$`.
fn template(results_api: ResultsApi) -> Value {
    let (listed, single, result_order) = match results_api {
        ResultsApi::Current => ("TestTaker", "Result", words::<TestTakerOrderBy>()),
        ResultsApi::Legacy => ("LegacyResult", "LegacyResult", words::<LegacyOrderBy>()),
    };
    let mut text = include_str!("openapi.json").to_owned();
    for (name, value) in [
        ("FILTER_MAX", FILTER_MAX.to_string()),
        ("PAGE_SIZE_MAX", PAGE_SIZE_MAX.to_string()),
        ("PERSON_NAME_MAX", PERSON_NAME_MAX.to_string()),
        ("PROJECT_NAME_MAX", PROJECT_NAME_MAX.to_string()),
        ("REFERENCE_ID_MAX", REFERENCE_ID_MAX.to_string()),
        ("RESPONSE_MAX", RESPONSE_MAX.to_string()),
        ("IdentityStatus", words::<IdentityStatus>()),
        ("Order", words::<Order>()),
        ("ProjectOrderBy", words::<ProjectOrderBy>()),
        ("ProjectState", words::<ProjectState>()),
        ("ResultOrderBy", result_order),
        ("TestStatus", words::<TestStatus>()),
        ("TestTakerOrderBy", words::<TestTakerOrderBy>()),
        ("ListedResult", format!("\"#/components/schemas/{listed}\"")),
        ("SingleResult", format!("\"#/components/schemas/{single}\"")),
    ] {
        text = text.replace(&format!("\"${name}\""), &value);
    }
    serde_json::from_str(&text).expect("the template is JSON, also when it is filled")
}

/// The words of an enum of the specification, in quotes and with commas between them.
fn words<T: ValueEnum>() -> String {
    format!("\"{}\"", words_of::<T>().join("\", \""))
}

fn describe(name: &str, method: &Method, template: &Value) -> Value {
    let operation = &template["operations"][name];
    let sections = &operation["sections"];
    let own = readings().filter(|reading| sections.as_array().is_some_and(|all| all.contains(&reading.section.into())));
    let query = operation["query"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let mut responses = json!({ "default": answer(&template["problem"]) });
    for (status, described) in operation["answers"].as_object().into_iter().flatten() {
        responses[status] = answer(described);
    }
    let mut described = json!({
        "operationId": name,
        "parameters": query.map(|name| &template["parameters"][name]).collect::<Vec<_>>(),
        "responses": responses,
        "x-readings": own.map(|reading| reading.number).collect::<Vec<_>>(),
    });
    if let Some(body) = operation.get("body") {
        let content = json!({ "application/json": { "schema": body["schema"] } });
        described["requestBody"] = json!({ "required": body["required"], "content": content });
    }
    if method.is_safe() {
        described["x-effect"] = json!("read");
    }
    described
}

/// An answer whose body, if it has a schema, is offered as each of the three media types.
fn answer(described: &Value) -> Value {
    let mut answer = described.clone();
    if let Some(schema) = answer.as_object_mut().and_then(|answer| answer.remove("schema")) {
        let media = json!({ "schema": schema });
        answer["content"] = json!({ "application/json": media, "text/json": media, "text/plain": media });
    }
    answer
}
