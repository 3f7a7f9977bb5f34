//! Test links and the test taker's page.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::client::{Answer, Sandbox, raw, send};
use crate::model::projects::ProjectState;
use crate::model::test_status::TestStatus;
use crate::sandbox::{Changes, Who, set_project_state, set_test_taker};

const SITE: &str = "http://127.0.0.1:7878";

/// A person with the reference id `EMP-1`.
fn enrolled(sandbox: &Sandbox) -> String {
    let entry = sandbox.enrol(json!({ "email": "a@example.com", "referenceId": "EMP-1" }));
    format!("{}/testtakers/{entry}", sandbox.demo())
}

fn issue(sandbox: &Sandbox, person: &str, body: Value) -> String {
    let answer = sandbox.post(&format!("{person}/test-link"), body);
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()["url"].as_str().expect("a link").to_owned()
}

/// Path and query of a link.
fn path(link: &str) -> &str {
    link.strip_prefix(SITE).expect("a link of the sandbox")
}

/// The page that a link opens, as a browser would ask for it: without a key.
fn open(sandbox: &Sandbox, link: &str) -> Answer {
    raw(&sandbox.service, "GET", path(link), "", b"")
}

fn step(sandbox: &Sandbox, link: &str, step: &str, form: &str) -> Answer {
    let path = path(link).split('?').next().expect("a path");
    let origin = sandbox.service.base_url();
    let label = format!("content-type: application/x-www-form-urlencoded\r\norigin: {origin}\r\n");
    raw(&sandbox.service, "POST", &format!("{path}/{step}"), &label, form.as_bytes())
}

fn record(sandbox: &Sandbox) -> Value {
    sandbox.get(&format!("{}/results/EMP-1", sandbox.demo())).json()
}

fn says(answer: &Answer, status: u16, words: &str) {
    assert_eq!(answer.status, status, "{}", answer.text());
    assert!(answer.text().contains(words), "{words}: {}", answer.text());
}

#[test]
fn a_link_lives_for_24_hours() {
    let sandbox = Sandbox::new();
    let person = enrolled(&sandbox);
    let before = Timestamp::now();
    let link = sandbox.post(&format!("{person}/test-link"), json!({})).json();
    assert_eq!(link.as_object().map(serde_json::Map::len), Some(2));
    let expires: Timestamp = link["expiresAtUtc"].as_str().and_then(|time| time.parse().ok()).expect("a time");
    let life = expires.duration_since(before);
    assert!((SignedDuration::from_hours(24)..SignedDuration::from_hours(25)).contains(&life), "{life}");
    says(&open(&sandbox, link["url"].as_str().expect("a link")), 200, "Start the assessment");
}

#[test]
fn a_test_link_needs_no_body() {
    let sandbox = Sandbox::new();
    let path = format!("{}/test-link", enrolled(&sandbox));
    assert_eq!(sandbox.send("POST", &path, None).status, 200);
    assert_eq!(sandbox.post(&path, json!({ "redirectUri": null, "referenceId": null })).status, 200);
    for bad in [
        json!([]),
        json!({ "redirectUri": 1 }),
        json!({ "referenceId": "x".repeat(501) }),
        json!({ "referenceId": "" }),
    ] {
        assert_eq!(sandbox.post(&path, bad.clone()).status, 400, "{bad}");
    }
}

#[test]
fn a_redirect_uri_and_a_reference_id_are_appended_to_the_link() {
    let sandbox = Sandbox::new();
    let person = enrolled(&sandbox);
    let plain = issue(&sandbox, &person, json!({}));
    assert!(!plain.contains('?'), "{plain}");
    let body = json!({ "redirectUri": "https://x.example.com/é?a=1&b=2#c", "referenceId": "a+b@c" });
    let link = issue(&sandbox, &person, body);
    let query = "?redirect_uri=https%3A%2F%2Fx.example.com%2F%C3%A9%3Fa%3D1%26b%3D2%23c&reference_id=a%2Bb%40c";
    assert!(link.ends_with(query), "{link}");
    let link = issue(&sandbox, &person, json!({ "referenceId": "x" }));
    assert!(link.ends_with("?reference_id=x"), "{link}");
}

#[test]
fn a_reference_id_of_a_link_changes_no_record() {
    let sandbox = Sandbox::new();
    let person = enrolled(&sandbox);
    let before = record(&sandbox);
    issue(&sandbox, &person, json!({ "referenceId": "other" }));
    assert_eq!(record(&sandbox), before);
}

