//! What this machine keeps: what stands in the state folder and in the temporary one is what SECURITY.md says, and no more.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::json;

use crate::canary::files;
use crate::harness::Env;
use crate::imports::records;
use crate::journal_secret::state;
use crate::socket::{Answer, Socket};
use crate::sync::{file, held, night};
use crate::wire::PROJECT;

/// The files below the state folder, each with its permissions.
fn kept(env: &Env) -> Vec<(String, u32)> {
    let folder = state(env);
    let mode = |path: &Path| std::fs::metadata(path).expect("a file").permissions().mode() & 0o777;
    let name = |path: &Path| path.strip_prefix(&folder).expect("below it").display().to_string();
    files(&folder).iter().map(|path| (name(path), mode(path))).collect()
}

#[test]
fn the_state_folder_has_the_files_that_security_names_for_their_owner_alone() {
    let env = Env::sandbox();
    let _ = night(&env, &file(1..=12), "").ok();
    let _ = night(&env, &file(1..=11), "--plan plan.ndjson --status status.prom").ok();
    for line in [
        "projects list",
        "links issue --all --to links.csv",
        "results changes --as cron",
        "results export --to results.csv",
        "testtakers list --mask --to people.xlsx",
        "testtakers apply plan.ndjson --expect 0",
        "testtakers remove ref:EMP-3 --yes",
        "journal undo night.csv --yes",
    ] {
        let said = env.line(line);
        assert!(matches!(said.code, 0 | 5), "{line}: {said}");
    }
    for (name, mode) in kept(&env) {
        let is_named = ["journal.db", "journal.secret", "sandbox.db", "projects/sandbox.json"].contains(&name.as_str())
            || name.ends_with("-wal")
            || name.ends_with("-shm")
            || name.starts_with("locks/");
        assert!(is_named && mode == 0o600, "{name} {mode:o}");
        let text = std::fs::read(state(&env).join(&name)).expect("a file");
        let text = String::from_utf8_lossy(&text);
        if name.starts_with("locks/") {
            assert!(text.starts_with("process ") && text.lines().count() == 1, "{name}: {text}");
        }
        assert!(name.starts_with("sandbox.db") || !text.contains("example.com"), "{name} names a person");
    }
    let lists = ["plan.ndjson", "status.prom", "links.csv", "results.csv", "people.xlsx"];
    for name in lists {
        let mode = std::fs::metadata(env.work().join(name)).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    assert!(!env.read("status.prom").contains("example.com") && !env.read("status.prom").contains("EMP-"));
}

#[cfg(target_os = "linux")]
#[test]
fn while_a_list_is_collected_no_temporary_file_has_a_name() {
    let person = |id: usize| json!({"id": id, "email": format!("p{id}@example.com"), "fullName": "x".repeat(9_000)});
    let socket = Socket::answering(move |request, _| match request.parameter("page") {
        Some("1" | "2" | "3" | "4" | "5" | "6") => {
            let page: usize = request.parameter("page").and_then(|page| page.parse().ok()).expect("a page");
            Answer::ok(&json!((1..=100).map(|id| person(page * 100 + id)).collect::<Vec<_>>()).to_string())
        }
        _ => Answer::Hang(Vec::new()),
    });
    let env = Env::at(&socket.url);
    let temporary = env.work().join("../tmp");
    std::fs::create_dir(&temporary).expect("a folder");
    let env = env.with("TMPDIR", &temporary.display().to_string());
    let args = ["testtakers", "list", "-p", PROJECT, "-o", "csv", "--to", "out.csv"];
    let mut child = env.command(&args).spawn().expect("the program starts");
    while !socket.requests().iter().any(|request| request.parameter("page") == Some("7")) {
        std::thread::yield_now();
    }
    let folder = format!("/proc/{}/fd", child.id());
    let open = |folder: &str| -> Vec<String> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.filter_map(|entry| std::fs::read_link(entry.path()).ok()).map(|to| to.display().to_string()).collect()
    };
    let nameless = open(&folder).into_iter().any(|to| to.contains("(deleted)"));
    let named = files(&temporary);
    child.kill().and_then(|()| child.wait()).expect("an end");
    assert_eq!((named, files(&temporary)), (Vec::new(), Vec::new()));
    // Who is not root may not look at the open files of a process of which no memory may be written out.
    assert!(nameless || open(&folder).is_empty(), "the list was collected in memory alone");
    assert!(!env.work().join("out.csv").exists());
}

