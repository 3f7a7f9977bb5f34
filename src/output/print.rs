//! From checked options and records to bytes: one function a format.

use std::io::Write;
use std::path::Path;

use super::columns::{Field, Shape};
use super::options::{Output, View};
use super::place::Place;
use super::record::AsRecord;
use super::{csv, json, table, xlsx};
use crate::files;
use crate::model::format::Format;
use crate::model::show::visible;
use crate::model::text::counted;

impl Output {
    /// Prints all records; a single one with the fields that it has. A file is replaced as a whole. A reader who left is no
    /// error: `false`, and nothing may be remembered as reported.
    pub fn print<T: AsRecord>(&self, records: &[T]) -> anyhow::Result<bool> {
        let (count, is_json) = (records.len(), matches!(self.format, Format::Json | Format::Ndjson));
        let one = records.first().filter(|_| self.shape == Shape::One && self.chosen.is_none() && !is_json);
        let present = one.map(|one| (one as &dyn AsRecord).present(&self.columns)).transpose()?;
        let shown = Self { chosen: present.or_else(|| self.chosen.clone()), ..self.clone() };
        let is_whole = self.place.write(|out| shown.write(records, out))?;
        let (one, many) = self.columns.noun;
        match &self.place {
            Place::File(path) if is_whole && !matches!(self.view, View::Jq(_)) => {
                self.console.note(&format!("{} in {}", counted(count, one, many), path.display()));
            }
            Place::Stdout if is_whole && count == 0 => self.console.note(&format!("no {many}")),
            _ => {}
        }
        Ok(is_whole)
    }

    /// The file of `--to`, if it holds more, by its bytes or lines, than no records would leave in it.
    pub fn full_file(&self) -> anyhow::Result<Option<&Path>> {
        // Reading a pipe that only this program writes would never end.
        let Place::File(path) = &self.place else { return Ok(None) };
        if files::is_stream(path) {
            return Ok(None);
        }
        let mut empty = Vec::new();
        self.write::<String>(&[], &mut empty)?;
        let lines = |text: &[u8]| text.split(|byte| *byte == b'\n').count();
        // A header that was shorter may have had records below it.
        let has_more_lines = || files::read(path, empty.len() as u64).is_ok_and(|old| lines(&old) > lines(&empty));
        let is_full = files::is_longer(path, empty.len())? || has_more_lines();
        Ok(is_full.then_some(path))
    }

    pub(super) fn write<T: AsRecord>(&self, records: &[T], out: &mut dyn Write) -> anyhow::Result<()> {
        let records: &[&dyn AsRecord] = &records.iter().map(|record| record as &dyn AsRecord).collect::<Vec<_>>();
        match &self.view {
            View::All => {}
            View::Names => return self.write_names(records, out),
            View::Jq(jq) => {
                let mut document = Vec::new();
                json::write(self, records, &mut document)?;
                return jq.run(&document, self.width.is_some(), out);
            }
        }
        match self.format {
            // A single text is for `$(…)`: without a header, and without quotes of CSV.
            Format::Table | Format::Csv if self.shape == Shape::Text => {
                records.iter().try_for_each(|record| self.write_line(&record.text()?, out))
            }
            Format::Table => table::write(self, records, out),
            Format::Csv => csv::write(self, records, out),
            Format::Json => json::write(self, records, out),
            Format::Ndjson => json::write_lines(self, records, out),
            Format::Xlsx => xlsx::write(self, records, out),
        }
    }

    /// One line a record, in the form that other commands take.
    fn write_names(&self, records: &[&dyn AsRecord], out: &mut dyn Write) -> anyhow::Result<()> {
        if self.shape.is_text() {
            return records.iter().try_for_each(|record| self.write_line(&record.text()?, out));
        }
        let names = self.columns.quiet.iter().filter_map(|(prefix, name)| Some((*prefix, self.columns.find(name)?)));
        let (prefixes, fields): (Vec<&str>, Vec<Field>) = names.unzip();
        let name = |record: &&dyn AsRecord| {
            for (prefix, cell) in prefixes.iter().zip(record.cells(&fields)?) {
                let text = cell.text()?;
                if !text.is_empty() {
                    return Ok(format!("{prefix}{text}"));
                }
            }
            anyhow::bail!("a record has no field by which -q could name it")
        };
        // All of them, or none.
        let names: Vec<String> = records.iter().map(name).collect::<anyhow::Result<_>>()?;
        names.iter().try_for_each(|name| self.write_line(name, out))
    }

