//! Attempts, changes and ends of rows against modelled services, and what a plan tells of them.

use super::freshness::{Reads, Unproven};
use super::tests::{Rig, at, done, found, look, look_in_vain, lost, outcomes, planned, settings};
use super::*;
use crate::api::{ATTEMPTS, LONGEST_WAIT, backoff_ceiling};
use crate::bulk::answer_evidence::Answer;
use crate::bulk::early_stop::IN_A_ROW;
use crate::bulk::outcome::RowOutcome;
use crate::model::exit_ranks::Verdict;
use crate::model::testtakers::EntryId;
use Outcome::{Enrolled, Existing, InDoubt, NotAttempted, Refused, Updated};

fn one_at_a_time() -> PlanSettings {
    PlanSettings { concurrency: 1, ..settings() }
}

fn refused_for_now(wait: Duration) -> Answer {
    Answer::RefusedForNow { wait, words: "429".to_owned() }
}

fn never_sent(permanent: bool) -> Answer {
    Answer::NeverSent { words: "refused".to_owned(), permanent }
}

fn enrolled_as(entry: i32) -> RowResult {
    RowResult { earlier: true, ..RowResult::new(Enrolled).with_entry(EntryId(entry)) }
}

/// Gives every attempt of the run this answer, and says which rows were sent, in their order.
fn sent_until_the_end(rig: &mut Rig, answer: &Answer) -> Vec<usize> {
    let (mut now, mut sent) = (at(0), Vec::new());
    let mut open = rig.tick(0);
    while !rig.plan.is_finished() && sent.len() < 100 {
        match open.pop() {
            Some(Action::Send(row)) => {
                sent.push(row);
                open.extend(rig.step(now, Event::Answered(row, answer.clone())));
            }
            Some(other) => panic!("{other:?}"),
            None => {
                now = rig.plan.wakes_at().expect("something to wait for");
                open.extend(rig.step(now, Event::Tick));
            }
        }
    }
    sent
}

#[test]
fn a_refusal_of_a_row_that_an_earlier_attempt_may_have_enrolled_is_no_answer() {
    let mut rig = Rig::new(settings(), vec![RowState::Doubt { since: at(0), answered: false }], &[]);
    assert_eq!(rig.tick(0), [look(0)]);
    rig.step(at(0), Event::Looked(0, found(&[])));
    assert_eq!(look_in_vain(&mut rig, 0), (600, vec![Action::Send(0)]));
    rig.step(at(601), Event::Answered(0, Answer::Refused("e-mail taken".to_owned())));
    assert!(rig.plan.is_in_doubt(0));
    let mut rig = Rig::open(1);
    rig.tick(0);
    rig.step(at(0), Event::Answered(0, Answer::Refused("e-mail taken".to_owned())));
    assert!(!rig.plan.is_in_doubt(0));
    assert_eq!(outcomes(rig).0, [Refused]);
}

#[test]
fn a_row_that_is_lost_and_found_absent_has_four_attempts() {
    let mut rig = Rig::open(1);
    let mut actions = rig.tick(0);
    let (mut sent, mut now) = (0, 0);
    while actions == [Action::Send(0)] && sent < 10 {
        sent += 1;
        rig.step(at(now), Event::Answered(0, lost()));
        (now, actions) = look_in_vain(&mut rig, 0);
    }
    assert_eq!(sent, ATTEMPTS);
    assert_eq!(outcomes(rig), (vec![NotAttempted], Verdict::NoAnswer));
}

#[test]
fn a_row_that_is_found_absent_after_the_run_stopped_is_not_sent_again() {
    let mut rig = Rig::open(2);
    rig.tick(0);
    rig.step(at(0), Event::Answered(0, lost()));
    rig.step(at(0), Event::Answered(1, never_sent(true)));
    assert_eq!(look_in_vain(&mut rig, 0).1, []);
    assert!(rig.plan.is_finished());
    assert_eq!(outcomes(rig), (vec![NotAttempted, NotAttempted], Verdict::NoAnswer));
}

