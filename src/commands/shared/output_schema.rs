//! JSON Schemas of outputs, from what verbs declare: their columns, their shape, and whose words they are.

use clap::ValueEnum as _;
use serde_json::{Map, Value, json};

use crate::bulk::outcome::Outcome;
use crate::bulk::report;
use crate::commands::shared::verb_traits::{JsonShape, JsonSource, Prints, VerbTraits};
use crate::model::results::ResultsApi;
use crate::model::test_status::TestStatus;

/// The JSON Schema of a verb's output; `None` where it prints no records.
pub fn output_schema(traits: VerbTraits) -> Option<Value> {
    let (shape, source) = traits.json?;
    let record = match traits.other {
        None => record(traits.prints, source),
        Some(other) => json!({ "anyOf": [record(traits.prints, source), record(other, JsonSource::Own)] }),
    };
    let many = |items: Value| json!({ "type": "array", "items": items });
    let mut schema = match shape {
        JsonShape::One => record,
        JsonShape::Many => many(record),
        JsonShape::OneOrMany => json!({ "anyOf": [record, many(record)] }),
        JsonShape::Text => json!({ "type": ["string", "number", "boolean"] }),
        JsonShape::Texts => json!({ "anyOf": [{ "type": "string" }, many(json!({ "type": "string" }))] }),
    };
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    Some(schema)
}

fn record(prints: Prints, source: JsonSource) -> Value {
    // A row has the columns of its roster as well.
    let source = if matches!(prints, Prints::Rows) { JsonSource::OwnAndNamed } else { source };
    let fields = match prints {
        Prints::Rows => report::ADDED.to_vec(),
        Prints::Results(_) => {
            let mut both = prints.fields(ResultsApi::Current);
            both.extend(prints.fields(ResultsApi::Legacy));
            both.dedup();
            both
        }
        _ => prints.fields(ResultsApi::Current),
    };
    let properties: Map<String, Value> = fields.iter().map(|name| ((*name).to_owned(), field(name, source))).collect();
    let required: Vec<&str> = match source {
        JsonSource::Service => Vec::new(),
        // A single enrolment stands in no file.
        JsonSource::Own | JsonSource::OwnAndNamed => {
            fields.into_iter().filter(|name| !matches!(prints, Prints::Rows) || *name != "line").collect()
        }
    };
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": source != JsonSource::Own,
    })
}

/// Whether a field of ours is a whole number. A summary counts each result under its word.
fn is_count(name: &str) -> bool {
    let is_counted = matches!(name, "enrolled" | "completed" | "flagged" | "refused" | "notAttempted" | "inDoubt");
    let is_number = matches!(name, "line" | "column" | "row" | "attempts" | "count" | "rows");
    let is_of_results = matches!(name, "results" | "otherResults" | "noResult");
    is_counted || is_number || is_of_results || TestStatus::value_variants().iter().any(|status| status.word() == name)
}

/// What a field's values are. Those of the service may always be null.
fn field(name: &str, source: JsonSource) -> Value {
    match name {
        "outcome" if source == JsonSource::OwnAndNamed => json!({ "enum": Outcome::ALL.map(Outcome::name) }),
        "id" => json!({ "type": ["integer", "string", "null"] }),
        "value" => json!({}),
        "yearOfBirth" if source == JsonSource::Service => json!({ "type": ["integer", "null"] }),
        "topPerformer" | "identityVerified" | "default" => json!({ "type": ["boolean", "null"] }),
        _ if source == JsonSource::Service => json!({ "type": ["string", "null"] }),
        "projectEntryId" => json!({ "type": ["integer", "null"] }),
        "completionRate" | "safetyRate" => json!({ "type": ["number", "null"], "minimum": 0, "maximum": 1 }),
        _ if is_count(name) => json!({ "type": ["integer", "null"], "minimum": 0 }),
        _ => json!({ "type": ["string", "null"] }),
    }
}
