//! The service that judges the program does what its rules say, seen by raw requests; and it answers as the specification shows.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::service::{Op, Service, Trouble, When, gate};
use super::wire::{self, Answer, PROJECT, Reply, ask, fixture};
use super::workspace::person;

fn send(service: &Service, line: &str, body: impl Into<Option<Value>>) -> Reply {
    ask(&service.url, &line.replace("{P}", &format!("/projects/{PROJECT}")), None, body.into().as_ref())
}

fn enrol(service: &Service) -> Reply {
    send(service, "POST {P}/testtakers", json!({ "email": "a@example.com", "referenceId": "A" }))
}

fn shown(service: &Service) -> usize {
    send(service, "GET {P}/testtakers", None).json().as_array().map_or(0, Vec::len)
}

#[test]
fn each_trouble_has_the_answer_and_the_effect_that_its_name_says() {
    let broken = || Answer::problem(500, "Broken", "");
    let soon = Duration::from_secs(2);
    for (trouble, status, effect) in [
        (Trouble::CloseBefore, 0, false),
        (Trouble::CloseAfter, 0, true),
        (Trouble::CloseIdle, 201, true),
        (Trouble::Answer(broken()), 500, false),
        (Trouble::AnswerAfter(broken()), 500, true),
        (Trouble::Truncate, 201, true),
        (Trouble::Delay(soon), 201, true),
        (Trouble::Late(soon), 0, false),
        (Trouble::Lag(soon), 201, false),
    ] {
        let is_late = matches!(trouble, Trouble::Late(_) | Trouble::Lag(_));
        let service = Service::start().on(Op::Enrol, When::Nth(2), trouble);
        assert_eq!((enrol(&service).status, shown(&service)), (201, 1));
        let reply = enrol(&service);
        assert_eq!((reply.status, shown(&service)), (status, 1 + usize::from(effect)), "{reply:?}");
        let deadline = Instant::now() + Duration::from_secs(20);
        while is_late && shown(&service) < 2 {
            assert!(Instant::now() < deadline, "it never comes");
            std::thread::yield_now();
        }
        assert_eq!(service.count(Op::Enrol), 2, "also what got no answer is in the log");
    }
}

#[test]
fn a_gate_holds_a_request_before_or_after_its_effect() {
    for is_after in [false, true] {
        let (gate, waiting) = gate();
        let trouble = if is_after { Trouble::GateAfter(gate) } else { Trouble::Gate(gate) };
        let service = Service::start().on(Op::Enrol, When::First(1), trouble);
        std::thread::scope(|scope| {
            let asked = scope.spawn(|| enrol(&service).status);
            waiting.arrived.recv().expect("the request arrives");
            assert_eq!(service.held().people.len(), usize::from(is_after));
            drop(waiting);
            assert_eq!(asked.join().expect("an answer"), 201);
        });
        assert_eq!(service.held().people.len(), 1);
    }
}

/// Names and kinds of the fields of a record.
fn shape(record: &Value) -> Vec<(String, std::mem::Discriminant<Value>)> {
    let mut fields: Vec<_> = record.as_object().expect("a record").iter().map(|(n, v)| (n.clone(), v)).collect();
    fields.sort_by(|a, b| a.0.cmp(&b.0));
    fields.into_iter().map(|(name, value)| (name, std::mem::discriminant(value))).collect()
}

#[test]
fn its_records_have_the_shape_that_was_typed_from_the_specification() {
    let service = Service::start().of([fixture("test-taker"), fixture("test-taker-bare")]);
    let bare = json!({ "email": "b@example.com" });
    let whole =
        json!({ "email": "b@example.com", "firstName": "B", "lastName": "C", "birthYear": 1990, "referenceId": "B" });
    let first = |reply: Reply| reply.json()[0].clone();
    let cases = [
        ("project", send(&service, "POST /projects", json!({ "name": "Depot", "fitForDutyResponse": "x" })).json()),
        ("test-taker", first(send(&service, "GET {P}/testtakers", None))),
        ("test-taker", first(send(&service, "GET {P}/results?orderBy=FullName", None))),
        ("enrolment", send(&service, "POST {P}/testtakers", whole).json()),
        ("enrolment-bare", send(&service, "POST {P}/testtakers", bare).json()),
        ("test-taker-patched", send(&service, "PATCH {P}/testtakers/4711", json!({ "firstName": "Zoe" })).json()),
        ("test-link", send(&service, "POST {P}/testtakers/4711/test-link", json!({})).json()),
    ];
    for (name, came) in cases {
        assert_eq!(shape(&came), shape(&fixture(name)), "{name}: {came}");
    }
    let result = send(&service, "GET {P}/results/EMP-00017", None).json();
    assert_eq!(result["fullName"], "Zoe Müller", "the update had its effect");
    service.held().is_older = true;
    assert_eq!(shape(&first(send(&service, "GET {P}/results", None))), shape(&fixture("result-older")));
}

#[test]
fn it_keeps_pages_filters_links_and_uris_as_the_specification_says() {
    let service = Service::start().with_people(5).of([fixture("test-taker-bare")]);
    let ids = |query: &str| {
        let list = send(&service, &format!("GET {{P}}/testtakers?{query}"), None).json();
        list.as_array().into_iter().flatten().filter_map(|one| one["id"].as_i64()).collect::<Vec<_>>()
    };
    assert_eq!(ids("page=2&pageSize=2"), [3, 4]);
    assert_eq!(ids("referenceId=EMP-00004"), [4]);
    assert_eq!(
        (ids("filter=p5%40EXAMPLE"), ids("hasReferenceId=false"), ids("completedOnly=true").len()),
        (vec![5], vec![4712], 5)
    );
    assert_eq!(send(&service, "GET {P}/testtakers?pageSize=101", None).status, 400);
    let link = |body: Value| send(&service, "POST {P}/testtakers/3/test-link", body).json()["url"].clone();
    let with_both = link(json!({ "redirectUri": "https://hr.example/a?b", "referenceId": "A+1" }));
    assert!(with_both.to_string().contains("?redirect_uri=https%3A%2F%2Fhr.example%2Fa%3Fb&reference_id=A%2B1"));
    assert_ne!(link(json!({})), with_both);
    assert_eq!(service.held().links[&3].len(), 2);
    send(&service, "POST /workspace/redirect-uris", json!(["https://a.example"]));
    let merged =
        send(&service, "POST /workspace/redirect-uris", json!(["https://A.example", "https://b.example"])).json();
    assert_eq!(merged, json!(["https://a.example", "https://b.example"]));
    assert_eq!([204, 204], [(); 2].map(|()| send(&service, "DELETE {P}/testtakers/3", None).status));
    assert_eq!(send(&service, "GET {P}/results/EMP-00003", None).status, 404);
    assert_eq!((person(3)["id"].as_i64(), wire::decoded("a%2B")), (Some(3), "a+".to_owned()));
    assert_eq!(service.writes().len(), 6);
}