#[test]
fn a_wait_that_is_too_long_and_an_address_that_cannot_be_reached_at_all_stop_the_run_at_once() {
    let answered = |answer| {
        let mut rig = Rig::new(one_at_a_time(), vec![RowState::New; 3], &[]);
        rig.tick(0);
        rig.step(at(0), Event::Answered(0, answer));
        rig.plan
    };
    let waits = answered(refused_for_now(LONGEST_WAIT));
    assert!(!waits.is_finished() && waits.wakes_at() >= Some(LONGEST_WAIT));
    for plan in [answered(refused_for_now(LONGEST_WAIT + at(1))), answered(never_sent(true))] {
        assert!(plan.is_finished());
        assert!(matches!(plan.stop, Some(Stop::NoAnswer(_))));
    }
}

#[test]
fn three_rows_have_four_attempts_each_before_a_service_counts_as_away() {
    let mut rig = Rig::new(one_at_a_time(), vec![RowState::New; 5], &[]);
    let sent = sent_until_the_end(&mut rig, &never_sent(false));
    let attempts: Vec<usize> = (0..5).map(|row| sent.iter().filter(|sent| **sent == row).count()).collect();
    assert_eq!(attempts, [4, 4, 4, 0, 0]);
}

#[test]
fn the_pause_before_an_attempt_is_random_and_its_bound_doubles() {
    let mut longest = [Duration::ZERO; 2];
    for seed in 0..64 {
        let mut rig = Rig::new(PlanSettings { seed, ..one_at_a_time() }, vec![RowState::New], &[]);
        rig.tick(0);
        let mut now = at(0);
        for longest in &mut longest {
            rig.step(now, Event::Answered(0, refused_for_now(Duration::ZERO)));
            let wake = rig.plan.wakes_at().expect("another attempt");
            *longest = (*longest).max(wake.saturating_sub(now));
            now = wake;
            assert_eq!(rig.step(now, Event::Tick), [Action::Send(0)]);
        }
    }
    for (n, longest) in (0..).zip(longest) {
        assert!(longest <= backoff_ceiling(n) && longest > backoff_ceiling(n) / 2, "{n}: {longest:?}");
    }
}

#[test]
fn no_row_is_read_back_once_ids_were_checked() {
    let mut rig = Rig::open(8);
    rig.tick(0);
    assert_eq!(rig.step(at(0), Event::Answered(0, done(1))), [Action::Send(2)]);
    // One of an earlier run may have another id than this service gives: it is no evidence.
    let mut rig = Rig::new(one_at_a_time(), vec![RowState::Ended(enrolled_as(5)), RowState::New], &[]);
    rig.plan.id_checks_left = 1;
    rig.plan.was_read_back(at(0), 0, &[EntryId(6)]);
    assert_eq!((rig.plan.id_checks_left, rig.plan.stop.is_none()), (1, true));
}

#[test]
fn changes_that_three_rows_in_a_row_have_no_answer_to_stop_the_run() {
    let changed = || RowOutcome::ended(RowResult::new(Updated));
    let skipped = || RowOutcome::ended(RowResult::new(NotAttempted));
    let unanswered = || RowOutcome { why: "503".to_owned(), ..skipped() };
    let run = |did: &[&dyn Fn() -> RowOutcome]| {
        let starts = (0..8).map(|entry| RowState::Differs(EntryId(entry))).collect();
        let mut rig = Rig::new(one_at_a_time(), starts, &[]);
        let mut actions = rig.tick(0);
        for (row, did) in did.iter().enumerate() {
            assert_eq!(actions, [Action::Update(row)]);
            actions = rig.step(at(0), Event::Updated(row, did()));
        }
        rig.plan.stop
    };
    assert_eq!(IN_A_ROW, 3);
    assert!(matches!(run(&[&unanswered, &unanswered, &unanswered]), Some(Stop::NoAnswer(words)) if words == "503"));
    assert_eq!(run(&[&unanswered, &unanswered, &changed, &unanswered, &unanswered]), None);
    assert_eq!(run(&[&skipped, &skipped, &skipped, &skipped]), None, "rows that need nothing");
    let key = || RowOutcome { stop: Some(Stop::Key("401".to_owned())), ..skipped() };
    assert_eq!(run(&[&key]), Some(Stop::Key("401".to_owned())));
}

