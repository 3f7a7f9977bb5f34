//! What this machine remembers: taken back, shown, forgotten without a trace, and refused where it cannot be relied on.

use std::path::PathBuf;

use serde_json::json;

use crate::import::{each_once, end_of, import, machine, outcomes, records, roster};
use crate::support::env::{Env, KEY, PATIENCE, mode, words};
use crate::support::service::{Op, Service, Trouble, When, gate};
use crate::support::shell;
use crate::support::wire::PROJECT;
use crate::support::workspace::person;

/// Files of the state folder.
fn files(env: &Env) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(env.place("state")).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<_> = entries.collect();
    files.sort();
    files
}

/// Whether any file of the state folder has one of these in it.
fn remembers(env: &Env, texts: &[Vec<u8>]) -> bool {
    let has = |bytes: &[u8], text: &[u8]| bytes.windows(text.len()).any(|part| part == text);
    files(env).iter().any(|file| {
        let bytes = std::fs::read(file).expect("a file");
        texts.iter().any(|text| has(&bytes, text))
    })
}

/// Four people: one was there before, one whose answer was lost was found, and two were answered.
fn imported() -> (Service, Env) {
    let service = Service::start().on(Op::Enrol, When::Nth(1), Trouble::CloseAfter);
    let mut before = person(1);
    (before["email"], before["referenceId"]) = (json!("n4@example.com"), json!("NEW-4"));
    let service = service.of([before]);
    let env = machine(&service, roster(4));
    let said = import(&env, "--concurrency 1").ok();
    assert_eq!(outcomes(&said.stdout), ["enrolled", "enrolled", "enrolled", "existing"], "{said}");
    (service, env)
}

#[test]
fn undo_removes_whose_creation_was_answered_and_nobody_else() {
    let (service, env) = imported();
    let undo = "journal undo people.csv -o csv";
    let _ = env.line(undo).fails(2);
    let ends = |line: &str| outcomes(&env.line(line).ok().stdout);
    assert_eq!(ends(&format!("{undo} --dry-run")), ["existing", "would-remove", "would-remove", "existing"]);
    assert_eq!(service.count(Op::Remove), 0);
    assert_eq!(ends(&format!("{undo} --yes")), ["existing", "removed", "removed", "existing"]);
    assert_eq!(crate::import::held(&service, "referenceId"), ["NEW-1", "NEW-4"]);
    // Whoever was removed is nobody of ours any more.
    assert_eq!(ends(&format!("{undo} --yes")), ["existing"; 4]);
    assert_eq!(service.count(Op::Remove), 2);
    let _ = import(&env, "").ok();
    each_once(&service, 4, "after an undo");
    // Where nobody is known to be ours, nobody is asked about.
    let lost = Service::start().on(Op::Enrol, When::Always, Trouble::CloseBefore);
    let env = machine(&lost, roster(2));
    let _ = import(&env, "--no-wait").exits(7);
    assert_eq!(outcomes(&env.line(undo).exits(7).stdout), ["in-doubt", "in-doubt"]);
}

#[test]
fn what_is_known_of_each_row_is_shown() {
    let service = Service::start().on(Op::Enrol, When::Nth(2), Trouble::CloseBefore);
    let env = machine(&service, roster(3));
    let _ = import(&env, "--concurrency 1 --no-wait").exits(7);
    let _ = env.line("testtakers remove NEW-3 --yes").ok();
    env.write("people.csv", roster(4));
    let states = |line: &str| -> Vec<String> {
        records(&env.line(line).ok().stdout).into_iter().map(|mut row| row.remove("state").expect("a state")).collect()
    };
    assert_eq!(states("journal show people.csv -o csv"), ["enrolled", "in-doubt", "removed", ""]);
    assert_eq!(env.line("journal show -q").data().lines().count(), 2, "whoever is in doubt has no entry");
    let mut all = states("journal show -o csv");
    all.sort();
    assert_eq!(all, ["enrolled", "in-doubt", "removed"]);
    let known = &env.line("journal list -o json").json()[0];
    assert_eq!((&known["projectId"], &known["inDoubt"]), (&json!(PROJECT), &json!(1)));
    assert_eq!((&known["enrolled"], &known["removed"]), (&json!(1), &json!(1)));
    // Whoever looks makes nothing.
    let fresh = Env::at(&service.url).with("ASSESSCTL_PROJECT", PROJECT);
    fresh.write("people.csv", roster(1));
    let _ = (fresh.line("journal list").data(), fresh.line("journal show people.csv").data());
    assert!(!fresh.place("state/journal.db").exists());
}

