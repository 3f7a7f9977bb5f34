//! The plan where lists lag, services spell, and other rows are in doubt.

use super::tests::{Rig, at, done, found, look, look_in_vain, lost, outcomes, planned, settings};
use super::*;
use crate::bulk::answer_evidence::Answer;
use crate::model::exit_ranks::Verdict;
use crate::model::testtakers::EntryId;
use Outcome::{Enrolled, InDoubt, NotAttempted};

#[test]
fn what_the_list_does_not_show_yet_is_looked_for_until_the_settle_time_is_over_and_is_not_gone() {
    let mut plan = planned(settings(), at(0), vec![RowState::New], vec![true], HashMap::new());
    plan.step(at(0), Event::Tick);
    plan.step(at(0), Event::Journaled(vec![]));
    plan.step(at(0), Event::Answered(0, done(1)));
    assert_eq!(plan.step(at(0), Event::Audited { missing: vec![0], twice: vec![], pages: Some(1) }), []);
    let mut looks = Vec::new();
    for _ in 0..8 {
        let wake = plan.wakes_at().expect("another look");
        assert_eq!(plan.step(wake, Event::Tick), [Action::ReadBack(0)]);
        looks.push(wake.as_secs());
        plan.step(wake, Event::Looked(0, found(&[])));
    }
    assert_eq!(looks, [1, 3, 7, 15, 30, 60, 120, 240]);
    assert_eq!(plan.wakes_at(), Some(at(300)));
    assert_eq!(plan.step(at(300), Event::Tick), [Action::Audit { whole: true }], "the last look is at the list");
    plan.step(at(300), Event::Audited { missing: vec![0], twice: vec![], pages: Some(1) });
    assert!(plan.is_finished());
    let finished = plan.end();
    assert_eq!((finished.ends[0].outcome, finished.verdict), (Enrolled, Verdict::Unfinished));
    assert_eq!(finished.ends[0].message.as_deref(), Some("the project's list does not show this entry yet"));
    assert_eq!(finished.open.unseen, 1);
}

#[test]
fn an_enrolled_row_that_appears_in_time_ends_the_wait_and_one_person_is_not_waited_for() {
    let mut plan = planned(settings(), at(0), vec![RowState::New], vec![true], HashMap::new());
    plan.step(at(0), Event::Tick);
    plan.step(at(0), Event::Journaled(vec![]));
    plan.step(at(0), Event::Answered(0, done(1)));
    plan.step(at(0), Event::Audited { missing: vec![0], twice: vec![], pages: Some(1) });
    plan.step(at(1), Event::Tick);
    plan.step(at(1), Event::Looked(0, found(&[EntryId(1)])));
    assert!(plan.is_finished());
    assert_eq!(plan.end().verdict, Verdict::Done);

    let settings = PlanSettings { wait_for_list: false, ..settings() };
    let mut plan = planned(settings, at(0), vec![RowState::New], vec![true], HashMap::new());
    plan.step(at(0), Event::Tick);
    plan.step(at(0), Event::Journaled(vec![]));
    plan.step(at(0), Event::Answered(0, done(1)));
    plan.step(at(0), Event::Audited { missing: vec![0], twice: vec![], pages: Some(1) });
    assert!(plan.is_finished());
    let finished = plan.end();
    assert!(finished.verdict == Verdict::Done && finished.ends[0].message.is_some());
}

#[test]
fn a_row_of_an_earlier_run_is_gone_where_the_list_and_an_exact_look_up_lack_it() {
    let mut result = RowResult::new(Enrolled).with_entry(EntryId(7));
    result.earlier = true;
    let missing = |again| RowState::Missing { result: result.clone(), again };
    let mut rig = Rig::new(settings(), vec![missing(false)], &[]);
    let closely = Action::Look { row: 0, closely: true };
    assert_eq!(rig.tick(0), std::slice::from_ref(&closely));
    rig.step(at(0), Event::Looked(0, found(&[EntryId(7)])));
    assert_eq!(outcomes(rig), (vec![Enrolled], Verdict::Done));

    let mut rig = Rig::new(settings(), vec![missing(false)], &[]);
    rig.tick(0);
    rig.step(at(0), Event::Looked(0, found(&[])));
    assert_eq!(outcomes(rig), (vec![Outcome::Gone], Verdict::RowsToFix));

    let mut rig = Rig::new(settings(), vec![missing(true)], &[]);
    assert_eq!(rig.tick(0), [closely], "before it is sent anew, it is looked up once more");
    assert_eq!(rig.step(at(0), Event::Looked(0, found(&[]))), [Action::Send(0)]);
}

