//! Imports through faults of every kind, killed at random moments and run again: nobody is lost, nobody is enrolled twice.
//!
//! `cargo test` runs a small campaign. The claim is made of a large one:
//! `CAMPAIGN_KILLS=1000 CAMPAIGN_ROWS=20000 cargo test --test it campaign -- --nocapture`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::harness::{Env, KEY, PATIENCE, Served, finish, setting};
use crate::imports::records;
use crate::words;

/// Rows of one roster.
const ROSTER: usize = 200;
/// Kills of one roster; then it may run to its end.
const KILLS_PER_ROSTER: usize = 14;
/// How long late work waits.
const LATE: Duration = Duration::from_millis(300);

/// Hits 12 % of the enrolments and of the lists, each kind with its own dice.
fn faults(seed: usize) -> Vec<String> {
    let kinds = [
        "close-before@enrol:share=0.02",
        "close-after@enrol:share=0.02",
        "500-after@enrol:share=0.02",
        "truncate@enrol:share=0.02",
        "late=300ms@enrol:share=0.02",
        "delay=40ms@enrol:share=0.01",
        "503@enrol:share=0.005,retry-after=0",
        "429@enrol:share=0.005,retry-after=0",
        "lag=400ms@list-test-takers:share=0.06",
        "503@list-test-takers:share=0.005,retry-after=0",
        "429@list-test-takers:share=0.005,retry-after=0",
        "close-after@list-test-takers:share=0.025",
        "truncate@list-test-takers:share=0.025",
    ];
    seeded(&kinds, seed)
}

/// Faults as the sandbox takes them, each with dice of its own.
pub(crate) fn seeded(kinds: &[&str], seed: usize) -> Vec<String> {
    let fault =
        |(index, kind): (usize, &&str)| [String::from("--fault"), format!("{kind},seed={}", seed * 100 + index)];
    kinds.iter().enumerate().flat_map(fault).collect()
}

pub(crate) fn number(name: &str, few: usize) -> usize {
    setting(name).map_or(few, |wanted| wanted.parse().expect("a number"))
}

/// With a deadline, so that a service which seems to be away ends the run instead of making it wait.
const IMPORT: &str = "testtakers import people.csv --allow-duplicates --settle 1s --deadline 8s --report report.csv -v";

/// A service with its faults, and a machine that imports into it.
struct Place {
    there: Env,
    served: Served,
    here: Env,
    /// What identifies the people of the roster.
    people: BTreeSet<String>,
}

impl Place {
    /// The roster has families: people who share an address.
    fn new(seed: usize, with_ids: bool) -> Self {
        let there = Env::new();
        let more: Vec<String> = ["--key".to_owned(), KEY.to_owned()].into_iter().chain(faults(seed)).collect();
        let served = there.serve(&more.iter().map(String::as_str).collect::<Vec<_>>());
        let here = Env::at(&served.url).with("ASSESSCTL_PROJECT", "Demo");
        let (mut text, mut people) = (String::from("email,firstName,birthYear,referenceId\n"), BTreeSet::new());
        for row in 0..ROSTER {
            let address = if row % 10 == 9 { row - 1 } else { row };
            let id = if with_ids { format!("R-{seed}-{row}") } else { String::new() };
            writeln!(text, "p{address}@example.com,Name{row},{},{id}", 1950 + row % 50).expect("a string");
            people.insert(if with_ids { id } else { format!("Name{row}") });
        }
        here.write("people.csv", text);
        Self { there, served, here, people }
    }

    fn import(&self) -> Child {
        self.here.command(&words::split(IMPORT)).spawn().expect("started")
    }

    /// The rows that are open in the journal, with how often each was sent, and how many rows are known to be enrolled.
    fn journal(&self) -> (BTreeSet<(u64, u64)>, usize) {
        let said = self.here.line("journal show -o json");
        if said.code != 0 {
            return (BTreeSet::new(), 0);
        }
        let rows = said.json();
        let rows = rows.as_array().expect("an array");
        let open = rows.iter().filter(|row| row["outcome"] == "in-doubt");
        let key = |row: &Value| Some((row["row"].as_u64()?, row["attempts"].as_u64()?));
        (open.filter_map(key).collect(), rows.iter().filter(|row| row["outcome"] == "enrolled").count())
    }

