//! Nights of a site whose file comes good, or bad in one of many ways: the real program follows it, and an oracle that was
//! written from the rules alone says how it must end and who is on the list afterwards.
//!
//! `cargo test` runs a few nights of a small site; `.ci/long nights` many of large ones. A violation names its site:
//! `NIGHTS=25 NIGHTS_SEED=7 NIGHTS_PEOPLE=3000 cargo test --test it followed_by_its_rules -- --nocapture` repeats it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::campaign::number;
use crate::harness::{Env, KEY, Said, Served};
use crate::nights_files::{Dropped, KINDS, Night, Says, plain};
use crate::nights_oracle::{Chosen, Expected, Oracle};
use crate::nights_site::{Card, Site, cards};

/// Nights of one site; then another one begins.
const NIGHTS_PER_SITE: usize = 25;
/// The first night of a site of three thousand enrols them all.
const NIGHT: Duration = Duration::from_mins(10);
/// What the program is to say of a file that is as it should be.
const GOOD: &str = "as it should be";

/// How often the file of each kind ended with which exit code.
pub(crate) type Tally = BTreeMap<(&'static str, i32), usize>;

/// A service, a machine that follows files into it, and what the oracle knows of both.
pub(crate) struct World {
    /// The portal's side.
    pub(crate) there: Env,
    /// Lives as long as the world.
    _served: Served,
    pub(crate) here: Env,
    pub(crate) sites: BTreeMap<&'static str, Site>,
    pub(crate) earlier: BTreeMap<&'static str, Vec<Vec<Card>>>,
    pub(crate) oracle: Oracle,
    pub(crate) random: fastrand::Rng,
    pub(crate) hour: u64,
    seed: usize,
    night: usize,
}

impl World {
    /// A site of so many people at most; `faults` are the service's.
    pub(crate) fn new(seed: usize, most: usize, faults: &[String]) -> Self {
        let mut random = fastrand::Rng::with_seed(seed as u64);
        let there = Env::new();
        let options = ["--key".to_owned(), KEY.to_owned()].into_iter().chain(faults.iter().cloned());
        let options: Vec<String> = options.collect();
        let served = there.serve(&options.iter().map(String::as_str).collect::<Vec<_>>());
        let here = Env::at(&served.url).with("ASSESSCTL_PROJECT", "Demo");
        let people = u32::try_from(random.usize((most / 10).max(8)..=most)).expect("not so many people");
        let plain = if faults.is_empty() { [0, 0, 9][random.usize(..3)] } else { 0 };
        let mut sites = BTreeMap::from([("main", Site::new(1, people, plain))]);
        if random.u8(..3) == 0 {
            // Some people are in both files.
            let mut agency = Site::new(1_000_000, people / 4 + 3, 0);
            agency.staff.extend(sites["main"].staff.iter().take(3).cloned());
            sites.insert("agency", agency);
        }
        let kept = sites["main"].staff.iter().rev().take(random.usize(..4)).map(Card::key).collect();
        let chosen = Chosen { replaces_renamed: random.bool(), keep: kept };
        let oracle = Oracle::new(chosen);
        let world = Self {
            there,
            _served: served,
            here,
            sites,
            earlier: BTreeMap::new(),
            oracle,
            random,
            hour: 100,
            seed,
            night: 0,
        };
        world.write_files();
        world
    }

    fn write_files(&self) {
        let keep: Vec<&str> = self.oracle.chosen.keep.iter().map(String::as_str).collect();
        self.here.write("keep.txt", keep.join("\n"));
        #[cfg(unix)]
        std::os::unix::fs::symlink("nowhere.csv", self.here.work().join("dead.csv")).expect("a link");
    }

    /// The next night: time goes by, and people come and go.
    pub(crate) fn dawn(&mut self) -> &'static str {
        self.night += 1;
        self.hour += [1, 7, 13, 24, 24, 24, 24, 24][self.random.usize(..8)];
        let is_agencys = self.sites.len() > 1 && self.random.u8(..4) == 0;
        let source = if is_agencys { "agency" } else { "main" };
        let site = self.sites.get_mut(source).expect("a site");
        site.change(&mut self.random);
        source
    }

    /// The file of this kind; the good one where none is named.
    pub(crate) fn drop_file(&mut self, source: &'static str, kind: Option<usize>) -> Dropped {
        let earlier = self.earlier.get(source).map_or(&[][..], Vec::as_slice);
        let site = &self.sites[source];
        if let Some(kind) = kind {
            return KINDS[kind](&mut Night { site, earlier, random: &mut self.random });
        }
        let says = Says::People(site.staff.clone());
        Dropped { kind: GOOD, name: "night.csv", bytes: Some(plain(&site.staff).into_bytes()), says }
    }

    /// What the file must lead to.
    fn expected(&self, source: &'static str, says: &Says) -> Expected {
        self.expected_of(&self.oracle, source, says)
    }

    /// The same, where the oracle is this one.
    pub(crate) fn expected_of(&self, oracle: &Oracle, source: &'static str, says: &Says) -> Expected {
        match says {
            Says::People(rows) => oracle.night(source, rows, self.hour),
            Says::Nothing => oracle.refused(),
            Says::NoFile => Expected { code: 2, ..oracle.refused() },
            Says::Fails => Expected { code: 1, ..oracle.refused() },
        }
    }

    /// The line that cron runs. The clock is that of the oracle: a file counts, or comes too soon to count.
    pub(crate) fn command(&self, source: &'static str, name: &str, counts: bool) -> String {
        let interval = if counts { "0s" } else { "12h" };
        let replaces = if self.oracle.chosen.replaces_renamed { "--replace-renamed" } else { "" };
        format!("testtakers sync {name} --source {source} --keep keep.txt --roster-interval {interval} {replaces}")
    }

    fn run(&self, source: &'static str, dropped: &Dropped) -> Said {
        let line = self.command(source, dropped.name, self.oracle.counts(source, self.hour));
        if let Some(bytes) = &dropped.bytes {
            self.here.write(if dropped.name == "-" { "stdin.csv" } else { dropped.name }, bytes);
        }
        if dropped.name != "-" {
            return self.here.line_within(&line, NIGHT);
        }
        self.here.run_with(&crate::words::split(&line), dropped.bytes.as_deref().unwrap_or_default())
    }

    /// Who is on the service's list.
    pub(crate) fn truth(&self) -> Vec<Card> {
        cards(&self.there, "Demo")
    }

    /// A whole night: the file comes, is followed, and somebody looks at what was held; `Err` where a rule was broken.
    fn pass(&mut self, kind: Option<usize>, tally: &mut Tally) -> Result<(), String> {
        let source = self.dawn();
        self.meddle();
        let dropped = self.drop_file(source, kind);
        let (mut expected, mut said) = self.follow(source, &dropped)?;
        *tally.entry((dropped.kind, expected.code)).or_default() += 1;
        let Says::People(rows) = &dropped.says else { return Ok(()) };
        if expected.is_over_limit && self.random.bool() {
            self.approve(&dropped, &said, rows.len())?;
            self.oracle.lets_through(rows);
            (expected, said) = self.follow(source, &dropped)?;
        }
        if expected.code == 11 && self.random.bool() {
            self.approve(&dropped, &said, expected.held.len())?;
            self.oracle.lets_go(source, &expected);
            self.compare(&dropped, "after it was approved")?;
            if self.random.bool() {
                (expected, _) = self.follow(source, &dropped)?;
            }
        }
        if !expected.is_over_limit && expected.code != 5 {
            self.earlier.entry(source).or_default().push(rows.clone());
        }
        Ok(())
    }

    /// Runs the program on the file, and holds how it ended against the oracle.
    fn follow(&mut self, source: &'static str, dropped: &Dropped) -> Result<(Expected, Said), String> {
        let expected = self.expected(source, &dropped.says);
        let said = self.run(source, dropped);
        if said.code != expected.code {
            return Err(self.violation(
                dropped,
                &format!("expected exit {}, and this was said:\n{}", expected.code, brief(&said)),
            ));
        }
        self.oracle = expected.after.clone();
        self.compare(dropped, &brief(&said))?;
        Ok((expected, said))
    }

    /// Holds the list against the oracle's.
    fn compare(&mut self, dropped: &Dropped, said: &str) -> Result<(), String> {
        self.oracle.list.sort();
        let truth = self.truth();
        if truth == self.oracle.list {
            return Ok(());
        }
        Err(self.violation(dropped, &format!("{}:\n{said}", difference(&truth, &self.oracle.list))))
    }

    pub(crate) fn violation(&self, dropped: &Dropped, what: &str) -> String {
        format!("seed {}, night {}, {:?}: {what}", self.seed, self.night, dropped.kind)
    }

    /// A person looks at what is held, and approves it.
    fn approve(&self, dropped: &Dropped, said: &Said, count: usize) -> Result<(), String> {
        let id = said.stderr.split("testtakers apply ").nth(1).and_then(|rest| rest.split_whitespace().next());
        let Some(id) = id else { return Err(self.violation(dropped, &format!("nothing is held:\n{}", brief(said)))) };
        let applied = self.here.line_within(&format!("testtakers apply {id} --expect {count}"), NIGHT);
        if applied.code == 0 { Ok(()) } else { Err(self.violation(dropped, &brief(&applied))) }
    }

    /// By day, people at the portal and the operator do something by hand.
    fn meddle(&mut self) {
        match self.random.u8(..12) {
            0 => {
                let stray = Card { email: format!("stray{}@example.com", self.night), ..Card::default() };
                let line = format!("--profile sandbox testtakers enrol -p Demo --email {} -q", stray.email);
                let _ = self.there.line(&line).ok();
                self.oracle.list.push(stray);
            }
            1..=3 => self.mend(),
            _ => {}
        }
    }

    /// The operator settles a conflict: an entry under an old e-mail goes, or gets the new reference id.
    fn mend(&mut self) {
        let staff = &self.sites["main"].staff;
        let by_reference: BTreeMap<&str, &Card> = staff
            .iter()
            .filter(|card| !card.reference.is_empty())
            .map(|card| (card.reference.as_str(), card))
            .collect();
        let by_email: BTreeMap<String, &Card> = staff.iter().map(|card| (card.email_key(), card)).collect();
        let renamed = self.oracle.list.iter().position(|entry| {
            by_reference.get(entry.reference.as_str()).is_some_and(|card| card.email_key() != entry.email_key())
        });
        if let Some(at) = renamed {
            let _ = self.here.line(&format!("testtakers remove ref:{} --yes", self.oracle.list[at].reference)).ok();
            self.oracle.list.remove(at);
            return;
        }
        let other = self.oracle.list.iter_mut().find_map(|entry| {
            let card = by_email.get(&entry.email_key())?;
            (!card.reference.is_empty() && !entry.reference.is_empty() && card.reference != entry.reference)
                .then_some((entry, card))
        });
        if let Some((entry, card)) = other {
            let _ = self
                .here
                .line(&format!("testtakers update ref:{} --reference-id {}", entry.reference, card.reference))
                .ok();
            entry.reference.clone_from(&card.reference);
        }
    }
}

