//! Alerts of `results changes`: told at least once to each consumer, whatever happens to a run.

use snapbox::str;

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::doubts::array;
use crate::harness::{Env, Said};
use crate::pty::Terminal;
use crate::socket::{Answer, Socket};
use crate::wire::{PROJECT, fixture};

/// People whose results a test changes while the service runs.
#[derive(Clone)]
pub(crate) struct People(Arc<Mutex<Vec<Value>>>);

impl People {
    pub(crate) fn set(&self, people: Value) {
        let Value::Array(people) = people else { panic!("no list") };
        *self.0.lock().expect("no server thread panics") = people;
    }

    /// One person with a result and a date of completion.
    pub(crate) fn one(&self, result: &str, completed: Option<&str>) {
        self.set(json!([person(1, result, completed)]));
    }
}

pub(crate) fn person(id: i64, result: &str, completed: Option<&str>) -> Value {
    json!({"id": id, "email": format!("p{id}@example.com"), "referenceId": format!("EMP-{id}"), "fullName": "Zoe",
        "result": result, "dateCompleted": completed})
}

/// A machine whose commands go to a service with these people, typed as bytes on a socket.
pub(crate) fn at(people: Value) -> (Env, People, Socket) {
    let all = People(Arc::default());
    all.set(people);
    let listed = all.clone();
    let socket = Socket::answering(move |request, _| {
        if !request.path().ends_with("/results") {
            return Answer::ok(&json!({"id": PROJECT, "name": "Night"}).to_string());
        }
        let all = listed.0.lock().expect("no server thread panics").clone();
        let number = |name| request.parameter(name).and_then(|text| text.parse::<usize>().ok()).unwrap_or(1);
        let (page, size) = (number("page"), number("pageSize"));
        let page: Vec<Value> = all.into_iter().skip((page - 1) * size).take(size).collect();
        Answer::ok(&Value::from(page).to_string())
    });
    (Env::at(&socket.url).with("ASSESSCTL_PROJECT", PROJECT), all, socket)
}

fn told(said: &Said) -> Vec<String> {
    said.stdout.lines().skip(1).map(|line| line.split(',').take(2).collect::<Vec<_>>().join(" ")).collect()
}

/// What reads a result for a gate: its exit code decides.
#[test]
fn a_single_result_ends_with_8_where_it_is_one_to_alert_about() {
    let legacy = |status: &str| json!({"referenceId": "EMP-1", "email": "p1@example.com", "status": status});
    let current = |result: &str| person(1, result, None);
    // `..` stands in no path: its result is read from the list, which has one shape alone.
    let dots = json!({"id": 1, "email": "p1@example.com", "referenceId": "..", "result": "HighRisk"});
    for (answer, shape, who, code) in [
        (current("HighRisk"), "current", "EMP-1", 8),
        (current("HighRisk"), "current", "EMP-1 EMP-1", 8),
        (current("Completed"), "current", "EMP-1", 0),
        (current(""), "current", "EMP-1", 4),
        (legacy("HighRisk"), "legacy", "EMP-1", 8),
        (legacy("Completed"), "legacy", "EMP-1 EMP-1", 0),
        (dots, "legacy", "..", 8),
    ] {
        let socket = Socket::answering(move |request, _| match request.path() {
            path if path.contains("/results/") => Answer::ok(&answer.to_string()),
            _ if answer.get("id").is_some() => Answer::ok(&json!([answer]).to_string()),
            _ => Answer::ok(&json!([current_of(&answer)]).to_string()),
        });
        let env = Env::at(&socket.url).with("ASSESSCTL_PROJECT", PROJECT);
        let said = env.line(&format!("results get {who} --fail-on HighRisk --results-api {shape} -o json"));
        assert_eq!(said.code, code, "{who} {shape}\n{said}");
        assert!(said.stdout.contains("p1@example.com"), "the result is written all the same: {said}");
        assert_eq!(
            said.stderr.contains("is HighRisk\n") || said.stderr.contains("are HighRisk\n"),
            code == 8,
            "{said}"
        );
    }
}

