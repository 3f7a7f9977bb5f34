//! A run of `results changes` that is killed at any call of its end: its alert is told again until it counts as told.

use crate::alerts::{WATCH, at, person};
use crate::crash_calls::{Call, Files, Instead, Point, Traced, traced};
use crate::harness::Env;

/// Calls that may take as long as they like: none of them follows the one that makes an alert count as told.
const WAITING: [&str; 16] = [
    "fsync",
    "fdatasync",
    "sync_file_range",
    "msync",
    "poll",
    "ppoll",
    "epoll_wait",
    "epoll_pwait",
    "connect",
    "sendto",
    "recvfrom",
    "flock",
    "nanosleep",
    "clock_nanosleep",
    "write",
    "wait4",
];

/// The watching program under strace, killed before a call where one is named; `None` where strace is not there.
fn watching(env: &Env, killed_at: Option<&Call>) -> Option<Traced> {
    let args: Vec<&str> = WATCH.split(' ').chain(["--to", "a.csv"]).collect();
    let point = killed_at.map(|call| Point { call: call.clone(), instead: Instead::Kill });
    traced(env, &args, &[], point.as_ref())
}

/// Where the end of a run begins: when the file is in its place.
fn renamed(calls: &[Call]) -> Option<usize> {
    calls.iter().rposition(|call| call.name.starts_with("rename") && call.line.contains("a.csv"))
}

/// Writes to the journal's log after the file was in its place; the last of them makes the alert count as told.
fn commits(calls: &[Call]) -> usize {
    let Some(renamed) = renamed(calls) else { return 0 };
    calls[renamed..].iter().filter(|call| call.name == "pwrite64" && !call.line.ends_with("= ?")).count()
}

#[test]
fn an_alert_is_told_again_after_a_kill_at_every_call_up_to_the_one_that_counts() {
    let (env, people, _socket) = at(serde_json::json!([person(1, "Started", None), person(2, "Started", None)]));
    let _ = env.line(WATCH).ok();
    let before = Files::of(&env);
    people.set(serde_json::json!([person(1, "HighRisk", None), person(2, "Started", None)]));
    let Some(run) = watching(&env, None) else {
        println!("skipped: strace is not there, or may not trace");
        return;
    };
    assert_eq!(run.code, Some(8));
    let whole = run.calls;
    let (begin, last) = (renamed(&whole).expect("the file was put in its place"), commits(&whole));
    let counts = whole.iter().rposition(|call| call.name == "pwrite64").expect("a commit");
    for Call { name, line, .. } in &whole[counts + 1..] {
        let waits = WAITING.contains(&name.as_str()) || line.contains("FUTEX_WAIT") || line.contains("F_SETLKW");
        assert!(!waits, "{line} follows what makes the alert count as told");
    }
    let (mut killed, mut again) = (0, 0);
    for call in &whole[begin..] {
        if call.name == "exit_group" {
            continue;
        }
        before.put_back();
        let run = watching(&env, Some(call)).expect("traced before");
        let counted = commits(&run.calls) == last;
        killed += usize::from(run.code != Some(8));
        let said = env.line(&format!("{WATCH} --to a.csv"));
        if counted {
            continue;
        }
        again += 1;
        assert_eq!(said.code, 8, "killed at {}: {said}", call.line);
        assert!(env.read("a.csv").contains("HighRisk"), "killed at {}", call.line);
    }
    assert!(killed > 20 && again > 15, "{killed} runs were killed, and {again} told again");
}

#[test]
fn a_file_that_tells_of_an_alert_is_not_emptied_after_a_kill() {
    let (env, people, _socket) = at(serde_json::json!([person(1, "Started", None)]));
    let _ = env.line(WATCH).ok();
    people.one("HighRisk", None);
    let before = Files::of(&env);
    let Some(run) = watching(&env, None) else {
        println!("skipped: strace is not there, or may not trace");
        return;
    };
    let begin = renamed(&run.calls).expect("a file");
    let first_write = run.calls[begin..].iter().find(|call| call.name == "pwrite64").expect("a write to the journal");
    before.put_back();
    let _ = watching(&env, Some(first_write));
    let alert = env.read("a.csv");
    assert!(alert.contains("HighRisk"), "{alert}");
    // Better now: the alert stands nowhere but in the file.
    people.one("Completed", None);
    let said = env.line(&format!("{WATCH} --to a.csv")).exits(8);
    assert!(said.stderr.contains("a.csv stays as it is: it tells of 1 alert"), "{said}");
    assert_eq!(env.read("a.csv"), alert);
    let _ = env.line(&format!("{WATCH} --to a.csv")).ok();
    assert!(env.read("a.csv").contains("Completed"), "{}", env.read("a.csv"));
}
