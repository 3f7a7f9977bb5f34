//! Imports with links by operators who edit their file between runs, into a service that spells otherwise, lags and loses
//! answers, killed at random moments: nobody is lost, nobody is enrolled twice, no link that was handed out is voided.
//!
//! `cargo test` runs a small campaign; `CAMPAIGN_KILLS=1000 cargo test --test it campaign_edits -- --nocapture` a large one.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::process::Child;

use serde_json::Value;

use crate::campaign::{kill_somewhere, looked_at, number, seeded};
use crate::harness::{Env, KEY, Served, finish};
use crate::imports::records;
use crate::words;

/// Rows of one roster.
const ROSTER: usize = 40;
/// Kills of one roster; then it may run to its end.
const KILLS_PER_ROSTER: usize = 10;
/// What the service keeps otherwise, roster by roster.
const SPELLINGS: [&str; 4] = ["", "plus", "spaces", "lower"];

const IMPORT: &str =
    "testtakers import people.csv --settle 3s --deadline 30s --report report.csv --with-links links.csv -v";

/// Whose row this is, and how the operator has it now.
struct Row {
    email: String,
    first_name: String,
    reference: Option<String>,
    edited: bool,
}

/// What the service is up to: each kind of trouble with its own dice.
fn faults(seed: usize) -> Vec<String> {
    let kinds = [
        "close-before@enrol:share=0.03",
        "close-after@enrol:share=0.03",
        "500-after@enrol:share=0.03",
        "truncate@enrol:share=0.02",
        "late=300ms@enrol:share=0.03",
        "429@enrol:share=0.01,retry-after=0",
        "lag=500ms@list-test-takers:share=0.2",
        "close-after@list-test-takers:share=0.02",
        "truncate@list-test-takers:share=0.02",
    ];
    let mut all = seeded(&kinds, seed);
    match SPELLINGS[seed % SPELLINGS.len()] {
        "" => {}
        spelling => all.extend(["--fault".to_owned(), format!("spell={spelling}@enrol")]),
    }
    all
}

struct Campaign {
    there: Env,
    /// Lives as long as the campaign.
    _served: Served,
    here: Env,
    rows: Vec<Row>,
    spells: bool,
}

impl Campaign {
    fn new(seed: usize) -> Self {
        let there = Env::new();
        let more: Vec<String> = ["--key".to_owned(), KEY.to_owned()].into_iter().chain(faults(seed)).collect();
        let served = there.serve(&more.iter().map(String::as_str).collect::<Vec<_>>());
        let here = Env::at(&served.url).with("ASSESSCTL_PROJECT", "Demo");
        let row = |row: usize| Row {
            email: format!("P{row}+hr@example.com"),
            first_name: format!("Ann  Name{row}"),
            reference: (!row.is_multiple_of(4)).then(|| format!("R-{seed}-{row}")),
            edited: false,
        };
        let spells = !SPELLINGS[seed % SPELLINGS.len()].is_empty();
        let campaign = Self { there, _served: served, here, rows: (0..ROSTER).map(row).collect(), spells };
        campaign.save();
        campaign
    }

    /// The last name says who it is, whatever is edited or spelt otherwise.
    fn save(&self) {
        let mut text = String::from("email,firstName,lastName,referenceId\n");
        for (index, row) in self.rows.iter().enumerate() {
            let id = row.reference.as_deref().unwrap_or_default();
            writeln!(text, "{},{},Who{index},{id}", row.email, row.first_name).expect("a string");
        }
        self.here.write("people.csv", text);
    }

    /// Corrects an address beside a reference id, or gives a row one. Where the service spells otherwise, a lost answer
    /// cannot be found by what was sent, so that nothing could tie an edited row to it.
    fn edit(&mut self, random: &mut fastrand::Rng) {
        let index = random.usize(..self.rows.len());
        let row = &mut self.rows[index];
        if self.spells || std::mem::replace(&mut row.edited, true) {
            return;
        }
        match &row.reference {
            Some(_) => row.email = format!("corrected-{}", row.email),
            None => row.reference = Some(format!("LATE-{index}")),
        }
        self.save();
    }