#[test]
fn a_row_that_was_held_up_goes_where_its_place_is_once_the_other_one_is_found() {
    let freed = |state: RowState| {
        let mut rig = Rig::new(settings(), vec![RowState::Held { since: at(0), answered: false }], &[]);
        assert_eq!(rig.tick(0), [look(0)]);
        (rig.step(at(0), Event::Freed(0, state)), rig.plan.is_in_doubt(0))
    };
    assert_eq!(freed(RowState::New), (vec![Action::Send(0)], false));
    assert_eq!(freed(RowState::Ended(RowResult::new(Existing))), (vec![], false));
    assert_eq!(freed(RowState::Doubt { since: at(0), answered: false }), (vec![look(0)], true));
    let dry = PlanSettings { dry_run: true, ..settings() };
    let mut rig = Rig::new(dry, vec![RowState::Held { since: at(0), answered: false }], &[]);
    rig.tick(0);
    assert_eq!(outcomes(rig).0, [NotAttempted], "nothing is known against the row itself");
}

#[test]
fn a_row_that_another_process_enrolled_meanwhile_is_a_witness_and_an_existing_one_is_not() {
    let contested = |outcome| {
        let mut plan = planned(settings(), at(0), vec![RowState::New; 2], vec![true; 2], HashMap::new());
        plan.step(at(0), Event::Tick);
        let result = RowResult { outcome, ..enrolled_as(7) };
        plan.step(at(0), Event::Journaled(vec![(1, RowState::Ended(result))]));
        plan.freshness.need(at(0));
        plan.freshness.next_reading()
    };
    assert_eq!([contested(Enrolled), contested(Existing)], [Some(1), None]);
}

#[test]
fn a_row_that_waits_for_one_like_it_is_not_attempted_once_the_run_stops() {
    let mut rig = Rig::new(one_at_a_time(), vec![RowState::New; 2], &[(0, 0), (1, 0)]);
    rig.plan.set_room(1);
    rig.tick(0);
    rig.step(at(0), Event::Interrupted { terminated: false });
    rig.step(at(0), Event::Answered(0, done(1)));
    assert!(rig.plan.is_finished());
    assert_eq!(outcomes(rig).0, [Enrolled, NotAttempted]);
}

#[test]
fn what_is_abandoned_is_given_up_in_the_journal_if_it_was_sent() {
    let mut rig = Rig::new(settings(), vec![RowState::New, RowState::Differs(EntryId(1))], &[]);
    assert_eq!(rig.tick(0), [Action::Update(1), Action::Send(0)]);
    rig.step(at(0), Event::Interrupted { terminated: true });
    rig.tick(31);
    assert_eq!(rig.notes, [(0, Fact::GivenUp)]);
    assert_eq!(outcomes(rig).0, [InDoubt, InDoubt]);
}

#[test]
fn no_more_is_under_way_than_there_is_room_for() {
    let mut rig = Rig::open(4);
    rig.plan.set_room(1);
    assert_eq!(rig.tick(0), [Action::Send(0)]);
    rig.plan.set_room(9);
    assert_eq!(rig.tick(0), [Action::Send(1)], "never more than the settings allow");
}

