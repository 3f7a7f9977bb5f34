//! Rehearsed failures as a client sees them.

use std::time::{Duration, Instant};

use serde_json::json;

use super::client::{KEY, Sandbox, exchange, send};

const PERSON: &[u8] = br#"{"email":"a@example.com"}"#;

/// Enrols a person in `Demo` and gives everything that the socket said.
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
fn a_list_that_lags_lacks_who_was_enrolled_since_and_has_who_was_removed_since() {
    let sandbox = Sandbox::with_faults(&["lag=1h@list-test-takers:nth=2"]);
    enrol(&sandbox);
    assert_eq!([enrolled(&sandbox), enrolled(&sandbox), enrolled(&sandbox)], [1, 0, 1]);

    let sandbox = Sandbox::with_faults(&["lag=1h@list-test-takers:nth=2"]);
    for email in ["long@example.com", "gone@example.com"] {
        sandbox.enrol(json!({ "email": email }));
    }
    let backdate = "UPDATE test_takers SET created = created - 7200000000";
    rusqlite::Connection::open(sandbox.state()).and_then(|c| c.execute_batch(backdate)).expect("the file is there");
    sandbox.send("DELETE", &format!("{}/testtakers/2", sandbox.demo()), None);
    assert_eq!([enrolled(&sandbox), enrolled(&sandbox), enrolled(&sandbox)], [1, 2, 1]);
}

/// A sandbox with this fault and five people.
fn with_five(fault: &str) -> Sandbox {
    let sandbox = Sandbox::with_faults(&[fault]);
    for _ in 0..5 {
        enrol(&sandbox);
    }
    sandbox
}

/// The ids on a page of two people, or how it was refused.
fn page_of_two(sandbox: &Sandbox, page: u32) -> Result<Vec<u64>, u16> {
    let answer = sandbox.get(&format!("{}/testtakers?pageSize=2&page={page}", sandbox.demo()));
    let records = answer.json();
    let ids = records.as_array().map(|list| list.iter().filter_map(|record| record["id"].as_u64()).collect());
    ids.ok_or(answer.status)
}

#[test]
fn each_fault_of_a_page_spoils_it_in_its_own_way() {
    for (fault, wanted) in [
        ("404@list-test-takers:page=2,times=1", [Ok(vec![1, 2]), Err(404), Ok(vec![5]), Ok(vec![])]),
        ("400@list-test-takers:page=3", [Ok(vec![1, 2]), Ok(vec![3, 4]), Err(400), Ok(vec![])]),
        ("410@list-t*:nth=4", [Ok(vec![1, 2]), Ok(vec![3, 4]), Ok(vec![5]), Err(410)]),
        ("cap=1@list-test-takers", [Ok(vec![1]), Ok(vec![2]), Ok(vec![3]), Ok(vec![4])]),
        ("short=1@list-test-takers:page=2", [Ok(vec![1, 2]), Ok(vec![3]), Ok(vec![5]), Ok(vec![])]),
        ("empty@list-test-takers:page=2", [Ok(vec![1, 2]), Ok(vec![]), Ok(vec![5]), Ok(vec![])]),
        ("repeat=1@list-test-takers:page=3", [Ok(vec![1, 2]), Ok(vec![3, 4]), Ok(vec![1, 2]), Ok(vec![])]),
        ("repeat=1@list-test-takers", [Ok(vec![1, 2]), Ok(vec![1, 2]), Ok(vec![1, 2]), Ok(vec![1, 2])]),
        ("clamp@list-test-takers", [Ok(vec![1, 2]), Ok(vec![3, 4]), Ok(vec![5]), Ok(vec![5])]),
        ("end=404@list-test-takers", [Ok(vec![1, 2]), Ok(vec![3, 4]), Ok(vec![5]), Err(404)]),
        ("window=4@list-test-takers", [Ok(vec![1, 2]), Ok(vec![3, 4]), Err(400), Err(400)]),
    ] {
        let sandbox = with_five(fault);
        assert_eq!([1, 2, 3, 4].map(|page| page_of_two(&sandbox, page)), wanted, "{fault}");
    }
}

#[test]
fn a_page_far_beyond_the_end_is_clamped_to_the_last_one() {
    let sandbox = with_five("clamp");
    assert_eq!(page_of_two(&sandbox, 2_000_000_000), Ok(vec![5]));
    assert_eq!(sandbox.column("/projects?page=7", "name"), ["Demo"]);
    assert_eq!(sandbox.get("/workspace/redirect-uris?page=7").json(), json!([]));
}

