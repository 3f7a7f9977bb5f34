//! Imports while things go wrong: lost answers, refusals, a second run beside the first, an interruption.

use std::sync::{Mutex, mpsc};

use serde_json::json;
use snapbox::str;

use crate::harness::{Env, PATIENCE, finish, terminate};
use crate::imports::records;
use crate::pty::Terminal;
use crate::socket::{Answer, Socket};
use crate::wire::PROJECT;

fn roster(rows: usize) -> String {
    let row = |n| format!("p{n}@example.com,First{n},Last{n},1980,EMP-{n:05}\n");
    format!("email,firstName,lastName,birthYear,referenceId\n{}", (1..=rows).map(row).collect::<String>())
}

/// A machine whose commands go to a served sandbox with this fault.
fn with_fault(fault: &str) -> (Env, crate::harness::Served) {
    let here = Env::new();
    let served = here.serve(&["--key", crate::harness::KEY, "--fault", fault]);
    let url = served.url.clone();
    let env = here.with("ASSESSCTL_BASE_URL", &url).with("ASSESSCTL_API_KEY", crate::harness::KEY);
    (env.with("ASSESSCTL_PROJECT", "Demo"), served)
}

fn emails(env: &Env) -> Vec<String> {
    let list = env.line("testtakers list -o json").json();
    let mut emails: Vec<_> = list.as_array().expect("an array").iter().map(|p| p["email"].to_string()).collect();
    emails.sort();
    emails
}

#[test]
fn whatever_goes_wrong_each_row_is_enrolled_exactly_once() {
    let faults = [
        "close-after@enrol:share=0.1,seed=7",
        "500-after@enrol:share=0.1,seed=7",
        "truncate@enrol:share=0.1,seed=7",
        "429@enrol:nth=3,retry-after=0",
        "close-before@list-test-takers:nth=2",
        "503@list-test-takers:nth=1",
    ];
    for fault in faults {
        let (env, _served) = with_fault(fault);
        env.write("people.csv", roster(30));
        let said = env.line("testtakers import people.csv -o csv --settle 1s").ok();
        assert_eq!(
            records(&said.stdout).iter().filter(|row| row["outcome"] == "enrolled").count(),
            30,
            "{fault}\n{said}"
        );
        let emails = emails(&env);
        let mut once = emails.clone();
        once.dedup();
        assert_eq!((emails.len(), once.len()), (30, 30), "{fault}");
    }
}

#[test]
fn a_row_that_was_lost_before_it_arrived_is_found_absent_and_sent_again_also_by_the_next_run() {
    let (env, _served) = with_fault("close-before@enrol:nth=2");
    env.write("people.csv", roster(5));
    let said = env.line("testtakers import people.csv -o csv --settle 1s --concurrency 1 --no-wait").exits(7);
    let doubtful: Vec<_> = records(&said.stdout).into_iter().filter(|row| row["outcome"] == "in-doubt").collect();
    assert_eq!(doubtful.len(), 1, "{said}");
    assert!(said.stderr.contains("hint: "), "{said}");
    assert_eq!(emails(&env).len(), 4);
    let said = env.line("testtakers import people.csv -o csv --settle 1s").ok();
    assert_eq!(records(&said.stdout).iter().filter(|row| row["outcome"] == "enrolled").count(), 5, "{said}");
    assert_eq!(emails(&env).len(), 5);
}

/// A service without people that holds back its answer to the first enrolment until it is told to go on.
fn held_back() -> (Socket, mpsc::Receiver<()>, mpsc::Sender<()>) {
    let (arrived, has_arrived) = mpsc::channel();
    let (go_on, may_go_on) = mpsc::channel::<()>();
    let gate = Mutex::new((arrived, may_go_on));
    let socket = Socket::answering(move |request, before| {
        if request.method == "GET" {
            return Answer::ok("[]");
        }
        let gate = gate.lock().expect("no panic");
        let _ = gate.0.send(());
        // The sender is dropped when the test is over: then nobody waits any more.
        let _ = gate.1.recv();
        let sent = request.json();
        let mut answer = sent.clone();
        answer["id"] = json!(uuid::Uuid::new_v4().to_string());
        answer["projectEntryId"] = json!(before);
        Answer::json(201, &answer.to_string())
    });
    (socket, has_arrived, go_on)
}