/// A machine that remembers people, rosters and told results, and texts that stand for them in its files.
fn with_memory() -> (Service, Env, Vec<Vec<u8>>) {
    let mut odd = person(1);
    odd["result"] = json!("Unheardof");
    let service = Service::start().of([odd]);
    let env = machine(&service, roster(3));
    let said = import(&env, "").ok();
    let _ = env.line("testtakers sync people.csv").ok();
    let _ = env.line("results changes --as cron -o csv").ok();
    let id = |row: &std::collections::BTreeMap<String, String>| {
        let id: uuid::Uuid = row["enrolmentId"].parse().expect("an enrolment id");
        id.as_bytes().to_vec()
    };
    let mut texts: Vec<_> = records(&said.stdout).iter().map(id).collect();
    texts.push(b"Unheardof".to_vec());
    for text in &texts {
        assert!(remembers(&env, std::slice::from_ref(text)), "it stood there");
    }
    (service, env, texts)
}

#[test]
fn what_is_forgotten_leaves_no_byte() {
    for line in [
        "journal forget -p 'Night shift north'",
        "journal forget --all",
        "journal forget --all --older-than 2999-01-01",
    ] {
        let (service, env, texts) = with_memory();
        let _ = env.line(line).fails(2);
        let _ = env.line("journal forget --all --older-than 1h --yes").ok();
        assert!(remembers(&env, &texts), "nothing is that old");
        let _ = env.line("journal forget --source nobody --all --yes").ok();
        assert!(remembers(&env, &texts), "nor of that source");
        let _ = env.line(&format!("{line} --yes")).ok();
        assert!(!remembers(&env, &texts), "{line}");
        assert_eq!(env.line("journal list -o json").json(), json!([]));
        // Who was enrolled from here counts as there before, and is not enrolled again.
        assert_eq!(outcomes(&import(&env, "").ok().stdout), ["existing"; 3]);
        assert_eq!(service.count(Op::Enrol), 3);
        assert_eq!(env.line("results changes --as cron -o csv").ok().stdout.matches("alert,").count(), 1);
    }
    let _ = with_memory().1.line("journal forget").fails(2);
}

#[test]
fn nobody_in_doubt_is_forgotten() {
    let service = Service::start().on(Op::Enrol, When::Nth(1), Trouble::CloseBefore);
    let env = machine(&service, roster(3));
    let long = "testtakers import people.csv -o csv --settle 10m --no-wait --concurrency 1";
    let _ = env.line(long).exits(7);
    for extent in ["--all", "--all --older-than 2999-01-01", "-p 'Night shift north'"] {
        let _ = env.line(&format!("journal forget {extent} --yes")).ok();
        assert_eq!(outcomes(&env.line(long).exits(7).stdout), ["in-doubt", "existing", "existing"], "{extent}");
    }
    assert_eq!((service.count(Op::Enrol), &env.line("journal list -o json").json()[0]["inDoubt"]), (3, &json!(1)));
}

#[test]
fn with_a_journal_that_cannot_be_relied_on_nothing_is_sent_and_nothing_is_made_anew() {
    type Harm = fn(&Env);
    fn place(env: &Env, name: &str) -> PathBuf {
        env.place("state").join(name)
    }
    fn remove(env: &Env, name: &str) {
        std::fs::remove_file(place(env, name)).expect("a file");
    }
    let service = Service::start().with_people(1);
    let harms: [(&str, i32, Harm); 9] = [
        ("no key", 1, |env| remove(env, "journal.key")),
        ("no journal", 1, |env| remove(env, "journal.db")),
        ("an empty journal", 1, |env| drop(env.write("../state/journal.db", ""))),
        ("a broken key", 1, |env| drop(env.write("../state/journal.key", "short\n"))),
        ("another key", 1, |env| drop(env.write("../state/journal.key", "0".repeat(64)))),
        ("a key that others can read", 2, |env| mode(&place(env, "journal.key"), 0o640)),
        ("no database", 1, |env| drop(env.write("../state/journal.db", "no database".repeat(500)))),
        ("another version", 1, |env| {
            let mut bytes = std::fs::read(place(env, "journal.db")).expect("a journal");
            // Where SQLite's header has the version that a program gives its tables.
            bytes[63] += 1;
            drop(env.write("../state/journal.db", bytes));
        }),
        ("an open folder", 2, |env| mode(&env.place("state"), 0o755)),
    ];
    for (what, code, harm) in harms {
        let env = machine(&service, roster(1));
        let _ = env.line("journal forget --all --yes").ok();
        harm(&env);
        let (before, asked) = (files(&env), service.writes().len());
        for line in [
            "testtakers import people.csv",
            "testtakers sync people.csv",
            "testtakers remove EMP-00001 --yes",
            "journal forget --all --yes",
            "results changes --as cron",
        ] {
            let said = env.line(line).fails(code);
            assert!(said.stderr.contains("hint: "), "{what}, {line}: {said}");
        }
        let seen = env.line("doctor").exits(code).stdout;
        assert!(
            seen.lines().any(|line| line.starts_with("problem  journal") || line.starts_with("problem  state")),
            "{seen}"
        );
        // SQLite's own files beside a journal that is looked at are no memory, and neither are locks.
        let is_memory = |file: &PathBuf| {
            let name = file.display().to_string();
            !name.contains("journal.db-") && !name.contains(".lock")
        };
        let known = |files: Vec<PathBuf>| -> Vec<_> { files.into_iter().filter(is_memory).collect() };
        assert_eq!((service.writes().len(), known(files(&env))), (asked, known(before)), "{what}");
    }
}

