//! How records of the project are related to rows. Each row is judged separately and no record is used up, so the order of
//! rows and of records does not matter.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use super::outcome::{Outcome, RowEnd};
use crate::model::people::{EntryId, NewTestTaker, TestTaker};
use crate::model::text::{fold_email, plain_name};

/// How a record and a row can be related, the closest first. The first that holds for any record decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relation {
    /// The entry that this machine knows of the row's person, however the service spells them.
    Own,
    /// The same reference id, or none on both sides, and the same e-mail.
    Same,
    /// The same reference id and another e-mail, which the service cannot change.
    OtherEmail,
    /// The same e-mail and another reference id.
    OtherReference,
    /// The same e-mail; one of the two has no reference id.
    SameEmail,
    /// The same where mailboxes are shared: the one without a reference id could be anybody of that mailbox.
    SharedEmail,
}

/// How two are related by their reference ids and e-mails; `None` where they are two people.
pub fn relation<T: PartialEq>(
    references: (Option<T>, Option<T>),
    is_same_email: bool,
    shared_mailboxes: bool,
) -> Option<Relation> {
    match references {
        (Some(one), Some(other)) if one == other && is_same_email => Some(Relation::Same),
        (Some(one), Some(other)) if one == other => Some(Relation::OtherEmail),
        _ if !is_same_email => None,
        (Some(_), Some(_)) if shared_mailboxes => None,
        (Some(_), Some(_)) => Some(Relation::OtherReference),
        (None, None) => Some(Relation::Same),
        _ if shared_mailboxes => Some(Relation::SharedEmail),
        _ => Some(Relation::SameEmail),
    }
}

/// A reference id without the zeros in front, which spreadsheets eat.
fn bare(id: &str) -> &str {
    id.trim_start_matches('0')
}

impl Relation {
    /// How a row ends that has this relation to an entry.
    pub fn end(self, entry: EntryId) -> RowEnd {
        let conflict = |why| RowEnd::new(Outcome::Conflict).message(format!("entry {entry} has {why}"));
        let end = match self {
            Self::Own | Self::Same | Self::SameEmail => RowEnd::new(Outcome::Existing),
            Self::OtherEmail => conflict("this reference id and another e-mail, which the service cannot change"),
            Self::OtherReference => conflict("this e-mail and another reference id"),
            Self::SharedEmail => conflict("this e-mail, and only one of the two has a reference id"),
        };
        end.entry(entry)
    }
}

/// What the service cannot change.
const FIXED: &str = "birthYear";

/// The fields in which a record says something else than the row that it fits. What the row leaves out differs in nothing, and
/// a year of birth only where both have one.
fn differences(person: &NewTestTaker, record: &TestTaker) -> Vec<&'static str> {
    let is_other = |ours: Option<&str>, theirs: &Option<String>| {
        ours.is_some_and(|ours| plain_name(ours) != plain_name(theirs.as_deref().unwrap_or_default()))
    };
    let years = person.birth_year.zip(record.year_of_birth);
    let fields = [
        ("referenceId", person.reference_id.is_some() && record.reference_id.is_none()),
        ("firstName", is_other(person.first_name.as_deref(), &record.first_name)),
        ("lastName", is_other(person.last_name.as_deref(), &record.last_name)),
        (FIXED, years.is_some_and(|(ours, theirs)| ours != theirs)),
    ];
    fields.into_iter().filter_map(|(name, is_other)| is_other.then_some(name)).collect()
}

/// The closest records of one row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    pub relation: Relation,
    /// All records with this relation.
    pub entries: Vec<EntryId>,
    /// The fields in which the first of them differs from the row.
    pub differences: Vec<&'static str>,
}

impl Match {
    /// Whether the service can change something in which the record differs.
    pub fn is_changeable(&self) -> bool {
        self.differences.iter().any(|field| *field != FIXED)
    }

    /// Whether the record has a difference that stays.
    pub fn has_fixed(&self) -> bool {
        self.differences.contains(&FIXED)
    }

    /// How the row ends that has this match.
    pub fn end(&self) -> RowEnd {
        let end = self.relation.end(self.entries[0]);
        match &self.entries[..] {
            [_] if end.outcome == Outcome::Existing && !self.differences.is_empty() => {
                end.message(format!("the project has another {}", self.differences.join(", ")))
            }
            [_] => end,
            several => RowEnd::new(Outcome::Conflict).message(several_entries(several)),
        }
    }
}

/// The message for a person who is in the project more than once.
pub fn several_entries(entries: &[EntryId]) -> String {
    let entries: Vec<String> = entries.iter().map(ToString::to_string).collect();
    format!("the project has several: entries {}", entries.join(", "))
}

