//! The text of a page: a JSON array, and where in it each record stands.

use std::ops::Range;
use std::string::FromUtf8Error;

use serde_json::value::RawValue;

/// A JSON array as it was sent. Its records are found without being copied.
pub(super) struct PageText {
    text: String,
    records: Vec<Range<usize>>,
}

impl PageText {
    /// Finds the records of a body, with or without a byte order mark; one that is no JSON array in UTF-8 is given back.
    pub(super) fn parse(body: Vec<u8>) -> Result<Self, Vec<u8>> {
        let text = String::from_utf8(body).map_err(FromUtf8Error::into_bytes)?;
        let array = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let Ok(values) = serde_json::from_str::<Vec<&RawValue>>(array) else { return Err(text.into_bytes()) };
        let place = |value: &&RawValue| {
            let start = value.get().as_ptr() as usize - text.as_ptr() as usize;
            start..start + value.get().len()
        };
        let records = values.iter().map(place).collect();
        Ok(Self { text, records })
    }

    /// All of it.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The text of each record.
    pub(super) fn records(&self) -> impl Iterator<Item = &str> {
        self.records.iter().map(|record| &self.text[record.clone()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_stand_where_they_were_sent() {
        let sent = "\u{feff} [ {\"a\": [1, \"]\"]} ,\"é\",\n2.50 ] ";
        let page = PageText::parse(sent.into()).unwrap_or_else(|_| panic!("no array"));
        assert_eq!(page.records().collect::<Vec<_>>(), ["{\"a\": [1, \"]\"]}", "\"é\"", "2.50"]);
        assert!(PageText::parse(b"[]".to_vec()).is_ok_and(|page| page.records().count() == 0));
    }

    #[test]
    fn what_is_no_array_is_given_back() {
        for body in [&b""[..], b"{}", b"[1", b"[1,]", b"[1] 2", b"[\"\xff\"]", b"\xff[]"] {
            assert_eq!(PageText::parse(body.to_vec()).err().as_deref(), Some(body));
        }
    }
}