/// The test taker of a result in the older shape.
fn current_of(legacy: &Value) -> Value {
    json!({"id": 1, "email": legacy["email"], "referenceId": legacy["referenceId"]})
}

pub(crate) const WATCH: &str = "results changes -o csv --fail-on HighRisk";

#[test]
fn whoever_stands_at_a_watched_result_is_told_at_the_first_look_and_when_more_is_watched() {
    let (env, _people, _socket) =
        at(json!([person(1, "HighRisk", None), person(2, "Fatigued", None), person(3, "Completed", None)]));
    let said = env.line(&format!("{WATCH} -q")).exits(8).shows(str![[r#"
exit 8
--- stdout
change,id,referenceId,email,fullName,oldResult,result,dateCompleted,changedFields
alert,1,EMP-1,p1@example.com,Zoe,,HighRisk,,
--- stderr
warning: no memory of this project: nothing to compare with; at its end this run remembers 3 results as told to default, and the next one tells what changed since
warning: 1 result is HighRisk

"#]]);
    assert_eq!(told(&said), ["alert 1"]);
    assert!(told(&env.line(WATCH).ok()).is_empty());
    let said = env.line(&format!("{WATCH},Fatigued")).exits(8);
    assert_eq!(told(&said), ["alert 2"]);
    assert!(told(&env.line(&format!("{WATCH},Fatigued")).ok()).is_empty());
}

#[test]
fn each_consumer_is_told_for_itself_and_a_look_takes_nothing() {
    let (env, people, _socket) = at(json!([person(1, "Started", None)]));
    for name in ["cron", "portal"] {
        let _ = env.line(&format!("{WATCH} --as {name}")).ok();
    }
    people.one("HighRisk", None);
    for _ in 0..2 {
        let said = env.line(&format!("{WATCH} --look --as cron")).exits(8);
        assert_eq!(told(&said), ["changed 1"]);
    }
    for name in ["cron", "portal"] {
        assert_eq!(told(&env.line(&format!("{WATCH} --as {name}")).exits(8)), ["changed 1"], "{name}");
        assert!(told(&env.line(&format!("{WATCH} --as {name}")).ok()).is_empty(), "{name}");
    }
    let listed = env.line("results changes --consumers -o csv --fields consumer,results").data();
    assert_eq!(listed, "consumer,results\ncron,1\nportal,1\n");
    let _ = env.line("results changes --forget --as cron").ok().shows(str![[r#"
exit 0
--- stdout
--- stderr
forgot what cron was told; its next run has nothing to compare with

"#]]);
    let _ = env.line("results changes --forget --as cron").fails(4).shows(str![[r#"
exit 4
--- stdout
--- stderr
error: no consumer cron was told of this project
hint: `assessctl results changes --consumers` lists them

"#]]);
    let _ = env.line("results changes --forget").fails(2);
    assert_eq!(told(&env.line(&format!("{WATCH} --as cron")).exits(8)), ["alert 1"]);
    let _ = env.line("results changes --as a/b").fails(2);
}

#[test]
fn a_person_at_a_terminal_takes_no_alert_from_a_script() {
    let (env, people, _socket) = at(json!([person(1, "Started", None)]));
    let _ = env.line(WATCH).ok();
    people.one("HighRisk", None);
    let line: Vec<&str> = WATCH.split(' ').collect();
    let (code, screen) = Terminal::start(&env, 100, &line).ends();
    assert_eq!(code, 8);
    assert!(screen.text().contains("preview: nothing is remembered"), "{}", screen.text());
    assert_eq!(told(&env.line(WATCH).exits(8)), ["changed 1"]);
    people.one("Completed", None);
    let (code, _) = Terminal::start(&env, 100, &["results", "changes", "--as", "default"]).ends();
    assert_eq!((code, told(&env.line(WATCH).ok()).len()), (0, 0));
}

#[test]
fn another_form_of_an_instant_is_no_change_and_a_date_that_comes_late_no_second_alert() {
    let (env, people, _socket) = at(json!([person(1, "Completed", Some("2026-03-01T06:00:00Z"))]));
    let _ = env.line(WATCH).ok();
    for form in ["2026-03-01T06:00:00.0000000Z", "2026-03-01T06:00:00", "2026-03-01T07:00:00+01:00"] {
        people.one("Completed", Some(form));
        assert!(told(&env.line(WATCH).ok()).is_empty(), "{form}");
    }
    people.one("highRisk", Some("2026-03-01T06:00:00Z"));
    assert_eq!(told(&env.line(WATCH).exits(8)), ["changed 1"]);
    people.one("HighRisk", Some("2026-03-02T06:00:00Z"));
    assert_eq!(told(&env.line(WATCH).ok()), ["changed 1"]);
    people.one("HighRisk", Some("2026-03-03T06:00:00Z"));
    assert_eq!(told(&env.line(WATCH).exits(8)), ["changed 1"]);
}

#[test]
fn an_empty_list_is_asked_for_again_and_not_believed() {
    let (env, people, socket) = at(json!([person(1, "HighRisk", None)]));
    let _ = env.line(WATCH).exits(8);
    people.set(json!([]));
    let before = socket.requests().len();
    let _ = env.line(WATCH).fails(7).shows(str![[r#"
exit 7
--- stdout
--- stderr
error: the list is empty, and people are remembered; nothing was told
hint: --allow-empty tells all of them as removed

"#]]);
    assert!(socket.requests().len() >= before + 2);
    people.one("HighRisk", None);
    assert!(told(&env.line(WATCH).ok()).is_empty(), "nothing was remembered");
    people.set(json!([]));
    assert_eq!(told(&env.line(&format!("{WATCH} --allow-empty")).ok()), ["removed 1"]);
}

#[test]
fn a_family_in_the_older_shape_loses_nobody() {
    let member = |name: &str, status: &str| json!({"email": "family@example.com", "fullName": name, "status": status});
    let (env, people, _socket) = at(json!([member("Ann", "HighRisk"), member("Bo", "Completed")]));
    let line = format!("{WATCH} --results-api legacy");
    let said = env.line(&line).exits(8).shows(str![[r#"
exit 8
--- stdout
change,id,referenceId,email,fullName,oldResult,result,dateCompleted,changedFields
alert,,,family@example.com,Ann,,HighRisk,,
--- stderr
the older results shape has no ids: people are told apart by reference id, e-mail and name; of two who share all three it is known that they are two, and not which of them is which
warning: people share both reference id and e-mail, and have no ids: which of them changed is a guess
warning: no memory of this project: nothing to compare with; at its end this run remembers 2 results as told to default, and the next one tells what changed since
warning: 1 result is HighRisk

"#]]);
    assert_eq!(said.stdout.matches("Ann").count(), 1, "{said}");
    people.set(json!([member("Bo", "Completed"), member("Ann", "HighRisk")]));
    assert!(told(&env.line(&line).ok()).is_empty());
    people.set(json!([member("Bo", "HighRisk"), member("Ann", "HighRisk")]));
    let said = env.line(&line).exits(8);
    assert!(said.stdout.contains("Bo") && !said.stdout.contains("Ann"), "{said}");
}

#[test]
fn the_log_of_the_journal_does_not_grow_with_each_run() {
    let (env, _people, _socket) = at(json!([person(1, "Completed", None)]));
    let log = env.work().parent().expect("a folder").join("state/journal.db-wal");
    let mut longest = 0;
    for _ in 0..12 {
        let _ = env.line(WATCH).ok();
        longest = longest.max(std::fs::metadata(&log).map_or(0, |meta| meta.len()));
    }
    assert!(longest < 100_000, "{longest} bytes");
}

#[cfg(unix)]
#[test]
fn what_a_shell_put_into_a_file_is_durable_before_it_counts_as_told() {
    let (env, people, _socket) = at(json!([person(1, "Started", None)]));
    let _ = env.line(WATCH).ok();
    people.one("HighRisk", None);
    let said = crate::shell::run(&env, &format!("assessctl {WATCH} > told.csv"));
    assert_eq!(said.code, 8, "{said}");
    assert!(env.read("told.csv").contains("HighRisk"));
    assert!(told(&env.line(WATCH).ok()).is_empty());
}

#[test]
fn one_run_at_a_time_tells_a_consumer() {
    let (env, _people, socket) = at(json!([person(1, "HighRisk", None)]));
    let _ = env.line("results changes --as cron").ok();
    let locks = env.work().parent().expect("a folder").join("state/locks");
    let names: Vec<_> = std::fs::read_dir(&locks).expect("locks").map(|e| e.expect("an entry").path()).collect();
    let path = names.iter().find(|path| path.to_string_lossy().contains("changes-cron")).expect("a lock");
    let lock = std::fs::File::open(path).expect("a file");
    lock.lock().expect("a lock");
    let before = socket.requests().len();
    let _ = env.line(&format!("{WATCH} --as cron")).fails(9).mentions("cron");
    let _ = env.line(&format!("{WATCH} --as cron --wait-lock 300ms")).fails(9);
    assert_eq!(socket.count("GET /api/v1/results"), 0, "{before}");
    let _ = env.line(&format!("{WATCH} --as other")).exits(8);
    let _ = env.line(&format!("{WATCH} --as cron --look")).exits(8);
    let line = format!("{WATCH} --as cron --wait-lock 60s");
    let waiting = env.command(&line.split(' ').collect::<Vec<_>>()).spawn().expect("started");
    drop(lock);
    assert_eq!(told(&crate::harness::finish(waiting, b"").exits(8)), ["alert 1"]);
}

#[test]
fn another_name_of_the_service_has_no_memory_and_that_is_said_also_quietly() {
    let (env, _people, socket) = at(json!([person(1, "Completed", None)]));
    let _ = env.line(WATCH).ok();
    let other = socket.url.replace("127.0.0.1", "localhost");
    let env = env.with("ASSESSCTL_BASE_URL", &other);
    let said = env.line(&format!("{WATCH} -q")).ok();
    assert!(said.stderr.contains("no memory of this project") && said.stderr.contains("127.0.0.1"), "{said}");
}

#[cfg(unix)]
#[test]
fn what_goes_to_a_closed_output_was_told_to_nobody() {
    let (env, people, socket) = at(json!([person(1, "Started", None)]));
    let _ = env.line(WATCH).ok();
    people.one("HighRisk", None);
    let before = socket.requests().len();
    let said = crate::shell::run(&env, &format!("assessctl {WATCH} >&-"));
    assert!(said.code == 1 && said.stderr.contains("cannot write to standard output: it is closed"), "{said}");
    assert_eq!(socket.requests().len(), before, "nothing was asked");
    let said = crate::shell::run(&env, "assessctl results list >&-");
    assert_eq!(said.code, 1, "{said}");
    assert_eq!(crate::shell::run(&env, "assessctl results list > /dev/null").code, 0);
    // Other programs hand the null device over in the form in which a closed output arrives.
    assert_eq!(crate::shell::run(&env, "assessctl --version 1<>/dev/null").code, 0);
    assert_eq!(crate::shell::run(&env, "assessctl results list --to a.csv >&-").code, 0);
    let said = crate::shell::run(&env, &format!("assessctl {WATCH} > /dev/null"));
    assert_eq!(said.code, 8, "{said}");
}

#[cfg(unix)]
#[test]
fn an_alert_is_said_also_where_it_cannot_be_remembered() {
    let all = |result| Value::from((1..=400).map(|id| person(id, result, None)).collect::<Vec<_>>());
    let (env, people, _socket) = at(all("Started"));
    let _ = env.line(WATCH).ok();
    // Its log is empty then.
    let _ = env.line("journal list -o csv").ok();
    people.set(all("HighRisk"));
    // The disk of the journal fills up: no file gets long enough for what is to be remembered, and what is printed is not
    // a file.
    let script = format!("trap '' XFSZ; ulimit -f 33; exec '{}' {WATCH}", crate::harness::PROGRAM);
    let mut shell = std::process::Command::new("bash");
    shell.args(["-c", &script]).env_clear().current_dir(env.work()).stdin(std::process::Stdio::null());
    shell.envs(env.vars().iter().map(|(name, value)| (name, value)));
    shell.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let said = crate::harness::finish(shell.spawn().expect("bash"), b"").exits(1);
    assert!(said.stderr.contains("400 results are HighRisk") && said.stdout.contains("HighRisk"), "{said}");
    assert_eq!(told(&env.line(WATCH).exits(8)).len(), 400);
}

#[cfg(target_os = "linux")]
#[test]
fn a_pipe_that_is_read_by_nobody_ends_with_the_deadline() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    let (env, _people, _socket) = at(json!([person(1, "HighRisk", None)]));
    let pipe = env.work().join("pipe");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a pipe");
    let _ =
        env.line("results list -o csv --to pipe --deadline 1s").fails(6).mentions("no program reads from this pipe");
    let _ = env.line(&format!("{WATCH} --to pipe --deadline 1s")).exits(6);
    let line = format!("{WATCH} --to pipe --deadline 50s");
    let writing = env.command(&line.split(' ').collect::<Vec<_>>()).spawn().expect("started");
    let read = std::fs::read_to_string(&pipe).expect("what was told");
    assert!(read.contains("HighRisk"), "{read}");
    let _ = crate::harness::finish(writing, b"").exits(8);
}

#[test]
fn another_person_who_has_an_entrys_id_now_is_an_alert_though_result_and_date_are_the_same() {
    let date = Some("2026-02-27T05:58:12Z");
    let (env, people, _socket) = at(json!([person(1, "HighRisk", date)]));
    let watch = format!("{WATCH} --as cron");
    let _ = env.line(&watch);
    let _ = env.line(&watch).ok();
    let other = person(2, "HighRisk", date);
    people.set(json!([{"id": 1, "email": other["email"], "referenceId": other["referenceId"], "fullName": "Zoe",
        "result": "HighRisk", "dateCompleted": date}]));
    let _ = env.line(&watch).exits(8);
    let _ = env.line(&watch).ok();
}

#[test]
fn an_alert_is_told_though_another_result_cannot_be_read() {
    let refusing = |reference: &'static str| {
        Socket::answering(move |request, _| {
            if request.path().ends_with(reference) {
                return Answer::problem(400, "Broken", "no such luck");
            }
            if request.path().ends_with("/testtakers") {
                return array(&[]);
            }
            let mut result = fixture("result");
            result["referenceId"] = json!(request.path().rsplit('/').next());
            result["result"] = json!("HighRisk");
            Answer::ok(&result.to_string())
        })
    };
    for failing in ["EMP-1", "EMP-2"] {
        let socket = refusing(failing);
        let env = Env::at(&socket.url);
        let get = |word: &str| {
            env.line(&format!("results get -p {PROJECT} EMP-1 EMP-2 --fail-on {word} -o csv --fields asked,outcome"))
        };
        let said = get("HighRisk").exits(8).mentions("cannot read the results").mentions("1 result is HighRisk");
        let outcome = |of| if of == failing { "failed" } else { "found" };
        let rows = ["EMP-1", "EMP-2"].map(|of| format!("{of},{}\n", outcome(of))).concat();
        assert_eq!(said.stdout, format!("asked,outcome\n{rows}"));
        let said = get("Emergency").exits(5);
        assert!(said.stdout.is_empty(), "{said}");
    }
}
