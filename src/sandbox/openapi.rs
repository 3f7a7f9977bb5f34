//! The service as OpenAPI 3.1, out of the declarations that the sandbox runs on; readings are marked.

use axum::http::Method;
use clap::ValueEnum;
use serde_json::{Map, Value, json};

use super::openapi_schemas::{integer, null_or, schemas, text, words};
use super::operation::Operation;
use super::readings::{Reading, readings};
use crate::model::field_rules::{FILTER_MAX, REFERENCE_ID_MAX};
use crate::model::list_query::{Order, PAGE_SIZE_MAX};
use crate::model::projects::{ProjectOrderBy, ProjectState};
use crate::model::results::{LegacyOrderBy, ResultsApi};
use crate::model::testtakers::TestTakerOrderBy;

/// The description of the service at an address, with one of the two shapes of its results.
pub fn openapi(server: &str, results_api: ResultsApi) -> Value {
    let mut paths: Map<String, Value> = Map::new();
    for operation in Operation::value_variants() {
        let (method, path) = operation.route();
        let path = paths.entry(path.to_owned()).or_insert_with(|| json!({ "parameters": path_parameters(path) }));
        path[method.as_str().to_lowercase()] = describe(*operation, &method, results_api);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Assessment Project and Test-Taker Service",
            "version": "1.0.0",
            "description": "As the sandbox serves it: a model of the service. Where the specification leaves something \
                open, x-readings says what the sandbox does.",
        },
        "servers": [{ "url": server }],
        "security": [{ "apiKey": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": { "apiKey": { "type": "apiKey", "in": "header", "name": "x-api-key" } },
            "schemas": schemas(),
        },
        "x-readings": readings().map(|reading| marked(&reading)).collect::<Vec<_>>(),
    })
}

fn marked(reading: &Reading) -> Value {
    json!({
        "number": reading.number, "section": reading.section, "open": reading.open, "behaviour": reading.behaviour,
    })
}

/// The sections of the specification that an operation's readings are of, beside those of all operations.
fn sections(operation: Operation) -> &'static [&'static str] {
    match operation {
        Operation::ListProjects => &["Projects", "Paging, sorting and filter parameters", "Project state"],
        Operation::CreateProject | Operation::GetProject => &["Projects", "Project state"],
        Operation::ProjectLink => &["Project link"],
        Operation::ListTestTakers => &["Test takers", "Paging, sorting and filter parameters", "Result"],
        Operation::Enrol => &["Test takers"],
        Operation::Update => &["Update test taker body", "Test takers"],
        Operation::Remove => &["Test taker enrolment"],
        Operation::TestLink => &["Test link"],
        Operation::ListResults => &["Results", "Paging, sorting and filter parameters", "Result"],
        Operation::GetResult => &["Results", "Result"],
        Operation::ListRedirectUris | Operation::AddRedirectUris => &["Workspace redirect URIs", "Redirect URI set"],
    }
}

