//! Tables: a line a record where its ids fit the terminal, else a block of lines.

use std::io::Write;

use comfy_table::presets::NOTHING;
use comfy_table::{ColumnConstraint, ContentArrangement, Row, Width};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::columns::Field;
use super::console::{BOLD, BOLD_RED, painted};
use super::options::Output;
use super::record::{AsRecord, Cell};
use crate::model::results::is_flagged;
use crate::model::show::visible;
use crate::model::time::{local, of_service};

/// Blanks between two columns.
const GAP: usize = 2;
/// A shortened column keeps at least this width: less of a name says nothing.
const NARROWEST: usize = 8;
/// Off a terminal one huge cell does not fill every row with blanks.
const WIDEST: usize = 1_000;

/// A field as a column.
struct Column {
    field: Field,
    width: usize,
    is_time: bool,
    /// Half an id, a time or a result is of no use.
    is_whole: bool,
    is_result: bool,
}

/// Records are walked twice: to measure, and to print. None print nothing.
pub(super) fn write(output: &Output, records: &[&dyn AsRecord], out: &mut dyn Write) -> anyhow::Result<()> {
    let by_default = if output.shape.is_list() { output.columns.table } else { output.columns.all };
    let fields = output.chosen.clone().unwrap_or_else(|| output.columns.fields(by_default));
    let mut columns: Vec<Column> = fields.iter().map(|field| Column::new(output, *field)).collect();
    for record in records {
        for (column, cell) in columns.iter_mut().zip(record.cells(&fields)?) {
            column.width = column.width.max(column.shown(&cell)?.width());
        }
    }
    let fits = output.shape.is_list() && fit(&mut columns, output.width);
    if fits && output.has_header && !records.is_empty() {
        let names = fields.iter().map(|field| field.name.to_owned()).collect();
        let line = laid_out(names, &columns);
        writeln!(out, "{}", if output.colors { painted(BOLD, &line) } else { line })?;
    }
    records.iter().enumerate().try_for_each(|(at, record)| {
        let shown = columns.iter().zip(record.cells(&fields)?).map(|(column, cell)| column.shown(&cell));
        let shown: Vec<String> = shown.collect::<anyhow::Result<_>>()?;
        if fits {
            return write_row(shown, &columns, out);
        }
        if at > 0 {
            writeln!(out)?;
        }
        write_block(&shown, &columns, output.has_header, out)
    })
}

impl Column {
    fn new(output: &Output, field: Field) -> Self {
        let is_time = output.width.is_some() && field.is_time();
        Self {
            field,
            width: if output.has_header { field.name.width() } else { 0 },
            is_time,
            is_whole: is_time || field.is_whole() || field.is_result(),
            is_result: output.colors && field.is_result(),
        }
    }

    fn shown(&self, cell: &Cell<'_>) -> anyhow::Result<String> {
        let text = cell.text()?;
        let time = if self.is_time { of_service(&text).map(local) } else { None };
        Ok(time.unwrap_or_else(|| visible(&text).into_owned()))
    }

    /// An empty cell says nothing.
    fn is_red(&self, shown: &str) -> bool {
        self.is_result && !shown.is_empty() && is_flagged(shown)
    }
}

/// Narrows the widest columns that may be shortened until a row fits the terminal; `false` where it cannot.
fn fit(columns: &mut [Column], terminal: Option<usize>) -> bool {
    let Some(terminal) = terminal else {
        for column in columns.iter_mut().filter(|column| !column.is_whole) {
            column.width = column.width.min(WIDEST);
        }
        return true;
    };
    while columns.iter().map(|column| column.width + GAP).sum::<usize>() > terminal + GAP {
        let flexible = columns.iter_mut().filter(|column| !column.is_whole && column.width > NARROWEST);
        let Some(widest) = flexible.max_by_key(|column| column.width) else { return false };
        widest.width -= 1;
    }
    true
}

fn write_row(cells: Vec<String>, columns: &[Column], out: &mut dyn Write) -> anyhow::Result<()> {
    let reds = columns.iter().zip(&cells).position(|(column, cell)| column.is_red(cell));
    let line = laid_out(cells, columns);
    let Some(at) = reds else { return Ok(writeln!(out, "{line}")?) };
    let start = columns[..at].iter().map(|column| column.width + GAP).sum();
    let (before, rest) = line.split_at(byte_at(&line, start));
    let (cell, after) = rest.split_at(byte_at(rest, columns[at].width));
    Ok(writeln!(out, "{before}{}{after}", painted(BOLD_RED, cell))?)
}

/// A row as one line, each cell in a column of its width; what is longer is shortened with `…`.
fn laid_out(cells: Vec<String>, columns: &[Column]) -> String {
    let mut row = Row::from(cells);
    row.max_height(1);
    let mut table = comfy_table::Table::new();
    table.load_style(NOTHING).set_content_arrangement(ContentArrangement::Disabled).add_row(row);
    let narrow = |width: usize| u16::try_from(width).unwrap_or(u16::MAX);
    for (laid, column) in table.column_iter_mut().zip(columns) {
        let width = ColumnConstraint::Absolute(Width::Fixed(narrow(column.width + GAP)));
        laid.set_padding((0, narrow(GAP))).set_constraint(width);
    }
    table.lines().map(|line| line.trim_end().to_owned()).collect()
}

/// Where in a line a column of the terminal begins.
fn byte_at(line: &str, column: usize) -> usize {
    let mut taken = 0;
    let begins = |(_, c): &(usize, char)| {
        let is_there = taken >= column;
        taken += c.width().unwrap_or(0);
        is_there
    };
    line.char_indices().find(begins).map_or(line.len(), |(at, _)| at)
}