#[test]
fn an_entry_that_may_be_the_row_forbids_to_send_it_again() {
    let mut rig = Rig::new(PlanSettings { resend_in_doubt: true, ..settings() }, vec![RowState::New], &[]);
    rig.tick(0);
    rig.step(at(0), Event::Answered(0, lost()));
    rig.tick(1);
    rig.step(at(1), Event::Looked(0, FoundEntries { ours: vec![], perhaps: Some(EntryId(5)) }));
    look_in_vain(&mut rig, 0);
    let ends = rig.plan.end().ends;
    assert_eq!(ends[0].outcome, InDoubt);
    assert_eq!(ends[0].message.as_deref(), Some("reset; entry 5 may be this person"));
}

#[test]
fn a_row_that_was_answered_is_never_sent_again_by_itself() {
    for start in [RowState::New, RowState::Doubt { since: at(0), answered: true }] {
        let mut rig = Rig::new(PlanSettings { resend_in_doubt: true, ..settings() }, vec![start.clone()], &[]);
        rig.tick(0);
        if start == RowState::New {
            rig.step(at(0), Event::Answered(0, Answer::DoneIdUnknown("cut off".to_owned())));
            assert_eq!(rig.notes, [(0, Fact::Answered)]);
        } else {
            rig.step(at(0), Event::Looked(0, found(&[])));
        }
        assert_eq!(look_in_vain(&mut rig, 0).1, []);
        assert_eq!(outcomes(rig).0, [InDoubt]);
    }
}

#[test]
fn creates_that_all_end_alike_stop_the_run_and_mistakes_of_rows_do_not() {
    let answered = |answer: &Answer| {
        let mut rig = Rig::new(PlanSettings { concurrency: 1, ..settings() }, vec![RowState::New; 30], &[]);
        let (mut sent, mut now) = (0, at(0));
        let mut open = rig.tick(0);
        while let Some(action) = open.pop() {
            let event = match action {
                Action::Send(row) => {
                    sent += 1;
                    Event::Answered(row, answer.clone())
                }
                Action::Look { row, .. } => Event::Looked(row, found(&[])),
                other => panic!("{other:?}"),
            };
            open.extend(rig.step(now, event));
            if open.is_empty() && !rig.plan.is_finished() {
                now = rig.plan.wakes_at().expect("something to wait for");
                open.extend(rig.step(now, Event::Tick));
            }
        }
        (sent, rig.plan.end())
    };
    let lost = |status| Answer::Lost { words: "no".to_owned(), status: Some(status) };
    for status in [409, 500, 503] {
        let (sent, finished) = answered(&lost(status));
        assert_eq!((sent, finished.counts.total()), (10, 30));
        assert!(matches!(finished.stop, Some(Stop::Alike(words)) if words.ends_with(&status.to_string())));
        assert_eq!(finished.verdict, Verdict::Unfinished);
    }
    let (sent, finished) = answered(&lost(408));
    assert!(sent > 10 && !matches!(finished.stop, Some(Stop::Alike(_))), "{sent} sent");
    let (sent, finished) = answered(&Answer::Refused("400".to_owned()));
    assert_eq!((sent, finished.stop, finished.verdict), (30, None, Verdict::RowsToFix));
}

#[test]
fn a_row_waits_for_another_rosters_row_until_that_is_absent_for_certain() {
    let mut rig = Rig::new(settings(), vec![RowState::Held { since: at(0), answered: false }], &[]).inexact();
    assert_eq!(rig.tick(1000), [look(0)]);
    rig.step(at(1000), Event::Looked(0, found(&[])));
    let (_, sent) = look_in_vain(&mut rig, 0);
    assert_eq!(sent, [Action::Release(0), Action::Send(0)]);
}

#[test]
fn a_row_in_doubt_that_cannot_be_asked_about_keeps_those_like_it_from_being_sent() {
    for (in_doubt, ends) in [(true, vec![InDoubt, NotAttempted]), (false, vec![NotAttempted, Enrolled])] {
        let starts = vec![RowState::Unasked { in_doubt }, RowState::Unasked { in_doubt: false }];
        let mut rig = Rig::new(settings(), starts, &[(0, 1), (1, 1)]);
        rig.asked = vec![(1, RowState::New)];
        rig.tick(0);
        rig.step(at(0), Event::Asked(1));
        let sent = rig.step(at(0), Event::ReadFailed(0, None, "503".to_owned()));
        assert_eq!(sent, if in_doubt { vec![] } else { vec![Action::Send(1)] });
        if !in_doubt {
            rig.step(at(1), Event::Answered(1, done(1)));
        }
        assert_eq!(outcomes(rig), (ends, Verdict::Unfinished));
    }
}

