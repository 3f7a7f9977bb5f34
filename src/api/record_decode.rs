//! Reading one record, and saying which record and which field are wrong without quoting either.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

/// A record as we understand it, beside its text as it was sent. A text with half a surrogate pair in it, which no
/// Unicode string can hold, is mended first. The reason says where it does not fit.
pub(super) fn record<T: DeserializeOwned>(sent: &str) -> Result<(T, Cow<'_, str>), String> {
    let error = match serde_json::from_str(sent) {
        Ok(record) => return Ok((record, Cow::Borrowed(sent))),
        Err(error) => error,
    };
    let Some(mended) = mended(sent) else { return Err(misfit(sent, &error)) };
    match serde_json::from_str(&mended) {
        Ok(record) => Ok((record, Cow::Owned(mended))),
        Err(error) => Err(misfit(&mended, &error)),
    }
}

/// Which record does not fit, and in which field.
fn misfit(text: &str, error: &serde_json::Error) -> String {
    let fields: BTreeMap<String, &RawValue> = serde_json::from_str(text).unwrap_or_default();
    // An entry id or a uuid names no person; anything else might.
    let id = fields.get("id").map(|id| id.get().trim_matches('"'));
    let id = id.filter(|id| id.parse::<i64>().is_ok() || uuid::Uuid::parse_str(id).is_ok());
    let which = id.map_or_else(|| "a record".to_owned(), |id| format!("the record with id {id}"));
    let said = error.to_string();
    if let Some(name) = quoted_after(&said, "missing field `") {
        return format!("{which} has no {name}");
    }
    if let Some(name) = quoted_after(&said, "duplicate field `") {
        // Of two ids neither says which record it is.
        let which = if name == "id" { "a record" } else { which.as_str() };
        return format!("{which} has {name} twice");
    }
    let before: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let at = text.as_ptr() as usize + before + error.column();
    let begun = fields.iter().filter(|(_, value)| value.get().as_ptr() as usize <= at);
    match begun.max_by_key(|(_, value)| value.get().as_ptr() as usize) {
        Some((name, _)) if is_a_name(name) => {
            format!("in {which} the value of {name} is not what the specification shows")
        }
        _ => format!("{which} is not what the specification shows"),
    }
}

fn quoted_after<'s>(said: &'s str, start: &str) -> Option<&'s str> {
    said.strip_prefix(start)?.split_once('`').map(|(name, _)| name)
}

/// Whether a property is named as the specification names its own: what else a service puts there may be a value.
fn is_a_name(name: &str) -> bool {
    name.len() <= 40 && name.bytes().all(|b| b.is_ascii_alphabetic())
}

/// The text with U+FFFD for each escape of half a surrogate pair; `None` where there is none.
fn mended(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut is_mended = false;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        // Every escape is two bytes of ASCII, those of code units four more.
        let length = match (code_unit(rest), code_unit(rest.get(6..).unwrap_or_default())) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                out.push_str("\\ufffd");
                is_mended = true;
                rest = &rest[6..];
                continue;
            }
            (Some(_), _) => 6,
            (None, _) => 2,
        };
        out.push_str(rest.get(..length)?);
        rest = &rest[length..];
    }
    out.push_str(rest);
    is_mended.then_some(out)
}

/// The code unit of an escape that the text begins with.
fn code_unit(text: &str) -> Option<u16> {
    u16::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::projects::Project;
    use crate::model::testtakers::TestTaker;

    fn read<T: DeserializeOwned>(text: &str) -> Result<(T, String), String> {
        record(text).map(|(record, sent)| (record, sent.into_owned()))
    }

    fn refused(text: &str) -> String {
        read::<TestTaker>(text).map(|_| ()).expect_err("a misfit")
    }

    #[test]
    fn a_misfit_names_record_and_field_and_no_value() {
        let words = "in the record with id 17 the value of yearOfBirth is not what the specification shows";
        assert_eq!(refused(r#"{"id":17,"yearOfBirth":"Zoe","email":"zoe@example.com"}"#), words);
        assert_eq!(refused("{\n \"id\": 17,\n \"yearOfBirth\": 1.5}"), words);
        assert_eq!(refused(r#"{"email":"zoe@example.com"}"#), "a record has no id");
        assert_eq!(
            refused(r#"{"id":"zoe","email":"z"}"#),
            "in a record the value of id is not what the specification shows"
        );
        assert_eq!(refused(r#"{"id":17,"result":"HighRisk","result":null}"#), "the record with id 17 has result twice");
        assert_eq!(refused(r#"{"id":17,"id":18}"#), "a record has id twice");
        assert_eq!(refused("[1,2]"), "a record is not what the specification shows");
        let project = r#"{"id":"3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b690","name":7}"#;
        let words = "in the record with id 3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b690 the value of name is not what the \
                     specification shows";
        assert_eq!(read::<Project>(project).map(|_| ()), Err(words.to_owned()));
    }

    #[test]
    fn half_a_surrogate_pair_is_mended_and_a_whole_one_stays() {
        let (taker, sent) = read::<TestTaker>(r#"{"id":1,"firstName":"a\ud800\\b\ud83d\ude00"}"#).expect("read");
        assert_eq!(taker.first_name.as_deref(), Some("a\u{fffd}\\b😀"));
        assert!(sent.contains(r"a\ufffd\\b\ud83d\ude00"), "{sent}");
        let (taker, _) = read::<TestTaker>(r#"{"id":1,"lastName":"\udc00","firstName":"\\ud800"}"#).expect("read");
        assert_eq!((taker.last_name.as_deref(), taker.first_name.as_deref()), (Some("\u{fffd}"), Some("\\ud800")));
    }
}
