//! A list is the whole list, or it is an error.

use snapbox::str;

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::harness::{Env, Said};
use crate::socket::{Answer, Request, Socket};
use crate::wire::{PROJECT, fixture};

/// Test taker number `id`, made from the fixture.
pub(crate) fn person(id: i64) -> Value {
    let mut record = fixture("test-taker");
    record["id"] = json!(id);
    record["email"] = json!(format!("p{id}@example.com"));
    record["referenceId"] = json!(format!("EMP-{id:05}"));
    record
}

/// The page that a request asks for, out of `all`.
pub(crate) fn page(request: &Request, all: &[Value]) -> Answer {
    let number = |name: &str, default: usize| {
        request.parameter(name).map_or(default, |value| value.parse().expect("a number in the query"))
    };
    let size = number("pageSize", 100);
    let page: Vec<_> = all.iter().skip((number("page", 1) - 1) * size).take(size).cloned().collect();
    Answer::ok(&Value::Array(page).to_string())
}

/// A project of `count` people.
pub(crate) fn crowd(count: i64) -> Socket {
    let all: Vec<_> = (1..=count).map(person).collect();
    Socket::answering(move |request, _| page(request, &all))
}

fn list(socket: &Socket, more: &str) -> Said {
    Env::at(&socket.url).line(&format!("testtakers list -p {PROJECT} -o ndjson {more}"))
}

fn ids(said: &str) -> Vec<i64> {
    let id = |line: &str| serde_json::from_str::<Value>(line).ok().and_then(|record| record["id"].as_i64());
    said.lines().map(|line| id(line).expect("a record with an id")).collect()
}

/// The pages that were asked for, sorted, with their sizes: several are under way at once.
fn pages(socket: &Socket) -> Vec<(u32, u32)> {
    let number = |request: &Request, name: &str| request.parameter(name).and_then(|text| text.parse().ok());
    let page =
        |request: &Request| (number(request, "pageSize").expect("a size"), number(request, "page").expect("a page"));
    let mut pages: Vec<(u32, u32)> = socket.requests().iter().map(page).collect();
    pages.sort_unstable();
    pages
}

#[test]
fn a_list_of_one_page_is_read_once_and_its_count_is_asked_for() {
    for count in [1, 2, 42, 99] {
        let socket = crowd(count.into());
        assert_eq!(ids(&list(&socket, "").data()), (1..=count.into()).collect::<Vec<_>>());
        // A page that was not full does not show that pages of one have one record: the first one is asked for as well.
        let mut expected = vec![(1, 1), (1, count), (1, count + 1), (100, 1)];
        expected.dedup();
        assert_eq!(pages(&socket), expected);
    }
    let socket = crowd(0);
    let _ = list(&socket, "").data();
    assert_eq!(pages(&socket), [(1, 1), (1, 2), (100, 1)]);
}

#[test]
fn a_longer_list_is_read_twice_with_other_borders_and_its_count_is_asked_for() {
    for (count, few) in [(100, 8), (250, 12), (300, 13), (1234, 35)] {
        let socket = crowd(count);
        assert_eq!(ids(&list(&socket, "").data()), (1..=count).collect::<Vec<_>>());
        let first = socket.requests()[0].parameter("page").map(str::to_owned);
        assert_eq!(first.as_deref(), Some("1"), "the first page goes alone");
        let (asked, mut once) = (pages(&socket), pages(&socket));
        once.dedup();
        assert_eq!(asked, once, "no page is asked for twice");
        assert!(asked.len() <= few && asked.iter().filter(|(size, _)| *size == 1).count() == 2, "{asked:?}");
    }
}

#[test]
fn a_single_walk_says_so_and_its_count_must_agree() {
    let socket = crowd(250);
    let said = list(&socket, "--once").ok();
    assert_eq!(ids(&said.stdout).len(), 250);
    assert!(said.stderr.contains("read once"), "{said}");
    assert_eq!(pages(&socket), [(1, 250), (1, 251), (100, 1), (100, 2), (100, 3), (100, 4)]);
    let all: Vec<_> = (1..=250).map(person).collect();
    let torn = Socket::answering(move |request, _| match request.parameter("page") {
        Some("2") if request.parameter("pageSize") == Some("100") => page(request, &all[..199]),
        _ => page(request, &all),
    });
    let _ = list(&torn, "--once").fails(7);
    assert_eq!(ids(&list(&torn, "").data()).len(), 250, "another walk has other borders");
}

#[test]
fn a_list_without_an_end_ends_with_an_error() {
    let endless = Socket::answering(|request, _| {
        let number = |name: &str| request.parameter(name).and_then(|text| text.parse::<i64>().ok()).expect("a number");
        let (page, size) = (number("page"), number("pageSize"));
        Answer::ok(&Value::Array(((page - 1) * size + 1..=page * size).map(person).collect()).to_string())
    });
    let _ = list(&endless, "--max-records 2000").fails(1).mentions("more than 2000 records").mentions("--max-records");
    let _ = list(&crowd(150), "--max-records 149").fails(1);
    assert_eq!(ids(&list(&crowd(150), "--max-records 150").data()).len(), 150);
}

