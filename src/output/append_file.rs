//! A stream or file that grows record by record, each one safe before the next: links that were issued cannot be
//! issued again without voiding the first.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use super::Error;
use super::json::append_object;
use super::record::text_of;
use super::terminal::{stdout, stdout_is_terminal};
use crate::model::cell::Cell;
use crate::model::format::Format;
use crate::model::sanitize::escape_controls;

/// Takes records one by one, as CSV or NDJSON.
#[derive(Debug)]
pub struct AppendFile {
    target: Target,
    fields: &'static [&'static str],
    format: Format,
}

#[derive(Debug)]
enum Target {
    Stdout,
    File { file: File, path: PathBuf },
}

impl AppendFile {
    /// Opens a file to be continued, or standard output. An existing file is continued where it is one of these
    /// records in this format; what a crash left half written at its end is taken off. Another file is refused: it is
    /// never replaced. The file is for its owner alone (0600), also where it was not. `Format::Csv` or `Format::Ndjson`.
    pub fn open(to: Option<&Path>, format: Format, fields: &'static [&'static str]) -> Result<Self, Error> {
        let Some(path) = to else {
            let file = Self { target: Target::Stdout, fields, format };
            return file.begun(true);
        };
        let refuse = |source| Error::File { path: path.to_owned(), source };
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path).map_err(refuse)?;
        let is_empty = if file.metadata().map_err(refuse)?.is_file() {
            let is_empty = check(&mut file, &head(format, fields))
                .map_err(refuse)?
                .ok_or(Error::Target { path: path.to_owned(), reason: "it is another file, and is not replaced" })?;
            #[cfg(unix)]
            file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600)).map_err(refuse)?;
            is_empty
        } else {
            true
        };
        Self { target: Target::File { file, path: path.to_owned() }, fields, format }.begun(is_empty)
    }

    fn begun(mut self, is_empty: bool) -> Result<Self, Error> {
        if is_empty && self.format == Format::Csv {
            self.write(&head(self.format, self.fields))?;
        }
        Ok(self)
    }

    /// Writes one record, its cells in the order of the fields; when this returns it is on the disk, or was handed to
    /// whoever reads the stream.
    pub fn push(&mut self, cells: &[Cell<'_>]) -> Result<(), Error> {
        let line = if self.format == Format::Csv { csv_line(cells)? } else { json_line(self.fields, cells) };
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
fn head(format: Format, fields: &[&str]) -> String {
    match format {
        Format::Csv => format!("{}\n", fields.join(",")),
        _ => format!("{{\"{}\":", fields.first().copied().unwrap_or_default()),
    }
}

/// Whether a file is empty, after taking off what is no whole line; `None` where it does not begin as ours do.
fn check(file: &mut File, head: &str) -> io::Result<Option<bool>> {
    let mut reader = BufReader::new(&mut *file);
    reader.seek(SeekFrom::Start(0))?;
    let (mut whole, mut line, mut first) = (0, Vec::new(), true);
    loop {
        line.clear();
        let count = reader.read_until(b'\n', &mut line)?;
        let is_whole = line.ends_with(b"\n");
        // A crash may have left a part of the very first line.
        if first && !line.starts_with(head.as_bytes()) && (is_whole || !head.as_bytes().starts_with(&line)) {
            return Ok(None);
        }
        if !is_whole {
            break;
        }
        first = false;
        whole += count as u64;
    }
    if file.metadata()?.len() > whole {
        file.set_len(whole)?;
    }
    Ok(Some(whole == 0))
}

fn csv_line(cells: &[Cell<'_>]) -> Result<String, Error> {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::Any(b'\n')).from_writer(Vec::new());
    let written = writer.write_record(cells.iter().map(|cell| text_of(cell).into_owned()));
    let line =
        written.map_err(io::Error::from).and_then(|()| writer.into_inner().map_err(csv::IntoInnerError::into_error));
    let line = line.and_then(|line| String::from_utf8(line).map_err(io::Error::other));
    line.map_err(Error::Spool)
}

fn json_line(fields: &[&str], cells: &[Cell<'_>]) -> String {
    let mut line = String::new();
    append_object(&mut line, fields.iter().copied().zip(cells.iter().map(Cell::lend)), None);
    line + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELDS: &[&str] = &["id", "url"];

    fn push(path: &Path, format: Format, id: i32) -> Result<(), Error> {
        AppendFile::open(Some(path), format, FIELDS)?.push(&[id.into(), "https://a,b".into()])
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
            assert!(matches!(push(&path, format, 1), Err(Error::Target { .. })), "{text}");
            assert_eq!(std::fs::read_to_string(&path).expect("the file"), text);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_device_is_an_error() {
        assert!(matches!(push(Path::new("/dev/full"), Format::Csv, 1), Err(Error::File { .. })));
    }
}
