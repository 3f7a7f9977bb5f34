//! Results: the single read, both shapes, and what the portal sets.

use serde_json::{Value, json};

use super::client::{Sandbox, send};
use crate::model::results::ResultsApi;
use crate::model::test_status::TestStatus as S;
use crate::model::test_status::{IdentityStatus, TestStatus};
use crate::sandbox::{Changes, Who, set_test_taker};

fn enrol(sandbox: &Sandbox, reference_id: &str) -> Who {
    let body = json!({ "email": "a@example.com", "firstName": "Ann", "lastName": "Lee", "referenceId": reference_id });
    Who::Id(i32::try_from(sandbox.enrol(body)).expect("an int32"))
}

fn set(sandbox: &Sandbox, who: &Who, changes: &Changes) {
    set_test_taker(&sandbox.state(), "Demo", who, changes).expect("the test taker is there");
}

fn result(sandbox: &Sandbox, reference_id: &str) -> Value {
    let answer = sandbox.get(&format!("{}/results/{reference_id}", sandbox.demo()));
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()
}

#[test]
fn a_result_has_the_record_and_the_identity() {
    let sandbox = Sandbox::new();
    let who = enrol(&sandbox, "EMP-1");
    let wanted = json!({ "id": 1, "email": "a@example.com", "referenceId": "EMP-1", "firstName": "Ann",
        "lastName": "Lee", "fullName": "Ann Lee", "yearOfBirth": null, "result": null, "dateCompleted": null,
        "lastTestSentUtc": null, "topPerformer": false, "identityVerified": null, "identityStatus": "" });
    assert_eq!(result(&sandbox, "EMP-1"), wanted);
    let changes = Changes {
        result: Some(TestStatus::HighRisk),
        completed: Some("2026-03-01T06:00:00Z".parse().expect("a time")),
        sent: Some("2026-02-28T06:00:00.5Z".parse().expect("a time")),
        top_performer: Some(true),
        identity_status: Some(IdentityStatus::Verified),
    };
    set(&sandbox, &who, &changes);
    let wanted = json!({ "id": 1, "email": "a@example.com", "referenceId": "EMP-1", "firstName": "Ann",
        "lastName": "Lee", "fullName": "Ann Lee", "yearOfBirth": null, "result": "HighRisk",
        "dateCompleted": "2026-03-01T06:00:00Z", "lastTestSentUtc": "2026-02-28T06:00:00.5Z", "topPerformer": true,
        "identityVerified": true, "identityStatus": "Verified" });
    assert_eq!(result(&sandbox, "EMP-1"), wanted);
}

#[test]
fn a_reference_id_in_a_path_is_percent_decoded() {
    let sandbox = Sandbox::new();
    for id in ["a+b@c", "-x", "A.b_c"] {
        enrol(&sandbox, id);
    }
    assert_eq!(result(&sandbox, "a%2Bb%40c")["referenceId"], "a+b@c");
    assert_eq!(result(&sandbox, "a+b@c")["referenceId"], "a+b@c");
    assert_eq!(result(&sandbox, "%2Dx")["referenceId"], "-x");
    let status = |id: &str| sandbox.get(&format!("{}/results/{id}", sandbox.demo())).status;
    assert_eq!(status("a%2Fb"), 404);
    assert_eq!(status(&"x".repeat(500)), 404);
    assert_eq!(status(&"x".repeat(501)), 400);
    assert_eq!(status("a.B_C"), 404);
}

#[test]
fn dots_name_nobody_in_a_path() {
    let sandbox = Sandbox::new();
    for id in [".", "..", "..."] {
        enrol(&sandbox, id);
    }
    for path in [".", "..", "%2e", "%2E%2e"] {
        assert_eq!(sandbox.get(&format!("{}/results/{path}", sandbox.demo())).status, 404, "{path}");
    }
    assert_eq!(result(&sandbox, "...")["id"], 3);
}

#[test]
fn everybody_enrolled_has_a_result_record() {
    let sandbox = Sandbox::new();
    enrol(&sandbox, "EMP-1");
    let demo = sandbox.demo();
    assert_eq!(sandbox.get(&format!("{demo}/results")).json(), sandbox.get(&format!("{demo}/testtakers")).json());
    assert_eq!(result(&sandbox, "EMP-1")["result"], Value::Null);
}

#[test]
fn the_latest_result_wins_among_those_who_share_a_reference_id() {
    let sandbox = Sandbox::new();
    let [one, two, _three] = [(); 3].map(|()| enrol(&sandbox, "EMP-1"));
    assert_eq!(result(&sandbox, "EMP-1")["id"], 3);
    let at = |time: &str| Changes {
        result: Some(TestStatus::Completed),
        completed: Some(time.parse().expect("a time")),
        ..Changes::default()
    };
    set(&sandbox, &two, &at("2026-03-01T06:00:00Z"));
    assert_eq!(result(&sandbox, "EMP-1")["id"], 2);
    set(&sandbox, &one, &at("2026-03-02T06:00:00Z"));
    assert_eq!(result(&sandbox, "EMP-1")["id"], 1);
}

