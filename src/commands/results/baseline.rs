//! An earlier export as the other side of a comparison: CSV, JSON or NDJSON, record by record.

use std::cell::Cell;
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::Context as _;
use serde::de::{Deserializer as _, Error as _, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::commands::results::compare::Compared;
use crate::files::open_to_read;
use crate::model::failure::Failure;
use crate::model::projects::ProjectId;
use crate::model::pseudonym::{is_masked_address, is_masked_name};
use crate::model::spreadsheet::{BYTE_ORDER_MARK, unescape_formulas};

type Record = Map<String, Value>;

/// An export that was written earlier, opened and looked at.
pub struct Earlier {
    path: PathBuf,
    form: Form,
    /// It was written for a spreadsheet (`--excel`), which its byte order mark tells.
    excel: bool,
    /// How many bytes more the record that is read may have.
    left: Rc<Cell<u64>>,
}

/// More bytes than this has no record; a file without an end would fill the memory with one.
const LONGEST_RECORD: u64 = 16 << 20;

/// A file that ends with an error where a record is too long.
struct Rationed {
    file: File,
    left: Rc<Cell<u64>>,
}

impl Read for Rationed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        let left = self.left.get().checked_sub(read as u64);
        self.left.set(left.ok_or(io::ErrorKind::FileTooLarge)?);
        Ok(read)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Csv,
    Array,
    Lines,
}

impl Earlier {
    /// Opens an export, finds out its format by its first character, and narrows the comparison to its fields. One
    /// without the fields that tell people apart, or without results, is refused.
    pub fn open(path: &Path, compared: &mut Compared) -> anyhow::Result<Self> {
        let form = match first_character(path).map_err(|error| unreadable(path, &error))? {
            Some(b'[') => Form::Array,
            Some(b'{') => Form::Lines,
            Some(_) => Form::Csv,
            None => {
                return Err(Failure::usage(format!("{} is empty: there is nothing to compare with", path.display()))
                    .hint("run the export again")
                    .into());
            }
        };
        let excel = form == Form::Csv && is_marked(path).map_err(|error| unreadable(path, &error))?;
        let earlier = Self { path: path.to_owned(), form, excel, left: Rc::default() };
        if let Some(names) = earlier.names()? {
            let (key, result) = compared.key_and_result();
            if let Some(missing) = key.iter().chain([&result]).find(|field| names.iter().all(|name| name != **field)) {
                return Err(not_comparable(path, missing).into());
            }
            compared.only(|field| names.iter().any(|name| name == field));
        }
        earlier.refuse_pseudonyms()?;
        Ok(earlier)
    }

    /// Refuses a file that was made with `--mask`: everybody would look changed, and be told by name.
    fn refuse_pseudonyms(&self) -> anyhow::Result<()> {
        match self.each_record(|record| if is_masked(&record) { Err(Stop::Enough) } else { Ok(()) }) {
            Ok(()) => Ok(()),
            Err(Stop::Enough) => {
                let cause = format!("{} was made with --mask; nothing was sent", self.path.display());
                Err(Failure::usage(cause).hint("compare with an export that was made without --mask").into())
            }
            Err(Stop::Error(error)) => Err(error),
        }
    }

    /// The fields of its records; `None` where it has none.
    fn names(&self) -> anyhow::Result<Option<Vec<String>>> {
        if self.form == Form::Csv {
            let mut reader = self.csv()?;
            let headers = match reader.headers() {
                Ok(headers) => headers,
                Err(error) => {
                    let cause = format!("{} (line {})", self.unreadable(), csv_line(&error));
                    return Err(Failure::usage(cause).into());
                }
            };
            return Ok(Some(headers.iter().map(str::to_owned).collect()));
        }
        let mut names = None;
        let first = self.each_record(|record| {
            names = Some(record.keys().cloned().collect());
            Err(Stop::Enough)
        });
        match first {
            Err(Stop::Error(error)) => Err(error),
            Ok(()) | Err(Stop::Enough) => Ok(names),
        }
    }

    /// Gives each record, and its JSON text. Of an export of several projects those of this one: how many are of others. A
    /// file of others alone is refused, as everybody would look new.
    pub fn each(
        &self,
        project: ProjectId,
        mut take: impl FnMut(&Record, &str) -> anyhow::Result<()>,
    ) -> anyhow::Result<u64> {
        let project = project.to_string();
        let (mut own, mut others) = (0_u64, 0_u64);
        let ended = self.each_record(|record| {
            if record.get("projectId").is_some_and(|id| *id != project.as_str()) {
                others += 1;
                return Ok(());
            }
            own += 1;
            let json = serde_json::to_string(&record).map_err(|error| Stop::Error(error.into()))?;
            take(&record, &json).map_err(Stop::Error)
        });
        if let Err(Stop::Error(error)) = ended {
            return Err(error);
        }
        if own == 0 && others > 0 {
            let cause = format!("{} holds results of other projects alone", self.path.display());
            return Err(Failure::usage(cause).hint("name the project of the file with -p").into());
        }
        Ok(others)
    }

