//! What a roster means for a project: who joins, changes, leaves, and who is left alone. Pure: records and rows go in,
//! classes come out, and nothing is sent.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::bulk::outcome::{Outcome, RowResult};
use crate::bulk::roster::Roster;
use crate::journal::person_key::PersonKey;
use crate::journal::row_store::RowHasher;
use crate::model::testtakers::{EntryId, TestTaker};

use super::absent::{AbsenceRules, Absent};
use super::alike_people::{NameAndYear, alike};
use super::file_people::FilePeople;
use super::known_people::KnownPeople;
use super::person_keys::PersonKeys;
pub use super::row_class::RowClass;

/// A person of the list who leaves.
#[derive(Clone, Debug)]
pub struct Leaver {
    /// As the list has them.
    pub person: TestTaker,
    /// By what rosters know them.
    pub keys: PersonKeys,
}

impl Leaver {
    /// Known by the e-mail alone: what is remembered of this removal must not say that the reference id is gone.
    pub fn without_reference(&self) -> Self {
        Self { keys: PersonKeys { reference: None, ..self.keys }, ..self.clone() }
    }

    fn names(&self) -> Option<NameAndYear> {
        NameAndYear::of_record(&self.person, self.keys.reference.is_some())
    }
}

/// What is known before the list is gone through.
pub struct Known<'a> {
    /// The file.
    pub roster: &'a Roster,
    /// How each row stands, by a rehearsal of the import.
    pub ends: &'a [RowResult],
    /// The people of the file.
    pub file: &'a FilePeople<'a>,
    /// Makes the keys of people.
    pub hasher: &'a RowHasher,
    /// How absent people are judged.
    pub rules: AbsenceRules<'a>,
    /// Who was known before this roster.
    pub before: &'a KnownPeople,
    /// Entries that another e-mail of the same person is to take the place of, by a run that did not end.
    pub replacing: &'a HashSet<EntryId>,
    /// Keys of rows, of this roster and others, whose enrolment may still take effect.
    pub doubtful: &'a HashSet<PersonKey>,
    /// People enrolled from here that the service spells otherwise, by what was sent of them.
    pub sent: &'a HashMap<EntryId, PersonKeys>,
    /// Entries whose removal may still take effect.
    pub removing: &'a HashSet<EntryId>,
    /// Whether a changed e-mail is enrolled and then takes the old entry's place (`--replace-renamed`).
    pub replaces_renamed: bool,
}

/// Goes through the list, and then judges.
pub struct Classifier<'a> {
    known: Known<'a>,
    /// Rows that an entry contradicts, by the entry.
    conflicts: HashMap<EntryId, usize>,
    /// Rows that an entry stands for and differs from, by the entry.
    changing: HashMap<EntryId, usize>,
    /// Rows of people who have another e-mail here and whose entries stay.
    staying_renamed: HashSet<usize>,
    /// Rows of such people who would be replaced but for what may still take effect, with what that is.
    awaited: HashMap<usize, String>,
    /// Rows in doubt without a record so far, by what identifies their people.
    begun: HashMap<PersonKey, Vec<usize>>,
    /// Rows in conflict by their e-mails.
    wanted: HashMap<PersonKey, Vec<usize>>,
    /// Rows in conflict by their reference ids.
    contradicted: HashMap<PersonKey, usize>,
    /// Rows in conflict whose e-mail another entry has, each with the first such entry.
    taken: HashMap<usize, EntryId>,
    /// Known people who are absent and stay whatever the next rosters say: a joiner may be one of them.
    staying: Vec<Leaver>,
    /// What was found so far.
    found: Classes,
}

/// What a roster means for a project.
#[derive(Debug, Default)]
pub struct Classes {
    /// By rows.
    pub rows: Vec<RowClass>,
    /// Rows for which nothing is sent, with how they end.
    pub settled: HashMap<usize, RowResult>,
    /// Records that change, by rows.
    pub changed: HashMap<usize, TestTaker>,
    /// Rows of people who have another e-mail here, each with the entries that may be replaced: more than one where a run that
    /// replaced one did not end.
    pub renamed: HashMap<usize, Vec<Leaver>>,
    /// Entries that a run which did not end was about to replace.
    pub replacing: Vec<Leaver>,
    /// Who leaves, if the limits allow it.
    pub leavers: Vec<Leaver>,
    /// Known people who were not absent for long enough.
    pub waiting: Vec<Leaver>,
    /// How many people of the list are not in the file and stay, by why.
    pub missing: BTreeMap<Absent, usize>,
    /// Of those, how many are left alone because it is not certain who they are.
    pub unsettled: usize,
    /// Rows whose enrolment was begun and may have been done, and whose people the list does not show.
    in_doubt: Vec<usize>,
    /// People who stand on the list and stay there, by what earlier rosters alone know of them; without those who wait.
    pub still: HashSet<PersonKey>,
    /// Known people who are not in this part of the file, and whose enrolment by an earlier run is not certain yet.
    pub pending: Vec<PersonKeys>,
}