#[test]
fn an_assigned_reference_id_is_the_same_on_each_machine() {
    let service = crate::wire::workspace(false);
    let ids = || {
        let env = Env::at(&service.url);
        env.write("people.csv", "email\nzoe@example.com\nann@example.com\n");
        let line = format!("testtakers import people.csv -p {PROJECT} --assign-reference-ids --dry-run -o csv");
        let said = env.line(&line).ok();
        let ids: Vec<String> = records(&said.stdout).iter().map(|row| row["referenceId"].to_string()).collect();
        assert!(ids.len() == 2 && ids.iter().all(|id| id.len() > 10), "{said}");
        ids
    };
    assert_eq!(ids(), ids());
}

#[test]
fn after_everything_was_forgotten_nothing_is_ours_gone_or_told() {
    let env = Env::sandbox();
    env.write("people.csv", "email,referenceId\nann@example.com,A\nbob@example.com,B\n");
    let _ = env.line("testtakers import people.csv").ok();
    let _ = env.line("results changes --as cron").ok();
    let _ = env.line("journal forget --everything --yes").ok();
    assert_eq!(env.line("journal show -o json").json(), json!([]));
    let _ = env.line("journal undo people.csv --yes").exits(4);
    let _ = env.line("results changes --as cron -o csv").ok().mentions("no memory of this project");
    let _ = env.line("testtakers import people.csv").ok().mentions("2 existing");
}

/// Every time that the journal keeps.
const TIMES: [(&str, &str); 16] = [
    ("rows", "intended"),
    ("rows", "until"),
    ("rows", "given_up"),
    ("rows", "known"),
    ("rows", "ticks"),
    ("links", "issued"),
    ("links", "until"),
    ("removals", "removed"),
    ("consumers", "told"),
    ("told_results", "until"),
    ("synced", "synced"),
    ("synced", "counted"),
    ("synced", "ticks"),
    ("holds", "held"),
    ("holds", "settled"),
    ("exported", "at"),
];

#[test]
fn times_beyond_all_measure_in_the_journal_stop_no_command() {
    let env = Env::sandbox();
    let _ = night(&env, &file(1..=40), "").ok();
    let _ = night(&env, &file(9..=40), "").ok();
    let _ = night(&env, &file(9..=40), "--plan plan.ndjson").ok();
    let id = held(&night(&env, &file((9..=40).chain([41])), "").exits(11));
    for line in ["links issue --all --to links.csv", "results changes --as cron", "results export --to a.csv"] {
        let _ = env.line(line).ok();
    }
    let journal = || rusqlite::Connection::open(state(&env).join("journal.db")).expect("a journal");
    let doubt = "UPDATE rows SET state = 'open', entry = NULL, given_up = NULL WHERE number % 7 = 0";
    journal().execute_batch(doubt).expect("rows in doubt");
    for time in [i64::MIN, i64::MAX] {
        for (table, column) in TIMES {
            let set = format!("UPDATE {table} SET {column} = {time} WHERE {column} IS NOT NULL");
            journal().execute_batch(&set).expect("changed");
        }
        for line in [
            "journal list -o json",
            "journal show -o json",
            "testtakers import night.csv --no-wait -q",
            "testtakers sync night.csv --no-wait",
            "testtakers sync night.csv --plan other.ndjson --no-wait",
            &format!("testtakers sync --show {id}"),
            &format!("testtakers apply {id} --expect 8"),
            "testtakers apply plan.ndjson --expect 8 --no-wait",
            "results changes --as cron --look",
            "results changes --consumers",
            "links issue --all --to links.csv",
            "journal undo night.csv --dry-run",
            "journal forget --older-than 1h --yes",
            "doctor",
        ] {
            let said = env.line(line);
            assert!(said.code != 101 && !said.stderr.contains("panicked"), "{time} {line}: {said}");
        }
    }
}
