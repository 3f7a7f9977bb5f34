//! Looking into one record: the values of chosen properties, still as the text that was sent.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::json;
use crate::model::cell::Cell;

/// One record on its way to an output.
#[derive(Clone, Copy)]
pub enum Record<'a> {
    /// As the service sent it: the text of one JSON object, or of one JSON string where the shape says so. Unknown
    /// properties are kept.
    Sent(&'a str),
    /// Our own values, one for each of the columns, in their order.
    Cells(&'a [Cell<'a>]),
    /// Our own values for the first columns, and the service's JSON object for the others.
    CellsAndSent(&'a [Cell<'a>], &'a str),
}

/// Fields to show, and where the value of each is found in a record.
pub(super) struct Selection {
    names: Vec<String>,
    /// Where each stands among all fields, and so among the cells of a record of our own.
    places: Vec<usize>,
    is_text: bool,
}

impl Selection {
    /// Of a field that the record has twice the later one is meant, unless the name is asked for as often. `is_text`:
    /// the records are bare strings, and each is the value of the only field.
    pub(super) fn new(names: Vec<String>, all: &[&str], is_text: bool) -> Self {
        let mut places: Vec<usize> = Vec::with_capacity(names.len());
        for (index, name) in names.iter().enumerate() {
            let mut known = (0..all.len()).filter(|place| all[*place] == name);
            let is_last = !names[index + 1..].contains(name);
            let free = known.clone().find(|place| !places.contains(place));
            let place = if is_last { known.next_back() } else { free };
            places.push(place.unwrap_or(usize::MAX));
        }
        Self { names, places, is_text }
    }

    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// The values of the fields; [`Cell::Null`] where the record has none.
    pub(super) fn cells<'a>(&self, record: Record<'a>) -> Result<Vec<Cell<'a>>, serde_json::Error> {
        match record {
            Record::Cells(cells) => Ok(self.places.iter().map(|place| lent(cells, *place)).collect()),
            Record::Sent(json) if self.is_text => Ok(vec![Cell::Sent(Cow::Borrowed(check_string(json)?))]),
            Record::Sent(json) => Ok(pick(json, &self.names)?.into_iter().map(sent).collect()),
            Record::CellsAndSent(cells, json) => {
                let picked = pick(json, &self.names)?.into_iter().zip(&self.places);
                let cells = picked.map(|(value, place)| cells.get(*place).map_or_else(|| sent(value), Cell::lend));
                Ok(cells.collect())
            }
        }
    }
}

fn lent<'a>(cells: &'a [Cell<'a>], place: usize) -> Cell<'a> {
    cells.get(place).map_or(Cell::Null, Cell::lend)
}

fn sent(value: Option<&str>) -> Cell<'_> {
    value.map_or(Cell::Null, |json| Cell::Sent(Cow::Borrowed(json)))
}

/// The raw value of each named property of a JSON object, `None` where it has no such property. Of a property that
/// stands there twice the later one counts, unless the name is asked for as often.
fn pick<'a>(record: &'a str, names: &[String]) -> Result<Vec<Option<&'a str>>, serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_str(record);
    let picked = Picker { names }.deserialize(&mut reader)?;
    reader.end()?;
    Ok(picked)
}

/// What a table or CSV cell says: a text, nothing for null, a number or boolean as it was written, and compact JSON for
/// what is nested.
pub(super) fn text_of<'a>(cell: &'a Cell<'_>) -> Cow<'a, str> {
    match cell {
        Cell::Null => Cow::Borrowed(""),
        Cell::Text(text) => Cow::Borrowed(text),
        Cell::Sent(json) => text_of_sent(json.trim_ascii()),
        Cell::Number(number) => Cow::Owned(number.to_string()),
        Cell::Ratio(ratio) if !ratio.is_finite() => Cow::Borrowed(""),
        Cell::Ratio(_) | Cell::Flag(_) => Cow::Owned(json::of_cell(cell)),
    }
}

fn text_of_sent(value: &str) -> Cow<'_, str> {
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
    check(record, '"', "not a JSON string")
}

/// The one JSON object that a record is.
pub(super) fn check_object(record: &str) -> Result<&str, serde_json::Error> {
    check(record, '{', "not a JSON object")
}

fn check<'r>(record: &'r str, first: char, refusal: &str) -> Result<&'r str, serde_json::Error> {
    let raw = serde_json::from_str::<&RawValue>(record)?.get();
    if raw.starts_with(first) { Ok(raw) } else { Err(serde_json::Error::custom(refusal)) }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::model::fuzz::fuzz;
    use crate::model::sanitize::is_hidden;

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
            json::append(&mut pretty, &text, Some(1));
            for again in [&compact, &pretty] {
                assert_eq!(serde_json::from_str::<Value>(again).expect("still JSON"), value);
                assert!(!again.chars().any(|c| c != '\n' && is_hidden(c)), "{again:?}");
            }
            let Ok(picked) = pick(&text, &names) else { return (value.is_object(), 1) };
            for (name, picked) in names.iter().zip(picked) {
                let read = picked.map(|text| serde_json::from_str::<Value>(text).expect("a value"));
                assert_eq!(read.as_ref(), value.get(name));
                if let Some(Value::String(text)) = &read {
                    assert_eq!(text_of(&sent(picked)), *text);
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
        let shown = |json| text_of(&sent(json)).into_owned();
        assert_eq!(shown(None), "");
        assert_eq!(shown(Some("null")), "");
        assert_eq!(shown(Some("1.50e3")), "1.50e3");
        assert_eq!(shown(Some("true")), "true");
        assert_eq!(shown(Some(r#""a\nb\"c\u00e9""#)), "a\nb\"cé");
        assert_eq!(shown(Some("[1, {\"a\" : 2}]")), "[1,{\"a\":2}]");
        let own = [Cell::from("x"), Cell::from(7), Cell::from(0.5), Cell::from(f64::NAN), Cell::from(true), Cell::Null];
        assert_eq!(own.each_ref().map(text_of), ["x", "7", "0.5", "", "true", ""]);
    }

    #[test]
    fn of_a_column_that_stands_there_twice_each_is_shown_and_the_later_is_meant() {
        let cells = [Cell::from("first"), Cell::from(1), Cell::from("second")];
        let texts = |chosen: &[&str]| {
            let selection = Selection::new(names(chosen), &["a", "b", "a"], false);
            let cells = selection.cells(Record::Cells(&cells)).expect("cells");
            cells.iter().map(|cell| text_of(cell).into_owned()).collect::<Vec<_>>()
        };
        assert_eq!(texts(&["a", "b", "a"]), ["first", "1", "second"]);
        assert_eq!(texts(&["a"]), ["second"]);
        assert_eq!(texts(&["c"]), [""]);
    }

    #[test]
    fn our_own_cells_stand_before_what_was_sent_and_are_not_overruled() {
        let cells = [Cell::from("Demo")];
        let selection = Selection::new(names(&["id", "project"]), &["project", "id"], false);
        let cells = selection.cells(Record::CellsAndSent(&cells, r#"{"id":7,"project":"other"}"#)).expect("a record");
        assert_eq!(cells.iter().map(text_of).collect::<Vec<_>>(), ["7", "Demo"]);
    }
}
