//! The plan against modelled services.

use super::*;
use crate::bulk::answer_evidence::Answer;
use crate::bulk::on_existing::OnExisting;
use crate::bulk::outcome::Finished;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::testtakers::Enrolment;
use crate::model::testtakers::EntryId;
use Outcome::{Enrolled, InDoubt, NotAttempted, Refused};

pub(super) fn settings() -> PlanSettings {
    PlanSettings {
        concurrency: 2,
        settle: Duration::from_mins(5),
        dry_run: false,
        on_existing: OnExisting::Skip,
        resend_in_doubt: false,
        at_end: AtEnd::Wait,
        wait_for_list: true,
        seed: 1,
    }
}

pub(super) fn at(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

pub(super) fn done(entry: i32) -> Answer {
    let enrolment = Enrolment {
        id: uuid::Uuid::from_u128(1),
        project_entry_id: EntryId(entry),
        email: None,
        first_name: None,
        last_name: None,
        birth_year: None,
        reference_id: None,
    };
    Answer::Done { enrolment, remark: None, respelt: false }
}

pub(super) fn look(row: usize) -> Action {
    Action::Look { row, closely: false }
}

pub(super) fn found(entries: &[EntryId]) -> FoundEntries {
    FoundEntries { ours: entries.to_vec(), perhaps: None }
}

pub(super) fn lost() -> Answer {
    Answer::Lost { words: "reset".to_owned(), status: None }
}

/// A plan whose rows start so.
pub(super) fn planned(
    settings: PlanSettings,
    now: Duration,
    starts: Vec<RowState>,
    exact: Vec<bool>,
    groups: HashMap<usize, usize>,
) -> Plan {
    let mut plan = Plan::new(settings, exact, groups);
    for (row, start) in starts.into_iter().enumerate() {
        plan.start(now, row, start);
    }
    plan
}

/// A plan whose journal writes at once and whose list is as it should be.
pub(super) struct Rig {
    pub(super) plan: Plan,
    pub(super) notes: Vec<(usize, Fact)>,
    /// How the rows stand that are asked about.
    pub(super) asked: Vec<(usize, RowState)>,
}

impl Rig {
    pub(super) fn new(settings: PlanSettings, starts: Vec<RowState>, groups: &[(usize, usize)]) -> Self {
        let exact = vec![true; starts.len()];
        let mut plan = planned(settings, at(0), starts, exact, groups.iter().copied().collect());
        plan.id_checks_left = 0;
        Self { plan, notes: Vec::new(), asked: Vec::new() }
    }

    pub(super) fn open(rows: usize) -> Self {
        Self::new(settings(), vec![RowState::New; rows], &[])
    }

    pub(super) fn inexact(mut self) -> Self {
        self.plan.exact.fill(false);
        self
    }

    pub(super) fn step(&mut self, now: Duration, event: Event) -> Vec<Action> {
        let mut events = vec![event];
        let mut actions = Vec::new();
        while let Some(event) = events.pop() {
            for action in self.plan.step(now, event) {
                match action {
                    Action::Journal(_) => events.push(Event::Journaled(Vec::new())),
                    Action::Audit { .. } => {
                        events.push(Event::Audited { missing: Vec::new(), twice: Vec::new(), pages: Some(1) });
                    }
                    Action::Compare => {
                        for (row, state) in std::mem::take(&mut self.asked) {
                            self.plan.start(now, row, state);
                        }
                        events.push(Event::Compared);
                    }
                    Action::Note(row, note) => self.notes.push((row, note)),
                    action => actions.push(action),
                }
            }
        }
        actions
    }

    pub(super) fn tick(&mut self, seconds: u64) -> Vec<Action> {
        self.step(at(seconds), Event::Tick)
    }
}

pub(super) fn outcomes(Rig { plan, .. }: Rig) -> (Vec<Outcome>, Verdict) {
    let Finished { ends, counts, verdict, .. } = plan.end();
    assert_eq!(counts.total(), ends.len());
    (ends.into_iter().map(|ended| ended.outcome).collect(), verdict)
}

#[test]
fn what_was_not_listed_is_asked_about_before_the_first_row_is_sent() {
    let mut rig = Rig::new(settings(), vec![RowState::Unasked { in_doubt: false }; 3], &[]);
    assert_eq!(rig.tick(0), [Action::Ask(0), Action::Ask(1)]);
    assert_eq!(rig.step(at(0), Event::Asked(0)), [Action::Ask(2)]);
    let existing = RowState::Ended(RowResult::new(Outcome::Existing));
    rig.asked = vec![(0, RowState::New), (1, RowState::New), (2, existing)];
    assert_eq!(rig.step(at(0), Event::Asked(2)), [], "the answer about row 1 may contradict the others");
    assert_eq!(rig.step(at(0), Event::Asked(1)), [Action::Send(0), Action::Send(1)]);
    rig.step(at(1), Event::Answered(0, done(1)));
    rig.step(at(1), Event::Answered(1, done(2)));
    assert!(rig.plan.is_finished());
    assert_eq!(outcomes(rig), (vec![Enrolled, Enrolled, Outcome::Existing], Verdict::Done));
}

#[test]
fn nothing_is_sent_before_its_intent_is_durable_nor_if_it_cannot_be_written() {
    let mut plan = planned(settings(), at(0), vec![RowState::New; 5], vec![true; 5], HashMap::new());
    assert_eq!(plan.step(at(0), Event::Tick), [Action::Journal(vec![0, 1])]);
    assert_eq!(plan.step(at(1), Event::Tick), []);
    let sent = [Action::Send(0), Action::Send(1), Action::Journal(vec![2, 3])];
    assert_eq!(plan.step(at(2), Event::Journaled(vec![])), sent);
    assert_eq!(plan.step(at(3), Event::JournalFailed(Failure::new(Verdict::Unforeseen, "disk full"))), []);
    assert!(!plan.is_finished(), "two answers are waited for");
    plan.step(at(4), Event::Answered(0, done(1)));
    plan.step(at(4), Event::Answered(1, done(2)));
    assert!(plan.is_finished());
    let rig = Rig { plan, notes: Vec::new(), asked: Vec::new() };
    assert_eq!(
        outcomes(rig),
        (vec![Enrolled, Enrolled, NotAttempted, NotAttempted, NotAttempted], Verdict::Unforeseen)
    );
}

#[test]
fn a_row_that_another_process_claimed_is_looked_up_and_not_sent() {
    let mut plan = planned(settings(), at(0), vec![RowState::New; 2], vec![true; 2], HashMap::new());
    plan.step(at(0), Event::Tick);
    let contested = vec![(1, RowState::Doubt { since: at(120), answered: false })];
    assert_eq!(plan.step(at(0), Event::Journaled(contested)), [look(1), Action::Send(0)]);
}

#[test]
fn nothing_is_sent_where_an_existing_row_is_a_failure() {
    let settings = PlanSettings { on_existing: OnExisting::Fail, ..settings() };
    let mut rig = Rig::new(settings, vec![RowState::New, RowState::Ended(RowResult::new(Outcome::Existing))], &[]);
    assert_eq!(rig.tick(0), []);
    assert!(rig.plan.is_finished());
    assert_eq!(outcomes(rig), (vec![NotAttempted, Outcome::Existing], Verdict::Refused));
}

#[test]
fn a_dry_run_sends_nothing() {
    let settings = PlanSettings { dry_run: true, ..settings() };
    let starts = vec![RowState::New, RowState::Differs(EntryId(1)), RowState::Doubt { since: at(0), answered: false }];
    let mut rig = Rig::new(settings, starts, &[]);
    assert_eq!(rig.tick(0), []);
    assert!(rig.plan.is_finished());
    assert_eq!(outcomes(rig).0, [Outcome::WouldEnrol, Outcome::WouldUpdate, InDoubt]);
}

#[test]
fn a_lost_answer_is_looked_up_until_the_row_is_found() {
    let mut rig = Rig::open(1);
    assert_eq!(rig.tick(0), [Action::Send(0)]);
    assert_eq!(rig.step(at(10), Event::Answered(0, lost())), []);
    assert_eq!(rig.plan.wakes_at(), Some(at(11)));
    assert_eq!(rig.tick(11), [look(0)]);
    assert_eq!(rig.step(at(11), Event::Looked(0, found(&[]))), []);
    assert_eq!(rig.plan.wakes_at(), Some(at(12)));
    assert_eq!(rig.tick(12), [look(0)]);
    rig.step(at(12), Event::Looked(0, found(&[EntryId(9)])));
    assert!(rig.plan.is_finished());
    let found = Fact::Enrolled(EntryId(9), None);
    assert_eq!(rig.notes, [(0, Fact::GivenUp), (0, found)]);
    assert_eq!(rig.plan.end().ends[0].entry, Some(EntryId(9)));
}

/// Looks in vain until something else is to be done, and says when.
pub(super) fn look_in_vain(rig: &mut Rig, row: usize) -> (u64, Vec<Action>) {
    loop {
        let Some(wake) = rig.plan.wakes_at() else { return (0, Vec::new()) };
        let actions = rig.step(wake, Event::Tick);
        if !matches!(*actions, [Action::Look { row: looked, .. }] if looked == row) {
            return (wake.as_secs(), actions);
        }
        let actions = rig.step(wake, Event::Looked(row, found(&[])));
        if !actions.is_empty() || rig.plan.is_finished() {
            return (wake.as_secs(), actions);
        }
    }
}

#[test]
fn a_row_that_is_absent_for_certain_is_sent_again_if_it_has_a_reference_id() {
    let mut rig = Rig::open(1);
    rig.tick(0);
    rig.step(at(0), Event::Answered(0, lost()));
    // Nothing else was created, so twice the settle time must pass.
    assert_eq!(look_in_vain(&mut rig, 0), (600, vec![Action::Send(0)]));
    rig.step(at(601), Event::Answered(0, done(4)));
    assert_eq!(outcomes(rig), (vec![Enrolled], Verdict::Done));
    let mut rig = Rig::open(1).inexact();
    rig.tick(0);
    rig.step(at(0), Event::Answered(0, lost()));
    assert_eq!(look_in_vain(&mut rig, 0), (600, vec![]));
    assert_eq!(outcomes(rig), (vec![InDoubt], Verdict::Unfinished));
}

#[test]
fn a_witness_shows_after_the_settle_time_that_reads_are_fresh() {
    let mut rig = Rig::open(2);
    assert_eq!(rig.tick(0), [Action::Send(0), Action::Send(1)]);
    rig.plan.under_way.insert(1, (RowTask::Send, at(5)));
    rig.step(at(4), Event::Answered(0, lost()));
    rig.step(at(4), Event::Answered(1, done(2)));
    let (when, actions) = look_in_vain(&mut rig, 0);
    assert_eq!((when, actions), (304, vec![Action::ReadBack(1)]));
    rig.step(at(305), Event::Looked(1, found(&[EntryId(2)])));
    assert_eq!(look_in_vain(&mut rig, 0), (324, vec![Action::Send(0)]));
}

#[test]
fn a_409_is_a_no_if_the_row_turns_out_to_be_absent() {
    let mut rig = Rig::open(1);
    rig.tick(0);
    rig.step(at(0), Event::Answered(0, Answer::Lost { words: "409".to_owned(), status: Some(409) }));
    look_in_vain(&mut rig, 0);
    assert_eq!(outcomes(rig), (vec![Refused], Verdict::RowsToFix));
}

#[test]
fn what_an_earlier_run_left_in_doubt_is_looked_up_at_once() {
    let mut rig = Rig::new(settings(), vec![RowState::Doubt { since: at(0), answered: false }, RowState::New], &[]);
    assert_eq!(rig.tick(1000), [look(0), Action::Send(1)]);
    rig.step(at(1000), Event::Looked(0, found(&[EntryId(3)])));
    rig.step(at(1001), Event::Answered(1, done(4)));
    assert_eq!(outcomes(rig), (vec![Enrolled, Enrolled], Verdict::Done));
}

#[test]
fn without_waiting_a_row_in_doubt_is_looked_up_once_and_left() {
    let mut rig = Rig::new(PlanSettings { at_end: AtEnd::Leave, ..settings() }, vec![RowState::New], &[]);
    rig.tick(0);
    rig.step(at(0), Event::Answered(0, lost()));
    assert_eq!(rig.tick(1), [look(0)]);
    rig.step(at(1), Event::Looked(0, found(&[])));
    assert!(rig.plan.is_finished());
    assert_eq!(outcomes(rig), (vec![InDoubt], Verdict::Unfinished));
}

#[test]
fn a_row_found_twice_is_a_duplicate_and_so_is_one_that_the_audit_finds() {
    let mut rig = Rig::open(1);
    rig.tick(0);
    rig.step(at(0), Event::Answered(0, Answer::DoneIdUnknown("cut off".to_owned())));
    rig.tick(1);
    rig.step(at(1), Event::Looked(0, found(&[EntryId(5), EntryId(4)])));
    let Finished { ends, verdict, .. } = rig.plan.end();
    assert_eq!((ends[0].outcome, ends[0].entry), (Outcome::Duplicate, Some(EntryId(4))));
    assert!(ends[0].message.as_deref().is_some_and(|text| text.ends_with("also as entry 5")));
    assert_eq!(verdict, Verdict::RowsToFix);

    let mut plan = planned(settings(), at(0), vec![RowState::New], vec![true], HashMap::new());
    plan.step(at(0), Event::Tick);
    plan.step(at(0), Event::Journaled(vec![]));
    assert!(plan.step(at(0), Event::Answered(0, done(1))).contains(&Action::Audit { whole: false }));
    plan.step(at(0), Event::Audited { missing: vec![], twice: vec![(0, vec![EntryId(2)])], pages: Some(1) });
    assert!(plan.is_finished());
    assert_eq!(outcomes(Rig { plan, notes: vec![], asked: vec![] }), (vec![Outcome::Duplicate], Verdict::RowsToFix));
}

#[test]
fn an_audit_that_shows_each_row_as_another_entry_finds_the_ids_out_unless_they_were_seen_to_agree() {
    for (left, outcome, verdict) in
        [(1, Outcome::Enrolled, Verdict::Unforeseen), (0, Outcome::Duplicate, Verdict::RowsToFix)]
    {
        let mut plan = planned(settings(), at(0), vec![RowState::New], vec![true], HashMap::new());
        plan.id_checks_left = left;
        plan.step(at(0), Event::Tick);
        plan.step(at(0), Event::Journaled(vec![]));
        plan.step(at(0), Event::Answered(0, done(501)));
        plan.step(at(0), Event::Audited { missing: vec![0], twice: vec![(0, vec![EntryId(1)])], pages: Some(1) });
        assert_eq!(outcomes(Rig { plan, notes: vec![], asked: vec![] }), (vec![outcome], verdict), "{left}");
    }
}

#[test]
fn what_the_service_did_not_do_has_four_attempts() {
    let mut rig = Rig::open(1);
    rig.tick(0);
    let refused = || Answer::RefusedForNow { wait: at(3), words: "429".to_owned() };
    let mut now = at(0);
    for _ in 0..3 {
        rig.step(now, Event::Answered(0, refused()));
        let wake = rig.plan.wakes_at().expect("another attempt");
        assert!(wake >= now + at(3), "Retry-After is heeded");
        now = wake;
        assert_eq!(rig.step(now, Event::Tick), [Action::Send(0)]);
    }
    rig.step(now, Event::Answered(0, refused()));
    assert!(rig.plan.is_finished());
    assert_eq!(outcomes(rig), (vec![NotAttempted], Verdict::NoAnswer));
}

#[test]
fn a_service_that_cannot_be_reached_stops_the_run() {
    let mut rig = Rig::open(10);
    let refused = Answer::NeverSent { words: "refused".to_owned(), permanent: false };
    let mut now = at(0);
    let mut open = rig.tick(0);
    let mut sent = 0;
    while !rig.plan.is_finished() {
        match open.pop() {
            Some(Action::Send(row)) => {
                sent += 1;
                open.extend(rig.step(now, Event::Answered(row, refused.clone())));
            }
            Some(other) => panic!("{other:?}"),
            None => {
                now = rig.plan.wakes_at().expect("something to wait for");
                open.extend(rig.step(now, Event::Tick));
            }
        }
    }
    assert!(sent <= 24, "{sent} attempts");
    assert_eq!(outcomes(rig), (vec![NotAttempted; 10], Verdict::NoAnswer));
}

#[test]
fn a_refused_key_a_lost_project_and_a_redirect_stop_the_run() {
    let stopped = |stop: Stop| {
        let mut rig = Rig::open(3);
        rig.tick(0);
        assert_eq!(rig.step(at(0), Event::Answered(0, Answer::Stop(stop))), []);
        assert!(!rig.plan.is_finished(), "the other answer is waited for");
        rig.step(at(1), Event::Answered(1, Answer::Refused("no".to_owned())));
        assert!(rig.plan.is_finished());
        outcomes(rig)
    };
    let rest = vec![NotAttempted, Refused, NotAttempted];
    assert_eq!(stopped(Stop::Key("401".to_owned())), (rest.clone(), Verdict::Key));
    assert_eq!(stopped(Stop::Gone("404".to_owned())), (rest, Verdict::NotFound));
    let doubtful = vec![InDoubt, Refused, NotAttempted];
    assert_eq!(stopped(Stop::Redirect("307".to_owned())), (doubtful, Verdict::Unfinished));
}

#[test]
fn after_three_lost_answers_nothing_is_launched_until_a_read_answers() {
    let mut rig = Rig::new(PlanSettings { concurrency: 3, ..settings() }, vec![RowState::New; 8], &[]);
    rig.tick(0);
    rig.step(at(0), Event::Answered(0, lost()));
    rig.step(at(0), Event::Answered(1, lost()));
    assert_eq!(rig.step(at(0), Event::Answered(2, lost())), []);
    assert_eq!(rig.plan.under_way.len(), 2, "two that were launched meanwhile");
    assert_eq!(rig.tick(1), [look(0)]);
    assert_eq!(rig.step(at(1), Event::Looked(0, found(&[EntryId(1)]))), [look(1)]);
    assert_eq!(rig.step(at(1), Event::Looked(1, found(&[EntryId(2)]))), [look(2)]);
    assert_eq!(rig.step(at(1), Event::Looked(2, found(&[EntryId(3)]))), [Action::Send(5)]);
}

#[test]
fn an_interrupted_run_waits_for_the_answers_under_way_and_launches_nothing() {
    let mut rig = Rig::open(4);
    rig.tick(0);
    assert_eq!(rig.step(at(5), Event::Interrupted { terminated: false }), []);
    assert!(rig.notes.iter().all(|(row, note)| *row >= 2 && *note == Fact::Free), "{:?}", rig.notes);
    assert_eq!(rig.step(at(6), Event::Answered(0, done(1))), []);
    assert_eq!(rig.plan.wakes_at(), Some(at(35)));
    rig.tick(35);
    assert!(rig.plan.is_finished());
    assert_eq!(outcomes(rig), (vec![Enrolled, InDoubt, NotAttempted, NotAttempted], Verdict::Interrupted));
}

#[test]
fn a_read_record_with_another_id_stops_the_run() {
    let mut rig = Rig::new(PlanSettings { concurrency: 1, ..settings() }, vec![RowState::New; 4], &[]);
    rig.plan.id_checks_left = 1;
    rig.tick(0);
    assert_eq!(rig.step(at(0), Event::Answered(0, done(7))), [Action::ReadBack(0)]);
    assert_eq!(rig.step(at(0), Event::Looked(0, found(&[EntryId(8)]))), []);
    assert!(rig.plan.is_finished());
    assert_eq!(outcomes(rig).1, Verdict::Unforeseen);
}

#[test]
fn rows_that_look_alike_go_one_after_the_other_and_wait_for_one_in_doubt() {
    let groups = [(0, 7), (1, 7), (3, 7)];
    let mut rig = Rig::new(settings(), vec![RowState::New; 4], &groups).inexact();
    assert_eq!(rig.tick(0), [Action::Send(0), Action::Send(2)]);
    assert_eq!(rig.step(at(0), Event::Answered(2, Answer::Refused("no".to_owned()))), []);
    assert_eq!(rig.step(at(0), Event::Answered(0, Answer::Refused("no".to_owned()))), [Action::Send(1)]);
    rig.step(at(0), Event::Answered(1, lost()));
    look_in_vain(&mut rig, 1);
    assert_eq!(outcomes(rig).0, [Refused, InDoubt, Refused, NotAttempted]);
}
