//! From checked options and records to bytes: one function a format.

use std::cell::Cell as Slot;
use std::io::Write;

use anyhow::Context as _;

use super::columns::{Field, Shape};
use super::options::Output;
use super::place::Place;
use super::record::{Record, Records};
use super::{csv, json, table, xlsx};
use crate::model::format::Format;
use crate::model::show::visible;
use crate::model::text::counted;

/// What came of printing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Printed {
    /// Records printed, as far as their reader took them.
    pub count: usize,
    /// `false` where the reader of a pipe left before the end: nothing may be remembered as told.
    pub is_whole: bool,
}

/// Records that are counted on each walk.
struct Counted<'a> {
    records: &'a dyn Records,
    count: Slot<usize>,
}

impl Records for Counted<'_> {
    fn each(&self, take: &mut dyn FnMut(Record<'_>) -> anyhow::Result<()>) -> anyhow::Result<()> {
        self.count.set(0);
        self.records.each(&mut |record| {
            self.count.set(self.count.get() + 1);
            take(record)
        })
    }
}

impl Output {
    /// Prints all records. A file is replaced as a whole; a reader who left is no error.
    pub fn print(&self, records: &dyn Records) -> anyhow::Result<Printed> {
        let records = Counted { records, count: Slot::new(0) };
        let is_whole = self.place.write(|out| self.write(&records, out))?;
        let count = records.count.get();
        let (one, many) = self.columns.noun;
        match &self.place {
            Place::File(path) if is_whole && self.jq.is_none() => {
                self.console.note(&format!("{} in {}", counted(count, one, many), path.display()));
            }
            Place::Stdout if is_whole && count == 0 => self.console.note(&format!("no {many}")),
            _ => {}
        }
        Ok(Printed { count, is_whole })
    }

    pub(super) fn write(&self, records: &dyn Records, out: &mut dyn Write) -> anyhow::Result<()> {
        if let Some(jq) = &self.jq {
            let mut document = Vec::new();
            json::write(self, records, &mut document)?;
            return jq.run(&document, self.width.is_some(), out);
        }
        if self.only_names {
            return self.write_names(records, out);
        }
        match self.format {
            // A single text is for `$(…)`: without a header, and without quotes of CSV.
            Format::Table | Format::Csv if self.shape == Shape::Text => {
                records.each(&mut |record| self.write_line(&record.text()?, out))
            }
            Format::Table => table::write(self, records, out),
            Format::Csv => csv::write(self, records, out),
            Format::Json => json::write(self, records, out),
            Format::Ndjson => json::write_lines(self, records, out),
            Format::Xlsx => xlsx::write(self, records, out),
        }
    }

    /// One line a record, in the form that other commands take.
    fn write_names(&self, records: &dyn Records, out: &mut dyn Write) -> anyhow::Result<()> {
        if self.shape.is_text() {
            return records.each(&mut |record| self.write_line(&record.text()?, out));
        }
        let prefixes: Vec<&str> = self.columns.quiet.iter().map(|(prefix, _)| *prefix).collect();
        let names: Vec<&str> = self.columns.quiet.iter().map(|(_, name)| *name).collect();
        let fields: Vec<Field> = self.columns.fields(&names);
        records.each(&mut |record| {
            for (prefix, cell) in prefixes.iter().zip(record.cells(&fields)?) {
                let text = cell.text()?;
                if !text.is_empty() {
                    return self.write_line(&format!("{prefix}{text}"), out);
                }
            }
            prefixes.is_empty().then_some(()).context("a record has no field by which -q could name it")
        })
    }

    fn write_line(&self, text: &str, out: &mut dyn Write) -> anyhow::Result<()> {
        let text = if self.width.is_some() { visible(text) } else { text.into() };
        Ok(writeln!(out, "{text}")?)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{output, printed, sent};
    use super::*;
    use crate::model::talk::Talk;
    use crate::output::{Columns, Console, OutputArgs};

    const PEOPLE: [&str; 3] = [
        r#"{"id":7,"email":"a@x.example","referenceId":"E-1"}"#,
        r#"{"email":"b@x.example","referenceId":"E-2"}"#,
        r#"{"email":"c@x.example","referenceId":null}"#,
    ];

    #[test]
    fn quiet_prints_what_names_each_record() {
        let quiet = Output { only_names: true, ..output(Format::Csv, "") };
        assert_eq!(printed(&quiet, &sent(&PEOPLE)), "id:7\nref:E-2\nemail:c@x.example\n");
        assert!(quiet.write(&sent(&["{}"]), &mut Vec::new()).is_err(), "nobody is left out in silence");
        let bulk = Output { columns: Columns { quiet: &[], ..quiet.columns }, ..quiet.clone() };
        assert_eq!(printed(&bulk, &sent(&PEOPLE)), "");
        let texts = Output { shape: Shape::Texts, ..quiet };
        assert_eq!(printed(&texts, &sent(&[r#""https:\/\/a""#])), "https://a\n");
    }

    #[test]
    fn quiet_leaves_what_was_asked_for_as_it_is() {
        let console = Console::new(Talk { quiet: true, ..Talk::default() });
        let only_names = |args: OutputArgs| {
            args.check(&console, None, &output(Format::Csv, "").columns, Shape::Many).expect("good").only_names
        };
        assert!(only_names(OutputArgs::default()));
        assert!(!only_names(OutputArgs { output: Some(Format::Json), ..OutputArgs::default() }));
        assert!(!only_names(OutputArgs { fields: Some(vec!["id".into()]), ..OutputArgs::default() }));
    }

    #[test]
    fn one_text_is_bare_and_a_string_in_json() {
        let shown = |format, shape| printed(&Output { shape, ..output(format, "") }, &["https://a/?b=\"c\",d"]);
        assert_eq!(shown(Format::Csv, Shape::Text), "https://a/?b=\"c\",d\n");
        assert_eq!(shown(Format::Table, Shape::Text), "https://a/?b=\"c\",d\n");
        assert_eq!(shown(Format::Json, Shape::Text), "\"https://a/?b=\\\"c\\\",d\"\n");
        assert_eq!(shown(Format::Json, Shape::Texts), "[\n  \"https://a/?b=\\\"c\\\",d\"\n]\n");
    }

    #[test]
    fn a_file_holds_all_and_the_records_are_counted_once() {
        let folder = tempfile::tempdir().expect("a folder");
        for format in [Format::Csv, Format::Table, Format::Json, Format::Ndjson, Format::Xlsx] {
            let path = folder.path().join("out");
            let filed = Output { place: Place::File(path.clone()), ..output(format, "") };
            assert_eq!(filed.print(&sent(&PEOPLE)).expect("printed"), Printed { count: 3, is_whole: true });
            assert!(crate::files::has_content(&path), "{format:?}");
        }
    }
}
