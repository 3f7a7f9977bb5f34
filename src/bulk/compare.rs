//! Which rows the service holds already: rows and records are matched by reference id and e-mail.
//!
//! Records are noted while they are read; the rows are judged when all have been seen. So neither the order of the rows nor
//! that of the records counts, and a record that stands for one row still contradicts another. Most records say just what
//! one row says, and are taken at once ([`take_at_once`]). The rule is in [`match_rule`].

mod another_person;
mod further_entries;
pub mod match_rule;
mod removed;
mod roster_index;
mod same_email;
mod take_at_once;

use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;

use crate::api::IdBitmap;
use crate::model::field_rules::{filled, fold_email, plain_name, same_email};
use crate::model::testtakers::{EntryId, ListedPerson, TestTaker};

use super::outcome::{Outcome, RowResult};
use super::roster::{Field, Roster};

use further_entries::remember;
use match_rule::{Differences, Match, Relation};
use removed::RemovedEntries;
use roster_index::{Index, TextHash};
use same_email::{Content, Note, SEVERAL, SameEmail, differences};
use take_at_once::Mark;

/// Compares a roster with records as they are read. Of records that have nothing in common with a row only the id is kept:
/// memory grows with the roster.
#[derive(Debug)]
pub struct Comparison<'r> {
    index: Rc<Index<'r>>,
    /// Another e-mail with the same reference id is another person.
    allow_duplicates: bool,
    /// By rows; empty while there is none.
    matches: Vec<Option<Match>>,
    /// Entries that are a row's by the journal, with their rows; in their order once a record was seen.
    journaled: Vec<(EntryId, u32)>,
    is_sorted: bool,
    /// Records by e-mail of which the journal does not say everything, until the rows are judged.
    notes: Vec<Note>,
    /// Rows whose reference id a record with another e-mail has.
    contradicted: Vec<(u32, EntryId)>,
    /// Further entries that look exactly like a row which has one.
    duplicates: HashMap<usize, Vec<EntryId>>,
    /// Entries that have the reference id of a row which has one of its own, and another e-mail.
    namesakes: HashMap<usize, Vec<EntryId>>,
    /// What became of the rows of which records are taken at once; empty where none was since the last judgement.
    marks: Vec<Mark>,
    /// The row behind the one that was taken last: many a list has the order of the file.
    next: usize,
    /// Every record that was seen.
    baseline: IdBitmap,
    /// The project's list was seen to its end.
    is_list_complete: bool,
    /// Entries that have a row's reference id, or without one its e-mail, and are not taken for the row.
    foreign_matches: HashMap<usize, Vec<EntryId>>,
    removed: RemovedEntries,
    /// Rows whose entry by the journal is another person's by its record; `None` where that is not asked.
    others: Option<HashMap<usize, EntryId>>,
}

impl<'r> Comparison<'r> {
    /// Prepares for the rows that can be sent.
    pub fn new(roster: &'r Roster, rows: impl Iterator<Item = usize>, allow_duplicates: bool) -> Self {
        Self::over(Rc::new(Index::new(roster, rows)), allow_duplicates)
    }

    fn over(index: Rc<Index<'r>>, allow_duplicates: bool) -> Self {
        Self {
            index,
            allow_duplicates,
            matches: Vec::new(),
            journaled: Vec::new(),
            is_sorted: true,
            notes: Vec::new(),
            contradicted: Vec::new(),
            duplicates: HashMap::new(),
            namesakes: HashMap::new(),
            marks: Vec::new(),
            next: 0,
            baseline: IdBitmap::default(),
            is_list_complete: false,
            foreign_matches: HashMap::new(),
            removed: RemovedEntries::default(),
            others: Some(HashMap::new()),
        }
    }

    /// A new comparison with the same rows: for the audit.
    pub fn fresh_copy(&self) -> Self {
        Self::over(Rc::clone(&self.index), self.allow_duplicates)
    }

    /// A new comparison with one of the rows: for what is found out about it later.
    pub fn of_row(&self, row: usize) -> Self {
        Self::new(self.index.roster, std::iter::once(row), self.allow_duplicates)
    }

    /// Says before anything is seen that an entry is a row's, so that no other row takes it.
    pub fn reserve(&mut self, row: usize, entry: EntryId) {
        self.journaled.push((entry, number(row)));
        self.is_sorted = false;
        let differs = Differences::default();
        self.set(row, Match { relation: Relation::Journaled, entry, differs, seen: false });
    }

