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
    let said = env.line("testtakers update --file new.csv --dry-run -o csv").exits(10);
    assert_eq!(outcomes(&said.stdout), ["existing", "would-update", "absent"], "{said}");
    assert!(said.stdout.contains("First11") && said.stdout.contains("Anna"), "{said}");
    assert!(listed(&env, "firstName").contains(&"First11".to_owned()), "a rehearsal changes nothing");
    let said = env.line("testtakers update --file new.csv -o csv -v").exits(10);
    assert_eq!(outcomes(&said.stdout), ["existing", "updated", "absent"], "{said}");
    assert_eq!(said.stderr.matches("PATCH").count(), 1, "{said}");
    let said = env.line("testtakers update --file new.csv -o csv").exits(10);
    assert_eq!(outcomes(&said.stdout), ["existing", "existing", "absent"], "{said}");
    assert!(listed(&env, "lastName").contains(&"Last11".to_owned()), "an empty cell leaves");
    let _ = env.line("testtakers update --file new.csv --clear-empty").exits(10);
    assert!(!listed(&env, "lastName").contains(&"Last11".to_owned()), "--clear-empty clears");
}

#[test]
fn a_file_of_people_whom_the_project_never_had_is_not_found_and_says_where_to_look() {
    let env = prepared();
    env.write("others.csv", "referenceId,firstName\nEMP-98,Ann\nEMP-99,Bob\n");
    for command in ["testtakers update", "testtakers remove --yes", "links issue --to links.csv"] {
        for more in ["", " --dry-run"] {
            let said = env.line(&format!("{command} --file others.csv --report report.csv{more}")).exits(4);
            assert_eq!(outcomes(&env.read("report.csv")), ["absent"; 2], "{said}");
            let said =
                said.mentions("2 rows: 2 absent in Demo (sandbox)\nerror: no one of the file is in the project\n");
            let _ =
                said.mentions("hint: `assessctl testtakers list --filter TEXT` searches; -p NAME_OR_ID names another");
        }
    }
}

#[test]
fn a_row_is_found_by_entry_id_or_by_the_column_that_is_named() {
    let env = prepared();
    env.write("ids.csv", "id,referenceId\n1,NEW-1\n2,EMP-11\n");
    let said = env.line("testtakers update --file ids.csv -o csv").ok();
    assert_eq!(outcomes(&said.stdout), ["updated", "existing"], "{said}");
    env.write("mails.csv", "email,referenceId\nP12@example.com,NEW-3\n");
    let said = env.line("testtakers update --file mails.csv --by email -o csv").ok();
    assert_eq!(outcomes(&said.stdout), ["updated"], "{said}");
    let ids = listed(&env, "referenceId");
    assert!(ids.contains(&"NEW-1".to_owned()) && ids.contains(&"NEW-3".to_owned()), "{ids:?}");
    let _ = env.line("testtakers update --file mails.csv --by id").fails(2);
}

#[test]
fn a_row_whose_other_columns_name_somebody_else_removes_nobody_and_issues_no_link() {
    let env = prepared();
    env.write("shifted.csv", "email,referenceId\np11@example.com,EMP-10\n");
    env.write("entries.csv", "id,email,referenceId\n1,,EMP-12\n2,P11@example.com,EMP-11\n");
    for (line, outcomes_of_rows) in [
        ("testtakers remove --file shifted.csv --yes -o csv", vec!["conflict"]),
        ("testtakers remove --file entries.csv --dry-run -o csv", vec!["conflict", "would-remove"]),
        ("links issue --file shifted.csv --report r.csv --to l.csv", vec![]),
    ] {
        let said = env.line(line).exits(10);
        assert_eq!(outcomes(&said.stdout), outcomes_of_rows, "{said}");
    }
    assert!(
        env.read("r.csv").contains("has another email than this row (--by reference-id goes by that column alone)")
    );
    assert_eq!(listed(&env, "referenceId").len(), 5);
    let _ = env.line("testtakers remove --file shifted.csv --by reference-id --yes").ok().mentions("1 removed");
}

#[test]
fn what_the_api_cannot_change_is_a_conflict() {
    let env = prepared();
    env.write("new.csv", "referenceId,email,birthYear\nEMP-10,other@example.com,\nEMP-11,,1999\n");
    let said = env.line("testtakers update --file new.csv -o csv --failed-out fix.csv").exits(10);
    assert_eq!(outcomes(&said.stdout), ["conflict", "conflict"], "{said}");
    assert_eq!(env.read("fix.csv").lines().count(), 3);
}

