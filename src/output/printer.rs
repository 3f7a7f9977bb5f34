//! The one way to standard output and `--to`: records wait until all are there, so that output is whole or empty.

use std::path::Path;

use super::body::Body;
use super::delivery::{deliver, refuse_closed};
use super::filter::Masked;
use super::options::Options;
use super::record::{Record, Selection, text_of};
use super::spool::Spool;
use super::terminal::{stdout_is_terminal, terminal_width};
use super::widths::Show;
use super::{Columns, Error, Shape};
use crate::model::cell::Cell;
use crate::model::counted::counted;
use crate::model::output_format::Format;

/// Takes records and prints them all at [`finish`](Self::finish). Dropped before that it prints nothing, and the file of
/// `--to` stays as it was.
pub struct Printer {
    body: Body,
    options: Options,
    show: Show,
    /// All fields of a record, by which it is masked.
    all: Selection,
    /// How many records were taken, and what they are called.
    count: usize,
    noun: (String, String),
    /// What is said of none, and whether a script hears of it too.
    none: String,
    is_none_noted: bool,
    /// The fields of a record, as far as they are known.
    fields: Vec<String>,
}

impl Printer {
    /// Checks `--fields` and `--to` before anything is asked of the service, so that a slip cannot follow a write.
    pub fn new(columns: &Columns<'_>, shape: Shape, options: &Options) -> Result<Self, Error> {
        options.check_target()?;
        if options.jq.is_some() && options.format != Format::Json {
            return Err(Error::NotForJq);
        }
        if options.excel && options.format != Format::Csv {
            return Err(Error::NotForSpreadsheets(options.format));
        }
        if !options.header && matches!(options.format, Format::Json | Format::Ndjson) {
            return Err(Error::NoHeader(options.format));
        }
        let named = options.fields.as_deref().map(|fields| columns.check(fields)).transpose()?;
        let fields = named.clone().unwrap_or_else(|| columns.every());
        if let Some(jq) = options.jq.as_deref().filter(|_| !shape.is_text()) {
            jq.check(&fields, shape.is_list(), options.is_write)?;
        }
        if options.to.is_none() && !options.is_account {
            refuse_closed().map_err(Error::Stdout)?;
        }
        let show = Show {
            width: if options.to.is_none() { terminal_width() } else { None },
            // The name of an only value says nothing, and stands in the way of `$(…)`.
            header: options.header && shape != Shape::OneString,
            color: options.color && options.to.is_none(),
            blocks: !shape.is_list(),
        };
        let noun = columns.noun();
        Ok(Self {
            body: Body::new(columns, (shape, named), options, show)?,
            options: options.clone(),
            show,
            all: Selection::new(columns.every(), columns.names(), shape.is_text()),
            count: 0,
            none: format!("no {}", noun.1),
            noun,
            is_none_noted: false,
            fields,
        })
    }

    /// Says where the records would stand, if there are none: ` in Demo (sandbox)`. On a terminal alone, unless the
    /// place is a guess: then a script hears of it too.
    #[must_use]
    pub fn at(self, place: &str, is_guessed: bool) -> Self {
        let none = format!("no {}{place}", self.noun.1);
        self.when_none(none, is_guessed)
    }

    /// What is said if there are no records: on a terminal alone, unless it is noted for scripts too.
    #[must_use]
    pub fn when_none(self, said: String, is_noted: bool) -> Self {
        Self { none: said, is_none_noted: is_noted, ..self }
    }

    /// Takes one record.
    pub fn push(&mut self, record: Record<'_>) -> Result<(), Error> {
        self.count += 1;
        let Some(mask) = &self.options.mask else { return self.body.push(record) };
        let cells = self.all.cells(record)?;
        let texts: Vec<_> = cells.iter().map(text_of).collect();
        let masked = mask.mask(self.all.names(), &texts);
        let shown = cells.iter().zip(masked).map(|(cell, masked)| match masked {
            // What is nested in a field that is known is not known.
            Masked::Kept if !matches!(cell, Cell::Sent(json) if json.trim_start().starts_with(['{', '['])) => {
                cell.lend()
            }
            Masked::Text(text) => text.into(),
            Masked::Kept | Masked::Gone => Cell::Null,
        });
        self.body.push(Record::Cells(&shown.collect::<Vec<_>>()))
    }

    /// Prints everything. A closed pipe is no error, a full disk is one.
    pub fn finish(self) -> Result<(), Error> {
        self.finish_whole().map(|_| ())
    }

