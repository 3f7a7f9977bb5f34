//! A value as the configuration file spells it, before its setting reads it.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use toml::Spanned;

/// A value of TOML. It may be a key: `Debug` shows nothing of it, and reading it never fails, because serde's messages
/// quote what they refuse.
#[derive(Clone, PartialEq)]
pub enum Literal {
    /// A text in quotes.
    Text(String),
    /// `true` or `false`.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// Another number.
    Float(f64),
    /// A list.
    List(Vec<Self>),
    /// A table, or a date, which serde takes for one.
    Table(Entries),
}

/// The keys and values of a table in the file's order, each with where it stands.
pub type Entries = Vec<(Spanned<String>, Literal)>;

impl Literal {
    /// What was typed for a setting: a word of TOML such as `true`, `8` or `["pass", "show"]`, else the text itself.
    pub fn typed(text: &str) -> Self {
        match toml::de::ValueDeserializer::parse(text).map(Self::deserialize) {
            Ok(Ok(value)) if !matches!(value, Self::Text(_) | Self::Table(_)) => value,
            _ => Self::Text(text.to_owned()),
        }
    }
}

impl fmt::Debug for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Literal(…)")
    }
}

impl<'de> Deserialize<'de> for Literal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Literal;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Literal, E> {
        Ok(Literal::Text(text.to_owned()))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Literal, E> {
        Ok(Literal::Boolean(value))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Literal, E> {
        Ok(Literal::Integer(number))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Literal, E> {
        Ok(Literal::Float(number))
    }

    // A number beyond 64 bits is no whole number that a setting could have.
    fn visit_u64<E: Error>(self, _: u64) -> Result<Literal, E> {
        Ok(Literal::Float(f64::INFINITY))
    }

    fn visit_i128<E: Error>(self, _: i128) -> Result<Literal, E> {
        Ok(Literal::Float(f64::INFINITY))
    }

    fn visit_u128<E: Error>(self, _: u128) -> Result<Literal, E> {
        Ok(Literal::Float(f64::INFINITY))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Literal, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element()? {
            values.push(value);
        }
        Ok(Literal::List(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut table: A) -> Result<Literal, A::Error> {
        let mut entries = Entries::new();
        while let Some(entry) = table.next_entry()? {
            entries.push(entry);
        }
        Ok(Literal::Table(entries))
    }
}
