//! The real program killed before each system call that reaches a disk or the service, and refused each of them once: the
//! same command, run again, comes to the same end.
//!
//! `cargo test` draws a few points by a seed that it prints; `ASSESSCTL_CRASH_SEED=N` draws the same ones again and
//! `ASSESSCTL_CRASH_POINTS=all` takes all of them, as `.ci/long` does; `ASSESSCTL_CRASH_ONLY='Error("EIO") pwrite64'` those
//! whose words begin so, and `ASSESSCTL_CRASH_SHARD=3/8` the third of eight parts: runs mostly wait, so parts run beside
//! each other.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::crash_calls::{Call, Files, Hit, Instead, Point, Traced, after_loading, traced};
use crate::crash_service::{Held, Service};
use crate::harness::{Env, Said, setting};
use crate::imports::records;
use crate::wire::PROJECT;
use crate::words;

/// Calls that read or change a disk, or talk to the service.
const CALLS: [&str; 30] = [
    "openat",
    "read",
    "pread64",
    "write",
    "pwrite64",
    "fsync",
    "fdatasync",
    "ftruncate",
    "fallocate",
    "lseek",
    "rename",
    "renameat",
    "renameat2",
    "link",
    "linkat",
    "unlink",
    "unlinkat",
    "mkdir",
    "mkdirat",
    "fchmod",
    "fchown",
    "flock",
    "close",
    "socket",
    "connect",
    "sendto",
    "sendmsg",
    "writev",
    "recvfrom",
    "recvmsg",
];
/// What a disk or a network answers to any of them.
const ERRORS: [&str; 3] = ["EIO", "ENOSPC", "EINTR"];
/// Rows of the roster.
const ROWS: usize = 6;
/// Points of each command that the daily tests take: kills, and errors.
const DRAWN: [usize; 2] = [5, 4];
const IMPORT: &str = "testtakers import people.csv --settle 400ms --concurrency 2 -o csv";
const SYNC: &str = "testtakers sync --roster-interval 0s --settle 400ms --concurrency 2 -o csv";
const ROSTER: &str = "people.csv";

/// A command that is disturbed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Subject {
    Import,
    Remove,
    Update,
    Undo,
    Sync,
}

impl Subject {
    fn line(self) -> String {
        match self {
            Self::Import => format!("{IMPORT} --with-links links.csv --report report.csv"),
            Self::Remove => "testtakers remove --file leavers.csv --yes -o csv".to_owned(),
            Self::Update => "testtakers update --file new.csv -o csv".to_owned(),
            Self::Undo => format!("journal undo {ROSTER} --yes"),
            Self::Sync => format!("{SYNC} third.csv"),
        }
    }
}

/// A service and a machine, as they are before each run.
struct Stage {
    subject: Subject,
    service: Service,
    env: Env,
    files: Files,
    held: Held,
    args: Vec<String>,
}

impl Stage {
    fn new(subject: Subject) -> Self {
        let service = Service::start();
        let env = Env::at(&service.url).with("ASSESSCTL_PROJECT", PROJECT);
        for name in ["x", "y"] {
            let _theirs = service.held().enrol(&json!({"email": format!("{name}@elsewhere.example")}));
        }
        let mut roster = String::from("email,firstName,referenceId\n");
        for row in 0..ROWS {
            writeln!(roster, "p{row}@x.example,Name{row},R-{row}").expect("a string");
        }
        env.write(ROSTER, &roster);
        env.write("leavers.csv", "referenceId\nR-0\nR-2\nR-4\n");
        env.write("new.csv", "referenceId,firstName,lastName\nR-1,Una,Day\nR-3,Name3,Night\nR-5,Uwe,\n");
        if subject == Subject::Sync {
            // One joins, one has another name, and one was missing before.
            let lines: Vec<&str> = roster_lines(&roster);
            env.write("second.csv", lines[..=5].concat());
            let third = format!("{}p6@x.example,Name6,R-6\n", lines[..=5].concat());
            env.write("third.csv", third.replace("Name1", "Una"));
            for night in [ROSTER, "second.csv"] {
                let _ = env.line(&format!("{SYNC} {night}")).ok();
            }
        } else if subject == Subject::Import {
            // A journal that exists, and a list that was read.
            let _ = env.line(&format!("{IMPORT} --dry-run")).ok();
        } else {
            let _ = env.line(IMPORT).ok();
        }
        let (files, held) = (Files::of(&env), service.held().clone());
        Self { subject, files, held, args: words::split(&subject.line()), service, env }
    }

    /// Everything as it was before the command.
    fn put_back(&self) {
        self.files.put_back();
        *self.service.held() = self.held.clone();
    }

