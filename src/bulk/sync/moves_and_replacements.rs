//! People who go from one entry to another: into another project of the file, or under another e-mail. Each is a pair of
//! an enrolment and a removal: enrolled first, looked for, and only then removed.

use std::collections::{HashMap, HashSet};

use crate::bulk::outcome::{Outcome, RowResult};
use crate::bulk::roster::{Field, Roster};
use crate::journal::person_key::PersonKey;
use crate::journal::row_store::RowHasher;
use crate::journal::synced_rosters::open_moves::OpenMove;
use crate::model::projects::ProjectId;
use crate::model::testtakers::{EntryId, TestTaker};

use super::alike_people::NameAndYear;
use super::classes::{Classes, Leaver, RowClass};
use super::person_keys::PersonKeys;

/// A person's old entry, and the row that is to stand before it goes.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The part of the file whose project the old entry is in.
    pub from: usize,
    /// The old entry.
    pub old: Leaver,
    /// The part that has the row; the same one for a changed e-mail.
    pub to: usize,
    pub row: usize,
}

impl Pair {
    /// Whether it is a changed e-mail: both entries are in one project.
    pub fn is_replacement(&self) -> bool {
        self.from == self.to
    }

    /// The old entry's id.
    pub fn entry(&self) -> EntryId {
        self.old.person.entry_id()
    }

    /// The old entry as one that leaves. One that is replaced is remembered by its e-mail: by the reference id the person
    /// stays.
    pub fn leaver(&self) -> Leaver {
        if self.is_replacement() { self.old.without_reference() } else { self.old.clone() }
    }
}

/// A project's part of the file.
pub struct FilePart<'a> {
    pub project: ProjectId,
    /// Its rows.
    pub roster: &'a Roster,
    /// How each stands.
    pub ends: &'a [RowResult],
}

/// Rows by the keys of people who may be theirs.
type RowsByKey = HashMap<PersonKey, Vec<(usize, usize)>>;

/// Finds the pairs, takes their people out of those who leave or wait, and gives their rows their class. `open` are the
/// moves that earlier runs began; `replaces` says that changed e-mails are pairs too (`--replace-renamed`).
///
/// A person who is absent from one project of the file and has a row in another that does not stand stays: who is in
/// doubt there, or refused, would be in neither.
pub fn find_pairs(
    parts: &[FilePart<'_>],
    classes: &mut [Classes],
    hasher: &RowHasher,
    (open, replaces): (&[OpenMove], bool),
) -> Vec<Pair> {
    let rows = rows_of(parts, classes, hasher);
    let finder = Finder { parts, rows, open };
    let mut pairs = Vec::new();
    for from in 0..parts.len() {
        finder.leave_pending_alone(from, classes);
    }
    for from in 0..parts.len() {
        pairs.extend(finder.resumed_replacements(from, &mut classes[from]));
        pairs.extend(finder.movers(from, classes));
    }
    if replaces {
        for (from, classes) in classes.iter_mut().enumerate() {
            let renamed = classes.renamed.iter();
            let mut renamed: Vec<(usize, Leaver)> =
                renamed.flat_map(|(row, old)| old.iter().map(|old| (*row, old.clone()))).collect();
            renamed.sort_unstable_by_key(|(row, old)| (*row, old.person.entry_id()));
            for (row, old) in renamed {
                classes.rows[row] = RowClass::Replaced;
                pairs.push(Pair { from, old, to: from, row });
            }
        }
    }
    pairs
}

/// The rows that share a key with a person who may be paired; the rows are not gone through where there is none.
fn rows_of(parts: &[FilePart<'_>], classes: &[Classes], hasher: &RowHasher) -> RowsByKey {
    let absent = classes.iter().filter(|_| parts.len() > 1).flat_map(|of| of.leavers.iter().chain(&of.waiting));
    let replacing = classes.iter().flat_map(|of| &of.replacing);
    let people = absent.chain(replacing).map(|person| &person.keys);
    let pending = classes.iter().flat_map(|of| &of.pending);
    let wanted: HashSet<PersonKey> = people.chain(pending).flat_map(PersonKeys::each).collect();
    let mut rows = RowsByKey::new();
    if wanted.is_empty() {
        return rows;
    }
    for (part, FilePart { roster, .. }) in parts.iter().enumerate() {
        for row in 0..roster.row_count() {
            for key in PersonKeys::of_row(hasher, roster, row).each().filter(|key| wanted.contains(key)) {
                rows.entry(key).or_default().push((part, row));
            }
        }
    }
    rows
}

/// What is said of a row whose person may be on the way into another project.
const PENDING: &str = "an earlier run enrolled this person in another project of the file, or may have, and its list does not \
                       tell yet: the move waits for that";

struct Finder<'a> {
    parts: &'a [FilePart<'a>],
    rows: RowsByKey,
    open: &'a [OpenMove],
}