/// What a reading shows of one row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    pub best: Option<Match>,
    /// All entries that are this person: several are a person who was enrolled twice.
    pub same: Vec<EntryId>,
    /// An entry of this person that was removed from here a moment ago, and is shown still.
    pub removed: Option<EntryId>,
    /// The entry that this machine knows by the row's reference id, but which is somebody else now: the id was passed on.
    pub passed_on: Option<EntryId>,
}

/// Rows on their way to be compared with records.
pub struct Comparison<'p> {
    people: &'p [NewTestTaker],
    /// By [`bare`] reference ids.
    by_reference: HashMap<&'p str, Vec<usize>>,
    by_email: HashMap<Cow<'p, str>, Vec<usize>>,
    by_entry: HashMap<EntryId, (usize, bool)>,
    shared_mailboxes: bool,
    found: HashMap<usize, Found>,
}

impl<'p> Comparison<'p> {
    /// `own`: the entry that this machine knows of a row's person, and whether their e-mail is the row's.
    pub fn new(
        people: &'p [NewTestTaker],
        rows: impl IntoIterator<Item = usize>,
        own: impl Fn(usize) -> Option<(EntryId, bool)>,
        shared_mailboxes: bool,
    ) -> Self {
        let (by_reference, by_email, by_entry, found) = Default::default();
        let mut new = Self { people, by_reference, by_email, by_entry, shared_mailboxes, found };
        for row in rows {
            if let Some(id) = &people[row].reference_id {
                new.by_reference.entry(bare(id)).or_default().push(row);
            }
            new.by_email.entry(fold_email(&people[row].email)).or_default().push(row);
            new.by_entry.extend(own(row).map(|(entry, is_exact)| (entry, (row, is_exact))));
        }
        new
    }

    /// Takes a record that was read: each entry once, in their order. `is_removed`: its entry was removed from here a moment
    /// ago, so it may be an old one.
    pub fn add(&mut self, record: &TestTaker, entry: EntryId, is_removed: bool) {
        let (people, shared_mailboxes, reference) =
            (self.people, self.shared_mailboxes, record.reference_id.as_deref());
        let email = fold_email(record.email.as_deref().unwrap_or_default());
        let own = self.by_entry.get(&entry).copied();
        let with_reference = reference.and_then(|id| self.by_reference.get(bare(id))).into_iter().flatten().copied();
        // Where mailboxes are shared, somebody with a reference id is nobody else who has one, and rows of one mailbox have
        // one each.
        let is_offered = |rows: &&Vec<usize>| !shared_mailboxes || reference.is_none() || rows.len() == 1;
        let with_email = self.by_email.get(&email).filter(is_offered).into_iter().flatten().copied();
        let rows: BTreeSet<usize> = with_email.chain(own.map(|(row, _)| row)).chain(with_reference).collect();
        // An id and the same without its zeros are hardly two people; of one mailbox, neither are those in other letters.
        let is_alike = |one: &str, other: &str| bare(one).eq_ignore_ascii_case(bare(other));
        let by_fields = |row: usize| {
            let references = (people[row].reference_id.as_deref(), reference);
            let ids = references.0.zip(reference);
            let is_shared = shared_mailboxes && !ids.is_some_and(|(one, other)| is_alike(one, other));
            let relation = relation(references, fold_email(&people[row].email) == email, is_shared);
            relation.or(ids.filter(|(one, other)| bare(one) == bare(other)).map(|_| Relation::OtherEmail))
        };
        let holder = rows.iter().copied().find(|row| by_fields(*row) == Some(Relation::Same));
        for row in rows {
            let found = self.found.entry(row).or_default();
            let ids = people[row].reference_id.as_deref().zip(reference);
            let has_other_id = ids.is_some_and(|(ours, theirs)| !is_alike(ours, theirs));
            let has_other_email = fold_email(&people[row].email) != email && !email.is_empty();
            let is_other = has_other_id && has_other_email;
            let is_passed_on = |is_exact: bool| holder.is_some_and(|holder| holder != row) || (is_other && !is_exact);
            let relation = match own.filter(|(own, _)| *own == row) {
                Some((_, is_exact)) if is_passed_on(is_exact) && !is_removed => {
                    found.passed_on = Some(entry);
                    by_fields(row)
                }
                // An entry that became somebody else's is nobody's who had it.
                Some((_, true)) if is_other || (ids.is_none() && has_other_email) => None,
                // Their id was changed elsewhere, or the entry was given to somebody of their mailbox: nobody knows.
                Some((_, true)) if has_other_id => Some(Relation::OtherReference),
                Some((_, true)) if people[row].reference_id.is_none() || reference.is_some() => Some(Relation::Own),
                _ => by_fields(row),
            };
            match relation {
                Some(_) if is_removed => found.removed = Some(entry),
                Some(relation) => found.take(relation, entry, || differences(&people[row], record)),
                None => {}
            }
        }
    }

