//! Which answer means what, and what is repeated: counted at the socket, operation by operation.

use snapbox::str;

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::harness::{Env, Said};
use crate::socket::{Answer, Request, Socket};
use crate::wire::{self, PROJECT, fixture, text};

/// A service that answers as `usual` says, but for the first requests of one line, which get these answers.
fn stubborn(line: &str, first: Vec<Answer>, usual: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> Socket {
    let line = line.replace("{P}", PROJECT);
    let seen = AtomicUsize::new(0);
    Socket::answering(move |request, _| {
        if request.line() != line {
            return usual(request);
        }
        let answer = first.get(seen.fetch_add(1, Ordering::SeqCst)).cloned();
        answer.unwrap_or_else(|| usual(request))
    })
}

fn run(socket: &Socket, line: &str) -> Said {
    Env::at(&socket.url).line(&line.replace("{P}", PROJECT))
}

fn count(socket: &Socket, line: &str) -> usize {
    socket.count(&line.replace("{P}", PROJECT))
}

/// The fixtures' people, or nobody where they are not enrolled.
fn people(request: &Request, enrolled: bool) -> Answer {
    let is_first_page = request.parameter("page").is_none_or(|page| page == "1");
    match (request.method.as_str(), request.path().rsplit('/').next()) {
        ("GET", Some("testtakers")) if enrolled && is_first_page => {
            Answer::ok(&json!([fixture("test-taker")]).to_string())
        }
        ("GET", Some("testtakers")) => Answer::ok("[]"),
        ("POST", Some("testtakers")) => Answer::json(201, &text("enrolment.json")),
        ("PATCH", _) => Answer::ok(&text("test-taker-patched.json")),
        ("DELETE", _) => Answer::new(204, &[], ""),
        ("POST", Some("test-link")) => wire::test_link(),
        (_, Some("redirect-uris")) => Answer::ok(&text("redirect-uris.json")),
        _ => Answer::ok(&text("project.json")),
    }
}

const ENROL: &str = "testtakers enrol -p {P} --email zoe.mueller@example.com --first-name Zoë --last-name Müller \
                     --birth-year 1984 --reference-id EMP-00017 --settle 1s -o json";
const POST: &str = "POST /projects/{P}/testtakers";

/// Answers after which nobody knows whether the work was done.
fn lost_answers() -> Vec<Answer> {
    vec![
        Answer::nothing(),
        Answer::problem(500, "Broken", ""),
        Answer::problem(503, "Too fast", ""),
        Answer::problem(408, "Too slow", ""),
        Answer::problem(409, "Conflict", ""),
    ]
}

#[test]
fn a_read_is_repeated_after_a_lost_answer_and_after_a_refusal_for_now() {
    let mut firsts = lost_answers();
    firsts.truncate(3);
    firsts.push(Answer::cut(200, "[{\"id\":", 100));
    firsts.push(Answer::new(503, &["Retry-After: 1"], ""));
    firsts.push(Answer::new(429, &["Retry-After: 0"], ""));
    firsts.push(Answer::new(429, &[], ""));
    for first in firsts {
        let what = format!("{first:?}");
        let socket = stubborn("GET /projects/{P}", vec![first], |request| people(request, true));
        let said = run(&socket, "projects get {P} -o json").data();
        assert!(said.contains("Night shift north"), "{what}");
        assert_eq!(count(&socket, "GET /projects/{P}"), 2, "{what}");
    }
}

#[test]
fn four_attempts_are_enough() {
    let socket = Socket::always(Answer::new(503, &["Retry-After: 0"], ""));
    let _ = run(&socket, "projects get {P}").fails(6).mentions("503");
    assert_eq!(socket.requests().len(), 4);
}

#[test]
fn a_wait_of_an_hour_is_not_waited_for_but_said() {
    for status in [429, 503] {
        let socket = Socket::always(Answer::new(status, &["Retry-After: 3600"], ""));
        let _ = run(&socket, "projects get {P}").fails(6);
        assert_eq!(socket.requests().len(), 1);
    }
}

#[test]
fn an_enrolment_is_never_repeated_after_a_lost_answer_and_found_where_it_happened() {
    for lost in lost_answers() {
        let what = format!("{lost:?}");
        let sent = std::sync::Arc::new(AtomicUsize::new(0));
        let seen = std::sync::Arc::clone(&sent);
        let socket = Socket::answering(move |request, _| {
            if request.method == "POST" {
                seen.fetch_add(1, Ordering::SeqCst);
                return lost.clone();
            }
            people(request, seen.load(Ordering::SeqCst) > 0)
        });
        let record = run(&socket, ENROL).json();
        assert_eq!((&record["outcome"], &record["projectEntryId"]), (&json!("enrolled"), &json!(4711)), "{what}");
        assert_eq!(sent.load(Ordering::SeqCst), 1, "{what}");
    }
}

#[test]
fn an_enrolment_that_stays_open_is_in_doubt_and_not_repeated() {
    for lost in lost_answers().into_iter().take(3) {
        let what = format!("{lost:?}");
        let socket = stubborn(POST, vec![lost], |request| people(request, false));
        let said = run(&socket, &format!("{ENROL} --no-wait")).exits(7);
        let record: Value = serde_json::from_str(&said.stdout).expect("a report record");
        assert_eq!(record["outcome"], "in-doubt", "{what}\n{said}");
        assert!(said.stderr.contains("hint: "), "{what}\n{said}");
        assert_eq!(count(&socket, POST), 1, "{what}");
    }
}

#[test]
fn an_enrolment_that_was_refused_for_now_is_sent_again() {
    let sent = AtomicUsize::new(0);
    let refused = Answer::new(429, &["Retry-After: 0"], "");
    let socket = stubborn(POST, vec![refused], move |request| {
        let enrolled = sent.load(Ordering::SeqCst) > 0;
        sent.fetch_add(usize::from(request.method == "POST"), Ordering::SeqCst);
        people(request, enrolled)
    });
    assert_eq!(run(&socket, ENROL).json()["outcome"], "enrolled");
    assert_eq!(count(&socket, POST), 2);
}

#[test]
fn an_enrolment_that_was_done_but_answered_badly_is_looked_up() {
    for body in ["{\"id\":\"c5d0", "{}", "[]", ""] {
        let sent = std::sync::Arc::new(AtomicUsize::new(0));
        let seen = std::sync::Arc::clone(&sent);
        let socket = Socket::answering(move |request, _| {
            if request.method == "POST" {
                seen.fetch_add(1, Ordering::SeqCst);
                return Answer::json(201, body);
            }
            people(request, seen.load(Ordering::SeqCst) > 0)
        });
        let record = run(&socket, ENROL).json();
        assert_eq!((&record["outcome"], &record["projectEntryId"]), (&json!("enrolled"), &json!(4711)), "{body}");
        assert_eq!(sent.load(Ordering::SeqCst), 1, "{body}");
    }
}

#[test]
fn a_refused_enrolment_is_refused_at_once() {
    for status in [400, 404, 413, 415, 422] {
        let socket = stubborn(POST, vec![Answer::problem(status, "No", "the row is bad")], |r| people(r, false));
        let said = run(&socket, ENROL);
        assert!([4, 5].contains(&said.code), "{status}: {said}");
        assert_eq!(count(&socket, POST), 1, "{status}");
    }
}

#[test]
fn a_key_that_is_refused_stops_a_run() {
    for status in [401, 403] {
        let socket = stubborn(POST, vec![Answer::problem(status, "No", "")], |request| people(request, false));
        let _ = run(&socket, ENROL).exits(3);
        assert_eq!(count(&socket, POST), 1);
    }
}

#[test]
fn a_removal_is_repeated_after_a_lost_answer() {
    let line = "DELETE /projects/{P}/testtakers/4711";
    for lost in lost_answers().into_iter().take(3) {
        let socket = stubborn(line, vec![lost], |request| people(request, true));
        let _ = run(&socket, "testtakers remove id:4711 -p {P} --yes").ok();
        assert_eq!(count(&socket, line), 2);
    }
}

#[test]
fn a_removal_whose_answer_was_lost_stays_in_doubt_whatever_comes_after() {
    let line = "DELETE /projects/{P}/testtakers/4711";
    let answers = vec![Answer::nothing(), Answer::new(429, &["Retry-After: 3600"], "")];
    let socket = stubborn(line, answers, |request| people(request, true));
    let said = run(&socket, "testtakers remove id:4711 -p {P} --yes -o csv").exits(7);
    assert!(said.stdout.contains(",in-doubt,"), "{said}");
    assert_eq!(count(&socket, line), 2);
}

#[test]
fn an_update_whose_answer_was_lost_stays_in_doubt_where_it_cannot_be_read_back() {
    let patched = AtomicUsize::new(0);
    let socket = Socket::answering(move |request, _| match request.method.as_str() {
        "PATCH" => {
            patched.fetch_add(1, Ordering::SeqCst);
            Answer::nothing()
        }
        _ if patched.load(Ordering::SeqCst) > 0 => Answer::new(429, &["Retry-After: 3600"], ""),
        _ => people(request, true),
    });
    let env = Env::at(&socket.url);
    env.write("new.csv", "referenceId,firstName\nEMP-00017,Zoe\n");
    let said = env.line(&format!("testtakers update --file new.csv -p {PROJECT} -o csv")).exits(7);
    assert!(said.stdout.contains(",in-doubt,"), "{said}");
}

#[test]
fn nobody_is_forgotten_because_a_project_is_not_found() {
    let is_lost = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let switch = std::sync::Arc::clone(&is_lost);
    let enrolled = AtomicUsize::new(0);
    let socket = Socket::answering(move |request, _| {
        if switch.load(Ordering::SeqCst) {
            return Answer::problem(404, "Not Found", "There is no such project.");
        }
        enrolled.fetch_add(usize::from(request.method == "POST"), Ordering::SeqCst);
        people(request, enrolled.load(Ordering::SeqCst) > 0)
    });
    let env = Env::at(&socket.url);
    env.write(
        "p.csv",
        "email,firstName,lastName,birthYear,referenceId\nzoe.mueller@example.com,Zoë,Müller,1984,EMP-00017\n",
    );
    let _ = env.line(&format!("testtakers import p.csv -p {PROJECT}")).ok();
    let known = env.line(&format!("journal show -p {PROJECT} -o csv")).ok().stdout;
    assert!(known.contains("4711"), "{known}");
    is_lost.store(true, Ordering::SeqCst);
    let _ = env.line(&format!("journal undo p.csv -p {PROJECT} --yes")).fails(4);
    is_lost.store(false, Ordering::SeqCst);
    assert_eq!(env.line(&format!("journal show -p {PROJECT} -o csv")).ok().stdout, known);
    let _ = env.line(&format!("journal undo p.csv -p {PROJECT} --yes")).ok().shows(str![[r#"
exit 0
--- stdout
--- stderr
invitations already sent are not recalled
the results of the person who leaves can't be read here afterwards: export them before
1 of 1 person removed in [UUID] (127.0.0.1:[PORT])

"#]]);
}

#[test]
fn adding_redirect_uris_is_repeated_after_a_lost_answer() {
    let line = "POST /workspace/redirect-uris";
    let workspace = wire::workspace_answers(false);
    let socket = stubborn(line, vec![Answer::nothing()], workspace);
    let _ = run(&socket, "redirect-uris add https://new.example.com").ok();
    assert_eq!(count(&socket, line), 2);
}

#[test]
fn an_update_is_read_back_before_it_is_sent_again() {
    let line = "PATCH /projects/{P}/testtakers/4711";
    // The first name is still the old one: the update has not happened.
    let socket = stubborn(line, vec![Answer::nothing()], |request| people(request, true));
    let _ = run(&socket, "testtakers update ref:EMP-00017 -p {P} --first-name Zoe").ok();
    assert_eq!(count(&socket, line), 2);
    // The first name is the wanted one by now: it has.
    let patched = AtomicUsize::new(0);
    let socket = Socket::answering(move |request, _| match request.method.as_str() {
        "PATCH" => {
            patched.fetch_add(1, Ordering::SeqCst);
            Answer::nothing()
        }
        _ if patched.load(Ordering::SeqCst) > 0 => Answer::ok(&json!([fixture("test-taker-patched")]).to_string()),
        _ => people(request, true),
    });
    let _ = run(&socket, "testtakers update ref:EMP-00017 -p {P} --first-name Zoe").ok();
    assert_eq!(count(&socket, line), 1);
}

#[test]
fn a_project_is_not_created_twice() {
    let line = "POST /projects";
    // Nothing of that name is there afterwards: nobody knows.
    let socket = stubborn(line, vec![Answer::nothing()], |request| match request.path() {
        "/projects" => Answer::ok("[]"),
        _ => people(request, true),
    });
    let _ = run(&socket, "projects create 'Night shift north' --allow-duplicates").fails(1).mentions("look");
    assert_eq!(count(&socket, line), 1);
    // Refused for now: it certainly was not created.
    let socket = stubborn(line, vec![Answer::new(429, &["Retry-After: 0"], "")], |request| people(request, true));
    let _ = run(&socket, "projects create 'Night shift north' --allow-duplicates").ok();
    assert_eq!(count(&socket, line), 2);
}

#[test]
fn a_project_that_was_created_in_spite_of_a_lost_answer_is_found() {
    let created = std::sync::Mutex::new(None::<Value>);
    let socket = Socket::answering(move |request, _| {
        let mut created = created.lock().expect("no panic");
        if request.method == "POST" {
            let mut project = fixture("project");
            project["dateCreated"] = json!(jiff::Timestamp::now().to_string());
            *created = Some(project);
            return Answer::nothing();
        }
        Answer::ok(&Value::Array(created.iter().cloned().collect()).to_string())
    });
    let found = run(&socket, "projects create 'Night shift north' --allow-duplicates -o json").json();
    assert_eq!(found["id"], PROJECT);
    assert_eq!(count(&socket, "POST /projects"), 1);
}

#[test]
fn a_link_that_is_not_provisioned_yet_is_waited_for() {
    let line = "POST /projects/{P}/testtakers/4711/test-link";
    let early = Answer::new(409, &["Retry-After: 1", "Content-Type: application/json"], &text("code-and-message.json"));
    let socket = stubborn(line, vec![early], |request| people(request, true));
    let said = run(&socket, "links issue id:4711 -p {P} -o csv").ok();
    assert!(said.stdout.contains("canary-link-5b1e"), "{said}");
    assert_eq!(count(&socket, line), 2);
}

#[test]
fn a_link_whose_answer_was_lost_is_issued_again_after_a_pause() {
    let line = "POST /projects/{P}/testtakers/4711/test-link";
    let socket = stubborn(line, vec![Answer::nothing()], |request| people(request, true));
    let start = std::time::Instant::now();
    let said = run(&socket, "links issue id:4711 -p {P} -o csv").ok();
    assert!(said.stdout.contains("canary-link-5b1e"), "{said}");
    assert_eq!(count(&socket, line), 2);
    assert!(start.elapsed().as_secs() >= 9, "a late first request would have killed the second link");
}
