//! Answers that no service should give: endless, deep, cut, of another record, or in words that hurt.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::env::{Env, KEY};
use crate::support::service::{Op, Service, Trouble, When};
use crate::support::wire::{Answer, PROJECT, fixture};
use crate::support::workspace::person;

fn list(service: &Service, more: &str) -> crate::support::env::Said {
    Env::at(&service.url).line(&format!("testtakers list -p {PROJECT} {more}"))
}

#[test]
fn a_body_without_an_end_is_cut_off_within_a_bounded_memory() {
    let service = Service::always(Answer::flood("[", 1024));
    let env = Env::at(&service.url);
    // The limit is an address space of 1 GiB.
    let line = format!("ulimit -v 1048576; exec assessctl testtakers list -p {PROJECT}");
    let said = crate::support::shell::run(&env, &line);
    assert!([1, 6].contains(&said.code) && said.stdout.is_empty(), "{said}");
}

#[test]
fn a_service_that_falls_silent_or_drips_is_no_answer() {
    for answer in
        [Answer::hang(""), Answer::hang("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n[{\"id\":"), Answer::drip("[")]
    {
        let service = Service::always(answer);
        let began = Instant::now();
        let said = list(&service, "--timeout 300ms").fails(6);
        assert!(said.stderr.contains("it took too long"), "{said}");
        assert_eq!(service.log().len(), 4);
        assert!(began.elapsed() < Duration::from_secs(20));
    }
}

#[test]
fn deep_values_are_borne_or_refused_and_never_followed() {
    let deep = format!("[{{\"id\":1,\"email\":\"a@b.example\",\"x\":{}{}}}]", "[".repeat(100_000), "]".repeat(100_000));
    for format in ["table", "csv", "json", "ndjson"] {
        let service = Service::always(Answer::new(200, &["Content-Type: application/json"], &deep));
        let said = list(&service, &format!("--page 1 -o {format}"));
        assert!(
            said.code < 10 && !said.stderr.contains("panicked") && !said.stderr.contains("overflow"),
            "{}",
            said.code
        );
    }
}

#[test]
fn a_million_headers_are_no_answer() {
    let many = format!("HTTP/1.1 200 OK\r\n{}\r\n[]", "X-A: b\r\n".repeat(1_000_000));
    let said = list(&Service::always(Answer::bytes(many)), "");
    assert!([1, 2, 6].contains(&said.code) && said.stdout.is_empty(), "{said}");
}

#[test]
fn wrong_types_and_garbage_are_one_clear_error_and_never_half_a_list() {
    let good = person(1).to_string();
    let bodies = [
        "{}".to_owned(),
        "null".to_owned(),
        "\"a\"".to_owned(),
        "[1]".to_owned(),
        format!("[{good},"),
        format!("[{good}]]"),
        format!("[{good}][{good}]"),
        good.replace("4711", "\"4711\""),
        format!("[{}]", good.replacen("\"id\":1", "\"id\":\"canary\"", 1)),
        format!("[{}]", good.replacen("\"id\":1", "\"id\":4000000000", 1)),
        "\u{0}\u{1}".to_owned(),
        String::new(),
    ];
    for body in bodies {
        for format in ["table", "csv", "json", "ndjson"] {
            let service = Service::always(Answer::new(200, &["Content-Type: application/json"], &body));
            let said = list(&service, &format!("-o {format}"));
            assert!([1, 2, 6, 7].contains(&said.code), "{body}: {said}");
            let _ = said.clone().fails(said.code).hides("canary").hides("p1@example.com");
        }
    }
}

#[test]
fn accepted_partial_and_empty_are_no_answers_and_never_a_page() {
    for status in [202, 203, 206, 226] {
        let answer = Answer::json(status, &json!([person(1)]));
        let service = Service::start().on(Op::TestTakers, When::Always, Trouble::Answer(answer));
        let said = list(&service, "");
        assert!(said.code != 0 && said.stdout.is_empty(), "{status}: {said}");
    }
}

#[test]
fn compression_is_neither_asked_for_nor_undone() {
    let service = Service::always(Answer::new(200, &["Content-Encoding: gzip"], "\u{1f}\u{8b}"));
    let said = list(&service, "");
    assert!(said.code != 0 && said.stdout.is_empty(), "{said}");
    assert_eq!(service.log()[0].header("accept-encoding"), Some("identity"));
}

