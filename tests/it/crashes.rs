//! Each point at which an import of three rows can be killed, with each fault: the next run comes to the same end.

use std::collections::BTreeSet;
use std::io::Read;
use std::process::Child;
use std::sync::{Arc, Mutex, mpsc};

use serde_json::{Value, json};

use crate::doubts::{array, enrolment, listed, matching};
use crate::harness::{Env, KEY, finish};
use crate::imports::records;
use crate::socket::{Answer, Request, Socket};
use crate::wire::PROJECT;
use crate::words;

/// What goes wrong with the first enrolment of the second row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    CloseBefore,
    CloseAfter,
    ErrorAfter,
    Unavailable,
    TooMany,
    Truncated,
    /// It takes effect when two more lists were answered.
    Late,
    /// The next two lists do not show it.
    Stale,
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
    Fault::Stale,
];

/// Where the run is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Point {
    BeforeTheIntent,
    /// The request has arrived, and has no effect.
    AfterTheIntent,
    /// The request has its effect, and no answer.
    AfterTheSend,
    /// In the moment of the answer.
    AfterTheAnswer,
    /// The next row is sent, in whose transaction the outcome was written.
    AfterTheOutcome,
    InTheLookUp,
    InTheAudit,
    InTheReport,
}

/// What the service remembers.
#[derive(Default)]
struct State {
    people: Vec<Value>,
    enrolments: usize,
    faulted: bool,
    late: Option<(usize, Value)>,
    /// So many more lists lack the person enrolled last.
    stale: usize,
}

impl State {
    fn enrol(&mut self, body: &Value) -> Answer {
        let entry = 5000 + i64::try_from(self.people.len()).expect("few people");
        self.people.push(listed(body, entry));
        Answer::json(201, &enrolment(body, entry).to_string())
    }

    fn post(&mut self, body: &Value, fault: Fault) -> Answer {
        if body["referenceId"] != "R-2" || std::mem::replace(&mut self.faulted, true) {
            return self.enrol(body);
        }
        match fault {
            Fault::None => self.enrol(body),
            Fault::CloseBefore => Answer::nothing(),
            Fault::Unavailable => Answer::problem(503, "Unavailable", "later"),
            Fault::TooMany => Answer::new(429, &["Retry-After: 0"], ""),
            Fault::Late => {
                self.late = Some((2, body.clone()));
                Answer::nothing()
            }
            Fault::CloseAfter => {
                let _lost = self.enrol(body);
                Answer::nothing()
            }
            Fault::ErrorAfter => {
                let _lost = self.enrol(body);
                Answer::problem(500, "Error", "after the work")
            }
            Fault::Truncated => {
                let _lost = self.enrol(body);
                Answer::cut(201, "{\"id\":", 200)
            }
            Fault::Stale => {
                self.stale = 2;
                self.enrol(body)
            }
        }
    }

    fn list(&mut self, request: &Request) -> Answer {
        if let Some((lists, body)) = self.late.take() {
            if lists == 0 {
                let _nobody_waits = self.enrol(&body);
            } else {
                self.late = Some((lists - 1, body));
            }
        }
        if request.parameter("page").is_some_and(|page| page != "1") {
            return array(&[]);
        }
        let hidden = usize::from(self.stale > 0);
        self.stale = self.stale.saturating_sub(1);
        array(&matching(request, &self.people[..self.people.len().saturating_sub(hidden)]))
    }
}

impl Point {
    /// Whether a request is the one at which the run is killed.
    fn is_at(self, request: &Request, state: &State) -> bool {
        let (post, asks) = (request.method == "POST", request.query().iter().any(|(name, _)| *name == "referenceId"));
        match self {
            Self::BeforeTheIntent => !post,
            Self::AfterTheIntent | Self::AfterTheSend | Self::AfterTheAnswer => post && state.enrolments == 2,
            Self::AfterTheOutcome => post && state.enrolments == 3,
            Self::InTheLookUp => !post && asks && state.enrolments > 0,
            Self::InTheAudit => !post && !asks && state.people.len() == 3,
            Self::InTheReport => false,
        }
    }

    /// Whether the run is certain to be there, and not over when the kill arrives.
    fn comes_with(self, fault: Fault) -> bool {
        let lost = [Fault::CloseBefore, Fault::CloseAfter, Fault::ErrorAfter, Fault::Truncated, Fault::Late];
        match self {
            Self::InTheLookUp => lost.contains(&fault),
            Self::AfterTheAnswer | Self::InTheReport => false,
            _ => true,
        }
    }
}

