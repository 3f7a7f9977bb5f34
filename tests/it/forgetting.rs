//! Forgetting means gone: no byte of what was forgotten is left in any file of the state folder.

use snapbox::str;

use rusqlite::Connection;

use crate::harness::{Env, KEY, Served};
use crate::journal_secret::{files_with, machine, state};
use crate::sync::{file, night};

const PEOPLE: &str = "email,referenceId\nann@example.com,A\nbob@example.com,B\ncy@example.com,C\n";

/// A machine that enrolled three people, issued their links and told of their results.
fn with_memory() -> (Env, Served) {
    let (env, served) = machine();
    env.write("people.csv", PEOPLE);
    let _ = env.line("testtakers import people.csv --concurrency 1").ok();
    let _ = env.line("links issue --all --to links.csv").ok();
    env.write("names.csv", "email,firstName\nann@example.com,Ann\nbob@example.com,Bob\ncy@example.com,Cy\n");
    let _ = env.line("testtakers update --file names.csv").ok();
    let _ = env.line("results changes --as cron").ok();
    let _ = env.line("results export --to a.csv").ok();
    (env, served)
}

fn journal(env: &Env) -> Connection {
    Connection::open(state(env).join("journal.db")).expect("a journal")
}

/// All hashes that the journal has of those whose entry id is so.
fn hashes(env: &Env, entry: &str) -> Vec<Vec<u8>> {
    let journal = journal(env);
    let columns = [
        ("rows", "entry", "key"),
        ("rows", "entry", "email"),
        ("rows", "entry", "reference"),
        ("rows", "entry", "enrolment"),
        ("links", "entry", "link"),
        ("links", "entry", "progress"),
        ("written_fields", "entry", "first"),
        ("told_results", "key", "result"),
        ("told_results", "key", "fields"),
    ];
    let mut found = Vec::new();
    for (table, key, column) in columns {
        let sql = format!("SELECT {column} FROM {table} WHERE {key} {entry}");
        let mut select = journal.prepare(&sql).expect("a table");
        let each = select.query_map([], |row| row.get::<_, Vec<u8>>(0)).expect("rows");
        found.extend(each.map(|hash| hash.expect("a hash")));
    }
    found
}

/// None of these stands in any file.
#[track_caller]
fn none_is_left(env: &Env, hashes: &[Vec<u8>]) {
    for hash in hashes {
        assert_eq!(files_with(env, hash), Vec::<String>::new(), "{hash:02x?} is left");
    }
}

#[test]
fn of_a_removed_person_the_hash_of_the_removal_alone_is_left() {
    let (env, _served) = with_memory();
    let (gone, kept) = (hashes(&env, "= 2"), hashes(&env, "= 3"));
    assert_eq!((gone.len(), kept.len()), (9, 9));
    assert!(gone.iter().all(|hash| !files_with(&env, hash).is_empty()), "they stood there");
    let _ = env.line("testtakers remove id:2 --yes").ok();
    none_is_left(&env, &gone);
    assert_eq!(hashes(&env, "= 3"), kept);
    let removals = journal(&env).query_row("SELECT count(*) FROM removals", [], |row| row.get::<_, i64>(0));
    assert_eq!(removals, Ok(1));
}

#[test]
fn of_people_whom_undo_removed_nothing_is_left() {
    let (env, _served) = with_memory();
    let gone = hashes(&env, "IS NOT NULL");
    assert_eq!(gone.len(), 27);
    let _ = env.line("journal undo people.csv --yes").ok().shows(str![[r#"
exit 0
--- stdout
--- stderr
invitations already sent are not recalled
the results of those who leave can't be read here afterwards: export them before
3 of 3 people removed in Demo (127.0.0.1:[PORT])

"#]]);
    none_is_left(&env, &gone);
}

#[test]
fn of_people_without_an_id_in_the_older_shape_undo_leaves_nothing_either() {
    let served = Env::new().serve(&["--key", KEY, "--results-api", "legacy"]);
    let env = Env::at(&served.url).with("ASSESSCTL_PROJECT", "Demo");
    env.write("people.csv", PEOPLE);
    env.write("others.csv", "email\ndee@example.com\n");
    env.write("strangers.csv", "email,referenceId\neve@example.com,E\n");
    let _ = env.line("testtakers import people.csv").ok();
    let _ = env.line("testtakers import others.csv --assign-reference-ids").ok();
    let _ = env.line("testtakers import strangers.csv").ok();
    let _ = env.line("results changes --as cron --results-api legacy").ok();
    let all = journal(&env).query_row("SELECT count(*) FROM told_results WHERE result <> x''", [], |row| row.get(0));
    assert_eq!(all, Ok(5_i64));
    for file in ["people.csv", "others.csv"] {
        let _ = env.line(&format!("journal undo {file} --yes")).ok();
    }
    let left = journal(&env)
        .query_row("SELECT count(*), sum(result <> x'' OR fields <> x'') FROM told_results", [], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?))
        })
        .expect("a table");
    assert_eq!(left, (5, 1), "that five were there stays until it is told, and of the stranger what was told");
}

/// Makes everything in the journal two hours older.
fn two_hours_pass(env: &Env) {
    let older = "UPDATE rows SET known = known - 7200000, intended = intended - 7200000;
        UPDATE links SET issued = issued - 7200000000;
        UPDATE written_fields SET sent = sent - 7200000;
        UPDATE consumers SET told = told - 7200000;
        UPDATE exported SET at = at - 7200000;";
    journal(env).execute_batch(older).expect("older");
}