/// What a list has and should not have, and the other way round.
pub(crate) fn difference(truth: &[Card], list: &[Card]) -> String {
    let (is, should): (BTreeSet<_>, BTreeSet<_>) = (truth.iter().collect(), list.iter().collect());
    let (missing, odd): (Vec<_>, Vec<_>) =
        (should.difference(&is).take(4).collect(), is.difference(&should).take(4).collect());
    format!("{} of {} on the list; missing {missing:?}, not expected {odd:?}", truth.len(), list.len())
}

/// What a run said, without the people.
pub(crate) fn brief(said: &Said) -> String {
    format!("exit {}\n{}", said.code, said.stderr.chars().take(1500).collect::<String>())
}

/// The kind of the file that is the so many hundredth to come bad: no kind comes twice before each came once.
fn kind_of(number: usize) -> usize {
    let mut order: Vec<usize> = (0..KINDS.len()).collect();
    fastrand::Rng::with_seed((number / KINDS.len()) as u64).shuffle(&mut order);
    order[number % KINDS.len()]
}

#[test]
fn a_file_that_comes_good_or_bad_night_by_night_is_followed_by_its_rules() {
    let (nights, most, first) = (number("NIGHTS", 16), number("NIGHTS_PEOPLE", 30), number("NIGHTS_SEED", 1));
    let (mut tally, mut violations) = (Tally::new(), Vec::new());
    for (site, start) in (0..nights).step_by(NIGHTS_PER_SITE).enumerate() {
        let mut world = World::new(first + site, most, &[]);
        println!("seed {}: {} people", first + site, world.sites["main"].staff.len());
        for _ in start..nights.min(start + NIGHTS_PER_SITE) {
            // Every other night is bad.
            let is_good = world.night.is_multiple_of(2);
            let kind = (!is_good).then(|| kind_of((first + site) * NIGHTS_PER_SITE / 2 + world.night / 2));
            if let Err(violation) = world.pass(kind, &mut tally) {
                println!("{violation}");
                violations.push(violation);
                break;
            }
        }
    }
    for ((kind, code), count) in &tally {
        println!("{count:>5}  exit {code:<3} {kind}");
    }
    assert!(violations.is_empty(), "{}", violations.join("\n"));
}
