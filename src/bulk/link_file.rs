//! A file of test links: it grows row by row, each on disk before the next, and the next run continues it.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;

use crate::files::{self, Target};
use crate::model::links::TestLink;
use crate::model::people::{EntryId, TestTaker};
use crate::model::text::fold_email;
use crate::model::time::of_service;
use crate::model::verdict::{Failure, Verdict};

/// The columns of the file.
pub const HEADER: &str = "projectEntryId referenceId email url expiresAtUtc";
/// A link that is valid for less time gets a new one: it has to reach the person first.
const ENOUGH: Duration = Duration::from_hours(1);

/// A links file, open at its end. No other run writes to it meanwhile.
pub struct LinkFile {
    path: PathBuf,
    file: File,
    /// People whose link in the file is valid for long enough.
    kept: HashSet<EntryId>,
}

impl LinkFile {
    /// Opens or begins a file for links of these people. Lines of links that have expired are dropped, and those that this run
    /// replaces: a link that is in the file was never voided by us. A file with other lines is refused.
    pub fn open(
        path: &Path,
        now: Timestamp,
        people: &HashMap<EntryId, &TestTaker>,
        rotate: bool,
    ) -> Result<Self, Failure> {
        let failed = |error| unwritable(path, &error);
        let in_use = || Failure::new(Verdict::NothingDone, format!("another run writes to {}", path.display()));
        let before = files::lock(path).map_err(failed)?.ok_or_else(in_use)?;
        // Held until the new file is locked; Windows would keep us from reading what is locked.
        let _before = Some(before).filter(|_| cfg!(unix));
        let mut kept = HashSet::new();
        let lines = if files::has_content(path).map_err(failed)? {
            kept_lines(path, now, people, rotate, &mut kept)?
        } else {
            vec![HEADER.split(' ').collect()]
        };
        replace(path, &lines).map_err(failed)?;
        let file = files::append(path).map_err(failed)?;
        file.try_lock().map_err(|_| in_use())?;
        files::close_to_others(&file).map_err(failed)?;
        Ok(Self { path: path.to_owned(), file, kept })
    }

    /// Whether the file has a link of a person of this run that stays valid for long enough.
    pub fn has(&self, entry: EntryId) -> bool {
        self.kept.contains(&entry)
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
    people: &HashMap<EntryId, &TestTaker>,
    rotate: bool,
    kept: &mut HashSet<EntryId>,
) -> Result<Vec<csv::StringRecord>, Failure> {
    let refused = |why: &str| {
        Failure::usage(format!("{} {why}, so nothing was written to it", path.display()))
            .hint("name a new file: --to NEW_FILE.csv")
    };
    let mut bytes = Vec::new();
    files::append(path).and_then(|mut file| file.read_to_end(&mut bytes)).map_err(|error| unwritable(path, &error))?;
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text);
    let records: Vec<csv::StringRecord> =
        reader.records().collect::<Result<_, _>>().map_err(|_| refused("is not a links file"))?;
    if !records.first().is_some_and(|header| header.iter().eq(HEADER.split(' '))) {
        return Err(refused("is not a links file"));
    }
    let enough = now.saturating_add(ENOUGH).unwrap_or(Timestamp::MAX);
    let mut lines = vec![records[0].clone()];
    for (at, record) in records.iter().enumerate().skip(1) {
        let Some(Line { entry, expires }) = Line::of(record) else {
            // What a killed run, or a full disk, left of the last line.
            if at + 1 == records.len() {
                break;
            }
            return Err(refused(&format!("has an odd line {}", at + 1)));
        };
        if expires.is_none_or(|expires| expires <= now) {
            continue;
        }
        let person = people.get(&entry);
        if person.is_some_and(|person| !is_of(record, person)) {
            return Err(refused("has links of another project"));
        }
        if person.is_none() || !(rotate || expires <= Some(enough)) {
            kept.extend(person.map(|_| entry));
            lines.push(record.clone());
        }
    }
    Ok(lines)
}

/// A line of the file.
struct Line {
    entry: EntryId,
    /// The service need not say it.
    expires: Option<Timestamp>,
}

