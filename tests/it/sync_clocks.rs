//! Clocks that are set forward or back: they neither end nor stretch what a sync waits for, and no clock tells which of two
//! rosters is the newer one.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

use crate::doubts::{array, matching};
use crate::harness::{Env, Said};
use crate::socket::{Answer, Socket};
use crate::sync::{enrolled, file, ids, night, person};
use crate::wire::PROJECT;

/// A day in milliseconds.
const DAY: i64 = 86_400_000;

/// Changes what the journal of a machine remembers.
fn journal(env: &Env, sql: &str) {
    let file = env.work().join("../state/journal.db");
    let changed = rusqlite::Connection::open(file).expect("the journal").execute(sql, []).expect("the tables");
    assert!(changed > 0, "{sql}");
}

/// A project with three people, whose service takes removals and answers none of them.
fn silent() -> (Env, Socket) {
    let people: Mutex<Vec<Value>> = Mutex::new((1..=3).map(person).collect());
    let is_second = AtomicBool::new(false);
    let socket = Socket::answering(move |request, _| {
        let people = people.lock().expect("no server thread panics");
        match request.method.as_str() {
            "DELETE" if is_second.swap(true, Ordering::SeqCst) => Answer::new(204, &[], ""),
            "DELETE" => Answer::new(503, &["Retry-After: 3600"], ""),
            _ if request.parameter("page").is_some_and(|page| page != "1") => array(&[]),
            _ => array(&matching(request, &people)),
        }
    });
    (Env::at(&socket.url), socket)
}

fn sync(env: &Env, people: &[u32]) -> Said {
    let rows: Vec<String> = people.iter().map(|of| format!("p{of}@example.com,EMP-{of}")).collect();
    night(env, &format!("email,referenceId\n{}\n", rows.join("\n")), &format!("-p {PROJECT}"))
}

#[cfg(target_os = "linux")]
#[test]
fn a_removal_in_doubt_is_waited_for_by_the_clock_of_the_boot_whatever_the_wall_clock_says() {
    let (env, _socket) = silent();
    let _ = sync(&env, &[1, 2, 3]).ok();
    let _ = sync(&env, &[1, 2]).ok();
    let _ = sync(&env, &[2, 1]).exits(7);
    let waits = |said: Said| assert!(said.code == 7 && said.stdout.contains("may still take effect"), "{said}");
    waits(sync(&env, &[1, 2, 3]));
    journal(&env, &format!("UPDATE removing SET begun = begun - {DAY}"));
    waits(sync(&env, &[1, 2, 3]));
    // Ten minutes passed, and the clock was set back by a day meanwhile.
    journal(&env, &format!("UPDATE removing SET begun = begun + 2 * {DAY}, ticks = ticks - 600000"));
    let _ = sync(&env, &[1, 2, 3]).ok().mentions("3 as they were");
}

/// A project in which a plan wants one person to leave, of whom a newer roster says otherwise.
fn planned_and_back() -> Env {
    let env = Env::sandbox();
    let _ = night(&env, &file(1..=6), "").ok();
    let _ = night(&env, &file(1..=5), "").ok();
    let _ = night(&env, &file([2, 1, 3, 4, 5]), "--plan plan.ndjson").ok().mentions("1 would leave");
    let _ = night(&env, &file(1..=6), "").ok();
    env
}

#[test]
fn a_plan_removes_no_one_of_a_newer_roster_though_the_clock_was_set_back_meanwhile() {
    let env = planned_and_back();
    journal(&env, &format!("UPDATE synced SET synced = synced - {DAY}, counted = counted - {DAY}"));
    let said = env.line("testtakers apply plan.ndjson --expect 1 -o csv").exits(10);
    assert!(said.stdout.contains("is in a newer roster"), "{said}");
    assert_eq!(enrolled(&env), ids(1..=6));
    let _ = night(&env, &file(1..=5), "").ok().mentions("1 missing");
}

#[test]
fn a_plans_roster_is_remembered_though_the_clock_was_set_forward_before_it_was_made() {
    let env = Env::sandbox();
    let _ = night(&env, &file(1..=6), "").ok();
    let _ = night(&env, &file(1..=5), "").ok();
    journal(&env, &format!("UPDATE synced SET synced = synced + {DAY}"));
    let _ = night(&env, &file(1..=4), "--plan plan.ndjson").ok().mentions("1 would leave, 1 missing");
    let _ = env.line("testtakers apply plan.ndjson --expect 1").ok().mentions("1 removed");
    let _ = night(&env, &file(1..=4), "").ok().mentions("same content as the last roster");
    assert_eq!(enrolled(&env), ids(1..=5));
}

#[cfg(target_os = "linux")]
#[test]
fn a_plan_is_too_old_by_the_clock_of_the_boot() {
    let env = planned_and_back();
    journal(&env, &format!("UPDATE holds SET held = held - 8 * {DAY}"));
    let _ = env.line("testtakers apply plan.ndjson --expect 1").exits(10);
    let env = planned_and_back();
    journal(&env, &format!("UPDATE holds SET ticks = ticks - 8 * {DAY}"));
    let _ = env.line("testtakers apply plan.ndjson --expect 1").fails(5).mentions("more than seven days ago");
}
