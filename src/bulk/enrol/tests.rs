//! Single cases of an enrolment, each over a real journal and a service that answers what the case says.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

use tokio::time::{Instant, sleep};

use super::*;
use crate::api::Error;
use crate::journal::Journal;
use crate::model::people::{Enrolment, EntryId, NewTestTaker};

/// What becomes of a creation.
enum Answer {
    Created,
    /// The entry of the first one.
    First,
    /// It answers another entry than the list shows.
    OtherId,
    Lost {
        has_effect: bool,
    },
    Status(u16),
    /// It takes longer than anybody waits.
    Silent,
}

#[derive(Default)]
struct Scripted {
    /// What comes of the next creations; afterwards all go well.
    answers: RefCell<VecDeque<Answer>>,
    people: RefCell<Vec<TestTaker>>,
    sent: Cell<usize>,
    /// Answers an empty list.
    is_blind: Cell<bool>,
    /// An entry that is not shown.
    hidden: Cell<i32>,
    /// What the next reads are refused with, if they are; afterwards all go well.
    reads: RefCell<VecDeque<Option<u16>>>,
    look_ups: Cell<usize>,
    lists: Cell<usize>,
}

impl Scripted {
    fn create(&self, person: &NewTestTaker) -> i32 {
        let id = self.people.borrow().last().and_then(|last| last.id).unwrap_or_default() + 1;
        self.people.borrow_mut().push(record(id, person.reference_id.as_deref(), &person.email));
        id
    }
}

fn record(id: i32, reference: Option<&str>, email: &str) -> TestTaker {
    TestTaker {
        id: Some(id),
        email: Some(email.into()),
        reference_id: reference.map(Into::into),
        ..TestTaker::default()
    }
}

fn status(status: u16) -> Error {
    let (said, whole) = (String::new(), format!("said {status}"));
    Error::Status { status, said, whole, code: None, retry_after: None, is_page: false }
}

impl Service for Scripted {
    async fn enrol(&self, person: &NewTestTaker) -> Result<Enrolment, Error> {
        self.sent.set(self.sent.get() + 1);
        sleep(Duration::from_millis(10)).await;
        let lost = || Error::Lost { host: "service.example".into(), why: "it broke".into() };
        let answer = self.answers.borrow_mut().pop_front().unwrap_or(Answer::Created);
        let id = match answer {
            Answer::Created => self.create(person),
            Answer::First => 1,
            Answer::OtherId => self.create(person) + 1_000,
            Answer::Lost { has_effect } => {
                has_effect.then(|| self.create(person));
                return Err(lost());
            }
            Answer::Status(code) => return Err(status(code)),
            Answer::Silent => {
                sleep(Duration::from_hours(1)).await;
                return Err(lost());
            }
        };
        Ok(Enrolment { id: uuid::Uuid::nil(), project_entry_id: EntryId(id) })
    }

    async fn list(&self) -> Result<Vec<TestTaker>, Error> {
        self.lists.set(self.lists.get() + 1);
        if let Some(code) = self.reads.borrow_mut().pop_front().flatten() {
            return Err(status(code));
        }
        let people = self.people.borrow().clone();
        let is_shown = |record: &TestTaker| !self.is_blind.get() && record.id != Some(self.hidden.get());
        Ok(people.into_iter().filter(is_shown).collect())
    }

    async fn look_up(&self, _: &NewTestTaker) -> Result<Vec<TestTaker>, Error> {
        self.look_ups.set(self.look_ups.get() + 1);
        self.list().await
    }
}

/// An operator with a journal, a project and a clock that goes with the paused one.
struct Desk {
    _state: tempfile::TempDir,
    journal: Journal,
    options: EnrolOptions,
    shared_mailboxes: bool,
    begin: Instant,
    events: RefCell<Vec<(usize, Timestamp)>>,
}

impl Desk {
    fn new() -> Self {
        let state = crate::journal::scratch();
        let options = EnrolOptions {
            most: 4,
            settle: Duration::from_mins(5),
            waits: true,
            again: false,
            on_existing: OnExisting::Skip,
            learns: false,
        };
        let journal = Journal::open(state.path()).expect("a journal");
        Self {
            _state: state,
            journal,
            options,
            shared_mailboxes: false,
            begin: Instant::now(),
            events: RefCell::default(),
        }
    }