#[test]
fn a_removal_needs_a_yes_and_blows_its_fuse() {
    let env = prepared();
    env.write("leavers.csv", "referenceId\nEMP-10\nEMP-11\nEMP-12\n");
    let _ = env.line("testtakers remove --file leavers.csv").fails(2).mentions("--yes");
    let _ = env.line("testtakers remove --file leavers.csv --yes --max 2").fails(5);
    let said = env.line("testtakers remove --file leavers.csv --dry-run -o csv").ok();
    assert_eq!(outcomes(&said.stdout), ["would-remove"; 3], "{said}");
    assert_eq!(listed(&env, "id").len(), 5);
    let said = env.line("testtakers remove --file leavers.csv --yes --max 3 -o csv").ok();
    assert_eq!(outcomes(&said.stdout), ["removed"; 3], "{said}");
    assert_eq!(listed(&env, "id").len(), 2);
}

#[test]
fn on_a_terminal_the_number_of_people_is_typed() {
    let env = prepared();
    env.write("leavers.csv", "referenceId\nEMP-10\nEMP-11\n");
    for (typed, code, left) in [("y\r", 130, 5), ("2\r", 0, 3)] {
        let mut terminal = Terminal::start(&env, 120, &["testtakers", "remove", "--file", "leavers.csv"]);
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
    let said = env.line("testtakers remove --file leavers.csv --yes -o csv").exits(10);
    assert_eq!(outcomes(&said.stdout), ["removed", "removed", "absent"], "{said}");
    let said = env.line("testtakers remove --file leavers.csv --yes -o csv").exits(10);
    assert_eq!(outcomes(&said.stdout), ["removed", "removed", "absent"], "{said}");
}

#[test]
fn refusals_and_lost_answers_are_borne_and_each_row_is_accounted_for() {
    for (kind, command) in [("update", "update --file new.csv"), ("remove", "remove --file new.csv --yes")] {
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
    let socket = Socket::answering(|request, _| match (request.method.as_str(), request.parameter("page")) {
        ("GET", Some("1")) => {
            Answer::ok(r#"[{"id":1,"email":"a@b","referenceId":"A"},{"id":2,"email":"c@d","referenceId":"B"}]"#)
        }
        ("GET", _) => Answer::ok("[]"),
        _ => Answer::problem(403, "Forbidden", "read only"),
    });
    let env = Env::at(&socket.url);
    env.write("leavers.csv", "referenceId\nA\nB\n");
    let line = format!("testtakers remove --file leavers.csv -p {PROJECT} --yes --concurrency 1 -o csv");
    let said = env.line(&line).exits(3);
    assert_eq!(outcomes(&said.stdout), ["not-attempted"; 2], "{said}");
    assert_eq!(socket.writes().len(), 1);
}

#[test]
fn a_namesake_far_down_a_long_list_makes_a_row_ambiguous() {
    let env = Env::sandbox();
    let twins = "a@example.com,Aaron,Aa,1980,TWIN\nz@example.com,Zoe,Zz,1981,TWIN\n";
    env.write("people.csv", people(70) + twins);
    let _ = env.line("testtakers import people.csv --allow-duplicates --concurrency 1").ok();
    env.write("twin.csv", "referenceId\nTWIN\n");
    for command in ["testtakers remove --file twin.csv --yes", "testtakers update --file twin.csv"] {
        let said = env.line(&format!("{command} -o csv")).exits(10);
        assert_eq!(outcomes(&said.stdout), ["conflict"], "{said}");
    }
    let said = env.line("links issue --file twin.csv --to links.csv").exits(10);
    let _ = said.mentions("twin.csv:2: conflict (2 people have this referenceId");
    assert_eq!(listed(&env, "referenceId").iter().filter(|id| *id == "TWIN").count(), 2);
}

#[test]
fn what_was_removed_is_remembered_by_what_it_was_called() {
    let env = prepared();
    env.write("leavers.csv", "id\n3\n");
    let _ = env.line("testtakers remove --file leavers.csv --yes").ok();
    env.write("others.csv", "referenceId\n3\n");
    let said = env.line("testtakers remove --file others.csv --yes -o csv").exits(4);
    assert_eq!(outcomes(&said.stdout), ["absent"], "{said}");
    let said = env.line("testtakers remove --file leavers.csv --yes -o csv").ok();
    assert_eq!(outcomes(&said.stdout), ["removed"], "{said}");
    let _ = env.line("journal forget --yes").ok();
    let said = env.line("testtakers remove --file leavers.csv --yes -o csv").exits(4);
    assert_eq!(outcomes(&said.stdout), ["absent"], "forgotten with the rows: {said}");
}

#[test]
fn a_person_who_goes_while_an_import_updates_is_gone_and_the_others_are_updated() {
    let person = |id: i32| format!(r#"{{"id":{id},"email":"p{id}@b","referenceId":"R-{id}","firstName":"Old"}}"#);
    let socket = Socket::answering(move |request, _| match (request.method.as_str(), request.parameter("page")) {
        ("GET", Some("1")) => Answer::ok(&format!("[{},{}]", person(1), person(2))),
        ("GET", _) => Answer::ok("[]"),
        _ if request.path().ends_with("/1") => Answer::problem(404, "Not Found", "no such test taker"),
        _ => Answer::ok(&person(2).replace("Old", "New")),
    });
    let env = Env::at(&socket.url);
    env.write("people.csv", "email,firstName,referenceId\np1@b,New,R-1\np2@b,New,R-2\n");
    let line = format!("testtakers import people.csv -p {PROJECT} --on-existing update -o csv");
    let said = env.line(&line).exits(10);
    assert_eq!(outcomes(&said.stdout), ["gone", "updated"], "{said}");
}

#[test]
fn several_named_people_are_removed_or_the_reason_is_said() {
    let env = prepared();
    let said = env.line("testtakers remove ref:EMP-10 id:2 --yes -o csv").ok();
    assert_eq!(outcomes(&said.stdout), ["removed", "removed"], "{said}");
    assert_eq!(listed(&env, "referenceId").len(), 3);
    let socket = Socket::answering(|request, _| match (request.method.as_str(), request.parameter("page")) {
        ("GET", Some("1")) => Answer::ok(r#"[{"id":1,"email":"a@b","referenceId":"A"}]"#),
        ("GET", _) => Answer::ok("[]"),
        _ => Answer::new(429, &["Retry-After: 3600"], ""),
    });
    let said = Env::at(&socket.url).line(&format!("testtakers remove ref:A -p {PROJECT} --yes -o csv")).exits(6);
    assert_eq!(outcomes(&said.stdout), ["not-attempted"], "{said}");
    let _ = said.mentions("error: ").mentions("try again later");
}

#[test]
fn an_import_updates_whom_it_is_told_to_update() {
    let env = prepared();
    env.write("new.csv", people(6).replace("First1", "Given1"));
    let said = env.line("testtakers import new.csv -o csv").ok();
    assert_eq!(outcomes(&said.stdout)[5], "enrolled", "{said}");
    let said = env.line("testtakers import new.csv --on-existing update -o csv").ok();
    assert_eq!(outcomes(&said.stdout), [vec!["updated"; 5], vec!["enrolled"]].concat(), "{said}");
    assert_eq!(listed(&env, "firstName").iter().filter(|name| name.starts_with("Given1")).count(), 6);
    let said = env.line("testtakers import new.csv --on-existing update -o csv").ok();
    assert_eq!(outcomes(&said.stdout), vec!["enrolled"; 6], "{said}");
}

#[test]
fn people_whom_the_list_lacks_are_looked_up_side_by_side() {
    let together = std::sync::Barrier::new(4);
    let socket = Socket::answering(move |request, _| {
        if request.parameter("referenceId").is_some() {
            // One by one, the first would wait for ever.
            together.wait();
        }
        Answer::ok("[]")
    });
    let env = Env::at(&socket.url);
    env.write("leavers.csv", "referenceId\nA\nB\nC\nD\nE\nF\nG\nH\n");
    let line = format!("testtakers remove --file leavers.csv -p {PROJECT} --yes --concurrency 8 -o csv");
    let said = env.line(&line).exits(4);
    assert_eq!(outcomes(&said.stdout), ["absent"; 8], "{said}");
}
