//! Commands of several parts: where one part did something, none that could do nothing says that nothing was done.

use crate::harness::{Env, KEY, Served};
use crate::sync::{enrolled, file, ids, night};

/// A machine, and a service that refuses for now what one part of a command sends.
fn refusing(fault: &str) -> (Env, Env, Served) {
    let there = Env::new();
    let served = there.serve(&["--key", KEY, "--fault", fault]);
    (Env::at(&served.url).with("ASSESSCTL_PROJECT", "Demo"), there, served)
}

const AGAIN: &str = "hint: run the same command again: it continues where this run stopped";

#[test]
fn links_that_could_not_be_issued_leave_an_import_that_enrolled_unfinished() {
    let (env, _there, _served) = refusing("429@test-link:times=3,retry-after=3600");
    env.write("people.csv", file(1..=3));
    let said = env.line("testtakers import people.csv --with-links links.csv").fails(7);
    let _ = said.mentions("3 enrolled in Demo").mentions("stopped with 3 not attempted").mentions(AGAIN);
    let said = env.line("links issue --all --to links.csv").ok().mentions("3 issued");
    assert!(!said.stderr.contains("warning"), "{said}");
}

#[test]
fn removals_that_could_not_be_sent_leave_a_sync_that_enrolled_unfinished() {
    let (env, there, _served) = refusing("429@remove:times=1,retry-after=3600");
    let leaving = "--absent-for 1";
    let _ = night(&env, &file(1..=12), leaving).ok();
    let said = night(&env, &file(2..=13), leaving).exits(7);
    let _ = said.mentions("1 joined; 1 not removed").mentions("error: not finished: 1 not attempted").mentions(AGAIN);
    assert_eq!(enrolled(&there), ids(1..=13));
    let _ = night(&env, &file(2..=13), leaving).ok().mentions("1 left");
    assert_eq!(enrolled(&there), ids(2..=13));
}

#[test]
fn removals_that_could_not_be_sent_leave_a_plan_that_enrolled_unfinished() {
    let (env, there, _served) = refusing("429@remove:times=1,retry-after=3600");
    let _ = night(&env, &file(1..=12), "").ok();
    let _ = night(&env, &file(2..=13), "--absent-for 1 --plan plan.ndjson").ok();
    let said = env.line("testtakers apply plan.ndjson --expect 1").exits(7);
    let said = said.mentions("1 enrolled, 1 not-attempted").mentions("error: not finished: 1 not attempted");
    assert!(!said.mentions(AGAIN).stderr.contains("warning"), "a part's words are said once");
    let _ = env.line("testtakers apply plan.ndjson --expect 1").ok();
    assert_eq!(enrolled(&there), ids(2..=13));
}

#[test]
fn redirect_uris_that_were_sent_and_cannot_be_read_again_are_unfinished() {
    // The list is read with three requests before, and then again.
    let (env, _there, _served) = refusing("429@list-redirect-uris:nth=4,retry-after=3600");
    let said = env.line("redirect-uris add https://hr.example.com/done").fails(7);
    let _ = said.mentions("the redirect URIs were sent").mentions("hint: run the same command again");
    let said = env.line("redirect-uris add https://hr.example.com/done").ok();
    assert!(said.stdout.contains("existing"), "{said}");
}
