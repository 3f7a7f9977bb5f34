//! What a list costs, where it ends, and what it does with pages that fail or move.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::support::env::{Env, Said};
use crate::support::service::{Op, Page, Service, Trouble, When};
use crate::support::wire::{Answer, PROJECT, fixture};
use crate::support::workspace::person;

fn list(service: &Service, more: &str) -> Said {
    Env::at(&service.url).line(&format!("testtakers list -p {PROJECT} -o ndjson {more}"))
}

fn ids(said: &str) -> Vec<i64> {
    let id = |line: &str| serde_json::from_str::<Value>(line).ok().and_then(|record| record["id"].as_i64());
    said.lines().map(|line| id(line).expect("a record with an id")).collect()
}

fn crowd(count: i64) -> Service {
    Service::start().with_people(count)
}

#[test]
fn a_list_has_everybody_once_and_costs_few_requests() {
    for (count, most) in [(0, 5), (1, 3), (40, 3), (99, 3), (100, 8), (101, 9), (250, 14), (300, 17), (1234, 54)] {
        let service = crowd(count);
        assert_eq!(ids(&list(&service, "").data()), (1..=count).collect::<Vec<_>>());
        let log = service.log();
        assert!(log.len() <= most, "{count} people cost {} requests", log.len());
        let first = log[0].number("page");
        assert_eq!(first, Some(1), "the first page goes alone");
        // Pages of a few are the proof of each walk.
        let mut pages: Vec<_> = log.iter().filter(|request| request.number("pageSize") > Some(10)).collect();
        let asked = pages.len();
        pages.sort_by(|a, b| a.target.cmp(&b.target));
        pages.dedup();
        assert_eq!(pages.len(), asked, "no page is asked for twice");
    }
}

#[test]
fn a_list_of_two_thousand_is_whole() {
    assert_eq!(ids(&list(&crowd(2000), "").data()), (1..=2000).collect::<Vec<_>>());
}

#[test]
fn an_empty_list_is_an_empty_array_nothing_or_the_header() {
    let env = Env::at(&crowd(0).url);
    let said = |format: &str| env.line(&format!("testtakers list -p {PROJECT} -o {format}")).data();
    assert_eq!((said("json").as_str(), said("ndjson").as_str()), ("[]\n", ""));
    assert!(said("csv").starts_with("id,") && said("csv").lines().count() == 1, "{}", said("csv"));
}

#[test]
fn a_record_that_slides_onto_the_next_page_is_printed_once() {
    // Somebody new stands before all others after the first page was read.
    let service = Service::start().of((0..=220).map(person)).on(
        Op::TestTakers,
        When::First(1),
        Trouble::Page(|page: &Page| Answer::ok(page.cut(1, 1 + page.size))),
    );
    let mut sorted = ids(&list(&service, "").data());
    sorted.sort_unstable();
    assert_eq!(sorted, (0..=220).collect::<Vec<_>>());
}

#[test]
fn whoever_is_removed_while_a_list_is_read_hides_nobody() {
    // Person 1 goes after the first page was read, and all others move up.
    let service = crowd(220).on(
        Op::TestTakers,
        When::After(1),
        Trouble::Page(|page: &Page| {
            let from = 1 + (page.number - 1) * page.size;
            Answer::ok(page.cut(from, from + page.size))
        }),
    );
    let found = ids(&list(&service, "").data());
    assert!((2..=220).all(|id| found.contains(&id)), "{found:?}");
}

#[test]
fn a_limit_stops_early_and_says_that_more_exist() {
    let service = crowd(250);
    let said = list(&service, "--limit 3").ok();
    assert_eq!((ids(&said.stdout), said.stderr.lines().count()), (vec![1, 2, 3], 1), "{said}");
    assert_eq!(service.log().len(), 1);
    assert_eq!(ids(&list(&crowd(3), "--limit 3").ok().stdout), [1, 2, 3]);
    assert_eq!(ids(&list(&crowd(100), "--limit 100").ok().stdout).len(), 100);
    for wrong in ["--limit 0", "--limit -1", "--limit x", "--page 0", "--page 3000000000", "--page 1 --page-size 101"] {
        let service = crowd(3);
        let _ = list(&service, wrong).fails(2);
        assert!(service.log().is_empty(), "{wrong}");
    }
}