#[test]
fn issuing_a_link_is_no_invitation() {
    let sandbox = Sandbox::new();
    let person = enrolled(&sandbox);
    issue(&sandbox, &person, json!({}));
    assert_eq!(record(&sandbox)["lastTestSentUtc"], Value::Null);
}

#[test]
fn a_new_link_ends_the_earlier_ones_at_once() {
    let sandbox = Sandbox::new();
    let person = enrolled(&sandbox);
    let old = issue(&sandbox, &person, json!({}));
    let new = issue(&sandbox, &person, json!({}));
    assert_ne!(old, new);
    says(&open(&sandbox, &old), 410, "A newer link was issued");
    says(&step(&sandbox, &old, "start", ""), 410, "A newer link was issued");
    says(&open(&sandbox, &new), 200, "Start the assessment");
}

#[test]
fn a_link_expires_after_its_lifetime() {
    let sandbox = Sandbox::with(|options| options.link_lifetime = Duration::ZERO);
    let link = issue(&sandbox, &enrolled(&sandbox), json!({}));
    says(&open(&sandbox, &link), 410, "has expired");
    says(&step(&sandbox, &link, "start", ""), 410, "has expired");
}

#[test]
fn a_link_of_a_removed_person_is_dead() {
    let sandbox = Sandbox::new();
    let person = enrolled(&sandbox);
    let link = issue(&sandbox, &person, json!({}));
    sandbox.send("DELETE", &person, None);
    says(&open(&sandbox, &link), 410, "has been removed");
}

#[test]
fn a_link_that_never_was_opens_nothing() {
    let sandbox = Sandbox::new();
    for name in ["x", "%3Cscript%3E", "%FF"] {
        let answer = open(&sandbox, &format!("{SITE}/take/{name}"));
        assert!((400..500).contains(&answer.status) && !answer.text().contains("<script>"), "{name}");
    }
    says(&step(&sandbox, &format!("{SITE}/take/x"), "start", ""), 404, "no such link");
}

#[test]
fn a_state_other_than_active_closes_links_and_nothing_else() {
    let sandbox = Sandbox::new();
    let person = enrolled(&sandbox);
    let states = [ProjectState::Draft, ProjectState::Inactive, ProjectState::Deleted, ProjectState::ActiveExpired];
    for state in states {
        set_project_state(&sandbox.state(), "Demo", &state).expect("the project is there");
        let link = issue(&sandbox, &person, json!({}));
        says(&open(&sandbox, &link), 410, "not active");
        sandbox.enrol(json!({ "email": "b@example.com" }));
        assert_eq!(sandbox.send("PATCH", &person, Some(json!({}))).status, 200);
        set_project_state(&sandbox.state(), "Demo", &ProjectState::Active).expect("the project is there");
        says(&open(&sandbox, &link), 200, "Start the assessment");
    }
}

#[test]
fn taking_the_assessment_goes_from_null_over_started_to_its_outcome() {
    let sandbox = Sandbox::new();
    let link = issue(&sandbox, &enrolled(&sandbox), json!({}));
    open(&sandbox, &link);
    assert_eq!(record(&sandbox)["result"], Value::Null);
    says(&step(&sandbox, &link, "finish", "outcome=Completed"), 410, "No assessment is under way");
    says(&step(&sandbox, &link, "start", ""), 200, "How it ends");
    assert_eq!(record(&sandbox)["result"], "Started");
    says(&open(&sandbox, &link), 410, "has been used");
    says(&step(&sandbox, &link, "start", ""), 410, "has been used");
    says(&step(&sandbox, &link, "finish", "outcome=Fine"), 400, "outcome must be one of");
    says(&step(&sandbox, &link, "finish", ""), 400, "outcome is required");
    says(&step(&sandbox, &link, "finish", "outcome=HighRisk"), 200, "finished");
    let record = record(&sandbox);
    assert_eq!(record["result"], "HighRisk");
    assert!(record["dateCompleted"].is_string());
    says(&step(&sandbox, &link, "finish", "outcome=Completed"), 410, "No assessment is under way");
}

#[test]
fn starting_again_takes_the_completion_time_away() {
    let sandbox = Sandbox::new();
    let link = issue(&sandbox, &enrolled(&sandbox), json!({}));
    let done = Changes { result: Some(TestStatus::Completed), ..Changes::default() };
    set_test_taker(&sandbox.state(), "Demo", &Who::Reference("EMP-1".to_owned()), &done).expect("they are there");
    step(&sandbox, &link, "start", "");
    let record = record(&sandbox);
    assert_eq!((&record["result"], &record["dateCompleted"]), (&json!("Started"), &Value::Null));
}