    /// What was found of a row.
    pub fn found(&mut self, row: usize) -> Found {
        self.found.remove(&row).unwrap_or_default()
    }
}

impl Found {
    fn take(&mut self, relation: Relation, entry: EntryId, differences: impl FnOnce() -> Vec<&'static str>) {
        if relation <= Relation::Same {
            self.same.push(entry);
        }
        match &mut self.best {
            Some(best) if best.relation < relation => {}
            Some(best) if best.relation == relation => best.entries.push(entry),
            _ => self.best = Some(Match { relation, entries: vec![entry], differences: differences() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn row(reference: Option<&str>, email: &str) -> NewTestTaker {
        NewTestTaker {
            email: email.parse().expect("an address"),
            first_name: "Ann".parse().ok(),
            last_name: None,
            birth_year: Some(1980),
            reference_id: reference.map(|id| id.parse().expect("a reference id")),
        }
    }

    fn record(id: i32, reference: Option<&str>, email: &str) -> TestTaker {
        let (email, reference_id) = (Some(email.to_owned()), reference.map(str::to_owned));
        TestTaker { id: Some(id), email, reference_id, first_name: Some(" Ann ".into()), ..TestTaker::default() }
    }

    fn found(people: &[NewTestTaker], records: &[TestTaker], own: Option<i32>, shared: bool) -> Found {
        let own = |row| own.filter(|_| row == 0).map(|own| (EntryId(own), true));
        let mut comparison = Comparison::new(people, 0..people.len(), own, shared);
        let records: BTreeMap<_, _> =
            records.iter().map(|record| (record.entry_id().expect("an id"), record)).collect();
        for (entry, record) in records {
            comparison.add(record, entry, false);
        }
        comparison.found(0)
    }

    #[test]
    fn a_row_and_a_record_are_related_as_the_table_says() {
        use Relation::{OtherEmail, OtherReference, Same, SameEmail, SharedEmail};
        for (row_of, record_of, alone, shared) in [
            ((Some("R1"), "a@x.example"), (Some("R1"), " A@X.example"), Some(Same), Some(Same)),
            ((None, "a@x.example"), (None, "A@x.example"), Some(Same), Some(Same)),
            ((Some("R1"), "a@x.example"), (Some("R1"), "b@x.example"), Some(OtherEmail), Some(OtherEmail)),
            ((Some("R1"), "a@x.example"), (Some("r1"), "a@x.example"), Some(OtherReference), Some(OtherReference)),
            ((Some("R1"), "a@x.example"), (Some("R2"), "a@x.example"), Some(OtherReference), None),
            ((Some("R1"), "a@x.example"), (None, "a@x.example"), Some(SameEmail), Some(SharedEmail)),
            ((None, "a@x.example"), (Some("R1"), "a@x.example"), Some(SameEmail), Some(SharedEmail)),
            ((Some("R1"), "a@x.example"), (Some("R2"), "b@x.example"), None, None),
        ] {
            let (people, records) = ([row(row_of.0, row_of.1)], [record(7, record_of.0, record_of.1)]);
            let best = |shared| found(&people, &records, None, shared).best.map(|best| best.relation);
            assert_eq!((best(false), best(true)), (alone, shared), "{row_of:?} {record_of:?}");
        }
        let (two, nameless) =
            ([row(Some("R1"), "a@x.example"), row(Some("R2"), "a@x.example")], record(7, None, "a@x.example"));
        let best = found(&two, &[nameless], None, true).best.map(|best| best.relation);
        assert_eq!(best, Some(SharedEmail), "anybody of the mailbox");
        for (ours, theirs) in [("17", "00017"), ("00017", "17")] {
            let two = [row(Some(ours), "a@x.example"), row(Some("18"), "a@x.example")];
            let best = found(&two, &[record(7, Some(theirs), "a@x.example")], None, true).best;
            assert_eq!(best.map(|best| best.relation), Some(OtherReference), "{ours} is hardly another than {theirs}");
            let best = found(&two, &[record(7, Some(theirs), "b@x.example")], None, false).best;
            assert_eq!(best.map(|best| best.relation), Some(OtherEmail), "{ours} and {theirs}, with another address");
        }
        assert_eq!(relation((Some("R1"), Some("R2")), true, true), None);
        assert_eq!(relation((Some("R1"), Some("R2")), false, false), None);
    }

    #[test]
    fn an_entry_that_is_known_is_own_only_while_its_record_has_an_id() {
        let people = [row(Some("R1"), "a@x.example")];
        let best = |reference, shared| {
            let found = found(&people, &[record(7, reference, "a@x.example")], Some(7), shared);
            found.best.map(|best| best.relation)
        };
        for shared in [false, true] {
            assert_eq!(best(Some("R2"), shared), Some(Relation::OtherReference));
            assert_eq!(best(Some("r1"), shared), Some(Relation::Own), "a service may spell an id in its own way");
        }
        assert_eq!((best(None, false), best(None, true)), (Some(Relation::SameEmail), Some(Relation::SharedEmail)));
    }

    #[test]
    fn an_entry_that_is_another_person_now_is_not_own() {
        let people = [row(Some("R1"), "a@x.example")];
        let found_of = |record: TestTaker, is_exact| {
            let mut comparison = Comparison::new(&people, 0..1, |_| Some((EntryId(7), is_exact)), false);
            comparison.add(&record, EntryId(7), false);
            comparison.found(0)
        };
        // All of them is another's, or only their id: the row has a new e-mail.
        assert_eq!(found_of(record(7, Some("R9"), "b@x.example"), true), Found::default());
        let passed_on = found_of(record(7, Some("R9"), "b@x.example"), false);
        assert_eq!((passed_on.best, passed_on.passed_on), (None, Some(EntryId(7))));
        // Without a reference id they are their e-mail.
        let bare = [row(None, "a@x.example")];
        let mut comparison = Comparison::new(&bare, 0..1, |_| Some((EntryId(7), true)), false);
        comparison.add(&record(7, None, "b@x.example"), EntryId(7), false);
        assert_eq!(comparison.found(0), Found::default());
        // A service may spell an id in its own way, or show none.
        for same in [Some("r1"), Some("0R1"), None] {
            assert_eq!(found_of(record(7, same, "b@x.example"), false).passed_on, None);
        }
    }

    #[test]
    fn the_first_line_that_holds_decides_whatever_the_order_of_the_records() {
        let people = [row(Some("R1"), "a@x.example")];
        let (mut ids, mut rng) = ([1, 2, 3, 4, 5], fastrand::Rng::with_seed(1));
        for _ in 0..20 {
            rng.shuffle(&mut ids);
            let [.., same, other] = ids;
            let records = [
                record(ids[0], None, "a@x.example"),
                record(ids[1], Some("R2"), "a@x.example"),
                record(ids[2], Some("R1"), "b@x.example"),
                record(same, Some("R1"), "a@x.example"),
                record(other, Some("r1"), "a@x.example"),
            ];
            for (own, entry, relation) in [(None, same, Relation::Same), (Some(other), other, Relation::Own)] {
                let best = found(&people, &records, own, false).best.expect("found");
                assert_eq!((best.relation, best.entries), (relation, vec![EntryId(entry)]));
            }
            let worse: Vec<TestTaker> = records.iter().filter(|record| record.id != Some(same)).cloned().collect();
            let best = found(&people, &worse, None, false).best.expect("found");
            assert_eq!((best.relation, best.end().outcome), (Relation::OtherEmail, Outcome::Conflict));
        }
    }

    #[test]
    fn two_records_of_equal_rank_are_a_conflict_that_names_both() {
        let people = [row(Some("R1"), "a@x.example")];
        let records = [record(9, Some("R1"), "a@x.example"), record(4, Some("R1"), "A@x.example")];
        let seen_again = [&records[..], &records[..1]].concat();
        let found = found(&people, &seen_again, None, false);
        let end = found.best.expect("found").end();
        assert_eq!((end.outcome, end.message.as_str()), (Outcome::Conflict, "the project has several: entries 4, 9"));
        assert_eq!((end.entry, found.same), (None, vec![EntryId(4), EntryId(9)]));
    }

    #[test]
    fn names_and_years_decide_nothing_and_are_told() {
        let people = [row(Some("R1"), "a@x.example")];
        let best = |record| found(&people, &[record], None, false).best.expect("found");
        let same = best(record(1, Some("R1"), "a@x.example"));
        assert_eq!((same.is_changeable(), same.end().message.as_str()), (false, ""));
        let year = TestTaker { year_of_birth: Some(1981), ..record(1, Some("R1"), "a@x.example") };
        assert!(!best(year.clone()).is_changeable() && best(year.clone()).differences == ["birthYear"]);
        let other = TestTaker { first_name: Some("Anne".into()), reference_id: None, ..year };
        let end = best(other).end();
        let words = "the project has another referenceId, firstName, birthYear";
        assert_eq!((end.outcome, end.message.as_str()), (Outcome::Existing, words));
    }

    #[test]
    fn an_entry_that_was_removed_a_moment_ago_is_no_match() {
        let people = [row(Some("R1"), "a@x.example")];
        let mut comparison = Comparison::new(&people, [0], |_| None, false);
        comparison.add(&record(1, Some("R1"), "a@x.example"), EntryId(1), true);
        let expected = Found { removed: Some(EntryId(1)), ..Found::default() };
        assert_eq!(comparison.found(0), expected);
    }
}
