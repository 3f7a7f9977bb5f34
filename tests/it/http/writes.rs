//! Which answers to enrolments, removals, updates and links are sent again: counted at the service.

use std::time::{Duration, Instant};

use serde_json::json;

use super::retries::lost_answers;
use crate::import::{held, import, machine, outcomes, roster};
use crate::support::service::{Op, Service, Trouble, When};
use crate::support::wire::{Answer, fixture};
use crate::support::workspace::person;

fn troubled(op: Op, when: When, trouble: Trouble) -> Service {
    Service::start().with_people(1).on(op, when, trouble)
}

#[test]
fn an_enrolment_is_never_repeated_after_a_lost_answer_and_found_where_it_happened() {
    let odd = ["{\"id\":\"c5d0", "{}", "[]", ""].map(|body| Answer::new(201, &[], body));
    for lost in lost_answers().into_iter().chain(odd) {
        let what = format!("{lost:?}");
        let service = troubled(Op::Enrol, When::Always, Trouble::AnswerAfter(lost));
        let said = import(&machine(&service, roster(1)), "").ok();
        assert_eq!(outcomes(&said.stdout), ["enrolled"], "{what}: {said}");
        assert_eq!((service.count(Op::Enrol), service.held().people.len()), (1, 2), "{what}");
    }
}

#[test]
fn an_enrolment_that_stays_open_is_in_doubt_and_not_repeated() {
    for lost in lost_answers() {
        let what = format!("{lost:?}");
        let service = troubled(Op::Enrol, When::Always, Trouble::Answer(lost));
        let line = "testtakers import people.csv -o csv --settle 10m --no-wait";
        let said = machine(&service, roster(1)).line(line).exits(7);
        assert_eq!(outcomes(&said.stdout), ["in-doubt"], "{what}: {said}");
        assert_eq!(service.count(Op::Enrol), 1, "{what}");
    }
}

#[test]
fn an_enrolment_that_was_refused_for_now_is_sent_again() {
    let refused = Answer::new(429, &["Retry-After: 0"], "");
    let service = troubled(Op::Enrol, When::First(5), Trouble::Answer(refused));
    let said = import(&machine(&service, roster(1)), "").ok();
    assert_eq!(outcomes(&said.stdout), ["enrolled"], "{said}");
    assert_eq!((service.count(Op::Enrol), service.held().people.len()), (6, 2));
}

#[test]
fn a_refused_enrolment_is_refused_at_once() {
    for status in [400, 413, 415, 422] {
        let no = Answer::problem(status, "No", "the year is too late");
        let service = troubled(Op::Enrol, When::Always, Trouble::Answer(no));
        let said = import(&machine(&service, roster(1)), "").exits(10);
        assert_eq!(outcomes(&said.stdout), ["refused"], "{status}: {said}");
        assert_eq!(service.count(Op::Enrol), 1, "{status}");
    }
}

#[test]
fn a_removal_is_repeated_after_a_lost_answer() {
    for lost in lost_answers() {
        let what = format!("{lost:?}");
        let service = troubled(Op::Remove, When::First(1), Trouble::AnswerAfter(lost));
        let _ = machine(&service, "").line("testtakers remove EMP-00001 --yes").ok();
        assert_eq!((service.count(Op::Remove), service.held().people.len()), (2, 0), "{what}");
    }
}

#[test]
fn a_removal_whose_answer_was_lost_stays_in_doubt_whatever_comes_after() {
    let no = Trouble::Answer(Answer::problem(400, "No", ""));
    let service = troubled(Op::Remove, When::First(1), Trouble::CloseBefore).on(Op::Remove, When::After(1), no);
    let said = machine(&service, "").line("testtakers remove EMP-00001 --yes -o csv").exits(7);
    assert_eq!(outcomes(&said.stdout), ["in-doubt"], "{said}");
}

#[test]
fn a_removal_is_certain_by_204_alone() {
    for answer in [Answer::ok(json!({"status": 503})), Answer::new(200, &[], "")] {
        let service = troubled(Op::Remove, When::Always, Trouble::Answer(answer));
        let said = machine(&service, "").line("testtakers remove EMP-00001 --yes -o csv").exits(7);
        assert_eq!(outcomes(&said.stdout), ["in-doubt"], "{said}");
    }
}

#[test]
fn an_update_of_which_a_part_was_kept_is_refused() {
    let mut kept = person(1);
    kept["firstName"] = json!("Una");
    let service = troubled(Op::Update, When::Always, Trouble::Answer(Answer::ok(kept)));
    let line = "testtakers update EMP-00001 --first-name Una --reference-id NEW-1 -o csv";
    let said = machine(&service, "").line(line).exits(5);
    assert_eq!(outcomes(&said.stdout), ["refused"], "{said}");
}

#[test]
fn an_update_that_only_another_case_would_show_is_refused_where_nothing_changed() {
    let kept = Trouble::Answer(Answer::ok(person(1)));
    let service = troubled(Op::Update, When::Always, kept);
    let line = "testtakers update EMP-00001 --reference-id emp-00001 -o csv";
    let _ = machine(&service, "").line(line).exits(5);
}

#[test]
fn an_update_is_repeated_after_a_lost_answer_and_in_doubt_where_every_one_is_lost() {
    let line = "testtakers update EMP-00001 --first-name Una -o csv";
    for lost in lost_answers() {
        let service = troubled(Op::Update, When::First(1), Trouble::AnswerAfter(lost));
        let _ = machine(&service, "").line(line).ok();
        assert_eq!((service.count(Op::Update), held(&service, "firstName")), (2, vec!["Una".to_owned()]));
    }
    let service = troubled(Op::Update, When::Always, Trouble::CloseBefore);
    let said = machine(&service, "").line(line).exits(7);
    assert_eq!(outcomes(&said.stdout), ["in-doubt"], "{said}");
}

#[test]
fn a_link_that_is_not_provisioned_yet_is_waited_for() {
    let too_early = Answer::json(409, &fixture("code-and-message"));
    let service = troubled(Op::Link, When::First(2), Trouble::Answer(too_early));
    let began = Instant::now();
    let _ = machine(&service, "").line("links issue EMP-00001 -q").ok();
    assert_eq!(service.count(Op::Link), 3);
    assert!(began.elapsed() >= Duration::from_secs(3), "1 s and 2 s");
    let other = Answer::problem(409, "Conflict", "");
    let service = troubled(Op::Link, When::Always, Trouble::Answer(other));
    let _ = machine(&service, "").line("links issue EMP-00001 -q").exits(5);
    assert_eq!(service.count(Op::Link), 1);
}
