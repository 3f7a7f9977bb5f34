//! One value of a record of our own, typed, so that every output format writes it as its type asks.

use std::borrow::Cow;

use super::testtakers::EntryId;

/// A value on its way to an output. It has no `Debug`: a test link may be in it.
#[derive(Clone, PartialEq)]
pub enum Cell<'a> {
    /// Nothing: `null` in JSON, empty elsewhere.
    Null,
    /// A text.
    Text(Cow<'a, str>),
    /// A whole number.
    Number(i64),
    /// A fraction; `null` where it is no number.
    Ratio(f64),
    /// Yes or no.
    Flag(bool),
    /// A value that is JSON already, such as one that the service sent: the text of valid JSON.
    Sent(Cow<'a, str>),
}

impl Cell<'_> {
    /// The same value, lent.
    pub fn lend(&self) -> Cell<'_> {
        match self {
            Self::Text(text) => Cell::Text(Cow::Borrowed(text)),
            Self::Sent(json) => Cell::Sent(Cow::Borrowed(json)),
            other => other.clone(),
        }
    }

    /// The same value, kept.
    pub fn to_owned_cell(&self) -> Cell<'static> {
        match self {
            Self::Text(text) => Cell::Text(Cow::Owned(text.clone().into_owned())),
            Self::Sent(json) => Cell::Sent(Cow::Owned(json.clone().into_owned())),
            Self::Null => Cell::Null,
            Self::Number(number) => Cell::Number(*number),
            Self::Ratio(ratio) => Cell::Ratio(*ratio),
            Self::Flag(flag) => Cell::Flag(*flag),
        }
    }
}

impl<'a> From<&'a str> for Cell<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl<'a> From<&'a String> for Cell<'a> {
    fn from(text: &'a String) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Cell<'_> {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

impl From<i32> for Cell<'_> {
    fn from(number: i32) -> Self {
        Self::Number(number.into())
    }
}

impl From<i64> for Cell<'_> {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<u32> for Cell<'_> {
    fn from(number: u32) -> Self {
        Self::Number(number.into())
    }
}

/// A count; no machine holds more than an `i64` can say.
impl From<u64> for Cell<'_> {
    fn from(count: u64) -> Self {
        Self::Number(i64::try_from(count).unwrap_or(i64::MAX))
    }
}

impl From<f64> for Cell<'_> {
    fn from(ratio: f64) -> Self {
        Self::Ratio(ratio)
    }
}

impl From<bool> for Cell<'_> {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl From<EntryId> for Cell<'_> {
    fn from(entry: EntryId) -> Self {
        Self::Number(entry.0.into())
    }
}

impl From<serde_json::Value> for Cell<'_> {
    fn from(value: serde_json::Value) -> Self {
        match value {
            serde_json::Value::String(text) => Self::Text(Cow::Owned(text)),
            other => Self::Sent(Cow::Owned(other.to_string())),
        }
    }
}

impl<'a, T: Into<Cell<'a>>> From<Option<T>> for Cell<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}