#[test]
fn progress_counts_what_is_sent_and_then_what_is_waited_for() {
    let mut rig = Rig::open(3);
    rig.tick(0);
    assert_eq!(rig.plan.progress(), Progress::Sending(0, 3));
    rig.step(at(0), Event::Answered(0, done(1)));
    rig.step(at(0), Event::Answered(1, done(2)));
    assert_eq!(rig.plan.progress(), Progress::Sending(2, 3));
    rig.step(at(0), Event::Answered(2, lost()));
    assert_eq!(rig.plan.progress(), Progress::Settling(1));
    let mut plan = planned(settings(), at(0), vec![RowState::New], vec![true], HashMap::new());
    plan.step(at(0), Event::Tick);
    plan.step(at(0), Event::Journaled(vec![]));
    plan.step(at(0), Event::Answered(0, done(1)));
    assert_eq!(plan.progress(), Progress::Auditing);
    plan.step(at(0), Event::Audited { missing: vec![0], twice: vec![], pages: Some(1) });
    assert_eq!(plan.progress(), Progress::Settling(1));
}

#[test]
fn more_unseen_rows_than_the_list_has_pages_are_looked_for_in_the_list() {
    let again = |pages| {
        let mut plan = planned(settings(), at(0), vec![RowState::New; 2], vec![true; 2], HashMap::new());
        plan.step(at(0), Event::Tick);
        plan.step(at(0), Event::Journaled(vec![]));
        plan.step(at(0), Event::Answered(0, done(1)));
        assert_eq!(plan.step(at(0), Event::Answered(1, done(2))).last(), Some(&Action::Audit { whole: false }));
        assert_eq!(plan.step(at(0), Event::Audited { missing: vec![0, 1], twice: vec![], pages: Some(pages) }), []);
        plan.step(at(1), Event::Tick)
    };
    assert_eq!(again(1), [Action::Audit { whole: true }]);
    assert_eq!(again(2), [Action::ReadBack(0), Action::ReadBack(1)]);
}

#[test]
fn the_first_look_at_the_list_may_be_look_ups_also_long_after_the_settle_time() {
    let unseen = RowState::Unseen { result: enrolled_as(1), since: at(0) };
    let mut plan = planned(settings(), at(1000), vec![unseen], vec![true], HashMap::new());
    assert_eq!(plan.step(at(1000), Event::Tick), [Action::Audit { whole: false }]);
}

#[test]
fn looking_for_unseen_rows_goes_on_only_when_each_was_looked_for() {
    let starts = vec![RowState::Unseen { result: enrolled_as(1), since: at(0) }; 3];
    let mut plan = planned(settings(), at(0), starts, vec![true; 3], HashMap::new());
    plan.step(at(0), Event::Tick);
    plan.step(at(0), Event::Audited { missing: vec![0, 1, 2], twice: vec![], pages: Some(5) });
    assert_eq!(plan.step(at(1), Event::Tick), [Action::ReadBack(0), Action::ReadBack(1)]);
    assert_eq!(plan.step(at(1), Event::Looked(0, found(&[]))), [Action::ReadBack(2)]);
    plan.step(at(1), Event::Looked(2, found(&[])));
    assert_eq!(plan.wakes_at(), None, "one answer is open");
    plan.step(at(1), Event::Looked(1, found(&[])));
    assert!(plan.wakes_at().is_some());
}

#[test]
fn a_witness_whose_read_failed_is_read_again_for_the_next_look() {
    let mut rig = Rig::new(settings(), vec![RowState::New; 2], &[]);
    rig.tick(0);
    rig.step(at(0), Event::Answered(0, lost()));
    rig.step(at(1), Event::Answered(1, done(2)));
    rig.plan.freshness.need(at(0));
    assert!(rig.tick(1).contains(&Action::ReadBack(1)));
    rig.step(at(1), Event::ReadFailed(1, None, "503".to_owned()));
    rig.plan.freshness.need(at(0));
    assert_eq!(rig.plan.freshness.next_reading(), Some(1));
}

#[test]
fn a_missing_row_that_another_entry_stands_for_exists_unless_that_is_another_rows() {
    let looked = |entry| {
        let starts = vec![RowState::Ended(enrolled_as(8)), RowState::Missing { result: enrolled_as(1), again: false }];
        let mut rig = Rig::new(settings(), starts, &[]);
        assert_eq!(rig.tick(0), [Action::Look { row: 1, closely: true }]);
        rig.step(at(0), Event::Looked(1, found(&[EntryId(entry)])));
        outcomes(rig).0[1]
    };
    assert_eq!([looked(1), looked(9), looked(8)], [Enrolled, Existing, Outcome::Gone]);
}

