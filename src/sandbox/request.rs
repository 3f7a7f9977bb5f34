//! A request as the operations see it: path parameters, query and body, each with its rule and its 400.

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::RawPathParams;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode, Uri};
use clap::ValueEnum;
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::fault_hits::WorkFaults;
use super::response::Refusal;
use crate::model::field_rules::PersonName;
use crate::model::list_query::PAGE_SIZE_MAX;
use crate::model::projects::ProjectId;
use crate::model::testtakers::{Change, EntryId};
use crate::model::time::parse_service_time;

/// Largest body that is read, in bytes; the specification shows no limit.
const BODY_MAX: usize = 4 * 1024 * 1024;

/// One request, read whole.
#[derive(Debug)]
pub(super) struct Call {
    /// Path parameters, percent-decoded.
    params: Vec<(String, String)>,
    /// The query's parameters.
    pub(super) query: Query,
    headers: HeaderMap,
    body: Bytes,
    /// What goes wrong with the work.
    pub(super) faults: WorkFaults,
}

impl Call {
    /// Reads the body and takes the request apart.
    pub(super) async fn read(
        params: Option<&RawPathParams>,
        uri: &Uri,
        headers: HeaderMap,
        body: Body,
    ) -> Result<Self, Refusal> {
        let params = params.into_iter().flat_map(RawPathParams::iter);
        let params = params.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let query = Query::parse(uri)?;
        let body = to_bytes(body, BODY_MAX).await;
        let body = body.map_err(|_| Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, "The body is larger than 4 MiB."))?;
        Ok(Self { params, query, headers, body, faults: WorkFaults::default() })
    }

    fn param(&self, name: &str) -> &str {
        self.params.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    /// The project that the path names.
    pub(super) fn project(&self) -> Result<ProjectId, Refusal> {
        self.param("projectId").parse().map_err(|_| Refusal::not_found("project"))
    }

    /// The project entry that the path names.
    pub(super) fn entry(&self) -> Result<EntryId, Refusal> {
        self.param("id").parse().map_err(|_| Refusal::not_found("test taker in this project"))
    }

    /// The reference id that the path names: 1 to 500 characters (specification, Limits). `.` and `..` are folded by
    /// URL libraries on the way, so they never name a person in a path (our reading).
    pub(super) fn reference_id(&self) -> Result<&str, Refusal> {
        let text = self.param("referenceId");
        match text.chars().count() {
            0 => Err(Refusal::bad("referenceId is empty.")),
            n if n > crate::model::field_rules::REFERENCE_ID_MAX => {
                Err(Refusal::bad(format!("referenceId has {n} characters, 500 are allowed.")))
            }
            _ if text == "." || text == ".." => Err(Refusal::not_found("result")),
            _ => Ok(text),
        }
    }

    /// The JSON of the body, whatever it holds.
    pub(super) fn json(&self) -> Result<Value, Refusal> {
        let label = self.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let media_type = label.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        if media_type != "application/json" && !media_type.ends_with("+json") {
            return Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "The body must be application/json."));
        }
        serde_json::from_slice(&self.body).map_err(|error| Refusal::bad(format!("The body is not JSON: {error}.")))
    }

    /// The fields of the body, which must be an object; unknown ones are ignored.
    pub(super) fn fields(&self) -> Result<Fields, Refusal> {
        match self.json()? {
            Value::Object(fields) => Ok(Fields(fields)),
            _ => Err(Refusal::bad("The body must be a JSON object.")),
        }
    }

    /// The same for an operation whose fields are all optional: no body at all is no field (our reading).
    pub(super) fn optional_fields(&self) -> Result<Fields, Refusal> {
        if self.body.is_empty() { Ok(Fields(Map::new())) } else { self.fields() }
    }
}

/// The fields of a JSON object.
#[derive(Debug)]
pub(super) struct Fields(Map<String, Value>);

impl Fields {
    /// A field that must be there.
    pub(super) fn required<T: DeserializeOwned>(&self, name: &str) -> Result<T, Refusal> {
        self.optional(name)?.ok_or_else(|| Refusal::bad(format!("{name} is required.")))
    }

    /// A field that may be absent or null.
    pub(super) fn optional<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, Refusal> {
        Ok(match self.change(name)? {
            Change::Leave | Change::Clear => None,
            Change::Set(value) => Some(value),
        })
    }

