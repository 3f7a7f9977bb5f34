//! Services that page badly, typed by hand: whatever they do, no list that lacks somebody ends as if it were whole.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use crate::harness::Env;
use crate::lists::person;
use crate::page_fault_commands::{COMMANDS, Listing};
use crate::socket::{Answer, Request, Socket};
use crate::wire::PROJECT;

/// What the service does to a page: number, size, everything there is, and how often it was asked before.
pub(crate) type Paging = fn(usize, usize, &[Value], usize) -> Answer;

fn cut(all: &[Value], from: usize, to: usize) -> Vec<Value> {
    all[from.min(all.len())..to.min(all.len())].to_vec()
}

pub(crate) fn proper(page: usize, size: usize, all: &[Value]) -> Vec<Value> {
    cut(all, (page - 1) * size, page * size)
}

fn answer(records: Vec<Value>) -> Answer {
    Answer::ok(&Value::Array(records).to_string())
}

fn refused(status: u16) -> Answer {
    Answer::problem(status, "No", "not this page")
}

/// The kinds of faults, by name.
const FAULTS: [(&str, Paging); 15] = [
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
    ("400 beyond a window of 200 records", |page, size, all, _| match page * size {
        201.. => refused(400),
        _ => answer(proper(page, size, all)),
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
    ("a cache that goes by the number alone", |page, _, all, _| match page {
        1 => answer(cut(all, 0, 1)),
        _ => answer(proper(page, 41, all)),
    }),
    ("the first page for every number", |_, size, all, _| answer(proper(1, size, all))),
];

const SIZES: [i64; 7] = [0, 1, 99, 100, 101, 450, 2000];
/// So many of the cases are run at each build; `PAGE_FAULTS=SEED` chooses others, and `PAGE_FAULTS=all` runs all of them.
const PART: usize = 120;

/// A fault, a command that meets it, and the size of the list.
type Case = (&'static (&'static str, Paging), &'static Listing, i64);

fn cases() -> Vec<Case> {
    let commands = || FAULTS.iter().flat_map(|fault| COMMANDS.iter().map(move |command| (fault, command)));
    let mut all: Vec<Case> =
        SIZES.iter().flat_map(|size| commands().map(|(fault, command)| (fault, command, *size))).collect();
    let seed = match option_env!("PAGE_FAULTS") {
        Some("all") => return all,
        seed => seed.map_or(12, |seed| seed.parse().expect("a seed, or all")),
    };
    all.retain(|(_, _, size)| *size < 1000);
    fastrand::Rng::with_seed(seed).shuffle(&mut all);
    all.truncate(PART);
    all
}

#[test]
fn no_list_that_lacks_a_record_ends_as_if_it_were_whole() {
    let cases = Mutex::new(cases());
    let work = || {
        let mut complaints = Vec::new();
        loop {
            let next = cases.lock().expect("no thread panics").pop();
            let Some(((name, paging), command, size)) = next else { return complaints };
            complaints.extend(command.complaint(*paging, size).map(|wrong| format!("{name}: {wrong}")));
        }
    };
    let complaints: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("a thread that ends")).collect()
    });
    assert!(complaints.is_empty(), "{} cases:\n{}", complaints.len(), complaints.join("\n"));
}

fn service(paging: Paging, all: Vec<Value>) -> Socket {
    let asked = AtomicUsize::new(0);
    Socket::answering(move |request: &Request, _| {
        let number = |name: &str| request.parameter(name).and_then(|text| text.parse().ok()).expect("a number");
        paging(number("page"), number("pageSize"), &all, asked.fetch_add(1, Ordering::Relaxed))
    })
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

#[test]
fn a_list_of_which_the_count_showed_other_records_is_not_whole() {
    let (name, paging) = FAULTS[13];
    assert_eq!(name, "a cache that goes by the number alone");
    let socket = service(paging, (1..=101).map(person).collect());
    let said = Env::at(&socket.url).line(&format!("testtakers list -p {PROJECT} -o ndjson")).exits(7);
    assert_eq!(said.stdout, "", "{said}");
}
