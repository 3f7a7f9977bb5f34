//! What a roster means for a project: who joins, changes, leaves, and who is left alone. Pure: records and rows go in,
//! classes come out, and nothing is sent.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::bulk::outcome::{Outcome, RowResult};
use crate::bulk::roster::{Field, Roster};
use crate::journal::person_key::PersonKey;
use crate::journal::row_store::RowHasher;
use crate::model::testtakers::{EntryId, TestTaker};

use super::absent::{AbsenceRules, Absent};
use super::alike::{NameAndYear, alike};
use super::people::FilePeople;
use super::person_keys::PersonKeys;

/// What a row of the file means for the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RowClass {
    /// Stands in the project as in the file.
    AsBefore,
    /// In the file, and on no list.
    Joiner,
    /// The same, and removed from here before.
    Returner,
    /// Names differ, or the service has no reference id.
    Changed,
    /// The reference id is the same and the e-mail is not, which the API cannot change.
    Renamed,
    /// In doubt, a duplicate, in conflict, invalid: left alone.
    Unsettled,
}

impl RowClass {
    /// The value as reports have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::AsBefore => "as-before",
            Self::Joiner => "joiner",
            Self::Returner => "returner",
            Self::Changed => "changed",
            Self::Renamed => "renamed",
            Self::Unsettled => "unsettled",
        }
    }
}

/// A person of the list who leaves.
#[derive(Clone, Debug)]
pub struct Leaver {
    /// As the list has them.
    pub person: TestTaker,
    /// By what rosters know them.
    pub keys: PersonKeys,
}

/// What is known before the list is gone through.
pub struct Known<'a> {
    /// The file.
    pub roster: &'a Roster,
    /// How each row stands, by a rehearsal of the import.
    pub ends: &'a [RowResult],
    /// The people of the file.
    pub file: &'a FilePeople,
    /// Makes the keys of people.
    pub hasher: &'a RowHasher,
    /// How absent people are judged.
    pub rules: AbsenceRules<'a>,
    /// Keys of rows in doubt, of this roster and others.
    pub doubtful: &'a HashSet<PersonKey>,
    /// Entries whose removal may still take effect.
    pub removing: &'a HashSet<EntryId>,
}

/// Goes through the list, and then judges.
pub struct Classifier<'a> {
    known: Known<'a>,
    /// Rows that an entry contradicts, by the entry.
    conflicts: HashMap<EntryId, usize>,
    /// Rows that an entry stands for and differs from, by the entry.
    changing: HashMap<EntryId, usize>,
    changed: HashMap<usize, TestTaker>,
    renamed: HashSet<usize>,
    leavers: Vec<Leaver>,
    /// Known people who are absent and stay: a joiner may be one of them.
    staying: Vec<Leaver>,
    missing: BTreeMap<Absent, usize>,
    unsettled: usize,
    /// Known keys of people who stay on the list.
    still: HashSet<PersonKey>,
}

/// What a roster means for a project.
#[derive(Debug)]
pub struct Classes {
    /// By rows.
    pub rows: Vec<RowClass>,
    /// Rows for which nothing is sent, with how they end.
    pub settled: HashMap<usize, RowResult>,
    /// Records that change, by rows.
    pub changed: HashMap<usize, TestTaker>,
    /// Who leaves, if the limits allow it.
    pub leavers: Vec<Leaver>,
    /// How many people of the list are not in the file and stay, by why.
    pub missing: BTreeMap<Absent, usize>,
    /// Of those, how many are left alone because it is not certain who they are.
    pub unsettled: usize,
    /// Known people who stand on the list and stay there, by what rosters know them.
    pub still: HashSet<PersonKey>,
}

impl Classes {
    /// How many rows are of a class.
    pub fn count(&self, class: RowClass) -> usize {
        self.rows.iter().filter(|row| **row == class).count()
    }
}

impl<'a> Classifier<'a> {
    /// Prepares for the records of a list.
    pub fn new(known: Known<'a>) -> Self {
        let in_conflict = known.ends.iter().enumerate().filter(|(_, end)| end.outcome == Outcome::Conflict);
        let conflicts = in_conflict.filter_map(|(row, end)| Some((end.entry?, row))).collect();
        let changing = known.ends.iter().enumerate().filter(|(_, end)| end.outcome == Outcome::WouldUpdate);
        let changing = changing.filter_map(|(row, end)| Some((end.entry?, row))).collect();
        Self {
            known,
            conflicts,
            changing,
            changed: HashMap::new(),
            renamed: HashSet::new(),
            leavers: Vec::new(),
            staying: Vec::new(),
            missing: BTreeMap::new(),
            unsettled: 0,
            still: HashSet::new(),
        }
    }

