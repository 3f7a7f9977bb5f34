//! A file of test links: it grows row by row, each on disk before the next, and the next run continues it.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;

use crate::files::{self, Target};
use crate::model::links::TestLink;
use crate::model::people::{EntryId, TestTaker};
use crate::model::projects::ProjectId;
use crate::model::text::fold_email;
use crate::model::time::of_service;
use crate::model::verdict::{Failure, Verdict};

/// The columns of the file.
pub const HEADER: &str = "projectEntryId referenceId email url expiresAtUtc projectId";
/// A link that is valid for less time gets a new one: it has to reach the person first.
const ENOUGH: Duration = Duration::from_hours(1);
/// How long a link is valid that nobody uses (specification, Limits).
const VALID: Duration = Duration::from_hours(24);

/// A links file, open at its end. No other run writes to it meanwhile.
pub struct LinkFile {
    path: PathBuf,
    file: File,
    project: ProjectId,
    /// People whose link in the file is valid for long enough.
    pub kept: HashSet<EntryId>,
}

impl LinkFile {
    /// Opens or begins a file for links of these people of a project. A link ends with a test that is completed, and one for
    /// another address may be in other hands. A file with other lines is refused. With `rotate` the lines of these people lose
    /// their project: their links may be voided from now on, and no run takes them for valid.
    pub fn open(
        path: &Path,
        now: Timestamp,
        project: ProjectId,
        people: &HashMap<EntryId, &TestTaker>,
        rotate: bool,
    ) -> Result<Self, Failure> {
        let failed = |error| unwritable(path, &error);
        let in_use = || Failure::new(Verdict::NothingDone, format!("another run writes to {}", path.display()));
        let before = files::lock(path).map_err(failed)?.ok_or_else(in_use)?;
        // Held until the new file is locked; Windows would keep us from reading what is locked.
        let _before = Some(before).filter(|_| cfg!(unix));
        let (mut lines, mut kept) = (current(path, now, project)?, HashSet::new());
        let enough = now.saturating_add(ENOUGH).unwrap_or(Timestamp::MAX);
        for line in &mut lines {
            let Some(person) = people.get(&line.entry) else { continue };
            let is_used = |at: Timestamp| at.saturating_add(VALID).ok() > line.expires;
            let email = fold_email(person.email.as_deref().unwrap_or_default());
            let is_theirs = email == fold_email(&line.record[2]) && !person.completed().is_some_and(is_used);
            if rotate {
                line.record = line.record.iter().take(5).chain([""]).collect();
            } else if line.project.is_some() && line.expires > Some(enough) && is_theirs {
                kept.insert(line.entry);
            }
        }
        replace(path, &lines).map_err(failed)?;
        let file = files::append(path).map_err(failed)?;
        file.try_lock().map_err(|_| in_use())?;
        files::close_to_others(&file).map_err(failed)?;
        Ok(Self { path: path.to_owned(), file, project, kept })
    }

    /// Adds a link, on disk when this returns. A time that the next run could not read is left out.
    pub fn push(&mut self, entry: EntryId, person: &TestTaker, link: &TestLink) -> Result<(), Failure> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let cells = [
            &entry.to_string(),
            person.reference_id.as_deref().unwrap_or_default(),
            person.email.as_deref().unwrap_or_default(),
            link.url.expose(),
            link.expires_at_utc.as_deref().filter(|time| of_service(time).is_some()).unwrap_or_default(),
            &self.project.to_string(),
        ];
        let bytes = writer.write_record(cells).ok().and_then(|()| writer.into_inner().ok()).unwrap_or_default();
        // One write, so that a run that is killed leaves no half of it.
        let written = self.file.write_all(&bytes).and_then(|()| self.file.sync_data());
        written.map_err(|error| unwritable(&self.path, &error))
    }

    /// Drops the lines that this run replaced.
    pub fn finish(self) -> Result<(), Failure> {
        // As in `open`.
        let _locked = Some(self.file).filter(|_| cfg!(unix));
        let lines = current(&self.path, Timestamp::MIN, self.project)?;
        replace(&self.path, &lines).map_err(|error| unwritable(&self.path, &error))
    }
}

/// The last line of each person, unless its link has expired.
fn current(path: &Path, now: Timestamp, project: ProjectId) -> Result<Vec<Line>, Failure> {
    let refused = |why: &str| {
        Failure::usage(format!("{} {why}, so nothing was written to it", path.display()))
            .hint("restore the file, or start a new one with --to NEW_FILE.csv")
    };
    // The lock has made the file where there was none.
    let bytes = files::read(path, 1 << 30)?;
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text);
    let records: Vec<csv::StringRecord> =
        reader.records().collect::<Result<_, _>>().map_err(|_| refused("is not a links file"))?;
    if !records.first().is_none_or(|header| header.iter().eq(HEADER.split(' '))) {
        return Err(refused("is not a links file"));
    }
    let (last, mut lines, mut met) = (records.len(), Vec::new(), HashSet::new());
    for (record, number) in records.into_iter().zip(1..).skip(1) {
        match Line::of(record) {
            Some(line) if line.project.is_some_and(|of| of != project) => {
                return Err(refused("has links of another project"));
            }
            Some(line) => lines.push(line),
            // What a killed run, or a full disk, left of the last line.
            None if number == last => {}
            None => return Err(refused(&format!("has an odd line {number}"))),
        }
    }
    lines.reverse();
    lines.retain(|line| met.insert(line.entry) && line.expires.is_none_or(|expires| expires > now));
    lines.reverse();
    Ok(lines)
}

