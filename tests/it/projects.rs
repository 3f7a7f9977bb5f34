//! Projects: a name stands once, and what two of one name are told apart by.

use crate::harness::Env;
use crate::socket::{Answer, Socket};

#[test]
fn a_name_that_a_project_has_is_refused_and_its_id_and_day_are_said() {
    let env = Env::sandbox();
    let first = env.line("projects create 'Night shift' -o json --fields id").json();
    let said = env.line("projects create 'night SHIFT'").fails(5);
    let id = first["id"].as_str().expect("an id");
    let _ = said.mentions(id).mentions("(created 20").mentions("use it with -p NAME; --allow-duplicates");
    assert_eq!(env.line("projects list -o ndjson").data().lines().count(), 2);
    let _ = env.line("projects create 'Night shift 2' -o json").data();
    let second = env.line("projects create 'Night shift' --allow-duplicates -o json --fields id").json();
    let said = env.line("testtakers list -p 'Night shift'").fails(2);
    for id in [&first["id"], &second["id"]] {
        let text = format!("{} (created 20", id.as_str().expect("an id"));
        assert!(said.stderr.contains(&text), "{text} in {said}");
    }
    let _ = said.mentions("hint: name one by its id: -p ");
}

#[test]
fn a_name_that_is_typed_loses_the_blanks_around_it_as_a_cell_does() {
    let env = Env::sandbox();
    let project = env.line("projects create '  Night shift ' -o json").json();
    assert_eq!(project["name"], "Night shift");
    let line =
        "testtakers enrol --email ' ann@example.com' --first-name ' Ann ' --reference-id 'A-1 ' -p 'Night shift'";
    let person = env.line(&format!("{line} -o json")).json();
    assert_eq!([&person["email"], &person["firstName"], &person["referenceId"]], ["ann@example.com", "Ann", "A-1"]);
    let update = env.line("testtakers update ref:A-1 --last-name ' Lee ' -p 'Night shift' -o json").json();
    assert_eq!(update["lastName"], "Lee");
    for line in ["projects create '  '", "testtakers update ref:A-1 --last-name '  ' -p 'Night shift'"] {
        let _ = env.line(line).fails(2).mentions("must not be empty");
    }
}

#[test]
fn a_name_among_several_that_no_project_has_is_a_mistake_of_the_line() {
    let env = Env::sandbox();
    for command in ["results summary", "results export --to results.csv"] {
        for (projects, code) in [("-p Nope", 4), ("-p Nope -p Demo", 2), ("-p Demo -p Nope", 2)] {
            let said = env.line(&format!("{command} {projects}")).fails(code);
            let _ = said.mentions("there is no project named \"Nope\"\nhint: `assessctl projects list` shows");
        }
    }
}

#[test]
fn a_deleted_project_frees_its_name() {
    let env = Env::sandbox();
    let _ = env.line("projects create Depot -q").ok();
    let _ = env.line("sandbox set -p Depot --state Deleted").ok();
    let _ = env.line("projects create Depot -q").ok();
}

#[test]
fn nothing_is_created_where_nobody_knows_whether_the_name_is_free() {
    let socket = Socket::always(Answer::problem(403, "Forbidden", "no"));
    let said = Env::at(&socket.url).line("projects create Depot").fails(3);
    let _ = said.mentions("cannot look whether the name is free; nothing was sent");
    assert!(socket.writes().is_empty());
    // The service searches parts of names, and may find deleted and others.
    let socket = Socket::answering(|request, _| match request.method.as_str() {
        "GET" => Answer::json(
            200,
            r#"[{"id":"5a1f0a30-6c8e-4d52-9f3a-0d9d6c1f2b11","name":"Depot 2","state":"Active"},
            {"id":"5a1f0a30-6c8e-4d52-9f3a-0d9d6c1f2b12","name":"Depot","state":"Deleted"}]"#,
        ),
        _ => Answer::json(200, r#"{"id":"5a1f0a30-6c8e-4d52-9f3a-0d9d6c1f2b13","name":"Depot"}"#),
    });
    let _ = Env::at(&socket.url).line("projects create Depot -o json").data();
    let look_up = &socket.requests()[0];
    assert_eq!((look_up.parameter("filter"), look_up.parameter("bypassCache")), (Some("Depot"), Some("true")));
    assert_eq!(socket.writes().len(), 1);
}
