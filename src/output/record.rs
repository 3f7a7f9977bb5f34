//! Looking into one record: the values of chosen properties, still as the text that was sent.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::json;

/// The raw value of each named property of a JSON object, `None` where it has no such property. Of a property that
/// stands there twice the later one counts, unless the name is asked for as often.
pub(super) fn pick<'a>(record: &'a str, names: &[String]) -> Result<Vec<Option<&'a str>>, serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_str(record);
    let picked = Picker { names }.deserialize(&mut reader)?;
    reader.end()?;
    Ok(picked)
}

/// What a table or CSV cell says: a string's text, nothing for null, a number or boolean as it was written, and
/// compact JSON for what is nested.
pub(super) fn cell(value: Option<&str>) -> Cow<'_, str> {
    let value = value.unwrap_or("null").trim();
    match value.as_bytes().first() {
        Some(b'"') => json::text_of(value),
        Some(b'{' | b'[') => Cow::Owned(json::compact(value)),
        _ if value == "null" => Cow::Borrowed(""),
        _ => Cow::Borrowed(value),
    }
}

struct Picker<'n> {
    names: &'n [String],
}

impl<'de> DeserializeSeed<'de> for Picker<'_> {
    type Value = Vec<Option<&'de str>>;
    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Self::Value, D::Error> {
        reader.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Picker<'_> {
    type Value = Vec<Option<&'de str>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut picked = vec![None; self.names.len()];
        while let Some(place) = map.next_key_seed(Place { names: self.names, picked: &picked })? {
            match place.and_then(|place| picked.get_mut(place)) {
                Some(slot) => *slot = Some(map.next_value::<&RawValue>()?.get()),
                None => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(picked)
    }
}

/// Where the value of the next property belongs.
struct Place<'n, 'v> {
    names: &'n [String],
    picked: &'n [Option<&'v str>],
}

impl<'de> DeserializeSeed<'de> for Place<'_, '_> {
    type Value = Option<usize>;
    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Self::Value, D::Error> {
        reader.deserialize_str(self)
    }
}

impl Visitor<'_> for Place<'_, '_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a property")
    }

    fn visit_str<E: serde::de::Error>(self, key: &str) -> Result<Self::Value, E> {
        let named = |place: &usize| self.names[*place] == key;
        let free = (0..self.names.len()).filter(named).find(|place| self.picked[*place].is_none());
        Ok(free.or_else(|| (0..self.names.len()).rfind(named)))
    }

    fn visit_bytes<E: serde::de::Error>(self, _: &[u8]) -> Result<Self::Value, E> {
        Err(E::custom("a property's name is not text"))
    }
}

/// The one JSON string that a bare value is.
pub(super) fn check_string(record: &str) -> Result<&str, serde_json::Error> {
    let raw: &RawValue = serde_json::from_str(record)?;
    if raw.get().starts_with('"') { Ok(raw.get()) } else { Err(serde_json::Error::custom("not a JSON string")) }
}

/// The one JSON object that a record is.
pub(super) fn check_object(record: &str) -> Result<&str, serde_json::Error> {
    let raw: &RawValue = serde_json::from_str(record)?;
    if raw.get().starts_with('{') { Ok(raw.get()) } else { Err(serde_json::Error::custom("not a JSON object")) }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::super::door::is_hidden;
    use super::*;
    use crate::model::fuzz::fuzz;

    #[test]
    fn fuzzed_records_keep_every_value_or_are_refused() {
        let seeds: [&[u8]; 3] = [
            include_bytes!("../../tests/fixtures/fuzz/record.json"),
            include_bytes!("../../tests/fixtures/wire/test-taker.json"),
            include_bytes!("../../tests/fixtures/wire/result.json"),
        ];
        let words = ["null", "\"id\"", "\\u0069d", "{", "}", "[", "]", ":", ",", "\\\"", "1e9", "\\ud800", "\u{2028}"];
        let names = ["id", "email", "more", "lastName"].map(str::to_owned);
        fuzz(100_000, &seeds, &words, |bytes| {
            let text = String::from_utf8_lossy(bytes);
            let Ok(value) = serde_json::from_str::<Value>(&text) else {
                return (pick(&text, &names).is_ok(), 0);
            };
            let (compact, mut pretty) = (json::compact(&text), String::new());
            json::append_pretty(&mut pretty, &text, 1);
            for again in [&compact, &pretty] {
                assert_eq!(serde_json::from_str::<Value>(again).expect("still JSON"), value);
                assert!(!again.chars().any(|c| c != '\n' && is_hidden(c)), "{again:?}");
            }
            let Ok(picked) = pick(&text, &names) else { return (value.is_object(), 1) };
            for (name, picked) in names.iter().zip(picked) {
                let read = picked.map(|text| serde_json::from_str::<Value>(text).expect("a value"));
                assert_eq!(read.as_ref(), value.get(name));
                if let Some(Value::String(text)) = &read {
                    assert_eq!(cell(picked), *text);
                }
            }
            (true, 2 + value.as_object().map_or(0, serde_json::Map::len))
        });
    }

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn values_are_picked_by_name_in_the_order_asked_for() {
        let record = r#"{"id": 7.0, "x":{"id":1}, "name" : "A\u0041", "id2":null}"#;
        let picked = pick(record, &names(&["name", "id", "gone", "id2"])).expect("an object");
        assert_eq!(picked, [Some(r#""A\u0041""#), Some("7.0"), None, Some("null")]);
    }

    #[test]
    fn of_a_doubled_property_the_later_counts_unless_it_is_asked_for_as_often() {
        let record = r#"{"a":1,"a":2,"a":3}"#;
        assert_eq!(pick(record, &names(&["a"])).expect("an object"), [Some("3")]);
        assert_eq!(pick(record, &names(&["a", "a"])).expect("an object"), [Some("1"), Some("3")]);
    }

    #[test]
    fn what_is_no_object_is_refused() {
        for foreign in ["", "[]", "1", "{", r#"{"a":1} x"#, "null"] {
            assert!(pick(foreign, &names(&["a"])).is_err(), "{foreign}");
            assert!(check_object(foreign).is_err(), "{foreign}");
        }
        assert!(check_string("{}").is_err());
        assert_eq!(check_string(" \"a\" ").expect("a string"), "\"a\"");
    }

    #[test]
    fn a_cell_shows_text_literals_and_nested_values() {
        assert_eq!(cell(None), "");
        assert_eq!(cell(Some("null")), "");
        assert_eq!(cell(Some("1.50e3")), "1.50e3");
        assert_eq!(cell(Some("true")), "true");
        assert_eq!(cell(Some(r#""a\nb\"c\u00e9""#)), "a\nb\"cé");
        assert_eq!(cell(Some("[1, {\"a\" : 2}]")), "[1,{\"a\":2}]");
    }
}