#[test]
fn a_plan_knows_whose_an_entry_is_and_which_rows_are_held_against_the_list() {
    let starts = vec![
        RowState::Ended(enrolled_as(1)),
        RowState::Missing { result: enrolled_as(2), again: false },
        RowState::Unseen { result: enrolled_as(3), since: at(0) },
        RowState::Unasked { in_doubt: false },
        RowState::New,
        RowState::Doubt { since: at(0), answered: false },
        RowState::Ended(RowResult::new(Enrolled).with_entry(EntryId(4))),
    ];
    let rig = Rig::new(settings(), starts, &[]);
    let plan = &rig.plan;
    let rows = |holds: &dyn Fn(usize) -> bool| (0..7).filter(|row| holds(*row)).collect::<Vec<_>>();
    assert_eq!(plan.unasked(), [3]);
    assert_eq!(rows(&|row| plan.is_in_doubt(row)), [5]);
    assert_eq!(rows(&|row| plan.is_fresh(row)), [2, 6]);
    let entries = |holds: &dyn Fn(EntryId) -> bool| (0..7).filter(|n| holds(EntryId(*n))).collect::<Vec<_>>();
    assert_eq!(entries(&|entry| plan.has_claimed(entry)), [1, 3, 4]);
    assert_eq!(entries(&|entry| plan.is_of_roster(entry)), [1, 2, 3, 4]);
}

#[test]
fn a_row_whose_reads_lack_it_and_a_suspect_are_held_against_the_list() {
    let mut rig = Rig::new(settings(), vec![RowState::Missing { result: enrolled_as(2), again: false }], &[]);
    rig.plan.without_list(false);
    rig.tick(0);
    rig.plan.step(at(0), Event::Looked(0, found(&[])));
    assert!(rig.plan.is_fresh(0));
}

#[test]
fn unseen_rows_that_the_service_spells_otherwise_are_looked_for_in_the_list() {
    let mut plan = planned(settings(), at(0), vec![RowState::New], vec![true], HashMap::new());
    plan.step(at(0), Event::Tick);
    plan.step(at(0), Event::Journaled(vec![]));
    plan.step(at(0), Event::Answered(0, done(1)));
    plan.respelt(0);
    plan.step(at(0), Event::Audited { missing: vec![0], twice: vec![], pages: Some(5) });
    assert_eq!(plan.step(at(1), Event::Tick), [Action::Audit { whole: true }]);
}

#[test]
fn what_the_journal_has_in_doubt_stays_so_unless_the_run_found_an_end() {
    let starts = vec![RowState::New, RowState::Ended(RowResult::new(NotAttempted).with_message("too late")), {
        RowState::Ended(RowResult::new(Existing))
    }];
    let mut plan = planned(settings(), at(0), starts, vec![true; 3], HashMap::new());
    for row in 0..3 {
        plan.leave_in_doubt(row);
    }
    let ends: Vec<_> = (0..3).filter_map(|row| plan.ended(row)).map(|ended| ended.outcome).collect();
    assert_eq!(ends, [InDoubt, InDoubt, Existing]);
    assert_eq!(plan.ended(1).and_then(|ended| ended.message.as_deref()), Some("too late"));
}

#[test]
fn an_answer_that_cannot_be_judged_leaves_its_row_in_doubt_and_a_read_leaves_it_alone() {
    let starts = vec![RowState::New, RowState::Doubt { since: at(0), answered: false }];
    let mut rig = Rig::new(settings(), starts, &[]);
    assert_eq!(rig.tick(0), [look(1), Action::Send(0)]);
    rig.plan.leave_unjudged(0, "the journal can't be read");
    rig.plan.leave_unjudged(1, "the journal can't be read");
    assert_eq!(rig.plan.ended(0).map(|ended| ended.outcome), Some(InDoubt));
    assert_eq!(rig.plan.ended(1), None);
}

