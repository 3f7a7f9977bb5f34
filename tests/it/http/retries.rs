//! Which answer means what, and what is repeated: counted at the service, operation by operation.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::env::{Env, Said};
use crate::support::service::{Op, Service, Trouble, When};
use crate::support::wire::{Answer, PROJECT, fixture};

fn run(service: &Service, line: &str) -> Said {
    Env::at(&service.url).line(&line.replace("{P}", PROJECT))
}

/// Answers after which nobody knows whether the work was done.
pub(crate) fn lost_answers() -> Vec<Answer> {
    vec![
        Answer::bytes(""),
        Answer::bytes("HTTP/1.1 200 OK\r\nContent-Le"),
        Answer::problem(500, "Broken", ""),
        Answer::problem(503, "Too fast", ""),
        Answer::problem(408, "Too slow", ""),
    ]
}

/// A refusal for now, with the seconds that it asks to wait.
fn refused(status: u16, wait: &str) -> Answer {
    Answer::new(status, &[&format!("Retry-After: {wait}")], "")
}

#[test]
fn a_read_is_repeated_after_a_lost_answer_and_after_a_refusal_for_now() {
    let refusals = [refused(503, "1"), refused(429, "0"), Answer::new(429, &[], ""), Answer::cut(200, "{\"id\":")];
    for first in lost_answers().into_iter().chain(refusals) {
        let what = format!("{first:?}");
        let service = Service::start().on(Op::Project, When::First(1), Trouble::Answer(first));
        let said = run(&service, "projects get {P} -o json").data();
        assert!(said.contains("Night shift north"), "{what}");
        assert_eq!(service.count(Op::Project), 2, "{what}");
    }
}

#[test]
fn four_attempts_are_enough() {
    for answer in [refused(503, "0"), Answer::bytes("")] {
        let service = Service::always(answer);
        let _ = run(&service, "projects get {P}").fails(6);
        assert_eq!(service.log().len(), 4);
    }
}

#[test]
fn a_refusal_for_now_is_no_attempt() {
    let service = Service::start().on(Op::Project, When::First(7), Trouble::Answer(refused(429, "0")));
    let _ = run(&service, "projects get {P}").ok();
    assert_eq!(service.count(Op::Project), 8);
}

#[test]
fn a_wait_of_an_hour_is_not_waited_for_but_said() {
    for status in [429, 503] {
        let service = Service::always(refused(status, "3600"));
        let began = Instant::now();
        let _ = run(&service, "projects get {P}").fails(6);
        assert_eq!(service.log().len(), 1);
        assert!(began.elapsed() < Duration::from_secs(30));
    }
}

#[test]
fn a_wait_of_seconds_is_waited_for_and_a_long_one_is_announced() {
    let service = Service::start().on(Op::Project, When::First(1), Trouble::Answer(refused(429, "4")));
    let began = Instant::now();
    let said = run(&service, "projects get {P} -o json").ok();
    assert!(began.elapsed() >= Duration::from_secs(4), "{said}");
    assert_eq!(said.stderr.lines().count(), 1, "a wait of more than three seconds is announced: {said}");
    let quiet = Service::start().on(Op::Project, When::First(1), Trouble::Answer(refused(429, "4")));
    let _ = run(&quiet, "projects get {P} -q").data();
}

#[test]
fn adding_redirect_uris_is_repeated_after_a_lost_answer() {
    for lost in lost_answers() {
        let service = Service::start().on(Op::AddUris, When::First(1), Trouble::AnswerAfter(lost));
        let _ = run(&service, "redirect-uris add https://new.example.com").ok();
        assert_eq!((service.count(Op::AddUris), service.held().uris.len()), (2, 1));
    }
    // Where all answers are lost, the list says what was done.
    let service = Service::start().on(Op::AddUris, When::Always, Trouble::CloseAfter);
    let _ = run(&service, "redirect-uris add https://new.example.com").ok();
}

