//! The lists of test takers and results: pages, orders, filters.

use serde_json::{Value, json};

use super::client::Sandbox;
use crate::model::test_status::TestStatus;
use crate::sandbox::{Changes, Who, set_test_taker};

/// Both lists, which share their parameters.
const LISTS: [&str; 2] = ["testtakers", "results"];

fn ids(sandbox: &Sandbox, list: &str, query: &str) -> Vec<Value> {
    sandbox.column(&format!("{}/{list}?{query}", sandbox.demo()), "id")
}

fn set(sandbox: &Sandbox, entry: i64, changes: &Changes) {
    let who = Who::Id(i32::try_from(entry).expect("an int32"));
    set_test_taker(&sandbox.state(), "Demo", &who, changes).expect("the test taker is there");
}

fn set_result(sandbox: &Sandbox, entry: i64, result: TestStatus) {
    set(sandbox, entry, &Changes { result: Some(result), ..Changes::default() });
}

fn set_sent(sandbox: &Sandbox, entry: i64, sent: &str) {
    set(sandbox, entry, &Changes { sent: Some(sent.parse().expect("a time")), ..Changes::default() });
}

/// `count` people, numbered from 1.
fn people(count: usize) -> Sandbox {
    let sandbox = Sandbox::new();
    for n in 1..=count {
        sandbox.enrol(json!({ "email": format!("p{n}@example.com") }));
    }
    sandbox
}

#[test]
fn pages_cut_the_list_without_gap_or_overlap() {
    let sandbox = people(5);
    for list in LISTS {
        let page = |n: u32| ids(&sandbox, list, &format!("pageSize=2&page={n}&orderBy=FullName&order=Asc"));
        assert_eq!([page(1), page(2), page(3)].concat(), [1, 2, 3, 4, 5]);
    }
}

#[test]
fn a_page_beyond_the_end_is_empty() {
    let sandbox = people(2);
    for list in LISTS {
        assert_eq!(ids(&sandbox, list, "page=2"), [] as [i64; 0]);
        assert_eq!(ids(&sandbox, list, &format!("page={}", i32::MAX)), [] as [i64; 0]);
    }
    assert_eq!(sandbox.get("/projects?page=2").json(), json!([]));
    assert_eq!(sandbox.get("/workspace/redirect-uris?page=2").json(), json!([]));
}

#[test]
fn paging_outside_the_limits_is_refused() {
    let sandbox = people(0);
    let demo = sandbox.demo();
    let lists = ["/projects", "/workspace/redirect-uris", &format!("{demo}/testtakers"), &format!("{demo}/results")];
    for path in lists {
        for bad in
            ["page=0", "page=-1", "page=x", "page=", "page=2147483648", "pageSize=0", "pageSize=101", "pageSize="]
        {
            let answer = sandbox.get(&format!("{path}?{bad}"));
            assert_eq!(answer.status, 400, "{path}?{bad}");
            assert_eq!(answer.json()["title"], "Bad Request");
        }
        assert_eq!(sandbox.get(&format!("{path}?page=1&pageSize=100&order=Asc")).status, 200, "{path}");
    }
}

#[test]
fn a_page_has_at_most_100_records_by_default() {
    let sandbox = people(101);
    for list in LISTS {
        assert_eq!(ids(&sandbox, list, "").len(), 100);
        assert_eq!(ids(&sandbox, list, "page=2").len(), 1);
    }
}

#[test]
fn lists_of_people_are_descending_by_default() {
    let sandbox = people(2);
    set_result(&sandbox, 2, TestStatus::Emergency);
    for list in LISTS {
        assert_eq!(ids(&sandbox, list, ""), [2, 1]);
        assert_eq!(ids(&sandbox, list, ""), ids(&sandbox, list, "orderBy=Priority&order=Desc"));
        assert_eq!(ids(&sandbox, list, "order=Asc"), [1, 2]);
    }
}

#[test]
fn people_are_ranked_by_the_gravity_of_their_result() {
    let sandbox = people(5);
    let results = [TestStatus::Completed, TestStatus::Completed, TestStatus::Started, TestStatus::HighRisk];
    for (result, entry) in results.into_iter().zip(1..) {
        set_result(&sandbox, entry, result);
    }
    set_result(&sandbox, 5, TestStatus::Emergency);
    set(&sandbox, 2, &Changes { top_performer: Some(true), ..Changes::default() });
    for list in LISTS {
        assert_eq!(ids(&sandbox, list, "orderBy=Priority&order=Desc"), [5, 4, 3, 1, 2]);
        assert_eq!(ids(&sandbox, list, "orderBy=Performance&order=Desc"), [2, 1, 3, 4, 5]);
    }
}