    fn traced(&self, point: Option<&Point>) -> Option<Traced> {
        traced(&self.env, &self.args, &CALLS, point)
    }

    /// What the command did is whole, and what it says of it true.
    fn check(&self, said: &Said, at: &str) {
        let held = self.service.held().clone();
        let ids = |left: &[usize]| {
            let ours = left.iter().map(|row| format!("R-{row}"));
            ["", ""].map(str::to_owned).into_iter().chain(ours).collect::<Vec<_>>()
        };
        let outcomes = |text: &str| records(text).iter().map(|row| text_of(row, "outcome")).collect::<Vec<_>>();
        match self.subject {
            Subject::Import => {
                assert_eq!(held.all("referenceId"), ids(&[0, 1, 2, 3, 4, 5]), "{at}\n{said}");
                let report = self.env.read("report.csv");
                assert_eq!(outcomes(&report), vec!["enrolled"; ROWS], "{at}\n{said}\n{report}");
                assert_eq!(outcomes(&said.stdout), vec!["enrolled"; ROWS], "{at}\n{said}");
                let filed = self.filed_links();
                let working = held.links.iter().map(|(entry, links)| (*entry, links.last().expect("a link").clone()));
                assert_eq!(filed, working.collect(), "{at}\n{said}");
                assert_eq!(filed.len(), ROWS, "{at}\n{said}");
            }
            Subject::Remove => {
                assert_eq!(held.all("referenceId"), ids(&[1, 3, 5]), "{at}\n{said}");
                assert_eq!(outcomes(&said.stdout), ["removed"; 3], "{at}\n{said}");
            }
            Subject::Update => {
                let names = ["", "", "Name0", "Name2", "Name3", "Name4", "Una", "Uwe"];
                assert_eq!(held.all("firstName"), names, "{at}\n{said}");
                assert_eq!(held.all("lastName"), ["", "", "", "", "", "", "Day", "Night"], "{at}\n{said}");
                let ended = outcomes(&said.stdout);
                assert_eq!(ended.len(), 3, "{at}\n{said}");
                assert!(ended.iter().all(|end| end == "updated" || end == "existing"), "{at}\n{said}");
            }
            Subject::Undo => assert_eq!(held.all("referenceId"), ids(&[]), "{at}\n{said}"),
            Subject::Sync => {
                assert_eq!(held.all("referenceId"), ids(&[0, 1, 2, 3, 4, 6]), "{at}\n{said}");
                let names = ["", "", "Name0", "Name2", "Name3", "Name4", "Name6", "Una"];
                assert_eq!(held.all("firstName"), names, "{at}\n{said}");
            }
        }
    }

    /// The links of the file, the last one of each entry. A row that has no end yet is none.
    fn filed_links(&self) -> BTreeMap<i64, String> {
        let text = std::fs::read_to_string(self.env.work().join("links.csv")).unwrap_or_default();
        let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
        if whole.is_empty() {
            return BTreeMap::new();
        }
        let rows = records(whole);
        rows.iter()
            .filter_map(|row| Some((text_of(row, "projectEntryId").parse().ok()?, text_of(row, "url"))))
            .collect()
    }

    /// As [`disturb`](Self::disturb); `None` where it failed, so that a run tells of all points that do.
    fn try_disturb(&self, point: &Point) -> Option<bool> {
        let tried = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.disturb(point)));
        if tried.is_err() {
            println!("{:?}: another end with {:?} instead of {}", self.subject, point.instead, point.call.line);
        }
        tried.ok()
    }

    /// Runs the command with something in its way, then again; whether something was in its way.
    fn disturb(&self, point: &Point) -> bool {
        self.put_back();
        let at = format!("{:?}: {:?} instead of {}", self.subject, point.instead, point.call.line);
        let run = self.traced(Some(point)).expect("traced before");
        if run.hit == Hit::Internal {
            return false;
        }
        let said = Said { code: run.code.unwrap_or(-9), stdout: run.stdout, stderr: run.stderr };
        assert!(!said.stderr.contains("panicked") && said.code != 101, "{at}\n{said}");
        assert!(run.code.is_some() || point.instead == Instead::Kill, "{at}: it hangs\n{said}");
        if said.code == 0 {
            self.check(&said, &at);
        }
        let mut filed = self.filed_links();
        let working = self.service.held().links.clone();
        filed.retain(|entry, link| working.get(entry).and_then(|links| links.last()) == Some(link));
        self.continue_(&at);
        let links = self.service.held().links.clone();
        for (entry, link) in filed {
            assert_eq!(links.get(&entry).and_then(|links| links.last()), Some(&link), "{at}: voided\n{said}");
        }
        if matches!(self.subject, Subject::Remove | Subject::Undo) {
            // Who was removed by us comes back with the roster.
            let said = self.env.line(IMPORT);
            assert_eq!(said.code, 0, "{at}, imported again\n{said}");
            assert_eq!(self.service.held().people.len(), ROWS + 2, "{at}, imported again\n{said}");
        }
        run.hit == Hit::Call
    }

    fn continue_(&self, at: &str) {
        let said = self.env.run(&self.args);
        // Nobody is left to be removed.
        let is_over = said.code == 0 || (self.subject == Subject::Undo && said.code == 4);
        assert!(is_over, "{at}, then\n{said}");
        self.check(&said, &format!("{at}, then"));
    }
}

