//! Tables: a line a record where its ids fit the terminal, else a block of lines.

use std::io::Write;

use comfy_table::presets::NOTHING;
use comfy_table::{ColumnConstraint, ContentArrangement, Row, Width};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::columns::Field;
use super::console::{bold, red};
use super::options::Output;
use super::record::{Cell, Record, Records};
use crate::model::show::visible;
use crate::model::time::{local, of_service};

/// Blanks between two columns.
const GAP: usize = 2;
/// A column that may be shortened keeps so much: less of a name says nothing.
const NARROWEST: usize = 8;
/// Off a terminal one huge cell does not fill every row with blanks.
const WIDEST: usize = 1_000;
/// Rows that are laid out at a time: enough to be quick, few enough for memory.
const BLOCK: usize = 1_000;

struct Column {
    field: Field,
    width: usize,
    /// Ids and times say nothing when they are shortened.
    is_whole: bool,
}

/// Records are walked twice: to measure, and to print. None print nothing.
pub(super) fn write(output: &Output, records: &dyn Records, out: &mut dyn Write) -> anyhow::Result<()> {
    let by_default = if output.shape.is_list() { output.columns.table } else { output.columns.all };
    let fields = output.chosen.clone().unwrap_or_else(|| output.columns.fields(by_default));
    let mut columns: Vec<Column> = fields.iter().map(|field| Column::new(output, *field)).collect();
    let mut is_empty = true;
    records.each(&mut |record| {
        is_empty = false;
        for (column, cell) in columns.iter_mut().zip(shown(output, &record, &fields)?) {
            column.width = column.width.max(cell.width());
        }
        Ok(())
    })?;
    if is_empty {
        return Ok(());
    }
    if output.shape.is_list() && fit(&mut columns, output.width) {
        return write_lines(output, records, &columns, out);
    }
    write_blocks(output, records, &fields, out)
}

impl Column {
    fn new(output: &Output, field: Field) -> Self {
        let is_time = output.width.is_some() && output.columns.times.contains(&field.name);
        let is_whole = is_time || output.columns.ids.contains(&field.name);
        Self { field, width: if output.has_header { field.name.width() } else { 0 }, is_whole }
    }
}

/// The cells of a record as a table shows them.
fn shown(output: &Output, record: &Record<'_>, fields: &[Field]) -> anyhow::Result<Vec<String>> {
    let show = |(field, cell): (&Field, Cell<'_>)| {
        let text = cell.text()?;
        let is_time = output.width.is_some() && output.columns.times.contains(&field.name);
        let time = if is_time { of_service(&text).map(local) } else { None };
        Ok(time.unwrap_or_else(|| visible(&text).into_owned()))
    };
    fields.iter().zip(record.cells(fields)?).map(show).collect()
}

/// Narrows the widest columns that may be shortened until a row fits the terminal; `false` where it cannot.
fn fit(columns: &mut [Column], terminal: Option<usize>) -> bool {
    let Some(terminal) = terminal else {
        columns.iter_mut().for_each(|column| column.width = column.width.min(WIDEST));
        return true;
    };
    loop {
        let gaps = GAP * columns.len().saturating_sub(1);
        let too_much = (columns.iter().map(|column| column.width).sum::<usize>() + gaps).saturating_sub(terminal);
        let flexible = columns.iter_mut().filter(|column| !column.is_whole && column.width > NARROWEST);
        match flexible.max_by_key(|column| column.width) {
            _ if too_much == 0 => return true,
            Some(widest) => widest.width -= 1,
            None => return false,
        }
    }
}

fn write_lines(output: &Output, records: &dyn Records, columns: &[Column], out: &mut dyn Write) -> anyhow::Result<()> {
    let fields: Vec<Field> = columns.iter().map(|column| column.field).collect();
    if output.has_header {
        let names = fields.iter().map(|field| field.name.to_owned()).collect();
        for line in laid_out(vec![names], columns) {
            writeln!(out, "{}", if output.colors { bold(&line) } else { line.into() })?;
        }
    }
    let mut rows = Vec::new();
    records.each(&mut |record| {
        rows.push(shown(output, &record, &fields)?);
        if rows.len() == BLOCK { write_rows(output, std::mem::take(&mut rows), columns, out) } else { Ok(()) }
    })?;
    write_rows(output, rows, columns, out)
}

fn write_rows(output: &Output, rows: Vec<Vec<String>>, columns: &[Column], out: &mut dyn Write) -> anyhow::Result<()> {
    let at = columns.iter().position(|column| is_red_field(output, column.field));
    let reds: Vec<bool> = rows.iter().map(|row| at.is_some_and(|at| is_red(output, &row[at]))).collect();
    for (line, is_red) in laid_out(rows, columns).iter().zip(reds) {
        match at.filter(|_| is_red) {
            Some(at) => {
                let start = columns[..at].iter().map(|column| column.width + GAP).sum();
                let (before, rest) = line.split_at(byte_at(line, start));
                let (cell, after) = rest.split_at(byte_at(rest, columns[at].width));
                writeln!(out, "{before}{}{after}", red(cell))?;
            }
            None => writeln!(out, "{line}")?,
        }
    }
    Ok(())
}

/// The lines of these rows, each cell in a column of its width; what is longer is shortened with `…`.
fn laid_out(rows: Vec<Vec<String>>, columns: &[Column]) -> Vec<String> {
    let mut table = comfy_table::Table::new();
    table.load_style(NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    for row in rows {
        let mut row = Row::from(row);
        row.max_height(1);
        table.add_row(row);
    }
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

/// A line a field, an empty one between records.
fn write_blocks(output: &Output, records: &dyn Records, fields: &[Field], out: &mut dyn Write) -> anyhow::Result<()> {
    let longest = fields.iter().map(|field| field.name.width()).max().unwrap_or(0);
    let mut is_first = true;
    records.each(&mut |record| {
        if !std::mem::replace(&mut is_first, false) {
            writeln!(out)?;
        }
        for (field, cell) in fields.iter().zip(shown(output, &record, fields)?) {
            let is_red = is_red_field(output, *field) && is_red(output, &cell);
            let cell = if is_red { red(&cell) } else { cell };
            let name = if output.has_header { format!("{:longest$}  ", field.name) } else { String::new() };
            writeln!(out, "{}", format!("{name}{cell}").trim_end())?;
        }
        Ok(())
    })
}

fn is_red_field(output: &Output, field: Field) -> bool {
    output.colors && output.columns.red.is_some_and(|(name, _)| name == field.name)
}

/// An empty cell says nothing.
fn is_red(output: &Output, cell: &str) -> bool {
    !cell.is_empty() && output.columns.red.is_some_and(|(_, is_red)| is_red(cell))
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
    fn a_terminal_gets_rows_of_its_width_with_whole_ids_and_local_times() {
        for width in [60, 80, 140] {
            let shown = table(Some(width), "id,email,fullName,result", &PEOPLE);
            assert_eq!(shown.lines().count(), 3, "{shown}");
            assert!(shown.lines().all(|line| line.width() <= width), "{shown}");
            assert!(shown.contains("4711") && shown.contains("…") == (width < 140), "{shown}");
        }
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
                vec![Cell::Int(1), name.as_str().into(), Cell::Null, name.as_str().into()]
            }).collect();
            let shown = printed(&Output { width: Some(width), ..output(Format::Table, "id,email,fullName") }, &records);
            prop_assert_eq!(shown.lines().count(), names.len() + 1);
            prop_assert!(shown.lines().all(|line| line.width() <= width), "{}", shown);
        }
    }
}
