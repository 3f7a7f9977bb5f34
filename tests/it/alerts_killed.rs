//! A run of `results changes` that is killed at any call of its end: its alert is told again until it counts as told.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use crate::alerts::{WATCH, at, person};
use crate::harness::{Env, PROGRAM};

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

/// The program under strace; `None` where that is not there or may not trace.
fn traced(env: &Env, trace: &Path, inject: Option<(&str, usize)>) -> Option<ExitStatus> {
    let mut strace = Command::new("strace");
    strace.arg("-f").arg("-o").arg(trace);
    if let Some((name, nth)) = inject {
        strace.arg("-e").arg(format!("inject={name}:signal=KILL:when={nth}"));
    }
    strace.arg(PROGRAM).args(WATCH.split(' ')).args(["--to", "a.csv"]);
    strace.env_clear().envs(env.vars().iter().map(|(name, value)| (name, value))).current_dir(env.work());
    let status = strace.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().ok()?;
    fs::read_to_string(trace).is_ok_and(|text| text.contains("execve(")).then_some(status)
}

/// The calls of a trace: name and the whole line.
fn calls(trace: &Path) -> Vec<(String, String)> {
    let text = fs::read_to_string(trace).expect("a trace");
    let call = |line: &str| {
        let rest = line.split_once(' ')?.1.trim_start();
        let name = rest.split_once('(')?.0;
        name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_').then(|| (name.to_owned(), rest.to_owned()))
    };
    text.lines().filter_map(call).collect()
}

/// Where the end of a run begins: when the file is in its place.
fn renamed(calls: &[(String, String)]) -> Option<usize> {
    calls.iter().rposition(|(name, line)| name.starts_with("rename") && line.contains("a.csv"))
}

/// Writes to the journal's log after the file was in its place; the last of them makes the alert count as told.
fn commits(calls: &[(String, String)]) -> usize {
    let Some(renamed) = renamed(calls) else { return 0 };
    calls[renamed..].iter().filter(|(name, line)| name == "pwrite64" && !line.ends_with("= ?")).count()
}

/// A journal in which nobody stands at a watched result, put back before each run.
struct Before {
    state: PathBuf,
    files: Vec<(PathBuf, Vec<u8>)>,
}

impl Before {
    fn of(env: &Env) -> Self {
        let state = env.work().parent().expect("a folder").join("state");
        let entries = fs::read_dir(&state).expect("a folder").map(|entry| entry.expect("an entry").path());
        let files = entries.filter(|path| path.is_file()).map(|path| (path.clone(), fs::read(&path).expect("a file")));
        Self { files: files.collect(), state }
    }

    fn put_back(&self) {
        for entry in fs::read_dir(&self.state).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_file() {
                fs::remove_file(path).expect("removed");
            }
        }
        for (path, bytes) in &self.files {
            fs::write(path, bytes).expect("written");
            crate::harness::owner_only(path);
        }
    }
}

#[test]
fn an_alert_is_told_again_after_a_kill_at_every_call_up_to_the_one_that_counts() {
    let (env, people, _socket) = at(serde_json::json!([person(1, "Started", None), person(2, "Started", None)]));
    let _ = env.line(WATCH).ok();
    let before = Before::of(&env);
    people.set(serde_json::json!([person(1, "HighRisk", None), person(2, "Started", None)]));
    let trace = env.work().join("trace");
    let Some(status) = traced(&env, &trace, None) else {
        println!("skipped: strace is not there, or may not trace");
        return;
    };
    assert_eq!(status.code(), Some(8));
    let whole = calls(&trace);
    let (begin, last) = (renamed(&whole).expect("the file was put in its place"), commits(&whole));
    let counts = whole.iter().rposition(|(name, _)| name == "pwrite64").expect("a commit");
    for (name, line) in &whole[counts + 1..] {
        let waits = WAITING.contains(&name.as_str()) || line.contains("FUTEX_WAIT") || line.contains("F_SETLKW");
        assert!(!waits, "{line} follows what makes the alert count as told");
    }
    let (mut killed, mut again) = (0, 0);
    for at in begin..whole.len() {
        let name = whole[at].0.as_str();
        if name == "exit_group" {
            continue;
        }
        before.put_back();
        let nth = whole[..=at].iter().filter(|(other, _)| other == name).count();
        let status = traced(&env, &trace, Some((name, nth))).expect("traced before");
        let counted = commits(&calls(&trace)) == last;
        killed += usize::from(status.code() != Some(8));
        let said = env.line(&format!("{WATCH} --to a.csv"));
        if counted {
            continue;
        }
        again += 1;
        assert_eq!(said.code, 8, "killed at {}: {said}", whole[at].1);
        assert!(env.read("a.csv").contains("HighRisk"), "killed at {}", whole[at].1);
    }
    assert!(killed > 20 && again > 15, "{killed} runs were killed, and {again} told again");
}

#[test]
fn a_file_that_tells_of_an_alert_is_not_emptied_after_a_kill() {
    let (env, people, _socket) = at(serde_json::json!([person(1, "Started", None)]));
    let _ = env.line(WATCH).ok();
    people.one("HighRisk", None);
    let trace = env.work().join("trace");
    let before = Before::of(&env);
    if traced(&env, &trace, None).is_none() {
        println!("skipped: strace is not there, or may not trace");
        return;
    }
    let whole = calls(&trace);
    let (begin, pwrite) = (renamed(&whole).expect("a file"), |(name, _): &&(String, String)| name == "pwrite64");
    let nth = whole[..begin].iter().filter(pwrite).count() + 1;
    before.put_back();
    let _ = traced(&env, &trace, Some(("pwrite64", nth)));
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