    /// Prints everything, and says whether all of it was taken: `false` where the reader closed the pipe before.
    pub fn finish_whole(self) -> Result<bool, Error> {
        let Self { body, options, show, count, noun: (one, many), none, is_none_noted, fields, .. } = self;
        if is_none_noted && count == 0 {
            options.console.note(&none);
        }
        // A header over nothing looks as if something were missing.
        if show.width.is_some() && count == 0 && matches!(body, Body::Table { .. }) {
            if !is_none_noted {
                options.console.aside(&none);
            }
            return Ok(true);
        }
        // The write itself was not held up by that. A table is for eyes: without a reader it is not missed.
        if options.is_account && options.to.is_none() && options.format != Format::Table {
            refuse_closed().map_err(Error::Stdout)?;
        }
        let whole = write(body, show, &options, &fields)?;
        // How many results an expression has is its own affair.
        if let Some(to) = options.to.filter(|_| options.jq.is_none()) {
            options.console.aside(&format!("{} in {}", counted(count, &one, &many), to.display()));
        }
        Ok(whole)
    }
}

/// Writes everything to its target, or what `--jq` makes of it, and says whether all of it was taken.
fn write(body: Body, show: Show, options: &Options, fields: &[String]) -> Result<bool, Error> {
    let (to, until) = (options.to.as_deref(), options.until);
    let spool = match body {
        Body::Table { table, .. } => return deliver(to, until, |out| table.write(show, out)),
        Body::Xlsx(xlsx) => return deliver(to, until, |out| xlsx.write(out)),
        Body::Json(json) => json.end(),
        Body::Csv(csv) => csv.end(),
    };
    let mut reading = spool.and_then(Spool::read_back).map_err(Error::Spool)?;
    if let Some(filter) = &options.jq {
        let mut results = Spool::new();
        let text = reading.text().map_err(Error::Spool)?;
        filter.run(&text, &mut results)?;
        filter.check_output(fields, &text)?;
        reading = results.read_back().map_err(Error::Spool)?;
    }
    // JSON has no hidden characters; a table has escaped them already.
    let is_escaped = to.is_none() && stdout_is_terminal();
    deliver(to, until, |out| if is_escaped { reading.copy_escaped(out) } else { reading.copy(out) })
}

/// Prints a text at once, with a line end where it has none: a server's address, a completion script.
pub fn print_now(text: &str) -> Result<(), Error> {
    let end = if text.ends_with('\n') { "" } else { "\n" };
    deliver(None, None, |out| out.write_all(text.as_bytes()).and_then(|()| out.write_all(end.as_bytes()))).map(|_| ())
}

/// Prints a text, or writes it to the file of `--to`. There it is said what was written where, by its name: `report`.
pub fn print_whole(options: &Options, name: &str, text: &str) -> Result<(), Error> {
    let Some(to) = &options.to else { return print_now(text) };
    write_whole(to, text)?;
    options.console.aside(&format!("{name} written to {}", to.display()));
    Ok(())
}

