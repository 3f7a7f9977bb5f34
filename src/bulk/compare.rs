//! Which rows the service holds already: rows and records are matched by reference id and e-mail.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::model::testtakers::{EntryId, NewTestTaker, TestTaker};
use crate::model::text::same_email;

use super::index::Index;
use super::outcome::{Outcome, RowResult};
use super::roster::{Field, Roster};

/// How a record is related to a row, the closest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Relation {
    /// The same reference id (or none on both sides) and the same e-mail.
    Same,
    /// The reference id, with another e-mail.
    OtherEmail,
    /// The e-mail; the record has no reference id.
    WithoutReference,
    /// The e-mail; the row has no reference id, the record has one.
    WithReference,
    /// The e-mail, with another reference id.
    OtherReference,
}

impl Relation {
    fn is_conflict(self) -> bool {
        matches!(self, Self::OtherEmail | Self::OtherReference)
    }
}

/// The closest record that was seen for a row.
#[derive(Clone, Copy, Debug)]
struct Match {
    relation: Relation,
    entry: EntryId,
    /// First name, last name, year of birth: which of them the row gives otherwise.
    differs: [bool; 3],
    /// The record has another year of birth, which the API cannot change.
    other_year: bool,
    /// The journal says that this entry is the row's.
    ours: bool,
    /// The record was seen; one of ours may be gone.
    seen: bool,
}

impl Match {
    fn ended(self) -> RowResult {
        let entry = self.entry;
        let message = match self.relation {
            Relation::OtherEmail => {
                Some(format!("entry {entry} has this reference id and another e-mail (--allow-duplicates enrols both)"))
            }
            Relation::OtherReference => Some(format!("entry {entry} has this e-mail and another reference id")),
            _ if self.other_year => Some(format!("entry {entry} has another yearOfBirth, which the API cannot change")),
            Relation::WithoutReference => Some(format!("entry {entry} has this e-mail and no reference id")),
            Relation::WithReference => Some(format!("entry {entry} has this e-mail and a reference id")),
            Relation::Same => self.difference(),
        };
        let is_conflict = self.relation.is_conflict() || self.other_year;
        let outcome = if is_conflict { Outcome::Conflict } else { Outcome::Existing };
        let ended = RowResult::new(outcome).with_entry(entry);
        match message {
            Some(message) => ended.with_message(message),
            None => ended,
        }
    }

    fn difference(self) -> Option<String> {
        let names = ["firstName", "lastName", "yearOfBirth"];
        let other: Vec<&str> = names.into_iter().zip(self.differs).filter_map(|(n, d)| d.then_some(n)).collect();
        (!other.is_empty()).then(|| format!("left as it is, with another {}", other.join(", ")))
    }
}

/// Compares a roster with records as they are read. Records are not kept: memory grows with the roster alone.
#[derive(Debug)]
pub struct Comparison<'r> {
    index: Rc<Index<'r>>,
    /// Another e-mail with the same reference id is another person.
    allow_doubles: bool,
    /// By rows; empty while there is none.
    matches: Vec<Option<Match>>,
    /// Records that stand for a row already.
    taken: HashSet<EntryId>,
    /// Entries that are a row's by the journal, with their rows; in their order once a record was seen.
    ours: Vec<(EntryId, u32)>,
    is_sorted: bool,
    /// Further entries that look like a row which has one by the journal.
    duplicates: Vec<(usize, EntryId)>,
    baseline: HashSet<EntryId>,
    /// Entries of the baseline that look exactly like a row, and are another row's.
    foreign_matches: HashMap<usize, Vec<EntryId>>,
}

impl<'r> Comparison<'r> {
    /// Prepares for the rows that can be sent.
    pub fn new(roster: &'r Roster, rows: impl Iterator<Item = usize>, allow_doubles: bool) -> Self {
        Self::over(Rc::new(Index::new(roster, rows)), allow_doubles)
    }

    fn over(index: Rc<Index<'r>>, allow_doubles: bool) -> Self {
        let (taken, baseline) = (HashSet::new(), HashSet::new());
        Self {
            index,
            allow_doubles,
            matches: Vec::new(),
            taken,
            ours: Vec::new(),
            is_sorted: true,
            duplicates: Vec::new(),
            baseline,
            foreign_matches: HashMap::new(),
        }
    }

