//! Imports through faults of every kind, killed at random moments, edited and run again: nobody is lost, nobody is enrolled
//! twice. `.ci/long campaign` makes the claim of many.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use serde_json::json;

use super::{end_of, machine, outcomes};
use crate::support::env::{setting, words};
use crate::support::service::{Op, Service, Trouble, When};
use crate::support::wire::{Answer, PROJECT, ask};

/// Rows of one roster.
const ROSTER: usize = 60;
/// Kills of one roster; then it may run to its end.
const KILLS_PER_ROSTER: usize = 6;
/// So many runs, the last ones without a kill, leave nobody in doubt.
const RUNS: usize = 40;
/// How long late work waits.
const LATE: Duration = Duration::from_millis(300);

/// Hits an eighth of the enrolments, and some reads, each kind with dice of its own.
fn faulty(seed: u64) -> Service {
    let soon = |status| Answer::new(status, &["Retry-After: 0"], "");
    let troubles = [
        (Op::Enrol, 0.02, Trouble::CloseBefore),
        (Op::Enrol, 0.02, Trouble::CloseAfter),
        (Op::Enrol, 0.02, Trouble::AnswerAfter(Answer::problem(500, "Broken", ""))),
        (Op::Enrol, 0.02, Trouble::Truncate),
        (Op::Enrol, 0.02, Trouble::Late(LATE)),
        (Op::Enrol, 0.02, Trouble::Lag(LATE)),
        (Op::Enrol, 0.01, Trouble::Answer(soon(503))),
        (Op::Enrol, 0.01, Trouble::Answer(soon(429))),
        (Op::TestTakers, 0.02, Trouble::Answer(soon(503))),
        (Op::TestTakers, 0.02, Trouble::Truncate),
        (Op::TestTakers, 0.02, Trouble::CloseAfter),
        (Op::LookUp, 0.02, Trouble::Truncate),
    ];
    let mut service = Service::start();
    for (number, (op, share, trouble)) in (seed * 100..).zip(troubles) {
        service = service.on(op, When::Share(share, number), trouble);
    }
    service
}

/// A roster whose people share addresses where they have reference ids. Each time it is spelt in another way.
fn spelt(with_ids: bool, random: &mut fastrand::Rng) -> String {
    let mut text = String::from("email,firstName,referenceId\n");
    for row in 0..ROSTER {
        let address = if with_ids && row % 10 == 9 { row - 1 } else { row };
        let (domain, name) = if random.bool() { ("example.com", "Ann") } else { ("EXAMPLE.com", "Zoe") };
        let id = if with_ids { format!("R-{row}") } else { String::new() };
        writeln!(text, "p{address}@{domain},{name},{id}").expect("a string");
    }
    text
}

/// How often each person is at the service, by reference id or address.
fn truth(service: &Service, with_ids: bool) -> BTreeMap<String, usize> {
    let mut truth = BTreeMap::new();
    for person in &service.held().people {
        let who = person.record[if with_ids { "referenceId" } else { "email" }].as_str().unwrap_or_default();
        *truth.entry(who.to_lowercase()).or_default() += 1;
    }
    truth
}

fn campaign(with_ids: bool) {
    let wanted = setting("CAMPAIGN_KILLS").map_or(KILLS_PER_ROSTER, |kills| kills.parse().expect("a number"));
    let mut seed = setting("CAMPAIGN_SEED").map_or(2, |seed| seed.parse().expect("a number")) + u64::from(with_ids);
    let (mut kills, mut under_way) = (0, 0);
    while kills < wanted {
        let (service, mut random) = (faulty(seed), fastrand::Rng::with_seed(seed));
        let env = machine(&service, "");
        let shared = if with_ids { "--shared-mailboxes" } else { "" };
        let line = format!("testtakers import people.csv --settle 2s -o csv {shared}");
        let start = |random: &mut fastrand::Rng| {
            env.write("people.csv", spelt(with_ids, random));
            env.command(&words(&line)).spawn().expect("started")
        };
        for _ in 0..KILLS_PER_ROSTER {
            let goal = service.count(Op::Enrol) + random.usize(1..12);
            let mut child = start(&mut random);
            while service.count(Op::Enrol) < goal && child.try_wait().expect("a child").is_none() {
                std::thread::yield_now();
            }
            // Not always right after an answer. On a busy machine giving way would take seconds.
            let until = Instant::now() + Duration::from_micros(random.u64(..6000));
            while Instant::now() < until {
                std::hint::spin_loop();
            }
            if child.try_wait().expect("a child").is_some() {
                break;
            }
            under_way += usize::from(service.count(Op::Enrol) >= goal);
            // It may have ended by itself in this very moment.
            let _ = child.kill();
            let _ = child.wait();
            kills += 1;
        }
        let whole = (0..RUNS).map(|_| end_of(start(&mut random))).find(|said| ![6, 7].contains(&said.code));
        let said = whole.expect("a run without a doubt").ok();
        let ends = outcomes(&said.stdout);
        assert!(ends.iter().all(|end| end == "enrolled" || end == "existing"), "seed {seed}: {said}");
        std::thread::sleep(LATE);
        let truth = truth(&service, with_ids);
        assert_eq!(truth.len(), ROSTER, "seed {seed}: somebody is lost, or is nobody's");
        let twice: Vec<_> = truth.iter().filter(|(_, times)| **times > 1).collect();
        assert!(twice.is_empty(), "seed {seed}: enrolled twice: {twice:?}");
        seed += 2;
    }
    println!("{kills} kills, {under_way} of them among enrolments: 0 lost, 0 enrolled twice");
    assert!(under_way * 3 >= kills, "too few kills among enrolments: {under_way} of {kills}");
}

#[test]
fn through_faults_and_kills_each_row_with_a_reference_id_is_enrolled_exactly_once() {
    campaign(true);
}

#[test]
fn through_faults_and_kills_a_row_without_a_reference_id_is_enrolled_exactly_once() {
    campaign(false);
}

/// The faults have teeth: what everybody writes first enrols people twice.
#[test]
fn the_same_faults_make_a_loop_of_retries_enrol_people_twice() {
    let service = faulty(1);
    let line = format!("POST /projects/{PROJECT}/testtakers");
    for row in 0..3 * ROSTER {
        let body = json!({ "email": format!("p{row}@example.com"), "referenceId": format!("R-{row}") });
        let is_done = |_: &i32| ask(&service.url, &line, None, Some(&body)).status == 201;
        let _ = (0..4).find(is_done);
    }
    assert!(truth(&service, true).values().any(|times| *times > 1), "the faults do not bite");
}
