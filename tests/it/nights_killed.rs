//! Nights of a site whose runs are killed at random moments, through a service that loses answers and lags: nobody is lost,
//! nobody is enrolled twice, nobody is removed but by the rules, and the next whole run ends as the oracle says.
//!
//! `cargo test` kills a few runs; `NIGHTS_KILLS=5000 cargo test --test it killed_in_any_night -- --nocapture` many, from
//! `NIGHTS_SEED` on. A violation names its site.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use crate::campaign::{kill_after, looked_at, number, seeded};
use crate::nights::{Tally, World, brief, difference};
use crate::nights_files::{Dropped, KINDS, Says};
use crate::nights_oracle::{Expected, Oracle};
use crate::nights_site::{Card, run_to_the_end};

/// Nights of one site; then another one begins.
const NIGHTS_PER_SITE: usize = 20;
/// No late request takes effect later than this.
const LATE: Duration = Duration::from_millis(400);

/// What goes wrong with the service, each kind with its own dice.
fn faults(seed: usize) -> Vec<String> {
    let kinds = [
        "close-before@enrol:share=0.02",
        "close-after@enrol:share=0.02",
        "500-after@enrol:share=0.02",
        "truncate@enrol:share=0.02",
        "late=300ms@enrol:share=0.02",
        "close-after@update:share=0.03",
        "500-after@update:share=0.03",
        "close-before@remove:share=0.03",
        "close-after@remove:share=0.04",
        "500-after@remove:share=0.03",
        "late=300ms@remove:share=0.04",
        "lag=300ms@list-test-takers:share=0.03",
        "429@list-test-takers:share=0.01,retry-after=0",
        "close-after@list-test-takers:share=0.01",
        "truncate@list-test-takers:share=0.01",
    ];
    seeded(&kinds, seed)
}

/// Who stands where: the reference id with the e-mail.
fn places(people: &[Card]) -> BTreeMap<(String, String), usize> {
    let mut places = BTreeMap::new();
    for card in people {
        *places.entry((card.reference.clone(), card.email_key())).or_default() += 1;
    }
    places
}

/// A site of which a killed run may or may not have remembered its roster.
struct Killed {
    world: World,
    /// What may be remembered, each with the list as it is.
    may_be: Vec<Oracle>,
    kills: usize,
    /// Nights that a second whole run brought in step.
    second_runs: usize,
}

impl Killed {
    fn new(seed: usize, most: usize) -> Self {
        let world = World::new(seed, most, &faults(seed));
        let may_be = vec![world.oracle.clone()];
        Self { world, may_be, kills: 0, second_runs: 0 }
    }

    /// The list once nothing late is under way any more.
    fn settled_truth(&self) -> Vec<Card> {
        let start = Instant::now();
        let mut truth = self.world.truth();
        while start.elapsed() < LATE {
            truth = self.world.truth();
        }
        truth
    }

    /// One night: its file, runs that are killed, and mostly one that comes to its end.
    fn pass(&mut self, kind: Option<usize>, tally: &mut Tally) -> Result<(), String> {
        let source = self.world.dawn();
        let dropped = self.world.drop_file(source, kind);
        let Some(bytes) = dropped.bytes.as_deref().filter(|_| dropped.name == "night.csv") else { return Ok(()) };
        self.world.here.write(dropped.name, bytes);
        // Where it is not known what is remembered, the file must count by both readings or by none.
        let counts = self.may_be.iter().all(|oracle| oracle.counts(source, self.world.hour));
        if !counts && self.may_be.iter().any(|oracle| oracle.counts(source, self.world.hour)) {
            return Ok(());
        }
        let line = self.world.command(source, dropped.name, counts) + " --settle 1s --deadline 20s -v";
        let before = self.world.oracle.list.clone();
        let once: Vec<Expected> =
            self.may_be.iter().map(|oracle| self.world.expected_of(oracle, source, &dropped.says)).collect();
        // A run that is killed may have remembered the roster, and the next one follows the same file again.
        let again = once.iter().map(|expected| self.world.expected_of(&expected.after, source, &dropped.says));
        let any: Vec<Expected> = once.iter().cloned().chain(again).collect();
        let kills = self.kill(&line, &dropped, (&before, &any))?;
        if kills > 0 && self.world.random.u8(..4) == 0 {
            return self.give_up(&dropped, (&before, &any));
        }
        self.finish(source, &line, &dropped, (if kills == 0 { &once } else { &any }, &any), tally)
    }

