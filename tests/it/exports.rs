//! Exports: whole files or none, whatever the list, the service and the disk do meanwhile.

use snapbox::str;

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::harness::{Env, KEY, Said, Served};
use crate::lists::{page, person};
use crate::socket::{Answer, Socket};
use crate::wire::PROJECT;

/// A machine whose commands go to a served sandbox of its own, with these faults, and on which `roster` people are
/// enrolled in `Demo`.
pub(crate) fn served(people: usize, more: &[&str]) -> (Env, Served) {
    let here = Env::new();
    let row = |n| format!("p{n}@example.com,First{:03},Last{n},EMP-{n:05}\n", (n * 7919) % 1000);
    here.write(
        "people.csv",
        format!("email,firstName,lastName,referenceId\n{}", (1..=people).map(row).collect::<String>()),
    );
    let said = here.line("--profile sandbox testtakers import people.csv -q --concurrency 16 -o csv").ok();
    assert_eq!(said.stdout.lines().count(), people + 1, "{said}");
    let served = here.serve(&[&["--key", KEY], more].concat());
    let url = served.url.clone();
    (here.with("ASSESSCTL_BASE_URL", &url).with("ASSESSCTL_API_KEY", KEY).with("ASSESSCTL_PROJECT", "Demo"), served)
}

/// A machine whose commands go to a socket of `count` people.
fn at_socket(count: i64) -> (Env, Socket) {
    let all: Vec<_> = (1..=count).map(person).collect();
    let socket = Socket::answering(move |request, _| {
        if request.path().ends_with("/results") {
            return page(request, &all);
        }
        Answer::ok(&json!({"id": PROJECT, "name": "Night / shift"}).to_string())
    });
    (Env::at(&socket.url).with("ASSESSCTL_PROJECT", PROJECT), socket)
}

fn files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<_> = entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn an_export_is_verified_sorted_and_the_same_bytes_when_nothing_changed() {
    let (env, _served) = served(130, &[]);
    for (name, first) in [("a.csv", "id,email,"), ("a.json", "[\n  {\n    \"id\": 1,"), ("a.ndjson", "{\"id\":1,")] {
        let _ = env.line(&format!("results export --to {name}")).data();
        let once = env.read(name);
        assert!(once.starts_with(first), "{once}");
        let _ = env.line(&format!("results export --to {name}")).data();
        assert_eq!(env.read(name), once, "{name}");
    }
    let ids: Vec<u32> =
        env.read("a.csv").lines().skip(1).map(|line| line.split(',').next().unwrap().parse().unwrap()).collect();
    assert_eq!(ids, (1..=130).collect::<Vec<_>>());
}

