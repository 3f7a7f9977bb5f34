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
    /// A reference id like it, and another e-mail.
    LikeReference,
    /// The same e-mail and another reference id.
    OtherReference,
    /// The same e-mail; one of the two has no reference id.
    SameEmail,
    /// The same where the one without a reference id could be somebody else: mailboxes are shared, another row names the entry
    /// by its reference id, or this machine knows the row or the entry under another.
    SharedEmail,
    /// The entry had the row's reference id or e-mail before, and has others now.
    Former,
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

/// A reference id without what changes by accident: the zeros in front, which spreadsheets eat, and its capitals. Whoever have
/// ids that are alike are hardly two people.
pub(super) fn bare(id: &str) -> String {
    id.trim_start_matches('0').to_ascii_lowercase()
}

impl Relation {
    /// How a row ends that has this relation to an entry.
    pub fn end(self, entry: EntryId) -> RowEnd {
        let conflict = |why| RowEnd::new(Outcome::Conflict).message(format!("entry id {entry} {why}"));
        let end = match self {
            Self::Own | Self::Same | Self::SameEmail => RowEnd::new(Outcome::Existing),
            Self::OtherEmail => conflict("has this reference id, but a different e-mail, which cannot be changed"),
            Self::LikeReference => conflict("has nearly this reference id: only capitals or leading zeros differ"),
            Self::OtherReference => conflict("has this e-mail, but a different reference id"),
            Self::SharedEmail => conflict("has this e-mail; people who share an e-mail need reference ids"),
            Self::Former => conflict("had this reference id or e-mail before, in the project or in a file"),
        };
        end.entry(entry)
    }
}

/// What the service cannot change.
pub(super) const FIXED: &str = "birthYear";

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
    /// Whether its reference id and e-mail are spelled as in the row.
    pub is_spelled_alike: bool,
}

impl Match {
    /// Whether the service can change something in which the record differs.
    pub fn is_changeable(&self) -> bool {
        self.differences.iter().any(|field| *field != FIXED)
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
    /// All entries that are related to the row in some way.
    pub related: Vec<EntryId>,
    /// An entry of this person that was removed from here a moment ago, and is shown still.
    pub removed: Option<EntryId>,
    /// The entry that had the row's reference id or e-mail before, but is another row's now: that was passed on.
    pub passed_on: Option<EntryId>,
}

/// Rows on their way to be compared with records.
pub struct Comparison<'p> {
    people: &'p [NewTestTaker],
    /// By [`bare`] reference ids.
    by_reference: HashMap<String, Vec<usize>>,
    by_email: HashMap<Cow<'p, str>, Vec<usize>>,
    by_entry: HashMap<EntryId, Vec<(usize, bool)>>,
    shared_mailboxes: bool,
    found: HashMap<usize, Found>,
}

impl<'p> Comparison<'p> {
    /// `owners`: the entries that this machine knows to have or have had a row's reference id or e-mail, and whether both.
    pub fn new<O: IntoIterator<Item = (EntryId, bool)>>(
        people: &'p [NewTestTaker],
        rows: impl IntoIterator<Item = usize>,
        owners: impl Fn(usize) -> O,
        shared_mailboxes: bool,
    ) -> Self {
        let (by_reference, by_email, by_entry, found) = Default::default();
        let mut new = Self { people, by_reference, by_email, by_entry, shared_mailboxes, found };
        for row in rows {
            if let Some(id) = &people[row].reference_id {
                new.by_reference.entry(bare(id)).or_default().push(row);
            }
            new.by_email.entry(fold_email(&people[row].email)).or_default().push(row);
            for (entry, is_both) in owners(row) {
                new.by_entry.entry(entry).or_default().push((row, is_both));
            }
        }
        new
    }

