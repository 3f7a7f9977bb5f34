//! Records as CSV (RFC 4180): exact in files and pipes, without hidden characters on a terminal.

use std::borrow::Cow;
use std::io::{self, Write};
use std::panic::resume_unwind;
use std::thread;

use super::columns::Field;
use super::options::Output;
use super::record::AsRecord;
use crate::model::show::visible;
use crate::model::spreadsheet::{BYTE_ORDER_MARK, escape};

/// Records that one thread makes lines of at a time. A second one helps with longer lists, of which nothing else takes as long.
const OF_A_THREAD: usize = 4 << 10;

/// What a text becomes.
type Change = fn(&str) -> Cow<'_, str>;

pub(super) fn write(output: &Output, records: &[&dyn AsRecord], out: &mut dyn Write) -> anyhow::Result<()> {
    if output.excel {
        out.write_all(BYTE_ORDER_MARK.as_bytes())?;
    }
    let fields = output.fields();
    if output.has_header {
        let mut header = ::csv::Writer::from_writer(&mut *out);
        header.write_record(fields.iter().map(|field| field.name)).map_err(cause)?;
        header.flush()?;
    }
    let as_it_is: Change = |text| text.into();
    let escape = if output.excel { escape } else { as_it_is };
    let visible = if output.width.is_some() { visible } else { as_it_is };
    for records in records.chunks(2 * OF_A_THREAD) {
        let (one, other) = records.split_at(records.len().min(OF_A_THREAD));
        let both = thread::scope(|scope| {
            let others = || lines(&fields, other, [escape, visible]);
            let helper = thread::Builder::new().spawn_scoped(scope, others);
            let one = lines(&fields, one, [escape, visible]);
            // Where no thread can be had, this one does both.
            [one, helper.map_or_else(|_| others(), |helper| helper.join().unwrap_or_else(|panic| resume_unwind(panic)))]
        });
        for lines in both {
            out.write_all(&lines?)?;
        }
    }
    Ok(())
}

/// Records as lines.
fn lines(fields: &[Field], records: &[&dyn AsRecord], [escape, visible]: [Change; 2]) -> anyhow::Result<Vec<u8>> {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    for record in records {
        for cell in record.cells(fields)? {
            writer.write_field(visible(&escape(&cell.text()?)).as_bytes()).map_err(cause)?;
        }
        writer.write_record(None::<&[u8]>).map_err(cause)?;
    }
    Ok(writer.into_inner().map_err(::csv::IntoInnerError::into_error)?)
}

/// What the disk or the pipe said.
fn cause(error: ::csv::Error) -> io::Error {
    match error.into_kind() {
        ::csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::{output, printed, sent};
    use super::*;
    use crate::model::format::Format;

    #[test]
    fn a_long_list_is_in_its_order() {
        let ids: Vec<String> = (0..5 * OF_A_THREAD).map(|id| id.to_string()).collect();
        assert_eq!(printed(&output(Format::Csv, "id"), &ids), format!("id\n{}\n", ids.join("\n")));
    }

    #[test]
    fn csv_has_the_known_columns_and_quotes_what_needs_it() {
        let records = sent(&[
            r#"{"fullName":"A, \"B\"\nC","id":1,"new":[1]}"#,
            r#"{"id":2.50,"fullName":null,"result":{"x": true},"email":"\u001b[1m"}"#,
        ]);
        let csv = output(Format::Csv, "id,fullName,result,email");
        let expected = "id,fullName,result,email\n1,\"A, \"\"B\"\"\nC\",,\n2.50,,\"{\"\"x\"\":true}\",\u{1b}[1m\n";
        assert_eq!(printed(&csv, &records), expected);
        let on_terminal = printed(&Output { width: Some(80), ..csv }, &records);
        assert!(on_terminal.contains("C\",,") && on_terminal.contains("\\u{1b}[1m"), "{on_terminal}");
    }

    #[test]
    fn no_records_leave_a_header_and_an_only_empty_field_is_quoted() {
        assert_eq!(
            printed(&output(Format::Csv, ""), &sent(&[])),
            "id,email,referenceId,fullName,result,dateCompleted\n"
        );
        let bare = Output { has_header: false, ..output(Format::Csv, "email") };
        assert_eq!(printed(&bare, &sent(&["{}"])), "\"\"\n");
    }

    #[test]
    fn excel_gets_a_byte_order_mark_and_no_formula() {
        let excel = Output { excel: true, ..output(Format::Csv, "email,fullName") };
        let shown = printed(&excel, &sent(&[r#"{"email":"=1+1","fullName":"a=b"}"#]));
        assert_eq!(shown, "\u{feff}email,fullName\n'=1+1,a=b\n");
    }

    proptest! {
        #[test]
        fn every_text_comes_back_byte_for_byte(names in prop::collection::vec(any::<String>(), 1..5)) {
            let records: Vec<_> = names.iter().map(|name| vec![1.into(), "".into(), "".into(), name.as_str().into()]).collect();
            let shown = printed(&output(Format::Csv, "fullName,id"), &records);
            let mut reader = ::csv::Reader::from_reader(shown.as_bytes());
            let back: Vec<String> = reader.records().map(|row| row.expect("a row")[0].to_owned()).collect();
            prop_assert_eq!(back, names);
        }
    }
}
