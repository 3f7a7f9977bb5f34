//! Each point at which an import of three rows can be killed, with each fault: the next run comes to the same end.

use std::io::Read as _;
use std::process::Child;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, mpsc};
use std::time::Duration;

use super::{each_once, end_of, machine, records, roster};
use crate::support::env::words;
use crate::support::service::{Op, Service, Trouble, When};
use crate::support::wire::Answer;

/// What goes wrong with the first enrolment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    CloseBefore,
    CloseAfter,
    ErrorAfter,
    Unavailable,
    TooMany,
    Truncated,
    Late,
    Lag,
}

const FAULTS: [Fault; 9] = [
    Fault::None,
    Fault::CloseBefore,
    Fault::CloseAfter,
    Fault::ErrorAfter,
    Fault::Unavailable,
    Fault::TooMany,
    Fault::Truncated,
    Fault::Late,
    Fault::Lag,
];

impl Fault {
    fn trouble(self) -> Option<Trouble> {
        let a_while = Duration::from_millis(300);
        Some(match self {
            Self::None => return None,
            Self::CloseBefore => Trouble::CloseBefore,
            Self::CloseAfter => Trouble::CloseAfter,
            Self::ErrorAfter => Trouble::AnswerAfter(Answer::problem(500, "Error", "")),
            Self::Unavailable => Trouble::Answer(Answer::problem(503, "Unavailable", "")),
            Self::TooMany => Trouble::Answer(Answer::new(429, &["Retry-After: 0"], "")),
            Self::Truncated => Trouble::Truncate,
            Self::Late => Trouble::Late(a_while),
            Self::Lag => Trouble::Lag(a_while),
        })
    }

    fn is_doubt(self) -> bool {
        !matches!(self, Self::None | Self::TooMany | Self::Lag)
    }
}

/// Where the run is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Point {
    BeforeTheIntent,
    /// The second enrolment has arrived, and has no effect.
    AfterTheIntent,
    /// The second enrolment has its effect, and no answer.
    AfterTheSend,
    /// In the moment of the answer.
    AfterTheAnswer,
    /// The next row is sent, after the outcome was written down.
    AfterTheOutcome,
    InTheLookUp,
    /// In a later read of the list that looks for lost rows.
    InTheAudit,
    InTheReport,
}

impl Point {
    /// Whether the run is killed at this request; so many enrolments have arrived, this one counted, and so many reads since
    /// the third of them.
    fn is_at(self, op: Op, enrolments: usize, reads: usize) -> bool {
        let (enrols, reads_people) = (op == Op::Enrol, matches!(op, Op::TestTakers | Op::LookUp));
        match self {
            Self::BeforeTheIntent => reads_people,
            Self::AfterTheIntent | Self::AfterTheSend | Self::AfterTheAnswer => enrols && enrolments == 2,
            Self::AfterTheOutcome => enrols && enrolments == 3,
            Self::InTheLookUp => reads_people && reads == 1,
            Self::InTheAudit => reads_people && reads == 3,
            Self::InTheReport => false,
        }
    }

    /// Whether the run is certain to be there, and not over when the kill arrives.
    fn comes_with(self, fault: Fault) -> bool {
        match self {
            Self::InTheLookUp | Self::InTheAudit => fault.is_doubt(),
            Self::AfterTheAnswer | Self::InTheReport => false,
            _ => true,
        }
    }
}

