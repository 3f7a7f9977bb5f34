//! A stream or file that grows record by record, each one safe before the next: links that were issued cannot be
//! issued again without voiding the first.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use super::Error;
use super::delivery::refuse_closed;
use super::encoders::{csv_writer, write_row};
use super::json::append_object;
use super::terminal::{stdout, stdout_is_terminal};
use crate::files::open_to_continue;
use crate::model::cell::Cell;
use crate::model::output_format::Format;
use crate::model::sanitize::escape_controls;
use crate::model::spreadsheet::{BYTE_ORDER_MARK, unescape_formulas};

/// Takes records one by one, as CSV or NDJSON.
#[derive(Debug)]
pub struct ContinuedFile {
    target: Target,
    fields: Vec<String>,
    form: ContinuedForm,
}

/// How records are written.
#[derive(Clone, Copy, Debug)]
pub struct ContinuedForm {
    /// `Format::Csv` or `Format::Ndjson`.
    pub format: Format,
    /// For a spreadsheet: with a byte order mark, and no cell that it would run. For CSV alone.
    pub excel: bool,
}

#[derive(Debug)]
enum Target {
    Stdout,
    File { file: File, path: PathBuf },
}

impl ContinuedFile {
    /// Opens a file to be continued, or standard output. An existing file is continued where it has just these fields in
    /// this format; what a crash left half written at its end is taken off, and `seen` gets the texts of each record
    /// that is there. Another file is refused: it is never replaced. The file is for its owner alone (0600), also where
    /// it was not.
    pub fn open(
        to: Option<&Path>,
        form: ContinuedForm,
        fields: Vec<String>,
        seen: impl FnMut(&[String]),
    ) -> Result<Self, Error> {
        let Some(path) = to else {
            refuse_closed().map_err(Error::Stdout)?;
            let file = Self { target: Target::Stdout, fields, form };
            return file.begun(true);
        };
        let refuse = |source| Error::File { path: path.to_owned(), source };
        let mut file = open_to_continue(path).map_err(refuse)?;
        let is_empty = if file.metadata().map_err(refuse)?.is_file() {
            let existing = Existing { form, fields: &fields, seen };
            let is_empty = existing.check(&mut file).map_err(refuse)?.ok_or_else(|| Error::Foreign(path.to_owned()))?;
            #[cfg(unix)]
            file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600)).map_err(refuse)?;
            is_empty
        } else {
            true
        };
        Self { target: Target::File { file, path: path.to_owned() }, fields, form }.begun(is_empty)
    }

    fn begun(mut self, is_empty: bool) -> Result<Self, Error> {
        if is_empty && self.form.format == Format::Csv {
            self.write(&head(self.form, &self.fields))?;
        }
        Ok(self)
    }

    /// Writes one record, its cells in the order of the fields; when this returns it is on the disk, or was handed to
    /// the reader of the stream.
    pub fn push(&mut self, cells: &[Cell<'_>]) -> Result<(), Error> {
        let line = if self.form.format == Format::Csv {
            csv_line(cells, self.form.excel)?
        } else {
            json_line(&self.fields, cells)
        };
        self.write(&line)
    }

    fn write(&mut self, line: &str) -> Result<(), Error> {
        match &mut self.target {
            Target::Stdout => {
                let mut out = stdout().lock();
                let shown = if stdout_is_terminal() {
                    escape_controls(line.trim_end_matches('\n')) + "\n"
                } else {
                    line.into()
                };
                out.write_all(shown.as_bytes()).and_then(|()| out.flush()).map_err(Error::Stdout)
            }
            Target::File { file, path } => {
                let written = file.write_all(line.as_bytes()).and_then(|()| match file.sync_data() {
                    // A pipe or a device has nothing to sync.
                    Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
                    synced => synced,
                });
                written.map_err(|source| Error::File { path: path.clone(), source })
            }
        }
    }
}

/// How a file of these records begins.
fn head(form: ContinuedForm, fields: &[String]) -> String {
    match form.format {
        Format::Csv => format!("{}{}\n", if form.excel { BYTE_ORDER_MARK } else { "" }, fields.join(",")),
        _ => format!("{{\"{}\":", fields.first().map(String::as_str).unwrap_or_default()),
    }
}

/// Reads a file of earlier records before it is continued.
struct Existing<'f, S> {
    form: ContinuedForm,
    fields: &'f [String],
    seen: S,
}

impl<S: FnMut(&[String])> Existing<'_, S> {
    /// Whether the file is empty, after taking off what is no whole record; `None` where it is not one of ours.
    fn check(mut self, file: &mut File) -> io::Result<Option<bool>> {
        let head = head(self.form, self.fields);
        let mut reader = BufReader::new(&mut *file);
        reader.seek(SeekFrom::Start(0))?;
        // A record may go over several lines: a quoted cell of a name that has a line break.
        let (mut whole, mut record, mut first) = (0, Vec::new(), true);
        while reader.read_until(b'\n', &mut record)? > 0 {
            let is_whole = record.ends_with(b"\n") && !(self.form.format == Format::Csv && is_open(&record));
            // A crash may have left a part of the very first line.
            if first && !record.starts_with(head.as_bytes()) && (is_whole || !head.as_bytes().starts_with(&record)) {
                return Ok(None);
            }
            if !is_whole {
                continue;
            }
            let is_header = first && self.form.format == Format::Csv;
            if !is_header && !self.tell(&record) {
                return Ok(None);
            }
            first = false;
            whole += record.len() as u64;
            record.clear();
        }
        if file.metadata()?.len() > whole {
            file.set_len(whole)?;
        }
        Ok(Some(whole == 0))
    }

    /// Gives the texts of a record; `false` where it does not have these fields.
    fn tell(&mut self, record: &[u8]) -> bool {
        let ContinuedForm { format, excel } = self.form;
        let texts = if format == Format::Csv { csv_texts(record, excel) } else { json_texts(record, self.fields) };
        let Some(texts) = texts.filter(|texts| texts.len() == self.fields.len()) else { return false };
        (self.seen)(&texts);
        true
    }
}