impl Classes {
    /// People of earlier rosters who stand on the list once those who leave are gone.
    pub fn staying(&self) -> HashSet<PersonKey> {
        let waiting = self.waiting.iter().map(|leaver| &leaver.keys);
        let each = waiting.chain(&self.pending).flat_map(PersonKeys::each);
        self.still.iter().copied().chain(each).collect()
    }

    /// How many rows join by this file: those in doubt are among them, for a killed run has begun with them.
    pub fn joining(&self) -> usize {
        let in_doubt = self.in_doubt.iter().filter(|row| self.rows[**row] == RowClass::Unsettled).count();
        self.count(RowClass::Joiner) + self.count(RowClass::Returner) + in_doubt
    }

    /// How many rows are of a class.
    pub fn count(&self, class: RowClass) -> usize {
        self.rows.iter().filter(|row| **row == class).count()
    }
}

impl<'a> Classifier<'a> {
    /// Prepares for the records of a list.
    pub fn new(known: Known<'a>) -> Self {
        let (mut conflicts, mut changing, mut contradicted) = (HashMap::new(), HashMap::new(), HashMap::new());
        let mut begun: HashMap<PersonKey, Vec<usize>> = HashMap::new();
        let mut wanted: HashMap<PersonKey, Vec<usize>> = HashMap::new();
        for (row, end) in known.ends.iter().enumerate() {
            match end.outcome {
                Outcome::WouldUpdate => changing.extend(end.entry.map(|entry| (entry, row))),
                Outcome::Conflict => {
                    let keys = PersonKeys::of_row(known.hasher, known.roster, row);
                    conflicts.extend(end.entry.map(|entry| (entry, row)));
                    contradicted.extend(keys.reference.map(|key| (key, row)));
                    if let Some(email) = keys.email {
                        wanted.entry(email).or_default().push(row);
                    }
                }
                outcome if outcome.is_unfinished() => {
                    if let Some(key) = PersonKeys::of_row(known.hasher, known.roster, row).primary() {
                        begun.entry(key).or_default().push(row);
                    }
                }
                _ => {}
            }
        }
        Self {
            known,
            conflicts,
            changing,
            staying_renamed: HashSet::new(),
            awaited: HashMap::new(),
            begun,
            wanted,
            contradicted,
            taken: HashMap::new(),
            staying: Vec::new(),
            found: Classes::default(),
        }
    }

    /// Whether the record of an entry can tell anything. That of a row which has the same reference id and e-mail, and of
    /// which nothing is to be done, says no more than the row: neither key can be one that this file lacks.
    pub fn needs(&self, entry: EntryId) -> bool {
        !self.known.file.is_settled(entry)
            || self.known.replacing.contains(&entry)
            || self.changing.contains_key(&entry)
            || self.conflicts.contains_key(&entry)
    }

    /// Takes a record of the list.
    pub fn add_record(&mut self, record: TestTaker) {
        let (entry, listed) = (record.entry_id(), PersonKeys::of_record(self.known.hasher, &record));
        let sent = self.known.sent.get(&entry);
        let keys = sent.map_or(listed, |sent| sent.listed_as(listed));
        let known = self.known.rules.known;
        let is_known = keys.each().any(|key| known.absences(&key).is_some());
        self.see_email(entry, listed.email);
        for key in [listed, keys].iter().filter_map(PersonKeys::primary) {
            self.begun.remove(&key);
        }
        let file = self.known.file;
        if file.concerns(entry, &listed) || (sent.is_some() && file.concerns(entry, &keys)) {
            self.see_of_file(record, listed);
        } else if is_known && keys.each().any(|key| self.known.doubtful.contains(&key)) {
            self.found.unsettled += 1;
        } else {
            let absent = self.known.rules.judge(&keys);
            let leaver = Leaver { person: record, keys };
            match absent {
                Absent::Leaver => return self.found.leavers.push(leaver),
                Absent::NotLongEnough(_) => return self.found.waiting.push(leaver),
                Absent::Kept | Absent::OtherSource | Absent::Spared | Absent::Stray => {}
            }
            *self.found.missing.entry(absent).or_default() += 1;
            if is_known {
                self.staying.push(leaver);
            }
        }
        self.found.still.extend(keys.each().filter(|key| known.absences(key) > Some(0)));
    }

