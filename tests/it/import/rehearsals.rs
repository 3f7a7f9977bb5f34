//! Imports while things go wrong: faults, a second run beside the first, interruptions, a key that is refused.

use std::time::Duration;

use super::{each_once, ended, held, import, machine, outcomes, roster};
use crate::support::env::{Env, PATIENCE, words};
use crate::support::service::{Op, Service, Trouble, When, gate};
use crate::support::wire::Answer;

const IMPORT: &str = "testtakers import people.csv -o csv --settle 2s --concurrency 1";

#[test]
fn whatever_goes_wrong_each_row_is_enrolled_exactly_once() {
    let share = || When::Share(0.1, 7);
    for (op, when, trouble) in [
        (Op::Enrol, share(), Trouble::CloseAfter),
        (Op::Enrol, share(), Trouble::AnswerAfter(Answer::problem(500, "Broken", ""))),
        (Op::Enrol, share(), Trouble::Truncate),
        (Op::Enrol, share(), Trouble::CloseBefore),
        (Op::Enrol, When::Nth(3), Trouble::Answer(Answer::new(429, &["Retry-After: 0"], ""))),
        (Op::TestTakers, When::Nth(2), Trouble::CloseBefore),
        (Op::TestTakers, When::Nth(1), Trouble::Answer(Answer::problem(503, "Busy", ""))),
    ] {
        let what = format!("{op:?} {when:?}");
        let service = Service::start().on(op, when, trouble);
        let env = machine(&service, roster(30));
        let said = import(&env, "").ok();
        assert_eq!(ended(&said.stdout, "enrolled"), 30, "{what}: {said}");
        each_once(&service, 30, &what);
    }
}

#[test]
fn a_row_that_was_lost_before_it_arrived_is_found_absent_and_sent_again_also_by_the_next_run() {
    let service = Service::start().on(Op::Enrol, When::Nth(2), Trouble::CloseBefore);
    let env = machine(&service, roster(5));
    let said = import(&env, "--concurrency 1 --no-wait").exits(7);
    assert_eq!((ended(&said.stdout, "in-doubt"), ended(&said.stdout, "enrolled")), (1, 4), "{said}");
    assert_eq!(service.held().people.len(), 4);
    let said = import(&env, "").ok();
    assert_eq!((ended(&said.stdout, "enrolled"), ended(&said.stdout, "existing")), (1, 4), "{said}");
    each_once(&service, 5, "the next run");
}

#[test]
fn one_import_at_a_time_goes_into_one_project() {
    let (gate, waiting) = gate();
    let service = Service::start().with_people(1).on(Op::Enrol, When::First(1), Trouble::Gate(gate));
    let env = machine(&service, roster(1));
    let first = env.command(&words(IMPORT)).spawn().expect("the program starts");
    waiting.arrived.recv_timeout(PATIENCE).expect("the first enrolment arrives");
    for line in
        [IMPORT, "testtakers remove EMP-00001 --yes", "links issue --all --to links.csv", "journal forget --all --yes"]
    {
        // The first one is named.
        let _ = env.line(line).fails(6).names("testtakers import");
    }
    // A rehearsal waits for nobody; it sees that a row is under way.
    let _ = env.line("testtakers import people.csv --dry-run").exits(7);
    drop(waiting);
    let said = super::end_of(first).ok();
    assert_eq!(outcomes(&said.stdout), ["enrolled"], "{said}");
    assert_eq!(held(&service, "referenceId"), ["EMP-00001", "NEW-1"]);
}

#[cfg(unix)]
#[test]
fn a_run_that_is_told_to_end_waits_for_what_is_under_way_and_accounts_for_every_row() {
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let (gate, waiting) = gate();
        let slow = Trouble::Delay(Duration::from_millis(100));
        let service = Service::start().on(Op::Enrol, When::First(1), Trouble::GateAfter(gate));
        let service = service.on(Op::Enrol, When::After(1), slow);
        let env = machine(&service, roster(20));
        let line = format!("{IMPORT} --failed-out failed.csv");
        let child = env.command(&words(&line)).spawn().expect("the program starts");
        waiting.arrived.recv_timeout(PATIENCE).expect("the first enrolment arrives");
        crate::support::env::signal(&child, signal);
        drop(waiting);
        let said = super::end_of(child).exits(code);
        let (sent, left) = (ended(&said.stdout, "enrolled"), ended(&said.stdout, "not-attempted"));
        assert_eq!((sent, sent + left), (service.held().people.len(), 20), "{signal}: {said}");
        assert!(left > 0, "{signal}: {said}");
        assert_eq!(ended(&env.read("failed.csv"), "not-attempted"), left, "{signal}: {said}");
        let said = import(&env, "").ok();
        assert_eq!(ended(&said.stdout, "existing"), sent, "{said}");
        each_once(&service, 20, signal);
    }
}

#[cfg(unix)]
#[test]
fn a_run_that_only_reads_so_far_ends_at_once() {
    for command in ["import people.csv", "sync people.csv", "import people.csv --dry-run"] {
        let (gate, waiting) = gate();
        let service = Service::start().with_people(200).on(Op::TestTakers, When::Nth(2), Trouble::GateAfter(gate));
        let env = machine(&service, roster(1));
        let child = env.command(&words(&format!("testtakers {command}"))).spawn().expect("the program starts");
        waiting.arrived.recv_timeout(PATIENCE).expect("the list is read");
        crate::support::env::signal(&child, "INT");
        let _ = super::end_of(child).exits(130);
        drop(waiting);
        assert_eq!((service.count(Op::TestTakers), service.count(Op::Enrol)), (2, 0), "{command}");
    }
}