/// A line of the file.
struct Line {
    record: csv::StringRecord,
    entry: EntryId,
    /// The service need not say it.
    expires: Option<Timestamp>,
    /// Entry ids are unique in a project only. `None` where another link was asked for.
    project: Option<ProjectId>,
}

impl Line {
    fn of(record: csv::StringRecord) -> Option<Self> {
        let [entry, _, _, url, expires, project] = record.iter().collect::<Vec<_>>()[..] else { return None };
        let entry = entry.parse().ok()?;
        let expires = if expires.is_empty() { None } else { Some(of_service(expires)?) };
        let project = if project.is_empty() || url.is_empty() { None } else { Some(project.parse().ok()?) };
        Some(Self { record, entry, expires, project })
    }
}

fn replace(path: &Path, lines: &[Line]) -> std::io::Result<()> {
    let mut writer = csv::Writer::from_writer(Target::create(path)?);
    writer.write_record(HEADER.split(' '))?;
    for line in lines {
        writer.write_record(&line.record)?;
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
        let open = |entries: [i32; 2], rotate| {
            LinkFile::open(&path, now, ProjectId::nil(), &entries.map(|entry| (EntryId(entry), &person)).into(), rotate)
        };
        let mut file = open([1, 2], false).expect("new");
        for (entry, expires) in [
            (1, "2026-03-01T05:00:00Z"),
            (2, "2026-03-01T06:30:00Z"),
            (3, "2026-03-02T05:00:00Z"),
            (4, "2026-03-02T05:00:00Z"),
        ] {
            file.push(EntryId(entry), &person, &link(expires)).expect("written");
        }
        file.file.write_all(b"5,,a@x.example,https://x").expect("half a line");
        assert!(open([1, 2], false).is_err(), "another run has it");
        drop(file);
        let lines = || String::from_utf8(files::read(&path, 1 << 20).expect("read")).expect("text").lines().count();
        let completed = |time: &str| TestTaker {
            date_completed: Some(time.into()),
            email: Some("A@x.example".into()),
            ..person.clone()
        };
        let (used, moved) =
            (completed("2026-03-01T05:30:00Z"), TestTaker { email: Some("b@x.example".into()), ..person.clone() });
        for (person, is_kept) in [(&completed("2026-03-01T04:59:00Z"), true), (&used, false), (&moved, false)] {
            let people = [(EntryId(4), person)].into();
            let file = LinkFile::open(&path, now, ProjectId::nil(), &people, false).expect("continued");
            assert_eq!(file.kept.contains(&EntryId(4)), is_kept, "{person:?}");
        }
        let text = String::from_utf8(files::read(&path, 1 << 20).expect("read")).expect("text");
        put(&path, &text.replacen("4,,a@x.example,https://x.example/t/1", "4,,a@x.example,", 1));
        assert!(!open([3, 4], false).expect("continued").kept.contains(&EntryId(4)), "somebody took the link out");
        put(&path, &text);
        let file = open([2, 3], false).expect("continued");
        let kept = [2, 3, 4].map(|entry| file.kept.contains(&EntryId(entry)));
        assert_eq!((kept, lines()), ([false, true, false], 4), "a line goes when its link has expired");
        drop(file);
        let mut file = open([4, 5], true).expect("rotated");
        assert_eq!((file.kept.contains(&EntryId(4)), lines()), (false, 4));
        drop(file);
        file = open([3, 4], false).expect("after a kill");
        assert_eq!([3, 4].map(|entry| file.kept.contains(&EntryId(entry))), [true, false], "it may have been voided");
        file.push(EntryId(4), &person, &link("31 March")).expect("written");
        assert_eq!(lines(), 5);
        file.finish().expect("written");
        assert_eq!(lines(), 4, "a line goes when there is a newer one");
    }

    #[test]
    fn a_file_that_is_cut_anywhere_is_continued_without_its_last_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("links.csv");
        let header = HEADER.replace(' ', ",");
        let line =
            |entry| format!("{entry},E-{entry},a@x.example,https://x,2026-03-01T06:00:00.5Z,{}\n", ProjectId::nil());
        for cut in 0..line(2).len() {
            let text = format!("{header}\n{}{}", line(1), &line(2)[..cut]);
            put(&path, &text);
            // A process that another test is starting has the last lock for a moment, too.
            let open = || LinkFile::open(&path, Timestamp::UNIX_EPOCH, ProjectId::nil(), &HashMap::new(), false).ok();
            drop((0..1000).find_map(|_| open()).expect("continued"));
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
        let header = HEADER.replace(' ', ",");
        for text in [
            "email,name\n".to_owned(),
            format!("{header}\n1,,a@x.example,https://x,2026-03-01T06:00:00Z,{}\n", ProjectId::max()),
            format!("{header}\n7,,,https://x,01.03.2026,\n7,,,,,\n"),
            format!("{header}\n7,,,https://x,,,sent\n7,,,,,\n"),
        ] {
            put(&path, &text);
            let opened = LinkFile::open(&path, Timestamp::UNIX_EPOCH, ProjectId::nil(), &HashMap::new(), false);
            assert_eq!(opened.err().map(|failure| failure.verdict), Some(Verdict::Usage), "{text}");
            assert_eq!(files::read(&path, 1 << 10).expect("read"), text.as_bytes());
        }
    }
}