#[test]
fn a_project_is_sent_again_only_where_it_certainly_was_not_created() {
    let service = Service::start().on(Op::CreateProject, When::First(2), Trouble::Answer(refused(429, "0")));
    let _ = run(&service, "projects create Depot --allow-duplicate").ok();
    assert_eq!((service.count(Op::CreateProject), service.held().projects.len()), (3, 2));
    for status in [400, 404, 413, 415, 422] {
        let answer = Answer::problem(status, "No", "");
        let service = Service::start().on(Op::CreateProject, When::Always, Trouble::Answer(answer));
        let said = run(&service, "projects create Depot --allow-duplicate");
        assert!([2, 4, 5].contains(&said.code), "{status}: {said}");
        assert_eq!(service.count(Op::CreateProject), 1, "{status}");
    }
    // A 409 may be the answer to a request that was carried out.
    for (is_done, code) in [(false, 5), (true, 0)] {
        let taken = Answer::problem(409, "Taken", "");
        let trouble = if is_done { Trouble::AnswerAfter(taken) } else { Trouble::Answer(taken) };
        let service = Service::start().on(Op::CreateProject, When::Always, trouble);
        let said = run(&service, "projects create Depot --allow-duplicate").exits(code);
        assert!(!said.stderr.contains("lost"), "{said}");
    }
}

#[test]
fn a_project_that_was_created_in_spite_of_a_lost_answer_is_found() {
    let odd = ["{\"id\":\"c5d0", "{}", "[]", "", "<html>Sign in"].map(|body| Answer::new(201, &[], body));
    for lost in lost_answers().into_iter().chain(odd) {
        let what = format!("{lost:?}");
        let service = Service::start().on(Op::CreateProject, When::Always, Trouble::AnswerAfter(lost));
        let found = run(&service, "projects create Depot -o json").json();
        let held = service.held().projects.clone();
        assert_eq!((held.len(), &found["id"]), (2, &held[1]["id"]), "{what}");
        assert_eq!(service.count(Op::CreateProject), 1, "{what}");
    }
}

#[test]
fn another_project_of_that_name_is_not_taken_for_the_one_that_was_lost() {
    let mut older = fixture("project");
    older["id"] = json!("00000000-0000-4000-8000-000000000001");
    older["name"] = json!("Depot");
    let service = Service::start().on(Op::CreateProject, When::Always, Trouble::CloseBefore);
    service.held().projects.push(older);
    let _ = run(&service, "projects create Depot --allow-duplicate").fails(7);
    assert_eq!(service.count(Op::CreateProject), 1);
}

#[test]
fn a_key_that_is_refused_is_not_tried_again() {
    for status in [401, 403] {
        let service = Service::always(Answer::problem(status, "No", ""));
        let _ = run(&service, "testtakers list -p {P}").fails(3);
        assert_eq!(service.log().len(), 1);
    }
}

#[test]
fn whoever_cannot_be_looked_for_is_not_called_absent() {
    for command in [
        "testtakers get EMP-00001",
        "testtakers get p1@example.com id:1",
        "results get EMP-00001",
        "results get id:1 --fail-on flagged",
        "projects get Nowhere",
        "projects create Depot",
        "testtakers list -p Nowhere",
    ] {
        let service = Service::always(refused(503, "3600"));
        let env = Env::at(&service.url).with("ASSESSCTL_PROJECT", PROJECT);
        let _ = env.line(command).fails(6);
    }
}

#[test]
fn redirect_uris_that_were_sent_and_cannot_be_read_again_are_unfinished() {
    let service = Service::start();
    let _ = run(&service, "redirect-uris list").ok();
    let service =
        Service::start().on(Op::Uris, When::After(service.count(Op::Uris)), Trouble::Answer(refused(503, "3600")));
    let _ = run(&service, "redirect-uris add https://a.example").fails(7);
    assert_eq!(service.held().uris.len(), 1);
}
