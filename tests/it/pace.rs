//! The pace as seen from outside: how many at a time, how many a second, and what a run does about refusals.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::harness::Env;
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
fn what_is_no_pace_is_refused_before_anything_is_sent() {
    let env = Env::sandbox();
    for bad in ["--concurrency 0", "--concurrency 65", "--concurrency many", "--max-rate 0", "--max-rate fast"] {
        let _ = env.line(&format!("projects list {bad}")).fails(2);
    }
    for good in ["--concurrency auto", "--concurrency 64", "--max-rate 0.5", "--max-rate 1000"] {
        let _ = env.line(&format!("projects list {good}")).ok();
    }
}
