//! Services that page badly, typed by hand: whatever they do, no list that lacks somebody ends as if it were whole.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::harness::Env;
use crate::lists::person;
use crate::socket::{Answer, Request, Socket};
use crate::wire::{PROJECT, fixture};

/// What the service does to a page: number, size, everything there is, and how often it was asked before.
type Paging = fn(usize, usize, &[Value], usize) -> Answer;

fn cut(all: &[Value], from: usize, to: usize) -> Vec<Value> {
    all[from.min(all.len())..to.min(all.len())].to_vec()
}

fn proper(page: usize, size: usize, all: &[Value]) -> Vec<Value> {
    cut(all, (page - 1) * size, page * size)
}

fn answer(records: Vec<Value>) -> Answer {
    Answer::ok(&Value::Array(records).to_string())
}

fn refused(status: u16) -> Answer {
    Answer::problem(status, "No", "not this page")
}

/// The kinds of faults, by name.
const FAULTS: [(&str, Paging); 13] = [
    ("two stray 404 on page 3", |page, size, all, asked| match page {
        3 if asked < 6 => refused(404),
        _ => answer(proper(page, size, all)),
    }),
    ("page 3 is always 400", |page, size, all, _| match page {
        3 => refused(400),
        _ => answer(proper(page, size, all)),
    }),
    ("404 beyond the end", |page, size, all, _| match proper(page, size, all) {
        none if none.is_empty() && page > 1 => refused(404),
        records => answer(records),
    }),
    ("capped to 50", |page, size, all, _| answer(proper(page, size.min(50), all))),
    ("cut to 50", |page, size, all, _| {
        let mut records = proper(page, size, all);
        records.truncate(50);
        answer(records)
    }),
    ("pages of 30 whatever is asked for", |page, _, all, _| answer(proper(page, 30, all))),
    ("page 2 lacks its last record", |page, size, all, _| {
        let mut records = proper(page, size, all);
        if page == 2 {
            records.pop();
        }
        answer(records)
    }),
    ("page 1 lacks its last record once", |page, size, all, asked| {
        let mut records = proper(page, size, all);
        if page == 1 && asked == 0 {
            records.pop();
        }
        answer(records)
    }),
    ("page 3 is always empty", |page, size, all, _| match page {
        3 => answer(Vec::new()),
        _ => answer(proper(page, size, all)),
    }),
    ("page 1 is empty once", |page, size, all, asked| match (page, asked) {
        (1, 0) => answer(Vec::new()),
        _ => answer(proper(page, size, all)),
    }),
    ("page 4 repeats page 1", |page, size, all, _| answer(proper(if page == 4 { 1 } else { page }, size, all))),
    ("the last page for every number beyond the end", |page, size, all, _| {
        answer(proper(page.min(all.len().div_ceil(size).max(1)), size, all))
    }),
    ("the first page for every number", |_, size, all, _| answer(proper(1, size, all))),
];

/// Makes the record of a number.
type Record = fn(i64) -> Value;

/// Commands that print a whole list, with what their records are made from.
fn commands() -> Vec<(String, Record)> {
    fn project(number: i64) -> Value {
        let mut record = fixture("project");
        record["id"] = json!(format!("00000000-0000-4000-8000-{number:012}"));
        record["name"] = json!(format!("Project {number}"));
        record
    }
    fn older(number: i64) -> Value {
        let mut record = fixture("result-legacy");
        record["email"] = json!("family@example.com");
        record["referenceId"] = Value::Null;
        record["fullName"] = json!(format!("{number:05}"));
        record
    }
    fn uri(number: i64) -> Value {
        json!(format!("https://example.com/{number}"))
    }
    let all: [(&str, Record); 7] = [
        ("testtakers list -p {P}", person),
        ("results list -p {P}", person),
        ("results list -p {P} --results-api legacy", older),
        ("testtakers list -p {P} --once", person),
        ("results list -p {P} --limit 100000", person),
        ("projects list", project),
        ("redirect-uris list", uri),
    ];
    // All of them, and all sizes: `PAGE_FAULTS=all cargo test page_faults`.
    let few = if option_env!("PAGE_FAULTS").is_some() { all.len() } else { 2 };
    all[..few].iter().map(|(line, record)| (line.replace("{P}", PROJECT), *record)).collect()
}

fn sizes() -> &'static [i64] {
    if option_env!("PAGE_FAULTS").is_some() { &[0, 1, 99, 100, 101, 450, 2000] } else { &[1, 100, 450] }
}

fn service(paging: Paging, all: Vec<Value>) -> Socket {
    let asked = AtomicUsize::new(0);
    Socket::answering(move |request: &Request, _| {
        let number = |name: &str| request.parameter(name).and_then(|text| text.parse().ok()).expect("a number");
        paging(number("page"), number("pageSize"), &all, asked.fetch_add(1, Ordering::Relaxed))
    })
}

/// What is wrong with how a command ended against a service.
fn complaint(name: &str, paging: Paging, line: &str, record: Record, size: i64) -> Option<String> {
    let socket = service(paging, (1..=size).map(record).collect());
    let said = Env::at(&socket.url).line(&format!("{line} -o ndjson"));
    let lines = i64::try_from(said.stdout.lines().count()).expect("a count");
    let is_whole = said.code == 0 && lines == size;
    // The first page stands for the list: a list that is refused there is not there.
    let is_honest = matches!(said.code, 1 | 5 | 6 | 7) && lines == 0;
    (!is_whole && !is_honest).then(|| format!("{name}: {line} of {size}: exit {} with {lines}", said.code))
}

#[test]
fn no_list_that_lacks_a_record_ends_as_if_it_were_whole() {
    let complaints: Vec<String> = std::thread::scope(|scope| {
        let fault = |(name, paging): (&'static str, Paging)| {
            scope.spawn(move || {
                let runs = commands()
                    .into_iter()
                    .flat_map(|(line, record)| sizes().iter().map(move |size| (line.clone(), record, *size)));
                runs.filter_map(|(line, record, size)| complaint(name, paging, &line, record, size)).collect::<Vec<_>>()
            })
        };
        let threads: Vec<_> = FAULTS.into_iter().map(fault).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("a thread that ends")).collect()
    });
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn a_service_that_caps_or_clamps_or_refuses_beyond_the_end_is_read_whole() {
    for (name, paging) in FAULTS {
        let is_borne = ["capped to 50", "404 beyond the end", "the last page for every number beyond the end"];
        if is_borne.contains(&name) || name.starts_with("pages of 30") {
            let socket = service(paging, (1..=230).map(person).collect());
            let said = Env::at(&socket.url).line(&format!("testtakers list -p {PROJECT} -o ndjson -v")).ok();
            assert_eq!(said.stdout.lines().count(), 230, "{name}");
            assert_eq!(said.stderr.contains("pages of 50 records"), name == "capped to 50", "{said}");
        }
    }
}