#[test]
fn a_run_that_only_waited_is_unfinished() {
    let settings = PlanSettings { at_end: AtEnd::Leave, ..settings() };
    let mut rig = Rig::new(settings, vec![RowState::Held { since: at(0), answered: false }], &[]);
    rig.tick(1);
    rig.step(at(1), Event::Looked(0, found(&[])));
    assert!(rig.plan.is_finished());
    assert_eq!(outcomes(rig), (vec![NotAttempted], Verdict::Unfinished));
}

/// A row in doubt that is looked for beside one that reads should show.
fn doubtful_beside(other: RowState) -> Rig {
    Rig::new(settings(), vec![RowState::Doubt { since: at(0), answered: false }, other], &[])
}

fn earlier(entry: i32) -> RowResult {
    let mut result = RowResult::new(Enrolled).with_entry(EntryId(entry));
    result.earlier = true;
    result
}

#[test]
fn absence_proves_nothing_in_reads_that_lack_a_row_that_was_enrolled_longer_ago_than_the_settle_time() {
    let mut rig = doubtful_beside(RowState::Unseen { result: earlier(8), since: at(0) });
    rig.tick(0);
    rig.step(at(0), Event::Looked(0, found(&[])));
    let mut last = 0;
    while let Some(wake) = rig.plan.wakes_at().filter(|_| rig.plan.ended(0).is_none()) {
        last = wake.as_secs();
        let mut actions = rig.step(wake, Event::Tick);
        while let Some(action) = actions.pop() {
            let (Action::Look { row, .. } | Action::ReadBack(row)) = action else { panic!("{action:?}") };
            actions.extend(rig.step(wake, Event::Looked(row, found(&[]))));
        }
    }
    assert_eq!(last, 600);
    let ended = rig.plan.ended(0).expect("an end");
    assert_eq!(ended.outcome, InDoubt);
    let words = "an earlier attempt was not answered; looking it up proves nothing: entry 8 is not shown either";
    assert_eq!(ended.message.as_deref(), Some(words));
}

#[test]
fn a_row_that_is_gone_keeps_another_one_in_doubt_until_something_new_is_seen() {
    for in_its_place in [vec![], vec![EntryId(9)]] {
        let mut rig = doubtful_beside(RowState::Missing { result: earlier(8), again: false });
        rig.tick(0);
        rig.step(at(0), Event::Looked(1, found(&in_its_place)));
        rig.step(at(0), Event::Looked(0, found(&[])));
        assert_eq!(look_in_vain(&mut rig, 0).1, [], "beside {in_its_place:?}");
        assert_eq!(rig.plan.ended(0).map(|ended| ended.outcome), Some(InDoubt));
    }
}

#[test]
fn absence_proves_nothing_without_the_list_where_there_are_people_whom_it_has_to_show() {
    for (has_enrolled, sent) in [(false, vec![Action::Send(0)]), (true, vec![])] {
        let mut rig = Rig::new(settings(), vec![RowState::Doubt { since: at(0), answered: false }], &[]);
        rig.plan.without_list(has_enrolled);
        rig.tick(0);
        rig.step(at(0), Event::Looked(0, found(&[])));
        assert_eq!(look_in_vain(&mut rig, 0), (600, sent));
        let ended = rig.plan.ended(0).map(|ended| ended.message.as_deref().unwrap_or_default());
        let words = "an earlier attempt was not answered; looking it up proves nothing without the project's list, \
                     which the next run reads";
        assert_eq!(ended, has_enrolled.then_some(words));
    }
}

#[test]
fn a_row_of_an_earlier_run_that_reads_show_late_holds_nothing_up() {
    let mut rig = doubtful_beside(RowState::Unseen { result: earlier(8), since: at(0) });
    rig.tick(0);
    rig.step(at(0), Event::Looked(0, found(&[])));
    let (when, actions) = look_in_vain(&mut rig, 0);
    assert_eq!((when, actions), (300, vec![Action::ReadBack(1)]));
    rig.step(at(300), Event::Looked(1, found(&[EntryId(8)])));
    assert_eq!(look_in_vain(&mut rig, 0), (600, vec![Action::Send(0)]));
}