#[test]
fn a_result_of_another_reference_id_is_an_error_and_not_printed() {
    let mut other = fixture("result");
    other["referenceId"] = json!("EMP-00018");
    let service =
        Service::start().of([fixture("test-taker")]).on(Op::Result, When::Always, Trouble::Answer(Answer::ok(other)));
    let line = format!("results get EMP-00017 -p {PROJECT}");
    let _ = Env::at(&service.url).line(&line).fails(1).hides("HighRisk").hides("EMP-00018");
}

#[test]
fn the_result_of_an_earlier_entry_opens_no_gate() {
    let (mut earlier, mut again) = (person(2), person(12));
    earlier["result"] = json!("Completed");
    again["referenceId"] = earlier["referenceId"].clone();
    again["result"] = json!("HighRisk");
    let answer = Trouble::Answer(Answer::ok(earlier));
    let env = Env::at(&Service::start().of([again]).on(Op::Result, When::Always, answer).url);
    for (who, code) in [("id:12", 8), ("p12@example.com", 8), ("EMP-00002", 1)] {
        let said = env.line(&format!("results get {who} --fail-on flagged -p {PROJECT}")).exits(code);
        let _ = said.hides(",Completed,");
    }
}

#[test]
fn two_records_that_one_run_reads_must_agree_and_both_must_be_there() {
    let record = |result: &str, completed: Value| {
        let mut record = person(2);
        (record["result"], record["dateCompleted"]) = (json!(result), completed);
        record
    };
    let old = record("Completed", json!("2026-02-27T05:00:00Z"));
    let service = Service::start().on(Op::Result, When::Always, Trouble::Answer(Answer::ok(old)));
    let env = Env::at(&service.url);
    for new in [record("HighRisk", json!("2026-02-27T06:00:00Z")), record("Emergency", json!(null))] {
        service.held().people.clear();
        service.held().add(new);
        for who in ["id:2", "p2@example.com", "EMP-00002"] {
            let _ = env.line(&format!("results get {who} --completed-since 2000-01-01 -p {PROJECT}")).fails(7);
        }
    }
    service.held().people.clear();
    let _ = env.line(&format!("results get EMP-00002 --completed-since 2000-01-01 -p {PROJECT}")).fails(4);
}

#[test]
fn a_list_whose_fields_have_other_names_is_an_error_and_a_result_that_none_shows_needs_action() {
    let odd = [json!([{"Id": 1, "Email": "a@x.example", "Result": "HighRisk"}])].map(Answer::ok);
    let service = Service::start().on(Op::Results, When::Always, Trouble::Answer(odd[0].clone()));
    let _ = Env::at(&service.url).line(&format!("results list --fail-on flagged -p {PROJECT}")).fails(1);
    let mut other = person(1);
    (other["result"], other["testStatus"]) = (json!(null), json!("HighRisk"));
    other["dateCompleted"] = json!("2026-02-27T06:00:00Z");
    let service = Service::start().of([other]);
    let _ = Env::at(&service.url).line(&format!("results list --fail-on flagged -p {PROJECT}")).exits(8);
}

#[test]
fn a_result_that_two_people_share_is_not_shown() {
    let twins = [1, 2].map(|id| {
        let mut one = person(id);
        one["referenceId"] = json!("SHARED");
        one
    });
    let service = Service::start().of(twins);
    let said = Env::at(&service.url).line(&format!("results get ref:SHARED -p {PROJECT}")).fails(2);
    let _ = said.names("1").names("2").hides("HighRisk");
}

#[test]
fn the_services_words_are_kept_where_they_are_plain_and_what_a_request_carried_is_hidden() {
    let detail = "the name Nightshift of EMP-00017 (zoe@example.com, https://x.example/t/abc) is taken";
    let refusal = Trouble::Answer(Answer::problem(422, "Unprocessable", detail));
    let service = Service::start().on(Op::CreateProject, When::Always, refusal);
    let said = Env::at(&service.url).line("projects create Nightshift --allow-duplicate").fails(5);
    for hidden in ["Nightshift", "EMP-00017", "zoe", "x.example"] {
        assert!(!said.stderr.contains(hidden), "{hidden} in {said}");
    }
    let _ = said.names("Unprocessable").names("is taken");
}

