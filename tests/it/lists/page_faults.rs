//! Services that page badly, typed by hand: whatever they do, no list that lacks somebody ends as if it were whole.

use std::sync::Mutex;

use serde_json::{Value, json};

use crate::support::env::{Env, Said, setting};
use crate::support::service::{Op, Page, Paging, Service, Trouble, When};
use crate::support::wire::{Answer, PROJECT, fixture};
use crate::support::workspace::person;

fn refused(status: u16) -> Answer {
    Answer::problem(status, "No", "not this page")
}

/// The kinds of faults, by name.
const FAULTS: [(&str, Paging); 16] = [
    ("two stray 404 on page 3", |page| match page.number {
        3 if page.asked < 6 => refused(404),
        _ => page.plain(),
    }),
    ("page 3 is always 400", |page| match page.number {
        3 => refused(400),
        _ => page.plain(),
    }),
    ("404 beyond the end", |page| match page.records(page.number, page.size) {
        none if none.is_empty() && page.number > 1 => refused(404),
        records => Answer::ok(records),
    }),
    ("400 beyond a window of 200 records", |page| match page.number * page.size {
        201.. => refused(400),
        _ => page.plain(),
    }),
    ("capped to 50", |page| Answer::ok(page.records(page.number, page.size.min(50)))),
    ("cut to 50", |page| {
        let mut records = page.records(page.number, page.size);
        records.truncate(50);
        Answer::ok(records)
    }),
    ("pages of 30 whatever is asked for", |page| Answer::ok(page.records(page.number, 30))),
    ("page 2 lacks its last record", |page| {
        let mut records = page.records(page.number, page.size);
        if page.number == 2 {
            records.pop();
        }
        Answer::ok(records)
    }),
    ("page 1 lacks its last record once", |page| {
        let mut records = page.records(page.number, page.size);
        if (page.number, page.asked) == (1, 0) {
            records.pop();
        }
        Answer::ok(records)
    }),
    ("page 3 is always empty", |page| match page.number {
        3 => Answer::ok(json!([])),
        _ => page.plain(),
    }),
    ("page 1 is empty once", |page| match (page.number, page.asked) {
        (1, 0) => Answer::ok(json!([])),
        _ => page.plain(),
    }),
    ("page 4 repeats page 1", |page| {
        Answer::ok(page.records(if page.number == 4 { 1 } else { page.number }, page.size))
    }),
    ("the last page for every number beyond the end", |page| {
        Answer::ok(page.records(page.number.min(page.all.len().div_ceil(page.size).max(1)), page.size))
    }),
    ("a cache that goes by the number alone", |page| match page.number {
        1 => Answer::ok(page.cut(0, 1)),
        _ => Answer::ok(page.records(page.number, 41)),
    }),
    ("the first page for every number", |page| Answer::ok(page.records(1, page.size))),
    ("each page overlaps the one before", |page| {
        let from = (page.number - 1) * page.size;
        Answer::ok(page.cut(from.saturating_sub(1), from + page.size - 1))
    }),
];

/// Makes the record of a number, from 1.
type Make = fn(i64) -> Value;

/// What is wrong with a run over a list of so many records, if anything is.
type Complaint = fn(&Said, i64) -> Option<String>;

/// The commands that read a whole list, `{P}` being the project and `{LAST}` the list's last record.
const COMMANDS: [(&str, Make, Complaint); 10] = [
    ("testtakers list -p {P} -o ndjson", person, lines),
    ("testtakers list -p {P} -q", person, lines),
    ("results list -p {P} -o ndjson", person, lines),
    ("results list -p {P} --order-by Risk -o ndjson", older, lines),
    ("results list -p {P} --fail-on HighRisk -o ndjson", person, alerts),
    ("results export -p {P} -o ndjson --to -", person, lines),
    ("results changes -p {P} --as cron -o ndjson", person, lines),
    ("projects list -o ndjson", project, lines),
    ("redirect-uris list -q", uri, lines),
    ("projects get 'Project {LAST}' -o ndjson", project, named),
];

fn project(number: i64) -> Value {
    let mut record = fixture("project");
    record["id"] = json!(format!("00000000-0000-4000-8000-{number:012}"));
    record["name"] = json!(format!("Project {number}"));
    record
}

/// Told apart by its full name only.
fn older(number: i64) -> Value {
    let mut record = fixture("result-older");
    record["email"] = json!("family@example.com");
    record["referenceId"] = Value::Null;
    record["fullName"] = json!(format!("{number:05}"));
    record
}

fn uri(number: i64) -> Value {
    json!(format!("https://example.com/{number}"))
}

fn count(said: &Said) -> i64 {
    i64::try_from(said.stdout.lines().count()).expect("a count")
}

