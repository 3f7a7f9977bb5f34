//! The journal's secret: in a file of its own, moved there once, and never replaced while anything was hashed with it.

use std::path::{Path, PathBuf};

use ring::hmac::{Context, HMAC_SHA256, Key};

use crate::harness::{Env, KEY, Served};

/// A service elsewhere, and a machine that writes to it.
pub(crate) fn machine() -> (Env, Served) {
    let served = Env::new().serve(&["--key", KEY]);
    (Env::at(&served.url).with("ASSESSCTL_PROJECT", "Demo"), served)
}

pub(crate) fn state(env: &Env) -> PathBuf {
    env.work().with_file_name("state")
}

/// The files of the state folder that hold these bytes.
pub(crate) fn files_with(env: &Env, bytes: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![state(env)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if std::fs::read(&path).expect("a file").windows(bytes.len()).any(|part| part == bytes) {
                found.push(path.file_name().expect("a name").to_string_lossy().into_owned());
            }
        }
    }
    found
}

/// Each value of the database that could be a key, and the empty one.
fn blobs(database: &Path) -> Vec<Vec<u8>> {
    let connection = rusqlite::Connection::open(database).expect("a journal");
    let names = "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table'";
    let mut select = connection.prepare(names).expect("tables");
    let columns =
        select.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))).expect("columns");
    let mut found = vec![Vec::new()];
    for (table, column) in columns.map(|column| column.expect("a column")) {
        let values = format!("SELECT \"{column}\" FROM \"{table}\" WHERE typeof(\"{column}\") = 'blob'");
        let mut values = connection.prepare(&values).expect("values");
        found.extend(values.query_map([], |row| row.get(0)).expect("values").map(|value| value.expect("a value")));
    }
    found
}

/// Whom these guesses name, with this as the key of the hashes.
fn named(key: &[u8], guesses: &[(&str, String)], known: &[Vec<u8>]) -> Vec<String> {
    let keyed = Key::new(HMAC_SHA256, key);
    let matches = guesses.iter().filter(|(purpose, text)| {
        let mut mac = Context::with_key(&keyed);
        for text in [*purpose, text] {
            mac.update(&(text.len() as u64).to_be_bytes());
            mac.update(text.as_bytes());
        }
        known.contains(&mac.sign().as_ref().to_vec())
    });
    matches.map(|(_, text)| text.clone()).collect()
}

#[test]
fn twenty_four_thousand_guesses_name_nobody_in_the_journal_alone() {
    let (env, _served) = machine();
    env.write("people.csv", "email,referenceId\nemp-00007@example.com,EMP-00007\nemp-11111@example.com,EMP-11111\n");
    let _ = env.line("testtakers import people.csv").ok();
    let _ = env.line("results changes").ok();
    let _ = env.line("links issue --all --to links.csv").ok();
    let person = |at: u32| [("email", format!("emp-{at:05}@example.com")), ("reference id", format!("EMP-{at:05}"))];
    let guesses: Vec<_> = (0..12_020).flat_map(person).collect();
    assert_eq!(guesses.len(), 24_040);
    let database = state(&env).join("journal.db");
    let (known, secret) = (blobs(&database), std::fs::read(database.with_extension("secret")).expect("a secret"));
    for key in &known {
        assert_eq!(named(key, &guesses, &known), Vec::<String>::new());
    }
    assert_eq!(named(&secret, &guesses, &known).len(), 4, "with the secret they would be named");
    assert_eq!(files_with(&env, &secret), ["journal.secret"]);
}

