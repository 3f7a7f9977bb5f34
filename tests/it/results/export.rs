//! `results export`: the target is whole and new, or unchanged, and records come in one order.

use std::collections::BTreeSet;

use crate::support::env::{Env, ended};
use crate::support::service::{Op, Service, Trouble, When, gate};
use crate::support::shell;
use crate::support::wire::{Answer, PROJECT};
use crate::support::workspace::person;

const OLD: &str = "id,result\n1,HighRisk\n";

fn at(service: &Service) -> Env {
    Env::at(&service.url).with("ASSESSCTL_PROJECT", PROJECT)
}

/// Names of what is in a folder, sorted.
fn names(env: &Env, folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(env.work().join(folder)).expect("a folder").map(|entry| entry.expect("an entry"));
    let names: BTreeSet<_> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.into_iter().collect()
}

fn ids(text: &str) -> Vec<i64> {
    text.lines().skip(1).map(|line| line.split(',').next().and_then(|id| id.parse().ok()).expect("an id")).collect()
}

#[test]
fn records_are_sorted_by_id_and_the_file_is_the_same_where_nothing_changed() {
    let service = Service::start().of((1..=130).rev().map(person));
    let env = at(&service);
    let ending = ["csv", "json", "ndjson", "xlsx"];
    let bytes = || ending.map(|ending| std::fs::read(env.work().join(format!("a.{ending}"))).expect("a file"));
    let export = || ending.map(|ending| env.line(&format!("results export --to a.{ending}")).data());
    export();
    let first = bytes();
    assert_eq!(ids(&env.read("a.csv")), (1..=130).collect::<Vec<_>>());
    // The service shows them in another order.
    let people = service.held().people.split_off(60);
    service.held().people.splice(0..0, people);
    export();
    assert!(bytes() == first, "other bytes of the same results");
    let _ = env.line("results export --flagged --has-reference-id true --to b.csv --fields id,result").data();
    assert_eq!(env.read("b.csv").lines().count(), 131);
}

#[test]
fn the_older_shape_is_exported_in_one_order_too() {
    let service = Service::start().of((1..=5).rev().map(person));
    service.held().is_older = true;
    let env = at(&service);
    let _ = env.line("results export --to a.csv --fields referenceId,status").data();
    let ids: Vec<_> = (1..=5).map(|id| format!("EMP-{id:05},HighRisk")).collect();
    assert_eq!(env.read("a.csv"), format!("referenceId,status\n{}\n", ids.join("\n")));
}

#[test]
fn the_file_stays_as_it_was_when_a_page_fails_or_the_disk_is_full() {
    for (status, code) in [(403, 3), (422, 5)] {
        let answer = Answer::problem(status, "No", "not this page");
        let service = Service::start().with_people(250).on(Op::Results, When::Page(2), Trouble::Answer(answer));
        let env = at(&service);
        env.write("a.csv", OLD);
        let _ = env.line("results export --to a.csv").fails(code);
        assert_eq!((env.read("a.csv").as_str(), names(&env, ".")), (OLD, vec!["a.csv".to_owned()]));
    }
    let service = Service::start().with_people(250);
    let env = at(&service);
    env.write("a.csv", OLD);
    let _ = shell::run(&env, "trap '' XFSZ; ulimit -f 1; exec assessctl results export --to a.csv").fails(1);
    assert_eq!((env.read("a.csv").as_str(), names(&env, ".")), (OLD, vec!["a.csv".to_owned()]));
    assert_eq!(service.writes().len(), 0);
}

#[test]
fn no_results_never_replace_a_fuller_file() {
    let service = Service::start().with_people(2);
    let env = at(&service);
    let bytes = |name: &str| std::fs::read(env.work().join(name)).expect("a file");
    for name in ["a.csv", "a.json", "a.ndjson", "a.xlsx", "a.table"] {
        let _ = env.line(&format!("results export --to {name} -o {}", &name[2..])).ok();
        let full = bytes(name);
        let empty = format!("results export --to {name} -o {} --result Fatigued", &name[2..]);
        let _ = env.line(&empty).fails(5).names(name).names("--allow-empty");
        assert_eq!(bytes(name), full, "{name}");
        let _ = env.line(&format!("{empty} --allow-empty")).ok();
        assert!(bytes(name).len() < full.len(), "{name}");
        // An empty one takes the place of an empty one.
        let _ = env.line(&empty).ok();
    }
    let _ = env.line("results export --to new.csv --result Fatigued").ok();
    assert!(env.read("new.csv").starts_with("id,referenceId,") && env.read("new.csv").lines().count() == 1);
    let _ = env.line("results export --to /dev/null --result Fatigued").ok();
}