#[test]
fn those_enrolled_by_an_earlier_run_are_counted_apart() {
    let starts = vec![
        RowState::Ended(enrolled_as(1)),
        RowState::Ended(RowResult::new(Enrolled).with_entry(EntryId(2))),
        RowState::Ended(enrolled_as(3)),
        RowState::Ended(RowResult { earlier: true, ..RowResult::new(InDoubt) }),
    ];
    let finished = planned(settings(), at(0), starts, vec![true; 4], HashMap::new()).end();
    assert_eq!((finished.counts.of(Enrolled), finished.counts.earlier), (3, 2));
}

#[test]
fn no_intent_is_written_while_rows_are_asked_about() {
    let starts = vec![RowState::Unasked { in_doubt: false }, RowState::New];
    let mut plan = planned(one_at_a_time(), at(0), starts, vec![true; 2], HashMap::new());
    assert_eq!(plan.step(at(0), Event::Tick), [Action::Ask(0)]);
}

#[test]
fn of_two_rows_alike_that_were_held_up_each_goes_once_nothing_holds_it_up() {
    let held = RowState::Held { since: at(0), answered: false };
    let rig = || {
        let mut rig = Rig::new(settings(), vec![held.clone(); 2], &[(0, 0), (1, 0)]);
        rig.tick(0);
        assert_eq!(rig.step(at(0), Event::Freed(0, RowState::New)), [], "the other one is held up");
        rig
    };
    let existing = RowState::Ended(RowResult::new(Existing));
    assert_eq!(rig().step(at(0), Event::Freed(1, existing)), [Action::Send(0)]);
    let mut rig = rig();
    assert_eq!(rig.step(at(0), Event::Freed(1, RowState::New)), [Action::Send(1)]);
    assert_eq!(rig.step(at(0), Event::Answered(1, done(1))), [Action::Send(0)]);
    rig.step(at(0), Event::Answered(0, done(2)));
    assert_eq!(outcomes(rig).0, [Enrolled, Enrolled]);
}

#[test]
fn the_list_is_not_read_once_more_before_every_doubt_has_ended() {
    let mut plan = planned(settings(), at(0), vec![RowState::New; 2], vec![true; 2], HashMap::new());
    plan.step(at(0), Event::Tick);
    plan.step(at(0), Event::Journaled(vec![]));
    plan.step(at(0), Event::Answered(0, done(1)));
    assert_eq!(plan.step(at(0), Event::Answered(1, lost())), [Action::Note(1, Fact::GivenUp)]);
    plan.step(at(1), Event::Tick);
    let actions = plan.step(at(1), Event::Looked(1, found(&[EntryId(2)])));
    assert_eq!(actions.last(), Some(&Action::Audit { whole: false }));
}

#[test]
fn reads_that_lack_an_entry_prove_no_absence() {
    let judged = |listed: bool| {
        let mut plan = planned(settings(), at(0), vec![RowState::New], vec![true], HashMap::new());
        plan.listed = listed;
        plan.reads_lack(EntryId(3));
        plan.freshness.judge(at(0), at(0), plan.settings.settle)
    };
    assert_eq!(judged(true), Reads::Stale(Unproven::By(EntryId(3))));
    assert_eq!(judged(false), Reads::Stale(Unproven::Unlisted));
}

#[test]
fn the_list_is_not_read_once_more_where_nothing_was_written() {
    let mut plan = planned(settings(), at(0), vec![RowState::New], vec![true], HashMap::new());
    plan.step(at(0), Event::Tick);
    plan.step(at(0), Event::Journaled(vec![]));
    let actions = plan.step(at(0), Event::Answered(0, Answer::Refused("no".to_owned())));
    assert_eq!(actions, [Action::Note(0, Fact::Refused)]);
    assert!(plan.is_finished());
}