#[test]
fn a_profile_that_only_reads_takes_nothing_back_and_asks_nobody_before_it_says_so() {
    let service = Service::start().with_people(1);
    let env = machine(&service, roster(1));
    env.configure(&format!("[profiles.look]\nbase-url = \"{}\"\napi-key = \"{KEY}\"\nread-only = true\n", service.url));
    let env = env.without("ASSESSCTL_BASE_URL").without("ASSESSCTL_API_KEY").with("ASSESSCTL_PROFILE", "look");
    let asked = service.log().len();
    for line in ["journal undo people.csv --yes", "testtakers import people.csv", "links issue --all --to links.csv"] {
        let _ = env.line(line).fails(2);
    }
    assert_eq!(service.log().len(), asked);
}

#[test]
fn where_the_journal_cannot_grow_any_more_the_run_stops_and_the_next_one_goes_on() {
    let service = Service::start();
    let env = machine(&service, roster(400));
    let line = "testtakers import people.csv --settle 1s";
    let said = shell::run(&env, &format!("trap '' XFSZ; ulimit -f 128; exec assessctl {line}")).exits(1);
    assert!((1..400).contains(&service.held().people.len()), "{}: {said}", service.held().people.len());
    let _ = env.line(line).ok();
    each_once(&service, 400, "on a larger disk");
}

#[test]
fn whoever_looks_into_the_journal_takes_nothing_from_the_run_that_writes_it() {
    let (gate, waiting) = gate();
    let service = Service::start().on(Op::Enrol, When::Nth(3), Trouble::GateAfter(gate));
    let env = machine(&service, roster(20));
    let line = "testtakers import people.csv --settle 1s --concurrency 2 -o csv";
    let mut child = env.command(&words(line)).spawn().expect("started");
    waiting.arrived.recv_timeout(PATIENCE).expect("some are enrolled");
    for look in ["journal list", "journal show -o csv", "journal show people.csv", "doctor"] {
        assert!([0, 7].contains(&env.line(look).code), "{look}");
    }
    // What was written before a kill is there.
    child.kill().expect("it runs");
    let _ = child.wait();
    drop(waiting);
    let _ = env.line(line).ok();
    each_once(&service, 20, "after a look and a kill");
    // A lock is free once its run is over, however it ended.
    let _ = end_of(env.command(&words(line)).spawn().expect("started")).ok();
}

#[cfg(unix)]
#[test]
fn the_state_folder_is_its_owners_alone_and_names_nobody() {
    use std::os::unix::fs::PermissionsExt as _;
    let (_service, env, _texts) = with_memory();
    let _ = env.line("links issue --all --to links.csv").ok();
    let _ = env.line("testtakers remove NEW-2 --yes").ok();
    let mode_of = |path: &std::path::Path| std::fs::metadata(path).expect("there").permissions().mode() & 0o777;
    assert_eq!(mode_of(&env.place("state")), 0o700);
    assert!(files(&env).len() >= 3);
    for file in files(&env) {
        assert_eq!(mode_of(&file), 0o600, "{}", file.display());
    }
    let named = ["n1@example.com", "NEW-1", "First1", "Last1", "p1@example.com", "EMP-00001", KEY];
    assert!(!remembers(&env, &named.map(|text| text.as_bytes().to_vec())));
}