/// The header and the rows, each with its end.
fn roster_lines(roster: &str) -> Vec<&str> {
    roster.split_inclusive('\n').collect()
}

fn text_of(row: &Value, field: &str) -> String {
    row[field].as_str().unwrap_or_default().to_owned()
}

/// The points of a run: a kill before each call, and each error instead of it.
fn points(calls: &[Call]) -> [Vec<Point>; 2] {
    let of = |instead: Instead| calls.iter().map(move |call| Point { call: call.clone(), instead });
    let errors = ERRORS.iter().flat_map(|error| of(Instead::Error(error)));
    [of(Instead::Kill).collect(), errors.filter(|point| !point.call.is_internal()).collect()]
}

fn comes_to_the_same_end(subject: Subject) {
    let stage = Stage::new(subject);
    let Some(whole) = stage.traced(None) else {
        println!("skipped: strace is not there, or may not trace");
        return;
    };
    let said = Said { code: whole.code.unwrap_or(-9), stdout: whole.stdout, stderr: whole.stderr }.ok();
    stage.check(&said, "undisturbed");
    let calls = after_loading(&stage.env, whole.calls);
    assert!(calls.len() > 40, "{} calls", calls.len());
    let seed = setting("ASSESSCTL_CRASH_SEED").map_or_else(|| fastrand::u64(..), |seed| seed.parse().expect("a seed"));
    let all = setting("ASSESSCTL_CRASH_POINTS").is_some();
    let mut random = fastrand::Rng::with_seed(seed);
    for (mut points, drawn) in points(&calls).into_iter().zip(DRAWN) {
        if let Some(only) = setting("ASSESSCTL_CRASH_ONLY") {
            points.retain(|point| format!("{:?} {}", point.instead, point.call.line).starts_with(&only));
        }
        if let Some(shard) = setting("ASSESSCTL_CRASH_SHARD") {
            points = shard_of(points, &shard);
        }
        let (there, kind) = (points.len(), points.first().map_or(Instead::Kill, |point| point.instead));
        if !all {
            random.shuffle(&mut points);
            points.truncate(drawn);
        }
        println!("{subject:?}: {} of {there} points ({kind:?}), ASSESSCTL_CRASH_SEED={seed}", points.len());
        let tried: Vec<Option<bool>> = points.iter().map(|point| stage.try_disturb(point)).collect();
        let (hit, failed) =
            (tried.iter().filter(|hit| **hit == Some(true)).count(), tried.iter().filter(|hit| hit.is_none()).count());
        println!("{subject:?}: {hit} of {} were reached, {failed} came to another end", points.len());
        assert_eq!(failed, 0, "{failed} of {} points came to another end, seed {seed}", points.len());
        assert!(hit * 2 >= points.len(), "{hit} of {} points were reached, seed {seed}", points.len());
    }
}

/// Part `3/8` of the points: the third of every eight.
fn shard_of(points: Vec<Point>, shard: &str) -> Vec<Point> {
    let (part, of) = shard.split_once('/').expect("PART/PARTS");
    let (part, of): (usize, usize) = (part.parse().expect("a number"), of.parse().expect("a number"));
    assert!((1..=of).contains(&part), "there is no part {part} of {of}");
    points.into_iter().skip(part - 1).step_by(of).collect()
}

#[test]
fn an_import_with_links_that_is_killed_or_refused_at_any_call_is_finished_by_the_next_run() {
    comes_to_the_same_end(Subject::Import);
}

#[test]
fn a_removal_that_is_killed_or_refused_at_any_call_is_finished_by_the_next_run() {
    comes_to_the_same_end(Subject::Remove);
}

#[test]
fn an_update_that_is_killed_or_refused_at_any_call_is_finished_by_the_next_run() {
    comes_to_the_same_end(Subject::Update);
}

#[test]
fn an_undo_that_is_killed_or_refused_at_any_call_is_finished_by_the_next_run() {
    comes_to_the_same_end(Subject::Undo);
}

#[test]
fn a_sync_that_is_killed_or_refused_at_any_call_is_finished_by_the_next_run() {
    comes_to_the_same_end(Subject::Sync);
}
