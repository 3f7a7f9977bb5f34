//! A plan as a file: one line that says what it is, then one line per change. A reviewer may delete lines; a line that
//! was added or changed is refused, because each carries a keyed hash of what it says.

use std::collections::HashSet;
use std::io::{self, BufRead, Write};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::model::projects::ProjectId;

use super::plan_change::PlannedChange;

/// What the first line names itself: a file that does not is no plan of ours.
const FORMAT: &str = "assessctl-plan-1";
/// A longer line is none of ours: the first one names up to some thousand projects, the others one person each.
const LONGEST_LINE: u64 = 4 << 20;

/// The first line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlanHead {
    /// [`FORMAT`].
    pub format: String,
    /// What `apply` and `sync --show` call it.
    pub id: String,
    /// When it was made.
    pub made: Timestamp,
    /// The origin of the service, or the sandbox's own id.
    pub service: String,
    /// The name of the source (`--source`).
    pub source: String,
    /// SHA-256 of the roster that it follows, in hexadecimal digits.
    pub roster: String,
    /// The projects that it changes.
    pub projects: Vec<PlanProject>,
    /// Says that the file names people.
    pub notice: String,
    /// How many lines follow: a reviewer may have left fewer, never more.
    pub changes: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlanProject {
    pub id: ProjectId,
    /// Its name when the plan was made.
    pub name: String,
}

/// A line of a change: what changes, and the keyed hash that shows where it comes from.
#[derive(Serialize, Deserialize)]
struct SealedLine<T> {
    #[serde(flatten)]
    content: T,
    seal: String,
}

/// What is wrong with a plan file. Lines are counted from 1.
#[derive(Debug, thiserror::Error)]
pub enum PlanFileError {
    #[error("cannot read the plan: {0}")]
    Io(#[from] io::Error),
    #[error("the file is not a plan of `testtakers sync`")]
    NotAPlan,
    #[error("the plan was made with another state folder, or its first line was changed")]
    OtherState,
    #[error("line {line} was added or changed since the plan was made; lines may only be deleted")]
    Foreign { line: usize },
    #[error("line {line} stands in the plan twice")]
    Twice { line: usize },
}

/// Writes plans, and reads them back, by a keyed hash of the state that makes them.
pub struct PlanFiles<S> {
    seal: S,
}

impl<S: Fn(&[&str]) -> String> PlanFiles<S> {
    /// `seal` is a keyed hash of texts, as digits.
    pub fn new(seal: S) -> Self {
        Self { seal }
    }

    /// Writes a plan whole.
    pub fn write(&self, head: &PlanHead, changes: &[PlannedChange], mut out: impl Write) -> io::Result<()> {
        self.write_line("", head, &mut out)?;
        for change in changes {
            self.write_line(&head.id, change, &mut out)?;
        }
        out.flush()
    }

    /// Reads a plan: its head, and the changes that its reviewer left.
    pub fn read(&self, mut file: impl BufRead) -> Result<(PlanHead, Vec<PlannedChange>), PlanFileError> {
        let mut line = String::new();
        next_line(&mut file, &mut line)?;
        let named: Option<serde_json::Value> = serde_json::from_str(&line).ok();
        if named.is_none_or(|head| head["format"] != FORMAT) {
            return Err(PlanFileError::NotAPlan);
        }
        let head: PlanHead = self.open("", &line).ok_or(PlanFileError::OtherState)?;
        let (mut changes, mut seen, mut number) = (Vec::new(), HashSet::new(), 1);
        while next_line(&mut file, &mut line)? {
            number += 1;
            if line.trim().is_empty() {
                continue;
            }
            let change = self.open::<PlannedChange>(&head.id, &line);
            let change = change.ok_or(PlanFileError::Foreign { line: number })?;
            if !seen.insert(self.sealed(&head.id, &change)) {
                return Err(PlanFileError::Twice { line: number });
            }
            changes.push(change);
        }
        Ok((head, changes))
    }

    fn write_line(&self, id: &str, content: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
        serde_json::to_writer(&mut *out, &SealedLine { content, seal: self.sealed(id, content) })?;
        out.write_all(b"\n")
    }

    /// What a line says, if it is as it was written. White space between its values may have changed.
    fn open<T: Serialize + for<'de> Deserialize<'de>>(&self, id: &str, line: &str) -> Option<T> {
        let mut value: serde_json::Map<String, serde_json::Value> = serde_json::from_str(line).ok()?;
        let seal = value.remove("seal")?;
        let content: T = serde_json::from_value(value.into()).ok()?;
        (seal == self.sealed(id, &content).as_str()).then_some(content)
    }

    fn sealed(&self, id: &str, content: &impl Serialize) -> String {
        // Our own types: their fields are texts, numbers and lists, which JSON has.
        let text = serde_json::to_string(content).unwrap_or_default();
        (self.seal)(&[id, &text])
    }
}

/// Reads a line without its end; a line beyond all measure is cut there, and its seal will not fit.
fn next_line(file: &mut impl BufRead, line: &mut String) -> Result<bool, PlanFileError> {
    line.clear();
    let mut bytes = Vec::new();
    let read = io::Read::take(file, LONGEST_LINE).read_until(b'\n', &mut bytes)?;
    *line = String::from_utf8(bytes).unwrap_or_default();
    Ok(read > 0)
}

impl PlanHead {
    /// What every head says of the file.
    pub const NOTICE: &str = "names people: for its owner alone; lines may be deleted, not added or changed";

