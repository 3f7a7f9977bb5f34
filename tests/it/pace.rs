//! The pace as seen from outside: how many at a time, how many a second, and what a run does about refusals.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::harness::{Env, terminate};
use crate::socket::{Answer, Socket};
use crate::wire::PROJECT;

/// A project without people that takes every enrolment as `answer` says.
fn service(answer: impl Fn() -> Answer + Send + Sync + 'static) -> Socket {
    Socket::answering(move |request, _| match (request.method.as_str(), request.parameter("page")) {
        ("GET", Some("1")) => {
            Answer::ok(r#"[{"id":1,"email":"a@b","referenceId":"A"},{"id":2,"email":"c@d","referenceId":"B"}]"#)
        }
        ("GET", _) => Answer::ok("[]"),
        _ => answer(),
    })
}

fn leavers(env: &Env) {
    env.write("leavers.csv", "referenceId\nA\nB\n");
}

#[test]
fn a_rate_of_the_users_is_kept() {
    let times = std::sync::Arc::new(Mutex::new(Vec::new()));
    let log = std::sync::Arc::clone(&times);
    let socket = service(move || {
        log.lock().expect("no panic").push(Instant::now());
        Answer::new(204, &[], "")
    });
    let env = Env::at(&socket.url);
    leavers(&env);
    let line = format!("testtakers remove --file leavers.csv -p {PROJECT} --yes --max-rate 4");
    let _ = env.line(&line).ok();
    let times = times.lock().expect("no panic");
    let apart = times[1] - times[0];
    assert!(apart >= Duration::from_millis(200), "{apart:?}");
}

#[test]
fn a_summary_tells_how_often_the_run_was_refused() {
    let refused = std::sync::atomic::AtomicBool::new(false);
    let socket = service(move || {
        let is_first = !refused.swap(true, std::sync::atomic::Ordering::SeqCst);
        if is_first { Answer::new(429, &["Retry-After: 0"], "") } else { Answer::new(204, &[], "") }
    });
    let env = Env::at(&socket.url);
    leavers(&env);
    let line = format!("testtakers remove --file leavers.csv -p {PROJECT} --yes --concurrency 1");
    let _ = env.line(&line).ok().mentions("refused once");
}

#[test]
fn a_deadline_is_kept_by_whatever_waits_for_a_pause_to_end() {
    let people: Vec<_> = (1..=100).map(|id| serde_json::json!({"id": id, "email": format!("p{id}@b")})).collect();
    let first = serde_json::Value::Array(people).to_string();
    let socket = Socket::answering(move |request, _| match request.parameter("page") {
        Some("1") => Answer::ok(&first),
        _ => Answer::new(429, &["Retry-After: 25"], ""),
    });
    let began = Instant::now();
    let line = format!("results list -p {PROJECT} --deadline 6s --concurrency 1 -o csv");
    let _ = Env::at(&socket.url).line(&line).fails(6).mentions("asked again at 20");
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}

#[cfg(unix)]
#[test]
fn an_interruption_lets_go_whatever_waits_for_a_pause_to_end_as_not_attempted() {
    let (reached, is_reached) = std::sync::mpsc::channel();
    let socket = Socket::answering(move |request, _| match request.method.as_str() {
        "GET" => Answer::ok("[]"),
        _ => Answer::new(429, &["Retry-After: 60"], ""),
    });
    let env = Env::at(&socket.url);
    let rows: Vec<String> = (1..=8).map(|n| format!("p{n}@example.com,R-{n}")).collect();
    env.write("people.csv", format!("email,referenceId\n{}\n", rows.join("\n")));
    let line = format!("testtakers import people.csv -p {PROJECT} --report report.csv");
    let args: Vec<&str> = line.split(' ').collect();
    let mut child = env.command(&args).spawn().expect("the program");
    let mut stderr = std::io::BufReader::new(child.stderr.take().expect("a pipe"));
    std::thread::spawn(move || {
        let mut said = String::new();
        // The program's last words end the loop.
        while std::io::BufRead::read_line(&mut stderr, &mut said).is_ok_and(|count| count > 0) {
            if said.contains("waiting 6") {
                let _ = reached.send(());
            }
        }
    });
    is_reached.recv_timeout(Duration::from_mins(1)).expect("a pause over five seconds is said");
    let began = Instant::now();
    terminate(&child);
    assert_eq!(child.wait().expect("an end").code(), Some(143));
    assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
    let report = env.read("report.csv");
    assert_eq!((report.matches("not-attempted").count(), report.matches("in-doubt").count()), (8, 0), "{report}");
}

#[test]
fn what_is_no_pace_is_refused_before_anything_is_sent() {
    let env = Env::sandbox();
    for bad in ["--concurrency 0", "--concurrency 65", "--concurrency many", "--max-rate 0", "--max-rate fast"] {
        let _ = env.line(&format!("projects list {bad}")).fails(2);
    }
    for good in ["--concurrency auto", "--concurrency 64", "--max-rate 0.5", "--max-rate 1000"] {
        let _ = env.line(&format!("projects list {good}")).ok();
    }
}

#[test]
fn an_interruption_ends_the_wait_for_a_lost_link_at_once() {
    let (asked, is_asked) = std::sync::mpsc::channel();
    let asked = Mutex::new(asked);
    let socket = service(move || {
        // The test may have failed and gone.
        let _ = asked.lock().expect("no panic").send(());
        Answer::nothing()
    });
    let env = Env::at(&socket.url);
    leavers(&env);
    let line = format!("links issue --file leavers.csv --to links.csv -p {PROJECT} --concurrency 1");
    let child = env.command(&crate::words::split(&line)).spawn().expect("started");
    is_asked.recv_timeout(crate::harness::PATIENCE).expect("a link was asked for");
    let start = Instant::now();
    terminate(&child);
    let _ = crate::harness::finish(child, b"").exits(143);
    assert!(start.elapsed() < Duration::from_secs(8), "a late request gets ten seconds: {:?}", start.elapsed());
}