#[test]
fn equal_keys_stand_in_the_order_of_enrolment() {
    let sandbox = people(3);
    for list in LISTS {
        for by in ["Priority", "Performance", "FullName", "LastTestSent"] {
            for order in ["Asc", "Desc"] {
                assert_eq!(ids(&sandbox, list, &format!("orderBy={by}&order={order}")), [1, 2, 3], "{by} {order}");
            }
        }
    }
}

#[test]
fn names_are_sorted_ignoring_case() {
    let sandbox = Sandbox::new();
    for name in ["beta", "Alpha", "Émile", "émilie"] {
        sandbox.enrol(json!({ "email": "a@example.com", "firstName": name }));
    }
    sandbox.enrol(json!({ "email": "a@example.com" }));
    for list in LISTS {
        assert_eq!(ids(&sandbox, list, "orderBy=FullName&order=Asc"), [5, 2, 1, 3, 4]);
        assert_eq!(ids(&sandbox, list, "orderBy=FullName&order=Desc"), [4, 3, 1, 2, 5]);
    }
}

#[test]
fn who_was_never_invited_comes_first_ascending() {
    let sandbox = people(3);
    set_sent(&sandbox, 1, "2026-03-02T06:00:00Z");
    set_sent(&sandbox, 3, "2026-03-01T06:00:00Z");
    for list in LISTS {
        assert_eq!(ids(&sandbox, list, "orderBy=LastTestSent&order=Asc"), [2, 3, 1]);
        assert_eq!(ids(&sandbox, list, "orderBy=LastTestSent&order=Desc"), [1, 3, 2]);
    }
}

#[test]
fn a_filter_ignores_case() {
    let sandbox = Sandbox::new();
    sandbox.enrol(json!({ "email": "Zoe@example.com", "referenceId": "EMP-1" }));
    sandbox.enrol(json!({ "email": "b@example.com", "firstName": "Ann-ZOË", "lastName": "Lee" }));
    sandbox.enrol(json!({ "email": "c+d@example.com", "referenceId": "emp-2" }));
    for list in LISTS {
        let filtered = |text: &str| ids(&sandbox, list, &format!("order=Asc&filter={text}"));
        assert_eq!(filtered("zoe"), [1]);
        assert_eq!(filtered("zo%C3%8B+l"), [2]);
        assert_eq!(filtered("EMP-"), [1, 3]);
        assert_eq!(filtered("c%2Bd"), [3]);
        assert_eq!(filtered("%25"), [] as [i64; 0]);
        assert_eq!(filtered("_"), [] as [i64; 0]);
    }
}

#[test]
fn an_empty_filter_is_no_filter() {
    let sandbox = people(2);
    for list in LISTS {
        assert_eq!(ids(&sandbox, list, "filter=&hasReferenceId=&hasLastTestSent=&referenceId=").len(), 2);
        assert_eq!(ids(&sandbox, list, "hasReferenceId=null&hasLastTestSent=null").len(), 2);
    }
}

#[test]
fn filters_outside_their_rules_are_refused() {
    let sandbox = people(0);
    let long = "x".repeat(501);
    for list in LISTS {
        let status = |query: &str| sandbox.get(&format!("{}/{list}?{query}", sandbox.demo())).status;
        for bad in [
            &format!("filter={long}"),
            "completedOnly=1",
            "completedOnly=",
            "hasReferenceId=maybe",
            "hasLastTestSent=no",
            "lastTestSentFromUtc=yesterday",
            "lastTestSentToUtc=",
            "orderBy=Name",
            "orderBy=Risk",
            "order=down",
        ] {
            assert_eq!(status(bad), 400, "{bad}");
        }
        assert_eq!(status(&format!("filter={}", &long[1..])), 200);
    }
    assert_eq!(sandbox.get(&format!("{}/testtakers?referenceId={long}", sandbox.demo())).status, 400);
    assert_eq!(sandbox.get(&format!("/projects?filter={long}")).status, 400);
}

#[test]
fn enum_values_are_spelled_as_in_the_specification() {
    let sandbox = people(0);
    for list in LISTS {
        for bad in ["order=asc", "orderBy=priority", "order=", "completedOnly=True"] {
            assert_eq!(sandbox.get(&format!("{}/{list}?{bad}", sandbox.demo())).status, 400, "{bad}");
        }
    }
}

#[test]
fn a_parameter_given_twice_is_refused() {
    let sandbox = people(0);
    assert_eq!(sandbox.get("/projects?page=1&page=1").status, 400);
    assert_eq!(sandbox.get(&format!("{}/testtakers?filter=a&filter=b", sandbox.demo())).status, 400);
}

