//! Modelled nights: rosters that are good, bad, late or repeated, kills, lost answers, clocks that jump, and two sources,
//! against the rules that ship. The judge keeps a history of its own and knows none of the code that it judges.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::journal::clock::{BootTime, Millis, Moment};
use crate::journal::person_key::PersonKey;
use crate::journal::synced_rosters::SyncedRoster;
use crate::model::long_runs::asked;

use super::absent::{AbsenceRules, Absent, Leavers};
use super::counted_rosters::RosterCount;
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
    /// On the first roster no person leaves.
    First,
    /// People of `--keep` stay.
    Keep,
    /// Nothing follows a list that is not proven whole.
    Proof,
    /// A changed e-mail of a reference id is one person.
    Renamed,
    /// The wall clock decides nothing within one boot.
    Clock,
    /// While a removal is in doubt, its person does not stand.
    Removing,
}

#[rustfmt::skip]
const RULES: [Off; 14] = [
    Off::KnownAlone, Off::TwoAbsences, Off::Interval, Off::SameFile, Off::FileLimits, Off::LeaverLimit, Off::Mistakes,
    Off::OtherSource, Off::First, Off::Keep, Off::Proof, Off::Renamed, Off::Clock, Off::Removing,
];

const HOUR: Millis = 3_600_000;

/// People by their numbers, each with the version of the e-mail.
type People = BTreeMap<u32, u8>;
type Entry = (u32, u8);

fn people(numbers: impl Iterator<Item = u32>) -> People {
    numbers.map(|person| (person, 0)).collect()
}

fn key(person: u32, version: u8, kind: u8) -> PersonKey {
    let mut key = [0; 16];
    key[..4].copy_from_slice(&person.to_be_bytes());
    (key[4], key[5]) = (kind, version);
    key
}

/// What the tool remembers of a source, and what the judge has noted of it.
#[derive(Default)]
struct Source {
    staff: People,
    memory: Option<SyncedRoster>,
    /// Files that were synced whole: when, who, and whether its gaps count, by the judge's own reading.
    history: Vec<(u64, People, bool)>,
}