/// A service that tells when the point is reached, and then waits until whoever listens has gone.
fn service(point: Point, fault: Fault) -> (Service, mpsc::Receiver<()>, mpsc::Sender<()>) {
    let ((reached, is_reached), (go_on, may_go_on)) = (mpsc::channel(), mpsc::channel::<()>());
    let mut service = Service::start();
    if let Some(trouble) = fault.trouble() {
        service = service.on(Op::Enrol, When::Nth(1), trouble);
    }
    let gate = Mutex::new(Some((reached, may_go_on)));
    if point == Point::AfterTheSend {
        let (after, waiting) = crate::support::service::gate();
        let service = service.on(Op::Enrol, When::Nth(2), Trouble::GateAfter(after));
        std::thread::spawn(move || {
            let (reached, may_go_on) = gate.lock().expect("no panic").take().expect("one gate");
            // The other ends are gone only where the test has failed already.
            let _ = waiting.arrived.recv().map(|()| reached.send(()));
            let _killed = may_go_on.recv();
        });
        return (service, is_reached, go_on);
    }
    let (enrolments, reads) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let service = service.with(move |request, _| {
        let op = Op::of(request);
        let enrolments =
            enrolments.fetch_add(usize::from(op == Op::Enrol), Ordering::SeqCst) + usize::from(op == Op::Enrol);
        let is_read = op != Op::Enrol && enrolments >= 3;
        let reads = reads.fetch_add(usize::from(is_read), Ordering::SeqCst) + usize::from(is_read);
        let is_at = point.is_at(op, enrolments, reads);
        let (reached, may_go_on) = is_at.then(|| gate.lock().expect("no panic").take()).flatten()?;
        let _ = reached.send(());
        if point == Point::AfterTheAnswer {
            return None;
        }
        let _killed = may_go_on.recv();
        Some(Answer::bytes(""))
    });
    (service, is_reached, go_on)
}

/// Kills the run at its point, or lets it end where its point does not come; whether it was killed.
fn kill_at(point: Point, mut child: Child, is_reached: &mpsc::Receiver<()>) -> bool {
    if point == Point::InTheReport {
        let first = child.stdout.take().expect("a pipe").read(&mut [0]).expect("a byte of the report");
        assert_eq!(first, 1, "the report has a beginning");
    } else {
        while is_reached.try_recv().is_err() && child.try_wait().expect("a child").is_none() {
            std::thread::yield_now();
        }
    }
    // It may have ended by itself.
    let _ = child.kill();
    child.wait().expect("an exit status").code().is_none()
}

fn killed_there_the_next_run_finishes(point: Point) {
    for fault in FAULTS {
        let (service, is_reached, go_on) = service(point, fault);
        let env = machine(&service, roster(3));
        let line = "testtakers import people.csv -o csv --settle 1s --concurrency 1";
        let start = || env.command(&words(line)).spawn().expect("started");
        let killed = kill_at(point, start(), &is_reached);
        assert!(killed || !point.comes_with(fault), "{point:?} does not come with {fault:?}");
        drop(go_on);
        let said = end_of(start());
        let what = format!("{point:?}, {fault:?}: {said}");
        assert_eq!(said.code, 0, "{what}");
        each_once(&service, 3, &what);
        let held = service.held();
        for row in records(&said.stdout) {
            let person = held.people.iter().find(|one| one.record["referenceId"] == row["referenceId"].as_str());
            assert_eq!(row["projectEntryId"], person.expect("there").record["id"].to_string(), "{what}");
            assert!(["enrolled", "existing"].contains(&row["outcome"].as_str()), "{what}");
        }
    }
}

/// A test for each point.
macro_rules! killed {
    ($($name:ident: $point:ident,)*) => {$(
        #[test]
        fn $name() {
            killed_there_the_next_run_finishes(Point::$point);
        }
    )*};
}

killed! {
    killed_before_the_intent_an_import_is_finished_by_the_next_run: BeforeTheIntent,
    killed_after_the_intent_an_import_is_finished_by_the_next_run: AfterTheIntent,
    killed_after_the_send_an_import_is_finished_by_the_next_run: AfterTheSend,
    killed_after_the_answer_an_import_is_finished_by_the_next_run: AfterTheAnswer,
    killed_after_the_outcome_an_import_is_finished_by_the_next_run: AfterTheOutcome,
    killed_in_the_look_up_an_import_is_finished_by_the_next_run: InTheLookUp,
    killed_in_the_audit_an_import_is_finished_by_the_next_run: InTheAudit,
    killed_in_the_report_an_import_is_finished_by_the_next_run: InTheReport,
}