#[test]
fn without_its_secret_or_with_anothers_the_journal_sends_nothing_and_makes_no_new_one() {
    let (env, _served) = machine();
    env.write("people.csv", "email\nann@example.com\n");
    let _ = env.line("testtakers import people.csv").ok();
    env.write("more.csv", "email\nbob@example.com\n");
    let file = state(&env).join("journal.secret");
    let secret = std::fs::read(&file).expect("a secret");
    std::fs::remove_file(&file).expect("removed");
    let said = env
        .line("testtakers import more.csv")
        .fails(1)
        .mentions("journal.secret, is missing: nothing is sent without it");
    let _ = said.mentions("hint: restore it");
    assert!(!file.exists(), "no new one is made");
    for other in [&[7; 32][..], &[7; 31], &[]] {
        std::fs::write(&file, other).expect("written");
        crate::harness::owner_only(&file);
        let _ = env
            .line("testtakers import more.csv")
            .fails(1)
            .mentions("is another journal's: nothing is sent without it");
        assert_eq!(std::fs::read(&file).expect("a file"), other);
    }
    let _ = env.line("testtakers list -o csv").ok().hides("bob@example.com");
    std::fs::write(&file, &secret).expect("written");
    let _ = env.line("testtakers import more.csv").ok().mentions("1 enrolled");
    // What was hashed is gone: a new secret does no harm.
    let _ = env.line("journal forget --everything --yes").ok();
    std::fs::remove_file(&file).expect("removed");
    let _ = env.line("testtakers import people.csv").ok().mentions("1 existing");
    assert_ne!(std::fs::read(&file).expect("a new secret"), secret);
}

#[test]
fn a_journal_without_its_secret_is_an_error_of_doctor_and_without_a_backup_there_is_a_way_out() {
    let (env, _served) = machine();
    let journal = |said: &crate::harness::Said| {
        let rows: serde_json::Value = serde_json::from_str(&said.stdout).expect("JSON");
        let row = rows.as_array().expect("rows").iter().find(|row| row["check"] == "journal").expect("a check").clone();
        ["state", "found", "todo"].map(|name| row[name].as_str().unwrap_or_default().to_owned())
    };
    let said = env.line("doctor -o json").ok();
    assert_eq!(journal(&said)[..2], ["ok".to_owned(), "nothing was sent yet".to_owned()]);
    assert!(!state(&env).join("journal.db").exists(), "doctor makes none");
    env.write("people.csv", "email\nann@example.com\n");
    let _ = env.line("testtakers import people.csv").ok();
    assert_eq!(journal(&env.line("doctor -o json").ok())[..2], ["ok".to_owned(), "there, with its secret".to_owned()]);
    let file = state(&env).join("journal.secret");
    for (other, what) in [(None, "is missing"), (Some([7; 32]), "is another journal's")] {
        match other {
            None => std::fs::remove_file(&file).expect("removed"),
            Some(other) => {
                std::fs::write(&file, other).expect("written");
                crate::harness::owner_only(&file);
            }
        }
        let [state_of, found, todo] = journal(&env.line("doctor -o json").exits(1));
        assert_eq!(state_of, "error");
        assert!(found.ends_with(&format!("journal.secret, {what}: nothing is sent without it")), "{found}");
        assert!(todo.starts_with("restore it from the backup that ") && todo.contains("journal.db away: "), "{todo}");
        assert!(env.line("doctor -q").exits(1).stdout.contains("journal.secret"));
    }
    // What the hint says: the service's list tells who is there, and nobody is enrolled twice.
    std::fs::rename(state(&env).join("journal.db"), state(&env).join("lost.db")).expect("moved away");
    let said = env.line("testtakers import people.csv").ok();
    assert!(said.stderr.starts_with("1 row: 1 existing in Demo "), "{said}");
}

#[cfg(unix)]
#[test]
fn a_secret_that_others_can_read_is_not_used() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let env = Env::sandbox();
    let _ = env.line("journal list").ok();
    let file = state(&env).join("journal.secret");
    assert_eq!(std::fs::metadata(&file).expect("a secret").permissions().mode() & 0o777, 0o600);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).expect("set");
    let _ = env.line("journal list").fails(1).mentions("others can read or change it");
    let elsewhere = state(&env).join("elsewhere");
    std::fs::rename(&file, &elsewhere).expect("moved");
    symlink(&elsewhere, &file).expect("a link");
    let _ = env.line("journal list").fails(1).mentions("cannot read the secret of the journal");
    crate::harness::owner_only(&elsewhere);
    let _ = env.line("journal list").ok();
}