#[test]
fn the_format_is_the_endings_unless_it_is_named() {
    let (env, _socket) = at_socket(3);
    let _ = env.line("results export --to a.csv -o ndjson").data();
    assert_eq!(env.read("a.csv").lines().count(), 3);
    let _ = env.line("results export --to a.dat").fails(2).shows(str![[r#"
exit 2
--- stdout
--- stderr
error: cannot tell the format from the ending of a.dat
hint: end the name in .csv, .json, .ndjson, .xlsx or .txt, or add -o FORMAT

"#]]);
    let _ = env.line("results export").fails(2).shows(str![[r#"
exit 2
--- stdout
--- stderr
error: an export needs a place
hint: add --to FILE: `assessctl results export --to FILE.csv`, or --to-dir FOLDER for one file a project; list in place of export prints it, with -o csv

"#]]);
    let _ = env.line("results export --to a.csv --fields id,nmae").fails(2).shows(str![[r#"
exit 2
--- stdout
--- stderr
error: there is no field "nmae" here: the fields are id, email, referenceId, firstName, lastName, fullName, yearOfBirth, result, dateCompleted, lastTestSentUtc, topPerformer

"#]]);
    let _ = env.line("results export --to no/a.csv").fails(2);
}

#[test]
fn several_projects_go_into_one_file_with_a_column_or_into_a_file_each() {
    let (env, _socket) = at_socket(2);
    let other = "11111111-2222-4333-8444-555555555555";
    let _ = env.line(&format!("results export -p {PROJECT} -p {other} --to all.csv")).data();
    let all = env.read("all.csv");
    assert!(all.starts_with("project,projectId,id,"), "{all}");
    fs::create_dir(env.work().join("each")).expect("a folder");
    let _ = env.line(&format!("results export -p {PROJECT} --to-dir each")).data();
    let names = files(&env.work().join("each"));
    assert_eq!(names.len(), 2, "{names:?}");
    assert!(names[1].starts_with("Night-shift-") && names[1].split('.').next_back() == Some("csv"), "{names:?}");
    assert!(fs::read_to_string(env.work().join("each").join(&names[1])).unwrap().starts_with("id,"));
}

#[test]
fn a_project_whose_export_is_refused_holds_no_other_one_up() {
    let env = Env::sandbox();
    for name in ["Alpha", "Beta"] {
        let _ = env.line(&format!("projects create {name} -q")).ok();
        let _ = env.line(&format!("testtakers enrol -p {name} --email a@example.com -q")).ok();
    }
    let _ = env.line("results export -p Alpha -p Beta --to-dir each").fails(2).shows(str![[r#"
exit 2
--- stdout
--- stderr
error: the folder each of --to-dir does not exist
hint: create the folder first: where a disk is not mounted, its files would go elsewhere

"#]]);
    fs::create_dir(env.work().join("each")).expect("a folder");
    let export = "results export -p Alpha -p Beta --to-dir each";
    let _ = env.line(export).data();
    let _ = env.line("testtakers remove id:1 -p Alpha --yes").ok();
    let _ = env.line("testtakers enrol -p Beta --email b@example.com -q").ok();
    let _ = env.line(export).fails(7).mentions("Alpha").mentions("--allow-empty");
    let beta = files(&env.work().join("each")).into_iter().find(|name| name.starts_with("Beta")).expect("a file");
    assert_eq!(fs::read_to_string(env.work().join("each").join(beta)).expect("text").lines().count(), 3);
}

#[test]
fn all_projects_but_deleted_ones_are_exported() {
    let env = Env::sandbox();
    for name in ["Alpha", "Beta", "Gone"] {
        let _ = env.line(&format!("projects create {name} -q")).ok();
        let _ = env.line(&format!("testtakers enrol -p {name} --email a@example.com -q")).ok();
    }
    let _ = env.line("sandbox set -p Gone --state Deleted").ok();
    let _ = env.line("results export --all-projects --to all.ndjson").data();
    let projects: Vec<Value> = env
        .read("all.ndjson")
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["project"].clone())
        .collect();
    assert_eq!(projects, ["Alpha", "Beta"]);
}

#[test]
fn an_empty_export_does_not_take_the_place_of_one_that_had_results() {
    let (env, _served) = served(3, &[]);
    for name in ["a.csv", "a.json", "a.ndjson"] {
        let _ = env.line(&format!("results export --to {name}")).data();
        let before = env.read(name);
        let nobody = format!("results export --to {name} --completed-only");
        let _ = env.line(&nobody).fails(7).mentions("--allow-empty");
        assert_eq!(env.read(name), before);
        let _ = env.line(&format!("{nobody} --allow-empty")).data();
        assert_ne!(env.read(name), before);
        // An empty one may follow an empty one.
        let _ = env.line(&nobody).data();
        // Nobody is flagged of people who are there: what is picked here is no empty list.
        let _ = env.line(&format!("results export --to {name}")).data();
        let _ = env.line(&format!("results export --to {name} --flagged")).data();
        assert_ne!(env.read(name), before);
    }
}

#[test]
fn the_previous_file_stays_whatever_page_fails() {
    for (nth, answer) in [
        (2, Answer::new(500, &[], "")),
        (3, Answer::ok("[{\"id\":1")),
        (4, Answer::ok("{}")),
        (3, Answer::problem(403, "Forbidden", "no")),
    ] {
        let all: Vec<_> = (1..=250).map(person).collect();
        let socket = Socket::answering(move |request, before| match before + 1 {
            n if n >= nth => answer.clone(),
            _ => page(request, &all),
        });
        let env = Env::at(&socket.url);
        env.write("a.csv", "id\n7\n");
        let said = env.line(&format!("results export -p {PROJECT} --to a.csv --deadline 3s"));
        assert!(said.code != 0 && said.stdout.is_empty(), "{said}");
        assert_eq!(env.read("a.csv"), "id\n7\n", "{said}");
        assert_eq!(files(&env.work()), [".a.csv.lock", "a.csv"]);
    }
}

#[test]
fn one_export_at_a_time_goes_into_a_file_and_another_can_wait() {
    let (env, _socket) = at_socket(1);
    env.write("a.csv", "id\n7\n");
    let lock = fs::File::create(env.work().join(".a.csv.lock")).expect("a file");
    lock.lock().expect("a lock");
    let _ = env.line("results export --to a.csv").fails(9).shows(str![[r#"
exit 9
--- stdout
--- stderr
error: another run is writing a.csv
hint: wait until it has ended, then run the same command again

"#]]);
    let _ = env.line("results export --to a.csv --wait-lock 300ms").fails(9);
    let _ = env.line("results export --to b.csv").data();
    let waiting = env.command(&["results", "export", "--to", "a.csv", "--wait-lock", "60s"]).spawn().expect("started");
    drop(lock);
    let _ = crate::harness::finish(waiting, b"").data();
    assert_ne!(env.read("a.csv"), "id\n7\n");
}

#[test]
fn an_alert_is_an_exit_code_after_the_whole_output() {
    let (env, _served) = served(4, &[]);
    let env = env.without("ASSESSCTL_PROFILE");
    let _ = env.line("sandbox set ref:EMP-00002 --result HighRisk").ok();
    for line in ["results export --to a.csv", "results list -o csv", "results changes -o csv"] {
        let quiet = env.line(&format!("{line} --fail-on Emergency")).ok();
        let said = env.line(&format!("{line} --fail-on highrisk,Emergency"));
        let _ = said.clone().exits(8);
        if line.contains("changes") {
            // Who was remembered and not told as an alert is one for whoever asks for it.
            assert!(said.stdout.contains("alert,2,EMP-00002"), "{said}");
        } else {
            assert_eq!(said.stdout, quiet.stdout, "{line}");
        }
        let _ = said.hides("p2@example.com warning");
    }
    let _ = env.line("sandbox set ref:EMP-00003 --result Emergency").ok();
    let said = env.line("results changes -o csv --fail-on highrisk,Emergency").exits(8);
    assert!(said.stderr.contains("1 result is Emergency"), "{said}");
    assert!(said.stdout.contains(",Emergency,"), "{said}");
    assert!(env.read("a.csv").contains("HighRisk"));
}

#[test]
fn filters_of_this_program_work_over_the_whole_list() {
    let (env, _served) = served(150, &[]);
    let _ = env.line("sandbox set ref:EMP-00149 --result HighRisk --completed 2h").ok();
    let _ = env.line("sandbox set ref:EMP-00150 --result Completed --completed 30h").ok();
    let count = |filter: &str| env.line(&format!("results list -o ndjson {filter}")).data().lines().count();
    assert_eq!(count("--result HighRisk,Completed"), 2);
    assert_eq!(count("--completed-since 24h"), 1);
    assert_eq!(count("--not-completed"), 148);
    assert_eq!(count("--result highrisk --limit 1"), 1);
    let _ = env.line("results list --completed-since 2026-01-01T00:00:00").fails(2).shows(str![[r#"
exit 2
--- stdout
--- stderr
error: --completed-since: "[TIME]" has no time zone: give [TIME] for UTC, or local time with its offset, such as [TIME]+02:00
hint: did you mean `assessctl results list --completed-since [TIME]`?

"#]]);
}

#[test]
fn the_older_shape_is_exported_and_says_once_what_it_cannot_promise() {
    let env = Env::new();
    let served = env.serve(&["--key", KEY, "--results-api", "legacy"]);
    let url = served.url.clone();
    let env = env.with("ASSESSCTL_BASE_URL", &url).with("ASSESSCTL_API_KEY", KEY).with("ASSESSCTL_PROJECT", "Demo");
    let _ = env.line("testtakers enrol --email b@example.com -q").ok();
    let _ = env.line("testtakers enrol --email a@example.com -q").ok();
    let said = env.line("results export --to a.csv --results-api legacy").ok();
    assert_eq!(said.stderr.matches("weaker").count() + said.stderr.matches("told apart").count(), 1, "{said}");
    let emails: Vec<_> =
        env.read("a.csv").lines().skip(1).map(|line| line.split(',').nth(1).unwrap().to_owned()).collect();
    assert_eq!(emails, ["a@example.com", "b@example.com"]);
    let _ = env.line("results export --to a.csv").fails(2).shows(str![[r#"
exit 2
--- stdout
--- stderr
error: cannot read the results: the service answers results in the older (legacy) shape
hint: add --results-api legacy, or type `assessctl config set results-api legacy`

"#]]);
    let said = env.line("results changes --results-api legacy").ok();
    assert!(said.stderr.contains("no memory of this project: nothing to compare with"), "{said}");
}

#[test]
fn a_deadline_ends_what_would_take_longer_and_says_when_to_come_back() {
    let socket = Socket::always(Answer::new(429, &["Retry-After: 120"], ""));
    let env = Env::at(&socket.url);
    let said = env.line(&format!("testtakers list -p {PROJECT} --deadline 5s")).fails(6);
    assert!(said.stderr.contains("asked again at 20") && said.stderr.contains("429"), "{said}");
    assert_eq!(socket.requests().len(), 1);
    let hanging = Socket::always(Answer::Hang(b"HTTP/1.1 200 OK\r\n".to_vec()));
    let env = Env::at(&hanging.url);
    let _ = env.line(&format!("results export -p {PROJECT} --to a.csv --deadline 1s")).fails(6).mentions("deadline");
    let _ = env.line(&format!("projects get {PROJECT} --deadline 1s")).fails(6);
}

#[test]
fn an_import_that_runs_out_of_time_accounts_for_every_row() {
    let socket = Socket::answering(|request, _| match request.method.as_str() {
        "GET" => Answer::ok("[]"),
        _ => Answer::new(429, &["Retry-After: 60"], ""),
    });
    let env = Env::at(&socket.url);
    env.write("people.csv", "email\na@example.com\nb@example.com\n");
    let said: Said = env.line(&format!("testtakers import people.csv -p {PROJECT} --deadline 2s -o csv"));
    assert!([6, 7].contains(&said.code), "{said}");
    assert_eq!(said.stdout.matches("not-attempted").count(), 2, "{said}");
}