    fn people(&self) -> People<'_> {
        self.journal.people(uuid::Uuid::nil())
    }

    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH + Duration::from_hours(1_000) + self.begin.elapsed()
    }

    fn open(&self) -> usize {
        let known = self.people().load(self.now()).expect("read");
        known.iter().filter(|known| matches!(known.state, State::Open { .. })).count()
    }

    async fn run_until(&self, service: &Scripted, rows: &[NewTestTaker], stop: &Stopper<'_>) -> Result<Run, Failure> {
        let waiting = |rows, until| self.events.borrow_mut().push((rows, until));
        let (journal, clock) = (self.people(), Clock::at(self.now()));
        let (options, is_dry_run) = (self.options, false);
        let rows = Rows::new(journal, rows, self.shared_mailboxes, self.now())?;
        enrol(Job { service, journal, options, is_dry_run, clock, stop, ended: &|| {}, waiting: &waiting }, rows, None)
            .await
    }

    async fn run(&self, service: &Scripted, rows: &[NewTestTaker]) -> Run {
        self.run_until(service, rows, &Stopper::default()).await.expect("a run")
    }
}

fn row(reference: &str, email: &str) -> NewTestTaker {
    NewTestTaker {
        email: email.parse().expect("an address"),
        first_name: None,
        last_name: None,
        birth_year: None,
        reference_id: reference.parse().ok(),
    }
}

fn rows(count: usize) -> Vec<NewTestTaker> {
    (0..count).map(|number| row(&format!("R{number}"), &format!("p{number}@x.example"))).collect()
}

fn outcomes(run: &Run) -> Vec<Outcome> {
    run.ends.iter().map(|end| end.outcome).collect()
}

