//! Rehearsed failures, several processes on one state, and its end and beginning.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::*;
use crate::model::verdict::Verdict;

#[test]
fn a_connection_ends_before_or_after_the_work() {
    for (fault, enrolled) in [("close-before@enrol", 0), ("close-after@enrol", 1)] {
        let bench = Bench::with_fault(fault);
        let path = format!("{}/testtakers", bench.demo());
        assert_eq!(exchange(&bench.sandbox, "POST", &path, &bench.key(), PERSON), "", "{fault}");
        assert_eq!(bench.count(), enrolled, "{fault}");
    }
}

#[test]
fn late_and_delayed_work_is_done_although_the_client_is_gone() {
    for fault in ["late=200ms@enrol", "delay=200ms@enrol"] {
        let bench = Bench::with_fault(fault);
        let (path, start) = (format!("{}/testtakers", bench.demo()), Instant::now());
        let mut stream = begin(&bench.sandbox, "POST", &path, &bench.key(), PERSON);
        if fault.starts_with("late") {
            assert_eq!(stream.read_to_end(&mut Vec::new()).expect("an end"), 0);
            assert_eq!(bench.count(), 0);
        }
        // Whoever is answered later was read later.
        let _ = bench.count();
        drop(stream);
        while bench.count() == 0 {
            assert!(start.elapsed() < Duration::from_secs(20), "it never came");
        }
        assert!(start.elapsed() >= Duration::from_millis(200));
    }
}

#[test]
fn a_refusal_does_nothing_and_says_when_to_come_back() {
    let bench = Bench::with_fault("refuse=503@enrol,nth=2,retry-after=7");
    let path = format!("{}/testtakers", bench.demo());
    let answers = [(); 3].map(|()| bench.send("POST", &path, PERSON));
    assert_eq!(answers.each_ref().map(|answer| answer.status), [201, 503, 201]);
    assert_eq!(answers[1].header("retry-after"), Some("7"));
    assert_eq!((answers[1].json()["title"].as_str(), bench.count()), (Some("Service Unavailable"), 2));
}