    /// Takes a record that was read: each entry once, in their order. `is_removed`: its entry was removed from here a moment
    /// ago, so it may be an old one.
    pub fn add(&mut self, record: &TestTaker, entry: EntryId, is_removed: bool) {
        let email = fold_email(record.email.as_deref().unwrap_or_default());
        let relations = self.relations(record, entry, &email);
        let has_id = |row: usize| self.people[row].reference_id.is_some();
        let is_named = relations.iter().any(|(row, relation, _)| *relation <= Relation::LikeReference && has_id(*row));
        let is_loose = |relation| matches!(relation, Relation::LikeReference | Relation::Former);
        let is_held = relations.iter().any(|(_, relation, _)| *relation <= Relation::Same);
        for (row, mut relation, is_spelled_alike) in relations {
            let found = self.found.entry(row).or_default();
            if is_removed {
                found.removed = Some(entry);
            } else if is_held && is_loose(relation) {
                found.passed_on = Some(entry);
            } else {
                if is_named && !has_id(row) {
                    relation = Relation::SharedEmail;
                }
                let differences = differences(&self.people[row], record);
                found.take(Match { relation, entries: vec![entry], differences, is_spelled_alike });
            }
        }
    }

    /// The rows to which a record is related, how, and whether it is spelled as in the row.
    fn relations(&self, record: &TestTaker, entry: EntryId, email: &str) -> Vec<(usize, Relation, bool)> {
        let (people, shared_mailboxes) = (self.people, self.shared_mailboxes);
        let reference = record.reference_id.as_deref();
        let known = self.by_entry.get(&entry).map_or(&[][..], Vec::as_slice);
        let with_reference = reference.and_then(|id| self.by_reference.get(&bare(id))).into_iter().flatten().copied();
        // Where mailboxes are shared, somebody with a reference id is nobody else who has one, and rows of one mailbox have
        // one each.
        let is_offered = |rows: &&Vec<usize>| !shared_mailboxes || reference.is_none() || rows.len() == 1;
        let with_email = self.by_email.get(email).filter(is_offered).into_iter().flatten().copied();
        let rows: BTreeSet<usize> = with_email.chain(known.iter().map(|(row, _)| *row)).chain(with_reference).collect();
        let relation_of = |row: usize| {
            let ours = people[row].reference_id.as_deref();
            let is_alike = ours.zip(reference).map(|(one, other)| bare(one) == bare(other));
            let is_same_email = fold_email(&people[row].email) == email;
            let is_shared = shared_mailboxes && is_alike != Some(true);
            let fields = relation((ours, reference), is_same_email, is_shared);
            let fields = fields.or((is_alike == Some(true)).then_some(Relation::LikeReference));
            // Their id may have been changed elsewhere, or cleared; without one, they are their e-mail.
            let is_theirs = is_alike.unwrap_or(ours.is_none() && (is_same_email || email.is_empty()));
            let relation = match known.iter().find(|(of, _)| *of == row) {
                Some((_, true)) if is_theirs => Some(Relation::Own),
                Some(_) => fields.or(Some(Relation::Former)),
                None => fields,
            };
            Some((row, relation?, fields == Some(Relation::Same)))
        };
        rows.into_iter().filter_map(relation_of).collect()
    }

    /// What was found of a row.
    pub fn found(&mut self, row: usize) -> Found {
        self.found.remove(&row).unwrap_or_default()
    }
}

impl Found {
    /// The entries of which nobody can say that they are not this person.
    pub fn named(&self) -> impl Iterator<Item = EntryId> {
        let is_plain = self.best.as_ref().is_some_and(|best| best.relation <= Relation::Same);
        (if is_plain { &self.same } else { &self.related }).iter().copied().chain(self.removed)
    }

    /// How a row ends whose person is there twice.
    pub fn double(&self) -> Option<RowEnd> {
        (self.same.len() > 1).then(|| RowEnd::new(Outcome::Conflict).message(several_entries(&self.same)))
    }