#[test]
fn what_is_forgotten_of_a_project_and_of_everything_leaves_no_byte() {
    for line in ["journal forget --yes", "journal forget --everything --yes", "journal forget --older-than 1h --yes"] {
        let (env, _served) = with_memory();
        let _ = env.line("journal forget --older-than 1h --yes").ok().mentions("0 rows forgotten\n");
        let gone = hashes(&env, "IS NOT NULL");
        assert_eq!(gone.len(), 27);
        two_hours_pass(&env);
        let _ = env.line(line).ok().mentions("3 rows forgotten, and 4 records");
        none_is_left(&env, &gone);
        assert_eq!(env.line("journal list -o json").json(), serde_json::json!([]), "{line}");
    }
}

#[test]
fn rows_in_doubt_and_removals_without_an_answer_are_kept() {
    let there = Env::new();
    let faults = ["--fault", "close-before@enrol:nth=1", "--fault", "close-before@remove"];
    let served = there.serve(&[["--key", KEY].as_slice(), &faults].concat());
    let env = Env::at(&served.url).with("ASSESSCTL_PROJECT", "Demo");
    env.write("people.csv", PEOPLE);
    let _ = env.line("testtakers import people.csv --concurrency 1 --no-wait").exits(7);
    let _ = env.line("testtakers remove ref:C --yes").exits(7);
    for line in ["journal forget --everything --yes", "journal forget --everything --older-than 1h --yes"] {
        let _ = env.line(line).ok().mentions("1 row in doubt stays; 1 removal without an answer stays");
    }
    assert_eq!(env.line("journal list -o json").json()[0]["rows"], 1);
    for line in ["journal forget --everything --force --yes", "journal forget --everything -p Demo --yes"] {
        let _ = env.line(line).fails(2);
    }
}

#[test]
fn the_journal_says_which_account_wrote() {
    let (env, _served) = with_memory();
    let account = env.line("journal show -o json").json()[0]["account"].as_str().unwrap_or_default().to_owned();
    assert_eq!(env.line("journal list -o json").json()[0]["accounts"], account.as_str());
    #[cfg(unix)]
    {
        let own = std::process::Command::new("id").arg("-un").output().expect("id runs");
        assert_eq!(account, String::from_utf8_lossy(&own.stdout).trim());
    }
}

#[test]
fn what_another_run_keeps_from_being_erased_is_erased_by_the_next_one() {
    let (env, _served) = with_memory();
    let gone = hashes(&env, "IS NOT NULL");
    let reader = journal(&env);
    reader.execute_batch("BEGIN; SELECT count(*) FROM rows;").expect("a look");
    let _ = env.line("journal forget --yes").ok().shows(str![[r#"
exit 0
--- stdout
--- stderr
3 rows forgotten, and 4 records of links, removals, exports and changes
warning: another run has the journal open: what was forgotten leaves its files with the next command

"#]]);
    assert!(gone.iter().any(|hash| !files_with(&env, hash).is_empty()));
    drop(reader);
    let _ = env.line("journal list").ok();
    none_is_left(&env, &gone);
}

/// The hashes of people that syncs keep: rosters as a whole, and those of plans and of what is held.
fn of_syncs(env: &Env) -> Vec<Vec<u8>> {
    let columns = [("synced", "people"), ("planned", "people"), ("held", "key"), ("moves", "key")];
    let values = columns.map(|(table, column)| {
        let journal = journal(env);
        let mut select = journal.prepare(&format!("SELECT {column} FROM {table}")).expect("a table");
        let each = select.query_map([], |row| row.get::<_, Vec<u8>>(0)).expect("rows");
        each.map(|value| value.expect("a value")).collect::<Vec<_>>()
    });
    // A roster is kept as 17 bytes a person.
    values.concat().iter().flat_map(|people| people.chunks(17)).map(|person| person[..16].to_vec()).collect()
}

fn count(env: &Env, table: &str) -> i64 {
    let sql = format!("SELECT count(*) FROM {table}");
    journal(env).query_row(&sql, [], |row| row.get(0)).expect("a table")
}

#[test]
fn rosters_and_plans_go_with_the_next_roster_and_nothing_of_them_outlives_forgetting() {
    let env = Env::sandbox();
    let _ = night(&env, &file(1..=12), "").ok();
    let _ = night(&env, &file(1..=11), "").ok();
    let _ = night(&env, &file(1..=11), "--plan applied.ndjson").ok();
    let _ = env.line("testtakers apply applied.ndjson --expect 1").ok();
    assert_eq!((count(&env, "planned"), count(&env, "holds")), (0, 1), "of an applied plan it is known that it was");
    let _ = night(&env, &file(1..=13), "--plan left.ndjson").ok();
    let old = "UPDATE holds SET held = held - 8 * 86400000, ticks = ticks - 8 * 86400000,
               settled = settled - 8 * 86400000, settled_ticks = settled_ticks - 8 * 86400000";
    journal(&env).execute_batch(old).expect("older");
    let _ = night(&env, &file(1..=14), "").ok();
    assert_eq!(["planned", "holds", "held"].map(|table| count(&env, table)), [0, 0, 0], "a week later, with a roster");
    let _ = night(&env, &file(1..=14), "--plan another.ndjson").ok();
    // What an older release left of a plan whose time was over.
    journal(&env).execute_batch("DELETE FROM holds; UPDATE planned SET id = x'00000000'").expect("an orphan");
    let gone = of_syncs(&env);
    assert!(gone.len() > 14 && gone.iter().all(|hash| !files_with(&env, hash).is_empty()), "they stood there");
    let _ = env.line("journal forget --everything --yes").ok();
    none_is_left(&env, &gone);
}
