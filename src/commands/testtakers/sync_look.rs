//! What a sync finds before anything is sent: who is known, how the file stands, and what it means for the project.

use std::collections::HashSet;
use std::fmt::Write as _;

use crate::api::VerifiedList;
use crate::bulk::outcome::RowResult;
use crate::bulk::roster::{Field, Roster};
use crate::bulk::sync::absent::{AbsenceRules, Absent};
use crate::bulk::sync::classes::{Classes, Classifier, Known};
use crate::bulk::sync::known::KnownPeople;
use crate::bulk::sync::limits::FileFigures;
use crate::bulk::sync::people::FilePeople;
use crate::bulk::sync::person_keys::PersonKeys;
use crate::commands::shared::journal::rows;
use crate::commands::testtakers::sync_context::SyncContext;
use crate::journal::clock::{Moment, millis};
use crate::journal::person_key::{PersonKey, person_key};
use crate::journal::row_store::RowHasher;
use crate::journal::synced::SyncedRoster;
use crate::model::counted::counted;
use crate::model::testtakers::{EntryId, TestTaker};
use crate::model::text::fold_email;
use crate::model::text_digest::TextDigest;

/// What was found.
pub struct SyncLook {
    /// Who is what.
    pub classes: Classes,
    /// What the limits of the file are judged by; joiners and changes are the classes' to count.
    pub figures: FileFigures,
    /// Who is known once this roster is remembered.
    pub known: KnownPeople,
    /// The keyed hash of what the file says.
    pub roster: PersonKey,
    /// Now.
    pub now: Moment,
    /// When the last roster was synced whose gaps count as absences: this one, or an earlier one.
    pub counted: Moment,
    /// What is to be said.
    pub notes: Vec<String>,
}

/// Holds the file against the list and against what is remembered.
pub fn look(
    run: &SyncContext<'_>,
    list: &VerifiedList,
    ends: &[RowResult],
    removing: &HashSet<EntryId>,
) -> anyhow::Result<SyncLook> {
    let (rules, hasher, now) = (run.rules, run.journal.hasher(), Moment::now());
    let remembered = run.journal.recall(run.project, &rules.source)?;
    let roster = person_key(&run.journal.hash("roster", &[&digest(run.roster)]));
    let file = FilePeople::new(&hasher, run.roster, ends);
    let before = KnownPeople::new(remembered.as_ref().map(|known| known.people.clone()).unwrap_or_default());
    let since = remembered.as_ref().map(|known| now.wall - now.dates(&known.counted));
    let says_the_same = remembered.as_ref().is_some_and(|known| known.roster == roster);
    let counts = !says_the_same && since.is_none_or(|since| since >= millis(rules.roster_interval));
    let in_file = (0..run.roster.row_count()).filter_map(|row| PersonKeys::of_row(&hasher, run.roster, row).primary());
    let known = before.after(in_file.collect(), |key| file.has(key), counts);
    let figures = FileFigures {
        in_file: run.roster.row_count(),
        in_last: before.in_last_roster(),
        known: before.len(),
        known_in_file: before.present_in(|key| file.has(key)),
        joiners: 0,
        changes: 0,
    };
    let elsewhere = KnownPeople::new(run.journal.others(run.project, &rules.source)?);
    let keep = rules.keep.people(&hasher);
    let doubtful = doubtful(run)?;
    let absence = AbsenceRules {
        leavers: rules.leavers,
        is_first: remembered.is_none(),
        absent_for: rules.absent_for,
        known: &known,
        elsewhere: &elsewhere,
        keep: &keep,
    };
    let mut classifier = Classifier::new(Known {
        roster: run.roster,
        ends,
        file: &file,
        hasher: &hasher,
        rules: absence,
        doubtful: &doubtful,
        removing,
    });
    let mut kept = HashSet::new();
    list.each_record(|record: TestTaker| {
        kept.extend(PersonKeys::of_record(&hasher, &record).each().filter(|key| keep.absences(key).is_some()));
        classifier.see(record);
    })?;
    let classes = classifier.finish(|row| was_removed(run, row))?;
    let notes = notes(run, remembered.as_ref(), &classes, (counts, says_the_same), &kept, &hasher);
    let counted = if counts { now } else { remembered.map_or(now, |known| known.counted) };
    Ok(SyncLook { classes, figures, known, roster, now, counted, notes })
}

impl SyncContext<'_> {
    /// What is remembered of the roster, where `still` are the known people who stay on the list; nothing where rows
    /// were left out.
    pub fn remembered(&self, look: &SyncLook, still: &HashSet<PersonKey>) -> Option<SyncedRoster> {
        if self.rules.skips_rows {
            return None;
        }
        let people = look.known.clone().still(|key| still.contains(key)).into_people();
        Some(SyncedRoster { people, roster: look.roster, synced: look.now, counted: look.counted })
    }
}

/// Keys of people whose enrolment is in doubt.
fn doubtful(run: &SyncContext<'_>) -> anyhow::Result<HashSet<PersonKey>> {
    let rows = rows(run.session, run.project)?.all(true)?;
    Ok(rows
        .iter()
        .flat_map(|row| row.reference.iter().chain([&row.email]).map(person_key).collect::<Vec<_>>())
        .collect())
}

/// Whether a row's person was removed from here.
fn was_removed(run: &SyncContext<'_>, row: usize) -> anyhow::Result<bool> {
    let removals = run.removals.borrow();
    let reference = run.roster.value(row, Field::ReferenceId);
    let email = run.roster.value(row, Field::Email).map(fold_email);
    let by_reference = reference.map(|id| removals.has((Field::ReferenceId.name(), id))).transpose()?;
    if by_reference == Some(true) {
        return Ok(true);
    }
    Ok(email.map(|email| removals.has((Field::Email.name(), &email))).transpose()? == Some(true))
}

/// What a file says, whatever its encoding and separators are.
fn digest(roster: &Roster) -> String {
    let mut digest = TextDigest::new();
    for row in 0..roster.row_count() {
        for field in Field::ALL {
            digest.add(roster.value(row, field).unwrap_or_default());
        }
    }
    hex(digest.finish().as_ref())
}

/// Bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut digits, byte| {
        // A text takes whatever is written.
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

/// What a person should know beside the counts.
fn notes(
    run: &SyncContext<'_>,
    remembered: Option<&SyncedRoster>,
    classes: &Classes,
    (counts, says_the_same): (bool, bool),
    kept: &HashSet<PersonKey>,
    hasher: &RowHasher,
) -> Vec<String> {
    let mut notes = Vec::new();
    let source = &run.rules.source;
    let absent = classes.missing.iter().any(|(absent, _)| matches!(absent, Absent::NotLongEnough(_)));
    if run.rules.skips_rows {
        notes.push("rows were left out: nobody is removed, and the roster is not remembered".to_owned());
    } else if remembered.is_none() {
        notes.push(format!("this is the first roster of the source {source} here: nobody is removed"));
    } else if says_the_same && absent {
        notes.push("the file says what the last one said: it counts no absence".to_owned());
    } else if !counts && absent {
        notes.push("the last roster was a short while ago (--roster-interval): this one counts no absence".to_owned());
    }
    let missing = run.rules.keep.missing(hasher, |key| kept.contains(key));
    if missing > 0 {
        notes.push(format!("{} of --keep not on the list", counted(missing, "person is", "people are")));
    }
    notes
}