    fn set(&mut self, row: usize, known: Match) {
        if self.matches.is_empty() {
            self.matches = vec![None; self.index.roster.row_count()];
        }
        self.matches[row] = Some(known);
    }

    fn known(&self, row: usize) -> Option<Match> {
        self.matches.get(row).copied().flatten()
    }

    /// Whether a row has the reference id of a record.
    pub fn names(&self, record: &TestTaker) -> bool {
        filled(record.reference_id.as_deref()).is_some_and(|id| self.index.with_reference(id).next().is_some())
    }

    /// Takes a record that stands in the project. Seeing one again changes nothing.
    pub fn add_record(&mut self, record: &TestTaker) {
        self.add_listed(&record.into());
    }

    /// The same of a record of a list.
    pub fn add_listed(&mut self, record: &ListedPerson<'_>) {
        if self.baseline.add(i64::from(record.entry_id().0)) {
            if !self.take_at_once(record) {
                self.note(record);
            }
        } else {
            self.note_removed(record);
        }
    }

    /// Keeps what a record has in common with rows, until they are judged.
    fn note(&mut self, record: &ListedPerson<'_>) {
        let entry = record.entry_id();
        let owner = self.owner(entry).filter(|row| !self.is_anothers(*row, record));
        if let Some(row) = owner {
            let differs = self.differences_of(row, record);
            self.set(row, Match { relation: Relation::Journaled, entry, differs, seen: true });
        }
        let reference = filled(record.reference_id());
        let email = filled(record.email());
        if let Some(id) = reference {
            self.note_other_emails(owner, entry, id, email.unwrap_or_default());
        }
        let Some(email) = email.map(|email| self.index.hash(&fold_email(email))) else { return };
        let (first, second) = {
            let mut rows = self.index.with_email_hash(email);
            (rows.next(), rows.next())
        };
        // Of an entry that is a row's by the journal all is said, unless another row has the address as well.
        if first.into_iter().chain(second).any(|row| Some(row) != owner) {
            let lone_row = first.filter(|_| second.is_none());
            self.give_back(lone_row);
            let lone_row = lone_row.map_or(SEVERAL, number);
            let reference = reference.map(|id| self.index.hash(id));
            self.notes.push(Note { lone_row, entry, email, reference, content: self.content_of(record) });
        }
    }

    /// Notes the rows that have this reference id and another e-mail. Entries of the journal contradict other rows too.
    fn note_other_emails(&mut self, owner: Option<usize>, entry: EntryId, id: &str, email: &str) {
        let index = Rc::clone(&self.index);
        for row in index.with_reference(id).filter(|row| Some(*row) != owner) {
            if same_email(index.roster.value(row, Field::Email).unwrap_or_default(), email) {
                continue;
            }
            remember(self.foreign_matches.entry(row).or_default(), entry);
            if !self.allow_duplicates {
                self.contradicted.push((number(row), entry));
            }
        }
    }

    /// The row whose entry this is by the journal.
    fn owner(&mut self, entry: EntryId) -> Option<usize> {
        if !self.is_sorted {
            self.journaled.sort_unstable();
            self.journaled.dedup_by_key(|(entry, _)| *entry);
            self.is_sorted = true;
        }
        let found = self.journaled.binary_search_by_key(&entry, |(entry, _)| *entry).ok()?;
        let row = self.journaled[found].1 as usize;
        let is_anothers = self.others.as_ref().is_some_and(|others| others.contains_key(&row));
        (!is_anothers).then_some(row)
    }

    fn content_of(&self, record: &ListedPerson<'_>) -> Content {
        let (first, last) = (self.hash_of_name(record.first_name()), self.hash_of_name(record.last_name()));
        (first, last, record.year_of_birth)
    }

    fn hash_of_name(&self, name: Option<&str>) -> Option<TextHash> {
        filled(name.map(plain_name).as_deref()).map(|name| self.index.hash(name))
    }

    fn content_of_row(&self, row: usize) -> Content {
        let [_, first, last, year, _] = self.index.roster.values(row);
        (self.hash_of_name(first), self.hash_of_name(last), year.and_then(|year| year.parse().ok()))
    }