#[test]
fn results_that_end_an_assessment_have_a_completion_time() {
    let sandbox = Sandbox::new();
    let who = enrol(&sandbox, "EMP-1");
    let completed = |status: TestStatus| {
        set(&sandbox, &who, &Changes { result: Some(status), ..Changes::default() });
        result(&sandbox, "EMP-1")["dateCompleted"].is_string()
    };
    let ends = [S::Completed, S::HighRisk, S::Fatigued, S::Distressed, S::ReasonableCause, S::Escalated, S::Emergency];
    for status in ends {
        assert!(completed(status.clone()), "{status:?}");
        assert!(!completed(S::Started), "{status:?}");
    }
    let others = [
        S::NotStarted,
        S::InProgress,
        S::Confirming,
        S::Incomplete,
        S::CouldNotCompleteConnectionIssues,
        S::CouldNotCompleteNpServerIssues,
        S::CouldNotCompleteTimedOut,
        S::CouldNotCompleteUnsupportedDevice,
    ];
    for status in others {
        assert!(!completed(status.clone()), "{status:?}");
    }
}

#[test]
fn a_result_that_is_not_listed_travels_as_it_is() {
    let sandbox = Sandbox::new();
    let who = enrol(&sandbox, "EMP-1");
    let result_is = |text: &str| Changes { result: Some(TestStatus::Unlisted(text.to_owned())), ..Changes::default() };
    set(&sandbox, &who, &result_is("Unheard-of"));
    assert_eq!(result(&sandbox, "EMP-1")["result"], "Unheard-of");
}

#[test]
fn identity_verified_follows_the_identity_status() {
    let sandbox = Sandbox::new();
    let who = enrol(&sandbox, "EMP-1");
    for (status, verified) in [
        (IdentityStatus::Verified, json!(true)),
        (IdentityStatus::NotVerified, json!(false)),
        (IdentityStatus::Compromised, json!(false)),
        (IdentityStatus::VerificationPending, Value::Null),
        (IdentityStatus::VerificationOff, Value::Null),
    ] {
        set(&sandbox, &who, &Changes { identity_status: Some(status.clone()), ..Changes::default() });
        let result = result(&sandbox, "EMP-1");
        assert_eq!((&result["identityVerified"], &result["identityStatus"]), (&verified, &json!(status)));
    }
}

#[test]
fn the_results_shape_is_chosen_at_start() {
    let sandbox = Sandbox::new();
    enrol(&sandbox, "EMP-1");
    let legacy = sandbox.beside(|options| options.results_api = ResultsApi::Legacy);
    for path in ["results", "results/EMP-1"] {
        let path = format!("{}/{path}", sandbox.demo());
        let has = |text: String, field: &str| text.contains(&format!("\"{field}\":"));
        assert!(has(sandbox.get(&path).text(), "result"), "{path}");
        assert!(has(send(&legacy, "GET", &path, None).text(), "status"), "{path}");
        assert!(!has(send(&legacy, "GET", &path, None).text(), "result"), "{path}");
    }
    let people = format!("{}/testtakers", sandbox.demo());
    assert_eq!(send(&legacy, "GET", &people, None).json(), sandbox.get(&people).json());
}

#[test]
fn the_older_results_have_the_older_shape() {
    let sandbox = Sandbox::with(|options| options.results_api = ResultsApi::Legacy);
    let who = enrol(&sandbox, "EMP-1");
    sandbox.enrol(json!({ "email": "b@example.com" }));
    set(&sandbox, &who, &Changes { result: Some(TestStatus::HighRisk), ..Changes::default() });
    let mut list = sandbox.get(&format!("{}/results", sandbox.demo())).json();
    assert!(list[1]["dateCompleted"].take().is_string());
    let wanted = json!([
        { "referenceId": null, "email": "b@example.com", "firstName": "", "lastName": "", "fullName": "",
          "status": null, "dateCompleted": null },
        { "referenceId": "EMP-1", "email": "a@example.com", "firstName": "Ann", "lastName": "Lee",
          "fullName": "Ann Lee", "status": "HighRisk", "dateCompleted": null },
    ]);
    assert_eq!(list, wanted);
    assert_eq!(result(&sandbox, "EMP-1")["status"], "HighRisk");
    let emails = |query: &str| sandbox.column(&format!("{}/results?{query}", sandbox.demo()), "email");
    assert_eq!(emails("orderBy=Risk&order=Desc"), ["a@example.com", "b@example.com"]);
    assert_eq!(emails("orderBy=Performance"), ["a@example.com", "b@example.com"]);
    assert_eq!(emails("orderBy=FullName"), ["b@example.com", "a@example.com"]);
    assert_eq!(emails("completedOnly=true"), ["a@example.com"]);
    for bad in ["orderBy=Priority", "orderBy=LastTestSent"] {
        assert_eq!(sandbox.get(&format!("{}/results?{bad}", sandbox.demo())).status, 400, "{bad}");
    }
}
