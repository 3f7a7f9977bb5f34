//! The state: what survives, who else may use the file, which people the portal's changes mean.

use serde_json::json;

use super::client::{Sandbox, send};
use crate::model::projects::ProjectState;
use crate::model::results::ResultsApi;
use crate::sandbox::{Changes, Error, Who, reset, service_id, set_project_state, set_test_taker};

#[test]
fn the_state_survives_the_service() {
    let sandbox = Sandbox::new();
    let entry = sandbox.enrol(json!({ "email": "a@example.com" }));
    let demo = sandbox.demo();
    let Sandbox { service, folder } = sandbox;
    drop(service);
    let options = crate::sandbox::ServerOptions::new(folder.path().join("state").join("sandbox.db"));
    let again = Sandbox { service: crate::sandbox::Embedded::with(options).expect("it starts"), folder };
    assert_eq!(again.column(&format!("{demo}/testtakers"), "id"), [entry]);
}

#[test]
fn two_services_on_one_file_lose_nothing_and_give_no_id_twice() {
    let sandbox = Sandbox::new();
    let other = sandbox.beside(|_| {});
    let people = format!("{}/testtakers", sandbox.demo());
    let enrol = |service: &crate::sandbox::Embedded, name: &str| {
        for n in 0..40 {
            let answer = send(service, "POST", &people, Some(json!({ "email": format!("{name}{n}@example.com") })));
            assert_eq!(answer.status, 201, "{}", answer.text());
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| enrol(&sandbox.service, "a"));
        scope.spawn(|| enrol(&sandbox.service, "b"));
        scope.spawn(|| enrol(&other, "c"));
    });
    let mut ids: Vec<i64> = sandbox.column(&people, "id").iter().filter_map(serde_json::Value::as_i64).collect();
    ids.extend(sandbox.column(&format!("{people}?page=2"), "id").iter().filter_map(serde_json::Value::as_i64));
    ids.sort_unstable();
    assert_eq!(ids, (1..=120).collect::<Vec<i64>>());
}

#[test]
fn several_services_may_create_the_same_file_at_once() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("new").join("sandbox.db");
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| crate::sandbox::Embedded::start(file.clone(), ResultsApi::Current).expect("it starts"));
        }
    });
    let service = crate::sandbox::Embedded::start(file, ResultsApi::Current).expect("it starts");
    assert_eq!(send(&service, "GET", "/projects", None).json().as_array().map(Vec::len), Some(1));
}

#[cfg(unix)]
#[test]
fn the_files_are_the_users_alone() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    sandbox.enrol(json!({ "email": "a@example.com" }));
    let file = sandbox.state();
    let folder = file.parent().expect("a folder");
    let mode = |path: &std::path::Path| path.metadata().expect("it exists").permissions().mode() & 0o777;
    assert_eq!(mode(folder), 0o700);
    for entry in folder.read_dir().expect("a folder") {
        let path = entry.expect("an entry").path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
}

#[test]
fn a_reset_makes_a_new_service_with_the_first_project_alone() {
    let sandbox = Sandbox::new();
    let (demo, id) = (sandbox.demo(), service_id(&sandbox.state()).expect("an id"));
    assert_eq!(service_id(&sandbox.state()).expect("an id"), id);
    sandbox.enrol(json!({ "email": "a@example.com" }));
    sandbox.post("/workspace/redirect-uris", json!(["https://a.example.com/"]));
    assert!(reset(&sandbox.state()).expect("the file is ours"), "nobody reads the log");
    assert_ne!(service_id(&sandbox.state()).expect("an id"), id);
    assert_ne!(sandbox.demo(), demo);
    assert_eq!(sandbox.get(&demo).status, 404);
    assert_eq!(sandbox.get("/workspace/redirect-uris").json(), json!([]));
    assert_eq!(sandbox.enrol(json!({ "email": "a@example.com" })), 1);
}

