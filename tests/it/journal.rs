//! What this machine remembers of enrolments: told, corrected, taken back and forgotten; and a journal that cannot be used.

use snapbox::str;

use serde_json::Value;

use crate::harness::{Env, KEY, Said, Served};
use crate::imports::records;
use crate::shell;

/// A service that loses these requests, and a machine that imports into it.
fn with_faults(faults: &[&str]) -> (Env, Served) {
    let there = Env::new();
    let faults = faults.iter().flat_map(|fault| ["--fault", fault]);
    let served = there.serve(&["--key", KEY].into_iter().chain(faults).collect::<Vec<_>>());
    let env = Env::at(&served.url).with("ASSESSCTL_PROJECT", "Demo");
    (env, served)
}

fn people(env: &Env) -> Vec<Value> {
    env.line("testtakers list -o json").json().as_array().expect("an array").clone()
}

fn outcomes(said: &Said) -> Vec<(String, String)> {
    let text = |row: &Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
    records(&said.stdout).iter().map(|row| (text(row, "outcome"), text(row, "projectEntryId"))).collect()
}

/// What a command says that has to ask and cannot.
const UNASKED: &str = "error: cannot ask for confirmation without a terminal\nhint: add --yes to the command\n";

const IMPORT: &str = "testtakers import people.csv --settle 300ms -o csv";