/// A line a field.
fn write_block(cells: &[String], columns: &[Column], has_header: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    let longest = columns.iter().map(|column| column.field.name.width()).max().unwrap_or(0);
    for (column, cell) in columns.iter().zip(cells) {
        let name = if has_header { format!("{:longest$}  ", column.field.name) } else { String::new() };
        let cell = if column.is_red(cell) { painted(BOLD_RED, cell) } else { cell.clone() };
        writeln!(out, "{}", format!("{name}{cell}").trim_end())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::{output, printed, sent};
    use super::*;
    use crate::model::format::Format;
    use crate::output::Shape;

    const PEOPLE: [&str; 2] = [
        r#"{"id":4711,"email":"anna.schneider-lindqvist@hospital.example","fullName":"王小明 Anna Schneider-Lindqvist","result":"HighRisk","dateCompleted":"2026-03-01T06:00:00Z"}"#,
        r#"{"id":4712,"email":"b@x.example","fullName":"Bo\u001b[1m","result":"Completed","dateCompleted":null}"#,
    ];

    fn table(width: Option<usize>, fields: &str, people: &[&str]) -> String {
        printed(&Output { width, ..output(Format::Table, fields) }, &sent(people))
    }

    #[test]
    fn off_a_terminal_nothing_is_cut_and_times_are_as_sent() {
        let expected = "\
id    email                                      fullName                         result     dateCompleted
4711  anna.schneider-lindqvist@hospital.example  王小明 Anna Schneider-Lindqvist  HighRisk   2026-03-01T06:00:00Z
4712  b@x.example                                Bo\\u{1b}[1m                      Completed
";
        assert_eq!(table(None, "", &PEOPLE), expected);
        assert_eq!(table(None, "", &[]), "");
    }

    #[test]
    fn a_terminal_gets_rows_of_its_width_with_whole_ids_and_results_and_local_times() {
        for width in [60, 80, 140] {
            let shown = table(Some(width), "id,email,fullName,result", &PEOPLE);
            assert_eq!(shown.lines().count(), 3, "{shown}");
            assert!(shown.lines().all(|line| line.width() <= width), "{shown}");
            assert!(shown.contains("4711") && shown.contains("…") == (width < 140), "{shown}");
        }
        let long = r#"{"id":1,"fullName":"Anna Schneider-Lindqvist","result":"CouldNotCompleteNpServerIssues"}"#;
        assert!(table(Some(50), "id,fullName,result", &[long]).contains("…  CouldNotCompleteNpServerIssues"));
        let time = local(of_service("2026-03-01T06:00:00Z").expect("a time"));
        assert!(table(Some(140), "", &PEOPLE).contains(&time));
    }

    #[test]
    fn where_the_ids_do_not_fit_each_record_is_a_block() {
        let long = format!(r#"{{"id":1,"referenceId":"{}"}}"#, "E".repeat(50));
        let shown = table(Some(40), "id,referenceId", &[&long, r#"{"id":2}"#]);
        assert_eq!(shown, format!("id           1\nreferenceId  {}\n\nid           2\nreferenceId\n", "E".repeat(50)));
        let one = Output { shape: Shape::One, has_header: false, ..output(Format::Table, "id,email") };
        assert_eq!(printed(&one, &sent(&PEOPLE[1..])), "4712\nb@x.example\n");
    }

    #[test]
    fn off_a_terminal_only_an_id_may_be_as_long_as_it_is() {
        let long = "E".repeat(1_500);
        let people = [format!(r#"{{"referenceId":"{long}"}}"#), format!(r#"{{"fullName":"{long}"}}"#)];
        let shown = table(None, "fullName,referenceId", &[&people[0], &people[1]]);
        let lines: Vec<&str> = shown.lines().collect();
        assert!(lines[1].ends_with(&long) && lines[2].ends_with('…') && lines[2].width() == WIDEST, "{shown}");
    }

    #[test]
    fn what_is_flagged_is_red_and_nothing_else() {
        let colored = Output { colors: true, ..output(Format::Table, "fullName,result,id") };
        let shown = printed(&colored, &sent(&PEOPLE));
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[0], "\x1b[1mfullName                         result     id\x1b[0m");
        assert_eq!(lines[1], "王小明 Anna Schneider-Lindqvist  \x1b[1;31mHighRisk \x1b[0m  4711");
        assert_eq!(lines[2], "Bo\\u{1b}[1m                      Completed  4712");
        let block = printed(&Output { shape: Shape::One, ..colored }, &sent(&PEOPLE[..1]));
        assert!(block.contains("result    \x1b[1;31mHighRisk\x1b[0m\n"), "{block}");
    }

    proptest! {
        #[test]
        fn rows_are_never_wider_than_the_terminal(
            names in prop::collection::vec(r"[\PC\x00-\x1f]{0,40}", 1..6),
            width in 34usize..140,
        ) {
            let records: Vec<_> = names.iter().map(|name| {
                vec![Cell::Json(1.into()), name.as_str().into(), None::<i64>.into(), name.as_str().into()]
            }).collect();
            let shown = printed(&Output { width: Some(width), ..output(Format::Table, "id,email,fullName") }, &records);
            prop_assert_eq!(shown.lines().count(), names.len() + 1);
            prop_assert!(shown.lines().all(|line| line.width() <= width), "{}", shown);
        }
    }
}