#[test]
fn one_import_at_a_time_goes_into_one_project() {
    let (socket, has_arrived, go_on) = held_back();
    let env = Env::at(&socket.url);
    env.write("people.csv", roster(1));
    let args = ["testtakers", "import", "people.csv", "-p", PROJECT, "-o", "csv", "--settle", "1s"];
    let first = env.command(&args).spawn().expect("the program starts");
    has_arrived.recv_timeout(PATIENCE).expect("the first enrolment arrives");
    let _ = env.run(&args).fails(9);
    drop(go_on);
    let said = finish(first, b"");
    assert_eq!(records(&said.stdout).len(), 1, "{said}");
}

#[test]
fn an_interrupted_import_waits_for_what_is_under_way_and_says_how_to_go_on() {
    let (socket, has_arrived, go_on) = held_back();
    let env = Env::at(&socket.url);
    env.write("people.csv", roster(20));
    let args = [
        "testtakers",
        "import",
        "people.csv",
        "-p",
        PROJECT,
        "--report",
        "report.csv",
        "--concurrency",
        "1",
        "--settle",
        "1s",
    ];
    let mut terminal = Terminal::start(&env, 120, &args);
    has_arrived.recv_timeout(PATIENCE).expect("the first enrolment arrives");
    terminal.types("\u{3}");
    drop(go_on);
    let (code, screen) = terminal.ends();
    assert_eq!(code, 130, "{}", screen.text());
    assert!(screen.text().contains("hint: "), "{}", screen.text());
    let report = records(&env.read("report.csv"));
    let count = |outcome: &str| report.iter().filter(|row| row["outcome"] == outcome).count();
    assert_eq!(report.len(), 20, "each row is accounted for");
    assert!(count("not-attempted") > 0 && count("in-doubt") == 0, "{report:?}");
    let sent = socket.writes().len();
    assert_eq!(count("enrolled"), sent, "{report:?}");
}

#[cfg(unix)]
#[test]
fn a_terminated_import_ends_in_the_same_way() {
    let (socket, has_arrived, go_on) = held_back();
    let env = Env::at(&socket.url);
    env.write("people.csv", roster(20));
    let line = format!("testtakers import people.csv -p {PROJECT} -o csv --concurrency 1 --settle 1s");
    let child = env.command(&crate::words::split(&line)).spawn().expect("the program starts");
    has_arrived.recv_timeout(PATIENCE).expect("the first enrolment arrives");
    terminate(&child);
    drop(go_on);
    let said = finish(child, b"").exits(143);
    assert_eq!(records(&said.stdout).len(), 20, "{said}");
}

#[test]
fn a_key_that_is_refused_in_the_middle_stops_the_run_and_accounts_for_the_rest() {
    let socket = Socket::answering(|request, before| match (request.method.as_str(), before) {
        ("GET", _) => Answer::ok("[]"),
        _ => Answer::problem(401, "Unauthorized", "the key was revoked"),
    });
    let env = Env::at(&socket.url);
    env.write("people.csv", roster(3));
    let said = env.line(&format!("testtakers import people.csv -p {PROJECT} -o csv --concurrency 1"));
    let _ = said.shows(str![[r#"
exit 3
--- stdout
email,firstName,lastName,birthYear,referenceId,line,outcome,projectEntryId,enrolmentId,message
p1@example.com,First1,Last1,1980,EMP-00001,2,not-attempted,,,
p2@example.com,First2,Last2,1980,EMP-00002,3,not-attempted,,,
p3@example.com,First3,Last3,1980,EMP-00003,4,not-attempted,,,
--- stderr
3 rows: 3 not-attempted in [UUID] (127.0.0.1:[PORT])
error: the service refused the key: 401 Unauthorized: the key was revoked
hint: check the API key, then run the same command again

"#]]);
    assert_eq!(socket.writes().len(), 1);
}

#[test]
fn a_run_that_is_interrupted_while_it_looks_people_up_says_what_changes_the_waiting() {
    for (fault, verb, left) in [
        ("close-before@enrol:nth=2", "import", "interrupted: 1 in doubt"),
        ("close-before@enrol:nth=2", "sync", "interrupted: 1 in doubt"),
        ("lag=1h@list-test-takers", "import", "interrupted: 2 enrolled rows are not in the project's list yet"),
    ] {
        let (env, _served) = with_fault(fault);
        env.write("people.csv", roster(2));
        let mut terminal = Terminal::start(&env, 200, &["testtakers", verb, "people.csv", "--concurrency", "1"]);
        let _ = terminal.shows(" not known yet").types("\u{3}");
        let (code, screen) = terminal.ends();
        let hint = "hint: run the same command again: it continues where this run stopped; --no-wait leaves what is not known yet to \
                    a later run, --settle TIME says how long it is looked up";
        assert_eq!(code, 130, "{}", screen.text());
        assert!(screen.text().contains(left) && screen.text().contains(hint), "{}", screen.text());
    }
}
