//! Links beside requests whose end is not known: one that takes effect late voids the link that came after it.

use std::io::{BufRead as _, BufReader};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::doubts_of_writes::{at, service};
use crate::harness::PATIENCE;
use crate::socket::Answer;

#[test]
#[cfg(unix)]
fn the_run_after_a_killed_one_gives_a_late_request_its_time_once_for_all() {
    let (asked, is_asked) = std::sync::mpsc::channel();
    let (asked, is_back) = (Mutex::new(asked), std::sync::Arc::new(AtomicBool::new(false)));
    let back = std::sync::Arc::clone(&is_back);
    let socket = service(move |request, _| {
        let hangs = request.path().ends_with("/test-link") && !back.load(Ordering::SeqCst);
        hangs.then(|| {
            asked.lock().expect("no server thread panics").send(()).expect("the test waits");
            Answer::Hang(Vec::new())
        })
    });
    let env = at(&socket);
    let line = ["links", "issue", "--all", "--to", "links.csv"];
    let mut killed = env.command(&line).spawn().expect("the program starts");
    for _ in 0..2 {
        is_asked.recv_timeout(PATIENCE).expect("both links are asked for");
    }
    killed.kill().expect("killed");
    killed.wait().expect("ended");
    is_back.store(true, Ordering::SeqCst);
    let mut waiting = env.command(&line).spawn().expect("the program starts");
    let mut said = String::new();
    let stderr = waiting.stderr.take().expect("a pipe");
    BufReader::new(stderr).read_line(&mut said).expect("a line");
    assert_eq!(said, "waiting 10.0 s: a link of an earlier run may still be under way\n");
    waiting.kill().expect("killed");
    waiting.wait().expect("ended");
    let line = "testtakers import people.csv --with-links links.csv --settle 1s -v";
    let begun = std::time::Instant::now();
    let said = env.line(line).ok().mentions("links: 2 rows: 2 issued");
    assert!(begun.elapsed().as_millis() >= 1000, "{said}");
    let waits = said.stderr.matches("waiting 1.0 s: a link of an earlier run may still be under way").count();
    assert_eq!(waits, 1, "{said}");
    let said = env.line(&format!("{line} --rotate")).ok().mentions("2 valid links were replaced");
    let _ = said.hides("an earlier run");
}

#[test]
fn a_link_that_the_service_refuses_to_replace_stays_known_as_valid() {
    let is_closed = std::sync::Arc::new(AtomicBool::new(false));
    let closed = std::sync::Arc::clone(&is_closed);
    let socket = service(move |request, _| {
        let is_refused = request.path().ends_with("/test-link") && closed.load(Ordering::SeqCst);
        is_refused.then(|| Answer::problem(422, "Not now", ""))
    });
    let env = at(&socket);
    let _ = env.line("links issue --all --to links.csv").ok().mentions("2 issued");
    let before = env.read("links.csv");
    is_closed.store(true, Ordering::SeqCst);
    let _ = env.line("links issue --all --to links.csv --rotate").exits(10).mentions("2 refused");
    let _ = env.line("links issue ref:A").exits(5);
    is_closed.store(false, Ordering::SeqCst);
    let said = env.line("links issue --all --to links.csv -v").ok().mentions("2 kept (link valid as far as is known)");
    let _ = said.hides("waiting");
    assert_eq!(env.read("links.csv"), before);
}

#[test]
fn a_link_whose_answer_was_lost_is_given_its_time_by_the_next_run_and_a_refusal_after_it_takes_that_not_away() {
    let way = std::sync::Arc::new(Mutex::new("lost"));
    let of_socket = std::sync::Arc::clone(&way);
    let socket = service(move |request, _| {
        let way = *of_socket.lock().expect("no server thread panics");
        let is_link = request.path().ends_with("/test-link");
        is_link.then_some(()).and_then(|()| match way {
            "lost" => Some(Answer::Bytes(Vec::new())),
            "refused" => Some(Answer::problem(422, "Not now", "")),
            _ => None,
        })
    });
    let env = at(&socket);
    let line = "testtakers import people.csv --with-links links.csv --settle 1s -v";
    // The pause before another attempt is longer than the run may last.
    let _ = env.line("testtakers import people.csv --with-links links.csv --deadline 3s").exits(7);
    let waits = "waiting 1.0 s: a link of an earlier run may still be under way";
    *way.lock().expect("no server thread panics") = "refused";
    let _ = env.line(line).exits(10).mentions(waits);
    let _ = env.line(line).exits(10).mentions(waits);
    *way.lock().expect("no server thread panics") = "answered";
    let _ = env.line(line).ok().mentions(waits);
    let _ = env.line(line).ok().hides(waits);
}

#[test]
fn a_deadline_leaves_no_time_to_wait_for_a_late_link_which_stays_in_doubt() {
    let socket = service(|request, _| request.path().ends_with("/test-link").then(Answer::nothing));
    let env = at(&socket);
    let said = env.line("links issue ref:A --deadline 5s").fails(7).mentions("it may have happened all the same");
    assert!(!said.stderr.contains("waiting"), "{said}");
    for line in ["links issue ref:A", "links issue --file people.csv --to links.csv"] {
        let said = env.line(&format!("{line} --deadline 5s")).fails(7);
        let _ = said.mentions("error: not finished: ");
    }
    let asked = socket.writes().iter().filter(|request| request.path().ends_with("/1/test-link")).count();
    assert_eq!(asked, 1, "a second one could be voided by the first");
}
