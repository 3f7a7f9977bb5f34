//! Who goes from one entry to another, case by case.

use std::collections::HashSet;

use super::absent::{AbsenceRules, Leavers};
use super::classes::{Classes, Classifier, Known, Leaver, RowClass};
use super::file_people::FilePeople;
use super::known_people::KnownPeople;
use super::moves_and_replacements::{FilePart, find_pairs};
use super::person_keys::PersonKeys;
use crate::bulk::outcome::{Outcome, RowResult};
use crate::bulk::roster::{ReadOptions, Roster, read};
use crate::journal::row_store::RowHasher;
use crate::journal::synced_rosters::open_moves::OpenMove;
use crate::model::projects::ProjectId;
use crate::model::testtakers::{EntryId, TestTaker};

fn hasher() -> RowHasher {
    RowHasher::new(b"secret")
}

fn project(part: usize) -> ProjectId {
    ProjectId(uuid::Uuid::from_u128(part as u128 + 1))
}

fn person(id: i32, email: &str, reference: &str) -> Leaver {
    let json = serde_json::json!({ "id": id, "email": email, "referenceId": reference });
    let person: TestTaker = serde_json::from_value(json).expect("a record");
    Leaver { keys: PersonKeys::of_record(&hasher(), &person), person }
}

/// A project's part of a file, whose list is empty: who is absent from it is put in by the tests.
struct Part {
    roster: Roster,
    ends: Vec<RowResult>,
    classes: Classes,
}

fn part(rows: &str, ends: &[(Outcome, Option<i32>)]) -> Part {
    let options = ReadOptions { allow_doubles: true, ..ReadOptions::default() };
    let roster = read(format!("email,referenceId\n{rows}\n").as_bytes(), "r", &options).expect("a roster");
    let end =
        |(outcome, entry): &(Outcome, Option<i32>)| RowResult { entry: entry.map(EntryId), ..RowResult::new(*outcome) };
    let ends: Vec<RowResult> = ends.iter().map(end).collect();
    let none = KnownPeople::default();
    let hasher = hasher();
    let file = FilePeople::new(&hasher, &roster, &ends);
    let rules = AbsenceRules {
        leavers: Leavers::Known,
        is_first: false,
        absent_for: 1,
        known: &none,
        elsewhere: &none,
        keep: &none,
    };
    let known = Known {
        roster: &roster,
        ends: &ends,
        file: &file,
        hasher: &hasher,
        rules,
        before: &none,
        replacing: &HashSet::new(),
        doubtful: &HashSet::new(),
        removing: &HashSet::new(),
        sent: &std::collections::HashMap::new(),
        replaces_renamed: true,
    };
    let classes = Classifier::new(known).finish(|_| Ok::<_, ()>(false)).expect("no journal");
    Part { roster, ends, classes }
}

/// The pairs of a file of two parts: from which entry to which row of which part, and the classes after that.
fn pairs(parts: [Part; 2], open: &[OpenMove]) -> (Vec<(i32, usize, usize)>, [Classes; 2]) {
    let [one, other] = parts;
    let mut classes = [one.classes, other.classes];
    let parts = [(one.roster, one.ends), (other.roster, other.ends)];
    let file = [0, 1].map(|n| FilePart { project: project(n), roster: &parts[n].0, ends: &parts[n].1 });
    let found = find_pairs(&file, &mut classes, &hasher(), (open, true));
    (found.iter().map(|pair| (pair.entry().0, pair.to, pair.row)).collect(), classes)
}

const JOINER: (Outcome, Option<i32>) = (Outcome::WouldEnrol, None);
const STANDS: (Outcome, Option<i32>) = (Outcome::Existing, Some(8));
const NOBODY: &str = "nobody@x,R0";

/// What becomes of an absent person of the first part by a row of the second.
fn moved(absent: Leaver, row: &str, end: (Outcome, Option<i32>), open: &[OpenMove]) -> Option<RowClass> {
    let (mut from, to) = (part(NOBODY, &[STANDS]), part(row, &[end]));
    from.classes.leavers.push(absent);
    let (found, [from, to]) = pairs([from, to], open);
    assert_eq!(from.leavers.len() + from.unsettled + found.len(), 1, "each leaver becomes one thing");
    (!found.is_empty()).then(|| to.rows[0])
}

#[test]
fn a_row_is_an_absent_persons_by_the_reference_id_where_both_have_one_and_else_by_the_email() {
    let mover = Some(RowClass::Mover);
    assert_eq!(moved(person(7, "old@b", "R1"), "new@b,R1", JOINER, &[]), mover);
    assert_eq!(moved(person(7, "a@b", "R1"), "a@b,", JOINER, &[]), mover);
    assert_eq!(moved(person(7, "a@b", ""), "a@b,R1", JOINER, &[]), mover);
    assert_eq!(moved(person(7, "a@b", "R1"), "a@b,R2", JOINER, &[]), None, "two reference ids are two people");
    assert_eq!(moved(person(7, "a@b", "R1"), "new@b,", JOINER, &[]), None);
}