#[test]
fn a_limit_reads_on_where_pages_are_capped_and_ends_where_there_is_no_page() {
    let kind = Trouble::Page(|page: &Page| match page.records(page.number, page.size.min(50)) {
        none if none.is_empty() => Answer::problem(404, "No", "not this page"),
        records => Answer::ok(records),
    });
    let service = crowd(200).on(Op::TestTakers, When::Always, kind);
    for (limit, count, notes) in [(80, 80, 1), (200, 200, 0), (250, 200, 0)] {
        let said = list(&service, &format!("--limit {limit}")).ok();
        assert_eq!(ids(&said.stdout), (1..=count).collect::<Vec<_>>());
        assert_eq!(said.stderr.lines().count(), notes, "{said}");
    }
}

#[test]
fn a_page_is_exactly_one_page_and_says_so() {
    let service = crowd(250);
    let said = list(&service, "--page 3 --page-size 10").ok();
    assert_eq!((ids(&said.stdout), said.stderr.lines().count()), ((21..=30).collect(), 1), "{said}");
    assert_eq!(service.log().len(), 1);
    let _ = list(&service, "--page 3 -q").data();
}

#[test]
fn a_failed_page_is_a_failed_list_and_prints_nothing() {
    for (status, code) in [(401, 3), (403, 3), (422, 5), (500, 6)] {
        for page in [1, 2, 3] {
            for format in ["table", "csv", "json", "ndjson"] {
                let answer = Answer::problem(status, "No", "not this page");
                let service = crowd(250).on(Op::TestTakers, When::Page(page), Trouble::Answer(answer));
                let _ = Env::at(&service.url).line(&format!("testtakers list -p {PROJECT} -o {format}")).fails(code);
            }
            if status == 500 {
                break;
            }
        }
    }
}

#[test]
fn an_end_that_the_service_refuses_to_show_is_an_end_if_it_is_refused_again() {
    for status in [400, 404, 410] {
        let beyond: fn(&Page) -> Answer = match status {
            400 => |page| end(page, 400),
            404 => |page| end(page, 404),
            _ => |page| end(page, 410),
        };
        for count in [0, 100, 150] {
            let service = crowd(count).on(Op::TestTakers, When::Always, Trouble::Page(beyond));
            assert_eq!(ids(&list(&service, "").data()), (1..=count).collect::<Vec<_>>());
        }
    }
}

fn end(page: &Page, status: u16) -> Answer {
    match page.records(page.number, page.size) {
        none if none.is_empty() && page.number > 1 => Answer::problem(status, "No", "no such page"),
        records => Answer::ok(records),
    }
}

#[test]
fn a_page_that_is_refused_now_and_then_is_asked_again_and_one_that_is_refused_for_ever_fails_the_list() {
    for status in [400, 404, 410] {
        let answer = || Trouble::Answer(Answer::problem(status, "No", "not now"));
        let sometimes: fn(&Page) -> Answer = |page| match page.asked {
            3 | 5 => Answer::problem(404, "No", "not now"),
            _ => page.plain(),
        };
        let service = crowd(450).on(Op::TestTakers, When::Always, Trouble::Page(sometimes));
        assert_eq!(ids(&list(&service, "").data()).len(), 450);
        let service = crowd(450).on(Op::TestTakers, When::Page(3), answer());
        let _ = list(&service, "").fails(7);
    }
}

#[test]
fn a_service_that_ignores_the_page_is_an_error_and_no_endless_list() {
    let all: Vec<_> = (1..=100).map(person).collect();
    let service = Service::always(Answer::ok(all));
    let _ = list(&service, "").fails(7);
    assert!(service.log().len() < 60, "{}", service.log().len());
}

#[test]
fn order_is_always_sent() {
    let service = crowd(1);
    let _ = list(&service, "--order-by Priority").data();
    let request = &service.log()[0];
    let sent = |name: &str| request.parameter(name);
    assert_eq!((sent("orderBy").as_deref(), sent("order").as_deref()), (Some("Priority"), Some("Asc")));
}

