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
        assert!(page.contains("1 result is not listed by the specification and not counted as safe."), "{page}");
    }
}

#[test]
fn a_completion_without_a_result_is_not_called_safe() {
    let people = vec![tested(1, &json!("Completed")), tested(2, &Value::Null)];
    let (env, _socket) = served(service(people, Vec::new()));
    let _ =
        env.line("results summary -p Demo -o csv --fields completed,flagged,safetyRate,noResult").shows(str![[r#"
exit 0
--- stdout
completed,flagged,safetyRate,noResult
2,0,0.5,1
--- stderr
1 person completed without a result and not counted as safe

"#]]);
    let _ = env.line("results get -p Demo EMP-00002 -q").shows(str![[r#"
exit 4
--- stdout

--- stderr
warning: no result, although a test was completed (exit code 4)

"#]]);
}

#[test]
fn a_result_that_is_not_found_is_asked_for_again_where_the_list_names_the_person() {
    let usual = service(vec![tested(1, &json!("HighRisk")), tested(2, &json!("Completed"))], Vec::new());
    let asked = AtomicUsize::new(0);
    let (env, _socket) = served(move |request| {
        let is_stray = request.path().ends_with("/EMP-00001") && asked.fetch_add(1, Ordering::SeqCst).is_multiple_of(2);
        if is_stray { Answer::problem(404, "Not Found", "") } else { usual(request) }
    });
    let alert = "warning: 1 result is HighRisk\n";
    let said = env.line("results get -p Demo EMP-00001 --fail-on HighRisk -q").exits(8);
    assert_eq!((said.stdout.as_str(), said.stderr.as_str()), ("HighRisk\n", alert));
    let said = env.line("results get -p Demo EMP-00001 EMP-00002 --fail-on HighRisk -o csv --fields outcome,result");
    assert_eq!((said.code, said.stdout.as_str()), (8, "outcome,result\nfound,HighRisk\nfound,Completed\n"), "{said}");
    assert_eq!(said.stderr, alert);
}

#[test]
fn a_result_that_the_list_alone_has_is_shown_and_never_absent() {
    let usual = service(vec![tested(1, &json!("Completed")), person_without(2)], Vec::new());
    let (env, socket) = served(move |request| {
        let is_single = request.path().contains("/results/");
        if is_single { Answer::problem(404, "Not Found", "") } else { usual(request) }
    });
    let warning = "warning: 1 result stands in the test taker list, and not found by itself: shown as the list has it; \
                   run the same command again\n";
    let said = env.line("results get -p Demo EMP-00001 --fail-on HighRisk -q").exits(7);
    assert_eq!((said.stdout.as_str(), said.stderr.as_str()), ("Completed\n", warning));
    assert_eq!(socket.count(&format!("GET /projects/{PROJECT}/results/EMP-00001")), 3);
    let said = env.line("results get -p Demo EMP-00001 --fail-on Completed -q").exits(8);
    assert_eq!(said.stdout, "Completed\n");
    // Of whom the list has no result either there is none.
    let said = env.line("results get -p Demo EMP-00001 EMP-00002 EMP-00003 -o csv --fields asked,outcome,result");
    let shown = "asked,outcome,result\nEMP-00001,found,Completed\nEMP-00002,absent,\nEMP-00003,absent,\n";
    assert_eq!((said.code, said.stdout.as_str()), (7, shown), "{said}");
}

fn person_without(id: i64) -> Value {
    let mut record = tested(id, &Value::Null);
    record["dateCompleted"] = Value::Null;
    record
}

#[test]
fn a_list_that_cannot_be_read_makes_nobody_absent() {
    let (env, _socket) = served(|request| match request.path().rsplit('/').next() {
        Some("testtakers") => Answer::problem(403, "Forbidden", "not for you"),
        _ => Answer::problem(404, "Not Found", ""),
    });
    let _ = env.line(&format!("results get -p {PROJECT} EMP-00001")).fails(3).shows(str![[r#"
exit 3
--- stdout
--- stderr
error: cannot read the result: 403 Forbidden: not for you
hint: this API key may not do that; ask for one that may

"#]]);
}

#[test]
fn of_many_people_the_list_is_read_once_and_who_is_not_in_it_is_looked_up() {
    let people: Vec<Value> = (1..=150).map(|id| tested(id, &json!("Completed"))).collect();
    let (listed, late) = (people[..149].to_vec(), people[149].clone());
    let usual = service(people, Vec::new());
    let (env, socket) = served(move |request| match request.parameter("referenceId") {
        None if request.path().ends_with("/testtakers") => page(request, &listed),
        Some("EMP-00150") => page(request, std::slice::from_ref(&late)),
        _ => usual(request),
    });
    let ids: Vec<String> = (1..=151).map(|id| format!("EMP-{id:05}")).collect();
    env.write("ids.csv", format!("referenceId\n{}\n", ids.join("\n")));
    let addresses: Vec<String> = (1..=148).map(|id| format!("P{id}@example.com")).collect();
    env.write("addresses.csv", format!("email\n{}\n", addresses.join("\n")));
    let path = format!("/projects/{PROJECT}/testtakers");
    let look_ups = || socket.requests().iter().filter(|asked| asked.path() == path).count();
    let said = env.line("testtakers get -p Demo --ids-from ids.csv -o csv --fields asked,outcome").exits(10);
    let mut shown: Vec<String> = (1..=150).map(|id| format!("ref:EMP-{id:05},found")).collect();
    shown.push("ref:EMP-00151,absent".to_owned());
    assert_eq!(said.stdout.lines().skip(1).collect::<Vec<_>>(), shown);
    assert!(look_ups() < 20, "{} requests", look_ups());
    let before = look_ups();
    let said = env.line("testtakers get -p Demo --ids-from addresses.csv -o csv --fields outcome --no-header").ok();
    assert_eq!(said.stdout, "found\n".repeat(148));
    assert!(look_ups() - before < 20, "{} requests", look_ups() - before);
    let before = look_ups();
    let said = env.line("results get -p Demo --ids-from ids.csv -o csv --fields result --no-header").exits(10);
    assert_eq!(said.stdout, "Completed\n".repeat(150) + "\"\"\n");
    assert!(look_ups() - before < 20, "{} requests", look_ups() - before);
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
        .refuses(2, "error: there is no project named \"Tow\"\nhint: did you mean \"Two\"?\n");
}

#[test]
fn an_earlier_export_of_other_projects_is_no_side_to_compare_with() {
    let (env, _socket) = served(service((1..=3).map(person).collect(), vec![person(9)]));
    let _ = env.line("results export --all-projects --to both.csv").data();
    let said = env.line("results changes -p Two --since both.csv -o csv --fields change,id").ok();
    assert_eq!(
        (said.stdout.as_str(), said.stderr.as_str()),
        ("change,id\n", "3 results of other projects in the file: left out\n")
    );
    let both = env.read("both.csv");
    let of_demo: Vec<&str> = both.lines().filter(|line| !line.starts_with("Two")).collect();
    env.write("demo.csv", of_demo.join("\n"));
    env.line("results changes -p Two --since demo.csv").refuses(
        2,
        "error: demo.csv holds results of other projects alone\nhint: name the project of the file with -p\n",
    );
    assert_eq!(env.line("results changes -p Demo --since demo.csv -o csv --fields id").data(), "id\n");
}

#[test]
fn a_journal_that_another_run_holds_is_waited_for_until_the_deadline_and_is_a_lock() {
    let (env, _socket) = served(service((1..=3).map(person).collect(), Vec::new()));
    let _ = env.line("results changes -p Demo --as cron").ok();
    let file = env.work().join("../state/journal.db");
    let other = rusqlite::Connection::open(&file).expect("the journal");
    other.execute_batch("BEGIN IMMEDIATE").expect("at work");
    for line in [
        "results changes -p Demo --as cron --deadline 1s --errors json -o csv",
        "results export --all-projects --to all.csv --deadline 1s --errors json",
        "testtakers list -p Demo --mask -o csv --deadline 1s --errors json",
        "journal list --deadline 1s --errors json",
    ] {
        let began = std::time::Instant::now();
        let said = env.line(line).exits(9);
        assert!(began.elapsed() < std::time::Duration::from_secs(6), "{line} waited {:?}", began.elapsed());
        let told: Value = serde_json::from_str(said.stderr.lines().last().unwrap_or_default()).expect("JSON");
        assert_eq!((&told["code"], &told["retryable"]), (&json!(9), &json!(true)), "{line}: {said}");
        assert!(told["error"].as_str().is_some_and(|error| error.ends_with("is in use by another run")), "{said}");
    }
    drop(other);
    let _ = env.line("results changes -p Demo --as cron --deadline 1m -o csv").ok();
}

#[test]
fn results_are_said_to_be_remembered_by_a_run_that_remembers_them_alone() {
    let (env, _socket) = served(service((1..=3).map(person).collect(), Vec::new()));
    let _ = env.line("results changes -p Demo --as cron --to /dev/full -o csv").fails(1).hides("remember");
    let said = env.line("results changes -p Demo --as cron --look -o csv").ok();
    assert_eq!(said.stderr, "warning: no memory of this project: nothing to compare with\n");
    let said = env.line("results changes -p Demo --as cron -o csv").ok();
    let next = "; at its end this run remembers 3 results as told to cron, and the next one tells what changed since\n";
    assert_eq!(said.stderr, format!("warning: no memory of this project: nothing to compare with{next}"));
    let _ = env.line("results changes -p Demo --as cron -o csv").data();
}

#[cfg(unix)]
#[test]
fn a_file_by_another_name_has_the_memory_and_the_lock_of_the_file() {
    let gone = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let (is_gone, usual) = (std::sync::Arc::clone(&gone), service(vec![person(1)], vec![person(2)]));
    let (env, _socket) = served(move |request| match request.path() {
        "/projects" if is_gone.load(Ordering::SeqCst) => page(request, &[project(PROJECT, "Demo")]),
        _ => usual(request),
    });
    let _ = env.line("results export --all-projects --to all.csv").data();
    let whole = env.read("all.csv");
    std::os::unix::fs::symlink("all.csv", env.work().join("link.csv")).expect("a link");
    gone.store(true, Ordering::SeqCst);
    env.line("results export --all-projects --to link.csv").refuses(
        7,
        &format!(
            "error: link.csv stays as it was: the list lacks 1 project of the last export: \"Two\" ({OTHER})\n\
             hint: run the same command again; --allow-fewer writes the file without them\n"
        ),
    );
    assert_eq!(env.read("all.csv"), whole);
    let held = std::fs::File::open(env.work().join(".all.csv.lock")).expect("the lock of the file");
    held.lock().expect("free");
    let _ = env.line("results export -p Demo --to link.csv").fails(9).mentions("another run is writing link.csv");
    assert!(!env.work().join(".link.csv.lock").exists());
}