/// Writes a text to a file that it replaces as a whole.
pub fn write_whole(to: &Path, text: &str) -> Result<(), Error> {
    deliver(Some(to), None, |out| out.write_all(text.as_bytes())).map(|_| ())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use std::path::PathBuf;

    use super::*;
    use crate::model::cell::Cell;

    const COLUMNS: Columns<'static> = Columns::of(&["id", "name", "extra"]).in_table(&["id", "name"]);
    const RECORDS: [&str; 2] =
        [r#"{"id":1,"name":"A, \"B\"\nC","new":[1, 2.50]}"#, r#" {"name":null,"id":2,"extra":{"x": true}} "#];

    /// What a file of `--to` holds after these records were printed.
    fn printed(shape: Shape, records: &[&str], options: &Options) -> String {
        let columns = if shape.is_text() { Columns::of(&["redirectUri"]) } else { COLUMNS };
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out");
        let options = Options { to: Some(path.clone()), ..options.clone() };
        let mut printer = Printer::new(&columns, shape, &options).expect("good options");
        for record in records {
            printer.push(Record::Sent(record)).expect("a record");
        }
        printer.finish().expect("printed");
        std::fs::read_to_string(path).expect("the file")
    }

    fn options(format: Format, fields: &[&str]) -> Options {
        let fields = fields.iter().map(ToString::to_string).collect::<Vec<_>>();
        Options { format, fields: (!fields.is_empty()).then_some(fields), ..Options::default() }
    }

    #[test]
    fn json_is_what_the_server_sent_laid_out_anew() {
        let expected = r#"[
  {
    "id": 1,
    "name": "A, \"B\"\nC",
    "new": [
      1,
      2.50
    ]
  },
  {
    "name": null,
    "id": 2,
    "extra": {
      "x": true
    }
  }
]
"#;
        assert_eq!(printed(Shape::Many, &RECORDS, &options(Format::Json, &[])), expected);
        assert_eq!(printed(Shape::One, &["{\"id\":1}"], &options(Format::Json, &[])), "{\n  \"id\": 1\n}\n");
    }

    #[test]
    fn ndjson_is_one_record_a_line() {
        let expected = "{\"id\":1,\"name\":\"A, \\\"B\\\"\\nC\",\"new\":[1,2.50]}\n\
                        {\"name\":null,\"id\":2,\"extra\":{\"x\":true}}\n";
        assert_eq!(printed(Shape::Many, &RECORDS, &options(Format::Ndjson, &[])), expected);
    }

    #[test]
    fn chosen_fields_stand_in_the_order_asked_for_and_what_is_missing_is_null() {
        let shown = printed(Shape::Many, &RECORDS, &options(Format::Ndjson, &["extra", "id"]));
        assert_eq!(shown, "{\"extra\":null,\"id\":1}\n{\"extra\":{\"x\":true},\"id\":2}\n");
        let shown = printed(Shape::Many, &RECORDS, &options(Format::Csv, &["extra", "id"]));
        assert_eq!(shown, "extra,id\n,1\n\"{\"\"x\"\":true}\",2\n");
    }

    #[test]
    fn csv_quotes_what_needs_it_and_changes_no_text() {
        let expected = "id,name,extra\n1,\"A, \"\"B\"\"\nC\",\n2,,\"{\"\"x\"\":true}\"\n";
        assert_eq!(printed(Shape::Many, &RECORDS, &options(Format::Csv, &[])), expected);
        let bare = Options { header: false, ..options(Format::Csv, &["name"]) };
        assert_eq!(printed(Shape::Many, &RECORDS[1..], &bare), "\"\"\n");
    }

    #[test]
    fn a_table_shows_the_default_fields_of_a_list_and_all_of_one_record() {
        let expected = "id  name\n1   A, \"B\"\\nC\n2\n";
        assert_eq!(printed(Shape::Many, &RECORDS, &options(Format::Table, &[])), expected);
        let expected = "id     2\nname\nextra  {\"x\":true}\n";
        assert_eq!(printed(Shape::One, &RECORDS[1..], &options(Format::Table, &[])), expected);
    }

    #[test]
    fn bare_strings_have_a_column_and_stay_strings_in_json() {
        let links = [r#""https:\/\/a""#, r#""b""#];
        let shown = |format, fields: &[&str]| printed(Shape::Strings, &links, &options(format, fields));
        assert_eq!(shown(Format::Table, &[]), "redirectUri\nhttps://a\nb\n");
        assert_eq!(shown(Format::Csv, &["redirectUri"]), "redirectUri\nhttps://a\nb\n");
        assert_eq!(shown(Format::Json, &["redirectUri"]), "[\n  \"https:\\/\\/a\",\n  \"b\"\n]\n");
        assert_eq!(shown(Format::Ndjson, &[]), "\"https:\\/\\/a\"\n\"b\"\n");
        assert_eq!(printed(Shape::OneString, &links[1..], &options(Format::Json, &[])), "\"b\"\n");
        assert_eq!(printed(Shape::OneString, &links[1..], &options(Format::Table, &[])), "b\n");
    }

    #[test]
    fn our_own_values_stand_before_what_the_service_sent_in_every_format() {
        let shown = |cells: &[Cell<'_>], sent: &str, format, fields: &[&str]| {
            let folder = tempfile::tempdir().expect("a folder");
            let options = Options { to: Some(folder.path().join("out")), ..options(format, fields) };
            let columns = Columns::of(&["project", "count", "id"]);
            let mut printer = Printer::new(&columns, Shape::Many, &options).expect("good options");
            printer.push(Record::CellsAndSent(cells, sent)).expect("a record");
            printer.finish().expect("printed");
            std::fs::read_to_string(folder.path().join("out")).expect("the file")
        };
        let own = [Cell::from("A \"B\""), Cell::from(7)];
        let sent = " { \"id\": 1, \"new\":[2.50] } ";
        let line = "{\"project\":\"A \\\"B\\\"\",\"count\":7,\"id\":1,\"new\":[2.50]}\n";
        assert_eq!(shown(&own, sent, Format::Ndjson, &[]), line);
        assert_eq!(shown(&own, "{}", Format::Ndjson, &["id", "count"]), "{\"id\":null,\"count\":7}\n");
        assert_eq!(shown(&[], sent, Format::Ndjson, &[]), "{\"id\":1,\"new\":[2.50]}\n");
        assert_eq!(shown(&own[1..], "{}", Format::Ndjson, &[]), "{\"project\":7}\n");
        assert_eq!(shown(&own, sent, Format::Csv, &[]), "project,count,id\n\"A \"\"B\"\"\",7,1\n");
        assert_eq!(shown(&own, sent, Format::Table, &["id", "project"]), "id  project\n1   A \"B\"\n");
    }

    #[test]
    fn an_empty_list_is_an_empty_array_nothing_or_a_header() {
        let shown = |format| printed(Shape::Many, &[], &options(format, &[]));
        assert_eq!(shown(Format::Json), "[]\n");
        assert_eq!(shown(Format::Ndjson), "");
        assert_eq!(shown(Format::Csv), "id,name,extra\n");
        assert_eq!(shown(Format::Table), "id  name\n");
    }

    #[test]
    fn without_a_finish_the_file_stays_as_it_was() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out");
        std::fs::write(&path, "old").expect("written");
        let options = Options { to: Some(path.clone()), ..options(Format::Json, &[]) };
        let mut printer = Printer::new(&COLUMNS, Shape::Many, &options).expect("good options");
        printer.push(Record::Sent(RECORDS[0])).expect("a record");
        assert!(printer.push(Record::Sent("[1]")).is_err());
        drop(printer);
        assert_eq!(std::fs::read_to_string(&path).expect("the file"), "old");
    }

    #[test]
    fn a_target_that_cannot_be_meant_is_refused_before_anything_is_asked() {
        let folder = tempfile::tempdir().expect("a folder");
        for to in [PathBuf::new(), folder.path().to_owned(), folder.path().join("no/out.csv")] {
            let options = Options { to: Some(to), ..Options::default() };
            assert!(matches!(Printer::new(&COLUMNS, Shape::One, &options), Err(Error::Target { .. })));
        }
    }

    #[test]
    fn the_ending_of_a_file_names_the_format_unless_it_is_named() {
        let of = |to: &str, named| {
            let options = Options { format: Format::Json, ..Options::default() }.to(Some(to.into()), named);
            (options.format, options.is_format_unknown)
        };
        for (to, format) in [("a.CSV", Format::Csv), ("a.ndjson", Format::Ndjson), ("a.txt", Format::Table)] {
            assert_eq!(of(to, None), (format, false), "{to}");
            assert_eq!(of(to, Some(Format::Json)), (Format::Json, false), "{to}");
        }
        for to in ["people", "a.dat", ".csv", "a.csv/b"] {
            assert_eq!(of(to, None), (Format::Json, true), "{to}");
            assert_eq!(of(to, Some(Format::Csv)), (Format::Csv, false), "{to}");
        }
        let standard = Options::default().to(Some("-".into()), None);
        assert!(standard.to.is_none() && !standard.is_format_unknown);
        #[cfg(unix)]
        assert_eq!(of("/dev/stdout", None), (Format::Json, false));
    }

    #[test]
    fn what_is_no_record_is_refused_in_every_format() {
        for format in [Format::Table, Format::Csv, Format::Json, Format::Ndjson] {
            let mut printer = Printer::new(&COLUMNS, Shape::Many, &options(format, &[])).expect("good options");
            for foreign in ["", "[]", "\"a\"", "{\"id\":}", "{} {}"] {
                assert!(matches!(printer.push(Record::Sent(foreign)), Err(Error::Record(_))), "{format:?} {foreign}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn csv_gives_every_text_back_byte_for_byte(names in prop::collection::vec(any::<String>(), 1..5)) {
            let records: Vec<String> = names.iter().map(|name| serde_json::json!({"name": name}).to_string()).collect();
            let records: Vec<&str> = records.iter().map(String::as_str).collect();
            let shown = printed(Shape::Many, &records, &options(Format::Csv, &["name", "id"]));
            let mut reader = csv::Reader::from_reader(shown.as_bytes());
            let back: Vec<String> = reader.records().map(|row| row.unwrap()[0].to_owned()).collect();
            prop_assert_eq!(back, names);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_an_error() {
        let options = Options { to: Some("/dev/full".into()), ..options(Format::Json, &[]) };
        let printer = Printer::new(&COLUMNS, Shape::Many, &options).expect("good options");
        let error = printer.finish().expect_err("a full disk");
        let chain = format!("{:#}", anyhow::Error::from(error));
        assert!(chain.starts_with("cannot write to /dev/full: No space left"), "{chain}");
    }
}