#[cfg(unix)]
#[test]
fn whoever_waits_for_a_row_in_doubt_can_leave() {
    // In a long list one person is looked up.
    let service = Service::start().with_people(200).on(Op::Enrol, When::First(1), Trouble::CloseBefore);
    let env = machine(&service, roster(1));
    let line = "testtakers import people.csv -o csv --settle 10m";
    let child = env.command(&words(line)).spawn().expect("the program starts");
    let deadline = std::time::Instant::now() + PATIENCE;
    while service.count(Op::LookUp) == 0 {
        assert!(std::time::Instant::now() < deadline, "it never looks");
        std::thread::yield_now();
    }
    crate::support::env::signal(&child, "INT");
    let said = super::end_of(child).exits(130);
    assert_eq!(outcomes(&said.stdout), ["in-doubt"], "{said}");
    assert_eq!(service.count(Op::Enrol), 1);
}

#[test]
fn a_key_that_is_refused_in_the_middle_stops_the_run_and_accounts_for_the_rest() {
    let refused = Answer::problem(401, "Unauthorized", "the key was revoked");
    let service = Service::start().on(Op::Enrol, When::After(1), Trouble::Answer(refused));
    let env = machine(&service, roster(3));
    let said = import(&env, "--concurrency 1").exits(3);
    assert_eq!(outcomes(&said.stdout), ["enrolled", "not-attempted", "not-attempted"], "{said}");
    assert_eq!(service.count(Op::Enrol), 2);
}

/// Starts an import of 20 rows whose first enrolment hangs until the gate opens.
#[cfg(unix)]
fn held_up(env: &Env, waiting: &crate::support::service::Waiting) -> std::process::Child {
    let child = env.command(&words(IMPORT)).spawn().expect("the program starts");
    waiting.arrived.recv_timeout(PATIENCE).expect("the first enrolment arrives");
    child
}

#[cfg(unix)]
#[test]
fn signals_that_come_together_are_one_wish_and_a_later_one_leaves_at_once() {
    for leaves in [false, true] {
        let (gate, waiting) = gate();
        let service = Service::start().on(Op::Enrol, When::First(1), Trouble::GateAfter(gate));
        let env = machine(&service, roster(20));
        let mut child = held_up(&env, &waiting);
        for signal in ["INT", "TERM", "INT"] {
            crate::support::env::signal(&child, signal);
        }
        if leaves {
            let deadline = std::time::Instant::now() + PATIENCE;
            while child.try_wait().expect("a child").is_none() {
                assert!(std::time::Instant::now() < deadline, "it never leaves");
                // It may end in this very moment.
                let _ = std::process::Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).output();
            }
        }
        drop(waiting);
        let (status, stdout, stderr) = crate::support::env::ended(child, b"");
        let code = crate::support::env::code(status);
        assert!([130, 143].contains(&code), "{code}: {stderr}");
        if leaves {
            assert!(stdout.is_empty() && stderr.contains("in doubt"), "{stderr}");
        } else {
            assert_eq!((ended(&stdout, "enrolled"), ended(&stdout, "not-attempted")), (1, 19), "{stderr}");
        }
        let _ = import(&env, "").ok();
        each_once(&service, 20, "the next run");
    }
}

/// As a script limits a run: each row is accounted for, and the next run goes on.
#[cfg(unix)]
#[test]
fn an_import_that_runs_out_of_time_accounts_for_every_row() {
    let slow = Trouble::Delay(Duration::from_millis(100));
    let service = Service::start().on(Op::Enrol, When::Always, slow);
    let env = machine(&service, roster(60));
    let said = crate::support::shell::run(&env, &format!("timeout --preserve-status 1 assessctl {IMPORT}")).exits(143);
    let (sent, left) = (ended(&said.stdout, "enrolled"), ended(&said.stdout, "not-attempted"));
    assert_eq!((sent, sent + left), (service.held().people.len(), 60), "{said}");
    assert!(left > 0, "{said}");
    let _ = import(&env, "").ok();
    each_once(&service, 60, "the next run");
}

#[cfg(unix)]
#[test]
fn whoever_waits_for_a_pause_of_the_service_or_for_a_lost_link_can_leave() {
    let pause = Answer::new(429, &["Retry-After: 200"], "");
    let service = Service::start().with_people(1).on(Op::Enrol, When::Always, Trouble::Answer(pause)).on(
        Op::Link,
        When::Always,
        Trouble::CloseBefore,
    );
    let env = machine(&service, roster(3));
    for (line, op, outcome) in
        [(IMPORT, Op::Enrol, "not-attempted"), ("links issue --all --to links.csv", Op::Link, "")]
    {
        let began = std::time::Instant::now();
        let child = env.command(&words(line)).spawn().expect("the program starts");
        while service.count(op) == 0 {
            assert!(began.elapsed() < PATIENCE, "{line}: it never asks");
            std::thread::yield_now();
        }
        crate::support::env::signal(&child, "INT");
        let said = super::end_of(child).exits(130);
        assert!(began.elapsed() < Duration::from_secs(9), "{line}: {said}");
        assert!(outcome.is_empty() || outcomes(&said.stdout) == [outcome; 3], "{said}");
    }
    assert_eq!((service.count(Op::Enrol), service.held().links.len()), (1, 0));
}
