//! Records as a workbook: text cells only, so that no zero is lost and no formula runs.

use std::io::Write;

use rust_xlsxwriter::{DocProperties, ExcelDateTime, Format, Workbook, XlsxError};
use unicode_width::UnicodeWidthStr as _;

use super::options::Output;
use super::record::AsRecord;
use crate::model::verdict::{Failure, Verdict};

/// Characters that a column is wide at most.
const WIDEST: usize = 60;

/// The same records are the same bytes: no time of day is in them.
pub(super) fn write(output: &Output, records: &[&dyn AsRecord], out: &mut dyn Write) -> anyhow::Result<()> {
    let mut book = Workbook::new();
    let created = ExcelDateTime::from_ymd(2000, 1, 1).map_err(|error| failed(&error))?;
    book.set_properties(&DocProperties::new().set_creation_datetime(&created));
    fill(output, records, &mut book)?;
    let bytes = book.save_to_buffer().map_err(|error| failed(&error))?;
    Ok(out.write_all(&bytes)?)
}

fn fill(output: &Output, records: &[&dyn AsRecord], book: &mut Workbook) -> anyhow::Result<()> {
    let fields = output.fields();
    let mut widths: Vec<usize> = fields.iter().map(|field| field.name.width()).collect();
    let failed = |error| failed(&error);
    // In memory: the mode with a temporary file panics where that can't be written.
    let sheet = book.add_worksheet().set_name(output.columns.noun.1).map_err(failed)?;
    let mut row = 0;
    if output.has_header {
        sheet.set_freeze_panes(1, 0).map_err(failed)?;
        let bold = Format::new().set_bold();
        for (column, field) in (0..).zip(&fields) {
            sheet.write_string_with_format(row, column, field.name, &bold).map_err(failed)?;
        }
        row += 1;
    }
    for record in records {
        for ((column, width), cell) in (0..).zip(&mut widths).zip(record.cells(&fields)?) {
            let text = cell.text()?;
            *width = text.width().max(*width);
            sheet.write_string(row, column, &*text).map_err(failed)?;
        }
        row += 1;
    }
    for (column, width) in (0..).zip(widths) {
        let width = u8::try_from(width.min(WIDEST)).unwrap_or(u8::MAX);
        sheet.set_column_width(column, width).map_err(failed)?;
    }
    Ok(())
}

/// The library's error in our words: its own could quote what is written.
fn failed(error: &XlsxError) -> Failure {
    let refused = |why| Failure::new(Verdict::Refused, why).hint("add -o csv");
    match error {
        XlsxError::RowColumnLimitError => refused("a workbook has room for 1,048,576 rows, and there are more"),
        XlsxError::MaxStringLengthExceeded => {
            refused("a value is longer than the 32,767 characters of a workbook's cell")
        }
        _ => refused("the records cannot be written as a workbook"),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use calamine::{Data, Reader as _, Xlsx};
    use proptest::prelude::*;

    use super::super::tests::output;
    use super::*;
    use crate::model::format::Format as Kind;

    fn book(names: &[String], has_header: bool) -> Vec<u8> {
        let output = Output { has_header, ..output(Kind::Xlsx, "id,fullName") };
        let records: Vec<_> =
            names.iter().map(|name| vec!["00017".into(), "".into(), "".into(), name.as_str().into()]).collect();
        let mut out = Vec::new();
        output.write(&records, &mut out).expect("written");
        out
    }

    fn read(book: Vec<u8>) -> Vec<Vec<Data>> {
        let mut read = Xlsx::new(Cursor::new(book)).expect("a workbook");
        let range = read.worksheet_range("test takers").expect("a sheet");
        range.rows().map(<[Data]>::to_vec).collect()
    }

    #[test]
    fn cells_are_texts_below_a_header_and_the_same_records_are_the_same_bytes() {
        let made = book(&["=1+1".to_owned()], true);
        assert_eq!(made, book(&["=1+1".to_owned()], true));
        let text = |text: &str| Data::String(text.to_owned());
        assert_eq!(read(made), [[text("id"), text("fullName")], [text("00017"), text("=1+1")]]);
        assert_eq!(read(book(&[], true)).len(), 1);
        assert_eq!(read(book(&[], false)).len(), 0);
    }

    #[test]
    fn what_a_cell_cannot_hold_is_refused_in_our_words() {
        let records = [vec!["😀".repeat(16_384).into()]];
        let error = output(Kind::Xlsx, "").write(&records, &mut Vec::new()).expect_err("too long");
        let failure = error.downcast::<Failure>().expect("a failure");
        assert_eq!(failure.verdict, Verdict::Refused);
        assert!(failure.cause.contains("32,767"), "{failure}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn every_text_reads_back(names in prop::collection::vec(prop_oneof![r"\PC{1,12}", "[_x05FA\u{1}-\u{1f} <&>é]{1,12}"], 1..6)) {
            let back: Vec<String> = read(book(&names, false)).iter().map(|row| row[1].to_string()).collect();
            prop_assert_eq!(back, names);
        }
    }
}
