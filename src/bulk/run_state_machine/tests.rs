//! What each answer means to plan, comparison and journal together.

use super::*;
use crate::bulk::journal_view::tests::{
    BEGAN, Rows, SETTLE, at, enrolled, hasher, moment, other, own, policy, record, roster,
};
use crate::bulk::on_existing::OnExisting;
use crate::bulk::plan::AtEnd;
use crate::journal::row_store::KeyState;
use crate::model::testtakers::{Enrolment, EntryId};

const NOW: Duration = Duration::from_secs(BEGAN);

fn options() -> RunOptions {
    let plan = PlanSettings {
        concurrency: 2,
        settle: at(SETTLE),
        dry_run: false,
        on_existing: OnExisting::Skip,
        resend_in_doubt: false,
        at_end: AtEnd::Wait,
        wait_for_list: true,
        seed: 1,
    };
    RunOptions { plan, allow_duplicates: false, journal: policy() }
}

/// A run over a roster that has seen these records of the list.
fn machine<'r>(roster: &'r Roster, rows: Rows, list: &[TestTaker]) -> Machine<'r, Rows> {
    let beginning = Beginning { at: NOW, moment: moment(BEGAN) };
    let settled = (roster, HashMap::new());
    let mut machine = Machine::new(settled, (rows, hasher()), options(), beginning).expect("a run");
    for record in list {
        machine.comparison.add_record(record);
    }
    machine
}

fn begun<'r>(roster: &'r Roster, known: &[KnownRow], list: &[TestTaker]) -> Machine<'r, Rows> {
    let mut machine = machine(roster, Rows { known: known.to_vec(), ..Rows::default() }, list);
    machine.begin(NOW, true).expect("the journal is read");
    machine
}

fn done(entry: i32) -> Answer {
    let json = format!(r#"{{"id":"5f0c1e6e-0000-4000-8000-000000000001","projectEntryId":{entry}}}"#);
    let enrolment: Enrolment = serde_json::from_str(&json).expect("an enrolment");
    Answer::Done { enrolment, remark: None, respelt: false }
}

#[test]
fn an_answer_that_is_another_rows_person_is_not_this_rows() {
    let roster = roster("a@b,R1\nc@d,R2");
    let answered = |email: &str, reference: &str| {
        let json = format!(
            r#"{{"id":"5f0c1e6e-0000-4000-8000-000000000001","projectEntryId":9,"email":"{email}","referenceId":"{reference}"}}"#
        );
        let enrolment = serde_json::from_str(&json).expect("an enrolment");
        let answer = Answer::Done { enrolment, remark: None, respelt: true };
        begun(&roster, &[], &[]).take(NOW, Completion::Answered(0, answer))
    };
    for (email, reference, is_own) in [("C@d", "R2", false), ("c@d", "R1", true), ("a@b", "r1", true)] {
        let is_done = matches!(answered(email, reference), Event::Answered(0, Answer::Done { .. }));
        assert_eq!(is_done, is_own, "{email} {reference}");
    }
}

/// The record that says just what a row without names says.
fn record_of(id: i32, email: &str, reference: &str) -> TestTaker {
    TestTaker { reference_id: Some(reference.to_owned()), ..record(id, email) }
}

/// Sends the rows of a run and answers each with the entry of its number, counted from 1.
fn sent<'r>(roster: &'r Roster, known: &[KnownRow], list: &[TestTaker]) -> Machine<'r, Rows> {
    let mut machine = begun(roster, known, list);
    let mut open = machine.step(NOW, Event::Tick);
    while let Some(action) = open.pop() {
        let completion = match action {
            Action::Journal(rows) => Completion::Journaled(rows, Ok(Vec::new())),
            Action::Send(row) => Completion::Answered(row, done(i32::try_from(row).expect("a few rows") + 1)),
            _ => continue,
        };
        let event = machine.take(NOW, completion);
        open.extend(machine.step(NOW, event));
    }
    machine
}

#[test]
fn rows_with_a_mistake_are_not_open_and_say_all_that_is_wrong() {
    let roster = roster("a@b,R1\nno address,R2\nc@d,");
    let invalid = invalid(&roster);
    assert_eq!(invalid.keys().copied().collect::<Vec<_>>(), [1]);
    assert_eq!(invalid[&1].outcome, Outcome::Invalid);
    assert!(invalid[&1].message.as_deref().is_some_and(|words| words.starts_with("email: ")));
    assert_eq!(machine(&roster, Rows::default(), &[]).open_rows(), 2);
}

#[test]
fn after_a_whole_list_nobody_is_asked_about() {
    let roster = roster("a@b,R1");
    assert_eq!(begun(&roster, &[], &[]).step(NOW, Event::Tick), [Action::Journal(vec![0])]);
    let mut machine = machine(&roster, Rows::default(), &[]);
    machine.begin(NOW, false).expect("the journal is read");
    assert_eq!(machine.step(NOW, Event::Tick), [Action::Ask(0)]);
}