    /// A new comparison with the same rows: for the audit.
    pub fn fresh_copy(&self) -> Self {
        Self::over(Rc::clone(&self.index), self.allow_doubles)
    }

    /// Says before anything is seen that an entry is a row's, so that no other row takes it.
    pub fn reserve(&mut self, row: usize, entry: EntryId) {
        self.ours.push((entry, u32::try_from(row).expect("rows are counted in 32 bits")));
        self.is_sorted = false;
        let differs = [false; 3];
        let known = Match { relation: Relation::Same, entry, differs, other_year: false, ours: true, seen: false };
        self.set(row, known);
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

    /// Takes a record that stands in the project. Seeing one again changes nothing.
    pub fn see(&mut self, record: &TestTaker) {
        let entry = record.entry_id();
        let related: Vec<(Relation, usize)> = self.related(record);
        if let Some(row) = self.owner(entry) {
            if self.known(row).is_some_and(|known| known.seen) {
                return;
            }
            self.note(Relation::Same, row, record, true);
            self.note_foreign_matches(&related, row, entry);
            return;
        }
        if related.is_empty() || self.taken.contains(&entry) {
            return;
        }
        self.baseline.insert(entry);
        // One record stands for one row, the first of those that it fits best; it may contradict several.
        let mut fitting =
            related.iter().filter(|(relation, row)| !relation.is_conflict() && self.is_closer(*relation, *row));
        if let Some((relation, row)) = fitting.next().copied() {
            self.taken.insert(entry);
            self.note(relation, row, record, false);
            self.note_foreign_matches(&related, row, entry);
            return;
        }
        self.note_duplicate(&related, record);
        for (relation, row) in related.into_iter().filter(|(relation, _)| relation.is_conflict()) {
            if self.is_closer(relation, row) {
                self.note(relation, row, record, false);
            }
        }
    }

    /// The row whose entry this is by the journal.
    fn owner(&mut self, entry: EntryId) -> Option<usize> {
        if !self.is_sorted {
            self.ours.sort_unstable();
            self.ours.dedup_by_key(|(entry, _)| *entry);
            self.is_sorted = true;
        }
        let found = self.ours.binary_search_by_key(&entry, |(entry, _)| *entry).ok()?;
        Some(self.ours[found].1 as usize)
    }

    fn note_foreign_matches(&mut self, related: &[(Relation, usize)], owner: usize, entry: EntryId) {
        for (_, row) in related.iter().filter(|(relation, row)| *relation == Relation::Same && *row != owner) {
            self.foreign_matches.entry(*row).or_default().push(entry);
        }
    }

    /// A record that could be a row of ours which has its entry already.
    fn note_duplicate(&mut self, related: &[(Relation, usize)], record: &TestTaker) {
        let is_ours = |row: &usize| self.known(*row).is_some_and(|known| known.ours);
        let same = related.iter().filter(|(relation, _)| *relation == Relation::Same).map(|(_, row)| *row);
        let like = |row: &usize| self.index.roster.person(*row).is_some_and(|person| may_be(&person, record));
        if let Some(row) = same.filter(is_ours).find(like)
            && !self.duplicates.contains(&(row, record.entry_id()))
        {
            self.duplicates.push((row, record.entry_id()));
        }
    }

    fn related(&self, record: &TestTaker) -> Vec<(Relation, usize)> {
        let (reference, email) = (filled(record.reference_id.as_deref()), filled(record.email.as_deref()));
        let rows = self.index.alike(reference, email);
        let mut related: Vec<_> = rows.into_iter().filter_map(|row| Some((self.relation(row, record)?, row))).collect();
        related.sort_unstable();
        related
    }

    fn relation(&self, row: usize, record: &TestTaker) -> Option<Relation> {
        let roster = self.index.roster;
        let ours = (roster.value(row, Field::ReferenceId), roster.value(row, Field::Email)?);
        let theirs = (filled(record.reference_id.as_deref()), record.email.as_deref().unwrap_or_default());
        let email = same_email(ours.1, theirs.1);
        match (ours.0, theirs.0) {
            (one, other) if one == other && email => Some(Relation::Same),
            (Some(one), Some(other)) if one == other => (!self.allow_doubles).then_some(Relation::OtherEmail),
            _ if !email => None,
            (_, None) => Some(Relation::WithoutReference),
            (None, Some(_)) => Some(Relation::WithReference),
            (Some(_), Some(_)) => Some(Relation::OtherReference),
        }
    }

    fn is_closer(&self, relation: Relation, row: usize) -> bool {
        self.known(row).is_none_or(|known| relation < known.relation)
    }

    fn note(&mut self, relation: Relation, row: usize, record: &TestTaker, ours: bool) {
        let value = |field| self.index.roster.value(row, field);
        let other = |ours: Option<&str>, theirs: Option<&str>| {
            ours.is_some_and(|ours| ours != theirs.unwrap_or_default().trim())
        };
        let year = value(Field::BirthYear).and_then(|year| year.parse::<i32>().ok());
        let differs = [
            other(value(Field::FirstName), record.first_name.as_deref()),
            other(value(Field::LastName), record.last_name.as_deref()),
            year.is_some() && year != record.year_of_birth,
        ];
        let other_year = year.is_some() && record.year_of_birth.is_some_and(|theirs| Some(theirs) != year);
        self.set(row, Match { relation, entry: record.entry_id(), differs, other_year, ours, seen: true });
    }

    /// How a row stands: `None` where nothing that was seen is related to it.
    pub fn standing(&self, row: usize) -> Option<RowResult> {
        self.known(row).filter(|known| known.seen).map(Match::ended)
    }

    /// Whether an entry was there before anything was sent.
    pub fn was_there(&self, entry: EntryId) -> bool {
        self.baseline.contains(&entry)
    }

    /// The entries that look like a row, were there before it was sent, and are other rows'.
    pub fn foreign_matches(&self, row: usize) -> &[EntryId] {
        self.foreign_matches.get(&row).map_or(&[], Vec::as_slice)
    }

    /// Whether a row can be changed into what the roster says: it stands there with another name, or without its
    /// reference id, and nothing contradicts.
    pub fn differs(&self, row: usize) -> Option<EntryId> {
        let known = self.known(row).filter(|known| known.seen)?;
        let [first, last, _] = known.differs;
        let can = !known.relation.is_conflict() && !known.other_year;
        let adds_reference =
            known.relation == Relation::WithoutReference && self.index.roster.value(row, Field::ReferenceId).is_some();
        (can && (first || last || adds_reference)).then_some(known.entry)
    }

    /// Rows whose own entry was not seen.
    pub fn missing(&self) -> Vec<usize> {
        let rows = self.ours.iter().map(|(_, row)| *row as usize);
        let mut rows: Vec<usize> = rows.filter(|row| self.known(*row).is_some_and(|known| !known.seen)).collect();
        rows.sort_unstable();
        rows
    }

    /// Rows that have an entry of their own, with the further entries that look like them.
    pub fn duplicates(&self) -> &[(usize, EntryId)] {
        &self.duplicates
    }

    /// The rows that share their reference id or e-mail with another one, each with the number of its group.
    pub fn groups(&self) -> HashMap<usize, usize> {
        self.index.groups()
    }
}

/// Empty text is none: the service may answer either.
fn filled(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.is_empty())
}

