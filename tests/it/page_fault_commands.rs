//! The commands that read whole lists, and what each makes of a list that pages badly.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use crate::doubts::{array, enrolment, listed, matching};
use crate::harness::{Env, PATIENCE, Said};
use crate::lists::person;
use crate::page_faults::{Paging, proper};
use crate::socket::{Answer, Request, Socket};
use crate::wire::{PROJECT, fixture};

/// So much longer a run may take for each record, each of which may cost a write.
const PER_RECORD: Duration = Duration::from_millis(200);

/// Makes the record of a number, from 1.
type Record = fn(i64) -> Value;

/// What is wrong with a run over a list of so many records, if anything is.
type Complaint = fn(&Run, i64) -> Option<String>;

/// A command that reads a whole list, `{P}` being the project and `{LAST}` the list's last record.
pub(crate) struct Listing {
    pub(crate) line: &'static str,
    record: Record,
    /// What is there before anything is enrolled: the list, or nobody.
    is_there: bool,
    complaint: Complaint,
}

const fn listing(line: &'static str, record: Record, complaint: Complaint) -> Listing {
    Listing { line, record, is_there: true, complaint }
}

/// All of them.
pub(crate) const COMMANDS: [Listing; 17] = [
    listing("testtakers list -p {P} -o ndjson", person, lines),
    listing("results list -p {P} -o ndjson", person, lines),
    listing("results list -p {P} --results-api legacy -o ndjson", older, lines),
    listing("testtakers list -p {P} --once -o ndjson", person, lines),
    listing("results list -p {P} --limit 100000 -o ndjson", person, lines),
    listing("projects list -o ndjson", project, lines),
    listing("redirect-uris list -o ndjson", uri, lines),
    listing("results export -p {P} --fail-on HighRisk --to e.ndjson --allow-empty", at_risk, alerts),
    listing("results changes -p {P} --fail-on HighRisk --look -o ndjson", at_risk, alerts),
    listing("results changes -p {P} --as memory -o ndjson", at_risk, unchanged),
    listing("results summary -p {P} -o ndjson", person, summed),
    listing("results report -p {P}", person, reported),
    listing("projects get 'Project {LAST}' -o ndjson", project, named),
    listing("links issue --all -p {P} --to links.csv", person, handed_out),
    listing("links issue id:1 -p {P} --redirect-uri https://example.com/{LAST} -o ndjson", uri, allowed),
    listing("testtakers import people.csv -p {P} --settle 1s -o ndjson", person, imported_beside),
    Listing { is_there: false, ..listing("testtakers import people.csv -p {P} --settle 1s", person, enrolled) },
];

fn at_risk(number: i64) -> Value {
    let mut record = person(number);
    record["result"] = json!("HighRisk");
    record
}

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

/// A command that ended, and what it asked for.
pub(crate) struct Run {
    said: Said,
    /// What stands in `e.ndjson`.
    exported: String,
    socket: Socket,
}

impl Run {
    /// The run says that it could not do it. The first page stands for the list: one that is refused there is not there.
    fn is_honest(&self) -> bool {
        matches!(self.said.code, 1 | 5 | 6 | 7)
    }

    fn lines(&self) -> i64 {
        count(self.said.stdout.lines().chain(self.exported.lines()))
    }

    /// Different people, by the path of what was sent for them, and how often anything was.
    fn writes(&self) -> (i64, i64) {
        let writes = self.socket.writes();
        let whose = |write: &Request| match write.path() {
            path if path.ends_with("/test-link") => path.to_owned(),
            _ => write.json()["email"].to_string(),
        };
        (count(writes.iter().map(whose).collect::<HashSet<_>>()), count(writes))
    }

    /// The run ended as if it were whole and `is_whole`, or it is honest and did nothing.
    fn expect(&self, is_whole: bool, did_nothing: bool) -> Option<String> {
        let is_well = is_whole || self.is_honest() && did_nothing;
        (!is_well).then(|| format!("exit {}, {} lines, {:?} writes", self.said.code, self.lines(), self.writes()))
    }
}

fn count<T>(all: impl IntoIterator<Item = T>) -> i64 {
    i64::try_from(all.into_iter().count()).expect("a count")
}

fn lines(run: &Run, size: i64) -> Option<String> {
    run.expect(run.said.code == 0 && run.lines() == size, run.lines() == 0)
}

fn alerts(run: &Run, size: i64) -> Option<String> {
    let code = if size == 0 { 0 } else { 8 };
    run.expect(run.said.code == code && run.lines() == size, run.lines() == 0)
}

/// The consumer knows all of them.
fn unchanged(run: &Run, _: i64) -> Option<String> {
    run.expect(run.said.code == 0 && run.lines() == 0, run.lines() == 0)
}

fn summed(run: &Run, size: i64) -> Option<String> {
    let record: Option<Value> = serde_json::from_str(&run.said.stdout).ok();
    let is_whole = run.said.code == 0 && record.is_some_and(|record| record["enrolled"] == size);
    run.expect(is_whole, run.lines() == 0)
}

fn reported(run: &Run, size: i64) -> Option<String> {
    let part = run.said.stdout.split("Latest results of ").nth(1).and_then(|rest| rest.split(" people").next());
    let number: String = part.unwrap_or_default().chars().filter(char::is_ascii_digit).collect();
    run.expect(run.said.code == 0 && number.parse() == Ok(size), run.lines() == 0)
}

