//! What a roster means for a project, case by case.

use std::collections::HashSet;

use proptest::prelude::*;

use super::absent::{AbsenceRules, Absent};
use super::classes::{Classes, Classifier, Known, RowClass};
use super::file_people::FilePeople;
use super::known_people::KnownPeople;
use super::person_keys::PersonKeys;
use crate::bulk::compare::Comparison;
use crate::bulk::outcome::{Outcome, RowResult};
use crate::bulk::roster::{ReadOptions, Roster, read};
use crate::bulk::sync::absent::Leavers;
use crate::journal::row_store::RowHasher;
use crate::model::testtakers::{EntryId, TestTaker};

/// A file, how its rows stand, and who is known with how many absences.
#[derive(Clone, Copy)]
struct Case<'a> {
    csv: &'a str,
    ends: &'a [(Outcome, Option<i32>)],
    known: &'a [(&'a str, u8)],
    doubtful: &'a [&'a str],
    removing: &'a [i32],
}

/// The second absence removes, of people that this source's file brought.
fn rules<'a>(known: &'a KnownPeople, none: &'a KnownPeople) -> AbsenceRules<'a> {
    AbsenceRules { leavers: Leavers::Known, is_first: false, absent_for: 2, known, elsewhere: none, keep: none }
}

fn classified(case: &Case<'_>, list: &[serde_json::Value]) -> Classes {
    let hasher = RowHasher::new(b"secret");
    let roster = read(case.csv.as_bytes(), "r", &ReadOptions { allow_doubles: true, ..ReadOptions::default() })
        .expect("a roster");
    let end =
        |(outcome, entry): &(Outcome, Option<i32>)| RowResult { entry: entry.map(EntryId), ..RowResult::new(*outcome) };
    let ends: Vec<RowResult> = case.ends.iter().map(end).collect();
    let file = FilePeople::new(&hasher, &roster, &ends);
    let key = |id: &str| crate::journal::person_key::person_key(&hasher.reference(id));
    let known = KnownPeople::new(case.known.iter().map(|(id, absences)| (key(id), *absences)).collect());
    let none = KnownPeople::default();
    let rules = rules(&known, &none);
    let doubtful = case.doubtful.iter().map(|id| key(id)).collect();
    let removing = case.removing.iter().copied().map(EntryId).collect();
    let all = Known {
        roster: &roster,
        ends: &ends,
        file: &file,
        hasher: &hasher,
        rules,
        before: &known,
        replacing: &HashSet::new(),
        doubtful: &doubtful,
        removing: &removing,
        sent: &std::collections::HashMap::new(),
        replaces_renamed: true,
    };
    let mut classifier = Classifier::new(all);
    for record in list {
        classifier.add_record(serde_json::from_value(record.clone()).expect("a record"));
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
    assert_eq!((left(&classes), classes.rows.as_slice()), (vec![2], [RowClass::AsBefore].as_slice()));
    assert_eq!((classes.missing.clone(), classes.waiting.len()), ([(Absent::Stray, 1)].into(), 1));
    assert_eq!(classes.staying().len(), 2, "the keys of those who were in an earlier file alone and stay");
}

#[test]
fn a_changed_email_of_a_person_with_a_reference_id_is_one_person_who_stays() {
    let case = Case { csv: "email,referenceId\nnew@b,R-2\n", ends: &[(Outcome::Conflict, Some(2))], ..FILE };
    let classes = classified(&case, &[person(2, "c@d", "R-2", "Bob")]);
    assert_eq!((left(&classes), classes.rows), (vec![], vec![RowClass::Renamed]));
    assert_eq!(classes.settled[&0].outcome, Outcome::Conflict);
}

#[test]
fn a_changed_email_onto_one_that_another_entry_has_is_a_conflict_in_whatever_order_they_come() {
    let case = Case { csv: "email,referenceId\nnew@b,R-2\n", ends: &[(Outcome::Conflict, Some(2))], ..FILE };
    let (old, other) = (person(2, "c@d", "R-2", "Bob"), person(7, "NEW@b", "R-7", "Eve"));
    assert!(classified(&case, std::slice::from_ref(&old)).renamed[&0].len() == 1, "it may be replaced");
    for list in [[old.clone(), other.clone()], [other, old.clone()], [person(7, "new@b", "", "Bob"), old.clone()]] {
        let classes = classified(&case, &list);
        assert_eq!((classes.rows.as_slice(), classes.renamed[&0].is_empty()), ([RowClass::Renamed].as_slice(), true));
        assert!(classes.settled[&0].message.as_deref().is_some_and(|words| words.contains("and entry 7 this e-mail")));
    }
    let family = "email,referenceId\nnew@b,R-2\nnew@b,R-7\n";
    let ends = [(Outcome::Conflict, Some(2)), (Outcome::Existing, Some(7))];
    let classes = classified(&Case { csv: family, ends: &ends, ..FILE }, &[old]);
    assert!(classes.renamed[&0].is_empty(), "what is said of the other row is all that is seen of its entry");
}

#[test]
fn rows_in_doubt_are_among_those_who_join_and_those_with_an_entry_are_not() {
    let csv = "email,referenceId\nx@b,R-8\ny@b,R-9\nz@b,R-10\na@b,R-1\n";
    let open = [(Outcome::InDoubt, None), (Outcome::NotAttempted, None), (Outcome::WouldEnrol, None)];
    let ends = [open.as_slice(), &[(Outcome::Existing, Some(1))]].concat();
    let case = Case { csv, ends: &ends, removing: &[1], ..FILE };
    let ann = person(1, "a@b", "R-1", "Ann");
    let classes = classified(&case, std::slice::from_ref(&ann));
    assert_eq!((classes.joining(), classes.settled[&3].outcome), (3, Outcome::InDoubt));
    // A person on the list has joined, though the run that did it could not say so.
    let classes = classified(&case, &[ann, person(8, "x@b", "R-8", "Xu")]);
    assert_eq!(classes.joining(), 2);
}

#[test]
fn a_joiner_and_a_leaver_who_are_alike_are_left_alone_and_told() {
    let case = Case { csv: "email,firstName\nnew@b,Bob\nx@y,Zoe\n", ends: &[(Outcome::WouldEnrol, None); 2], ..FILE };
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
fn a_changed_email_is_in_doubt_while_something_may_still_take_effect_on_its_person() {
    let case = Case { csv: "email,referenceId\nnew@b,R-1\n", ends: &[(Outcome::Conflict, Some(1))], ..FILE };
    let list = [person(1, "a@b", "R-1", "Ann")];
    assert!(classified(&case, &list).renamed[&0].len() == 1);
    for case in [Case { removing: &[1], ..case }, Case { doubtful: &["R-1"], ..case }] {
        let classes = classified(&case, &list);
        assert_eq!((classes.renamed[&0].is_empty(), classes.settled[&0].outcome), (true, Outcome::InDoubt));
        // A person that the rules would not let leave is not replaced afterwards either.
        let classes = classified(&Case { known: &[], ..case }, &list);
        assert_eq!((classes.renamed[&0].is_empty(), classes.settled[&0].outcome), (true, Outcome::Conflict));
    }
}

#[test]
fn a_changed_email_takes_the_place_of_each_entry_of_its_person_or_of_none() {
    let case = Case { csv: "email,referenceId\nnew@b,R-1\n", ends: &[(Outcome::Conflict, Some(1))], ..FILE };
    let list = [person(5, "b@b", "R-1", "Ann"), person(1, "a@b", "R-1", "Ann"), person(6, "x@b", "R-7", "Xu")];
    let old =
        |case: &Case<'_>| -> Vec<i32> { classified(case, &list).renamed[&0].iter().map(|old| old.person.id).collect() };
    assert_eq!(old(&case), [1, 5]);
    assert!(old(&Case { removing: &[5], ..case }).is_empty());
}

#[test]
fn rows_in_conflict_and_duplicates_are_left_alone_with_their_reason() {
    let case = Case { csv: "email,referenceId\na@b,R-1\n", ends: &[(Outcome::Duplicate, Some(1))], ..FILE };
    let classes = classified(&case, &[person(1, "a@b", "R-1", "Ann"), person(9, "a@b", "R-1", "Ann")]);
    assert_eq!((left(&classes), classes.rows), (vec![], vec![RowClass::Unsettled]));
}

/// A person of few values: e-mail, reference id, first name.
type Few = (u8, u8, u8);

fn few() -> impl Strategy<Value = Vec<Few>> {
    prop::collection::vec((0..4_u8, 0..4_u8, 0..2_u8), 0..6)
}

fn listed(id: i32, (email, reference, name): Few) -> TestTaker {
    let reference = if reference == 0 { String::new() } else { format!("R-{reference}") };
    let (email, name) = (["a@x", "A@x", "b@x", "c@x"][usize::from(email)], ["Ann", "Bob"][usize::from(name)]);
    serde_json::from_value(person(id, email, &reference, name)).expect("a record")
}

fn file_of(rows: &[Few]) -> Option<Roster> {
    let lines = rows.iter().map(|row| {
        let person = listed(0, *row);
        [person.email, person.reference_id, person.first_name].map(Option::unwrap_or_default).join(",")
    });
    let text = format!("email,referenceId,firstName\n{}\n", lines.collect::<Vec<_>>().join("\n"));
    read(text.as_bytes(), "r", &ReadOptions { allow_doubles: true, ..ReadOptions::default() }).ok()
}

/// How rows stand by what ships: compared with the list, one of them known by its entry.
fn stand(roster: &Roster, list: &[TestTaker], own: Option<(usize, i32)>) -> Vec<RowResult> {
    let mut comparison = Comparison::new(roster, 0..roster.row_count(), false);
    let own = own.filter(|(row, _)| *row < roster.row_count());
    if let Some((row, entry)) = own {
        comparison.reserve(row, EntryId(entry));
    }
    for record in list {
        comparison.add_record(record);
    }
    comparison.judge();
    let ends = (0..roster.row_count()).map(|row| {
        let is_own = own.is_some_and(|(of, _)| of == row);
        match (comparison.result_of(row), comparison.differs(row)) {
            (Some(_), Some(entry)) => RowResult::new(Outcome::WouldUpdate).with_entry(entry),
            (Some(end), None) if is_own && end.outcome == Outcome::Existing => {
                RowResult { outcome: Outcome::Enrolled, earlier: true, ..end }
            }
            (Some(end), None) => end,
            (None, _) => RowResult::new(Outcome::WouldEnrol),
        }
    });
    ends.collect()
}

proptest! {
    #[test]
    fn records_that_are_not_needed_would_have_said_nothing(
        rows in few(),
        list in few(),
        before in prop::collection::vec((few(), 0..3_u8), 0..3),
        own in prop::option::of((0..6_usize, 0..6_i32)),
        replacing in prop::option::of(0..6_i32),
    ) {
        let Some(roster) = file_of(&rows) else { return Ok(()) };
        let list: Vec<TestTaker> = (0..).zip(list).map(|(id, of)| listed(id, of)).collect();
        let (hasher, ends) = (RowHasher::new(b"secret"), stand(&roster, &list, own));
        let file = FilePeople::new(&hasher, &roster, &ends);
        let key = |of: Few| PersonKeys::of_record(&hasher, &listed(0, of)).primary();
        let people = before.into_iter().flat_map(|(people, absences)| {
            people.into_iter().filter_map(key).map(move |key| (key, absences)).collect::<Vec<_>>()
        });
        let before = KnownPeople::new(people.collect());
        let known = before.after(file.primary(), |key| file.has(key), true);
        let (none, no_one, nothing) = (KnownPeople::default(), HashSet::new(), HashSet::new());
        let replacing = replacing.into_iter().map(EntryId).collect();
        let classes = |all: bool| {
            let sent = std::collections::HashMap::new();
            let mut classifier = Classifier::new(Known {
                roster: &roster,
                ends: &ends,
                file: &file,
                hasher: &hasher,
                rules: rules(&known, &none),
                before: &before,
                replacing: &replacing,
                doubtful: &no_one,
                removing: &nothing,
                sent: &sent,
                replaces_renamed: true,
            });
            for record in &list {
                if all || classifier.needs(record.entry_id()) {
                    classifier.add_record(record.clone());
                }
            }
            classifier.finish(|_| Ok::<_, ()>(false)).expect("no journal")
        };
        let (all, needed) = (classes(true), classes(false));
        prop_assert_eq!(&all.rows, &needed.rows);
        prop_assert_eq!(&all.settled, &needed.settled);
        prop_assert_eq!(&all.changed, &needed.changed);
        prop_assert_eq!((&all.missing, all.unsettled), (&needed.missing, needed.unsettled));
        prop_assert_eq!(left(&all), left(&needed));
        prop_assert_eq!(all.replacing.len(), needed.replacing.len());
        prop_assert_eq!(all.renamed.len(), needed.renamed.len());
        prop_assert_eq!(all.staying(), needed.staying());
    }
}

#[test]
fn only_another_email_with_the_same_reference_id_is_a_changed_email() {
    let case = |end| Case { csv: "email,referenceId\nnew@b,R-2\n", ends: end, ..FILE };
    let conflict = [(Outcome::Conflict, Some(2))];
    let rows = |email, reference| classified(&case(&conflict), &[person(2, email, reference, "Bob")]).rows;
    assert_eq!(rows("old@b", "R-2"), [RowClass::Renamed]);
    assert_eq!(rows("new@b", "R-2"), [RowClass::Unsettled], "what contradicts is something else");
    assert_eq!(rows("old@b", "R-9"), [RowClass::Unsettled], "another person");
    let gone = classified(&case(&[(Outcome::Gone, Some(2))]), &[]);
    assert_eq!(gone.rows, [RowClass::Unsettled]);
    let told = gone.settled[&0].message.as_deref();
    assert_eq!(told, Some("was enrolled from here and removed since, and not from here"));
}
