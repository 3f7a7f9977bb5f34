//! How a project is found by its name, and what a wrong name ends with.

use serde_json::json;

use crate::support::env::Env;
use crate::support::service::{Op, Service};

fn service() -> Service {
    let service = Service::start();
    let all = [
        ("Depot", "Active"),
        ("DEPOT", "Active"),
        ("Mine", "Active"),
        ("Gone", "Deleted"),
        ("Twice", "Active"),
        ("Twice", "Draft"),
        ("Shared", "Deleted"),
        ("Shared", "Inactive"),
    ];
    let project = |(at, (name, state)): (usize, &(&str, &str))| {
        let id = format!("00000000-0000-4000-8000-{:012}", at + 1);
        json!({ "id": id, "name": name, "state": state, "dateCreated": "2026-02-03T04:05:06Z" })
    };
    service.held().projects = all.iter().enumerate().map(project).collect();
    service
}

#[test]
fn names_ignore_case_and_are_never_guessed() {
    let service = service();
    let env = Env::at(&service.url);
    let list = |name: &str| env.run(&["testtakers", "list", "-p", name, "-o", "ndjson"]);
    for (name, number) in [("Mine", 3), ("mine", 3), ("Shared", 8)] {
        let _ = list(name).data();
        let newest = service.log().last().cloned().expect("a request");
        assert!(newest.path().contains(&format!("-{number:012}/")), "{name}: {}", newest.target);
    }
    assert!(
        service
            .log()
            .iter()
            .filter(|request| request.path() == "/projects")
            .all(|request| { request.parameter("bypassCache").as_deref() == Some("true") })
    );
    for (name, id) in [("depot", 1), ("Depot", 2), ("Twice", 5), ("Twice", 6)] {
        let _ = list(name).fails(2).names(&format!("00000000-0000-4000-8000-{id:012}")).names("2026-02-03");
    }
}

#[test]
fn a_mistyped_project_is_a_wrong_call_with_the_nearest_names() {
    let service = service();
    let env = Env::at(&service.url);
    for command in ["testtakers list", "results list", "results get EMP-1", "projects link"] {
        let _ = env.line(&format!("{command} -p Mne")).fails(2).names("Mine");
        let _ = env.line_with("ASSESSCTL_PROJECT", "Mne", command).fails(2).names("Mine");
        let _ = env.line(&format!("{command} -p Gone")).fails(2);
        let _ = env.line(&format!("{command} -p ''")).fails(2);
        let _ = env.line(&format!("{command} -p 00000000-0000-4000-8000-00000000ffff")).exits(2);
    }
    let _ = env.line("testtakers list").fails(2);
    let _ = env.line("projects get Mne").fails(4);
    let _ = env.line("projects get 00000000-0000-4000-8000-00000000ffff").fails(4);
    let _ = env.line("projects get 00000000-0000-4000-8000-000000000004 -o json").ok();
    assert_eq!(service.count(Op::CreateProject), 0);
}

#[test]
fn a_name_that_exists_is_refused_and_a_deleted_one_is_free() {
    let service = service();
    let env = Env::at(&service.url);
    for name in ["Depot", "  Depot "] {
        let _ = env.run(&["projects", "create", name]).fails(5).names("00000000-0000-4000-8000-000000000001");
    }
    assert_eq!(service.count(Op::CreateProject), 0);
    let _ = env.line("projects create Depot --allow-duplicate").ok();
    let _ = env.line("projects create Gone").ok();
    let id = env.line("projects create Fresh -q").data();
    assert!(uuid::Uuid::parse_str(id.trim_end()).is_ok(), "{id}");
    for (name, response) in [("", ""), ("x".repeat(51).as_str(), ""), ("Long", "x".repeat(1001).as_str())] {
        let said = env.run(&["projects", "create", name, "--fit-for-duty-response", response]);
        let _ = said.fails(2);
    }
    assert_eq!(service.count(Op::CreateProject), 3);
}
