//! Records as JSON and NDJSON: what the service sent, in our layout, with hidden characters written as `\u`.

use std::io::Write;

use serde_json::Value;

use super::options::Output;
use super::record::AsRecord;
use super::visible::escaped;

/// JSON: an array of records, or the one record.
pub(super) fn write(output: &Output, records: &[&dyn AsRecord], out: &mut dyn Write) -> anyhow::Result<()> {
    if !output.shape.is_list() {
        return records.iter().try_for_each(|record| Ok(writeln!(out, "{}", pretty(&value(output, *record)?)?)?));
    }
    let mut before = "[\n  ";
    for record in records {
        let record = pretty(&value(output, *record)?)?.replace('\n', "\n  ");
        write!(out, "{before}{record}")?;
        before = ",\n  ";
    }
    Ok(out.write_all(if before.starts_with('[') { b"[]\n" } else { b"\n]\n" })?)
}

/// NDJSON: one record a line.
pub(super) fn write_lines(output: &Output, records: &[&dyn AsRecord], out: &mut dyn Write) -> anyhow::Result<()> {
    records.iter().try_for_each(|record| Ok(writeln!(out, "{}", escaped(&value(output, *record)?.to_string()))?))
}

fn value(output: &Output, record: &dyn AsRecord) -> anyhow::Result<Value> {
    if output.shape.is_text() {
        return Ok(Value::String(record.text()?));
    }
    record.json(&output.columns, output.chosen.as_deref())
}

fn pretty(value: &Value) -> anyhow::Result<String> {
    Ok(escaped(&serde_json::to_string_pretty(value)?).into_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::{output, printed, sent};
    use super::*;
    use crate::model::format::Format;
    use crate::model::show::is_hidden;
    use crate::output::{Cell, Shape};

    /// Our own first cell before what was sent.
    struct Mixed(&'static str, Box<serde_json::value::RawValue>);

    impl AsRecord for Mixed {
        fn own(&self) -> Vec<Cell<'_>> {
            vec![self.0.into()]
        }

        fn sent(&self) -> Option<&serde_json::value::RawValue> {
            Some(&self.1)
        }
    }

    #[test]
    fn json_is_what_was_sent_laid_out_with_unknown_fields_in_their_order() {
        let records = sent(&[r#"{"zeta":1,"id":7,"new":{"a":[1, 2.5]}}"#, r#" {"id":null} "#]);
        let expected = r#"[
  {
    "zeta": 1,
    "id": 7,
    "new": {
      "a": [
        1,
        2.5
      ]
    }
  },
  {
    "id": null
  }
]
"#;
        assert_eq!(printed(&output(Format::Json, ""), &records), expected);
        assert_eq!(printed(&output(Format::Json, ""), &sent(&[])), "[]\n");
        let one = Output { shape: Shape::One, ..output(Format::Json, "") };
        assert_eq!(printed(&one, &sent(&["{\"id\":1}"])), "{\n  \"id\": 1\n}\n");
        let lines = printed(&output(Format::Ndjson, ""), &records);
        assert_eq!(lines, "{\"zeta\":1,\"id\":7,\"new\":{\"a\":[1,2.5]}}\n{\"id\":null}\n");
    }

    #[test]
    fn chosen_fields_are_in_the_order_typed_and_a_missing_one_is_null() {
        let lines = printed(&output(Format::Ndjson, "email,id"), &sent(&[r#"{"id":1,"new":2}"#]));
        assert_eq!(lines, "{\"email\":null,\"id\":1}\n");
    }

    #[test]
    fn our_own_cells_are_first_and_are_not_overruled() {
        let [sent] = <[_; 1]>::try_from(sent(&[r#"{"x":1,"id":"theirs"}"#])).expect("one");
        let records = [Mixed("ours", sent)];
        assert_eq!(printed(&output(Format::Ndjson, ""), &records), "{\"id\":\"ours\",\"x\":1}\n");
        assert_eq!(printed(&output(Format::Csv, "id,email"), &records), "id,email\nours,\n");
        let own = [[f64::NAN.into(), (-1).into(), 0.5.into(), Value::Null].map(Cell::Json).to_vec()];
        let lines = printed(&output(Format::Ndjson, ""), &own);
        assert_eq!(lines, "{\"id\":null,\"email\":-1,\"referenceId\":0.5,\"fullName\":null}\n");
    }

    #[test]
    fn what_is_no_object_is_an_error_that_quotes_nothing() {
        for foreign in ["[\"hush\"]", "\"hush\"", "1", "{\"hush\":1e999}"] {
            let error = output(Format::Json, "").write(&sent(&[foreign]), &mut Vec::new()).expect_err("no object");
            assert!(!format!("{error:#}").contains("hush"), "{error:#}");
        }
    }

    proptest! {
        #[test]
        fn the_value_stays_and_nothing_hidden_is_in_it(
            texts in prop::collection::vec(r"(\PC|[\x00-\x1f\x7f\u{202e}\u{2028}\u{e0041}]){0,8}", 1..4),
            number in any::<i64>(),
        ) {
            let value = serde_json::json!({"id": number, "a": texts, &texts[0]: {"b": texts[0]}});
            let records = sent(&[&value.to_string()]);
            for format in [Format::Json, Format::Ndjson] {
                let shown = printed(&Output { shape: Shape::One, ..output(format, "") }, &records);
                prop_assert!(!shown.contains(|c| is_hidden(c) && c != '\n'));
                prop_assert_eq!(&serde_json::from_str::<Value>(&shown).expect("JSON"), &value);
            }
        }
    }
}