fn describe(operation: Operation, method: &Method, results_api: ResultsApi) -> Value {
    let own = readings().filter(|reading| sections(operation).contains(&reading.section));
    let mut described = json!({
        "operationId": operation.name(),
        "parameters": query_parameters(operation, results_api),
        "responses": responses(operation, results_api),
        "x-readings": own.map(|reading| reading.number).collect::<Vec<_>>(),
    });
    if let Some((schema, required)) = request_body(operation) {
        let content = json!({ "application/json": { "schema": schema } });
        described["requestBody"] = json!({ "required": required, "content": content });
    }
    if method.is_safe() {
        described["x-effect"] = json!("read");
    }
    described
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

fn list_of(schema: &Value) -> Value {
    json!({ "type": "array", "items": schema })
}

/// What is sent, and whether it must be.
fn request_body(operation: Operation) -> Option<(Value, bool)> {
    Some(match operation {
        Operation::CreateProject => (reference("NewProject"), true),
        Operation::Enrol => (reference("NewTestTaker"), true),
        Operation::Update => (reference("TestTakerUpdate"), true),
        Operation::TestLink => (reference("TestLinkRequest"), false),
        Operation::AddRedirectUris => (list_of(&json!({ "type": "string" })), true),
        _ => return None,
    })
}

fn responses(operation: Operation, results_api: ResultsApi) -> Value {
    let (record, single) = match results_api {
        ResultsApi::Current => (reference("TestTaker"), reference("Result")),
        ResultsApi::Legacy => (reference("LegacyResult"), reference("LegacyResult")),
    };
    let (status, schema) = match operation {
        Operation::ListProjects => ("200", list_of(&reference("Project"))),
        Operation::CreateProject | Operation::GetProject => ("200", reference("Project")),
        Operation::ProjectLink => ("200", json!({ "type": "string" })),
        Operation::ListTestTakers => ("200", list_of(&reference("TestTaker"))),
        Operation::Enrol => ("201", reference("Enrolment")),
        Operation::Update => ("200", reference("TestTaker")),
        Operation::Remove => ("204", Value::Null),
        Operation::TestLink => ("200", reference("TestLink")),
        Operation::ListResults => ("200", list_of(&record)),
        Operation::GetResult => ("200", single),
        Operation::ListRedirectUris | Operation::AddRedirectUris => ("200", list_of(&json!({ "type": "string" }))),
    };
    let mut responses = json!({ "default": answer("a problem", &reference("Problem")) });
    responses[status] = match schema {
        Value::Null => json!({ "description": "done" }),
        schema => answer("done", &schema),
    };
    if operation == Operation::TestLink {
        let mut refusal = answer("the test taker is not provisioned yet", &reference("CodeAndMessage"));
        refusal["headers"] = json!({ "Retry-After": { "schema": integer(Some(1), Some(5)) } });
        responses["409"] = refusal;
    }
    responses
}

fn answer(description: &str, schema: &Value) -> Value {
    let media = json!({ "schema": schema });
    let content = json!({ "application/json": media, "text/json": media, "text/plain": media });
    json!({ "description": description, "content": content })
}

fn parameter(place: &str, name: &str, schema: &Value) -> Value {
    json!({ "name": name, "in": place, "required": place == "path", "schema": schema })
}

fn path_parameters(path: &str) -> Vec<Value> {
    let named = path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    named
        .map(|name| match name {
            "id" => parameter("path", name, &integer(None, None)),
            "referenceId" => parameter("path", name, &text(1, REFERENCE_ID_MAX)),
            _ => parameter("path", name, &json!({ "type": "string", "format": "uuid" })),
        })
        .collect()
}

/// The parameters that an operation reads from its query.
fn query_parameters(operation: Operation, results_api: ResultsApi) -> Vec<Value> {
    let order_by = match (operation, results_api) {
        (Operation::ListProjects, _) => words::<ProjectOrderBy>(),
        (Operation::ListResults, ResultsApi::Legacy) => words::<LegacyOrderBy>(),
        _ => words::<TestTakerOrderBy>(),
    };
    let mut named: Vec<(&str, Value)> = match operation {
        Operation::ListProjects | Operation::ListTestTakers | Operation::ListResults | Operation::ListRedirectUris => {
            vec![
                ("page", integer(Some(1), None)),
                ("pageSize", integer(Some(1), Some(PAGE_SIZE_MAX))),
                ("order", words::<Order>()),
            ]
        }
        _ => Vec::new(),
    };
    let flag = json!({ "type": "boolean" });
    if matches!(operation, Operation::ListProjects | Operation::ListTestTakers | Operation::ListResults) {
        named.extend([("orderBy", order_by), ("filter", text(0, FILTER_MAX))]);
    }
    if operation == Operation::ListProjects {
        named.extend([("state", words::<ProjectState>()), ("bypassCache", flag.clone())]);
    }
    if operation == Operation::ListTestTakers {
        named.push(("referenceId", text(0, REFERENCE_ID_MAX)));
    }
    if matches!(operation, Operation::ListTestTakers | Operation::ListResults) {
        let time = json!({ "type": "string", "format": "date-time" });
        named.extend([
            ("completedOnly", flag.clone()),
            ("hasReferenceId", null_or(flag.clone())),
            ("hasLastTestSent", null_or(flag)),
            ("lastTestSentFromUtc", time.clone()),
            ("lastTestSentToUtc", time),
        ]);
    }
    named.iter().map(|(name, schema)| parameter("query", name, schema)).collect()
}