    /// Takes a record of the list.
    pub fn see(&mut self, record: TestTaker) {
        let (entry, keys) = (record.entry_id(), PersonKeys::of_record(self.known.hasher, &record));
        let is_known = keys.each().any(|key| self.known.rules.known.absences(&key).is_some());
        if self.known.file.concerns(entry, &keys) {
            self.see_conflict(entry, &keys);
            if let Some(row) = self.changing.get(&entry) {
                self.changed.insert(*row, record);
            }
        } else if is_known && keys.each().any(|key| self.known.doubtful.contains(&key)) {
            self.unsettled += 1;
        } else {
            let absent = self.known.rules.judge(&keys);
            let leaver = Leaver { person: record, keys };
            if absent == Absent::Leaver {
                return self.leavers.push(leaver);
            }
            *self.missing.entry(absent).or_default() += 1;
            if is_known {
                self.staying.push(leaver);
            }
        }
        if is_known {
            self.still.extend(keys.each());
        }
    }

    /// A record that contradicts a row may be its person under another e-mail.
    fn see_conflict(&mut self, entry: EntryId, keys: &PersonKeys) {
        let Some(row) = self.conflicts.get(&entry).copied() else { return };
        let theirs = PersonKeys::of_row(self.known.hasher, self.known.roster, row);
        if theirs.reference.is_some() && theirs.reference == keys.reference && theirs.email != keys.email {
            self.renamed.insert(row);
        }
    }

    /// Judges. `was_removed` says whether a row's person was removed from here.
    pub fn finish<E>(mut self, was_removed: impl Fn(usize) -> Result<bool, E>) -> Result<Classes, E> {
        let mut settled = self.settled();
        self.leave_alike_alone(&mut settled);
        let mut rows = Vec::with_capacity(self.known.ends.len());
        for (row, end) in self.known.ends.iter().enumerate() {
            rows.push(match end.outcome {
                _ if self.renamed.contains(&row) => RowClass::Renamed,
                _ if settled.contains_key(&row) => RowClass::Unsettled,
                Outcome::Existing | Outcome::Enrolled => RowClass::AsBefore,
                Outcome::WouldEnrol if was_removed(row)? => RowClass::Returner,
                Outcome::WouldEnrol => RowClass::Joiner,
                Outcome::WouldUpdate => RowClass::Changed,
                _ => RowClass::Unsettled,
            });
        }
        let Self { changed, leavers, missing, unsettled, still, .. } = self;
        Ok(Classes { rows, settled, changed, leavers, missing, unsettled, still })
    }

    /// Rows of which the rehearsal said enough: what they contradict is left alone.
    fn settled(&self) -> HashMap<usize, RowResult> {
        let mut settled = HashMap::new();
        for (row, end) in self.known.ends.iter().enumerate() {
            let words = match (end.outcome, end.entry) {
                (Outcome::Conflict, Some(entry)) if self.renamed.contains(&row) => {
                    Some(format!("entry {entry} has this reference id and another e-mail, which the API cannot change"))
                }
                (Outcome::Gone, _) => Some("was enrolled from here and removed since, and not from here".to_owned()),
                (Outcome::Existing | Outcome::Enrolled, Some(entry)) if self.known.removing.contains(&entry) => {
                    let words = format!("the removal of entry {entry} by an earlier run may still take effect");
                    settled.insert(row, RowResult::new(Outcome::InDoubt).with_entry(entry).with_message(words));
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
        let absent: Vec<&Leaver> = self.leavers.iter().chain(&self.staying).collect();
        let pairs = alike(
            &joiners.iter().map(|row| names_of_row(roster, *row)).collect::<Vec<_>>(),
            &absent.iter().map(|leaver| names_of(leaver)).collect::<Vec<_>>(),
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
        let (stays, leavers) =
            std::mem::take(&mut self.leavers).into_iter().partition(|leaver| stay.contains(&leaver.person.entry_id()));
        self.leavers = leavers;
        let stays: Vec<Leaver> = stays;
        self.unsettled += stays.len();
        self.still.extend(stays.iter().flat_map(|leaver| leaver.keys.each()));
    }
}

fn names_of_row(roster: &Roster, row: usize) -> Option<NameAndYear> {
    let year = roster.value(row, Field::BirthYear).and_then(|year| year.parse().ok());
    let (first, last) = (roster.value(row, Field::FirstName), roster.value(row, Field::LastName));
    NameAndYear::of(first, last, year, roster.value(row, Field::ReferenceId).is_some())
}

fn names_of(leaver: &Leaver) -> Option<NameAndYear> {
    let Leaver { person, keys } = leaver;
    let (first, last) = (person.first_name.as_deref(), person.last_name.as_deref());
    NameAndYear::of(first, last, person.year_of_birth, keys.reference.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bulk::roster::{ReadOptions, read};
    use crate::bulk::sync::absent::Leavers;
    use crate::bulk::sync::known::KnownPeople;

    /// A file, how its rows stand, and who is known with how many absences.
    struct Case<'a> {
        csv: &'a str,
        ends: &'a [(Outcome, Option<i32>)],
        known: &'a [(&'a str, u8)],
        doubtful: &'a [&'a str],
        removing: &'a [i32],
    }

    fn classified(case: &Case<'_>, list: &[serde_json::Value]) -> Classes {
        let hasher = RowHasher::new(b"secret");
        let roster = read(case.csv.as_bytes(), "r", &ReadOptions::default()).expect("a roster");
        let end = |(outcome, entry): &(Outcome, Option<i32>)| RowResult {
            entry: entry.map(EntryId),
            ..RowResult::new(*outcome)
        };
        let ends: Vec<RowResult> = case.ends.iter().map(end).collect();
        let file = FilePeople::new(&hasher, &roster, &ends);
        let key = |id: &str| crate::journal::person_key::person_key(&hasher.reference(id));
        let known = KnownPeople::new(case.known.iter().map(|(id, absences)| (key(id), *absences)).collect());
        let none = KnownPeople::default();
        let rules = AbsenceRules {
            leavers: Leavers::Known,
            is_first: false,
            absent_for: 2,
            known: &known,
            elsewhere: &none,
            keep: &none,
        };
        let doubtful = case.doubtful.iter().map(|id| key(id)).collect();
        let removing = case.removing.iter().copied().map(EntryId).collect();
        let known = Known {
            roster: &roster,
            ends: &ends,
            file: &file,
            hasher: &hasher,
            rules,
            doubtful: &doubtful,
            removing: &removing,
        };
        let mut classifier = Classifier::new(known);
        for record in list {
            classifier.see(serde_json::from_value(record.clone()).expect("a record"));
        }
        classifier.finish(|row| Ok::<_, ()>(row == 9)).expect("no journal")
    }

    fn person(id: i32, email: &str, reference: &str, name: &str) -> serde_json::Value {
        serde_json::json!({ "id": id, "email": email, "referenceId": reference, "firstName": name })
    }

    fn left(classes: &Classes) -> Vec<i32> {
        classes.leavers.iter().map(|leaver| leaver.person.id).collect()
    }

    const FILE: Case<'_> = Case {
        csv: "email,referenceId,firstName\na@b,R-1,Ann\n",
        ends: &[(Outcome::Existing, Some(1))],
        known: &[("R-1", 0), ("R-2", 2), ("R-3", 1)],
        doubtful: &[],
        removing: &[],
    };