    fn differences_of(&self, row: usize, record: &ListedPerson<'_>) -> Differences {
        let roster = self.index.roster;
        let (email, id) = (roster.value(row, Field::Email).unwrap_or_default(), roster.value(row, Field::ReferenceId));
        let theirs = filled(record.reference_id());
        let both = id.zip(theirs);
        Differences {
            email: !same_email(email, record.email().unwrap_or_default()),
            reference: id.is_some() && id != theirs,
            reference_contradicts: both.is_some_and(|(id, theirs)| !id.eq_ignore_ascii_case(theirs)),
            ..differences(self.content_of_row(row), self.content_of(record))
        }
    }

    /// Judges the rows by all that was seen: which record stands for which row, and what contradicts.
    pub fn judge(&mut self) {
        self.marks.clear();
        let mut notes = std::mem::take(&mut self.notes);
        // In the order of the rows, so that memory is gone through from its start to its end.
        notes.sort_unstable_by_key(|note| (note.lone_row, note.email, note.entry));
        // In whatever order the records came: what is told of them, and remembered, has theirs.
        self.contradicted.sort_unstable();
        self.foreign_matches.values_mut().for_each(|entries| entries.sort_unstable());
        for alike in notes.chunk_by(|one, other| one.email == other.email) {
            self.judge_address(alike);
        }
        // A record with the reference id contradicts the row, whatever else fits it, but for a record that has both.
        for (row, entry) in std::mem::take(&mut self.contradicted) {
            let row = row as usize;
            match self.known(row) {
                Some(known) if known.relation <= Relation::Same => self.namesakes.entry(row).or_default().push(entry),
                Some(known) if known.relation == Relation::OtherEmail && known.entry <= entry => {}
                _ => self.pair(Relation::OtherEmail, row, entry, Differences::default()),
            }
        }
    }

    fn pair(&mut self, relation: Relation, row: usize, entry: EntryId, differs: Differences) {
        self.set(row, Match { relation, entry, differs, seen: true });
    }

    /// Judges the rows and records of one e-mail address.
    fn judge_address(&mut self, notes: &[Note]) {
        let index = Rc::clone(&self.index);
        let Some(Note { email, .. }) = notes.first().copied() else { return };
        let has_email = |row: &usize| {
            index.roster.value(*row, Field::Email).is_some_and(|text| index.hash(&fold_email(text)) == email)
        };
        let rows: Vec<usize> = index.with_email_hash(email).filter(has_email).collect();
        let free: Vec<Note> = notes.iter().filter(|note| self.owner(note.entry).is_none()).copied().collect();
        let mut address = SameEmail::default();
        for row in rows.iter().copied() {
            let reference = index.roster.value(row, Field::ReferenceId).map(|id| index.hash(id));
            address.add_row(row, reference, self.known(row).is_none());
        }
        for note in free {
            if let Some(owner) = address.add_note(note) {
                match owner {
                    Ok(row) => self.take(Relation::Same, row, note),
                    Err(row) => self.duplicates.entry(row).or_default().push(note.entry),
                }
            }
        }
        self.take_alike(Relation::Same, &mut address.plain_rows, &mut address.plain_notes);
        self.note_plain_duplicates(&rows, &address.plain_notes);
        let mut referenced = address.free_rows();
        let contradicted = referenced.clone();
        self.take_alike(Relation::WithoutReference, &mut referenced, &mut address.plain_notes);
        self.take_alike(Relation::WithReference, &mut address.plain_rows, &mut address.other_notes);
        if let Some(other) = address.other_notes.first() {
            for row in contradicted {
                self.pair(Relation::OtherReference, row, other.entry, Differences::default());
            }
        }
        self.remember_address(&rows, notes);
    }

    fn take(&mut self, relation: Relation, row: usize, note: Note) {
        let differs = differences(self.content_of_row(row), note.content);
        self.pair(relation, row, note.entry, differs);
    }