impl Line {
    fn of(record: &csv::StringRecord) -> Option<Self> {
        let (entry, expires) = (record.get(0)?.parse().ok()?, record.get(4).filter(|_| record.len() == 5)?);
        let expires = if expires.is_empty() { None } else { Some(of_service(expires)?) };
        Some(Self { entry, expires })
    }
}

/// Whether a line is of this person: entry ids are unique in a project only.
fn is_of(record: &csv::StringRecord, person: &TestTaker) -> bool {
    let is_same = |own: Option<&str>, line: &str| !line.is_empty() && own == Some(line);
    let email = person.email.as_deref().map(fold_email);
    is_same(person.reference_id.as_deref(), &record[1]) || is_same(email.as_deref(), &fold_email(&record[2]))
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
        let of = |entries: [i32; 2]| entries.map(|entry| (EntryId(entry), &person)).into();
        let mut file = LinkFile::open(&path, now, &of([1, 2]), false).expect("new");
        for (entry, expires) in [
            (1, "2026-03-01T05:00:00Z"),
            (2, "2026-03-01T06:30:00Z"),
            (3, "2026-03-02T05:00:00Z"),
            (4, "2026-03-02T05:00:00Z"),
        ] {
            file.push(EntryId(entry), &person, &link(expires)).expect("written");
        }
        file.file.write_all(b"5,,a@x.example,https://x").expect("half a line");
        assert!(LinkFile::open(&path, now, &HashMap::new(), false).is_err(), "another run has it");
        drop(file);
        let lines = || String::from_utf8(files::read(&path, 1 << 20).expect("read")).expect("text").lines().count();
        let file = LinkFile::open(&path, now, &of([2, 3]), false).expect("continued");
        assert_eq!(
            ([2, 3, 4].map(|entry| file.has(EntryId(entry))), lines()),
            ([false, true, false], 3),
            "3 and 4 stay"
        );
        drop(file);
        let file = LinkFile::open(&path, now, &of([4, 5]), true).expect("rotated");
        assert_eq!((file.has(EntryId(4)), lines()), (false, 2));
    }

    #[test]
    fn a_file_that_is_cut_anywhere_is_continued_without_its_last_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("links.csv");
        let header = HEADER.replace(' ', ",");
        let line = |entry| format!("{entry},E-{entry},a@x.example,https://x,2026-03-01T06:00:00.5Z\n");
        for cut in 0..line(2).len() {
            let text = format!("{header}\n{}{}", line(1), &line(2)[..cut]);
            put(&path, &text);
            drop(LinkFile::open(&path, Timestamp::UNIX_EPOCH, &HashMap::new(), false).expect("continued"));
            let now = String::from_utf8(files::read(&path, 1 << 10).expect("read")).expect("text");
            assert!(now.starts_with(&format!("{header}\n{}", line(1))), "{text} {now}");
        }
    }

    fn put(path: &Path, text: &str) {
        let emptied = files::append(path).and_then(|file| file.set_len(0).and(Ok(file)));
        emptied.and_then(|mut file| file.write_all(text.as_bytes())).expect("written");
    }

    #[test]
    fn another_file_is_not_written_to() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("people.csv");
        replace(&path, &[csv::StringRecord::from(vec!["email", "name"])]).expect("written");
        let refused = |path: &Path| {
            let other = TestTaker { email: Some("b@x.example".into()), ..TestTaker::default() };
            let opened = LinkFile::open(path, Timestamp::UNIX_EPOCH, &[(EntryId(1), &other)].into(), false);
            opened.err().map(|failure| failure.verdict)
        };
        assert_eq!(refused(&path), Some(Verdict::Usage));
        assert_eq!(files::read(&path, 100).expect("read"), b"email,name\n");
        for line in [
            "1,,a@x.example,https://x,2026-03-01T06:00:00Z",
            "7,,,https://x,01.03.2026\n7,,,,",
            "7,,,https://x,,sent\n7,,,,",
        ] {
            let text = format!("{}\n{line}\n", HEADER.replace(' ', ","));
            put(&path, &text);
            assert_eq!(refused(&path), Some(Verdict::Usage), "{line}");
            assert_eq!(files::read(&path, 1 << 10).expect("read"), text.as_bytes());
        }
    }
}