/// The world: a project with people by hand, and two sources.
struct World {
    random: fastrand::Rng,
    hour: u64,
    /// By how much the wall clock is wrong.
    skew: Millis,
    next: u32,
    list: Vec<Entry>,
    /// Entries whose removal was sent and not answered, and may take effect within the hour.
    removing: BTreeSet<Entry>,
    keep: BTreeSet<u32>,
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
        let staff = people(100..100 + size);
        let agency = people((1_000..1_000 + random.u32(12..20)).chain(100..103));
        let list = (0..5).chain(100..130).map(|person| (person, 0)).collect();
        let sources = [Source { staff, ..Source::default() }, Source { staff: agency, ..Source::default() }];
        let (removing, keep) = (BTreeSet::new(), (104..110).collect());
        Self { random, hour: 100, skew: 0, next: 5_000, list, removing, keep, sources, off }
    }

    fn keys(&self, (person, version): Entry) -> PersonKeys {
        let reference = (self.off != Off::Renamed).then(|| key(person, 0, 1));
        PersonKeys { reference, email: Some(key(person, version, 2)), listed: [None; 2] }
    }

    /// Now, by a wall clock that may have jumped, and by that of the boot.
    fn now(&self) -> Moment {
        let ticks = Millis::try_from(self.hour).expect("few hours") * HOUR;
        let boot = (self.off != Off::Clock).then(|| BootTime { boot: uuid::Uuid::from_u128(1), ticks });
        Moment { wall: 1_000_000 * HOUR + ticks + self.skew, boot }
    }

    /// Time goes by, and with it what was under way; now and then a clock is set.
    fn wait(&mut self) {
        let hours = [0, 0, 1, 5, 11, 13, 24, 24, 24][self.random.usize(..9)];
        self.hour += hours;
        if hours > 0 {
            self.take_late_effect();
        }
        if self.random.u8(..10) == 0 {
            self.skew = Millis::from(self.random.i32(-40..40)) * HOUR;
        }
    }

    fn take_late_effect(&mut self) {
        let removing = std::mem::take(&mut self.removing);
        self.list.retain(|entry| !removing.contains(entry));
    }

    /// People come and go; now and then a shift closes, an e-mail changes, or HR takes back that a person left.
    fn change(&mut self, source: usize) {
        let staff = &mut self.sources[source].staff;
        if self.random.u8(..3) == 0 {
            staff.extend(self.removing.first().copied());
        }
        let leaving = if self.random.u8(..) < 8 { staff.len() / 3 } else { usize::from(self.random.u8(..3) == 0) };
        for _ in 0..leaving.min(staff.len().saturating_sub(10)) {
            let at = self.random.usize(..staff.len());
            let person = *staff.keys().nth(at).expect("within");
            staff.remove(&person);
        }
        for _ in 0..self.random.u32(..3) {
            staff.insert(self.next, 0);
            self.next += 1;
        }
        if self.random.u8(..6) == 0 {
            let at = self.random.usize(..staff.len());
            *staff.values_mut().nth(at).expect("within") += 1;
        }
    }

    /// The night's file: mostly right, else bad in one of many ways.
    fn drop_file(&mut self, source: usize) -> Dropped {
        let staff = self.sources[source].staff.clone();
        let (count, mut has_mistake) = (staff.len(), false);
        let moved = |by: u32| staff.iter().map(move |(person, version)| (person + by, *version)).collect();
        let history = &self.sources[source].history;
        let dropped: People = match self.random.u8(..18) {
            0 => People::new(),
            1 => staff.into_iter().take(self.random.usize(..count)).collect(),
            2 => staff.into_iter().skip(self.random.usize(..count)).collect(),
            3 => people(90_000..90_000 + 40),
            4 => staff.into_iter().chain(people(80_000..80_000 + 200)).collect(),
            5 => moved(50_000),
            6 => staff.into_iter().filter(|(person, _)| person % 7 != 3).collect(),
            7 => {
                has_mistake = true;
                staff.into_iter().skip(1).collect()
            }
            8 => history.last().map_or(staff, |(_, last, _)| last.clone()),
            9 => history.iter().rev().nth(2).map_or(staff, |(_, older, _)| older.clone()),
            _ => staff,
        };
        Dropped { people: dropped, has_mistake }
    }

    /// One run of the tool, as it decides; the judge looks at what was removed.
    fn night(&mut self, source: usize) -> Result<(), String> {
        let Dropped { people, has_mistake } = self.drop_file(source);
        if has_mistake && self.off != Off::Mistakes {
            return Ok(());
        }
        // Pages that moved: the list lacks people, and its count tells.
        let is_torn = self.random.u8(..15) == 0;
        if is_torn && self.off != Off::Proof {
            return Ok(());
        }
        let read: Vec<Entry> = self.list.iter().copied().skip(if is_torn { self.list.len() / 3 } else { 0 }).collect();
        let remembered = self.sources[source].memory.take();
        let before = KnownPeople::new(remembered.as_ref().map(|known| known.people.clone()).unwrap_or_default());
        let rows: Vec<PersonKeys> = people.iter().map(|(person, version)| self.keys((*person, *version))).collect();
        let in_file: BTreeSet<PersonKey> = rows.iter().flat_map(PersonKeys::each).collect();
        let listed = self.keys_of(&read);
        let joiners: Vec<Entry> = people
            .iter()
            .map(|(person, version)| (*person, *version))
            .filter(|row| !self.keys(*row).each().any(|key| listed.contains(&key)))
            .collect();
        let figures = FileFigures {
            in_file: people.len(),
            in_last: before.in_last_roster(),
            known: before.len(),
            known_in_file: before.len() - before.lacking(|known| in_file.contains(known)).len(),
            joiners: joiners.len(),
            changes: 0,
        };
        let is_refused = refusal(&figures, FileLimits::default()).is_some();
        if is_refused && (people.is_empty() || self.off != Off::FileLimits) {
            self.sources[source].memory = remembered;
            return Ok(());
        }
        let (now, roster) = (self.now(), self.said(&people));
        let interval = Duration::from_hours(if self.off == Off::Interval { 0 } else { 12 });
        let count = RosterCount::of(remembered.as_ref(), &roster, &now, interval);
        let primary: Vec<PersonKey> = rows.iter().filter_map(PersonKeys::primary).collect();
        let known = before.after(primary, |key| in_file.contains(key), count.counts());
        let leavers = self.leavers(source, (&read, &in_file), (&known, remembered.is_none()));
        let is_held = LeaverLimit::Default.is_exceeded(leavers.len(), before.len()) && self.off != Off::LeaverLimit;
        self.list.extend(joiners);
        // A kill ends the run after some of the removals; then nothing is remembered.
        let killed = (self.random.u8(..12) == 0).then(|| self.random.usize(..=leavers.len()));
        let removed: Vec<Entry> =
            if is_held { Vec::new() } else { leavers.into_iter().take(killed.unwrap_or(usize::MAX)).collect() };
        self.judge(source, (&people, has_mistake), &removed, before.len())?;
        // The entries whose removal may still take effect are not taken for standing.
        let in_doubt = self.removing.iter().any(|(person, _)| people.contains_key(person)) && self.off != Off::Removing;
        let is_whole = self.remove(removed) && killed.is_none() && !in_doubt;
        if !is_whole {
            self.sources[source].memory = remembered;
            return Ok(());
        }
        let counted = if count.counts() { now } else { remembered.map_or(now, |known| known.counted) };
        self.remember(source, &people, known, (roster, now, counted));
        self.judge_whole(&people)
    }

    fn keys_of(&self, list: &[Entry]) -> BTreeSet<PersonKey> {
        list.iter().flat_map(|entry| self.keys(*entry).each().collect::<Vec<_>>()).collect()
    }

    /// The roster is remembered as a whole and last; the judge notes its file.
    fn remember(
        &mut self,
        source: usize,
        people: &People,
        known: KnownPeople,
        (roster, synced, counted): (PersonKey, Moment, Moment),
    ) {
        let there = self.keys_of(&self.list);
        let known = known.still(|person| there.contains(person)).into_people();
        self.sources[source].memory = Some(SyncedRoster { people: known, roster, synced, counted, number: None });
        let hour = self.hour;
        let history = &mut self.sources[source].history;
        let last_counted = history.iter().rev().find(|(.., counts)| *counts);
        let counts = history.last().is_none_or(|(_, last, _)| last != people)
            && last_counted.is_none_or(|(at, ..)| hour >= at + 12);
        history.push((hour, people.clone(), counts));
    }

    /// What a file says, as a hash.
    fn said(&mut self, people: &People) -> PersonKey {
        use std::hash::{DefaultHasher, Hash as _, Hasher as _};
        let mut hasher = DefaultHasher::new();
        people.hash(&mut hasher);
        if self.off == Off::SameFile {
            self.random.u64(..).hash(&mut hasher);
        }
        let mut roster = [0; 16];
        roster[..8].copy_from_slice(&hasher.finish().to_be_bytes());
        roster
    }

    /// Who of the list leaves, by the rules that ship.
    fn leavers(
        &self,
        source: usize,
        (list, in_file): (&[Entry], &BTreeSet<PersonKey>),
        (known, is_first): (&KnownPeople, bool),
    ) -> Vec<Entry> {
        let other = self.sources[1 - source].memory.as_ref().map(|known| known.people.clone());
        let (other, none) = (KnownPeople::new(other.unwrap_or_default()), KnownPeople::default());
        let keep = KnownPeople::new(
            self.keep.iter().filter_map(|person| Some((self.keys((*person, 0)).primary()?, 0))).collect(),
        );
        let rules = AbsenceRules {
            leavers: if matches!(self.off, Off::KnownAlone | Off::First) { Leavers::All } else { Leavers::Known },
            is_first: is_first && self.off != Off::First,
            absent_for: if self.off == Off::TwoAbsences { 1 } else { 2 },
            known,
            elsewhere: if self.off == Off::OtherSource { &none } else { &other },
            keep: if self.off == Off::Keep { &none } else { &keep },
        };
        let missing = list.iter().copied().filter(|entry| !self.keys(*entry).each().any(|key| in_file.contains(&key)));
        missing.filter(|entry| rules.judge(&self.keys(*entry)) == Absent::Leaver).collect()
    }

    /// Sends removals; `false` where an answer was lost: that one takes effect, late or never.
    fn remove(&mut self, removed: Vec<Entry>) -> bool {
        let mut is_known = true;
        for entry in removed {
            if self.random.u8(..8) == 0 {
                is_known = false;
                if self.random.bool() {
                    self.removing.insert(entry);
                }
                continue;
            }
            self.removing.remove(&entry);
            self.list.retain(|other| *other != entry);
        }
        is_known
    }

    /// After a whole run, whatever takes effect late: each person of the file is on the list, and once.
    fn judge_whole(&mut self, people: &People) -> Result<(), String> {
        self.take_late_effect();
        let mut entries: BTreeMap<u32, usize> = BTreeMap::new();
        for (person, _) in &self.list {
            *entries.entry(*person).or_default() += 1;
        }
        if let Some(lost) = people.keys().find(|person| !entries.contains_key(person)) {
            return Err(format!("{lost} is in the file, and not on the list"));
        }
        match entries.into_iter().find(|(_, entries)| *entries > 1) {
            Some((twice, _)) => Err(format!("{twice} is enrolled twice")),
            None => Ok(()),
        }
    }

    /// Holds what was removed against the rules, by the history of the files alone.
    fn judge(
        &self,
        source: usize,
        (people, bad): (&People, bool),
        removed: &[Entry],
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
        for (person, _) in removed {
            let ever = history.iter().any(|(_, people, _)| people.contains_key(person));
            let since = history.iter().rev().take_while(|(_, people, _)| !people.contains_key(person));
            let absences = since.filter(|(.., counts)| *counts).count() + usize::from(now_counts);
            let elsewhere =
                self.sources[1 - source].history.last().is_some_and(|(_, people, _)| people.contains_key(person));
            let kept = self.keep.contains(person);
            if !ever || absences < 2 || people.contains_key(person) || elsewhere || kept {
                return Err(format!(
                    "removed {person}: ever {ever}, {absences} absences, elsewhere {elsewhere}, kept {kept}"
                ));
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
            world.wait();
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
        world.take_late_effect();
        world.change(0);
        let staff = world.sources[0].staff.clone();
        let before = world.sources[0].history.len();
        world.night(0).expect("within the rules");
        let is_good = world.sources[0].history.len() > before
            && world.sources[0].history.last().is_some_and(|(_, people, _)| *people == staff);
        let is_there = |person: &u32| world.list.iter().any(|(other, _)| other == person);
        assert!(!is_good || staff.keys().all(is_there), "a joiner is missing");
    }
}