#[test]
fn a_redirect_follows_the_allowlist_with_wildcards_and_ignoring_case() {
    let sandbox = Sandbox::new();
    let person = enrolled(&sandbox);
    sandbox.post("/workspace/redirect-uris", json!(["https://*.example.com/done", "https://exact.example.org/"]));
    for (uri, follows) in [
        ("https://A.example.com/DONE", true),
        ("https://exact.example.org/", true),
        ("https://exact.example.org/more", false),
        ("https://evil.example.net/", false),
    ] {
        let link = issue(&sandbox, &person, json!({ "redirectUri": uri }));
        step(&sandbox, &link, "start", "");
        let answer = step(&sandbox, &link, "finish", "outcome=Completed");
        assert_eq!(answer.status, if follows { 303 } else { 200 }, "{uri}");
        assert_eq!(answer.header("location"), follows.then_some(uri));
    }
}

#[test]
fn a_link_is_issued_whatever_the_allowlist_says() {
    let sandbox = Sandbox::new();
    let person = enrolled(&sandbox);
    let link = issue(&sandbox, &person, json!({ "redirectUri": "https://nowhere.example.com/" }));
    says(&open(&sandbox, &link), 200, "Start the assessment");
}

#[test]
fn a_page_shows_names_as_text_and_keeps_its_address_to_itself() {
    let sandbox = Sandbox::new();
    let project = sandbox.post("/projects", json!({ "name": "<script>alert(1)</script>" })).json();
    let people = format!("/projects/{}/testtakers", project["id"].as_str().expect("an id"));
    sandbox.post(&people, json!({ "email": "a@example.com" }));
    let link = issue(&sandbox, &format!("{people}/1"), json!({}));
    let page = open(&sandbox, &link);
    says(&page, 200, "&lt;script&gt;");
    assert!(!page.text().contains("<script>"));
    assert_eq!(page.header("referrer-policy"), Some("same-origin"));
    assert_eq!(page.header("cache-control"), Some("no-store"));
}

#[test]
fn a_link_is_refused_while_the_test_taker_is_provisioned() {
    let sandbox = Sandbox::with(|options| options.provisioning = Duration::from_hours(1));
    let person = enrolled(&sandbox);
    let path = format!("{person}/test-link");
    let mut waits = std::collections::BTreeSet::new();
    for _ in 0..60 {
        let answer = sandbox.post(&path, json!({}));
        assert_eq!(answer.status, 409);
        let body = answer.json();
        assert_eq!(body["code"], "test_taker_not_provisioned");
        assert!(body["message"].is_string() && body.as_object().is_some_and(|body| body.len() == 2));
        waits.insert(answer.header("retry-after").and_then(|wait| wait.parse::<u8>().ok()).expect("seconds"));
    }
    assert!(waits.len() > 1 && waits.iter().all(|wait| (1..=5).contains(wait)), "{waits:?}");
    let ready = sandbox.beside(|_| {});
    assert_eq!(send(&ready, "POST", &path, Some(json!({}))).status, 200);
}

#[test]
fn only_an_unprovisioned_test_taker_gets_a_code() {
    let sandbox = Sandbox::with(|options| options.provisioning = Duration::from_hours(1));
    let person = enrolled(&sandbox);
    for (path, body, status) in [
        (format!("{person}/test-link"), json!({ "referenceId": "a b" }), 400),
        (format!("{person}9/test-link"), json!({}), 404),
    ] {
        let answer = sandbox.post(&path, body);
        assert_eq!(answer.status, status);
        assert_eq!(answer.json().get("code"), None);
    }
}

#[test]
fn a_form_of_another_page_starts_nothing() {
    let sandbox = Sandbox::new();
    let link = issue(&sandbox, &enrolled(&sandbox), json!({}));
    let (own, evil) = (format!("origin: {}\r\n", sandbox.service.base_url()), "origin: http://evil.example\r\n");
    let (first, last) = (format!("{own}{evil}"), format!("{evil}{own}"));
    for origin in ["", "origin: null\r\n", evil, "origin: https://127.0.0.1:7878\r\n", &first, &last] {
        let answer = raw(&sandbox.service, "POST", &format!("{}/start", path(&link)), origin, b"");
        says(&answer, 403, "Origin is not this sandbox");
    }
    assert_eq!(record(&sandbox)["result"], Value::Null);
    says(&step(&sandbox, &link, "start", ""), 200, "How it ends");
}