    fn import(&self) -> Child {
        self.here.command(&words::split(IMPORT)).spawn().expect("started")
    }

    /// Kills runs and edits the file between them, then lets it run to its end; how many runs were killed.
    fn disturb(&mut self, random: &mut fastrand::Rng) -> usize {
        let mut kills = 0;
        for _ in 0..KILLS_PER_ROSTER {
            if !kill_somewhere(looked_at(&self.here, IMPORT), random) {
                break;
            }
            kills += 1;
            if random.bool() {
                self.edit(random);
            }
        }
        let mut left = usize::MAX;
        for _ in 0..10 {
            let said = finish(self.import(), b"");
            assert!([0, 6, 7, 10].contains(&said.code), "{said}");
            // A run that cannot read who is enrolled has nothing to report.
            if said.code == 6 && said.stderr.contains("nothing was sent") {
                continue;
            }
            let unfinished = self.report().iter().filter(|row| row["outcome"] == "not-attempted").count();
            // What stays in doubt after two quiet runs is the user's to settle.
            if matches!(said.code, 0 | 10) || (unfinished == 0 && left == 0) {
                return kills;
            }
            left = unfinished;
        }
        kills
    }

    fn report(&self) -> Vec<Value> {
        records(&self.here.read("report.csv"))
    }

    /// Holds the report and the links against the service; how many rows ended in doubt or in conflict.
    fn account(&self) -> usize {
        let people = self.there.line("--profile sandbox testtakers list -p Demo -o json").json();
        let mut truth = BTreeMap::<String, Vec<String>>::new();
        for person in people.as_array().expect("an array") {
            let who = person["lastName"].as_str().expect("a name").to_owned();
            truth.entry(who).or_default().push(person["id"].to_string());
        }
        let twice: Vec<_> = truth.iter().filter(|(_, entries)| entries.len() > 1).collect();
        assert!(twice.is_empty(), "enrolled twice: {twice:?}");
        let report = self.report();
        assert_eq!(report.len(), ROSTER, "the report is whole");
        let mut unsure = 0;
        for (index, row) in report.iter().enumerate() {
            let entry = truth.get(&format!("Who{index}")).map(|entries| entries[0].as_str());
            match row["outcome"].as_str().expect("text") {
                "enrolled" | "existing" => assert_eq!(row["projectEntryId"].as_str(), entry, "row {index}: {row}"),
                "conflict" => {
                    assert!(self.rows[index].edited && entry.is_some(), "row {index}: {row}");
                    unsure += 1;
                }
                "in-doubt" | "not-attempted" => unsure += 1,
                other => panic!("row {index} ended {other}: {row}"),
            }
        }
        let links = std::fs::read_to_string(self.here.work().join("links.csv")).unwrap_or_default();
        let mut handed_out = BTreeSet::new();
        for link in records(&links) {
            let entry = link["projectEntryId"].to_string();
            assert!(handed_out.insert(entry.clone()), "the link of entry {entry} was voided: {links}");
        }
        unsure
    }
}

#[test]
fn edited_respelt_and_killed_imports_with_links_lose_no_one_and_enrol_no_one_twice() {
    let kills_wanted = number("CAMPAIGN_KILLS", 8);
    let (mut kills, mut rows, mut unsure, mut seed) = (0, 0, 0, number("CAMPAIGN_SEED", 0));
    while kills < kills_wanted {
        seed += 1;
        let mut random = fastrand::Rng::with_seed(seed as u64);
        let mut campaign = Campaign::new(seed);
        kills += campaign.disturb(&mut random);
        unsure += campaign.account();
        rows += ROSTER;
        println!(
            "{rows} rows, {kills} kills: 0 lost, 0 enrolled twice, 0 links voided, {unsure} in doubt or in conflict"
        );
    }
}
