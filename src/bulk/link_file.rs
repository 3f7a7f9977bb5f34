//! A file of test links: it grows row by row, each on disk before the next, and the next run continues it.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;

use crate::files::{self, Target};
use crate::model::links::TestLink;
use crate::model::people::{EntryId, TestTaker};
use crate::model::time::of_service;
use crate::model::verdict::{Failure, Verdict};

/// The columns of the file.
pub const HEADER: &str = "projectEntryId referenceId email url expiresAtUtc";
/// A link that is valid for less time gets a new one: it has to reach the person first.
const ENOUGH: Duration = Duration::from_hours(1);

/// A links file, open at its end.
pub struct LinkFile {
    path: PathBuf,
    file: File,
    /// When the latest link of an entry expires.
    links: HashMap<EntryId, Timestamp>,
}

impl LinkFile {
    /// Opens or begins a file. Lines of links that have expired are dropped, and those of people whose link is to be rotated:
    /// a link that is in the file was never voided by us. A file with another header is refused.
    pub fn open(path: &Path, now: Timestamp, rotates: impl Fn(EntryId) -> bool) -> Result<Self, Failure> {
        let mut links = HashMap::new();
        if files::has_content(path).map_err(|error| unwritable(path, &error))? {
            let kept = kept_lines(path, now, &rotates, &mut links)?;
            replace(path, &kept).map_err(|error| unwritable(path, &error))?;
        } else {
            replace(path, &[HEADER.split(' ').collect()]).map_err(|error| unwritable(path, &error))?;
        }
        let file = files::append(path).map_err(|error| unwritable(path, &error))?;
        files::close_to_others(&file).map_err(|error| unwritable(path, &error))?;
        Ok(Self { path: path.to_owned(), file, links })
    }

    /// When the link that an entry has in this file expires, if that is not soon.
    pub fn valid(&self, entry: EntryId, now: Timestamp) -> Option<Timestamp> {
        let enough = now.saturating_add(ENOUGH).unwrap_or(Timestamp::MAX);
        self.links.get(&entry).copied().filter(|expires| *expires > enough)
    }

    /// Adds a link, on disk when this returns.
    pub fn push(&mut self, entry: EntryId, person: &TestTaker, link: &TestLink) -> Result<(), Failure> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let cells = [
            &entry.to_string(),
            person.reference_id.as_deref().unwrap_or_default(),
            person.email.as_deref().unwrap_or_default(),
            link.url.expose(),
            link.expires_at_utc.as_deref().unwrap_or_default(),
        ];
        let bytes = writer.write_record(cells).ok().and_then(|()| writer.into_inner().ok()).unwrap_or_default();
        // One write, so that a run that is killed leaves no half of it.
        let written = self.file.write_all(&bytes).and_then(|()| self.file.sync_data());
        written.map_err(|error| unwritable(&self.path, &error))
    }
}

fn kept_lines(
    path: &Path,
    now: Timestamp,
    rotates: impl Fn(EntryId) -> bool,
    links: &mut HashMap<EntryId, Timestamp>,
) -> Result<Vec<csv::StringRecord>, Failure> {
    let foreign = || {
        Failure::usage(format!("{} is not a links file, so nothing was written to it", path.display()))
            .hint("name a new file: --to NEW_FILE.csv")
    };
    let mut text = String::new();
    let read = files::append(path).and_then(|mut file| file.read_to_string(&mut text));
    read.map_err(|error| unwritable(path, &error))?;
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_reader(text.trim_start_matches('\u{feff}').as_bytes());
    let mut kept = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|_| foreign())?;
        if kept.is_empty() {
            if !record.iter().eq(HEADER.split(' ')) {
                return Err(foreign());
            }
            kept.push(record);
            continue;
        }
        // A line that a killed run left half written has too few cells.
        let entry =
            record.get(0).and_then(|entry| entry.parse().ok()).filter(|_| record.len() == HEADER.split(' ').count());
        let Some((entry, expires)) = entry.zip(record.get(4).and_then(of_service)) else { continue };
        if expires > now && !rotates(entry) {
            links.insert(entry, expires);
            kept.push(record);
        }
    }
    if kept.is_empty() {
        kept.push(HEADER.split(' ').collect());
    }
    Ok(kept)
}

fn replace(path: &Path, lines: &[csv::StringRecord]) -> std::io::Result<()> {
    let mut writer = csv::Writer::from_writer(Target::create(path)?);
    for line in lines {
        writer.write_record(line)?;
    }
    writer.into_inner().map_err(csv::IntoInnerError::into_error)?.commit()
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(Verdict::Unforeseen, format!("cannot write {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::secret::Secret;

    fn link(expires: &str) -> TestLink {
        TestLink { url: Secret::new("https://x.example/t/1".into()), expires_at_utc: Some(expires.into()) }
    }

    #[test]
    fn the_next_run_continues_the_file_and_drops_what_has_expired() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("links.csv");
        let now: Timestamp = "2026-03-01T06:00:00Z".parse().expect("a time");
        let person = TestTaker { email: Some("a@x.example".into()), ..TestTaker::default() };
        let mut file = LinkFile::open(&path, now, |_| false).expect("new");
        for (entry, expires) in [
            (1, "2026-03-01T05:00:00Z"),
            (2, "2026-03-01T06:30:00Z"),
            (3, "2026-03-02T05:00:00Z"),
            (4, "2026-03-02T05:00:00Z"),
        ] {
            file.push(EntryId(entry), &person, &link(expires)).expect("written");
        }
        file.file.write_all(b"5,,a@x.example,https://x").expect("half a line");
        let file = LinkFile::open(&path, now, |entry| entry == EntryId(4)).expect("continued");
        let valid = [1, 2, 3, 4, 5].map(|entry| file.valid(EntryId(entry), now).is_some());
        assert_eq!(valid, [false, false, true, false, false]);
        let text = String::from_utf8(files::read(&path, 1 << 20).expect("read")).expect("text");
        assert_eq!(text.lines().count(), 3, "the header, and two that are valid: {text}");
    }

    #[test]
    fn another_file_is_not_written_to() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("people.csv");
        replace(&path, &[csv::StringRecord::from(vec!["email", "name"])]).expect("written");
        let refused = LinkFile::open(&path, Timestamp::UNIX_EPOCH, |_| false).err().map(|failure| failure.verdict);
        assert_eq!(refused, Some(Verdict::Usage));
        assert_eq!(files::read(&path, 100).expect("read"), b"email,name\n");
    }
}