#[test]
fn equal_names_stand_in_another_order_each_time() {
    let sandbox = Sandbox::with_faults(&["unordered@list-results"]);
    for _ in 0..9 {
        enrol(&sandbox);
    }
    let ids = || sandbox.column(&format!("{}/results?orderBy=FullName", sandbox.demo()), "id");
    let orders: Vec<_> = (0..5).map(|_| ids()).collect();
    assert!(orders.windows(2).any(|pair| pair[0] != pair[1]), "{orders:?}");
    for mut order in orders {
        order.sort_by_key(serde_json::Value::as_u64);
        assert_eq!(order, (1..=9).map(serde_json::Value::from).collect::<Vec<_>>());
    }
    assert_eq!(sandbox.column(&format!("{}/testtakers", sandbox.demo()), "id").len(), 9);
}

#[test]
fn a_cut_body_is_said_to_be_whole() {
    let sandbox = Sandbox::with_faults(&["cut@list-projects,remove"]);
    let answer = sandbox.get("/projects");
    assert_eq!(answer.header("content-length"), Some(answer.body.len().to_string().as_str()));
    assert!(serde_json::from_slice::<serde_json::Value>(&answer.body).is_err(), "{}", answer.text());
}

#[test]
fn a_body_without_a_length_ends_with_the_connection_whole_or_cut() {
    let whole = Sandbox::with_faults(&["http10@list-projects"]).get("/projects");
    assert!(whole.head.starts_with("HTTP/1.0 200"), "{}", whole.head);
    assert_eq!((whole.header("content-length"), whole.header("transfer-encoding")), (None, None));
    assert_eq!(whole.json().as_array().map(Vec::len), Some(1));
    let cut = Sandbox::with_faults(&["http10@list-projects", "cut@list-projects"]).get("/projects");
    assert!(cut.body.len() > 10 && cut.body.len() < whole.body.len(), "{}", cut.text());
}

#[test]
fn another_status_comes_with_the_work_done() {
    let sandbox = Sandbox::with_faults(&["status=202@enrol", "status=206@list-projects:nth=2"]);
    assert!(enrol(&sandbox).starts_with(b"HTTP/1.1 202"));
    assert_eq!(enrolled(&sandbox), 1);
    let answer = sandbox.get("/projects?filter=Demo");
    assert_eq!((answer.status, answer.json().as_array().map(Vec::len)), (200, Some(1)));
}

#[test]
fn a_service_that_spells_keeps_its_own_spelling_and_may_repeat_the_callers() {
    let person =
        json!({ "email": "Zoe+n@müller.example", "firstName": "Zoe\u{308}", "lastName": "a  b", "referenceId": "e-1" });
    let spell = |ways: &str| {
        let sandbox = Sandbox::with_faults(&[&format!("spell={ways}@enrol")]);
        let answer = sandbox.post(&format!("{}/testtakers", sandbox.demo()), person.clone()).json();
        let kept = sandbox.get(&format!("{}/testtakers", sandbox.demo())).json();
        let row = |record: &serde_json::Value| {
            ["email", "firstName", "lastName", "referenceId"].map(|field| record[field].as_str().map(str::to_owned))
        };
        (row(&answer), row(&kept[0]))
    };
    let wanted =
        [Some("zoe@xn--mller-kva.example"), Some("Zoë"), Some("a b"), Some("E-1")].map(|t| t.map(str::to_owned));
    assert_eq!(spell("nfc,punycode,plus,lower,spaces,upper"), (wanted.clone(), wanted.clone()));
    assert_eq!(spell("cut").1[3].as_deref(), Some("e-1"), "short enough");
    let (answered, kept) = spell("dropped,echo");
    assert_eq!((answered[3].as_deref(), &kept[3]), (Some("e-1"), &None));
}

#[test]
fn a_rate_refuses_what_goes_beyond_it() {
    let sandbox = Sandbox::with_faults(&["429@list-redirect-uris:over=3/1h", "503@enrol:times=2,retry-after=7"]);
    let statuses: Vec<u16> = (0..5).map(|_| sandbox.get("/workspace/redirect-uris").status).collect();
    assert_eq!(statuses, [200, 200, 200, 429, 429]);
    for _ in 0..2 {
        assert!(String::from_utf8_lossy(&enrol(&sandbox)).contains("retry-after: 7"));
    }
    assert!(enrol(&sandbox).starts_with(b"HTTP/1.1 201"));
}