#[test]
fn an_empty_list_is_an_empty_array_nothing_or_the_header() {
    let env = Env::at(&crowd(0).url);
    let said = |format: &str| env.line(&format!("testtakers list -p {PROJECT} -o {format}")).data();
    assert_eq!(said("json"), "[]\n");
    assert_eq!(said("ndjson"), "");
    assert_eq!(said("csv").lines().count(), 1);
    assert!(said("csv").starts_with("id,"), "{}", said("csv"));
}

#[test]
fn a_record_that_slides_onto_the_next_page_is_printed_once() {
    let after: Vec<_> = (0..=220).map(person).collect();
    let before = after[1..].to_vec();
    let socket = Socket::answering(move |request, asked| page(request, if asked == 0 { &before } else { &after }));
    let mut sorted = ids(&list(&socket, "").data());
    sorted.sort_unstable();
    assert_eq!(sorted, (0..=220).collect::<Vec<_>>());
}

#[test]
fn a_limit_stops_early_and_says_that_more_exist() {
    let socket = crowd(250);
    let said = list(&socket, "--limit 3").ok();
    assert_eq!(ids(&said.stdout), [1, 2, 3]);
    assert!(said.stderr.contains("more"), "{said}");
    assert_eq!(pages(&socket), [(100, 1)]);
    let socket = crowd(3);
    assert_eq!(ids(&list(&socket, "--limit 3").data()), [1, 2, 3]);
    assert_eq!(ids(&list(&crowd(100), "--limit 100").data()).len(), 100);
}

#[test]
fn a_page_is_exactly_one_page() {
    let socket = crowd(250);
    let said = list(&socket, "--page 3 --page-size 10").data();
    assert_eq!(ids(&said), (21..=30).collect::<Vec<_>>());
    assert_eq!(pages(&socket), [(10, 3)]);
    let socket = crowd(25);
    assert_eq!(ids(&list(&socket, "--page-size 10").data()).len(), 25);
    assert_eq!(pages(&socket)[2..], [(10, 1), (10, 2), (10, 3), (10, 4), (11, 1), (11, 2), (11, 3)]);
}

#[test]
fn a_failed_page_is_a_failed_list_and_prints_nothing() {
    for (status, code) in [(403, 3), (422, 5)] {
        for format in ["table", "csv", "json", "ndjson"] {
            let all: Vec<_> = (1..=250).map(person).collect();
            let socket = Socket::answering(move |request, _| match request.parameter("page") {
                Some("3") => Answer::problem(status, "No", "not this page"),
                _ => page(request, &all),
            });
            let _ = Env::at(&socket.url).line(&format!("testtakers list -p {PROJECT} -o {format}")).fails(code);
        }
    }
}

#[test]
fn a_file_stays_as_it_was_when_a_page_fails() {
    let all: Vec<_> = (1..=250).map(person).collect();
    let socket = Socket::answering(move |request, _| match request.parameter("page") {
        Some("2") => Answer::problem(403, "No", "not this page"),
        _ => page(request, &all),
    });
    let env = Env::at(&socket.url);
    env.write("people.csv", "as it was\n");
    let _ = env.line(&format!("testtakers list -p {PROJECT} -o csv --to people.csv")).fails(3);
    assert_eq!(env.read("people.csv"), "as it was\n");
    let left: Vec<_> = std::fs::read_dir(env.work()).expect("a folder").collect();
    assert_eq!(left.len(), 1, "a temporary file was left behind");
}

#[test]
fn a_service_that_ignores_the_page_is_an_error_and_no_endless_list() {
    let socket = Socket::always(Answer::ok(&Value::Array((1..=100).map(person).collect()).to_string()));
    let said = list(&socket, "");
    assert_ne!(said.code, 0, "{said}");
    assert!(said.stdout.is_empty() && said.stderr.contains("page"), "{said}");
    assert!(socket.requests().len() < 20, "{:?}", pages(&socket));
}

#[test]
fn an_end_that_the_service_refuses_to_show_is_an_end_if_it_is_refused_again_and_the_count_agrees() {
    for count in [0, 100, 150] {
        let all: Vec<_> = (1..=count).map(person).collect();
        let socket = Socket::answering(move |request, _| match page(request, &all) {
            empty if empty == Answer::ok("[]") && request.parameter("page") != Some("1") => {
                Answer::problem(404, "Not Found", "no such page")
            }
            page => page,
        });
        assert_eq!(ids(&list(&socket, "").data()), (1..=count).collect::<Vec<_>>());
    }
}