    fn write_line(&self, text: &str, out: &mut dyn Write) -> anyhow::Result<()> {
        let text = if self.width.is_some() { visible(text) } else { text.into() };
        Ok(writeln!(out, "{text}")?)
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::super::tests::{output, printed, sent};
    use super::*;
    use crate::model::talk::Talk;
    use crate::output::{Cell, Console, OutputArgs};

    const PEOPLE: [&str; 3] = [
        r#"{"id":7,"email":"a@x.example","referenceId":"E-1"}"#,
        r#"{"email":"b@x.example","referenceId":"E-2"}"#,
        r#"{"email":"c@x.example","referenceId":null}"#,
    ];

    #[test]
    fn quiet_prints_what_names_each_record() {
        let quiet = Output { view: View::Names, ..output(Format::Csv, "") };
        assert_eq!(printed(&quiet, &sent(&PEOPLE)), "id:7\nref:E-2\nemail:c@x.example\n");
        assert!(quiet.write(&sent(&["{}"]), &mut Vec::new()).is_err(), "nobody is left out in silence");
        let texts = Output { shape: Shape::Texts, ..quiet };
        assert_eq!(printed(&texts, &sent(&[r#""https:\/\/a""#])), "https://a\n");
    }

    #[test]
    fn quiet_leaves_what_was_asked_for_as_it_is() {
        let console = Console::new(Talk { quiet: true, ..Talk::default() });
        let only_names = |args: OutputArgs| {
            let checked = args.check(&console, None, &output(Format::Csv, "").columns, Shape::Many).expect("good");
            matches!(checked.view, View::Names)
        };
        assert!(only_names(OutputArgs::default()));
        assert!(!only_names(OutputArgs { output: Some(Format::Json), ..OutputArgs::default() }));
        assert!(!only_names(OutputArgs { fields: Some(vec!["id".into()]), ..OutputArgs::default() }));
    }

    #[test]
    fn one_text_is_bare_and_a_string_in_json() {
        let shown =
            |format, shape| printed(&Output { shape, ..output(format, "") }, &[r#"https://a/?b="c",d"#.to_owned()]);
        assert_eq!(shown(Format::Csv, Shape::Text), "https://a/?b=\"c\",d\n");
        assert_eq!(shown(Format::Table, Shape::Text), "https://a/?b=\"c\",d\n");
        assert_eq!(shown(Format::Json, Shape::Text), "\"https://a/?b=\\\"c\\\",d\"\n");
        assert_eq!(shown(Format::Json, Shape::Texts), "[\n  \"https://a/?b=\\\"c\\\",d\"\n]\n");
    }

    /// A pipe whose reader left.
    struct Left;

    impl Write for Left {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_reader_who_left_is_known_in_each_format() {
        let many: Vec<Vec<Cell<'_>>> = (0..5_000_i64).map(|id| vec![id.into(), "a@x.example".into()]).collect();
        for format in [Format::Csv, Format::Table, Format::Json, Format::Ndjson, Format::Xlsx] {
            let error = output(format, "id,email").write(&many, &mut Left).expect_err("nobody reads");
            let kind = error.downcast_ref::<io::Error>().map(io::Error::kind);
            assert_eq!(kind, Some(io::ErrorKind::BrokenPipe), "{format:?}");
        }
    }

    #[test]
    fn a_file_holds_all_records_in_each_format() {
        let folder = tempfile::tempdir().expect("a folder");
        for format in [Format::Csv, Format::Table, Format::Json, Format::Ndjson, Format::Xlsx] {
            let path = folder.path().join("out");
            let filed = Output { place: Place::File(path.clone()), ..output(format, "") };
            assert!(filed.print(&sent(&PEOPLE)).expect("printed"), "{format:?}");
            assert!(crate::files::is_longer(&path, 0).is_ok_and(|has| has), "{format:?}");
        }
    }
}