#[test]
fn a_file_that_is_not_ours_is_left_alone() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = folder.path().join("text");
    std::fs::write(&text, "something else, and long enough to be no header of a database".repeat(20)).expect("a file");
    let database = folder.path().join("database");
    rusqlite::Connection::open(&database).and_then(|c| c.execute_batch("CREATE TABLE t (x)")).expect("a database");
    for file in [text, database] {
        let before = std::fs::read(&file).expect("a file");
        assert!(matches!(reset(&file), Err(Error::NotOurs { .. })), "{}", file.display());
        assert_eq!(std::fs::read(&file).expect("a file"), before);
    }
    assert!(matches!(service_id(folder.path()), Err(Error::File { .. } | Error::State(_))));
}

#[test]
fn tables_of_the_first_version_keep_their_people() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.enrol(json!({ "email": "a@example.com" })), 1);
    let first = "DROP INDEX test_takers_in_order; ALTER TABLE test_takers DROP COLUMN removed_at;
                 PRAGMA user_version = 1;
                 CREATE INDEX test_takers_by_name ON test_takers (project, full_name_folded, entry);";
    rusqlite::Connection::open(sandbox.state()).and_then(|c| c.execute_batch(first)).expect("the file is there");
    assert_eq!(sandbox.enrol(json!({ "email": "b@example.com" })), 2);
    let list = sandbox.get(&format!("{}/testtakers", sandbox.demo())).json();
    assert_eq!(list.as_array().map(Vec::len), Some(2), "{list}");
}

#[test]
fn tables_of_a_later_version_are_refused() {
    let sandbox = Sandbox::new();
    let raise = rusqlite::Connection::open(sandbox.state()).and_then(|c| c.pragma_update(None, "user_version", 99));
    raise.expect("the file is there");
    assert!(matches!(service_id(&sandbox.state()), Err(Error::Newer { version: 99, .. })));
}

#[test]
fn a_change_means_exactly_one_person_and_one_project() {
    let sandbox = Sandbox::new();
    for email in ["a@example.com", "A@example.com", "b@example.com"] {
        sandbox.enrol(json!({ "email": email, "referenceId": email.to_uppercase() }));
    }
    let set = |project: &str, who: Who| set_test_taker(&sandbox.state(), project, &who, &Changes::default());
    assert!(set("demo", Who::Email("B@EXAMPLE.com".to_owned())).is_ok());
    assert!(set("Demo", Who::Reference("B@EXAMPLE.COM".to_owned())).is_ok());
    assert!(matches!(set("Demo", Who::Reference("b@example.com".to_owned())), Err(Error::NoTestTaker)));
    assert!(matches!(set("Demo", Who::Id(4)), Err(Error::NoTestTaker)));
    let several = set("Demo", Who::Email("a@example.com".to_owned())).expect_err("two of them");
    assert_eq!(several.to_string(), "several test takers of the project are meant: id:1, id:2");
    assert!(matches!(set("Nowhere", Who::Id(1)), Err(Error::NoProject)));
    let unknown = uuid::Uuid::new_v4().to_string();
    assert!(matches!(set_project_state(&sandbox.state(), &unknown, &ProjectState::Draft), Err(Error::NoProject)));
    sandbox.post("/projects", json!({ "name": "DEMO" }));
    assert!(set("Demo", Who::Id(1)).is_ok());
    assert!(matches!(set("dEmO", Who::Id(1)), Err(Error::SeveralProjects)));
}

#[test]
fn a_reset_leaves_no_byte_of_whom_it_forgot() {
    let sandbox = Sandbox::new();
    for n in 0..200 {
        sandbox.enrol(json!({ "email": format!("canary.{n}@example.com"), "lastName": "Canarysson" }));
    }
    let holds = || {
        let folder = sandbox.state().parent().expect("a folder").to_owned();
        let files = folder.read_dir().expect("a folder").map(|entry| std::fs::read(entry.expect("an entry").path()));
        let bytes: Vec<u8> = files.flat_map(|bytes| bytes.expect("a file")).collect();
        ["canary.", "Canarysson", "canarysson"]
            .iter()
            .any(|name| bytes.windows(name.len()).any(|w| w == name.as_bytes()))
    };
    assert!(holds());
    assert!(reset(&sandbox.state()).expect("the file is ours"));
    assert!(!holds());
}
