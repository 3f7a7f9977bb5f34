//! `--to FILE` leaves the file whole and new, or as it was: through failed pages, full disks, kills and failed system calls.

use crate::support::env::{Env, Said, setting};
use crate::support::service::{Op, Service, Trouble, When};
use crate::support::shell;
use crate::support::strace::{Instead, points, traced};
use crate::support::wire::{Answer, PROJECT};

const OLD: &str = "as it was\n";

/// Names of what is in the working directory.
fn left(env: &Env) -> Vec<String> {
    let entries = std::fs::read_dir(env.work()).expect("a folder").map(|entry| entry.expect("an entry"));
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn a_file_stays_as_it_was_when_a_page_fails() {
    for (status, code) in [(403, 3), (422, 5)] {
        let answer = Answer::problem(status, "No", "not this page");
        let service = Service::start().with_people(250).on(Op::TestTakers, When::Page(2), Trouble::Answer(answer));
        let env = Env::at(&service.url);
        env.write("people.csv", OLD);
        let _ = env.line(&format!("testtakers list -p {PROJECT} --to people.csv")).fails(code);
        assert_eq!((env.read("people.csv").as_str(), left(&env)), (OLD, vec!["people.csv".to_owned()]));
    }
}

#[test]
fn a_file_that_does_not_fit_stays_as_it_was() {
    let service = Service::start().with_people(250);
    let env = Env::at(&service.url);
    env.write("people.csv", OLD);
    for format in ["csv", "json", "xlsx"] {
        let line = format!("ulimit -f 1; exec assessctl testtakers list -p {PROJECT} -o {format} --to people.csv");
        let said = shell::run(&env, &format!("trap '' XFSZ; {line}"));
        let _ = said.fails(1);
        assert_eq!((env.read("people.csv").as_str(), left(&env)), (OLD, vec!["people.csv".to_owned()]), "{format}");
    }
}

#[test]
fn the_format_is_the_endings_unless_it_is_named() {
    let service = Service::start().with_people(2);
    let env = Env::at(&service.url);
    let to = |more: &str| env.line(&format!("testtakers list -p {PROJECT} {more}")).ok();
    for (name, start) in [("a.csv", "id,"), ("a.json", "["), ("a.ndjson", "{"), ("a.jsonl", "{")] {
        let said = to(&format!("--to {name}"));
        assert!(said.stdout.is_empty() && env.read(name).starts_with(start), "{name}: {said}");
    }
    let _ = to("--to b.csv -o json");
    assert!(env.read("b.csv").starts_with('['));
    let _ = to("--to c.xlsx");
    let book = std::fs::read(env.work().join("c.xlsx")).expect("a workbook");
    assert!(book.starts_with(b"PK"));
    let _ = to("--to c.xlsx");
    assert_eq!(std::fs::read(env.work().join("c.xlsx")).expect("a workbook"), book, "the same bytes again");
}

fn is_whole(text: &str) -> bool {
    text.lines().count() == 121 && text.ends_with('\n')
}

#[test]
#[cfg(target_os = "linux")]
fn a_list_that_is_killed_or_refused_at_any_call_leaves_the_old_file_or_the_whole_new_one() {
    let service = Service::start().with_people(120);
    let env = Env::at(&service.url);
    let args = ["testtakers", "list", "-p", PROJECT, "--to", "people.csv"];
    env.write("people.csv", OLD);
    let Some(run) = traced(&env, &args, None) else { return };
    assert!(run.said.code == 0 && is_whole(&env.read("people.csv")), "{}", run.said);
    let mut points = points(&env, &run.calls, &["EIO", "ENOSPC", "EINTR"]);
    assert!(points.len() > 100, "{} points", points.len());
    if setting("CRASH_POINTS").as_deref() != Some("all") {
        fastrand::Rng::with_seed(7).shuffle(&mut points);
        points.truncate(60);
    }
    let mut hits = 0;
    for point in &points {
        env.write("people.csv", OLD);
        let at = format!("{:?} instead of {}", point.instead, point.call.line);
        let run = traced(&env, &args, Some(point)).expect("traced before");
        let Said { code, stderr, .. } = &run.said;
        let text = env.read("people.csv");
        assert!(is_whole(&text) || text == OLD, "{at}: {} lines of a file", text.lines().count());
        assert!(*code != 0 || is_whole(&text), "{at}: it claims to be done");
        assert!(*code != 101 && !stderr.contains("panicked"), "{at}: {}", run.said);
        assert!(*code != -9 || point.instead == Instead::Kill, "{at}: it hangs");
        hits += usize::from(run.is_hit);
        // What a kill leaves is for nobody else to read, and is no part of the next run.
        for name in left(&env).iter().filter(|name| *name != "people.csv") {
            let is_kept = point.instead == Instead::Kill || point.call.line.starts_with("unlink");
            assert!(is_kept, "{at}: it leaves {name}");
            std::fs::remove_file(env.work().join(name)).expect("removed");
        }
    }
    assert!(hits * 2 >= points.len(), "{hits} of {} points were reached", points.len());
}