#[test]
fn lists_and_look_ups_show_an_earlier_time() {
    let bench = Bench::with(|options| options.faults.push("lag=1h".parse().expect("a fault")));
    // The project is old; each person says by their name when they came and went.
    bench.sql(
        "UPDATE projects SET created = created - 9 * 3600000000;
         INSERT INTO people (project, email, reference_id, full_name, sorted, searched, created, until)
         SELECT 1, 'x', name, name, name, name, strftime('%s', 'now', came) * 1000000, strftime('%s', 'now', went) * 1000000
         FROM (SELECT 'stays' AS name, '-2 hours' AS came, '+1000 years' AS went UNION ALL
               SELECT 'left-now', '-2 hours', '-1 minutes' UNION ALL
               SELECT 'left-before', '-3 hours', '-2 hours' UNION ALL SELECT 'new', '-1 minutes', '+1000 years')",
    );
    let demo = bench.demo();
    let people = bench.column(&format!("{demo}/testtakers?orderBy=FullName"), "fullName");
    assert_eq!(people, ["stays", "left-now"]);
    let found = ["stays", "left-now", "left-before", "new"].map(|id| bench.get(&format!("{demo}/results/{id}")).status);
    assert_eq!(found, [200, 200, 404, 404]);
    bench.send("POST", "/projects", r#"{"name":"New"}"#);
    bench.send("POST", "/workspace/redirect-uris", r#"["https://a.example"]"#);
    assert_eq!(bench.column("/projects", "name"), ["Demo"]);
    assert_eq!(bench.get("/workspace/redirect-uris").json(), json!([]));
}

#[test]
fn each_operation_is_hit_by_its_name() {
    let bench = Bench::new();
    let (demo, entry) = (bench.demo(), bench.enrol(&json!({"email": "a@x.example", "referenceId": "E-1"})));
    let person = format!("{demo}/testtakers/{entry}");
    for (operation, method, path) in [
        ("projects", "GET", "/projects"),
        ("create-project", "POST", "/projects"),
        ("project", "GET", &demo),
        ("project-link", "GET", &format!("{demo}/get-link")),
        ("testtakers", "GET", &format!("{demo}/testtakers")),
        ("enrol", "POST", &format!("{demo}/testtakers")),
        ("update", "PATCH", &person),
        ("remove", "DELETE", &person),
        ("link", "POST", &format!("{person}/test-link")),
        ("results", "GET", &format!("{demo}/results")),
        ("result", "GET", &format!("{demo}/results/E-1")),
        ("redirect-uris", "GET", "/workspace/redirect-uris"),
        ("add-redirect-uris", "POST", "/workspace/redirect-uris"),
    ] {
        let mut options = SandboxOptions::new(&bench.state());
        options.faults.push(format!("refuse=599@{operation}").parse().expect("a fault"));
        let sandbox = Embedded::start(options).expect("started");
        let key = format!("x-api-key: {}\r\n", sandbox.key.expose());
        assert_eq!(send(&sandbox, method, path, &key, "").status, 599, "{operation}");
    }
}

#[test]
fn several_processes_create_at_once_without_an_error() {
    let bench = Bench::new();
    let path = format!("{}/testtakers", bench.demo());
    let second = Embedded::start(SandboxOptions::new(&bench.state())).expect("started");
    let keys = [&bench.sandbox, &second].map(|one| (one, format!("x-api-key: {}\r\n", one.key.expose())));
    let (keys, path) = (&keys, &path);
    let created: BTreeSet<i64> = std::thread::scope(|scope| {
        let clients = (0..16).map(|client| {
            scope.spawn(move || {
                let (sandbox, key) = &keys[client % 2];
                let create = |_| send(sandbox, "POST", path, key, PERSON).json()["projectEntryId"].as_i64();
                (0..20).map(create).collect::<Option<Vec<i64>>>().expect("each is created")
            })
        });
        let clients: Vec<_> = clients.collect();
        clients.into_iter().flat_map(|client| client.join().expect("it ends")).collect()
    });
    assert_eq!(created, (1..=320).collect());
}

#[test]
fn the_state_survives_and_another_version_is_reset() {
    let bench = Bench::new();
    bench.enrol(&json!({"email": "a@x.example"}));
    let (demo, state) = (bench.demo(), bench.state());
    let Bench { sandbox, folder } = bench;
    drop(sandbox);
    let names =
        || -> BTreeSet<_> { state.read_dir().expect("read").map(|file| file.expect("a file").file_name()).collect() };
    assert_eq!(names(), BTreeSet::from(["sandbox.db".into()]), "SQLite has closed its log");
    let again = Bench { sandbox: Embedded::start(SandboxOptions::new(&state)).expect("started"), folder };
    assert_eq!((again.demo(), again.count()), (demo.clone(), 1));
    again.sql("PRAGMA user_version = 99");
    let refused = Embedded::start(SandboxOptions::new(&state)).expect_err("another version");
    assert_eq!((refused.verdict, refused.hint.as_deref()), (Verdict::Usage, Some("assessctl sandbox reset")));
    reset(&state).expect("reset");
    assert_ne!(again.demo(), demo, "a running sandbox goes on with the new state");
    assert_eq!(again.count(), 0);
}

#[test]
fn a_first_start_of_many_at_once_makes_one_state() {
    let folder = tempfile::tempdir().expect("a folder");
    let state = &folder.path().join("state");
    crate::files::private_folder(state).expect("made");
    // Somebody is writing when they start.
    let other = rusqlite::Connection::open(state.join("sandbox.db")).expect("opened");
    other.execute_batch("PRAGMA application_id = 1; BEGIN IMMEDIATE").expect("begun");
    let open = || -> String {
        let state = state::open(state).expect("opened");
        state.query_row("SELECT id FROM projects", [], |row| row.get(0)).expect("one project")
    };
    let projects: BTreeSet<String> = std::thread::scope(|scope| {
        let starts: Vec<_> = (0..8).map(|_| scope.spawn(open)).collect();
        std::thread::sleep(Duration::from_millis(50));
        drop(other);
        starts.into_iter().map(|start| start.join().expect("it ends")).collect()
    });
    assert_eq!(projects.len(), 1);
}

#[test]
fn seeded_people_are_the_same_each_time_and_varied() {
    let people = [(); 2].map(|()| {
        let bench = Bench::new();
        seed(&bench.state(), "demo", 25).expect("seeded");
        seed(&bench.state(), "demo", 15).expect("seeded");
        let path = format!("{}/results?orderBy=FullName&order=Asc", bench.demo());
        ["email", "fullName", "referenceId", "result"].map(|field| bench.column(&path, field))
    });
    assert_eq!(people[0], people[1]);
    let [emails, _, references, results] = &people[0];
    let different = |values: &[Value]| values.iter().map(Value::to_string).collect::<BTreeSet<_>>().len();
    assert_eq!((emails.len(), different(emails)), (40, 40));
    assert!(
        references.contains(&Value::Null) && results.contains(&Value::Null) && results.contains(&json!("HighRisk"))
    );
    assert!(different(results) > 7);
}