#[test]
fn a_row_in_doubt_is_what_somebody_says_who_has_looked() {
    let (env, served) = with_faults(&["close-before@enrol:nth=1", "close-before@enrol:nth=2"]);
    env.write("people.csv", "email\nann@example.com\nbob@example.com\n");
    let _ = env.line(&format!("{IMPORT} --no-wait --concurrency 1")).exits(7);
    let doubtful = env.line("journal show --in-doubt -o json").json();
    assert_eq!(doubtful.as_array().map(Vec::len), Some(2), "{doubtful}");
    assert_eq!(env.line("journal list -o json").json()[0]["inDoubt"], 2);
    let _ = Env::at(&served.url).line("testtakers enrol -p Demo --email robert@example.com").ok();
    env.write("people.csv", "email\nbob@example.com\nann@example.com\n");
    let said = env.line("journal resolve people.csv:2 --absent").fails(5);
    let _ = said.mentions("people.csv was changed since its last run: what is on line 2 now was on line 3 then");
    env.write("people.csv", "email\nann@example.com\nbob@example.com\n");
    let _ = env.line("journal resolve people.csv:2 --absent").ok();
    let _ = env.line("journal resolve people.csv:3 --enrolled 1").fails(5).shows(str![[r#"
exit 5
--- stdout
--- stderr
error: row 2 was sent with another e-mail than entry 1 has
hint: --force takes it all the same

"#]]);
    let _ = env.line("journal resolve people.csv:3 --enrolled 1 --force").ok();
    let _ = env.line("journal resolve people.csv:3 --absent").fails(4).shows(str![[r#"
exit 4
--- stdout
--- stderr
error: row 2 is not in doubt
hint: `assessctl journal show --in-doubt` lists the rows that are

"#]]);
    let said = env.line(IMPORT).ok();
    assert_eq!(outcomes(&said), [("enrolled".into(), "2".into()), ("enrolled".into(), "1".into())], "{said}");
    assert_eq!(people(&env).len(), 2);
}

#[test]
fn undo_removes_whom_this_machine_enrolled_and_nobody_who_was_there_before() {
    let (env, served) = with_faults(&["close-before@enrol:nth=3"]);
    let _ = Env::at(&served.url).line("testtakers enrol -p Demo --email ann@example.com").ok();
    env.write("people.csv", "email\nann@example.com\nbob@example.com\ncy@example.com\n");
    let _ = env.line(&format!("{IMPORT} --no-wait --concurrency 1")).exits(7);
    env.write("other.csv", "email\ndora@example.com\n");
    let _ = env.line("testtakers import other.csv").ok();
    env.line("journal undo people.csv").refuses(2, UNASKED);
    // Cy may be enrolled after all: that it can't be taken back is said.
    let _ = env.line("journal undo people.csv --yes").fails(7).shows(str![[r#"
exit 7
--- stdout
--- stderr
invitations already sent are not recalled
the results of the person who leaves can't be read here afterwards: export them before
1 of 1 person removed in Demo (127.0.0.1:[PORT])
error: 1 row of this file is in doubt, and may be enrolled
hint: `assessctl journal show --in-doubt` lists them, `assessctl journal resolve` settles each

"#]]);
    let left: Vec<_> = people(&env).iter().map(|person| person["email"].clone()).collect();
    assert_eq!(left, ["ann@example.com", "dora@example.com"]);
}

#[test]
fn forgetting_is_refused_while_something_is_in_doubt() {
    let (env, _served) = with_faults(&["close-before@enrol:nth=1"]);
    env.write("people.csv", "email\nann@example.com\n");
    let _ = env.line(&format!("{IMPORT} --no-wait")).exits(7);
    let _ = env.line("journal forget --yes").fails(5).shows(str![[r#"
exit 5
--- stdout
--- stderr
error: 1 row is in doubt; after forgetting, a later import could enrol them twice
hint: `assessctl journal show --in-doubt` lists them; --force forgets them all the same

"#]]);
    env.line("journal forget --force").refuses(2, UNASKED);
    let _ = env.line("journal forget --force --yes").ok().shows(str![[r#"
exit 0
--- stdout
--- stderr
1 row forgotten

"#]]);
    assert_eq!(env.line("journal list -o json").json(), serde_json::json!([]));
}

/// The import fails with these words, and nobody is enrolled.
fn nothing_is_sent(env: &Env, line: &str, words: &str) {
    let said = shell::run(env, line).fails(1).mentions(words).mentions("hint: ");
    assert_eq!(
        shell::run(env, "ASSESSCTL_STATE_DIR=elsewhere assessctl testtakers list -o json").stdout,
        "[]\n",
        "{said}"
    );
}

#[test]
fn with_a_journal_that_cannot_be_used_nothing_is_sent() {
    let (env, _served) = with_faults(&[]);
    env.write("people.csv", "email\nann@example.com\n");
    let import = "assessctl testtakers import people.csv";
    env.write("file", "");
    nothing_is_sent(&env, &format!("ASSESSCTL_STATE_DIR=file/state {import}"), "cannot create the folder");
    // Files that may not grow are what a full disk looks like.
    let full = "trap '' XFSZ; ulimit -f";
    nothing_is_sent(&env, &format!("{full} 8; ASSESSCTL_STATE_DIR=full exec {import}"), "cannot be");
    let _ = env.line("testtakers import people.csv --dry-run").ok();
    let file = env.work().with_file_name("state").join("journal.db");
    let good = std::fs::read(&file).expect("a journal");
    let newer = rusqlite::Connection::open(&file).expect("a database");
    newer.pragma_update(None, "user_version", 999).expect("another version");
    drop(newer);
    nothing_is_sent(&env, import, "version 999");
    std::fs::write(&file, [b"not a database".as_slice(), &good[14..]].concat()).expect("a file");
    nothing_is_sent(&env, import, "is damaged");
    std::fs::write(&file, &good).expect("a file");
    let _ = env.line("testtakers import people.csv").ok();
}

#[test]
fn where_the_journal_cannot_grow_any_more_the_run_stops_and_the_next_one_goes_on() {
    let (env, _served) = with_faults(&[]);
    let rows: Vec<String> = (0..400).map(|row| format!("p{row}@example.com,R-{row}\n")).collect();
    env.write("people.csv", "email,referenceId\n".to_owned() + &rows.concat());
    let limited = "trap '' XFSZ; ulimit -f 340; exec assessctl testtakers import people.csv -o csv";
    let said = shell::run(&env, limited).exits(1).mentions("nothing more was sent").mentions("hint: ");
    let ended = outcomes(&said);
    let count = |outcome: &str| ended.iter().filter(|(known, _)| known == outcome).count();
    assert_eq!(ended.len(), 400, "each row is accounted for");
    assert!(count("enrolled") > 0 && count("not-attempted") > 0, "{}", said.stderr);
    let there = people(&env).len();
    assert!(count("enrolled") <= there && there <= count("enrolled") + count("in-doubt"), "{there}, {}", said.stderr);
    let _ = env.line(IMPORT).ok();
    assert_eq!(people(&env).len(), 400);
}

#[cfg(unix)]
#[test]
fn without_home_the_accounts_own_serves() {
    let env =
        ["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "ASSESSCTL_CONFIG"].into_iter().fold(Env::new(), Env::without);
    let path = env.line("config path").data();
    assert!(path.starts_with('/') && path.trim_end().ends_with("assessctl/config.toml"), "{path}");
}

#[test]
fn an_import_is_taken_back_without_those_of_an_earlier_one() {
    let env = Env::sandbox();
    env.write("first.csv", "email,referenceId\nann@example.com,EMP-1\n");
    let _ = env.line("testtakers import first.csv").ok();
    let between = jiff::Timestamp::now();
    env.write("second.csv", "email,referenceId\nann@example.com,EMP-1\nbob@example.com,EMP-2\n");
    let _ = env.line("testtakers import second.csv").ok();
    let _ = env.line("journal undo second.csv --since 2099-01-01T00:00:00Z --yes").fails(4);
    let _ = env.line("journal undo second.csv --dry-run").ok().mentions("2 people would be removed");
    let _ =
        env.line(&format!("journal undo second.csv --since {between} --yes")).ok().mentions("1 of 1 person removed");
    assert_eq!(env.line("testtakers list --fields referenceId -o csv").data(), "referenceId\nEMP-1\n");
}
