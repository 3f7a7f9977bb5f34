//! Rehearsed failures as a client sees them.

use std::time::{Duration, Instant};

use serde_json::json;

use super::client::{KEY, Sandbox, exchange, send};

const PERSON: &[u8] = br#"{"email":"a@example.com"}"#;

/// Enrols somebody in `Demo` and gives everything that the socket said.
fn enrol(sandbox: &Sandbox) -> Vec<u8> {
    let headers = format!("x-api-key: {KEY}\r\ncontent-type: application/json\r\n");
    exchange(&sandbox.service, "POST", &format!("{}/testtakers", sandbox.demo()), &headers, PERSON)
}

fn enrolled(sandbox: &Sandbox) -> usize {
    sandbox.column(&format!("{}/testtakers", sandbox.demo()), "id").len()
}

#[test]
fn a_connection_closed_before_the_work_says_nothing_and_does_nothing() {
    let sandbox = Sandbox::with_faults(&["close-before@enrol:nth=1"]);
    assert_eq!(enrol(&sandbox), b"");
    assert_eq!(enrolled(&sandbox), 0);
    assert!(enrol(&sandbox).starts_with(b"HTTP/1.1 201"));
    assert_eq!(enrolled(&sandbox), 1);
}

#[test]
fn a_connection_closed_after_the_work_says_nothing_and_has_done_it() {
    let sandbox = Sandbox::with_faults(&["close-after@enrol"]);
    assert_eq!(enrol(&sandbox), b"");
    assert_eq!(enrolled(&sandbox), 1);
}

#[test]
fn a_500_after_the_work_has_done_it() {
    let sandbox = Sandbox::with_faults(&["500-after@enrol:nth=2"]);
    assert!(enrol(&sandbox).starts_with(b"HTTP/1.1 201"));
    assert!(enrol(&sandbox).starts_with(b"HTTP/1.1 500"));
    assert_eq!(enrolled(&sandbox), 2);
}

#[test]
fn refusals_for_now_do_nothing_and_may_say_when_to_come_back() {
    for (fault, status, wait) in [
        ("503@enrol", 503, None),
        ("503@enrol:retry-after=2", 503, Some("2")),
        ("429@enrol", 429, None),
        ("429@enrol:retry-after=0", 429, Some("0")),
    ] {
        let sandbox = Sandbox::with_faults(&[fault]);
        let answer = sandbox.post(&format!("{}/testtakers", sandbox.demo()), json!({ "email": "a@example.com" }));
        assert_eq!((answer.status, answer.header("retry-after")), (status, wait), "{fault}");
        assert_eq!(answer.json()["status"], status);
        assert_eq!(enrolled(&sandbox), 0);
    }
}

#[test]
fn a_truncated_body_is_shorter_than_its_head_promises() {
    let sandbox = Sandbox::with_faults(&["truncate@enrol,list-test-takers:nth=1", "truncate@remove"]);
    let bytes = enrol(&sandbox);
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n").expect("a head");
    let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
    let promised = head.lines().find_map(|line| line.strip_prefix("content-length: ")).expect("a length");
    let promised: usize = promised.parse().expect("a number");
    let sent = bytes.len() - end - 4;
    assert!(sent > 0 && sent < promised, "{sent} of {promised}");
    assert_eq!(enrolled(&sandbox), 1);
    let key = format!("x-api-key: {KEY}\r\n");
    let path = format!("{}/testtakers/1", sandbox.demo());
    assert_eq!(exchange(&sandbox.service, "DELETE", &path, &key, b""), b"");
    assert_eq!(enrolled(&sandbox), 0);
}

#[test]
fn a_long_body_is_truncated_too() {
    let sandbox = Sandbox::with_faults(&["truncate@list-redirect-uris"]);
    let uris: Vec<String> = (0..100).map(|n| format!("https://example.com/{n}/{}", "x".repeat(5000))).collect();
    sandbox.post("/workspace/redirect-uris", json!(uris));
    let key = format!("x-api-key: {KEY}\r\n");
    let bytes = exchange(&sandbox.service, "GET", "/workspace/redirect-uris", &key, b"");
    assert!((200_000..300_000).contains(&bytes.len()), "{}", bytes.len());
}

#[test]
fn a_delay_makes_the_answer_late() {
    let sandbox = Sandbox::with_faults(&["delay=30ms@list-redirect-uris"]);
    let start = Instant::now();
    assert_eq!(send(&sandbox.service, "GET", "/workspace/redirect-uris", None).status, 200);
    assert!(start.elapsed() >= Duration::from_millis(30));
}

#[test]
fn late_work_is_done_after_the_connection_has_ended() {
    let sandbox = Sandbox::with_faults(&["late=50ms@enrol"]);
    let start = Instant::now();
    assert_eq!(enrol(&sandbox), b"");
    while enrolled(&sandbox) == 0 {
        assert!(start.elapsed() < Duration::from_secs(30), "the work is never done");
    }
    assert!(start.elapsed() >= Duration::from_millis(50));
}

#[test]
fn people_come_go_and_are_renamed_while_a_list_is_read() {
    let sandbox = Sandbox::with_faults(&["move@list-results:seed=1,share=1"]);
    for _ in 0..5 {
        enrol(&sandbox);
    }
    let list = format!("{}/results", sandbox.demo());
    let lists: Vec<_> = (0..30).map(|_| (sandbox.column(&list, "id"), sandbox.column(&list, "fullName"))).collect();
    assert!(lists.windows(2).any(|pair| pair[0].0 != pair[1].0), "nobody came or went");
    assert!(lists.windows(2).any(|pair| pair[0].1 != pair[1].1), "nobody was renamed");
    // Other operations leave everybody in their place.
    assert_eq!(enrolled(&sandbox), enrolled(&sandbox));
}

#[test]
fn a_stale_list_lacks_whoever_was_enrolled_since() {
    let sandbox = Sandbox::with_faults(&["stale=1h@list-test-takers:nth=2"]);
    enrol(&sandbox);
    assert_eq!([enrolled(&sandbox), enrolled(&sandbox), enrolled(&sandbox)], [1, 0, 1]);
}
