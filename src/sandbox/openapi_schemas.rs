//! The records of the service as JSON Schema: fields, types, limits and words of the specification.

use clap::ValueEnum;
use serde_json::{Map, Value, json};

use crate::model::field_rules::{PERSON_NAME_MAX, PROJECT_NAME_MAX, REFERENCE_ID_MAX, RESPONSE_MAX};
use crate::model::projects::ProjectState;
use crate::model::test_status::{IdentityStatus, TestStatus};

/// A whole number of 32 bits within these bounds.
pub(super) fn integer(minimum: Option<u32>, maximum: Option<u32>) -> Value {
    let mut schema = json!({ "type": "integer", "format": "int32" });
    for (name, bound) in [("minimum", minimum), ("maximum", maximum)] {
        if let Some(bound) = bound {
            schema[name] = json!(bound);
        }
    }
    schema
}

/// A text of so many characters.
pub(super) fn text(least: usize, most: usize) -> Value {
    json!({ "type": "string", "minLength": least, "maxLength": most })
}

/// A word out of an enum of the specification.
pub(super) fn words<T: ValueEnum>() -> Value {
    let names = T::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    json!({ "type": "string", "enum": names.map(|value| value.get_name().to_owned()).collect::<Vec<_>>() })
}

/// The same, or null.
pub(super) fn null_or(mut schema: Value) -> Value {
    if let Some(words) = schema.get_mut("enum").and_then(Value::as_array_mut) {
        words.push(Value::Null);
    }
    let kind = schema["type"].take();
    schema["type"] = json!([kind, "null"]);
    schema
}

fn object(required: &[&str], properties: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
    let properties = properties.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect::<Map<_, _>>();
    json!({ "type": "object", "required": required, "properties": properties })
}

/// Every schema that the operations name. Records may have further properties: readers bear them.
pub(super) fn schemas() -> Value {
    let mut result = test_taker();
    result["properties"]["identityVerified"] = null_or(json!({ "type": "boolean" }));
    result["properties"]["identityStatus"] = {
        let mut words = words::<IdentityStatus>();
        // "Empty when never attempted."
        words["enum"].as_array_mut().into_iter().for_each(|words| words.push(json!("")));
        words
    };
    json!({
        "Project": project(), "NewProject": new_project(), "TestTaker": test_taker(), "Result": result,
        "LegacyResult": legacy_result(), "Enrolment": enrolment(), "NewTestTaker": new_test_taker(),
        "TestTakerUpdate": test_taker_update(), "TestLink": test_link(), "TestLinkRequest": test_link_request(),
        "Problem": problem(), "CodeAndMessage": code_and_message(),
    })
}

fn plain() -> Value {
    json!({ "type": "string" })
}

fn uuid() -> Value {
    json!({ "type": "string", "format": "uuid" })
}

fn time() -> Value {
    json!({ "type": "string", "format": "date-time" })
}

fn person_name() -> Value {
    null_or(text(0, PERSON_NAME_MAX))
}

fn reference_id() -> Value {
    let mut schema = text(1, REFERENCE_ID_MAX);
    schema["pattern"] = json!("^[A-Za-z0-9_.+@-]+$");
    schema
}

fn project() -> Value {
    object(
        &["id", "name"],
        [
            ("id", uuid()),
            ("name", plain()),
            ("dateCreated", time()),
            ("lastModified", time()),
            ("state", words::<ProjectState>()),
            ("fitForDutyResponse", plain()),
        ],
    )
}

fn new_project() -> Value {
    object(&["name"], [("name", text(1, PROJECT_NAME_MAX)), ("fitForDutyResponse", null_or(text(0, RESPONSE_MAX)))])
}

fn test_taker() -> Value {
    object(
        &["id", "email"],
        [
            ("id", integer(None, None)),
            ("email", plain()),
            ("referenceId", null_or(plain())),
            ("firstName", null_or(plain())),
            ("lastName", null_or(plain())),
            ("fullName", plain()),
            ("yearOfBirth", null_or(integer(None, None))),
            ("result", null_or(words::<TestStatus>())),
            ("dateCompleted", null_or(time())),
            ("lastTestSentUtc", null_or(time())),
            ("topPerformer", json!({ "type": "boolean" })),
        ],
    )
}

fn legacy_result() -> Value {
    object(
        &["email", "firstName", "lastName", "fullName"],
        [
            ("referenceId", null_or(plain())),
            ("email", plain()),
            ("firstName", plain()),
            ("lastName", plain()),
            ("fullName", plain()),
            ("status", json!({})),
            ("dateCompleted", null_or(time())),
        ],
    )
}

fn enrolment() -> Value {
    object(
        &["id", "projectEntryId"],
        [
            ("id", uuid()),
            ("projectEntryId", integer(None, None)),
            ("email", null_or(plain())),
            ("firstName", null_or(plain())),
            ("lastName", null_or(plain())),
            ("birthYear", null_or(integer(None, None))),
            ("referenceId", null_or(plain())),
        ],
    )
}

fn new_test_taker() -> Value {
    object(
        &["email"],
        [
            ("email", plain()),
            ("firstName", person_name()),
            ("lastName", person_name()),
            ("birthYear", null_or(integer(None, None))),
            ("referenceId", null_or(reference_id())),
        ],
    )
}

fn test_taker_update() -> Value {
    object(
        &[],
        [
            ("id", null_or(integer(None, None))),
            ("referenceId", null_or(reference_id())),
            ("firstName", person_name()),
            ("lastName", person_name()),
        ],
    )
}

fn test_link() -> Value {
    object(&["url", "expiresAtUtc"], [("url", plain()), ("expiresAtUtc", time())])
}

fn test_link_request() -> Value {
    object(&[], [("redirectUri", null_or(plain())), ("referenceId", null_or(reference_id()))])
}

fn problem() -> Value {
    object(
        &[],
        [
            ("type", null_or(plain())),
            ("title", null_or(plain())),
            ("status", null_or(integer(None, None))),
            ("detail", null_or(plain())),
            ("instance", null_or(plain())),
        ],
    )
}

fn code_and_message() -> Value {
    object(&[], [("code", plain()), ("message", plain())])
}
