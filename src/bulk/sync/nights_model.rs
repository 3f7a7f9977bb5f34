//! Modelled nights: rosters that are good, bad, late or repeated, kills, and two sources, against the rules that ship.
//! The judge keeps a history of its own and knows none of the code that it judges.

use std::collections::{BTreeMap, BTreeSet};

use crate::journal::person_key::PersonKey;
use crate::model::long_runs::asked;

use super::absent::{AbsenceRules, Absent, Leavers};
use super::known_people::KnownPeople;
use super::limits::{FileFigures, FileLimits, LeaverLimit, refusal};
use super::person_keys::PersonKeys;

/// A rule that is switched off, to see that its absence is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Off {
    Nothing,
    /// People in no roster of the source are leavers as well.
    KnownAlone,
    /// One absence is enough.
    TwoAbsences,
    /// A retry soon after counts.
    Interval,
    /// The same file counts again.
    SameFile,
    /// The limits of the file.
    FileLimits,
    /// The limit of the leavers.
    LeaverLimit,
    /// A file with a mistake is taken for what it says.
    Mistakes,
    /// People of the other source's last roster are spared.
    OtherSource,
    /// On the first roster nobody leaves.
    First,
}

const RULES: [Off; 9] = [
    Off::KnownAlone,
    Off::TwoAbsences,
    Off::Interval,
    Off::SameFile,
    Off::FileLimits,
    Off::LeaverLimit,
    Off::Mistakes,
    Off::OtherSource,
    Off::First,
];

type People = BTreeSet<u32>;

fn key(person: u32) -> PersonKey {
    let mut key = [0; 16];
    key[..4].copy_from_slice(&person.to_be_bytes());
    key
}

fn keys(person: u32) -> PersonKeys {
    PersonKeys { reference: Some(key(person)), email: None }
}

/// What the tool remembers of a source, and what the judge has noted of it.
#[derive(Default)]
struct Source {
    staff: People,
    memory: Option<(KnownPeople, People, u64)>,
    /// Files that were synced whole: when, who, and whether its gaps count, by the judge's own reading.
    history: Vec<(u64, People, bool)>,
}

/// The world: a project with people by hand, and two sources.
struct World {
    random: fastrand::Rng,
    hour: u64,
    next: u32,
    list: People,
    sources: [Source; 2],
    off: Off,
}

/// What HR dropped.
struct Dropped {
    people: People,
    has_mistake: bool,
}