#[tokio::test(start_paused = true)]
async fn a_lost_row_that_took_effect_is_found_within_seconds() {
    let (desk, service) = (Desk::new(), Scripted::default());
    service.answers.borrow_mut().push_back(Answer::Lost { has_effect: true });
    let run = desk.run(&service, &rows(3)).await;
    assert_eq!((outcomes(&run), service.sent.get()), (vec![Outcome::Enrolled; 3], 3));
    assert!(desk.begin.elapsed() < Duration::from_secs(1));
    assert_eq!(desk.events.borrow().len(), 0, "a short wait is not told");
    assert_eq!(
        (run.ends[0].enrolment, run.ends[1].enrolment),
        (None, Some(uuid::Uuid::nil())),
        "found is not answered"
    );
    let again = desk.run(&service, &rows(3)).await;
    assert_eq!((outcomes(&again), service.sent.get()), (vec![Outcome::Existing; 3], 3));
    assert_eq!(again.ends[1].enrolment, Some(uuid::Uuid::nil()));
    assert_eq!(again.notes, Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_lost_row_that_took_no_effect_is_sent_again_after_the_settle_time() {
    let (desk, service) = (Desk::new(), Scripted::default());
    service.answers.borrow_mut().push_back(Answer::Lost { has_effect: false });
    let run = desk.run(&service, &rows(1)).await;
    assert_eq!((outcomes(&run), service.sent.get()), (vec![Outcome::Enrolled], 2));
    assert!((300..301).contains(&desk.begin.elapsed().as_secs()));
    let until = Timestamp::UNIX_EPOCH + Duration::from_hours(1_000) + Duration::from_millis(300_010);
    let waiting = (1, until);
    assert_eq!(desk.events.borrow().iter().filter(|event| **event == waiting).count(), 1, "said once");
}

#[tokio::test(start_paused = true)]
async fn a_look_that_fails_is_repeated_but_for_the_last_one_and_what_will_fail_again() {
    for (refusals, outcome, failure, seconds) in [
        (vec![503, 503], Outcome::Enrolled, None, 3),
        (vec![401], Outcome::InDoubt, Some(Verdict::Key), 0),
        (vec![503; 99], Outcome::InDoubt, Some(Verdict::NothingDone), 300),
    ] {
        let (desk, service) = (Desk::new(), Scripted::default());
        service.answers.borrow_mut().push_back(Answer::Lost { has_effect: true });
        service.reads.borrow_mut().extend([None].into_iter().chain(refusals.into_iter().map(Some)));
        let run = desk.run(&service, &rows(1)).await;
        let ended = (outcomes(&run), run.failure.map(|failure| failure.verdict), desk.begin.elapsed().as_secs());
        assert_eq!(ended, (vec![outcome], failure, seconds));
    }
}

#[tokio::test(start_paused = true)]
async fn a_lost_row_is_looked_up_where_the_list_would_cost_more() {
    for (people, look_ups) in [(50, 0), (51, 1)] {
        let (desk, service) = (Desk::new(), Scripted::default());
        let others = (1..=people).map(|id| record(id, Some(&format!("X{id}")), &format!("x{id}@x.example")));
        service.people.borrow_mut().extend(others);
        service.answers.borrow_mut().push_back(Answer::Lost { has_effect: true });
        let run = desk.run(&service, &rows(1)).await;
        assert_eq!((outcomes(&run), service.look_ups.get()), (vec![Outcome::Enrolled], look_ups), "of {people}");
    }
}

#[tokio::test(start_paused = true)]
async fn who_does_not_wait_is_told_of_the_doubt_at_once() {
    let (mut desk, service) = (Desk::new(), Scripted::default());
    desk.options.waits = false;
    service.answers.borrow_mut().push_back(Answer::Lost { has_effect: false });
    let run = desk.run(&service, &rows(2)).await;
    assert_eq!(outcomes(&run), [Outcome::InDoubt, Outcome::Enrolled]);
    assert_eq!((desk.begin.elapsed().as_secs(), desk.open()), (0, 1));
    // The first list, the check of the first answer, and one look.
    assert_eq!(service.lists.get(), 3);
}

#[tokio::test(start_paused = true)]
async fn nobody_is_sent_more_than_three_times() {
    let (desk, service) = (Desk::new(), Scripted::default());
    service.answers.borrow_mut().extend((0..9).map(|_| Answer::Status(500)));
    let run = desk.run(&service, &rows(1)).await;
    assert_eq!((outcomes(&run), service.sent.get()), (vec![Outcome::NotAttempted], 3));
    assert_eq!(run.ends[0].message, "500: said 500");
    assert_eq!(desk.open(), 0, "it was proved that nothing came of it");
}

#[tokio::test(start_paused = true)]
async fn a_409_is_looked_for_once_and_stays_open_until_a_later_list() {
    let (desk, service) = (Desk::new(), Scripted::default());
    service.answers.borrow_mut().push_back(Answer::Status(409));
    let run = desk.run(&service, &rows(1)).await;
    assert_eq!((outcomes(&run), desk.begin.elapsed().as_secs()), (vec![Outcome::Refused], 0));
    assert_eq!((run.ends[0].message.as_str(), desk.open()), ("409: said 409", 1));
    sleep(Duration::from_mins(6)).await;
    assert_eq!(outcomes(&desk.run(&service, &rows(1)).await), [Outcome::Enrolled]);
    assert_eq!(service.sent.get(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_refusal_frees_the_person_and_a_refused_key_stops_the_run() {
    let (mut desk, service) = (Desk::new(), Scripted::default());
    (desk.options.most, desk.options.on_existing) = (1, OnExisting::Update);
    // An update that is not sent any more is no person who is as they should be.
    service.people.borrow_mut().push(record(77, None, "p3@x.example"));
    service.answers.borrow_mut().extend([400, 401].map(Answer::Status));
    let run = desk.run(&service, &rows(4)).await;
    let unsent = Outcome::NotAttempted;
    assert_eq!((outcomes(&run), service.sent.get()), (vec![Outcome::Refused, unsent, unsent, unsent], 2));
    assert_eq!((run.failure.map(|failure| failure.verdict), desk.open()), (Some(Verdict::Key), 0));
}

#[tokio::test(start_paused = true)]
async fn an_interrupted_run_keeps_doubt_only_about_what_was_under_way() {
    let (desk, service, stop) = (Desk::new(), Scripted::default(), Stopper::default());
    service.answers.borrow_mut().extend([Answer::Silent, Answer::Silent, Answer::Silent, Answer::Silent]);
    let people = rows(9);
    let interrupt = async {
        sleep(Duration::from_secs(1)).await;
        stop.set(Failure::new(Verdict::Interrupted, "interrupted"));
    };
    let (run, ()) = tokio::join!(desk.run_until(&service, &people, &stop), interrupt);
    let run = run.expect("a run");
    assert_eq!(outcomes(&run)[..4], [Outcome::InDoubt; 4]);
    assert_eq!(outcomes(&run)[4..], [Outcome::NotAttempted; 5]);
    assert_eq!((desk.open(), desk.begin.elapsed().as_secs()), (4, 31));
    assert_eq!(run.verdict(crate::bulk::outcome::Of::Many), Verdict::Interrupted);
}

#[tokio::test(start_paused = true)]
async fn a_service_that_shows_other_entry_ids_than_it_answers_is_not_worked_with() {
    let (mut desk, service) = (Desk::new(), Scripted::default());
    desk.options.most = 1;
    service.answers.borrow_mut().push_back(Answer::OtherId);
    let run = desk.run(&service, &rows(3)).await;
    assert_eq!(outcomes(&run), [Outcome::Enrolled, Outcome::NotAttempted, Outcome::NotAttempted]);
    assert_eq!(run.failure.map(|failure| failure.verdict), Some(Verdict::Unforeseen));
}

#[tokio::test(start_paused = true)]
async fn whoever_gets_the_entry_of_somebody_else_is_in_conflict() {
    let (mut desk, service) = (Desk::new(), Scripted::default());
    service.answers.borrow_mut().extend([Answer::Created, Answer::Created, Answer::First]);
    desk.options.most = 1;
    let told = [Outcome::Enrolled, Outcome::Enrolled, Outcome::Conflict];
    assert_eq!(outcomes(&desk.run(&service, &rows(3)).await), told);
    // Also in another run.
    service.answers.borrow_mut().push_back(Answer::First);
    let told = [Outcome::Existing, Outcome::Existing, Outcome::Conflict];
    assert_eq!(outcomes(&desk.run(&service, &rows(3)).await), told);
}

#[tokio::test(start_paused = true)]
async fn who_was_removed_elsewhere_is_gone_and_comes_back_on_request() {
    let (mut desk, service) = (Desk::new(), Scripted::default());
    desk.run(&service, &rows(2)).await;
    service.people.borrow_mut().remove(0);
    assert_eq!(outcomes(&desk.run(&service, &rows(2)).await), [Outcome::Existing; 2], "a list may lag");
    sleep(Duration::from_mins(6)).await;
    let run = desk.run(&service, &rows(2)).await;
    assert_eq!((outcomes(&run), service.sent.get()), (vec![Outcome::Gone, Outcome::Existing], 2));
    desk.options.again = true;
    assert_eq!(outcomes(&desk.run(&service, &rows(2)).await), [Outcome::Enrolled, Outcome::Existing]);
}

#[tokio::test(start_paused = true)]
async fn a_list_that_shows_none_of_many_is_not_believed() {
    let (mut desk, service) = (Desk::new(), Scripted::default());
    desk.run(&service, &rows(5)).await;
    service.is_blind.set(true);
    desk.options.again = true;
    assert_eq!(outcomes(&desk.run(&service, &rows(5)).await), [Outcome::Existing; 5], "they are fresh");
    sleep(Duration::from_mins(6)).await;
    let refused = desk.run_until(&service, &rows(5), &Stopper::default()).await.expect_err("refused");
    assert_eq!((refused.verdict, service.sent.get()), (Verdict::Unfinished, 5));
}

#[tokio::test(start_paused = true)]
async fn nothing_is_sent_where_somebody_is_there_who_must_not_be() {
    let (mut desk, service) = (Desk::new(), Scripted::default());
    desk.run(&service, &rows(2)).await;
    desk.options.on_existing = OnExisting::Fail;
    assert_eq!(
        outcomes(&desk.run(&service, &rows(3)).await),
        [Outcome::Existing, Outcome::Existing, Outcome::Enrolled]
    );
    service.people.borrow_mut().push(record(77, Some("R3"), "P3@x.example"));
    let refused = desk.run_until(&service, &rows(5), &Stopper::default()).await.expect_err("refused");
    assert_eq!((refused.verdict, service.sent.get()), (Verdict::Refused, 3));
    assert!(refused.cause.starts_with("1 person is in the project already (entry id 77)"), "{refused}");
    let others = rows(24).into_iter().zip(80..).skip(4);
    service
        .people
        .borrow_mut()
        .extend(others.map(|(person, id)| record(id, person.reference_id.as_deref(), &person.email)));
    for (count, is_cut) in [(23, false), (24, true)] {
        let refused = desk.run_until(&service, &rows(count), &Stopper::default()).await.expect_err("refused");
        assert_eq!((refused.cause.matches("entry ").count(), refused.cause.contains('…')), (20, is_cut), "{refused}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_conflict_that_a_stopped_run_did_not_look_for_is_in_doubt() {
    let (desk, service) = (Desk::new(), Scripted::default());
    service.answers.borrow_mut().extend([Answer::Status(409), Answer::Status(401)]);
    assert_eq!(outcomes(&desk.run(&service, &rows(2)).await), [Outcome::InDoubt, Outcome::NotAttempted]);
}

#[tokio::test(start_paused = true)]
async fn a_person_of_another_file_is_settled_as_well() {
    let (mut desk, service) = (Desk::new(), Scripted::default());
    desk.options.waits = false;
    service.answers.borrow_mut().extend([Answer::Lost { has_effect: false }, Answer::Lost { has_effect: false }]);
    desk.run(&service, &rows(2)).await;
    service.create(&rows(1)[0]);
    assert_eq!(desk.open(), 2);
    desk.run(&service, &[row("S9", "other@x.example")]).await;
    assert_eq!(desk.open(), 1, "one is shown");
    sleep(Duration::from_mins(6)).await;
    desk.run(&service, &[row("S9", "other@x.example")]).await;
    assert_eq!(desk.open(), 0, "the other one is absent");
}

#[tokio::test(start_paused = true)]
async fn who_was_removed_from_here_comes_back_once_no_list_shows_them() {
    let (desk, service) = (Desk::new(), Scripted::default());
    desk.run(&service, &rows(1)).await;
    let who = desk.people().identity(Some("R0"), "p0@x.example");
    desk.people().removing(&[(who, EntryId(1))]).expect("noted");
    desk.people().removed(EntryId(1), desk.now()).expect("noted");
    let run = desk.run(&service, &rows(1)).await;
    assert_eq!((outcomes(&run), service.sent.get()), (vec![Outcome::NotAttempted], 1), "it is shown still");
    service.people.borrow_mut().clear();
    let run = desk.run(&service, &rows(1)).await;
    assert_eq!((outcomes(&run), run.notes.len()), (vec![Outcome::Enrolled], 1));
}

#[tokio::test(start_paused = true)]
async fn an_edited_row_waits_for_its_earlier_self() {
    let (mut desk, service) = (Desk::new(), Scripted::default());
    desk.options.waits = false;
    service.answers.borrow_mut().push_back(Answer::Lost { has_effect: false });
    desk.run(&service, &[row("R1", "ann@x.example")]).await;
    for edited in [row("R1", "ann@y.example"), row("R2", "Ann@x.example"), row("", "ann@x.example")] {
        assert_eq!(outcomes(&desk.run(&service, &[edited]).await), [Outcome::InDoubt]);
    }
    desk.shared_mailboxes = true;
    assert_eq!(outcomes(&desk.run(&service, &[row("R2", "ann@x.example")]).await), [Outcome::Enrolled]);
    assert_eq!(service.sent.get(), 2);
}

#[tokio::test(start_paused = true)]
async fn somebody_who_took_effect_twice_is_reported() {
    let (desk, service) = (Desk::new(), Scripted::default());
    service.answers.borrow_mut().push_back(Answer::Lost { has_effect: false });
    let people = rows(60);
    let too_late = async {
        sleep(Duration::from_secs(299)).await;
        // Against our assumption the list does not show them for a while longer.
        service.hidden.set(service.create(&people[0]));
        sleep(Duration::from_millis(1_015)).await;
        service.hidden.set(0);
    };
    let (run, ()) = tokio::join!(desk.run(&service, &people), too_late);
    assert_eq!(run.ends[0].outcome, Outcome::Conflict);
    assert_eq!(run.ends[0].message, "the project has several: entries 60, 61");
}

#[tokio::test(start_paused = true)]
async fn what_stops_a_run_leaves_nobody_open_whose_request_did_nothing() {
    let (mut desk, service) = (Desk::new(), Scripted::default());
    service.answers.borrow_mut().extend([Answer::Created, Answer::Created, Answer::Status(401)]);
    let run = desk.run(&service, &rows(9)).await;
    assert_eq!((run.failure.map(|failure| failure.verdict), desk.open()), (Some(Verdict::Key), 0));
    desk.options.most = 1;
    service.answers.borrow_mut().push_back(Answer::Status(302));
    let run = desk.run(&service, &rows(20)[18..]).await;
    assert_eq!(outcomes(&run), [Outcome::InDoubt, Outcome::NotAttempted], "a redirect may have been followed");
    assert_eq!((run.failure.map(|failure| failure.verdict), desk.open()), (Some(Verdict::Usage), 1));
}

#[tokio::test(start_paused = true)]
async fn who_is_sent_after_an_earlier_run_is_looked_up_once_more() {
    let (mut desk, service) = (Desk::new(), Scripted::default());
    desk.options.waits = false;
    service.answers.borrow_mut().push_back(Answer::Lost { has_effect: false });
    desk.run(&service, &rows(1)).await;
    sleep(Duration::from_mins(6)).await;
    // Against our assumption the lost request takes effect just now, and no list shows it before the end of the run.
    service.hidden.set(service.create(&rows(1)[0]));
    let shown = async {
        sleep(Duration::from_millis(5)).await;
        service.hidden.set(0);
    };
    let people = rows(1);
    let (run, ()) = tokio::join!(desk.run(&service, &people), shown);
    assert_eq!(outcomes(&run), [Outcome::Conflict]);
}

#[tokio::test(start_paused = true)]
async fn whoever_exchanged_their_ids_is_known_by_the_new_ones_in_whatever_order() {
    let (desk, service) = (Desk::new(), Scripted::default());
    desk.run(&service, &rows(3)).await;
    sleep(Duration::from_mins(6)).await;
    let swapped = [row("R1", "p0@x.example"), row("R2", "p1@x.example"), row("R0", "p2@x.example")];
    for (record, row) in service.people.borrow_mut().iter_mut().zip(&swapped) {
        record.reference_id = row.reference_id.as_deref().map(Into::into);
    }
    assert_eq!(outcomes(&desk.run(&service, &swapped).await), [Outcome::Existing; 3]);
    // Each of them is known still, so nobody is enrolled again whom somebody removed elsewhere.
    service.people.borrow_mut().remove(1);
    let ends = [Outcome::Existing, Outcome::Gone, Outcome::Existing];
    assert_eq!(outcomes(&desk.run(&service, &swapped).await), ends);
}

#[tokio::test(start_paused = true)]
async fn of_one_mailbox_an_id_that_an_earlier_row_had_is_nobody_new() {
    let (mut desk, service) = (Desk::new(), Scripted::default());
    desk.shared_mailboxes = true;
    let before = [row("R1", "team@x.example")];
    desk.run(&service, &before).await;
    sleep(Duration::from_mins(6)).await;
    service.people.borrow_mut()[0].reference_id = Some("R2".into());
    assert_eq!(outcomes(&desk.run(&service, &[row("R2", "team@x.example")]).await), [Outcome::Existing]);
    assert_eq!(outcomes(&desk.run(&service, &before).await), [Outcome::Conflict]);
}

#[tokio::test(start_paused = true)]
async fn an_entry_is_known_by_each_e_mail_that_it_had_when_a_row_was_found_to_be_it() {
    let (desk, service) = (Desk::new(), Scripted::default());
    let person = [row("R1", "old@x.example")];
    desk.run(&service, &person).await;
    sleep(Duration::from_mins(6)).await;
    service.people.borrow_mut()[0].email = Some("new@x.example".into());
    assert_eq!(outcomes(&desk.run(&service, &person).await), [Outcome::Existing]);
    service.people.borrow_mut()[0].email = Some("newer@x.example".into());
    for former in ["old@x.example", "new@x.example"] {
        assert_eq!(outcomes(&desk.run(&service, &[row("R7", former)]).await), [Outcome::Conflict], "{former}");
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_is_gone_and_was_refused_is_gone_still() {
    let (mut desk, service) = (Desk::new(), Scripted::default());
    desk.run(&service, &rows(1)).await;
    sleep(Duration::from_mins(6)).await;
    service.people.borrow_mut().clear();
    desk.options.again = true;
    service.answers.borrow_mut().push_back(Answer::Status(422));
    assert_eq!(outcomes(&desk.run(&service, &rows(1)).await), [Outcome::Refused]);
    desk.options.again = false;
    assert_eq!(outcomes(&desk.run(&service, &rows(1)).await), [Outcome::Gone]);
}

#[tokio::test(start_paused = true)]
async fn whose_id_was_given_to_somebody_else_stays_known_when_that_one_is_refused() {
    let (desk, service) = (Desk::new(), Scripted::default());
    desk.run(&service, &rows(1)).await;
    sleep(Duration::from_mins(6)).await;
    service.people.borrow_mut()[0].reference_id = Some("OLD".into());
    let newcomer = row("R0", "new@x.example");
    assert_eq!(outcomes(&desk.run(&service, std::slice::from_ref(&newcomer)).await), [Outcome::Conflict]);
    let both = [NewTestTaker { reference_id: "OLD".parse().ok(), ..rows(1)[0].clone() }, newcomer];
    service.answers.borrow_mut().push_back(Answer::Status(422));
    for outcome in [Outcome::Refused, Outcome::Enrolled] {
        assert_eq!(outcomes(&desk.run(&service, &both).await), [Outcome::Existing, outcome]);
    }
    let known = desk.people().load(desk.now()).expect("read");
    let entries: Vec<_> = known.iter().filter_map(|known| known.state.entry()).collect();
    assert!(entries.contains(&EntryId(1)) && entries.contains(&EntryId(2)), "{entries:?}");
}

#[tokio::test(start_paused = true)]
async fn a_mailbox_that_somebody_else_got_is_no_reason_to_take_their_entry() {
    let known = |row| async move {
        let (desk, service) = (Desk::new(), Scripted::default());
        desk.run(&service, &[row]).await;
        sleep(Duration::from_mins(6)).await;
        (desk, service)
    };
    // Their number was taken away, and the joiner has one of their own.
    let (desk, service) = known(row("R1", "foreman@x.example")).await;
    service.people.borrow_mut()[0].reference_id = None;
    let joiner = [row("R8", "foreman@x.example")];
    assert_eq!(outcomes(&desk.run(&service, &joiner).await), [Outcome::Conflict]);
    // Who had the mailbox without a number is gone, and somebody with a number has it.
    let (desk, service) = known(row("", "desk@x.example")).await;
    service.people.borrow_mut()[0] = record(7, Some("V1"), "desk@x.example");
    assert_eq!(outcomes(&desk.run(&service, &[row("", "desk@x.example")]).await), [Outcome::Conflict]);
    // Nobody else is known, so the file has a number that the project lacks, or lacks one that it has.
    let (desk, service) = (Desk::new(), Scripted::default());
    service.people.borrow_mut().extend([record(1, None, "a@x.example"), record(2, Some("R2"), "b@x.example")]);
    let rows = [row("R1", "a@x.example"), row("", "b@x.example")];
    assert_eq!(outcomes(&desk.run(&service, &rows).await), [Outcome::Existing; 2]);
}