#[test]
fn a_page_that_is_refused_now_and_then_is_asked_again_and_one_that_is_refused_for_ever_fails_the_list() {
    for (status, often, code) in [(404, 2, 0), (400, 2, 0), (410, 2, 0), (404, 99, 7), (400, 99, 7), (410, 99, 7)] {
        let all: Vec<_> = (1..=450).map(person).collect();
        let refused = AtomicUsize::new(0);
        let socket = Socket::answering(move |request, _| match request.parameter("page") {
            Some("3") if refused.fetch_add(1, Ordering::Relaxed) < often => Answer::problem(status, "No", "not now"),
            _ => page(request, &all),
        });
        let said = list(&socket, "").exits(code);
        assert_eq!(ids(&said.stdout).len(), if code == 0 { 450 } else { 0 }, "{status}: {said}");
    }
}

#[test]
fn order_is_always_sent_and_ascending_where_only_the_field_is_given() {
    let socket = crowd(1);
    let _ = list(&socket, "--order-by Priority").data();
    let request = &socket.requests()[0];
    assert_eq!((request.parameter("orderBy"), request.parameter("order")), (Some("Priority"), Some("Asc")));
}

#[test]
fn what_the_specification_does_not_know_breaks_no_list() {
    let odd = json!([
        { "id": 1, "email": null, "result": "Daydreaming", "referenceId": "a b/c é" },
        { "id": 2, "firstName": "", "yearOfBirth": -5, "dateCompleted": "soon" },
        { "id": 3, "topPerformer": null, "lastTestSentUtc": "2026-03-01T06:00:00.123" },
    ]);
    let socket = Socket::always(Answer::ok(&odd.to_string()));
    let env = Env::at(&socket.url);
    for format in ["table", "csv", "json", "ndjson"] {
        let said = env.line(&format!("testtakers list -p {PROJECT} -o {format}")).data();
        assert!(said.contains("Daydreaming") && said.contains("soon"), "{said}");
    }
}

#[test]
fn the_other_results_shape_is_an_error_with_the_setting_to_type() {
    let current = Socket::always(Answer::ok(&json!([fixture("test-taker")]).to_string()));
    let legacy = Socket::always(Answer::ok(&json!([fixture("result-legacy")]).to_string()));
    let list = |socket: &Socket, api: &str| {
        Env::at(&socket.url).line(&format!("results list -p {PROJECT} --results-api {api}"))
    };
    let _ = list(&current, "current").data();
    let _ = list(&legacy, "legacy").data();
    let said = list(&legacy, "current");
    assert!(said.code != 0 && said.stderr.contains("hint: ") && said.stderr.contains("legacy"), "{said}");
    let said = list(&current, "legacy");
    assert!(said.code != 0 && said.stderr.contains("hint: ") && said.stderr.contains("current"), "{said}");
}

#[test]
fn names_of_projects_are_exact_first_then_ignore_case_and_are_never_guessed() {
    let project = |number: u32, name: &str, state: &str| {
        let id = format!("00000000-0000-4000-8000-{number:012}");
        json!({ "id": id, "name": name, "state": state })
    };
    let all = [
        project(1, "Depot", "Active"),
        project(2, "DEPOT", "Active"),
        project(3, "Mine", "Active"),
        project(4, "Gone", "Deleted"),
        project(5, "Twice", "Active"),
        project(6, "Twice", "Draft"),
    ];
    let socket = Socket::answering(move |request, _| match request.path() {
        "/projects" => page(request, &all),
        _ => Answer::ok("[]"),
    });
    let env = Env::at(&socket.url);
    let list = |name: &str| env.run(&["testtakers", "list", "-p", name, "-o", "ndjson"]);
    for (name, number) in [("Depot", 1), ("DEPOT", 2), ("mine", 3)] {
        let _ = list(name).data();
        let newest = socket.requests().last().cloned().expect("a request");
        assert!(newest.path().contains(&format!("-{number:012}/")), "{name}: {}", newest.target);
    }
    let _ = list("depot").fails(2).mentions("00000000-0000-4000-8000-000000000001");
    let _ = list("Twice").fails(2).mentions("00000000-0000-4000-8000-000000000006");
    let _ = list("Gone").fails(4);
    let cache = socket.requests()[0].parameter("bypassCache").map(str::to_owned);
    assert_eq!(cache.as_deref(), Some("true"), "a name is looked up past the server's cache");
}

#[test]
fn an_export_that_reads_once_says_so_and_keeps_the_old_file_where_the_count_disagrees() {
    let all: Vec<_> = (1..=250).map(person).collect();
    let torn = Socket::answering(move |request, _| match request.parameter("page") {
        Some("2") => page(request, &all[..150]),
        _ => page(request, &all),
    });
    let env = Env::at(&torn.url);
    env.write("results.csv", "as it was\n");
    let _ = env.line(&format!("results export -p {PROJECT} --to results.csv --once")).exits(7);
    assert_eq!(env.read("results.csv"), "as it was\n");
    let whole = crowd(250);
    let env = Env::at(&whole.url);
    let said = env.line(&format!("results export -p {PROJECT} --to results.csv --once")).ok().shows(str![[r#"
exit 0
--- stdout
--- stderr
read once: records that moved meanwhile may be missing

"#]]);
    assert_eq!(env.read("results.csv").lines().count(), 251, "{said}");
}