impl World {
    fn new(seed: u64, off: Off) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let size = random.u32(12..60);
        let staff: People = (100..100 + size).collect();
        let agency: People = (1_000..1_000 + random.u32(12..20)).chain(100..103).collect();
        let list: People = (0..5).chain(100..130).collect();
        let sources = [Source { staff, ..Source::default() }, Source { staff: agency, ..Source::default() }];
        Self { random, hour: 100, next: 5_000, list, sources, off }
    }

    /// People come and go; now and then a shift closes.
    fn change(&mut self, source: usize) {
        let staff = &mut self.sources[source].staff;
        let leaving = if self.random.u8(..) < 8 { staff.len() / 3 } else { usize::from(self.random.u8(..3) == 0) };
        for _ in 0..leaving.min(staff.len().saturating_sub(10)) {
            let at = self.random.usize(..staff.len());
            let person = staff.iter().copied().nth(at).expect("within");
            staff.remove(&person);
        }
        for _ in 0..self.random.u32(..3) {
            staff.insert(self.next);
            self.next += 1;
        }
    }

    /// The night's file: mostly right, else bad in one of many ways.
    fn drop_file(&mut self, source: usize) -> Dropped {
        let staff = self.sources[source].staff.clone();
        let (count, mut has_mistake) = (staff.len(), false);
        let people: People = match self.random.u8(..16) {
            0 => People::new(),
            1 => staff.into_iter().take(self.random.usize(..count)).collect(),
            2 => staff.into_iter().skip(self.random.usize(..count)).collect(),
            3 => (90_000..90_000 + 40).collect(),
            4 => staff.into_iter().chain(80_000..80_000 + 200).collect(),
            5 => staff.into_iter().map(|person| person + 50_000).collect(),
            6 => staff.into_iter().filter(|person| person % 7 != 3).collect(),
            7 => {
                has_mistake = true;
                let lost = self.random.usize(..count);
                staff.into_iter().enumerate().filter(|(at, _)| *at != lost).map(|(_, person)| person).collect()
            }
            8 => self.sources[source].memory.as_ref().map_or(staff, |(_, last, _)| last.clone()),
            _ => staff,
        };
        Dropped { people, has_mistake }
    }

    /// One run of the tool, as it decides; the judge looks at what was removed.
    fn night(&mut self, source: usize) -> Result<(), String> {
        let Dropped { people, has_mistake } = self.drop_file(source);
        if has_mistake && self.off != Off::Mistakes {
            return Ok(());
        }
        let (before, last, counted) = match &self.sources[source].memory {
            Some((known, last, counted)) => (known.clone(), Some(last.clone()), Some(*counted)),
            None => (KnownPeople::default(), None, None),
        };
        let figures = FileFigures {
            in_file: people.len(),
            in_last: before.in_last_roster(),
            known: before.len(),
            known_in_file: before.present_in(|known| people.iter().any(|person| key(*person) == *known)),
            joiners: people.difference(&self.list).count(),
            changes: 0,
        };
        if refusal(&figures, FileLimits::default()).is_some() && (people.is_empty() || self.off != Off::FileLimits) {
            return Ok(());
        }
        let is_same = last.as_ref() == Some(&people) && self.off != Off::SameFile;
        let is_late = counted.is_none_or(|counted| self.hour >= counted + 12) || self.off == Off::Interval;
        let counts = is_late && !is_same;
        let in_file: BTreeSet<PersonKey> = people.iter().map(|person| key(*person)).collect();
        let known = before.after(in_file.iter().copied(), |person| in_file.contains(person), counts);
        let other = self.sources[1 - source].memory.as_ref().map(|(known, ..)| known.clone()).unwrap_or_default();
        let none = KnownPeople::default();
        let rules = AbsenceRules {
            leavers: if matches!(self.off, Off::KnownAlone | Off::First) { Leavers::All } else { Leavers::Known },
            is_first: last.is_none() && self.off != Off::First,
            absent_for: if self.off == Off::TwoAbsences { 1 } else { 2 },
            known: &known,
            elsewhere: if self.off == Off::OtherSource { &none } else { &other },
            keep: &none,
        };
        let missing = self.list.difference(&people).copied();
        let leavers: Vec<u32> = missing.filter(|person| rules.judge(&keys(*person)) == Absent::Leaver).collect();
        let is_held = leavers.len() > LeaverLimit::Default.among(before.len()) && self.off != Off::LeaverLimit;
        self.list.extend(&people);
        // A kill ends the run after some of the removals; then nothing is remembered.
        let killed = (self.random.u8(..12) == 0).then(|| self.random.usize(..=leavers.len()));
        let removed: Vec<u32> =
            if is_held { Vec::new() } else { leavers.into_iter().take(killed.unwrap_or(usize::MAX)).collect() };
        self.judge(source, (&people, has_mistake), &removed, before.len())?;
        self.list.retain(|person| !removed.contains(person));
        if killed.is_none() {
            let there: BTreeSet<PersonKey> = self.list.iter().map(|person| key(*person)).collect();
            let counted = if counts { self.hour } else { counted.unwrap_or(self.hour) };
            let hour = self.hour;
            let source = &mut self.sources[source];
            let history = source.history.last().is_none_or(|(_, last, _)| *last != people)
                && source.history.iter().rev().find(|(.., counts)| *counts).is_none_or(|(at, ..)| hour >= at + 12);
            source.history.push((hour, people.clone(), history));
            source.memory = Some((known.still(|person| there.contains(person)), people, counted));
        }
        Ok(())
    }

    /// Holds what was removed against the rules, by the history of the files alone.
    fn judge(
        &self,
        source: usize,
        (people, bad): (&People, bool),
        removed: &[u32],
        known: usize,
    ) -> Result<(), String> {
        let Source { history, .. } = &self.sources[source];
        if removed.is_empty() {
            return Ok(());
        }
        if bad || history.is_empty() || people.is_empty() {
            return Err(format!("removed on a bad or first file: {removed:?}"));
        }
        if removed.len() > (known / 20).max(5) {
            return Err(format!("{} removed of {known}", removed.len()));
        }
        let last = history.last().map(|(_, last, _)| last);
        let counted = history.iter().rev().find(|(.., counts)| *counts).map(|(at, ..)| *at);
        let now_counts = last != Some(people) && counted.is_none_or(|counted| self.hour >= counted + 12);
        for person in removed {
            let ever = history.iter().any(|(_, people, _)| people.contains(person));
            let since = history.iter().rev().take_while(|(_, people, _)| !people.contains(person));
            let absences = since.filter(|(.., counts)| *counts).count() + usize::from(now_counts);
            let elsewhere =
                self.sources[1 - source].history.last().is_some_and(|(_, people, _)| people.contains(person));
            if !ever || absences < 2 || people.contains(person) || elsewhere {
                return Err(format!("removed {person}: ever {ever}, {absences} absences, elsewhere {elsewhere}"));
            }
        }
        if let Some(last) = last
            && known >= 10
            && (people.len() * 5 < last.len() * 4 || people.len() * 2 < known)
        {
            return Err("removed on a file beyond its limits".to_owned());
        }
        Ok(())
    }
}