    /// A first or last name, for which absent and null are different. The specification gives a maximum alone, so an
    /// empty name is one.
    pub(super) fn name(&self, field: &str) -> Result<Change<String>, Refusal> {
        match self.0.get(field).and_then(Value::as_str) {
            Some("") => Ok(Change::Set(String::new())),
            _ => Ok(match self.change::<PersonName>(field)? {
                Change::Leave => Change::Leave,
                Change::Clear => Change::Clear,
                Change::Set(name) => Change::Set(name.into()),
            }),
        }
    }

    /// A field for which absent and null are different.
    pub(super) fn change<T: DeserializeOwned>(&self, name: &str) -> Result<Change<T>, Refusal> {
        let Some(value) = self.0.get(name) else { return Ok(Change::Leave) };
        serde_json::from_value(value.clone()).map_err(|error| Refusal::bad(format!("{name}: {error}.")))
    }
}

/// One page of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Page {
    /// Counted from 1.
    pub(super) number: u32,
    /// 1 to 100 records.
    pub(super) size: u32,
}

/// The parameters of a query. Unknown ones are ignored (our reading).
#[derive(Debug, Default)]
pub(super) struct Query(Vec<(String, String)>);

impl Query {
    /// Takes a query apart: `+` is a space, `%2B` a plus sign.
    pub(super) fn parse(uri: &Uri) -> Result<Self, Refusal> {
        axum::extract::Query::<Vec<(String, String)>>::try_from_uri(uri)
            .map(|axum::extract::Query(pairs)| Self(pairs))
            .map_err(|_| Refusal::bad("The query cannot be read."))
    }

    /// A parameter as it stands; given twice it is refused (our reading).
    pub(super) fn text(&self, name: &str) -> Result<Option<&str>, Refusal> {
        let mut values = self.0.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str());
        let first = values.next();
        if values.next().is_some() {
            return Err(Refusal::bad(format!("{name} is given more than once.")));
        }
        Ok(first)
    }

    /// A text of at most `max` characters; an empty one is as good as none (our reading).
    pub(super) fn bounded(&self, name: &str, max: usize) -> Result<Option<&str>, Refusal> {
        let text = self.text(name)?.filter(|text| !text.is_empty());
        match text.map(|text| text.chars().count()) {
            Some(n) if n > max => Err(Refusal::bad(format!("{name} has {n} characters, {max} are allowed."))),
            _ => Ok(text),
        }
    }

    /// A word out of a list, in exactly the specification's spelling (our reading).
    pub(super) fn word<T: ValueEnum>(&self, name: &str) -> Result<Option<T>, Refusal> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        T::from_str(text, false)
            .map(Some)
            .map_err(|_| Refusal::bad(format!("{name} must be one of {}.", words_of::<T>().join(", "))))
    }

    /// `true` or `false`.
    pub(super) fn flag(&self, name: &str) -> Result<Option<bool>, Refusal> {
        match self.text(name)? {
            None => Ok(None),
            Some("true") => Ok(Some(true)),
            Some("false") => Ok(Some(false)),
            Some(_) => Err(Refusal::bad(format!("{name} must be true or false."))),
        }
    }

    /// `true`, `false`, or null: that word, or an empty value (specification: "omitted or null: all").
    pub(super) fn nullable_flag(&self, name: &str) -> Result<Option<bool>, Refusal> {
        if matches!(self.text(name)?, Some("" | "null")) { Ok(None) } else { self.flag(name) }
    }

    /// A date and time; one without a zone is UTC (our reading).
    pub(super) fn time(&self, name: &str) -> Result<Option<Timestamp>, Refusal> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        let time = parse_service_time(text);
        time.map(Some).ok_or_else(|| Refusal::bad(format!("{name} must be an ISO 8601 date and time.")))
    }

    /// The page that is asked for: page from 1 (default 1), pageSize 1 to 100 (default 100).
    pub(super) fn page(&self) -> Result<Page, Refusal> {
        let number = self.whole("page", i32::MAX.unsigned_abs(), 1)?;
        let size = self.whole("pageSize", PAGE_SIZE_MAX, PAGE_SIZE_MAX)?;
        Ok(Page { number, size })
    }

    fn whole(&self, name: &str, max: u32, default: u32) -> Result<u32, Refusal> {
        let Some(text) = self.text(name)? else { return Ok(default) };
        match text.parse::<u32>() {
            Ok(number) if (1..=max).contains(&number) => Ok(number),
            _ => Err(Refusal::bad(format!("{name} must be a whole number from 1 to {max}."))),
        }
    }
}

/// The words of an enum of the specification.
pub(super) fn words_of<T: ValueEnum>() -> Vec<String> {
    let names = T::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    names.map(|value| value.get_name().to_owned()).collect()
}