#[test]
fn absence_proves_nothing_in_a_list_that_lacks_somebody_who_was_enrolled_from_here_long_ago() {
    let roster = roster("a@b,R1");
    let until_the_end = |lacking: &[KnownRow]| {
        let given_up = KeyState::Open { given_up: Some(1000), until: 1000, locked: true, answered: false };
        let known: Vec<KnownRow> = [own(&roster, 0, given_up, 1)].into_iter().chain(lacking.to_vec()).collect();
        let mut machine = begun(&roster, &known, &[record(3, "q@q")]);
        let mut now = NOW;
        loop {
            let actions = machine.step(now, Event::Tick);
            if !matches!(*actions, [] | [Action::Look { .. }]) || machine.plan.is_finished() {
                return (actions, machine.plan.ended(0).map(|end| end.outcome));
            }
            if let [Action::Look { row, .. }] = *actions {
                let event = machine.take(now, Completion::Looked(row, Ok(Vec::new())));
                let actions = machine.step(now, event);
                if !actions.is_empty() {
                    return (actions, None);
                }
            }
            let Some(wake) = machine.plan.wakes_at() else {
                return (Vec::new(), machine.plan.ended(0).map(|end| end.outcome));
            };
            now = wake;
        }
    };
    assert_eq!(until_the_end(&[]), (vec![Action::Journal(vec![0])], None), "found absent, and sent again");
    assert_eq!(until_the_end(&[other("x@y", None, enrolled(9), 2)]), (vec![], Some(Outcome::InDoubt)));
}

#[test]
fn a_row_that_waited_for_somebody_else_is_free_once_that_one_is_seen() {
    let roster = roster("a@b,R1");
    let mut machine = begun(&roster, &[other("x@y", Some("R1"), enrolled(5), BEGAN - 1)], &[]);
    assert_eq!(machine.step(NOW, Event::Tick), [Action::Ask(0)]);
    let freed = |machine: &mut Machine<'_, Rows>, records| match machine.take(NOW, Completion::Asked(0, Ok(records))) {
        Event::Freed(0, state) => Some(state),
        Event::Looked(0, _) => None,
        other => panic!("{other:?}"),
    };
    assert_eq!(freed(&mut machine, vec![record(6, "q@q")]), None);
    assert_eq!(freed(&mut machine, vec![record(5, "q@q")]), Some(RowState::New));
}

#[test]
fn an_answer_that_names_anothers_entry_does_not_say_as_which_entry_the_row_was_enrolled() {
    let roster = roster("a@b,R1\nc@d,R2");
    let mut machine = begun(&roster, &[other("x@y", None, enrolled(9), 2)], &[record(3, "q@q")]);
    machine.step(NOW, Event::Tick);
    machine.plan.start(NOW, 1, RowState::Ended(RowResult::new(Outcome::Enrolled).with_entry(EntryId(4))));
    let mut judged = |entry| match machine.take(NOW, Completion::Answered(0, done(entry))) {
        Event::Answered(0, Answer::Done { .. }) => true,
        Event::Answered(0, Answer::DoneIdUnknown(_)) => false,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        [3, 4, 9, 5].map(&mut judged),
        [false, false, false, true],
        "was there, is a row's, is another roster's"
    );
}

#[test]
fn an_answer_that_cannot_be_judged_because_the_journal_cannot_be_read_leaves_its_row_in_doubt() {
    let roster = roster("a@b,R1");
    let rows = Rows { known: vec![other("x@y", None, enrolled(9), 2)], broken: true, ..Rows::default() };
    let mut machine = machine(&roster, rows, &[record(9, "x@y")]);
    machine.begin(NOW, true).expect("the journal is read");
    machine.step(NOW, Event::Tick);
    assert_eq!(machine.step(NOW, Event::Journaled(Vec::new())), [Action::Send(0)]);
    let event = machine.take(NOW, Completion::Answered(0, done(1)));
    assert!(matches!(&event, Event::JournalFailed(failure) if failure.cause == "the journal can't be read"));
    assert_eq!(machine.plan.ended(0).map(|end| end.outcome), Some(Outcome::InDoubt));
}

#[test]
fn in_the_list_all_entries_are_looked_for_and_by_look_ups_those_that_are_not_known_to_be_there() {
    let roster = roster("a@b,R1\nc@d,R2\ne@f,R3");
    let machine = sent(&roster, &[own(&roster, 0, enrolled(10), 1)], &[record_of(10, "a@b", "R1")]);
    assert_eq!(machine.audit(true).1, [0, 1, 2]);
    assert_eq!(machine.audit(false).1, [1, 2]);
}

#[test]
fn who_appeared_twice_is_told_with_the_further_entries_that_are_nobody_elses() {
    let roster = roster("a@b,R1\nc@d,R2");
    let other_roster = other("x@y", None, enrolled(9), 1);
    let twice = |list: &[TestTaker]| {
        let mut machine = sent(&roster, std::slice::from_ref(&other_roster), &[record_of(7, "q@q", "R9")]);
        let (mut audit, _) = machine.audit(true);
        for record in list {
            audit.add_record(record);
        }
        match machine.take(NOW, Completion::Audited(Ok((audit, Some(1))))) {
            Event::Audited { missing, twice, .. } => (missing, twice),
            other => panic!("{other:?}"),
        }
    };
    let (one, two) = (record_of(1, "a@b", "R1"), record_of(2, "c@d", "R2"));
    let again = |id| record_of(id, "a@b", "R1");
    assert_eq!(twice(&[one.clone(), two.clone()]), (vec![], vec![]));
    assert_eq!(twice(std::slice::from_ref(&one)), (vec![1], vec![]));
    assert_eq!(twice(&[one.clone(), two.clone(), again(6), again(5)]).1, [(0, vec![EntryId(5), EntryId(6)])]);
    // One of another roster, one that was there before, and one of another row.
    assert_eq!(twice(&[one, two, again(9), again(7), again(2)]).1, []);
}
