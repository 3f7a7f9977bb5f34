//! Test takers: enrol, update, remove.

use serde_json::{Value, json};

use super::client::Sandbox;

fn path(sandbox: &Sandbox, entry: i64) -> String {
    format!("{}/testtakers/{entry}", sandbox.demo())
}

fn patch(sandbox: &Sandbox, entry: i64, body: Value) -> super::client::Answer {
    sandbox.send("PATCH", &path(sandbox, entry), Some(body))
}

#[test]
fn an_enrolment_answers_the_creation_record() {
    let sandbox = Sandbox::new();
    let people = format!("{}/testtakers", sandbox.demo());
    let body = json!({ "email": "Zoe@Example.com", "firstName": "Zoë", "lastName": "Müller", "birthYear": 1984,
        "referenceId": "EMP-1" });
    let answer = sandbox.post(&people, body);
    assert_eq!(answer.status, 201);
    let mut record = answer.json();
    let id = record["id"].take();
    assert!(id.as_str().is_some_and(|id| uuid::Uuid::parse_str(id).is_ok()), "{id}");
    let wanted = json!({ "id": null, "projectEntryId": 1, "email": "Zoe@Example.com", "firstName": "Zoë",
        "lastName": "Müller", "birthYear": 1984, "referenceId": "EMP-1" });
    assert_eq!(record, wanted);
    let bare = sandbox.post(&people, json!({ "email": "a@b", "firstName": null })).json();
    for field in ["firstName", "lastName", "birthYear", "referenceId"] {
        assert_eq!(bare.get(field), Some(&Value::Null), "{field}");
    }
}

#[test]
fn the_id_of_a_record_is_the_entry_id() {
    let sandbox = Sandbox::new();
    let entry = sandbox.enrol(json!({ "email": "a@example.com" }));
    let list = sandbox.get(&format!("{}/testtakers", sandbox.demo())).json();
    let wanted = json!([{ "id": entry, "email": "a@example.com", "referenceId": null, "firstName": null,
        "lastName": null, "fullName": "", "yearOfBirth": null, "result": null, "dateCompleted": null,
        "lastTestSentUtc": null, "topPerformer": false }]);
    assert_eq!(list, wanted);
}

#[test]
fn entry_ids_ascend_in_each_project_and_are_never_reused() {
    let sandbox = Sandbox::new();
    let entries: Vec<i64> = (0..3).map(|n| sandbox.enrol(json!({ "email": format!("{n}@example.com") }))).collect();
    assert_eq!(entries, [1, 2, 3]);
    sandbox.send("DELETE", &path(&sandbox, 3), None);
    assert_eq!(sandbox.enrol(json!({ "email": "x@example.com" })), 4);
    let other = sandbox.post("/projects", json!({ "name": "Other" })).json()["id"].clone();
    let people = format!("/projects/{}/testtakers", other.as_str().expect("an id"));
    assert_eq!(sandbox.post(&people, json!({ "email": "x@example.com" })).json()["projectEntryId"], 1);
}

#[test]
fn enrolling_somebody_twice_makes_two_entries() {
    let sandbox = Sandbox::new();
    let person = json!({ "email": "a@example.com", "referenceId": "EMP-1" });
    assert_ne!(sandbox.enrol(person.clone()), sandbox.enrol(person));
    assert_eq!(sandbox.column(&format!("{}/testtakers?referenceId=EMP-1", sandbox.demo()), "id"), [1, 2]);
}

#[test]
fn a_test_taker_has_the_limits_of_the_specification() {
    let sandbox = Sandbox::new();
    let people = format!("{}/testtakers", sandbox.demo());
    let with = |field: &str, value: Value| {
        let mut body = json!({ "email": "a@example.com" });
        body[field] = value;
        sandbox.post(&people, body).status
    };
    for (field, good) in [
        ("firstName", json!("é".repeat(100))),
        ("lastName", json!("é".repeat(100))),
        ("referenceId", json!("aZ0_-.+@".repeat(62) + "1234")),
        ("birthYear", json!(i32::MIN)),
        ("birthYear", json!(i32::MAX)),
    ] {
        assert_eq!(with(field, good), 201, "{field}");
    }
    for (field, bad) in [
        ("firstName", json!("é".repeat(101))),
        ("lastName", json!("é".repeat(101))),
        ("lastName", json!(1)),
        ("referenceId", json!("1".repeat(501))),
        ("referenceId", json!("")),
        ("referenceId", json!("a b")),
        ("birthYear", json!(99_999_999_999_i64)),
        ("birthYear", json!(1984.5)),
        ("birthYear", json!("1984")),
    ] {
        assert_eq!(with(field, bad), 400, "{field}");
    }
}

#[test]
fn a_reference_id_has_ascii_letters_and_digits() {
    let sandbox = Sandbox::new();
    let entry = sandbox.enrol(json!({ "email": "a@example.com" }));
    for bad in ["é", "٣", "a/b", "a b"] {
        let enrolment = json!({ "email": "a@example.com", "referenceId": bad });
        assert_eq!(sandbox.post(&format!("{}/testtakers", sandbox.demo()), enrolment).status, 400, "{bad}");
        assert_eq!(patch(&sandbox, entry, json!({ "referenceId": bad })).status, 400, "{bad}");
        let link = json!({ "referenceId": bad });
        assert_eq!(sandbox.post(&format!("{}/test-link", path(&sandbox, entry)), link).status, 400, "{bad}");
    }
}