impl Finder<'_> {
    /// The rows that are a person's: by the reference id where both have one, else by the e-mail.
    fn rows_of(&self, person: &PersonKeys) -> Vec<(usize, usize)> {
        let by_key = |key: Option<PersonKey>| key.and_then(|key| self.rows.get(&key)).into_iter().flatten().copied();
        let mut found: Vec<(usize, usize)> = by_key(person.reference).collect();
        let has_reference = |(part, row): &(usize, usize)| {
            let roster = self.parts[*part].roster;
            roster.value(*row, Field::ReferenceId).is_some()
        };
        found.extend(by_key(person.email).filter(|place| person.reference.is_none() || !has_reference(place)));
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Entries that a killed run was about to replace, and whose new entry stands, or may.
    fn resumed_replacements(&self, from: usize, classes: &mut Classes) -> Vec<Pair> {
        let mut pairs = Vec::new();
        for old in std::mem::take(&mut classes.replacing) {
            let rows = self.rows_of(&old.keys).into_iter().filter(|(part, _)| *part == from);
            for (_, row) in rows {
                let end = &self.parts[from].ends[row];
                let is_other = stands(end) && end.entry != Some(old.person.entry_id());
                if (is_other || end.outcome.is_unfinished()) && !classes.settled.contains_key(&row) {
                    classes.rows[row] = RowClass::Replaced;
                    pairs.push(Pair { from, old: old.clone(), to: from, row });
                }
            }
        }
        pairs
    }

    /// Rows of people who are pending in another project wait: they join once it is certain what they leave. Who has no such
    /// row stays pending.
    fn leave_pending_alone(&self, from: usize, classes: &mut [Classes]) {
        for keys in std::mem::take(&mut classes[from].pending) {
            let rows = self.rows_of(&keys).into_iter().filter(|(part, row)| {
                let is_new = matches!(classes[*part].rows[*row], RowClass::Joiner | RowClass::Returner);
                *part != from && (is_new || self.is_under_way(*part, *row, classes))
            });
            let rows: Vec<(usize, usize)> = rows.collect();
            if rows.is_empty() {
                classes[from].pending.push(keys);
            }
            for (part, row) in rows {
                classes[part].rows[row] = RowClass::Unsettled;
                classes[part].settled.insert(row, RowResult::new(Outcome::InDoubt).with_message(PENDING));
            }
        }
    }

    /// People who are absent from a project and have a row in another one.
    fn movers(&self, from: usize, classes: &mut [Classes]) -> Vec<Pair> {
        let mut pairs = Vec::new();
        let leavers = std::mem::take(&mut classes[from].leavers);
        let waiting = std::mem::take(&mut classes[from].waiting);
        let absent =
            leavers.into_iter().map(|leaver| (true, leaver)).chain(waiting.into_iter().map(|one| (false, one)));
        for (leaves, old) in absent {
            let rows = self.rows_of(&old.keys).into_iter().filter(|(part, _)| *part != from);
            match self.destination(from, &old, rows, classes) {
                Destination::Joins(to, row) => {
                    classes[to].rows[row] = RowClass::Mover;
                    pairs.push(Pair { from, old, to, row });
                }
                Destination::Unsettled if leaves => {
                    classes[from].unsettled += 1;
                    classes[from].still.extend(old.keys.each());
                }
                Destination::None if leaves => classes[from].leavers.push(old),
                Destination::None | Destination::Unsettled => classes[from].waiting.push(old),
            }
        }
        pairs
    }

    /// Whether a row's enrolment was begun and may end in this run: who it is about is certain.
    fn is_under_way(&self, part: usize, row: usize, classes: &[Classes]) -> bool {
        let is_open = self.parts[part].ends[row].outcome.is_unfinished();
        is_open && !classes[part].settled.contains_key(&row)
    }

    fn destination(
        &self,
        from: usize,
        old: &Leaver,
        rows: impl Iterator<Item = (usize, usize)>,
        classes: &[Classes],
    ) -> Destination {
        let mut found = Destination::None;
        for (to, row) in rows {
            let is_resumed = self.open.iter().any(|open| {
                let (from, to) = (self.parts[from].project, self.parts[to].project);
                open.from == from && open.to == to && open.entry == old.person.entry_id()
            });
            match classes[to].rows[row] {
                RowClass::Joiner | RowClass::Returner | RowClass::Mover => return Destination::Joins(to, row),
                RowClass::AsBefore | RowClass::Changed if is_resumed => return Destination::Joins(to, row),
                RowClass::Unsettled if self.is_under_way(to, row, classes) => return Destination::Joins(to, row),
                RowClass::AsBefore | RowClass::Changed => {}
                RowClass::Renamed | RowClass::Replaced | RowClass::Unsettled => found = Destination::Unsettled,
            }
        }
        found
    }
}

/// Where a person goes who is absent from a project.
enum Destination {
    /// Into this part, by this row.
    Joins(usize, usize),
    /// There is a row elsewhere, and it is not certain that it stands.
    Unsettled,
    /// No row elsewhere, or one that stands already: the person leaves by the rules of absence.
    None,
}

/// Whether a record of the list is a row's person, so that the old entry may go: by the reference id, the e-mail, or where
/// the service spells both otherwise, by the names and the year of birth. That it has the entry of the row's answer is
/// not enough: an answer may name another person's.
pub fn is_person_of(hasher: &RowHasher, (roster, row): (&Roster, usize), record: &TestTaker) -> bool {
    let (ours, theirs) = (PersonKeys::of_row(hasher, roster, row), PersonKeys::of_record(hasher, record));
    if ours.each().any(|key| theirs.each().any(|other| other == key)) {
        return true;
    }
    let names = NameAndYear::of_row(roster, row).zip(NameAndYear::of_record(record, false));
    names.is_some_and(|(ours, theirs)| ours.says_the_same(&theirs))
}

/// Whether a row has an entry that stands in its project.
fn stands(end: &RowResult) -> bool {
    matches!(end.outcome, Outcome::Existing | Outcome::Enrolled | Outcome::WouldUpdate)
}
