//! The plan against modelled services.

use proptest::prelude::*;

use super::*;
use Outcome::{InDoubt, NotAttempted, Refused};

fn settings() -> Settings {
    Settings { concurrency: 2, settle: Duration::from_mins(5), dry_run: false, fail_on_existing: false, seed: 1 }
}

fn at(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn done(entry: i32) -> Answer {
    let enrolment = Enrolment {
        id: uuid::Uuid::from_u128(1),
        project_entry_id: EntryId(entry),
        email: None,
        first_name: None,
        last_name: None,
        birth_year: None,
        reference_id: None,
    };
    Answer::Done { enrolment, remark: None }
}

fn lost() -> Answer {
    Answer::Lost { words: "reset".to_owned(), conflict: false }
}

/// A plan over open rows that were all asked about already.
fn sending(rows: usize, settings: Settings) -> (Plan, Vec<Action>) {
    let mut plan = Plan::new(settings, vec![None; rows], HashSet::new());
    let mut open = plan.step(at(0), Event::Tick);
    while let Some(index) = open.iter().position(|action| matches!(action, Action::Ask(_))) {
        let row = open.remove(index).row();
        open.extend(plan.step(at(0), Event::Asked(row, None)));
    }
    plan.id_checks_left = 0;
    (plan, open)
}

fn outcomes(plan: Plan) -> (Vec<Outcome>, Verdict) {
    let (ends, counts, verdict) = plan.end();
    assert_eq!(counts.total(), ends.len());
    (ends.into_iter().map(|ended| ended.outcome).collect(), verdict)
}

#[test]
fn every_row_is_asked_about_before_the_first_one_is_sent() {
    let mut plan = Plan::new(settings(), vec![None; 3], HashSet::new());
    assert_eq!(plan.step(at(0), Event::Tick), [Action::Ask(0), Action::Ask(1)]);
    assert_eq!(plan.step(at(0), Event::Asked(0, None)), [Action::Ask(2)]);
    assert_eq!(plan.step(at(0), Event::Asked(2, Some(Ended::new(Outcome::Existing)))), []);
    assert_eq!(plan.step(at(0), Event::Asked(1, None)), [Action::Send(0), Action::Send(1)]);
    assert_eq!(plan.step(at(1), Event::Answered(0, done(1))), [Action::ReadBack(0)], "row 2 was not looked at yet");
    assert_eq!(plan.step(at(1), Event::Looked(0, vec![EntryId(1)])), []);
    plan.step(at(1), Event::Answered(1, done(2)));
    assert!(plan.is_finished());
    assert_eq!(outcomes(plan), (vec![Outcome::Enrolled, Outcome::Enrolled, Outcome::Existing], Verdict::Done));
}

#[test]
fn nothing_is_sent_where_an_existing_row_is_a_failure() {
    let settings = Settings { fail_on_existing: true, ..settings() };
    let mut plan = Plan::new(settings, vec![None, Some(Ended::new(Outcome::Existing))], HashSet::new());
    assert_eq!(plan.step(at(0), Event::Tick), [Action::Ask(0)]);
    assert_eq!(plan.step(at(0), Event::Asked(0, None)), []);
    assert!(plan.is_finished());
    assert_eq!(outcomes(plan), (vec![Outcome::NotAttempted, Outcome::Existing], Verdict::Refused));
}

#[test]
fn a_dry_run_asks_and_sends_nothing() {
    let mut plan = Plan::new(Settings { dry_run: true, ..settings() }, vec![None], HashSet::new());
    plan.step(at(0), Event::Tick);
    assert_eq!(plan.step(at(0), Event::Asked(0, None)), []);
    assert!(plan.is_finished());
    assert_eq!(outcomes(plan), (vec![Outcome::WouldEnrol], Verdict::Done));
}

#[test]
fn a_lost_answer_is_looked_up_and_never_sent_again() {
    let (mut plan, first) = sending(1, settings());
    assert_eq!(first, [Action::Send(0)]);
    assert_eq!(plan.step(at(10), Event::Answered(0, lost())), []);
    assert_eq!(plan.wakes_at(), Some(at(11)));
    assert_eq!(plan.step(at(11), Event::Tick), [Action::Look(0)]);
    assert_eq!(plan.step(at(11), Event::Looked(0, vec![])), []);
    assert_eq!(plan.wakes_at(), Some(at(12)));
    assert_eq!(plan.step(at(12), Event::Tick), [Action::Look(0)]);
    plan.step(at(12), Event::Looked(0, vec![EntryId(9)]));
    assert!(plan.is_finished());
    assert_eq!(plan.end().0[0].entry, Some(EntryId(9)));
}

#[test]
fn a_row_that_is_never_found_stays_in_doubt_and_a_409_is_a_no() {
    for (conflict, expected) in [(false, Outcome::InDoubt), (true, Outcome::Refused)] {
        let (mut plan, _) = sending(1, settings());
        plan.step(at(0), Event::Answered(0, Answer::Lost { words: "reset".to_owned(), conflict }));
        let mut looks = 0;
        while let Some(wake) = plan.wakes_at() {
            assert_eq!(plan.step(wake, Event::Tick), [Action::Look(0)]);
            looks += 1;
            plan.step(wake, Event::Looked(0, vec![]));
        }
        assert_eq!(looks, 11);
        let (ends, verdict) = outcomes(plan);
        assert_eq!(ends, [expected]);
        assert_eq!(verdict, if conflict { Verdict::RowsToFix } else { Verdict::Unfinished });
    }
}

#[test]
fn a_row_found_twice_is_a_duplicate() {
    let (mut plan, _) = sending(1, settings());
    plan.step(at(0), Event::Answered(0, Answer::DoneIdUnknown("cut off".to_owned())));
    plan.step(at(1), Event::Tick);
    plan.step(at(1), Event::Looked(0, vec![EntryId(5), EntryId(4)]));
    let (ends, _, verdict) = plan.end();
    assert_eq!((ends[0].outcome, ends[0].entry), (Outcome::Duplicate, Some(EntryId(4))));
    assert!(ends[0].message.as_deref().is_some_and(|text| text.ends_with("also as entry 5")));
    assert_eq!(verdict, Verdict::RowsToFix);
}

#[test]
fn what_the_service_did_not_do_has_four_attempts() {
    let (mut plan, _) = sending(1, settings());
    let refused = || Answer::RefusedForNow { wait: at(3), words: "429".to_owned() };
    let mut now = at(0);
    for _ in 0..3 {
        plan.step(now, Event::Answered(0, refused()));
        let wake = plan.wakes_at().expect("another attempt");
        assert!(wake >= now + at(3), "Retry-After is heeded");
        now = wake;
        assert_eq!(plan.step(now, Event::Tick), [Action::Send(0)]);
    }
    plan.step(now, Event::Answered(0, refused()));
    assert!(plan.is_finished());
    assert_eq!(outcomes(plan), (vec![Outcome::NotAttempted], Verdict::NoAnswer));
}

#[test]
fn a_service_that_cannot_be_reached_stops_the_run() {
    let (mut plan, first) = sending(10, settings());
    let refused = Answer::NeverSent { words: "refused".to_owned(), permanent: false };
    let mut open = first;
    let mut now = at(0);
    let mut sent = 0;
    while !plan.is_finished() {
        match open.pop() {
            Some(Action::Send(row)) => {
                sent += 1;
                open.extend(plan.step(now, Event::Answered(row, refused.clone())));
            }
            Some(other) => panic!("{other:?}"),
            None => {
                now = plan.wakes_at().expect("something to wait for");
                open.extend(plan.step(now, Event::Tick));
            }
        }
    }
    assert!(sent <= 16, "{sent} attempts");
    assert_eq!(outcomes(plan), (vec![Outcome::NotAttempted; 10], Verdict::NoAnswer));
}

#[test]
fn a_refused_key_a_lost_project_and_a_redirect_stop_the_run() {
    let stopped = |stop: Stop| {
        let (mut plan, _) = sending(3, settings());
        assert_eq!(plan.step(at(0), Event::Answered(0, Answer::Stop(stop))), []);
        assert!(!plan.is_finished(), "the other answer is waited for");
        plan.step(at(1), Event::Answered(1, Answer::Refused("no".to_owned())));
        assert!(plan.is_finished());
        outcomes(plan)
    };
    let rest = vec![NotAttempted, Refused, NotAttempted];
    assert_eq!(stopped(Stop::Key("401".to_owned())), (rest.clone(), Verdict::Key));
    assert_eq!(stopped(Stop::Gone("404".to_owned())), (rest, Verdict::NotFound));
    let doubtful = vec![InDoubt, Refused, NotAttempted];
    assert_eq!(stopped(Stop::Redirect("307".to_owned())), (doubtful, Verdict::Unfinished));
}

#[test]
fn after_three_lost_answers_nothing_is_launched_until_a_read_answers() {
    let (mut plan, _) = sending(8, Settings { concurrency: 3, ..settings() });
    plan.step(at(0), Event::Answered(0, lost()));
    plan.step(at(0), Event::Answered(1, lost()));
    assert_eq!(plan.step(at(0), Event::Answered(2, lost())), []);
    // Two that were launched meanwhile are still under way.
    assert_eq!(plan.under_way.len(), 2);
    assert_eq!(plan.step(at(1), Event::Tick), [Action::Look(0)]);
    let resumed = plan.step(at(1), Event::Looked(0, vec![EntryId(1)]));
    assert_eq!(resumed, [Action::Look(1)]);
    assert_eq!(plan.step(at(1), Event::Looked(1, vec![EntryId(2)])), [Action::Look(2)]);
    assert_eq!(plan.step(at(1), Event::Looked(2, vec![EntryId(3)])), [Action::Send(5)]);
}

#[test]
fn an_interrupted_run_waits_for_the_answers_under_way_and_launches_nothing() {
    let (mut plan, _) = sending(4, settings());
    assert_eq!(plan.step(at(5), Event::Interrupted { terminated: false }), []);
    assert_eq!(plan.step(at(6), Event::Answered(0, done(1))), []);
    assert_eq!(plan.wakes_at(), Some(at(35)));
    plan.step(at(35), Event::Tick);
    assert!(plan.is_finished());
    let expected = vec![Outcome::Enrolled, Outcome::InDoubt, Outcome::NotAttempted, Outcome::NotAttempted];
    assert_eq!(outcomes(plan), (expected, Verdict::Interrupted));
}

#[test]
fn a_read_record_with_another_id_stops_the_run() {
    let mut plan = Plan::new(Settings { concurrency: 1, ..settings() }, vec![None; 2], HashSet::new());
    plan.step(at(0), Event::Tick);
    plan.step(at(0), Event::Asked(0, None));
    plan.step(at(0), Event::Asked(1, None));
    assert_eq!(plan.step(at(0), Event::Answered(0, done(7))), [Action::ReadBack(0)]);
    assert_eq!(plan.step(at(0), Event::Looked(0, vec![EntryId(8)])), []);
    assert!(plan.is_finished());
    assert_eq!(outcomes(plan), (vec![Outcome::Enrolled, Outcome::NotAttempted], Verdict::Unforeseen));
}

#[test]
fn rows_that_look_alike_are_sent_one_after_the_other() {
    let mut plan = Plan::new(settings(), vec![None; 3], HashSet::from([0, 1]));
    let mut open = plan.step(at(0), Event::Tick);
    while let Some(Action::Ask(row)) = open.first().copied() {
        open.remove(0);
        open.extend(plan.step(at(0), Event::Asked(row, None)));
    }
    assert_eq!(open, [Action::Send(0), Action::Send(2)]);
    assert_eq!(plan.step(at(0), Event::Answered(2, Answer::Refused("no".to_owned()))), []);
    assert_eq!(plan.step(at(0), Event::Answered(0, Answer::Refused("no".to_owned()))), [Action::Send(1)]);
}

/// A service that answers creates at random, and whether each create had its effect.
fn answer(kind: u8, row: usize, enrolled: &mut Vec<(usize, i32)>) -> Answer {
    let effect = |enrolled: &mut Vec<(usize, i32)>| {
        let entry = i32::try_from(enrolled.len()).expect("few") + 1;
        enrolled.push((row, entry));
        entry
    };
    match kind % 12 {
        0 => lost(),
        1 => {
            effect(enrolled);
            lost()
        }
        2 => {
            effect(enrolled);
            Answer::DoneIdUnknown("cut off".to_owned())
        }
        3 => Answer::Refused("400".to_owned()),
        4 => Answer::NeverSent { words: "refused".to_owned(), permanent: false },
        5 => Answer::RefusedForNow { wait: Duration::from_secs(1), words: "429".to_owned() },
        6 => Answer::Lost { words: "409".to_owned(), conflict: true },
        7 if row % 9 == 8 => Answer::Stop(Stop::Key("401".to_owned())),
        _ => done(effect(enrolled)),
    }
}

proptest! {
    #[test]
    fn whatever_the_service_answers_every_row_ends_once_and_none_is_enrolled_twice(
        rows in 1..40_usize,
        kinds in prop::collection::vec(any::<u8>(), 400),
        order in prop::collection::vec(any::<usize>(), 400),
        interrupt in prop::option::of(0..200_usize),
        concurrency in 1..6_usize,
    ) {
        let settings = Settings { concurrency, settle: Duration::from_secs(20), ..settings() };
        let mut plan = Plan::new(settings, vec![None; rows], HashSet::new());
        let (mut now, mut steps) = (at(0), 0);
        let mut enrolled: Vec<(usize, i32)> = Vec::new();
        let mut open = plan.step(now, Event::Tick);
        while !plan.is_finished() {
            steps += 1;
            prop_assert!(steps < 20_000, "the run ends");
            prop_assert!(open.len() <= concurrency);
            if interrupt == Some(steps) {
                open.extend(plan.step(now, Event::Interrupted { terminated: true }));
                continue;
            }
            if open.is_empty() {
                now = plan.wakes_at().expect("something to wait for").max(now);
                open.extend(plan.step(now, Event::Tick));
                continue;
            }
            now += Duration::from_millis(100);
            let chosen = open.swap_remove(order[steps % order.len()] % open.len());
            let event = match chosen {
                Action::Ask(row) => Event::Asked(row, None),
                Action::Send(row) => Event::Answered(row, answer(kinds[(steps + row) % kinds.len()], row, &mut enrolled)),
                Action::Look(row) | Action::ReadBack(row) => {
                    let found = enrolled.iter().filter(|(of, _)| *of == row).map(|(_, entry)| EntryId(*entry));
                    Event::Looked(row, found.collect())
                }
            };
            open.extend(plan.step(now, event));
        }
        let (ends, counts, _) = plan.end();
        prop_assert_eq!((ends.len(), counts.total()), (rows, rows));
        for (row, ended) in ends.iter().enumerate() {
            let times = enrolled.iter().filter(|(of, _)| *of == row).count();
            prop_assert!(times <= 1, "row {} was enrolled {} times", row, times);
            match ended.outcome {
                Outcome::Enrolled => prop_assert_eq!(times, 1),
                Outcome::Refused | Outcome::NotAttempted => prop_assert_eq!(times, 0),
                Outcome::InDoubt => {}
                other => prop_assert!(false, "{:?}", other),
            }
        }
    }
}