    /// Gives each row a record: one that says the same of the person, else the next one.
    fn take_alike(&mut self, relation: Relation, rows: &mut Vec<usize>, notes: &mut Vec<Note>) {
        if rows.is_empty() || notes.is_empty() {
            return;
        }
        let mut by_content: HashMap<Content, VecDeque<usize>> = HashMap::new();
        for row in rows.iter().copied() {
            by_content.entry(self.content_of_row(row)).or_default().push_back(row);
        }
        let mut taken = HashSet::new();
        notes.retain(|note| {
            let Some(row) = by_content.get_mut(&note.content).and_then(VecDeque::pop_front) else { return true };
            self.take(relation, row, *note);
            taken.insert(row);
            false
        });
        rows.retain(|row| !taken.contains(row));
        let count = rows.len().min(notes.len());
        for (row, note) in rows.drain(..count).zip(notes.drain(..count)) {
            self.take(relation, row, note);
        }
    }

    /// Records without a reference id that say the same as a row which has one already.
    fn note_plain_duplicates(&mut self, rows: &[usize], notes: &[Note]) {
        if notes.is_empty() {
            return;
        }
        let plain = rows.iter().copied().filter(|row| {
            self.index.roster.value(*row, Field::ReferenceId).is_none()
                && self.known(*row).is_some_and(|known| known.relation <= Relation::Same)
        });
        let by_content: HashMap<Content, usize> = plain.map(|row| (self.content_of_row(row), row)).collect();
        for note in notes {
            if let Some(row) = by_content.get(&note.content) {
                self.duplicates.entry(*row).or_default().push(note.entry);
            }
        }
    }

    /// How a row stands: `None` where nothing that was seen is related to it.
    pub fn result_of(&self, row: usize) -> Option<RowResult> {
        let known = self.known(row).filter(|known| known.seen)?;
        let result = known.result();
        if known.relation != Relation::Same || known.is_conflict() {
            return Some(result);
        }
        if let Some(others) = self.duplicates.get(&row) {
            let words = format!("stands in the project more than once, also as entry {}", list(others));
            return Some(RowResult { outcome: Outcome::Duplicate, ..result }.with_message(words));
        }
        Some(match self.namesakes.get(&row) {
            Some(others) => result.with_message(format!("entry {} has this reference id too", list(others))),
            None => result,
        })
    }

    /// Says that the project's list was seen to its end.
    pub fn mark_list_complete(&mut self) {
        self.is_list_complete = true;
    }

    /// Whether the project's list was seen to its end: an entry that was not seen is not there.
    pub fn is_list_complete(&self) -> bool {
        self.is_list_complete
    }

    /// Whether another e-mail with the same reference id is another person.
    pub fn allows_duplicates(&self) -> bool {
        self.allow_duplicates
    }

    /// Whether an entry was there before anything was sent.
    pub fn was_there(&self, entry: EntryId) -> bool {
        self.baseline.has(i64::from(entry.0))
    }

    /// Whether a row can be changed into what the roster says: it stands there with another name, or without its
    /// reference id, and nothing contradicts.
    pub fn differs(&self, row: usize) -> Option<EntryId> {
        let known = self.known(row).filter(|known| known.seen)?;
        let can = !known.is_conflict() && !known.differs.year_contradicts && !known.differs.reference_contradicts;
        let adds_reference =
            known.relation == Relation::WithoutReference && self.index.roster.value(row, Field::ReferenceId).is_some();
        (can && (known.differs.first_name || known.differs.last_name || adds_reference)).then_some(known.entry)
    }

    /// How a row ends that is to be changed into what the roster says, and whose own entry has another reference id now:
    /// who set that one knew why.
    pub fn contradicted(&self, row: usize) -> Option<RowResult> {
        let known = self.known(row).filter(|known| known.seen && known.differs.reference_contradicts)?;
        Some(Match { relation: Relation::OtherReference, ..known }.result())
    }

    /// Rows whose own entry was not seen.
    pub fn missing(&self) -> Vec<usize> {
        let rows = self.journaled.iter().map(|(_, row)| *row as usize);
        let mut rows: Vec<usize> = rows.filter(|row| self.known(*row).is_some_and(|known| !known.seen)).collect();
        rows.sort_unstable();
        rows
    }

    /// The rows that must not be under way beside each other, each with the number of its group.
    pub fn groups(&self) -> HashMap<usize, usize> {
        self.index.groups()
    }
}

fn number(row: usize) -> u32 {
    u32::try_from(row).expect("rows are counted in 32 bits")
}

/// Entry ids as messages list them.
pub fn list(entries: &[EntryId]) -> String {
    entries.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod order_tests;
#[cfg(test)]
mod tests;