/// Runs nights until a rule is broken, or all have gone by.
fn nights(seed: u64, off: Off, worlds: u64) -> Option<(u64, String)> {
    let mut night = 0;
    for world in 0..worlds {
        let mut world = World::new(seed + world, off);
        for _ in 0..100 {
            night += 1;
            world.hour += [1, 5, 11, 13, 24, 24, 24][world.random.usize(..7)];
            let source = usize::from(world.random.u8(..4) == 0);
            if world.random.u8(..3) > 0 {
                world.change(source);
            }
            if let Err(words) = world.night(source) {
                return Some((night, words));
            }
        }
    }
    None
}

/// The first of the worlds that are modelled; `ASSESSCTL_MODEL_SEED` begins elsewhere.
fn first() -> u64 {
    asked("ASSESSCTL_MODEL_SEED").unwrap_or(1)
}

/// Worlds of a hundred nights each; `ASSESSCTL_MODEL_WORLDS` asks for more.
fn worlds() -> u64 {
    asked("ASSESSCTL_MODEL_WORLDS").unwrap_or(200)
}

#[test]
fn no_night_removes_a_person_outside_the_rules() {
    assert_eq!(nights(first(), Off::Nothing, worlds()), None);
}

#[test]
fn each_rule_that_is_switched_off_is_found_within_ten_thousand_nights() {
    let mut found = BTreeMap::new();
    for off in RULES {
        let (night, _) = nights(1, off, 100).unwrap_or_else(|| panic!("{off:?} is not found"));
        found.insert(format!("{off:?}"), night);
    }
    assert_eq!(found.len(), RULES.len(), "{found:?}");
}

#[test]
fn whoever_joins_is_on_the_list_after_the_next_good_file() {
    let mut world = World::new(7, Off::Nothing);
    for _ in 0..500 {
        world.hour += 24;
        world.change(0);
        let staff = world.sources[0].staff.clone();
        let before = world.sources[0].history.len();
        world.night(0).expect("within the rules");
        let is_good = world.sources[0].history.len() > before
            && world.sources[0].history.last().is_some_and(|(_, people, _)| *people == staff);
        assert!(!is_good || staff.is_subset(&world.list), "a joiner is missing");
    }
}