    /// Entry ids of everybody whom the service holds, by what identifies them.
    fn truth(&self, field: &str) -> BTreeMap<String, Vec<i64>> {
        let mut truth = BTreeMap::<String, Vec<i64>>::new();
        let people = self.there.line("--profile sandbox testtakers list -p Demo -o json").json();
        for person in people.as_array().expect("an array") {
            let (who, entry) = (person[field].as_str().unwrap_or_default(), person["id"].as_i64().expect("an id"));
            truth.entry(who.to_owned()).or_default().push(entry);
        }
        truth
    }
}

/// Where kills land.
#[derive(Default)]
struct Histogram {
    nothing_sent: usize,
    intent_open: usize,
    looking_up: usize,
    between_rows: usize,
    all_known: usize,
}

impl Histogram {
    fn kills(&self) -> usize {
        self.nothing_sent + self.intent_open + self.looking_up + self.between_rows + self.all_known
    }
}

/// Kills a run after so many of its requests, or of its enrolments; `false` if it was over before.
pub(crate) fn kill_somewhere(run: [Child; 2], random: &mut fastrand::Rng) -> bool {
    let counted = if random.u8(..4) == 0 { (" after ", random.usize(..60)) } else { ("POST ", random.usize(..25)) };
    kill_after(run, counted, random)
}

/// Starts a run, and another command that looks into the journal while it is at work.
pub(crate) fn looked_at(env: &Env, line: &str) -> [Child; 2] {
    [line, "journal list"].map(|line| env.command(&words::split(line)).spawn().expect("started"))
}

/// Kills a run, the first of the two, once so many lines of what it says have a text in them; `false` if it was over before.
pub(crate) fn kill_after(
    [mut child, onlooker]: [Child; 2],
    (counted, number): (&str, usize),
    random: &mut fastrand::Rng,
) -> bool {
    let stderr = BufReader::new(child.stderr.take().expect("a pipe"));
    let (send, receive) = mpsc::channel();
    // Read to the end, or the program would wait for somebody to read on.
    std::thread::spawn(move || stderr.lines().map_while(Result::ok).for_each(|line| drop(send.send(line))));
    let mut seen = 0;
    while seen < number {
        match receive.recv_timeout(PATIENCE) {
            Ok(line) => seen += usize::from(line.contains(counted)),
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
            Err(mpsc::RecvTimeoutError::Timeout) => panic!("the import hangs"),
        }
    }
    // Not always right after an answer. On a busy machine giving way would take seconds.
    let until = Instant::now() + Duration::from_micros(random.u64(..6000));
    while Instant::now() < until {
        std::hint::spin_loop();
    }
    let over = child.try_wait().expect("a child").is_some();
    // It may have ended by itself in this very moment.
    let _ = child.kill();
    let _ = child.wait();
    let _ = finish(onlooker, b"");
    !over
}

/// One roster to its end: how often its runs were killed is added to the histogram.
fn through_kills(place: &Place, histogram: &mut Histogram, random: &mut fastrand::Rng, exits: &[i32]) {
    let mut open_before = BTreeSet::new();
    for _ in 0..KILLS_PER_ROSTER {
        if !kill_somewhere(looked_at(&place.here, IMPORT), random) {
            break;
        }
        let (open, enrolled) = place.journal();
        match () {
            () if open.difference(&open_before).next().is_some() => histogram.intent_open += 1,
            () if !open.is_empty() => histogram.looking_up += 1,
            () if enrolled == 0 => histogram.nothing_sent += 1,
            () if enrolled == ROSTER => histogram.all_known += 1,
            () => histogram.between_rows += 1,
        }
        open_before = open;
    }
    for _ in 0..20 {
        let said = finish(place.import(), b"");
        assert!([0, 6, 7, 10].contains(&said.code), "{said}");
        if exits.contains(&said.code) {
            return;
        }
    }
    panic!("no run came to its end");
}

/// What a report and the service say of each other, once late work is done: the rows in doubt.
fn account(place: &Place, with_ids: bool, ended: Instant) -> usize {
    let field = if with_ids { "referenceId" } else { "firstName" };
    let mut truth = place.truth(field);
    while ended.elapsed() < LATE {
        truth = place.truth(field);
    }
    let twice: Vec<_> = truth.iter().filter(|(_, entries)| entries.len() > 1).collect();
    assert!(twice.is_empty(), "enrolled twice: {twice:?}");
    assert!(truth.keys().all(|who| place.people.contains(who)), "somebody whom nobody enrolled");
    let report = records(&place.here.read("report.csv"));
    assert_eq!(report.len(), ROSTER);
    let mut in_doubt = 0;
    for (index, row) in report.iter().enumerate() {
        let who = row[field].as_str().expect("text");
        let entry = truth.get(who).map(|entries| entries[0].to_string());
        match row["outcome"].as_str().expect("text") {
            "enrolled" | "existing" => assert_eq!(row["projectEntryId"].as_str(), entry.as_deref(), "row {index}"),
            "in-doubt" if !with_ids => in_doubt += 1,
            // It shares its address with a row in doubt, and waits until that one is known.
            "not-attempted" if !with_ids => assert_eq!(entry, None, "row {index}"),
            other => panic!("row {index} ended {other}"),
        }
    }
    in_doubt
}