    #[test]
    fn known_people_leave_when_they_were_absent_long_enough_and_strays_never() {
        let list = [
            person(1, "a@b", "R-1", "Ann"),
            person(2, "c@d", "R-2", "Bob"),
            person(3, "e@f", "R-3", "Cid"),
            person(4, "g@h", "R-4", "Dan"),
        ];
        let classes = classified(&FILE, &list);
        assert_eq!((left(&classes), classes.rows), (vec![2], vec![RowClass::AsBefore]));
        assert_eq!(classes.missing, [(Absent::NotLongEnough(1), 1), (Absent::Stray, 1)].into());
        assert_eq!(classes.still.len(), 4, "the keys of those who are known and stay");
    }

    #[test]
    fn a_changed_email_of_a_person_with_a_reference_id_is_one_person_who_stays() {
        let case = Case { csv: "email,referenceId\nnew@b,R-2\n", ends: &[(Outcome::Conflict, Some(2))], ..FILE };
        let classes = classified(&case, &[person(2, "c@d", "R-2", "Bob")]);
        assert_eq!((left(&classes), classes.rows), (vec![], vec![RowClass::Renamed]));
        assert_eq!(classes.settled[&0].outcome, Outcome::Conflict);
    }

    #[test]
    fn a_joiner_and_a_leaver_who_are_alike_are_left_alone_and_told() {
        let case =
            Case { csv: "email,firstName\nnew@b,Bob\nx@y,Zoe\n", ends: &[(Outcome::WouldEnrol, None); 2], ..FILE };
        let classes = classified(&case, &[person(2, "c@d", "R-2", "Bob"), person(3, "z@y", "R-3", "Zoe")]);
        assert_eq!((left(&classes), classes.unsettled), (vec![], 1), "the second was not leaving yet");
        assert_eq!(classes.rows, [RowClass::Unsettled; 2]);
        assert!(classes.settled[&0].message.as_deref().is_some_and(|words| words.contains("entry 2")));
    }

    #[test]
    fn whoever_is_in_doubt_is_left_alone() {
        let case = Case { doubtful: &["R-2"], ..FILE };
        let classes = classified(&case, &[person(2, "c@d", "R-2", "Bob")]);
        assert_eq!((left(&classes), classes.unsettled), (vec![], 1));
    }

    #[test]
    fn a_row_whose_removal_may_still_take_effect_is_in_doubt() {
        let case = Case { removing: &[1], ..FILE };
        let classes = classified(&case, &[person(1, "a@b", "R-1", "Ann")]);
        assert_eq!((classes.rows, classes.settled[&0].outcome), (vec![RowClass::Unsettled], Outcome::InDoubt));
    }

    #[test]
    fn rows_in_conflict_and_duplicates_are_left_alone_with_their_reason() {
        let case = Case { csv: "email,referenceId\na@b,R-1\n", ends: &[(Outcome::Duplicate, Some(1))], ..FILE };
        let classes = classified(&case, &[person(1, "a@b", "R-1", "Ann"), person(9, "a@b", "R-1", "Ann")]);
        assert_eq!((left(&classes), classes.rows), (vec![], vec![RowClass::Unsettled]));
    }
}