#[test]
fn the_reference_id_parameter_is_exact_to_the_byte() {
    let sandbox = Sandbox::new();
    for id in ["EMP-1", "emp-1", "EMP-10", "a+b@c", ".", ".."] {
        sandbox.enrol(json!({ "email": "a@example.com", "referenceId": id }));
    }
    let found = |id: &str| ids(&sandbox, "testtakers", &format!("referenceId={id}"));
    assert_eq!(found("EMP-1"), [1]);
    assert_eq!(found("emp-1"), [2]);
    assert_eq!(found("a%2Bb%40c"), [4]);
    assert_eq!(found("a+b@c"), [] as [i64; 0]);
    assert_eq!(found("."), [5]);
    assert_eq!(found(".."), [6]);
    assert_eq!(ids(&sandbox, "results", "referenceId=EMP-1").len(), 6);
}

#[test]
fn people_are_filtered_by_having_a_reference_id() {
    let sandbox = people(1);
    sandbox.enrol(json!({ "email": "b@example.com", "referenceId": "EMP-1" }));
    for list in LISTS {
        assert_eq!(ids(&sandbox, list, "hasReferenceId=true"), [2]);
        assert_eq!(ids(&sandbox, list, "hasReferenceId=false"), [1]);
    }
}

#[test]
fn invitations_are_filtered_with_inclusive_bounds() {
    let sandbox = people(3);
    set_sent(&sandbox, 1, "2026-03-01T06:00:00.000001Z");
    set_sent(&sandbox, 2, "2026-03-02T06:00:00Z");
    for list in LISTS {
        let sent = |query: &str| ids(&sandbox, list, &format!("orderBy=LastTestSent&order=Asc&{query}"));
        assert_eq!(sent("hasLastTestSent=true"), [1, 2]);
        assert_eq!(sent("hasLastTestSent=false"), [3]);
        assert_eq!(sent("lastTestSentFromUtc=2026-03-01T06:00:00.000001Z"), [1, 2]);
        assert_eq!(sent("lastTestSentFromUtc=2026-03-01T06:00:00.000001001Z"), [2]);
        assert_eq!(sent("lastTestSentToUtc=2026-03-02T06:00:00Z"), [1, 2]);
        assert_eq!(sent("lastTestSentToUtc=2026-03-02T05:59:59.999999999Z"), [1]);
        assert_eq!(sent("lastTestSentFromUtc=2026-03-02T08:00:00%2B02:00&lastTestSentToUtc=2026-03-02T06:00:00Z"), [2]);
        assert_eq!(sent("lastTestSentFromUtc=2026-03-03T00:00:00Z"), [] as [i64; 0]);
    }
    assert_eq!(
        sandbox.column(
            &format!("{}/testtakers?hasLastTestSent=true&order=Desc&orderBy=LastTestSent", sandbox.demo()),
            "lastTestSentUtc"
        ),
        ["2026-03-02T06:00:00Z", "2026-03-01T06:00:00.000001Z"]
    );
}

#[test]
fn a_time_without_a_zone_is_utc() {
    let sandbox = people(1);
    set_sent(&sandbox, 1, "2026-03-01T06:00:00Z");
    assert_eq!(ids(&sandbox, "testtakers", "lastTestSentFromUtc=2026-03-01T06:00:00"), [1]);
    assert_eq!(ids(&sandbox, "testtakers", "lastTestSentFromUtc=2026-03-01T06:00:01"), [] as [i64; 0]);
}

#[test]
fn completed_only_means_a_completion_time() {
    let sandbox = people(4);
    set_result(&sandbox, 1, TestStatus::Completed);
    set_result(&sandbox, 2, TestStatus::HighRisk);
    set_result(&sandbox, 3, TestStatus::Incomplete);
    for list in LISTS {
        assert_eq!(ids(&sandbox, list, "order=Asc&completedOnly=true"), [1, 2]);
        assert_eq!(ids(&sandbox, list, "completedOnly=false").len(), 4);
    }
}

#[test]
fn late_pages_follow_every_change_at_once() {
    let sandbox = Sandbox::new();
    for n in 1..=7 {
        sandbox.enrol(json!({ "email": format!("p{n}@example.com"), "lastName": format!("N{n}") }));
    }
    let late = || ids(&sandbox, "testtakers", "orderBy=FullName&order=Asc&pageSize=2&page=3");
    assert_eq!(late(), [5, 6]);
    let other = sandbox.beside(|_| {});
    super::client::send(&other, "DELETE", &format!("{}/testtakers/1", sandbox.demo()), None);
    assert_eq!(late(), [6, 7]);
    let path = format!("{}/testtakers/7", sandbox.demo());
    sandbox.send("PATCH", &path, Some(json!({ "lastName": "A" })));
    assert_eq!(late(), [5, 6]);
    assert_eq!(ids(&sandbox, "testtakers", "orderBy=FullName&order=Asc&pageSize=2&page=9"), [0; 0]);
}