/// There is no project 0, and a project that is there is found.
fn named(run: &Run, size: i64) -> Option<String> {
    let is_whole = match size {
        0 => run.said.code == 4,
        _ => run.said.code == 0 && run.said.stdout.contains(&format!("8000-{size:012}")),
    };
    run.expect(is_whole, run.lines() == 0)
}

/// Nobody is left out, and nobody gets a second link, which would void the first.
fn handed_out(run: &Run, size: i64) -> Option<String> {
    run.expect(run.said.code == 0 && run.writes() == (size, size), run.writes() == (0, 0))
}

/// A redirect URI that is on the list is not said to be missing.
fn allowed(run: &Run, size: i64) -> Option<String> {
    let warns = run.said.stderr.contains("in no entry of the workspace");
    run.expect(run.said.code == 0 && warns == (size == 0), run.writes() == (0, 0) && !warns)
}

/// One row is new, the others are enrolled.
fn imported_beside(run: &Run, size: i64) -> Option<String> {
    let outcomes = |word: &str| count(run.said.stdout.matches(&format!("\"outcome\":\"{word}\"")));
    let is_whole = run.said.code == 0 && (outcomes("existing"), outcomes("enrolled")) == (size, 1);
    let never_twice = run.writes().1 <= 1 && outcomes("gone") + outcomes("duplicate") == 0;
    run.expect(is_whole && run.writes() == (1, 1), never_twice)
}

/// All rows are new, and the list is read anew when they are enrolled.
fn enrolled(run: &Run, size: i64) -> Option<String> {
    let wrong = ["gone", "duplicate"].iter().any(|word| run.said.stdout.contains(word));
    let never_twice = run.writes().0 == run.writes().1 && !wrong;
    run.expect(run.said.code == 0 && run.writes() == (size, size), never_twice)
}

/// A service whose list pages so; what is not a list, and who is asked for alone, is answered as it should be.
struct Service {
    paging: Paging,
    all: Mutex<Vec<Value>>,
    asked: AtomicUsize,
    /// Until then it pages properly.
    is_faulty: AtomicBool,
}

impl Service {
    fn answer(&self, request: &Request) -> Answer {
        let mut all = self.all.lock().expect("no server thread panics");
        let number = |name: &str| request.parameter(name).and_then(|text| text.parse().ok());
        match (request.method.as_str(), number("page"), number("pageSize")) {
            ("POST", ..) if request.path().ends_with("/test-link") => {
                Answer::ok(&json!({ "url": format!("https://t.example{}", request.path()) }).to_string())
            }
            ("POST", ..) => {
                let (body, entry) = (request.json(), 5000 + count(all.iter()));
                all.push(listed(&body, entry));
                Answer::json(201, &enrolment(&body, entry).to_string())
            }
            (_, Some(_), Some(_)) if request.parameter("referenceId").or(request.parameter("filter")).is_some() => {
                array(&matching(request, &all))
            }
            (_, Some(page), Some(size)) if self.is_faulty.load(Ordering::Relaxed) => {
                (self.paging)(page, size, &all, self.asked.fetch_add(1, Ordering::Relaxed))
            }
            (_, Some(page), Some(size)) => array(&proper(page, size, &all)),
            _ => Answer::ok(&fixture("project").to_string()),
        }
    }
}

/// A roster of so many people as the list has, and of one more where they are there.
fn roster(listing: &Listing, size: i64) -> String {
    let last = if listing.is_there { size + 1 } else { size };
    let mut text = String::from("email,firstName,lastName,birthYear,referenceId\n");
    for number in 1..=last {
        let cell = |field: &str| (listing.record)(number)[field].to_string().replace("null", "").replace('"', "");
        let person = ["email", "firstName", "lastName", "yearOfBirth", "referenceId"].map(cell);
        writeln!(text, "{}", person.join(",")).expect("written");
    }
    text
}

impl Listing {
    /// Runs the command against a list of so many records that pages so, and says what is wrong with how it ended.
    pub(crate) fn complaint(&self, paging: Paging, size: i64) -> Option<String> {
        let is_import = self.line.contains(" import ");
        if is_import && !self.is_there && size == 0 {
            return None;
        }
        let all: Vec<Value> = if self.is_there { (1..=size).map(self.record).collect() } else { Vec::new() };
        let service = std::sync::Arc::new(Service {
            paging,
            all: Mutex::new(all),
            asked: AtomicUsize::new(0),
            is_faulty: AtomicBool::new(false),
        });
        let answering = service.clone();
        let socket = Socket::answering(move |request, _| answering.answer(request));
        let env = Env::at(&socket.url);
        if is_import {
            env.write("people.csv", roster(self, size));
        }
        let line = self.line.replace("{P}", PROJECT).replace("{LAST}", &size.to_string());
        if line.contains("--as memory") {
            let _ = env.line(&line).ok();
        }
        service.is_faulty.store(true, Ordering::Relaxed);
        let said = env.line_within(&line, PATIENCE + PER_RECORD * u32::try_from(size).expect("a size"));
        let exported = std::fs::read_to_string(env.work().join("e.ndjson")).unwrap_or_default();
        let run = Run { said, exported, socket };
        let wrong = (self.complaint)(&run, size)?;
        Some(format!("{line} of {size}: {wrong}\n{}", run.said.stderr))
    }
}