#[test]
fn words_of_a_service_reach_a_terminal_without_control_characters() {
    let service = Service::always(Answer::problem(422, "No\u{1b}[2J\u{202e}", "Bell\u{7}\nerror: fake\nhint: fake"));
    let said = Env::at(&service.url).line("projects list").fails(5);
    assert!(!said.stderr.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{said:?}");
}

#[test]
fn a_service_that_repeats_the_key_does_not_make_us_repeat_it() {
    let page = format!("<html><title>{KEY}</title>");
    for answer in [
        Answer::problem(401, KEY, &format!("the key {KEY} is unknown")),
        Answer::json(422, &json!({ "code": KEY, "message": KEY })),
        Answer::new(403, &["Content-Type: text/html"], &page),
        Answer::new(200, &["Content-Type: text/html"], &page),
        Answer::new(302, &[&format!("Location: https://{KEY}.example/{KEY}")], ""),
        Answer::ok(Value::Array(vec![json!(KEY)])),
        Answer::bytes(format!("HTTP/1.1 500 {KEY}\r\nX-{KEY}: {KEY}\r\n\r\n{KEY}")),
    ] {
        let service = Service::always(answer);
        for command in ["projects list -v", "projects create Depot -v", "results list -p {P} -o csv -v"] {
            let said = Env::at(&service.url).line(&command.replace("{P}", PROJECT)).hides(KEY);
            assert!(said.code != 0, "{command}:\n{said}");
        }
    }
}

#[test]
fn a_row_that_names_two_people_opens_no_gate() {
    let service = Service::start().with_people(2);
    let env = Env::at(&service.url);
    let gate = format!("results get --file who.csv --completed-since 2000-01-01 -q -p {PROJECT}");
    for (who, code) in [("EMP-00001,p1@example.com", 0), ("EMP-00001,p2@example.com", 4), ("", 4)] {
        env.write("who.csv", format!("referenceId,email\n{who}\n"));
        let _ = env.line(&gate).exits(code);
    }
    env.write("who.csv", "referenceId\n");
    let _ = env.line(&format!("results get --file who.csv --fail-on flagged -p {PROJECT}")).fails(4);
}

#[test]
fn an_alert_that_was_read_is_told_although_others_cannot_be_read_or_are_ambiguous() {
    let mut people = [1, 2, 3, 4].map(person);
    people[1]["referenceId"] = json!("EMP-00004");
    people[0]["result"] = json!("Completed");
    (people[2]["referenceId"], people[2]["result"]) = (json!(null), json!("HighRisk"));
    for (trouble, who, code) in [
        (400, "EMP-00001", 5),
        (403, "EMP-00001", 3),
        (400, "EMP-00001 p3@example.com", 8),
        (404, "EMP-00001 p3@example.com", 8),
        (404, "EMP-00001", 7),
        (200, "--file ambiguous.csv", 10),
        (200, "--file alert.csv", 8),
        (200, "EMP-00004", 2),
    ] {
        let answer = Trouble::Answer(Answer::problem(trouble, "Odd", "answer"));
        let service = Service::start().of(people.clone());
        let service = if trouble == 200 { service } else { service.on(Op::Result, When::Always, answer) };
        let line = format!("results get {who} --fail-on flagged -q -p {PROJECT}");
        let env = Env::at(&service.url);
        env.write("ambiguous.csv", "referenceId\nEMP-00004\nEMP-00001\n");
        env.write("alert.csv", "EMP-00004\np3@example.com\n");
        let said = env.line(&line).exits(code);
        assert_eq!(said.stdout.contains("id:3"), code == 8, "{trouble} {who}: {said}");
    }
}

#[test]
fn people_by_entry_id_are_found_in_one_reading_of_the_list() {
    let service = Service::start().with_people(5);
    let env = Env::at(&service.url);
    let said = env.line(&format!("results get id:1 id:2 id:3 id:4 id:5 -q -p {PROJECT}"));
    assert_eq!(said.data().lines().count(), 5);
    assert_eq!(service.count(Op::Results), 3);
}
