//! Updates and removals in bulk: found by a column, only what differs, accounted for, continued by the next run.

use crate::harness::{Env, KEY};
use crate::imports::records;
use crate::pty::Terminal;
use crate::socket::{Answer, Socket};
use crate::wire::PROJECT;

fn prepared() -> Env {
    let env = Env::sandbox();
    env.write("people.csv", people(5));
    let _ = env.line("testtakers import people.csv --concurrency 1").ok();
    env
}

fn people(count: usize) -> String {
    let row = |n| format!("p{n}@example.com,First{n},Last{n},19{n:02},EMP-{n:02}\n");
    format!("email,firstName,lastName,birthYear,referenceId\n{}", (10..10 + count).map(row).collect::<String>())
}

fn outcomes(report: &str) -> Vec<String> {
    records(report).iter().map(|row| row["outcome"].as_str().unwrap_or_default().to_owned()).collect()
}

fn listed(env: &Env, field: &str) -> Vec<String> {
    let people = env.line("testtakers list -o json").json();
    let people = people.as_array().expect("an array");
    people.iter().map(|person| person[field].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn an_update_sends_only_rows_that_differ_and_shows_old_and_new() {
    let env = prepared();
    env.write("new.csv", "referenceId,firstName,lastName\nEMP-10,First10,Last10\nEMP-11,Anna,\nEMP-99,x,y\n");
    let said = env.line("testtakers update --csv new.csv --dry-run -o csv").exits(10);
    assert_eq!(outcomes(&said.stdout), ["existing", "would-update", "gone"], "{said}");
    assert!(said.stdout.contains("First11") && said.stdout.contains("Anna"), "{said}");
    assert!(listed(&env, "firstName").contains(&"First11".to_owned()), "a rehearsal changes nothing");
    let said = env.line("testtakers update --csv new.csv -o csv -v").exits(10);
    assert_eq!(outcomes(&said.stdout), ["existing", "updated", "gone"], "{said}");
    assert_eq!(said.stderr.matches("PATCH").count(), 1, "{said}");
    let said = env.line("testtakers update --csv new.csv -o csv").exits(10);
    assert_eq!(outcomes(&said.stdout), ["existing", "existing", "gone"], "{said}");
    assert!(listed(&env, "lastName").contains(&"Last11".to_owned()), "an empty cell leaves");
    let _ = env.line("testtakers update --csv new.csv --clear-empty").exits(10);
    assert!(!listed(&env, "lastName").contains(&"Last11".to_owned()), "--clear-empty clears");
}

#[test]
fn a_row_is_found_by_entry_id_or_by_the_column_that_is_named() {
    let env = prepared();
    env.write("ids.csv", "id,referenceId\n1,NEW-1\n2,EMP-11\n");
    let said = env.line("testtakers update --csv ids.csv -o csv").ok();
    assert_eq!(outcomes(&said.stdout), ["updated", "existing"], "{said}");
    env.write("mails.csv", "email,referenceId\nP12@example.com,NEW-3\n");
    let said = env.line("testtakers update --csv mails.csv --by email -o csv").ok();
    assert_eq!(outcomes(&said.stdout), ["updated"], "{said}");
    let ids = listed(&env, "referenceId");
    assert!(ids.contains(&"NEW-1".to_owned()) && ids.contains(&"NEW-3".to_owned()), "{ids:?}");
    let _ = env.line("testtakers update --csv mails.csv --by id").fails(2);
}

#[test]
fn what_the_api_cannot_change_is_a_conflict() {
    let env = prepared();
    env.write("new.csv", "referenceId,email,birthYear\nEMP-10,other@example.com,\nEMP-11,,1999\n");
    let said = env.line("testtakers update --csv new.csv -o csv --failed-out fix.csv").exits(10);
    assert_eq!(outcomes(&said.stdout), ["conflict", "conflict"], "{said}");
    assert_eq!(env.read("fix.csv").lines().count(), 3);
}

#[test]
fn a_removal_needs_a_yes_and_blows_its_fuse() {
    let env = prepared();
    env.write("leavers.csv", "referenceId\nEMP-10\nEMP-11\nEMP-12\n");
    let _ = env.line("testtakers remove --csv leavers.csv").fails(2).mentions("--yes");
    let _ = env.line("testtakers remove --csv leavers.csv --yes --max 2").fails(5);
    let said = env.line("testtakers remove --csv leavers.csv --dry-run -o csv").ok();
    assert_eq!(outcomes(&said.stdout), ["would-remove"; 3], "{said}");
    assert_eq!(listed(&env, "id").len(), 5);
    let said = env.line("testtakers remove --csv leavers.csv --yes --max 3 -o csv").ok();
    assert_eq!(outcomes(&said.stdout), ["removed"; 3], "{said}");
    assert_eq!(listed(&env, "id").len(), 2);
}

#[test]
fn on_a_terminal_the_number_of_people_is_typed() {
    let env = prepared();
    env.write("leavers.csv", "referenceId\nEMP-10\nEMP-11\n");
    for (typed, code, left) in [("y\r", 130, 5), ("2\r", 0, 3)] {
        let mut terminal = Terminal::start(&env, 120, &["testtakers", "remove", "--csv", "leavers.csv"]);
        terminal.types(typed);
        let (ended, screen) = terminal.ends();
        assert_eq!(ended, code, "{}", screen.text());
        assert_eq!(listed(&env, "id").len(), left);
    }
}

#[test]
fn a_removal_that_is_repeated_knows_its_own_work() {
    let env = prepared();
    env.write("leavers.csv", "referenceId\nEMP-10\nEMP-11\nEMP-77\n");
    let said = env.line("testtakers remove --csv leavers.csv --yes -o csv").exits(10);
    assert_eq!(outcomes(&said.stdout), ["removed", "removed", "gone"], "{said}");
    let said = env.line("testtakers remove --csv leavers.csv --yes -o csv").exits(10);
    assert_eq!(outcomes(&said.stdout), ["removed", "removed", "gone"], "{said}");
}

#[test]
fn refusals_and_lost_answers_are_borne_and_each_row_is_accounted_for() {
    for (kind, command) in [("update", "update --csv new.csv"), ("remove", "remove --csv new.csv --yes")] {
        let here = Env::new();
        let faults = [format!("429@{kind}:share=0.1,seed=3,retry-after=0"), format!("close-after@{kind}:nth=4")];
        let served = here.serve(&["--key", KEY, "--fault", &faults[0], "--fault", &faults[1]]);
        let env = here.with("ASSESSCTL_BASE_URL", &served.url).with("ASSESSCTL_API_KEY", KEY);
        let env = env.with("ASSESSCTL_PROJECT", "Demo");
        env.write("people.csv", people(30));
        let _ = env.line("testtakers import people.csv --concurrency 1").ok();
        env.write("new.csv", people(30).replace("First", "Given"));
        let said = env.line(&format!("testtakers {command} -o csv")).ok();
        let outcome = if kind == "update" { "updated" } else { "removed" };
        assert_eq!(outcomes(&said.stdout), vec![outcome; 30], "{said}");
    }
}

#[test]
fn a_key_that_is_refused_stops_the_run() {
    let socket = Socket::answering(|request, _| match request.method.as_str() {
        "GET" => Answer::ok(r#"[{"id":1,"email":"a@b","referenceId":"A"},{"id":2,"email":"c@d","referenceId":"B"}]"#),
        _ => Answer::problem(403, "Forbidden", "read only"),
    });
    let env = Env::at(&socket.url);
    env.write("leavers.csv", "referenceId\nA\nB\n");
    let line = format!("testtakers remove --csv leavers.csv -p {PROJECT} --yes --concurrency 1 -o csv");
    let said = env.line(&line).exits(3);
    assert_eq!(outcomes(&said.stdout), ["not-attempted"; 2], "{said}");
    assert_eq!(socket.writes().len(), 1);
}