    /// The name that a project had when the plan was made; empty for one that is not in it.
    pub fn name_of(&self, project: ProjectId) -> &str {
        self.projects.iter().find(|known| known.id == project).map_or("", |known| &known.name)
    }

    /// A head of this format.
    pub fn new(id: String, made: Timestamp, service: String, source: String, roster: String) -> Self {
        let (format, notice) = (FORMAT.to_owned(), Self::NOTICE.to_owned());
        Self { format, id, made, service, source, roster, projects: Vec::new(), notice, changes: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bulk::sync::plan_change::PlanPerson;
    use crate::model::testtakers::EntryId;

    fn files() -> PlanFiles<impl Fn(&[&str]) -> String> {
        PlanFiles::new(|texts: &[&str]| {
            let sum = texts
                .iter()
                .flat_map(|text| text.bytes())
                .fold(17_u64, |sum, byte| sum.wrapping_mul(1_099_511_628_211).wrapping_add(u64::from(byte)));
            format!("{sum:016x}")
        })
    }

    fn person(email: &str) -> PlanPerson {
        PlanPerson { email: Some(email.to_owned()), ..PlanPerson::default() }
    }

    fn plan() -> (PlanHead, Vec<PlannedChange>) {
        let project = ProjectId(uuid::Uuid::from_u128(7));
        let changes = vec![
            PlannedChange::Enrol { project, becomes: person("a@example.com") },
            PlannedChange::Remove { project, entry: EntryId(1_042), was: person("b@example.com") },
        ];
        let made = "2026-03-01T06:00:00Z".parse().expect("a time");
        let head = PlanHead::new("7f3c".into(), made, "https://api.example.com".into(), "main".into(), "00".into());
        (PlanHead { projects: vec![PlanProject { id: project, name: "Nights".into() }], changes: 2, ..head }, changes)
    }

    fn written() -> String {
        let (head, changes) = plan();
        let mut out = Vec::new();
        files().write(&head, &changes, &mut out).expect("written");
        String::from_utf8(out).expect("UTF-8")
    }

    fn refused(text: &str) -> String {
        files().read(text.as_bytes()).expect_err("refused").to_string()
    }

    #[test]
    fn a_plan_is_read_as_it_was_written() {
        assert_eq!(files().read(written().as_bytes()).expect("a plan"), plan());
        assert_eq!(written().lines().count(), 3);
    }

    #[test]
    fn a_reviewer_may_delete_lines_and_leave_empty_ones() {
        let text = written();
        let lines: Vec<&str> = text.lines().collect();
        let (_, changes) = files().read(format!("{}\n\n{}\r\n", lines[0], lines[2]).as_bytes()).expect("a plan");
        assert_eq!(changes, plan().1[1..]);
    }

    #[test]
    fn a_line_that_was_changed_or_added_is_refused_by_its_number() {
        let edited = written().replace("1042", "1043");
        assert!(refused(&edited).starts_with("line 3 was added or changed"), "{edited}");
        let (head, changes) = plan();
        let mut foreign = Vec::new();
        files().write(&PlanHead { id: "aaaa".into(), ..head }, &changes, &mut foreign).expect("written");
        let foreign = String::from_utf8(foreign).expect("UTF-8");
        let mixed = format!("{}{}\n", written(), foreign.lines().nth(1).expect("a line"));
        assert!(refused(&mixed).starts_with("line 4 was added"), "another plan's line");
        let extra = written().replace("\"change\":\"enrol\"", "\"change\":\"enrol\",\"more\":1");
        assert!(refused(&extra).starts_with("line 2 was added"));
    }

    #[test]
    fn a_line_that_stands_twice_is_refused() {
        let text = written();
        let last = text.lines().last().expect("a line");
        assert_eq!(refused(&format!("{text}{last}\n")), "line 4 stands in the plan twice");
    }

    #[test]
    fn a_plan_for_thousands_of_projects_is_read_as_it_was_written() {
        let (head, changes) = plan();
        let project = |number| PlanProject { id: ProjectId(uuid::Uuid::from_u128(number)), name: "x".repeat(50) };
        let head = PlanHead { projects: (0..5_000).map(project).collect(), ..head };
        let mut out = Vec::new();
        files().write(&head, &changes, &mut out).expect("written");
        assert_eq!(files().read(out.as_slice()).expect("a plan"), (head, changes));
    }

    #[test]
    fn what_is_no_plan_is_named() {
        for text in ["", "\n", "email\na@b\n", "{}\n", "{\"format\":\"assessctl-plan-2\"}\n"] {
            assert_eq!(refused(text), "the file is not a plan of `testtakers sync`", "{text:?}");
        }
        assert!(refused(&written().replacen("7f3c", "7f3d", 1)).starts_with("the plan was made with another state"));
    }
    #[test]
    fn a_head_knows_the_name_that_a_project_had_and_none_of_another_one() {
        let (head, _) = plan();
        let known = head.projects.first().expect("a project");
        assert!(!known.name.is_empty());
        assert_eq!(head.name_of(known.id), known.name);
        assert_eq!(head.name_of(ProjectId(uuid::Uuid::max())), "");
    }
}