    /// Runs that are killed; after each, the list is held against what may be.
    fn kill(
        &mut self,
        line: &str,
        dropped: &Dropped,
        (before, first): (&[Card], &[Expected]),
    ) -> Result<usize, String> {
        let mut kills = 0;
        for _ in 0..self.world.random.usize(..6) {
            let run = looked_at(&self.world.here, line);
            let counted = match self.world.random.u8(..8) {
                0 => ("POST ", self.world.random.usize(1..5)),
                1 => ("DELETE ", self.world.random.usize(1..4)),
                _ => (" after ", self.world.random.usize(..12)),
            };
            if !kill_after(run, counted, &mut self.world.random) {
                continue;
            }
            kills += 1;
            self.kills += 1;
            self.may_stand(dropped, (before, first, &self.world.truth()))?;
        }
        Ok(kills)
    }

    /// Whether the list can be what a part of the night's work made of it.
    fn may_stand(
        &self,
        dropped: &Dropped,
        (before, first, truth): (&[Card], &[Expected], &[Card]),
    ) -> Result<(), String> {
        let (was, is) = (places(before), places(truth));
        let twice: Vec<_> = is.iter().filter(|(place, count)| **count > 1 && was.get(*place) < Some(count)).collect();
        if !twice.is_empty() {
            return Err(self.world.violation(dropped, &format!("enrolled twice: {twice:?}")));
        }
        let may = |people: fn(&Expected) -> &[Card]| -> BTreeSet<(String, String)> {
            first.iter().flat_map(|expected| places(people(expected)).into_keys()).collect()
        };
        let (may_leave, mut may_join) = (may(|expected| &expected.left), may(|expected| &expected.joined));
        // Whoever has a reference id now stands elsewhere than before.
        may_join.extend(may(|expected| &expected.after.list));
        let wrong: Vec<_> =
            was.keys().filter(|place| !is.contains_key(*place) && !may_leave.contains(*place)).collect();
        let changed =
            first.iter().any(|expected| wrong.iter().any(|place| !places(&expected.after.list).contains_key(*place)));
        if !wrong.is_empty() && !changed {
            return Err(self.world.violation(dropped, &format!("removed outside the rules: {wrong:?}")));
        }
        let odd: Vec<_> = is.keys().filter(|place| !was.contains_key(*place) && !may_join.contains(*place)).collect();
        if !odd.is_empty() {
            return Err(self.world.violation(dropped, &format!("enrolled, and in no file: {odd:?}")));
        }
        // Whoever has none may get one by a run that is killed then.
        let references = |people: &[Card]| -> BTreeSet<String> {
            people.iter().map(|card| card.reference.clone()).filter(|id| !id.is_empty()).collect()
        };
        let all_leave: BTreeSet<String> = first.iter().flat_map(|expected| references(&expected.left)).collect();
        let joined: BTreeSet<String> = first.iter().flat_map(|expected| references(&expected.joined)).collect();
        let (was, is) = (references(before), references(truth));
        let lost: Vec<_> =
            was.iter().filter(|id| !is.contains(*id) && (!all_leave.contains(*id) || joined.contains(*id))).collect();
        if lost.is_empty() { Ok(()) } else { Err(self.world.violation(dropped, &format!("in no project: {lost:?}"))) }
    }