/// Whether a record that appeared after we sent a person may be that person: the reference id byte for byte and the
/// e-mail ignoring case; without a reference id the names and the year of birth too.
pub fn may_be(person: &NewTestTaker, record: &TestTaker) -> bool {
    let text = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    if !same_email(person.email.as_str(), record.email.as_deref().unwrap_or_default()) {
        return false;
    }
    let reference = person.reference_id.as_ref().map(|id| id.as_str().to_owned());
    if reference != text(&record.reference_id) {
        return false;
    }
    let name = |name: &Option<crate::model::text::PersonName>| name.as_ref().map(|name| name.as_str().to_owned());
    reference.is_some()
        || (name(&person.first_name) == text(&record.first_name)
            && name(&person.last_name) == text(&record.last_name)
            && person.birth_year.map(|year| year.0) == record.year_of_birth)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bulk::roster::{ReadOptions, read};

    fn roster(text: &str) -> Roster {
        let options = ReadOptions { allow_doubles: true, ..ReadOptions::default() };
        let text = format!("email,referenceId,firstName,lastName,birthYear\n{text}");
        read(text.as_bytes(), "r", &options).expect("a roster")
    }

    fn record(id: i32, email: &str, reference: Option<&str>) -> TestTaker {
        TestTaker {
            id,
            email: Some(email.to_owned()),
            reference_id: reference.map(str::to_owned),
            first_name: Some("A".to_owned()),
            last_name: None,
            full_name: None,
            year_of_birth: Some(1980),
            result: None,
            date_completed: None,
            last_test_sent_utc: None,
            top_performer: None,
        }
    }

    fn outcomes(roster: &Roster, records: &[TestTaker], allow_doubles: bool) -> Vec<Option<(Outcome, i32)>> {
        let mut comparison = Comparison::new(roster, 0..roster.row_count(), allow_doubles);
        for record in records {
            comparison.see(record);
        }
        let known = |ended: RowResult| (ended.outcome, ended.entry.map_or(0, |entry| entry.0));
        (0..roster.row_count()).map(|row| comparison.standing(row).map(known)).collect()
    }

    #[test]
    fn a_row_is_matched_by_reference_id_and_email_ignoring_case() {
        let roster = roster("a@b,R1\nc@d,\ne@f,R2\n");
        let records = [record(1, "A@B", Some("R1")), record(2, "c@d", None), record(3, "x@y", None)];
        let expected = [Some((Outcome::Existing, 1)), Some((Outcome::Existing, 2)), None];
        assert_eq!(outcomes(&roster, &records, false), expected);
    }

    #[test]
    fn the_reference_id_of_another_email_is_a_conflict_unless_doubles_are_allowed() {
        let roster = roster("a@b,R1\n");
        let records = [record(1, "other@b", Some("R1"))];
        assert_eq!(outcomes(&roster, &records, false), [Some((Outcome::Conflict, 1))]);
        assert_eq!(outcomes(&roster, &records, true), [None]);
    }

    #[test]
    fn a_known_email_is_existing_without_a_reference_id_and_a_conflict_with_another_one() {
        let roster = roster("a@b,R1\nc@d,\n");
        assert_eq!(outcomes(&roster, &[record(1, "a@b", None)], false)[0], Some((Outcome::Existing, 1)));
        assert_eq!(outcomes(&roster, &[record(1, "a@b", Some("R9"))], false)[0], Some((Outcome::Conflict, 1)));
        assert_eq!(outcomes(&roster, &[record(1, "c@d", Some("R9"))], false)[1], Some((Outcome::Existing, 1)));
        let both = [record(1, "a@b", Some("R9")), record(2, "a@b", Some("R1"))];
        assert_eq!(outcomes(&roster, &both, false)[0], Some((Outcome::Existing, 2)));
    }

    #[test]
    fn one_record_stands_for_one_of_two_equal_rows() {
        let roster = roster("a@b,R1\na@b,R1\n");
        let one = [record(1, "a@b", Some("R1")), record(1, "a@b", Some("R1"))];
        assert_eq!(outcomes(&roster, &one, true), [Some((Outcome::Existing, 1)), None]);
        let two = [record(1, "a@b", Some("R1")), record(2, "a@b", Some("R1"))];
        assert_eq!(outcomes(&roster, &two, true)[1], Some((Outcome::Existing, 2)));
    }

    #[test]
    fn a_difference_that_skipping_leaves_is_said_without_the_values() {
        let roster = roster("a@b,R1,Zoe,Ng,1981\n");
        let standing = |year| {
            let mut comparison = Comparison::new(&roster, 0..1, false);
            comparison.see(&TestTaker { year_of_birth: year, ..record(1, "a@b", Some("R1")) });
            let ended = comparison.standing(0).expect("a standing");
            (ended.outcome, ended.message.expect("a message").into_string())
        };
        let left = "left as it is, with another firstName, lastName";
        assert_eq!(standing(Some(1981)), (Outcome::Existing, left.to_owned()));
        assert_eq!(standing(None), (Outcome::Existing, format!("{left}, yearOfBirth")));
        let conflict = "entry 1 has another yearOfBirth, which the API cannot change".to_owned();
        assert_eq!(standing(Some(1980)), (Outcome::Conflict, conflict));
    }

    #[test]
    fn a_reference_id_is_compared_byte_for_byte() {
        let roster = roster("a@b,r1\n");
        let person = roster.person(0).expect("a person");
        assert!(may_be(&person, &record(1, "A@B", Some("r1"))));
        assert!(!may_be(&person, &record(1, "a@b", Some("R1"))));
        assert!(!may_be(&person, &record(1, "x@b", Some("r1"))));
    }
}