/// Whether a quote is still open at the end of a piece of CSV.
fn is_open(piece: &[u8]) -> bool {
    piece.iter().fold(false, |is_open, byte| is_open != (*byte == b'"'))
}

fn csv_texts(record: &[u8], excel: bool) -> Option<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(record);
    let record = reader.records().next()?.ok()?;
    Some(record.iter().map(|cell| if excel { unescape_formulas(cell).into_owned() } else { cell.to_owned() }).collect())
}

fn json_texts(record: &[u8], fields: &[String]) -> Option<Vec<String>> {
    let mut values: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(record).ok()?;
    let texts = fields.iter().map(|field| values.remove(field).map(plain_text)).collect::<Option<Vec<String>>>()?;
    values.is_empty().then_some(texts)
}

fn plain_text(value: serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => text,
        serde_json::Value::Null => String::new(),
        other => other.to_string(),
    }
}

fn csv_line(cells: &[Cell<'_>], excel: bool) -> Result<String, Error> {
    let mut writer = csv_writer(Vec::new());
    write_row(&mut writer, cells, excel)?;
    let line = writer.into_inner().map_err(csv::IntoInnerError::into_error);
    line.and_then(|line| String::from_utf8(line).map_err(io::Error::other)).map_err(Error::Spool)
}

fn json_line(fields: &[String], cells: &[Cell<'_>]) -> String {
    let mut line = String::new();
    append_object(&mut line, fields.iter().map(String::as_str).zip(cells.iter().map(Cell::lend)), None);
    line + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(path: &Path, format: Format, seen: &mut Vec<Vec<String>>) -> Result<ContinuedFile, Error> {
        let fields = ["id", "url"].map(str::to_owned).into();
        ContinuedFile::open(Some(path), ContinuedForm { format, excel: false }, fields, |texts| {
            seen.push(texts.to_vec());
        })
    }

    fn push(path: &Path, format: Format, id: i32) -> Result<(), Error> {
        open(path, format, &mut Vec::new())?.push(&[id.into(), "https://a,b".into()])
    }

    #[test]
    fn what_a_file_holds_is_told_before_it_is_continued() {
        let folder = tempfile::tempdir().expect("a folder");
        for (format, text) in [
            (Format::Csv, "id,url\n1,x\n2,\"a\nb\"\n3,\"ht\n"),
            (Format::Ndjson, "{\"id\":1,\"url\":\"x\"}\n{\"id\":2,\"url\":\"a\\nb\"}\n{\"id\":3,\"ur"),
        ] {
            let path = folder.path().join("links");
            std::fs::write(&path, text).expect("written");
            let mut seen = Vec::new();
            drop(open(&path, format, &mut seen).expect("ours"));
            assert_eq!(seen, [["1", "x"], ["2", "a\nb"]]);
            assert!(text.starts_with(&std::fs::read_to_string(&path).expect("the file")));
        }
    }

    #[test]
    fn a_file_with_other_columns_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("links");
        for (format, text) in [
            (Format::Csv, "id,url,email\n1,x,a@b\n"),
            (Format::Ndjson, "{\"id\":1,\"url\":\"x\",\"email\":\"a@b\"}\n"),
            (Format::Ndjson, "{\"id\":1}\n"),
        ] {
            std::fs::write(&path, text).expect("written");
            assert!(matches!(open(&path, format, &mut Vec::new()), Err(Error::Foreign(_))), "{text}");
            assert_eq!(std::fs::read_to_string(&path).expect("the file"), text);
        }
    }

    #[test]
    fn a_file_is_continued_and_has_one_header() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("links.csv");
        push(&path, Format::Csv, 1).expect("written");
        push(&path, Format::Csv, 2).expect("written");
        let text = std::fs::read_to_string(&path).expect("the file");
        assert_eq!(text, "id,url\n1,\"https://a,b\"\n2,\"https://a,b\"\n");
    }

    #[test]
    fn what_a_crash_left_half_written_is_taken_off() {
        let folder = tempfile::tempdir().expect("a folder");
        for (left, whole) in [("id,url\n1,x\n2,ht", "id,url\n1,x\n"), ("id,u", "id,url\n"), ("", "id,url\n")] {
            let path = folder.path().join("links.csv");
            std::fs::write(&path, left).expect("written");
            push(&path, Format::Csv, 3).expect("continued");
            let text = std::fs::read_to_string(&path).expect("the file");
            assert_eq!(text, format!("{whole}3,\"https://a,b\"\n"));
        }
    }

    #[test]
    fn another_file_is_refused_and_stays_as_it_was() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("people.csv");
        for (text, format) in [("email\na@b\n", Format::Csv), ("x", Format::Csv), ("id,url\n", Format::Ndjson)] {
            std::fs::write(&path, text).expect("written");
            assert!(matches!(push(&path, format, 1), Err(Error::Foreign(_))), "{text}");
            assert_eq!(std::fs::read_to_string(&path).expect("the file"), text);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_device_is_an_error() {
        assert!(matches!(push(Path::new("/dev/full"), Format::Csv, 1), Err(Error::File { .. })));
    }
}