/// A journal of version 6, which had its secret in it, a row and a link.
#[cfg(target_os = "linux")]
fn older_journal(env: &Env) -> Vec<u8> {
    let secret: Vec<u8> = (100..132).collect();
    for ending in ["db", "db-wal", "db-shm", "secret"] {
        let _ = std::fs::remove_file(state(env).join(format!("journal.{ending}")));
    }
    let database = state(env).join("journal.db");
    let connection = rusqlite::Connection::open(&database).expect("a database");
    connection.execute_batch(include_str!("journal_version_6.sql")).expect("tables");
    connection.execute("INSERT INTO secret VALUES (1, ?1)", [&secret]).expect("a secret");
    let project = "3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b690";
    connection.execute("INSERT INTO scopes VALUES (1, 'https://a.example', ?1)", [project]).expect("a scope");
    let row = "INSERT INTO rows (scope, key, email, state, attempts, intended, until, locked, before, line)
               VALUES (1, zeroblob(32), zeroblob(32), 'refused', 1, 5, 6, 1, '', 2)";
    connection.execute(row, []).expect("a row");
    let link = "INSERT INTO links VALUES ('https://a.example', ?1, 7, 5, 6, 1, 'HighRisk', NULL, NULL, NULL)";
    connection.execute(link, [project]).expect("a link");
    connection.close().expect("closed");
    crate::harness::owner_only(&database);
    secret
}

/// Runs `journal list` under strace, killed at the nth call of a name; the trace, where strace may trace.
#[cfg(target_os = "linux")]
fn traced(env: &Env, kill: Option<(&str, usize)>) -> Option<String> {
    let trace = env.work().join("trace");
    let mut strace = std::process::Command::new("strace");
    strace.arg("-f").arg("-o").arg(&trace);
    if let Some((name, nth)) = kill {
        strace.arg("-e").arg(format!("inject={name}:signal=KILL:when={nth}"));
    }
    strace.arg(crate::harness::PROGRAM).args(["journal", "list"]).env_clear().current_dir(env.work());
    strace.envs(env.vars().iter().map(|(name, value)| (name, value)));
    let _ = strace.output().ok()?;
    std::fs::read_to_string(trace).ok().filter(|trace| trace.contains("execve("))
}

/// Calls that change files.
#[cfg(target_os = "linux")]
const CHANGES: [&str; 10] =
    ["write", "pwrite64", "rename", "renameat", "renameat2", "ftruncate", "unlink", "unlinkat", "fsync", "fdatasync"];

#[cfg(target_os = "linux")]
#[test]
fn a_kill_at_any_call_of_the_move_loses_neither_the_secret_nor_the_journal() {
    let env = Env::sandbox();
    let secret = older_journal(&env);
    let Some(whole) = traced(&env, None) else {
        println!("skipped: strace is not there, or may not trace");
        return;
    };
    let name = |line: &str| Some(line.split_once(' ')?.1.trim_start().split_once('(')?.0.to_owned());
    let calls: Vec<(String, String)> = whole.lines().filter_map(|line| Some((name(line)?, line.to_owned()))).collect();
    let begin = calls.iter().position(|(_, line)| line.contains("journal.db")).expect("the journal is opened");
    let mut killed = 0;
    let changes = calls.iter().enumerate().skip(begin).filter(|(_, (name, _))| CHANGES.contains(&name.as_str()));
    for (at, (name, line)) in changes {
        assert_eq!(older_journal(&env), secret);
        let nth = calls[..=at].iter().filter(|(other, _)| other == name).count();
        let _ = traced(&env, Some((name, nth)));
        killed += 1;
        let listed = env.line("journal list -o json").json();
        assert_eq!(listed[0]["refused"], 1, "killed at {line}");
        assert_eq!(std::fs::read(state(&env).join("journal.secret")).expect("a secret"), secret, "killed at {line}");
        assert_eq!(files_with(&env, &secret), ["journal.secret"], "killed at {line}");
        assert_eq!(files_with(&env, b"HighRisk"), Vec::<String>::new(), "killed at {line}");
    }
    assert!(killed > 20, "{killed} kills");
}

#[cfg(target_os = "linux")]
#[test]
fn an_older_journal_beside_another_secret_is_left_as_it_is() {
    let env = Env::sandbox();
    let secret = older_journal(&env);
    let file = state(&env).join("journal.secret");
    std::fs::write(&file, [7; 32]).expect("written");
    crate::harness::owner_only(&file);
    let _ = env.line("journal list").fails(1).mentions("is another journal's");
    assert_eq!(files_with(&env, &secret), ["journal.db"]);
    std::fs::remove_file(&file).expect("removed");
    assert_eq!(env.line("journal list -o json").json()[0]["refused"], 1);
}
