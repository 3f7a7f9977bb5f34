//! The story of an export that cron runs: lists that move, answers that fail, kills, full disks and overlapping starts.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Stdio};

use crate::exports::served;
use crate::harness::{Env, PROGRAM, finish};

/// Exports of a list that moves; the claim is made of many more than a test has time for.
const MOVING: usize = 12;
/// Rounds of the story.
const ROUNDS: usize = 100;
const PEOPLE: usize = 450;

fn ids(text: &str) -> BTreeSet<u32> {
    let id = |line: &str| line.split(',').next().and_then(|id| id.parse().ok());
    text.lines().skip(1).map(|line| id(line).unwrap_or_else(|| panic!("no whole line: {line:?}"))).collect()
}

/// A whole export: a header, and lines that each have all fields.
fn is_whole(text: &str) -> bool {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    text.starts_with("id,email,") && text.ends_with('\n') && reader.records().all(|row| row.is_ok())
}

#[test]
fn no_export_that_ends_well_lacks_somebody_who_was_there_throughout() {
    let faults = ["--fault", "move@list-results:share=0.15,seed=7", "--fault", "503@list-results:share=0.02,seed=3"];
    let (env, _served) = served(PEOPLE, &faults);
    // The embedded service reads the same state, without faults.
    let present = || ids(&env.line("--profile sandbox results list -p Demo -o csv --fields id -q").ok().stdout);
    let mut good = 0;
    for round in 0..MOVING {
        let before = present();
        let said = env.line("results export --to moving.csv");
        let after = present();
        if said.code == 0 {
            good += 1;
            let exported = ids(&env.read("moving.csv"));
            let missing: Vec<_> = before.intersection(&after).filter(|id| !exported.contains(id)).collect();
            assert!(missing.is_empty(), "round {round}: {missing:?}");
        } else {
            assert_eq!(said.code, 7, "{said}");
        }
    }
    // At these rates 95 of 100 end well; of so few one may not.
    assert!(good + 1 >= MOVING * 95 / 100, "{good} of {MOVING}");
}

#[cfg(unix)]
#[test]
fn whatever_happens_to_a_run_the_file_is_whole_and_was_once_true() {
    let faults = [
        "--fault",
        "503@list-results:share=0.04,seed=5,retry-after=0",
        "--fault",
        "close-before@list-results:share=0.02,seed=6",
        "--fault",
        "truncate@list-results:share=0.02,seed=9",
    ];
    let (env, _served) = served(PEOPLE, &faults);
    let (mut written, mut tried) = (0, 0);
    for round in 0..ROUNDS {
        let previous = fs::read_to_string(env.work().join("results.csv")).ok();
        match round % 4 {
            1 => killed(&env, round),
            2 => with_a_full_disk(&env),
            3 => overlapping(&env),
            _ => {
                tried += 1;
                let said = env.line("results export --to results.csv");
                assert!([0, 6].contains(&said.code), "{said}");
                written += usize::from(said.code == 0);
            }
        }
        let now = fs::read_to_string(env.work().join("results.csv")).ok();
        if let Some(text) = &now {
            assert!(is_whole(text), "round {round}: {text}");
            assert_eq!(ids(text).len(), PEOPLE, "round {round}");
        }
        assert!(previous.is_none() || now.is_some(), "round {round}: the file is gone");
    }
    assert!(written + 1 >= tried * 9 / 10, "{written} of {tried}");
    // Whoever was killed left its half file behind; whoever came later swept it away.
    while env.line("results export --to results.csv").code != 0 {}
    let entries = fs::read_dir(env.work()).expect("a folder");
    let names: Vec<String> = entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into()).collect();
    assert!(!names.iter().any(|name| name.starts_with(".assessctl-")), "{names:?}");
}

/// A run that is killed after a while; whatever it left behind, the next one works.
fn killed(env: &Env, round: usize) {
    let mut child = env.command(&["results", "export", "--to", "results.csv"]).spawn().expect("started");
    // The kill comes at another moment of the run each time, counted in looks at it instead of a clock's time.
    for _ in 0..round * 3000 {
        if child.try_wait().expect("a child").is_some() {
            break;
        }
        std::thread::yield_now();
    }
    // It may have ended by itself.
    let _ = child.kill();
    let _ = child.wait();
}

/// A run whose files may not grow beyond a few KiB, which is what a full disk looks like.
fn with_a_full_disk(env: &Env) {
    let previous = fs::read(env.work().join("results.csv")).ok();
    let script = format!("trap '' XFSZ; ulimit -f 16; exec '{PROGRAM}' results export --to results.csv");
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).env_clear().current_dir(env.work()).stdin(Stdio::null());
    shell.envs(env.vars().iter().map(|(name, value)| (name, value))).stdout(Stdio::piped()).stderr(Stdio::piped());
    let said = finish(shell.spawn().expect("sh"), b"").fails(1);
    assert!(said.stderr.contains("File too large") || said.stderr.contains("full"), "{said}");
    assert_eq!(fs::read(env.work().join("results.csv")).ok(), previous);
}

/// Two runs that start at the same time: one writes, the other says that it is locked out, or came after it.
fn overlapping(env: &Env) {
    let start = || env.command(&["results", "export", "--to", "results.csv"]).spawn().expect("started");
    let codes = [start(), start()].map(|child| finish(child, b"").code);
    assert!(codes.iter().all(|code| [0, 6, 9].contains(code)), "{codes:?}");
}