    /// A record that has to do with a row: it changes, or it contradicts the row.
    fn see_of_file(&mut self, record: TestTaker, keys: PersonKeys) {
        let entry = record.entry_id();
        if self.known.replacing.contains(&entry) {
            self.found.replacing.push(Leaver { person: record.clone(), keys });
        }
        if let Some(row) = self.changing.get(&entry).copied() {
            self.found.changed.insert(row, record);
            return;
        }
        let is_no_rows = !self.known.file.has_entry(entry);
        let by_reference = keys.reference.filter(|_| is_no_rows).and_then(|key| self.contradicted.get(&key));
        if let Some(row) = self.conflicts.get(&entry).or(by_reference).copied() {
            self.see_conflict(row, Leaver { person: record, keys });
        }
    }

    /// A record whose e-mail a row in conflict has: whose it is cannot be told, and the row's person does not get it.
    fn see_email(&mut self, entry: EntryId, email: Option<PersonKey>) {
        let rows = email.and_then(|email| self.wanted.get(&email)).into_iter().flatten();
        for row in rows.filter(|row| self.known.ends[**row].entry != Some(entry)) {
            let first = self.taken.entry(*row).or_insert(entry);
            *first = (*first).min(entry);
        }
    }

    /// Rows of people who stand, and share an e-mail with a row in conflict (`--allow-duplicates`): of their entries there
    /// may be nothing to see.
    fn see_emails_of_rows(&mut self) {
        if self.found.renamed.is_empty() {
            return;
        }
        let stands = |end: &RowResult| end.entry.filter(|_| end.outcome != Outcome::Conflict);
        for (row, entry) in self.known.ends.iter().enumerate().filter_map(|(row, end)| Some((row, stands(end)?))) {
            let email = PersonKeys::email_of_row(self.known.hasher, self.known.roster, row);
            self.see_email(entry, email);
        }
    }

    /// A record that contradicts a row may be its person under another e-mail.
    fn see_conflict(&mut self, row: usize, other: Leaver) {
        let theirs = PersonKeys::of_row(self.known.hasher, self.known.roster, row);
        let is_renamed = theirs.reference.is_some() && theirs.reference == other.keys.reference;
        if !is_renamed || theirs.email == other.keys.email {
            return;
        }
        let may_be_replaced = self.known.rules.may_replace(&other.keys, self.known.before);
        let awaited = self.awaits(other.person.entry_id(), &theirs);
        if !may_be_replaced || awaited.is_some() {
            self.staying_renamed.insert(row);
        }
        self.found.renamed.entry(row).or_default().push(other);
        if let Some(words) = awaited.filter(|_| may_be_replaced && self.known.replaces_renamed) {
            self.awaited.insert(row, words);
        }
    }

    /// What may still take effect, so that it is not certain yet how a person with this entry stands.
    fn awaits(&self, entry: EntryId, row: &PersonKeys) -> Option<String> {
        if self.known.removing.contains(&entry) {
            return Some(removal_under_way(entry));
        }
        let is_doubtful = row.each().any(|key| self.known.doubtful.contains(&key));
        is_doubtful.then(|| "an earlier attempt to enrol this person may still take effect".to_owned())
    }