#[test]
fn people_who_share_a_reference_id_or_all_fields_of_the_older_shape_are_all_there() {
    let twins = (1..=130).map(|id| {
        let mut one = person(id);
        one["referenceId"] = if id % 2 == 0 { json!("SHARED") } else { Value::Null };
        one["email"] = json!("family@example.com");
        one["fullName"] = json!(format!("{:05}", id / 2));
        if id > 128 {
            // Two who differ in nothing but their ids.
            (one["referenceId"], one["firstName"], one["lastName"]) = (Value::Null, json!("Kim"), json!("Lee"));
            one["fullName"] = json!("Kim Lee");
        }
        one
    });
    let service = Service::start().of(twins);
    assert_eq!(ids(&list(&service, "").data()).len(), 130);
    service.held().is_older = true;
    let older = Env::at(&service.url).line(&format!("results list -p {PROJECT} -o ndjson")).ok();
    assert_eq!(older.stdout.lines().count(), 130, "{older}");
}

#[test]
fn an_exact_search_costs_one_request() {
    let service = crowd(5);
    let _ = Env::at(&service.url)
        .line(&format!("testtakers get ref:{} -p {PROJECT}", person(3)["referenceId"].as_str().expect("an id")))
        .ok();
    assert_eq!(service.log().len(), 1);
}

#[test]
fn an_exact_search_that_finds_several_reads_them_all() {
    let kind = Trouble::Page(|page: &Page| Answer::ok(page.records(page.number, page.size.min(2))));
    let twins = [1, 2, 3].map(|id| {
        let mut one = person(id);
        one["referenceId"] = json!("SHARED");
        one
    });
    let service = Service::start().of(twins).on(Op::LookUp, When::Always, kind);
    let said = Env::at(&service.url).line(&format!("testtakers get ref:SHARED -p {PROJECT}")).fails(2);
    let _ = said.names("id:1, id:2, id:3");
}

#[test]
fn a_limit_counts_what_our_own_filters_keep() {
    let mut people = (1..=150).map(person).collect::<Vec<_>>();
    for (one, number) in people.iter_mut().zip(1..) {
        one["result"] = json!(if [2, 120, 140].contains(&number) { "HighRisk" } else { "Completed" });
    }
    let service = Service::start().of(people);
    let said = Env::at(&service.url).line(&format!("results list --flagged --limit 2 -q -p {PROJECT}"));
    assert_eq!(said.data().lines().count(), 2);
}

#[test]
fn a_record_that_a_page_shows_twice_is_one() {
    let service = Service::start();
    let again = service.held().projects[0].clone();
    service.held().projects.push(again);
    let said = Env::at(&service.url).line("projects list -q");
    assert_eq!(said.data().lines().count(), 1);
}

#[test]
fn people_of_one_page_who_have_one_number_are_no_list() {
    let unnumbered = |number: i64| {
        let mut record = person(number);
        record["id"] = json!(0);
        record
    };
    for count in [2, 40, 100] {
        let _ = list(&Service::start().of((1..=count).map(unnumbered)), "").fails(7);
    }
}

#[test]
fn a_page_that_is_first_missing_and_then_refused_is_no_end() {
    for status in [403, 500] {
        let asked = AtomicUsize::new(0);
        let service = crowd(300).with(move |request, _| {
            let is_second = Op::of(request) == Op::TestTakers && request.number("page") == Some(2);
            let status = if is_second && asked.fetch_add(1, Ordering::SeqCst) == 0 { 404 } else { status };
            is_second.then(|| Answer::problem(status, "No", "not this page"))
        });
        let said = list(&service, "--limit 250");
        assert!(said.code != 0 && said.stdout.is_empty(), "{status}: {said}");
    }
}

#[test]
fn of_a_project_that_is_renamed_while_it_is_listed_the_later_name_counts() {
    let service = Service::start();
    let mut record = fixture("project");
    service.held().projects.clear();
    for number in 1..=150 {
        record["id"] = json!(format!("00000000-0000-4000-8000-{number:012}"));
        record["name"] = json!(format!("Old {number}"));
        service.held().projects.push(record.clone());
    }
    let rename = |page: &Page| {
        let mut all = page.records(page.number, page.size);
        for one in all.iter_mut().filter(|one| one["name"] == "Old 7") {
            one["name"] = json!("New 7");
        }
        Answer::ok(all)
    };
    let service = service.on(Op::Projects, When::After(4), Trouble::Page(rename));
    let said = Env::at(&service.url).line("projects list -o ndjson").data();
    assert!(said.contains("New 7") && !said.contains("\"Old 7\""), "{said}");
}

#[test]
fn a_bracket_is_no_empty_list() {
    let service = Service::always(Answer::new(200, &["Content-Type: application/json"], "]"));
    assert_ne!(list(&service, "").code, 0);
}