/// A service that tells when the point is reached, and then waits until whoever listens has gone.
fn service(point: Point, fault: Fault) -> (Socket, Arc<Mutex<State>>, mpsc::Receiver<()>, mpsc::Sender<()>) {
    let (reached, is_reached) = mpsc::channel();
    let (go_on, may_go_on) = mpsc::channel::<()>();
    let gate = Mutex::new(Some((reached, may_go_on)));
    let state = Arc::new(Mutex::new(State::default()));
    let held = Arc::clone(&state);
    let socket = Socket::answering(move |request, _| {
        let mut state = held.lock().expect("no server thread panics");
        state.enrolments += usize::from(request.method == "POST");
        let gate = if point.is_at(request, &state) { gate.lock().expect("no panic").take() } else { None };
        let Some((reached, may_go_on)) = gate else {
            return if request.method == "POST" { state.post(&request.json(), fault) } else { state.list(request) };
        };
        let answer = match point {
            Point::AfterTheSend | Point::AfterTheAnswer => state.post(&request.json(), fault),
            _ => Answer::nothing(),
        };
        drop(state);
        // The other end is gone only where the test has failed already.
        let _ = reached.send(());
        if point == Point::AfterTheAnswer {
            return answer;
        }
        let _killed = may_go_on.recv();
        Answer::nothing()
    });
    (socket, state, is_reached, go_on)
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
        let (socket, state, is_reached, go_on) = service(point, fault);
        let env = Env::at(&socket.url);
        env.write("people.csv", "email,referenceId\na@example.com,R-1\nb@example.com,R-2\nc@example.com,R-3\n");
        let line = format!("testtakers import people.csv -p {PROJECT} -o csv --settle 400ms --concurrency 1");
        let start = || env.command(&words::split(&line)).spawn().expect("started");
        let killed = kill_at(point, start(), &is_reached);
        assert!(killed || !point.comes_with(fault), "{point:?} does not come with {fault:?}");
        drop(go_on);
        let said = finish(start(), b"");
        assert_eq!(said.code, 0, "{point:?}, {fault:?}: {said}");
        let state = state.lock().expect("no server thread panics");
        let mut people: Vec<_> = state.people.iter().map(|person| (&person["referenceId"], &person["id"])).collect();
        people.sort_by_key(|(reference, _)| reference.to_string());
        let ids: Vec<_> = people.iter().map(|(reference, _)| (*reference).clone()).collect();
        assert_eq!(ids, [json!("R-1"), json!("R-2"), json!("R-3")], "{point:?}, {fault:?}: {said}");
        let report = records(&said.stdout);
        for (row, (reference, entry)) in report.iter().zip(&people) {
            assert_eq!(&&row["referenceId"], reference, "{point:?}, {fault:?}: {said}");
            assert_eq!(row["projectEntryId"], entry.to_string(), "{point:?}, {fault:?}: {said}");
            assert_eq!(row["outcome"], "enrolled", "{point:?}, {fault:?}: {said}");
        }
        assert_eq!(report.len(), 3, "{point:?}, {fault:?}: {said}");
    }
}

#[test]
fn killed_before_the_intent_an_import_is_finished_by_the_next_run() {
    killed_there_the_next_run_finishes(Point::BeforeTheIntent);
}

#[test]
fn killed_after_the_intent_an_import_is_finished_by_the_next_run() {
    killed_there_the_next_run_finishes(Point::AfterTheIntent);
}

#[test]
fn killed_after_the_send_an_import_is_finished_by_the_next_run() {
    killed_there_the_next_run_finishes(Point::AfterTheSend);
}

#[test]
fn killed_after_the_answer_an_import_is_finished_by_the_next_run() {
    killed_there_the_next_run_finishes(Point::AfterTheAnswer);
}

#[test]
fn killed_after_the_outcome_an_import_is_finished_by_the_next_run() {
    killed_there_the_next_run_finishes(Point::AfterTheOutcome);
}

#[test]
fn killed_in_the_look_up_an_import_is_finished_by_the_next_run() {
    killed_there_the_next_run_finishes(Point::InTheLookUp);
}

#[test]
fn killed_in_the_audit_an_import_is_finished_by_the_next_run() {
    killed_there_the_next_run_finishes(Point::InTheAudit);
}

#[test]
fn killed_in_the_report_an_import_is_finished_by_the_next_run() {
    killed_there_the_next_run_finishes(Point::InTheReport);
}

/// What reached the disk of a run that was cut off is a prefix of the journal's log, of any length.
#[test]
fn whatever_reached_the_journal_the_next_run_comes_to_the_same_end() {
    let there = Env::new();
    let faults = ["close-after@enrol:share=0.1,seed=3", "close-before@enrol:share=0.1,seed=4"];
    let served = there.serve(&["--key", KEY, "--fault", faults[0], "--fault", faults[1]]);
    let client = || Env::at(&served.url).with("ASSESSCTL_PROJECT", "Demo");
    let rows: Vec<String> = (0..40).map(|n| format!("p{n}@x.org,R-{n}\n")).collect();
    let roster = "email,referenceId\n".to_owned() + &rows.concat();
    let import = "testtakers import people.csv --settle 300ms -o csv";
    let people = |env: &Env| {
        let list = env.line("testtakers list -o json").json();
        let ids = list.as_array().expect("an array").iter().map(|person| person["referenceId"].to_string());
        let mut ids: Vec<String> = ids.collect();
        ids.sort();
        ids
    };
    let first = client();
    first.write("people.csv", &roster);
    let file = |env: &Env, name: &str| env.work().with_file_name("state").join(name);
    let (database, log) = ("journal.db", "journal.db-wal");
    let _ = first.line("testtakers import people.csv --dry-run").ok();
    // Whoever closes the database last would take the log over into it.
    let held = rusqlite::Connection::open(file(&first, database)).expect("a database");
    let tables: i64 = held.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).expect("tables");
    assert!(tables > 0);
    let _ = first.line(import).ok();
    let end = people(&first);
    assert_eq!(end.iter().collect::<BTreeSet<_>>().len(), 40);
    assert_eq!(end.len(), 40);
    let whole = std::fs::read(file(&first, log)).expect("a log that was not taken over into the database");
    let mut random = fastrand::Rng::with_seed(5);
    for round in 0..24 {
        let length = if round == 0 { 0 } else { random.usize(..=whole.len()) };
        let env = client();
        env.write("people.csv", &roster);
        for name in [database, "journal.secret"] {
            std::fs::copy(file(&first, name), file(&env, name)).expect("a copy");
        }
        std::fs::write(file(&env, log), &whole[..length]).expect("a prefix");
        let said = env.line(import).ok();
        assert_eq!(people(&env), end, "{length} of {} bytes: {said}", whole.len());
        let ends = records(&said.stdout);
        let known = ends.iter().filter(|row| row["outcome"] == "enrolled" || row["outcome"] == "existing");
        assert_eq!(known.count(), 40, "{length} of {} bytes: {said}", whole.len());
    }
}