    /// Judges. `was_removed` says whether a row's person was removed from here.
    pub fn finish<E>(mut self, was_removed: impl Fn(usize) -> Result<bool, E>) -> Result<Classes, E> {
        // In whatever order the list came: what is told of people has that of their entries.
        let Classes { leavers, waiting, replacing, .. } = &mut self.found;
        for people in [leavers, waiting, &mut self.staying, replacing] {
            people.sort_unstable_by_key(|leaver| leaver.person.entry_id());
        }
        self.see_emails_of_rows();
        for row in self.taken.keys() {
            self.awaited.remove(row);
        }
        for row in self.taken.keys().chain(&self.staying_renamed) {
            self.found.renamed.entry(*row).and_modify(Vec::clear);
        }
        for old in self.found.renamed.values_mut() {
            old.sort_unstable_by_key(|leaver| leaver.person.entry_id());
        }
        let mut settled = self.settled();
        self.leave_alike_alone(&mut settled);
        let mut rows = Vec::with_capacity(self.known.ends.len());
        for (row, end) in self.known.ends.iter().enumerate() {
            rows.push(match end.outcome {
                _ if self.found.renamed.contains_key(&row) => RowClass::Renamed,
                _ if settled.contains_key(&row) => RowClass::Unsettled,
                Outcome::Existing | Outcome::Enrolled => RowClass::AsBefore,
                Outcome::WouldEnrol if was_removed(row)? => RowClass::Returner,
                Outcome::WouldEnrol => RowClass::Joiner,
                Outcome::WouldUpdate => RowClass::Changed,
                _ => RowClass::Unsettled,
            });
        }
        let begun = self.begun.into_values().flatten();
        let in_doubt = begun.filter(|row| !settled.contains_key(row)).collect();
        Ok(Classes { rows, settled, in_doubt, ..self.found })
    }

    /// Rows of which the rehearsal said enough: what they contradict is left alone.
    fn settled(&self) -> HashMap<usize, RowResult> {
        let mut settled = HashMap::new();
        for (row, end) in self.known.ends.iter().enumerate() {
            let words = match (end.outcome, end.entry) {
                (Outcome::Conflict, Some(entry)) if self.awaited.contains_key(&row) => {
                    settled.insert(row, in_doubt(entry, self.awaited[&row].clone()));
                    None
                }
                (Outcome::Conflict, Some(entry)) if self.found.renamed.contains_key(&row) => {
                    Some(match self.taken.get(&row) {
                        Some(other) => format!("entry {entry} has this reference id, and entry {other} this e-mail"),
                        None => format!(
                            "entry {entry} has this reference id and another e-mail, which the API cannot change"
                        ),
                    })
                }
                (Outcome::Gone, _) => Some("was enrolled from here and removed since, and not from here".to_owned()),
                (Outcome::Existing | Outcome::Enrolled, Some(entry)) if self.known.removing.contains(&entry) => {
                    settled.insert(row, in_doubt(entry, removal_under_way(entry)));
                    None
                }
                (Outcome::Conflict | Outcome::Duplicate, _) => end.message.as_deref().map(str::to_owned),
                _ => None,
            };
            if let Some(words) = words {
                settled.insert(row, RowResult { message: Some(words.into()), ..end.clone() });
            }
        }
        settled
    }

    /// Joiners and known people who are absent and look alike may be one person under another e-mail: both stay as they
    /// are.
    fn leave_alike_alone(&mut self, settled: &mut HashMap<usize, RowResult>) {
        let ends = self.known.ends.iter().enumerate();
        let joiners: Vec<usize> =
            ends.filter(|(_, end)| end.outcome == Outcome::WouldEnrol).map(|(row, _)| row).collect();
        if joiners.is_empty() {
            return;
        }
        let roster = self.known.roster;
        let found = &mut self.found;
        let absent: Vec<&Leaver> = found.leavers.iter().chain(&found.waiting).chain(&self.staying).collect();
        let pairs = alike(
            &joiners.iter().map(|row| NameAndYear::of_row(roster, *row)).collect::<Vec<_>>(),
            &absent.iter().map(|leaver| leaver.names()).collect::<Vec<_>>(),
        );
        let mut stay = HashSet::new();
        for (at, others) in pairs {
            let entries: Vec<EntryId> = others.iter().map(|other| absent[*other].person.entry_id()).collect();
            let words = format!(
                "entry {} has this name and another e-mail, and is not in the file: this may be one person",
                entries.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
            );
            let end = RowResult { entry: entries.first().copied(), ..RowResult::new(Outcome::Conflict) };
            settled.insert(joiners[at], end.with_message(words));
            stay.extend(entries);
        }
        for leaver in found.leavers.extract_if(.., |leaver| stay.contains(&leaver.person.entry_id())) {
            found.unsettled += 1;
            found.still.extend(leaver.keys.each());
        }
    }
}

fn in_doubt(entry: EntryId, words: String) -> RowResult {
    RowResult::new(Outcome::InDoubt).with_entry(entry).with_message(words)
}

fn removal_under_way(entry: EntryId) -> String {
    format!("the removal of entry {entry} by an earlier run may still take effect")
}
