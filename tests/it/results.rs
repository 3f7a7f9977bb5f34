//! Results as a service may tell them: in no word that is listed, by one operation and not by the other, of a project that
//! is gone or has two names.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use snapbox::str;

use crate::harness::Env;
use crate::lists::{page, person};
use crate::socket::{Answer, Request, Socket};
use crate::wire::PROJECT;

const OTHER: &str = "3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b691";

fn project(id: &str, name: &str) -> Value {
    json!({"id": id, "name": name, "dateCreated": "2026-01-01T00:00:00Z", "state": "Active"})
}

/// Somebody with this reference id and result, who completed a test.
fn tested(id: i64, result: &Value) -> Value {
    let mut record = person(id);
    record["result"] = result.clone();
    record["dateCompleted"] = json!("2026-03-01T06:00:00Z");
    record
}

/// The same in the older shape.
fn tested_before(id: i64, status: &Value) -> Value {
    json!({"referenceId": format!("EMP-{id:05}"), "email": format!("p{id}@example.com"), "fullName": format!("P {id}"),
        "status": status, "dateCompleted": "2026-03-01T06:00:00Z"})
}

/// A service of the projects Demo and Two, which have these people; `PROJECT` is Demo. A single result is the list's.
fn service(of_demo: Vec<Value>, of_two: Vec<Value>) -> impl Fn(&Request) -> Answer + Send + Sync + 'static {
    move |request| {
        let path: Vec<&str> = request.path().split('/').skip(1).collect();
        let people = |id| if id == PROJECT { &of_demo } else { &of_two };
        match path.as_slice() {
            ["projects"] => page(request, &[project(PROJECT, "Demo"), project(OTHER, "Two")]),
            ["projects", id] => Answer::ok(&project(id, if *id == PROJECT { "Demo" } else { "Two" }).to_string()),
            ["projects", id, "results" | "testtakers"] => match request.parameter("referenceId") {
                Some(wanted) => {
                    let named = people(*id).iter().filter(|person| person["referenceId"] == wanted);
                    page(request, &named.cloned().collect::<Vec<_>>())
                }
                None => page(request, people(*id)),
            },
            ["projects", id, "results", wanted] => {
                match people(*id).iter().find(|person| person["referenceId"] == **wanted) {
                    Some(found) => Answer::ok(&found.to_string()),
                    None => Answer::problem(404, "Not Found", ""),
                }
            }
            _ => Answer::problem(404, "Not Found", ""),
        }
    }
}

fn served(answers: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> (Env, Socket) {
    let socket = Socket::answering(move |request, _| answers(request));
    (Env::at(&socket.url), socket)
}

#[test]
fn an_older_status_that_is_no_text_is_an_unlisted_result_for_every_command() {
    for (status, text) in [
        (json!(7), "7"),
        (json!(0), "0"),
        (json!(true), "true"),
        (json!(["HighRisk"]), "\"[\"\"HighRisk\"\"]\""),
        (json!({"value": "HighRisk"}), "\"{\"\"value\"\":\"\"HighRisk\"\"}\""),
    ] {
        let people = vec![tested_before(1, &json!("Completed")), tested_before(2, &status)];
        let (env, _socket) = served(move |request| match request.path().rsplit('/').next() {
            Some("results") => page(request, &people),
            Some("EMP-00002") => Answer::ok(&people[1].to_string()),
            Some("testtakers") => Answer::ok("[]"),
            _ => Answer::ok(&project(PROJECT, "Demo").to_string()),
        });
        let line = |line: &str| env.line(&format!("results {line} -p {PROJECT} --results-api legacy -q"));
        let shown = format!("referenceId,status\nEMP-00002,{text}\n");
        let alert = "warning: 1 result is unlisted\n";
        for chosen in ["--flagged", "--result unlisted"] {
            let said = line(&format!("list {chosen} --fail-on unlisted -o csv --fields referenceId,status")).exits(8);
            assert_eq!((said.stdout, said.stderr.as_str()), (shown.clone(), alert), "{status} {chosen}");
        }
        let fields = "enrolled,completed,flagged,safetyRate,otherResults,noResult";
        let said = line(&format!("summary -o csv --fields {fields}"));
        assert_eq!(said.data(), format!("{fields}\n2,2,1,0.5,1,0\n"), "{status}");
        assert_eq!(line("export --to all.csv --fail-on unlisted").exits(8).stderr, alert, "{status}");
        let said = line("get EMP-00002 --fail-on unlisted -o csv --fields status").exits(8);
        assert_eq!((said.stdout, said.stderr.as_str()), (format!("status\n{text}\n"), alert), "{status}");
        let said = line("changes --look --fail-on unlisted -o csv --fields referenceId,result").exits(8);
        assert_eq!(said.stdout, shown.replace("status", "result"), "{status}");
        let _ = line("report --to page.html").ok();
        let page = env.read("page.html");
        assert!(page.contains("1 result is none that the specification lists, and not counted as safe."), "{page}");
    }
}

#[test]
fn one_project_under_two_names_stands_once_in_an_export_and_in_a_summary() {
    let usual = service((1..=3).map(person).collect(), Vec::new());
    let renamed = format!("/projects/{PROJECT}");
    let (env, _socket) = served(move |request| {
        let is_cached = request.path() == renamed;
        if is_cached { Answer::ok(&project(PROJECT, "Before").to_string()) } else { usual(request) }
    });
    let _ = env.line(&format!("results export -p Demo -p {PROJECT} --to all.csv --fields project,id")).data();
    assert_eq!(env.read("all.csv"), "project,id\nDemo,1\nDemo,2\nDemo,3\n");
    let said = env.line(&format!("results summary -p Demo -p {PROJECT} -o csv --fields project,enrolled"));
    assert_eq!(said.data(), "project,enrolled\nDemo,3\n");
}

#[test]
fn a_project_of_several_that_cannot_be_counted_is_named_and_its_absence_is_not_that_of_all() {
    let two = format!("/projects/{OTHER}/results");
    for (status, code, hint) in [
        (404, 7, "run the same command again; where the project is gone, name the others with -p"),
        (403, 3, "this API key may not do that; ask for one that may"),
    ] {
        let usual = service(vec![person(1)], Vec::new());
        let path = two.clone();
        let (env, _socket) =
            served(
                move |request| {
                    if request.path() == path { Answer::problem(status, "No", "") } else { usual(request) }
                },
            );
        let reason = if status == 404 { "Not Found" } else { "Forbidden" };
        for chosen in ["--all-projects", "-p Demo -p Two"] {
            let text = format!(
                "error: \"Two\" ({OTHER}) cannot be counted: cannot read the results: {status} {reason}: No\nhint: {hint}\n"
            );
            env.line(&format!("results summary {chosen} -o csv")).refuses(code, &text);
        }
        let said = env.line("results summary -p Two -o csv").fails(if status == 404 { 4 } else { 3 });
        let _ = said.mentions("\"Two\"");
    }
    let usual = service(vec![person(1)], Vec::new());
    let (env, _socket) =
        served(
            move |request| {
                if request.path().ends_with(OTHER) { Answer::problem(404, "No", "") } else { usual(request) }
            },
        );
    let gone = format!("error: cannot read the project {OTHER}: 404 Not Found: No\n");
    let hint = "hint: run the same command again; where the project is gone, name the others with -p\n";
    env.line(&format!("results summary -p Demo -p {OTHER}")).refuses(7, &format!("{gone}{hint}"));
    env.line("results summary -p Demo -p Tow")
        .refuses(7, "error: there is no project named \"Tow\"\nhint: did you mean \"Two\"?\n");
}
