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