#[test]
fn an_alert_is_an_exit_code_after_the_whole_file() {
    let service = Service::start().with_people(3);
    let env = at(&service);
    let said = env.line("results export --to a.csv --fail-on HighRisk,Emergency").exits(8);
    assert!(said.stdout.is_empty() && ids(&env.read("a.csv")) == [1, 2, 3], "{said}");
    let _ = env.line("results export --to a.csv --fail-on Emergency").data();
}

#[test]
fn what_is_wrong_with_a_call_is_found_before_anything_is_sent() {
    let service = Service::start().with_people(1);
    let env = at(&service);
    env.write("file", "");
    for line in [
        "results export",
        "results export --to a.csv --to-dir .",
        "results export --to-dir missing",
        "results export --to-dir file",
        "results export --to missing/a.csv",
        "results export --to-dir . --fields shoeSize",
        "results export --to a.csv --fields project",
        "results export --all-projects -p Demo --to a.csv",
        "results export --to a.csv --last-test-sent-from 2026-02-02 --last-test-sent-to 2026-02-01",
        "results export --to a.csv --order Desc",
        "results list --all-projects --limit 3",
    ] {
        let _ = env.line(line).fails(2);
    }
    assert_eq!((service.log().len(), names(&env, ".")), (0, vec!["file".to_owned()]));
}

const ROUNDS: usize = 40;
const PEOPLE: i64 = 250;

#[cfg(unix)]
#[test]
fn whatever_happens_to_runs_of_cron_the_file_is_whole_and_was_once_true() {
    let busy = Answer::new(503, &["Retry-After: 0"], "");
    let service = Service::start()
        .with_people(PEOPLE)
        .on(Op::Results, When::Share(0.04, 5), Trouble::Answer(busy))
        .on(Op::Results, When::Share(0.03, 6), Trouble::CloseBefore)
        .on(Op::Results, When::Share(0.03, 9), Trouble::Truncate);
    let env = at(&service);
    let export = || env.command(&["results", "export", "--to", "a.csv"]).spawn().expect("started");
    let mut written = 0;
    for round in 0..ROUNDS {
        let before = std::fs::read(env.work().join("a.csv")).ok();
        match round % 4 {
            1 => {
                let mut child = export();
                // Another moment of the run each time, counted in requests.
                let until = service.log().len() + round / 4;
                while service.log().len() < until && child.try_wait().expect("a child").is_none() {
                    std::thread::yield_now();
                }
                // It may have ended by itself.
                let _ = child.kill();
                drop(ended(child, b""));
            }
            2 => {
                let said = shell::run(&env, "trap '' XFSZ; ulimit -f 8; exec assessctl results export --to a.csv");
                assert!([1, 6].contains(&said.code), "{said}");
                assert_eq!(std::fs::read(env.work().join("a.csv")).ok(), before);
            }
            3 => [export(), export()].into_iter().for_each(|child| drop(ended(child, b""))),
            _ => {
                let said = env.line("results export --to a.csv");
                assert!([0, 6].contains(&said.code), "{said}");
                written += usize::from(said.code == 0);
            }
        }
        if before.is_some() || written > 0 {
            assert_eq!(ids(&env.read("a.csv")), (1..=PEOPLE).collect::<Vec<_>>(), "round {round}");
        }
        let first = service.held().people.remove(0);
        service.held().people.push(first);
    }
    assert!(written >= ROUNDS / 4 - 2, "{written} of {}", ROUNDS / 4);
}

#[test]
fn no_export_that_ends_well_lacks_somebody_who_was_there_throughout() {
    let mut good = 0;
    for round in 0..8 {
        // While the list is read, somebody on page 1 is removed, so that everybody moves up.
        let (gate, waiting) = gate();
        let service = Service::start().with_people(PEOPLE).on(Op::Results, When::Nth(2 + round), Trouble::Gate(gate));
        let env = at(&service);
        let run = env.command(&["results", "export", "--to", "a.csv"]).spawn().expect("started");
        waiting.arrived.recv().expect("the request arrives");
        service.held().people.remove(round);
        drop(waiting);
        let code = ended(run, b"").0.code();
        assert!([Some(0), Some(7)].contains(&code), "round {round}: {code:?}");
        if code == Some(0) {
            good += 1;
            let there: BTreeSet<i64> = ids(&env.read("a.csv")).into_iter().collect();
            let gone = i64::try_from(round + 1).expect("small");
            let missing: Vec<_> = (1..=PEOPLE).filter(|id| *id != gone && !there.contains(id)).collect();
            assert!(missing.is_empty(), "round {round}: {missing:?}");
        }
    }
    assert!(good >= 6, "{good} of 8");
}

#[test]
fn the_older_shape_shows_its_results_under_the_same_name() {
    let service = Service::start().with_people(1);
    service.held().is_older = true;
    let env = Env::at(&service.url);
    for format in ["table", "csv"] {
        let said = env.line(&format!("results list -p {PROJECT} -o {format} --fields referenceId,result"));
        assert!(said.data().contains("HighRisk"), "{format}");
    }
}