/// The run ended as if it were whole and is, or it says that it could not do it and printed nothing.
fn expect(said: &Said, is_whole: bool) -> Option<String> {
    // The first page stands for the list: one that is refused there is not there.
    let is_honest = [1, 2, 5, 6, 7].contains(&said.code) && said.stdout.is_empty();
    (!is_whole && !is_honest).then(|| format!("exit {}, {} lines, {}", said.code, count(said), said.stderr))
}

fn lines(said: &Said, size: i64) -> Option<String> {
    expect(said, said.code == 0 && count(said) == size)
}

fn alerts(said: &Said, size: i64) -> Option<String> {
    expect(said, said.code == if size == 0 { 0 } else { 8 } && count(said) == size)
}

/// There is no project 0, and a project that is there is found.
fn named(said: &Said, size: i64) -> Option<String> {
    let is_whole = match size {
        0 => said.code == 4,
        _ => said.code == 0 && said.stdout.contains(&format!("8000-{size:012}")),
    };
    expect(said, is_whole)
}

const SIZES: [i64; 7] = [0, 1, 99, 100, 101, 450, 2000];
/// So many of the cases are run at each build; `PAGE_FAULTS=SEED` chooses others, and `PAGE_FAULTS=all` runs all of them.
const PART: usize = 150;

/// A fault, a command that meets it, and the size of the list.
type Case = (&'static (&'static str, Paging), &'static (&'static str, Make, Complaint), i64);

fn cases() -> Vec<Case> {
    let pairs = || FAULTS.iter().flat_map(|fault| COMMANDS.iter().map(move |command| (fault, command)));
    let mut all: Vec<Case> =
        SIZES.iter().flat_map(|size| pairs().map(|(fault, command)| (fault, command, *size))).collect();
    let seed = setting("PAGE_FAULTS");
    if seed.as_deref() == Some("all") {
        return all;
    }
    all.retain(|(_, _, size)| *size < 1000);
    fastrand::Rng::with_seed(seed.map_or(12, |seed| seed.parse().expect("a seed, or all"))).shuffle(&mut all);
    all.truncate(PART);
    all
}

fn service(paging: Paging, make: Make, size: i64) -> Service {
    let all: Vec<Value> = (1..=size).map(make).collect();
    let service = Service::start();
    let of_people = all.first().is_some_and(|one| one["email"].is_string());
    {
        let mut held = service.held();
        held.uris.clone_from(&all);
        if !of_people {
            held.projects = all.clone();
        }
    }
    let service = if of_people { service.of(all) } else { service };
    [Op::TestTakers, Op::Results, Op::Projects, Op::Uris]
        .into_iter()
        .fold(service, |service, op| service.on(op, When::Always, Trouble::Page(paging)))
}

fn complaint((fault, command, size): &Case) -> Option<String> {
    let ((name, paging), (line, make, complaint)) = (fault, command);
    let service = service(*paging, *make, *size);
    let line = line.replace("{P}", PROJECT).replace("{LAST}", &size.to_string());
    let said = Env::at(&service.url).line(&line);
    complaint(&said, *size).map(|wrong| format!("{name}, {line}, {size}: {wrong}"))
}

#[test]
fn no_list_that_lacks_a_record_ends_as_if_it_were_whole() {
    let cases = Mutex::new(cases());
    let next = || cases.lock().expect("no thread panics").pop();
    let work = || std::iter::from_fn(next).filter_map(|case| complaint(&case)).collect::<Vec<_>>();
    let complaints: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("a thread that ends")).collect()
    });
    assert!(complaints.is_empty(), "{} cases:\n{}", complaints.len(), complaints.join("\n"));
}

#[test]
fn a_service_that_caps_its_pages_or_refuses_those_beyond_the_end_is_read_whole() {
    let borne = ["capped to 50", "404 beyond the end", "two stray 404 on page 3"];
    for (name, paging) in FAULTS.iter().filter(|(name, _)| borne.contains(name)) {
        let service = service(*paging, person, 230);
        let said = Env::at(&service.url).line(&format!("testtakers list -p {PROJECT} -o ndjson")).ok();
        assert_eq!(count(&said), 230, "{name}");
    }
}

#[test]
fn a_plain_loop_over_pages_would_have_called_torn_lists_whole() {
    let naive = |paging: Paging| {
        let all: Vec<Value> = (1..=450).map(person).collect();
        let mut seen = std::collections::BTreeSet::new();
        for number in 1.. {
            let page =
                paging(&Page { number, size: 100, all: &all.iter().collect::<Vec<_>>(), asked: number - 1 }).text();
            let page: Vec<Value> = serde_json::from_str(&page).unwrap_or_default();
            seen.extend(page.iter().map(|one| one["id"].as_i64()));
            if page.len() < 100 || number > 20 {
                break;
            }
        }
        seen.len() < 450
    };
    let torn = FAULTS.iter().filter(|(_, paging)| naive(*paging)).count();
    assert!(torn >= 10, "only {torn} of {} faults hurt anybody", FAULTS.len());
}
