//! Records on their way out: our own cells first, the rest picked out of the JSON that the service sent.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::columns::{Columns, Field};

/// One value of a record.
#[derive(Clone, Debug)]
pub enum Cell<'a> {
    Text(Cow<'a, str>),
    /// A number, or null.
    Json(Value),
    /// As the service sent it.
    Sent(&'a RawValue),
}

/// What is printed as one record.
pub trait AsRecord: Sync {
    /// Our own values for the first columns.
    fn own(&self) -> Vec<Cell<'_>> {
        Vec::new()
    }

    /// The JSON object (of texts: the JSON string) that the service sent. Its unknown fields are printed in JSON.
    fn sent(&self) -> Option<&RawValue> {
        None
    }
}

impl AsRecord for String {
    fn own(&self) -> Vec<Cell<'_>> {
        vec![self.as_str().into()]
    }
}

impl AsRecord for Vec<Cell<'_>> {
    fn own(&self) -> Vec<Cell<'_>> {
        self.clone()
    }
}

impl<'a> From<&'a str> for Cell<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Cell<'_> {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

impl From<i64> for Cell<'_> {
    fn from(number: i64) -> Self {
        Self::Json(number.into())
    }
}

impl<'a, T: Into<Cell<'a>>> From<Option<T>> for Cell<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Json(Value::Null), Into::into)
    }
}

impl Cell<'_> {
    /// What a table, a CSV file or a workbook shows: nothing for null, compact JSON for what is nested, numbers as sent.
    pub(super) fn text(&self) -> anyhow::Result<Cow<'_, str>> {
        Ok(match self {
            Self::Text(text) => Cow::Borrowed(text),
            // A text without escapes, or a number.
            Self::Sent(sent) if !sent.get().contains('\\') && !sent.get().starts_with(['{', '[', 'n']) => {
                let quoted = sent.get().strip_prefix('"').and_then(|text| text.strip_suffix('"'));
                Cow::Borrowed(quoted.unwrap_or(sent.get()))
            }
            other => match other.json()? {
                Value::Null => Cow::Borrowed(""),
                Value::String(text) => Cow::Owned(text),
                value => Cow::Owned(value.to_string()),
            },
        })
    }

    pub(super) fn json(&self) -> anyhow::Result<Value> {
        Ok(match self {
            Self::Text(text) => Value::from(&**text),
            Self::Json(value) => value.clone(),
            Self::Sent(sent) => serde_json::from_str(sent.get()).map_err(|_| unreadable())?,
        })
    }
}

/// Never the library's words: they could quote the record.
fn unreadable() -> anyhow::Error {
    anyhow::anyhow!("a record of the service cannot be printed: its JSON is not a plain object")
}

/// The fields of a JSON object in its order: a record has few, so that looking through them is quicker than a map.
#[derive(Default)]
struct Fields<'a> {
    all: Vec<(Name<'a>, &'a RawValue)>,
    /// Behind the one that was found last: mostly they are asked for in the order of the service.
    next: usize,
}

/// A name, without a copy where it is written without escapes.
#[derive(serde::Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'a> Fields<'a> {
    fn get(&mut self, name: &str) -> Option<&'a RawValue> {
        let at = (self.next..self.all.len()).chain(0..self.next).find(|at| self.all[*at].0.0 == name)?;
        self.next = at + 1;
        Some(self.all[at].1)
    }
}

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(object: D) -> Result<Self, D::Error> {
        object.deserialize_map(Self { all: Vec::with_capacity(16), next: 0 })
    }
}

impl<'de> Visitor<'de> for Fields<'de> {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut object: A) -> Result<Self, A::Error> {
        while let Some(field) = object.next_entry()? {
            self.all.push(field);
        }
        Ok(self)
    }
}

impl dyn AsRecord + '_ {
    /// The values of these fields; null where the record has none. Our own cells are not overruled by what was sent.
    pub(super) fn cells(&self, fields: &[Field]) -> anyhow::Result<Vec<Cell<'_>>> {
        let text = self.sent().filter(|sent| sent.get().starts_with('"'));
        let (own, mut sent) = (self.own(), self.values()?);
        // The older shape of results has its result as `status`.
        let mut found =
            |field: &Field| sent.get(field.name).or_else(|| sent.get("status").filter(|_| field.is_result()));
        let value = |field: &Field| match (own.get(field.at), text) {
            (Some(own), _) => own.clone(),
            (None, Some(text)) => Cell::Sent(text),
            (None, None) => found(field).map_or(Cell::Json(Value::Null), Cell::Sent),
        };
        Ok(fields.iter().map(value).collect())
    }

    /// What was sent, by the names of its fields.
    fn values(&self) -> anyhow::Result<Fields<'_>> {
        match self.sent().filter(|sent| !sent.get().starts_with('"')) {
            Some(sent) => serde_json::from_str(sent.get()).map_err(|_| unreadable()),
            None => Ok(Fields::default()),
        }
    }

    /// Those of the fields that the record has, also as null.
    pub(super) fn present(&self, columns: &Columns) -> anyhow::Result<Vec<Field>> {
        let (own, mut sent) = (self.own().len(), self.values()?);
        let has = |field: &Field| field.at < own || sent.get(field.name).is_some();
        Ok(columns.fields(columns.all).into_iter().filter(has).collect())
    }

    /// The record as JSON: the chosen fields, or our own cells and everything that was sent.
    pub(super) fn json(&self, columns: &Columns, chosen: Option<&[Field]>) -> anyhow::Result<Value> {
        if let Some(fields) = chosen {
            let values = fields.iter().zip(self.cells(fields)?);
            return values.map(|(field, cell)| Ok((field.name.to_owned(), cell.json()?))).collect();
        }
        let own = columns.all.split(' ').zip(self.own());
        let mut whole: Map<String, Value> =
            own.map(|(name, cell)| Ok((name.to_owned(), cell.json()?))).collect::<anyhow::Result<_>>()?;
        if let Some(sent) = self.sent() {
            let sent: Map<String, Value> = serde_json::from_str(sent.get()).map_err(|_| unreadable())?;
            for (name, value) in sent {
                whole.entry(name).or_insert(value);
            }
        }
        Ok(Value::Object(whole))
    }

    /// The one text that the record is.
    pub(super) fn text(&self) -> anyhow::Result<String> {
        let cells = self.cells(&[Field { at: 0, name: "" }])?;
        Ok(cells[0].text()?.into_owned())
    }
}