    fn take(&mut self, new: Match) {
        self.related.extend(&new.entries);
        if new.relation <= Relation::Same {
            self.same.extend(&new.entries);
        }
        match &mut self.best {
            Some(best) if best.relation < new.relation => {}
            Some(best) if best.relation == new.relation => best.entries.extend(new.entries),
            _ => self.best = Some(new),
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
        let owners = |row| own.filter(|_| row == 0).map(|own| (EntryId(own), true));
        let mut comparison = Comparison::new(people, 0..people.len(), owners, shared);
        let records: BTreeMap<_, _> =
            records.iter().map(|record| (record.entry_id().expect("an id"), record)).collect();
        for (entry, record) in records {
            comparison.add(record, entry, false);
        }
        comparison.found(0)
    }

    #[test]
    fn a_row_and_a_record_are_related_as_the_table_says() {
        use Relation::{LikeReference, OtherEmail, OtherReference, Same, SameEmail, SharedEmail};
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
        for (ours, theirs) in [("17", "00017"), ("00017", "17"), ("emp-17", "EMP-17")] {
            let two = [row(Some(ours), "a@x.example"), row(Some("18"), "a@x.example")];
            let best = found(&two, &[record(7, Some(theirs), "a@x.example")], None, true).best;
            assert_eq!(best.map(|best| best.relation), Some(OtherReference), "{ours} is hardly another than {theirs}");
            let best = found(&two, &[record(7, Some(theirs), "b@x.example")], None, false).best;
            assert_eq!(
                best.map(|best| best.relation),
                Some(LikeReference),
                "{ours} and {theirs}, with another address"
            );
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
        assert_eq!(best(Some("R2"), false), Some(Relation::OtherReference));
        assert_eq!(best(Some("R2"), true), Some(Relation::Former), "a mailbox says nothing there");
        for shared in [false, true] {
            assert_eq!(best(Some("r1"), shared), Some(Relation::Own), "a service may spell an id in its own way");
        }
        assert_eq!((best(None, false), best(None, true)), (Some(Relation::SameEmail), Some(Relation::SharedEmail)));
        // Without one, they are their e-mail, which the service may have deleted.
        for email in ["A@x.example", ""] {
            let found = found(&[row(None, "a@x.example")], &[record(7, Some("R2"), email)], Some(7), false);
            assert_eq!(found.best.map(|best| best.relation), Some(Relation::Own), "{email}");
        }
    }

    #[test]
    fn an_entry_that_is_known_by_a_row_and_has_other_keys_now_is_a_conflict() {
        let best = |people: &[NewTestTaker], record: TestTaker, is_both| {
            let mut comparison = Comparison::new(people, 0..1, |_| Some((EntryId(7), is_both)), false);
            comparison.add(&record, EntryId(7), false);
            comparison.found(0).best.map(|best| best.relation)
        };
        let (numbered, bare) = ([row(Some("R1"), "a@x.example")], [row(None, "a@x.example")]);
        for is_both in [false, true] {
            assert_eq!(best(&numbered, record(7, Some("R9"), "b@x.example"), is_both), Some(Relation::Former));
            assert_eq!(best(&numbered, record(7, None, "b@x.example"), is_both), Some(Relation::Former));
            // Without a reference id they are their e-mail.
            assert_eq!(best(&bare, record(7, None, "b@x.example"), is_both), Some(Relation::Former));
        }
        // A service may spell an id in its own way.
        for (is_both, relation) in [(false, Relation::LikeReference), (true, Relation::Own)] {
            assert_eq!(best(&numbered, record(7, Some("0r1"), "b@x.example"), is_both), Some(relation));
        }
    }

    #[test]
    fn what_another_row_has_now_was_passed_on_and_whom_another_names_is_no_match_by_e_mail() {
        let people = [row(Some("R1"), "new@x.example"), row(Some("R9"), "a@x.example")];
        let owners = |row| Some((EntryId(7), true)).filter(|_| row == 0);
        let mut comparison = Comparison::new(&people, 0..2, owners, false);
        comparison.add(&record(7, Some("R9"), "a@x.example"), EntryId(7), false);
        let joiner = comparison.found(0);
        assert_eq!((joiner.best, joiner.passed_on), (None, Some(EntryId(7))));
        let people = [row(None, "a@x.example"), row(Some("R1"), "new@x.example")];
        let mut comparison = Comparison::new(&people, 0..2, |_| None, false);
        comparison.add(&record(7, Some("R1"), "a@x.example"), EntryId(7), false);
        let best = [0, 1].map(|row| comparison.found(row).best.map(|best| best.relation));
        assert_eq!(best, [Some(Relation::SharedEmail), Some(Relation::OtherEmail)]);
        let mut comparison = Comparison::new(&people[..1], 0..1, |_| None, false);
        comparison.add(&record(7, Some("R1"), "a@x.example"), EntryId(7), false);
        assert_eq!(
            comparison.found(0).best.map(|best| best.relation),
            Some(Relation::SameEmail),
            "named by nobody else"
        );
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