/// Rosters until so many rows and kills are done: rows, rows in doubt, and where the kills landed.
fn campaign(with_ids: bool, exits: &[i32]) -> (usize, usize, Histogram) {
    let rows_wanted = number("CAMPAIGN_ROWS", ROSTER);
    let kills_wanted = number("CAMPAIGN_KILLS", 8);
    let (mut histogram, mut rows, mut in_doubt, mut seed) = (Histogram::default(), 0, 0, usize::from(with_ids));
    while rows < rows_wanted || histogram.kills() < kills_wanted {
        seed += 2;
        let place = Place::new(seed, with_ids);
        let mut random = fastrand::Rng::with_seed(seed as u64);
        through_kills(&place, &mut histogram, &mut random, exits);
        in_doubt += account(&place, with_ids, Instant::now());
        rows += ROSTER;
    }
    println!(
        "{rows} rows {} reference ids, {} kills: 0 lost, 0 enrolled twice, {in_doubt} reported in doubt\n\
         \x20 killed before the first intent {}, between rows {}, between an intent and its outcome {},\n\
         \x20 while looking up what an earlier run left open {}, after the last outcome {}",
        if with_ids { "with" } else { "without" },
        histogram.kills(),
        histogram.nothing_sent,
        histogram.between_rows,
        histogram.intent_open,
        histogram.looking_up,
        histogram.all_known,
    );
    (rows, in_doubt, histogram)
}

#[test]
fn through_faults_and_kills_each_row_with_a_reference_id_is_enrolled_exactly_once() {
    let (_, _, histogram) = campaign(true, &[0]);
    assert!(histogram.intent_open * 3 >= histogram.kills(), "too few kills between an intent and its outcome");
}

#[test]
fn through_faults_and_kills_a_row_without_a_reference_id_is_enrolled_once_or_in_doubt() {
    let (rows, in_doubt, histogram) = campaign(false, &[0, 7]);
    assert!(histogram.intent_open * 3 >= histogram.kills(), "too few kills between an intent and its outcome");
    assert!(in_doubt * 2 < rows, "{in_doubt} of {rows} rows are in doubt");
}

/// The faults have teeth: what everybody writes first enrols people twice.
#[test]
fn the_same_faults_make_a_loop_of_retries_enrol_people_twice() {
    let place = Place::new(1, true);
    let project = place.there.line("--profile sandbox projects get Demo -o json").json();
    let url = format!("{}/projects/{}/testtakers", place.served.url, project["id"].as_str().expect("an id"));
    place.here.write("key", format!("X-API-KEY: {KEY}\nContent-Type: application/json\n"));
    let bodies = place.people.iter().map(|id| format!("{{\"email\":\"{id}@example.com\",\"referenceId\":\"{id}\"}}\n"));
    place.here.write("bodies", bodies.collect::<String>());
    let script = format!(
        "tr '\\n' '\\0' < bodies | xargs -0 -P 8 -n 1 \
         curl -sS -o /dev/null --fail --retry 3 --retry-all-errors -H @key '{url}' -d"
    );
    let mut shell = Command::new("bash");
    shell.args(["-c", &script]).current_dir(place.here.work()).stdout(Stdio::null()).stderr(Stdio::null());
    if Command::new("curl").arg("--version").stdout(Stdio::null()).status().is_err() {
        println!("no curl here: the naive loop is not shown");
        return;
    }
    // Its failure is the rows that it loses.
    let _ = shell.status().expect("bash");
    let truth = place.truth("referenceId");
    let twice = truth.values().filter(|entries| entries.len() > 1).count();
    println!("curl --retry 3, {ROSTER} rows, no kills: {} lost, {twice} enrolled twice", ROSTER - truth.len());
    assert!(twice > 0, "the faults do not bite");
}