    /// The next night comes before any run came to its end.
    fn give_up(&mut self, dropped: &Dropped, (before, first): (&[Card], &[Expected])) -> Result<(), String> {
        let truth = self.settled_truth();
        self.may_stand(dropped, (before, first, &truth))?;
        let remembered = first.iter().map(|expected| expected.after.clone());
        let mut may_be: Vec<Oracle> = self.may_be.iter().cloned().chain(remembered).collect();
        for oracle in &mut may_be {
            oracle.list.clone_from(&truth);
        }
        self.may_be = each_once(may_be);
        self.world.oracle.list = truth;
        Ok(())
    }

    /// Runs until one comes to its end, and holds it against what was to come of the night: by the first of these where the
    /// first such run shows it, else by the second.
    fn finish(
        &mut self,
        source: &'static str,
        line: &str,
        dropped: &Dropped,
        (first, any): (&[Expected], &[Expected]),
        tally: &mut Tally,
    ) -> Result<(), String> {
        let mut said = run_to_the_end(&self.world.here, line);
        let mut fits = fitting(first, said.code, &self.world.truth());
        if fits.is_empty() {
            // Something late was under way, or this run settled what an earlier one had left in doubt: only the next one
            // holds that against the file.
            let _ = self.settled_truth();
            said = run_to_the_end(&self.world.here, line);
            fits = fitting(any, said.code, &self.settled_truth());
            self.second_runs += 1;
        }
        if fits.is_empty() {
            let truth = self.world.truth();
            let differ = any.iter().map(|expected| (expected.code, difference(&truth, &expected.after.list)));
            let differ: Vec<_> = differ.collect();
            return Err(self.world.violation(dropped, &format!("expected {differ:?}:\n{}", brief(&said))));
        }
        *tally.entry((dropped.kind, said.code)).or_default() += 1;
        self.may_be = each_once(fits);
        self.world.oracle = self.may_be[0].clone();
        let Says::People(rows) = &dropped.says else { return Ok(()) };
        if said.code != 5 {
            self.world.earlier.entry(source).or_default().push(rows.clone());
        }
        Ok(())
    }
}

/// The oracles that say so of a run and of the list.
fn fitting(all: &[Expected], code: i32, truth: &[Card]) -> Vec<Oracle> {
    let fits = all.iter().filter(|expected| {
        let mut list = expected.after.list.clone();
        list.sort();
        expected.code == code && list == truth
    });
    fits.map(|expected| expected.after.clone()).collect()
}

/// Each of them once.
fn each_once(all: Vec<Oracle>) -> Vec<Oracle> {
    let mut each: Vec<Oracle> = Vec::new();
    for oracle in all {
        if !each.contains(&oracle) {
            each.push(oracle);
        }
    }
    each
}

#[test]
fn a_sync_that_is_killed_in_any_night_loses_and_doubles_no_one_and_removes_by_the_rules() {
    let (wanted, most, first) = (number("NIGHTS_KILLS", 12), number("NIGHTS_PEOPLE", 30), number("NIGHTS_SEED", 1));
    let (mut kills, mut nights, mut site, mut second_runs) = (0, 0, 0, 0);
    let (mut tally, mut violations) = (Tally::new(), Vec::new());
    while kills < wanted {
        let mut killed = Killed::new(first + site, most);
        for night in 0..NIGHTS_PER_SITE {
            // Every fourth file is bad.
            let kind =
                (night > 1 && killed.world.random.u8(..4) == 0).then(|| killed.world.random.usize(..KINDS.len()));
            nights += 1;
            if let Err(violation) = killed.pass(kind, &mut tally) {
                println!("{violation}");
                violations.push(violation);
                break;
            }
            if kills + killed.kills >= wanted {
                break;
            }
        }
        kills += killed.kills;
        second_runs += killed.second_runs;
        site += 1;
        let broken = violations.len();
        println!("{nights} nights of {site} sites, {kills} kills, {second_runs} second runs, {broken} violations");
    }
    println!("{tally:?}");
    assert!(violations.is_empty(), "{}", violations.join("\n"));
}