#[test]
fn an_email_is_required_and_has_an_at_sign() {
    let sandbox = Sandbox::new();
    let people = format!("{}/testtakers", sandbox.demo());
    for body in
        [json!({}), json!({ "email": null }), json!({ "email": "" }), json!({ "email": "a" }), json!({ "email": 1 })]
    {
        assert_eq!(sandbox.post(&people, body.clone()).status, 400, "{body}");
    }
    assert_eq!(sandbox.post(&people, json!({})).json()["detail"], "email is required.");
}

#[test]
fn an_empty_name_is_kept() {
    let sandbox = Sandbox::new();
    let entry = sandbox.enrol(json!({ "email": "a@example.com", "firstName": "", "lastName": "Lee" }));
    let people = format!("{}/testtakers", sandbox.demo());
    let names = || sandbox.get(&people).json()[0].clone();
    assert_eq!((&names()["firstName"], &names()["fullName"]), (&json!(""), &json!("Lee")));
    assert_eq!(patch(&sandbox, entry, json!({ "lastName": "" })).json()["fullName"], "");
    assert_eq!((&names()["firstName"], &names()["lastName"]), (&json!(""), &json!("")));
    assert_eq!(patch(&sandbox, entry, json!({ "lastName": 1 })).status, 400);
}

#[test]
fn an_update_leaves_what_it_omits_and_clears_what_is_null() {
    let sandbox = Sandbox::new();
    let person = json!({ "email": "a@example.com", "firstName": "Ann", "lastName": "Lee", "referenceId": "EMP-1",
        "birthYear": 1984 });
    let entry = sandbox.enrol(person);
    let record = patch(&sandbox, entry, json!({ "lastName": "Ray" })).json();
    let wanted = json!({ "id": entry, "email": "a@example.com", "referenceId": "EMP-1", "firstName": "Ann",
        "lastName": "Ray", "fullName": "Ann Ray", "yearOfBirth": 1984, "result": null, "dateCompleted": null,
        "lastTestSentUtc": null });
    assert_eq!(record, wanted);
    let record = patch(&sandbox, entry, json!({ "referenceId": null, "firstName": null })).json();
    assert_eq!((&record["referenceId"], &record["fullName"]), (&Value::Null, &json!("Ray")));
    let list = sandbox.get(&format!("{}/testtakers?filter=ray", sandbox.demo())).json();
    assert_eq!(list[0]["fullName"], "Ray");
    assert_eq!(sandbox.get(&format!("{}/testtakers?filter=ann", sandbox.demo())).json(), json!([]));
}

#[test]
fn the_id_in_the_body_of_an_update_is_ignored() {
    let sandbox = Sandbox::new();
    let one = sandbox.enrol(json!({ "email": "a@example.com" }));
    let other = sandbox.enrol(json!({ "email": "b@example.com" }));
    let record = patch(&sandbox, one, json!({ "id": other, "firstName": "Ann" })).json();
    assert_eq!((&record["id"], &record["email"]), (&json!(one), &json!("a@example.com")));
    for id in [json!("x"), json!(1.5), json!(1_i64 << 40)] {
        assert_eq!(patch(&sandbox, one, json!({ "id": id })).status, 400);
    }
    assert_eq!(patch(&sandbox, one, json!({ "id": null })).status, 200);
    assert_eq!(sandbox.column(&format!("{}/testtakers?filter=b@", sandbox.demo()), "firstName"), [Value::Null]);
}

#[test]
fn an_update_has_the_limits_of_the_specification() {
    let sandbox = Sandbox::new();
    let entry = sandbox.enrol(json!({ "email": "a@example.com" }));
    for body in [
        json!({ "firstName": "n".repeat(101) }),
        json!({ "lastName": "n".repeat(101) }),
        json!({ "referenceId": "n".repeat(501) }),
        json!({ "referenceId": 1 }),
        json!([]),
    ] {
        assert_eq!(patch(&sandbox, entry, body.clone()).status, 400, "{body}");
    }
}

#[test]
fn removing_answers_204_and_again_204() {
    let sandbox = Sandbox::new();
    let entry = sandbox.enrol(json!({ "email": "a@example.com" }));
    for _ in 0..2 {
        let answer = sandbox.send("DELETE", &path(&sandbox, entry), None);
        assert_eq!((answer.status, answer.text().as_str()), (204, ""));
    }
}

#[test]
fn removing_an_id_that_never_was_is_not_found() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.send("DELETE", &path(&sandbox, 1), None).status, 404);
}

#[test]
fn a_removed_test_taker_is_in_no_read() {
    let sandbox = Sandbox::new();
    let entry = sandbox.enrol(json!({ "email": "a@example.com", "referenceId": "EMP-1" }));
    sandbox.send("DELETE", &path(&sandbox, entry), None);
    let demo = sandbox.demo();
    assert_eq!(sandbox.get(&format!("{demo}/testtakers")).json(), json!([]));
    assert_eq!(sandbox.get(&format!("{demo}/testtakers?referenceId=EMP-1")).json(), json!([]));
    assert_eq!(sandbox.get(&format!("{demo}/results")).json(), json!([]));
    assert_eq!(sandbox.get(&format!("{demo}/results/EMP-1")).status, 404);
    assert_eq!(patch(&sandbox, entry, json!({})).status, 404);
    assert_eq!(sandbox.post(&format!("{}/test-link", path(&sandbox, entry)), json!({})).status, 404);
}