#[test]
fn somebody_whose_row_elsewhere_is_under_way_moves_and_one_whose_row_ended_otherwise_stays() {
    let absent = || person(7, "a@b", "R1");
    assert_eq!(moved(absent(), "a@b,R1", (Outcome::InDoubt, None), &[]), Some(RowClass::Mover));
    for end in [Outcome::Refused, Outcome::Invalid] {
        assert_eq!(moved(absent(), "a@b,R1", (end, None), &[]), None, "{end:?}");
    }
    let (mut from, mut to) = (part(NOBODY, &[STANDS]), part("a@b,R1", &[(Outcome::InDoubt, None)]));
    from.classes.leavers.push(absent());
    to.classes.settled.insert(0, RowResult::new(Outcome::InDoubt));
    assert_eq!(pairs([from, to], &[]).0, [], "who it is about is not certain");
}

#[test]
fn who_leaves_is_unsettled_beside_an_uncertain_row_elsewhere_and_who_only_waits_goes_on_waiting() {
    let uncertain = || part("a@b,R1", &[(Outcome::Refused, None)]);
    let mut from = part(NOBODY, &[STANDS]);
    from.classes.leavers.push(person(7, "a@b", "R1"));
    let (found, [left, _]) = pairs([from, uncertain()], &[]);
    assert_eq!((found.len(), left.unsettled, left.waiting.len(), left.leavers.len()), (0, 1, 0, 0));
    let mut from = part(NOBODY, &[STANDS]);
    from.classes.waiting.push(person(7, "a@b", "R1"));
    let (found, [left, _]) = pairs([from, uncertain()], &[]);
    assert_eq!((found.len(), left.unsettled, left.waiting.len(), left.leavers.len()), (0, 0, 1, 0));
    let mut from = part(NOBODY, &[STANDS]);
    from.classes.waiting.push(person(7, "a@b", "R1"));
    let (_, [left, _]) = pairs([from, part("x@y,R2", &[JOINER])], &[]);
    assert_eq!((left.waiting.len(), left.leavers.len()), (1, 0));
}

#[test]
fn a_move_that_an_earlier_run_began_is_finished_and_no_other_one() {
    let absent = || person(7, "a@b", "R1");
    let open = |from, entry, to| {
        let key = absent().keys.email.expect("an e-mail");
        [OpenMove { from: project(from), entry: EntryId(entry), to: project(to), key }]
    };
    assert_eq!(moved(absent(), "a@b,R1", STANDS, &open(0, 7, 1)), Some(RowClass::Mover));
    for other in [open(0, 7, 2), open(2, 7, 1), open(0, 6, 1)] {
        assert_eq!(moved(absent(), "a@b,R1", STANDS, &other), None, "{other:?}");
    }
    assert_eq!(moved(absent(), "a@b,R1", STANDS, &[]), None, "who stands elsewhere too leaves by the rules of absence");
}

#[test]
fn an_entry_that_was_about_to_be_replaced_goes_once_another_one_stands_or_may() {
    let replaced = |end| {
        let mut from = part("new@b,R1", &[end]);
        from.classes.replacing.push(person(7, "old@b", "R1"));
        pairs([from, part(NOBODY, &[STANDS])], &[]).0
    };
    assert_eq!(replaced(STANDS), [(7, 0, 0)]);
    assert_eq!(replaced((Outcome::InDoubt, None)), [(7, 0, 0)]);
    assert_eq!(replaced((Outcome::Existing, Some(7))), [], "the old entry is the row's");
    assert_eq!(replaced((Outcome::Refused, None)), []);
}

#[test]
fn of_a_person_who_is_pending_elsewhere_only_a_row_that_would_join_waits() {
    let waits = |row: &str, end: (Outcome, Option<i32>)| {
        let (mut from, to) = (part(NOBODY, &[STANDS]), part(row, &[end]));
        from.classes.pending.push(person(7, "a@b", "R1").keys);
        let (_, [from, to]) = pairs([from, to], &[]);
        (from.pending.len(), to.settled.get(&0).map(|end| end.outcome))
    };
    let in_doubt = (0, Some(Outcome::InDoubt));
    assert_eq!(waits("a@b,R1", JOINER), in_doubt);
    assert_eq!(waits("a@b,R1", (Outcome::NotAttempted, None)), in_doubt, "an earlier run began with it");
    assert_eq!(waits("a@b,R1", STANDS), (1, None));
    assert_eq!(waits("c@d,R2", JOINER), (1, None));
}
