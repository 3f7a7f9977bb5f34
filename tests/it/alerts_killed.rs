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

/// Where a run tells its alert.
#[derive(Clone, Copy, Debug, PartialEq)]
enum To {
    /// The file of `--to`.
    File,
    /// Standard output, a pipe that is read to its end.
    Pipe,
}

impl To {
    fn arguments(self) -> &'static [&'static str] {
        if self == Self::File { &["--to", "a.csv"] } else { &[] }
    }

    /// The watching program under strace, killed before a call where one is named; `None` where strace is not there.
    fn watching(self, env: &Env, killed_at: Option<&Call>) -> Option<Traced> {
        let args: Vec<&str> = WATCH.split(' ').chain(self.arguments().iter().copied()).collect();
        let point = killed_at.map(|call| Point { call: call.clone(), instead: Instead::Kill });
        traced(env, &args, &[], point.as_ref())
    }

    /// Where the end of a run begins: when the file is in its place, or with the first byte in the pipe.
    fn begins(self, calls: &[Call]) -> Option<usize> {
        let is_first = |call: &Call| match self {
            Self::File => call.name.starts_with("rename") && call.line.contains("a.csv"),
            Self::Pipe => call.line.starts_with("write(1<"),
        };
        calls.iter().position(is_first)
    }

    /// Writes to the journal's log after that; the last of them makes the alert count as told.
    fn commits(self, calls: &[Call]) -> usize {
        let Some(begin) = self.begins(calls) else { return 0 };
        calls[begin..].iter().filter(|call| call.name == "pwrite64" && !call.line.ends_with("= ?")).count()
    }
}

/// Kills a run at each of its last calls, and expects the next run to tell the alert again, up to the call that makes it
/// count as told. Says how many runs were killed, and how many told again; `None` where nothing can be traced.
fn killed_everywhere(to: To) -> Option<(usize, usize)> {
    let (env, people, _socket) = at(serde_json::json!([person(1, "Started", None), person(2, "Started", None)]));
    let _ = env.line(WATCH).ok();
    let before = Files::of(&env);
    people.set(serde_json::json!([person(1, "HighRisk", None), person(2, "Started", None)]));
    let run = to.watching(&env, None)?;
    assert_eq!(run.code, Some(8));
    let whole = run.calls;
    let (begin, last) = (to.begins(&whole).expect("something was told"), to.commits(&whole));
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
        let run = to.watching(&env, Some(call)).expect("traced before");
        let counted = to.commits(&run.calls) == last;
        killed += usize::from(run.code != Some(8));
        let said = env.line(&format!("{WATCH} {}", to.arguments().join(" ")));
        if counted {
            continue;
        }
        again += 1;
        assert_eq!(said.code, 8, "killed at {}: {said}", call.line);
        let told = if to == To::File { env.read("a.csv") } else { said.stdout };
        assert!(told.contains("HighRisk"), "killed at {}", call.line);
    }
    Some((killed, again))
}

#[test]
fn an_alert_is_told_again_after_a_kill_at_every_call_up_to_the_one_that_counts() {
    for (to, least) in [(To::File, (20, 15)), (To::Pipe, (10, 5))] {
        let Some((killed, again)) = killed_everywhere(to) else {
            println!("skipped: strace is not there, or may not trace");
            return;
        };
        println!("{to:?}: {killed} runs were killed, and {again} told again");
        assert!(killed > least.0 && again > least.1, "{to:?}: {killed} runs were killed, and {again} told again");
    }
}

#[test]
fn a_file_that_tells_of_an_alert_is_not_emptied_after_a_kill() {
    let (env, people, _socket) = at(serde_json::json!([person(1, "Started", None)]));
    let _ = env.line(WATCH).ok();
    people.one("HighRisk", None);
    let before = Files::of(&env);
    let Some(run) = To::File.watching(&env, None) else {
        println!("skipped: strace is not there, or may not trace");
        return;
    };
    let begin = To::File.begins(&run.calls).expect("a file");
    let first_write = run.calls[begin..].iter().find(|call| call.name == "pwrite64").expect("a write to the journal");
    before.put_back();
    let _ = To::File.watching(&env, Some(first_write));
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