    fn each_record(&self, mut take: impl FnMut(Record) -> Result<(), Stop>) -> Result<(), Stop> {
        match self.form {
            Form::Csv => {
                let mut reader = self.csv().map_err(Stop::Error)?;
                let headers = reader.headers().map_err(|error| self.broken(csv_line(&error)))?.clone();
                for row in reader.records() {
                    let row = row.map_err(|error| self.broken(csv_line(&error)))?;
                    self.left.set(LONGEST_RECORD);
                    let cells =
                        headers.iter().map(str::to_owned).zip(row.iter().map(|cell| {
                            if self.excel { Value::from(unescape_formulas(cell)) } else { Value::from(cell) }
                        }));
                    take(cells.collect())?;
                }
                Ok(())
            }
            Form::Lines => {
                let records = serde_json::Deserializer::from_reader(self.file().map_err(Stop::Error)?).into_iter();
                for record in records {
                    self.left.set(LONGEST_RECORD);
                    take(record.map_err(|error| self.broken(error.line() as u64))?)?;
                }
                Ok(())
            }
            Form::Array => {
                let mut reader = serde_json::Deserializer::from_reader(self.file().map_err(Stop::Error)?);
                let mut stopped = None;
                let mut visitor = Records { take: &mut take, stopped: &mut stopped, left: &self.left };
                match (reader.deserialize_seq(&mut visitor), stopped) {
                    (_, Some(stop)) => Err(stop),
                    (Err(error), None) => Err(self.broken(error.line() as u64)),
                    (Ok(()), None) => Ok(()),
                }
            }
        }
    }

    fn file(&self) -> anyhow::Result<BufReader<Rationed>> {
        let file = open_to_read(&self.path).with_context(|| self.unreadable())?;
        self.left.set(LONGEST_RECORD);
        Ok(BufReader::new(Rationed { file, left: Rc::clone(&self.left) }))
    }

    fn csv(&self) -> anyhow::Result<csv::Reader<BufReader<Rationed>>> {
        Ok(csv::Reader::from_reader(self.file()?))
    }

    fn unreadable(&self) -> String {
        format!("{} cannot be read as an earlier export", self.path.display())
    }

    /// What stands there is not quoted: it may name a person.
    fn broken(&self, line: u64) -> Stop {
        Stop::Error(Failure::usage(format!("{} (line {line})", self.unreadable())).into())
    }
}

/// What an earlier export cannot be compared for.
fn not_comparable(path: &Path, missing: &str) -> Failure {
    Failure::usage(format!("{} has no field {missing}, so nothing can be compared with it", path.display()))
        .hint("compare with an export that was made without --fields")
}

fn csv_line(error: &csv::Error) -> u64 {
    error.position().map_or(1, csv::Position::line)
}

/// Why records are not read to their end.
enum Stop {
    Enough,
    Error(anyhow::Error),
}

/// Whether a record holds what `--mask` shows in place of names and addresses.
fn is_masked(record: &Record) -> bool {
    let address = record.get("email").and_then(Value::as_str);
    let mut names = ["firstName", "lastName", "fullName"].iter().filter_map(|name| record.get(*name)?.as_str());
    address.is_some_and(is_masked_address) || names.any(is_masked_name)
}

/// Reads an array record by record: a long one does not have to fit into memory.
struct Records<'a, F> {
    take: &'a mut F,
    stopped: &'a mut Option<Stop>,
    left: &'a Cell<u64>,
}

impl<'de, F: FnMut(Record) -> Result<(), Stop>> Visitor<'de> for &mut Records<'_, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of records")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut records: A) -> Result<(), A::Error> {
        while let Some(record) = records.next_element()? {
            self.left.set(LONGEST_RECORD);
            if let Err(stop) = (self.take)(record) {
                *self.stopped = Some(stop);
                return Err(A::Error::custom("stopped"));
            }
        }
        Ok(())
    }
}

/// Whether a file starts with a byte order mark.
fn is_marked(path: &Path) -> io::Result<bool> {
    let mut start = Vec::new();
    open_to_read(path)?.take(BYTE_ORDER_MARK.len() as u64).read_to_end(&mut start)?;
    Ok(start == BYTE_ORDER_MARK.as_bytes())
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    Failure::usage(format!("cannot read {}: {error}", path.display())).hint(
        "--since names the file of an earlier export; without it the command tells what is new since its last run",
    )
}

/// The first character that is no white space and no byte order mark.
fn first_character(path: &Path) -> io::Result<Option<u8>> {
    let mut file = BufReader::new(open_to_read(path)?);
    loop {
        let bytes = file.fill_buf()?;
        if bytes.is_empty() {
            return Ok(None);
        }
        let blank = b" \t\r\n\x0C\xEF\xBB\xBF";
        if let Some(first) = bytes.iter().find(|byte| !blank.contains(byte)) {
            return Ok(Some(*first));
        }
        let read = bytes.len();
        file.consume(read);
    }
}
