//! A record as the service sent it, beside our reading of it.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::error::Error;

/// A record's JSON text.
pub type Sent = Arc<RawValue>;

/// A record and its JSON text, unknown properties included.
#[derive(Clone, Debug)]
pub struct Read<T> {
    pub record: T,
    pub sent: Sent,
}

impl<T> Read<T> {
    /// Whether a record is this one, unchanged.
    pub(super) fn is_sent_as(&self, sent: &Sent) -> bool {
        Arc::ptr_eq(&self.sent, sent) || self.sent.get() == sent.get()
    }
}

impl<T: DeserializeOwned> Read<T> {
    pub(super) fn of(body: &[u8]) -> Result<Self, Error> {
        Self::parse(json::<Box<RawValue>>(body)?.into(), 0)
    }

    /// `place` is that of the record on its page, from 1; 0 where it is alone.
    pub(super) fn parse(sent: Sent, place: usize) -> Result<Self, Error> {
        if let Ok(record) = serde_json::from_str(sent.get()) {
            return Ok(Self { record, sent });
        }
        // Reading it again finds the field. The path has names of fields only; the reason would quote a value.
        let again = serde_path_to_error::deserialize::<_, T>(&mut serde_json::Deserializer::from_str(sent.get()));
        let field = again.err().map(|error| error.path().to_string()).filter(|field| field != ".");
        let what = field.map(|field| format!("the field `{field}` of ")).unwrap_or_default();
        let which = if place == 0 { "the record".to_owned() } else { format!("record {place}") };
        let why = format!("{what}{which} is not what assessctl expects");
        Err(Error::Unreadable { why, is_cut: false })
    }
}

/// A body as JSON, whatever it is labelled.
pub(super) fn json<T: DeserializeOwned>(body: &[u8]) -> Result<T, Error> {
    serde_json::from_slice(body).map_err(|error| {
        let (why, is_cut) = match error.classify() {
            serde_json::error::Category::Data => ("it is not what assessctl expects", false),
            _ => ("it is cut off, or is not JSON", true),
        };
        Error::Unreadable { why: why.to_owned(), is_cut }
    })
}
