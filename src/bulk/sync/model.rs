//! A model of nights: sites whose staff comes and goes, files of all kinds, kills between any two steps, and a person who
//! approves. What decides is what ships. An oracle with a history of its own asks about each run whether it hurt somebody.
//!
//! Each rule of sync (docs/how-it-stays-right.md) can be switched off from outside, and then the model must find a violation.
//! `ASSESSCTL_SYNC_SITES=5000 cargo test bulk::sync::model` plays more sites.

use std::collections::{BTreeSet, HashMap};

use super::tests::read;
use super::*;
use crate::journal::people::{Known, State};
use crate::journal::{Journal, scratch};

const NIGHTS: i64 = 60;
const SITES: u64 = 20;
/// Within so many sites a rule that is switched off shows.
const TEETH: u64 = 2_000;
const DELAY: Duration = Duration::from_hours(20);

/// A rule that is switched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Off {
    Nothing,
    /// 3: missing people leave at once.
    Delay,
    /// 3: people of no roster count as missing.
    EarlierRoster,
    /// 3: the other source is not asked.
    OtherSource,
    /// 1: rows with mistakes look as if they were not there.
    SkipsInvalid,
    /// 4: a file may lack more than half of the last people.
    Half,
    /// 4: a file may have any number of new people.
    Strangers,
    /// 5: any number may leave.
    LeaverLimit,
    /// 6: the memory is written at the end.
    MemoryFirst,
    /// 8: what was approved once lets everything through.
    Exactly,
}

type Numbers = BTreeSet<u32>;

/// A file, as a person would judge it.
struct File {
    rows: Numbers,
    /// Rows that cannot be read.
    invalid: Numbers,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Good,
    /// The beginning, or all but a part that an open quote swallowed.
    Short,
    Foreign,
    /// Of several sites.
    Several,
}

/// One step of a run; a kill comes between two steps.
enum Step {
    /// After a roster of which rows may be left out.
    Remember(Memory, Numbers, bool),
    Enrol(u32),
    Name(EntryId, String),
    Remove(EntryId),
}

struct Site<'j> {
    journal: &'j Journal,
    off: Off,
    rng: fastrand::Rng,
    now: Timestamp,
    staff: Numbers,
    /// Everybody who was ever on the staff.
    ours: Numbers,
    /// People in the project who are in none of our files.
    strays: Numbers,
    with_reference: Numbers,
    project: Vec<TestTaker>,
    memory: Option<Memory>,
    /// Whom the journal knows by each entry.
    known: KnownPeople,
    other: (Source, Memory),
    others_people: Numbers,
    next: u32,
    /// How many entries there were ever: no number is given twice.
    entries: i32,
    /// The oracle's memory: who was in a roster that was remembered, and since when they are missing.
    history: HashMap<u32, Option<Timestamp>>,
    /// The people of a roster that was not foreign.
    properly: Numbers,
    last: usize,
    /// What a person looked at and approved.
    approved: Vec<ApprovalId>,
    /// An id that was noted, to be used another night.
    noted: Option<ApprovalId>,
    removals: usize,
}

fn number(record: &TestTaker) -> u32 {
    let email = record.email.as_deref().unwrap_or_default();
    email.trim_start_matches('p').trim_end_matches("@x.example").parse().expect("a number")
}

impl<'j> Site<'j> {
    fn new(journal: &'j Journal, off: Off, seed: u64) -> Self {
        let mut rng = fastrand::Rng::with_seed(seed);
        let staff: Numbers = (0..rng.u32(4..90)).collect();
        let (strays, now) = ((1000..1000 + rng.u32(0..8)).collect::<Numbers>(), Timestamp::UNIX_EPOCH);
        let others_people: Numbers = staff.iter().copied().filter(|_| rng.u8(..8) == 0).collect();
        let with_reference = staff.iter().copied().filter(|_| rng.u8(..3) > 0).collect();
        let source = Source { name: "other".into(), at: now };
        let mut site = Self {
            journal,
            off,
            rng,
            now,
            ours: staff.clone(),
            staff,
            strays: strays.clone(),
            with_reference,
            project: Vec::new(),
            memory: None,
            known: KnownPeople::default(),
            other: (source, Memory::default()),
            others_people,
            next: 100,
            entries: 0,
            history: HashMap::new(),
            properly: Numbers::new(),
            last: 0,
            approved: Vec::new(),
            noted: None,
            removals: 0,
        };
        for person in strays {
            site.enrol(person);
        }
        // Nobody enrolled them from here.
        site.known = KnownPeople::default();
        site
    }

    fn person(&self, number: u32) -> NewTestTaker {
        let reference = self.with_reference.contains(&number).then(|| format!("R{number}"));
        NewTestTaker {
            email: format!("p{number}@x.example").parse().expect("an address"),
            first_name: None,
            last_name: None,
            birth_year: None,
            reference_id: reference.map(|id| id.parse().expect("a reference id")),
        }
    }

    fn identity(&self, number: u32) -> Identity {
        let person = self.person(number);
        self.journal.people(uuid::Uuid::nil()).identity(person.reference_id.as_deref(), &person.email)
    }

    fn enrol(&mut self, number: u32) {
        let NewTestTaker { email, reference_id, .. } = self.person(number);
        self.entries += 1;
        let id = self.entries;
        let state = State::Enrolled { entry: EntryId(id), enrolment: None, at: Timestamp::UNIX_EPOCH };
        self.known.put(Known { identity: self.identity(number), state });
        self.other.1.0.extend(self.others_people.contains(&number).then_some((entry_key(EntryId(id)), None)));
        let (email, reference_id) = (Some(String::from(email)), reference_id.map(String::from));
        self.project.push(TestTaker { id: Some(id), email, reference_id, ..TestTaker::default() });
    }

    /// People come and go; now and then a shift of 40. Some get a reference id.
    fn live(&mut self) {
        let is_shift = self.rng.u8(..40) == 0;
        let (come, go) = if is_shift { (self.rng.u32(..40), 0.3) } else { (self.rng.u32(..3), 0.02) };
        let leaving: Vec<u32> = self.staff.iter().copied().filter(|_| self.rng.f64() < go).collect();
        self.staff.retain(|person| !leaving.contains(person));
        for person in self.next..self.next + come.max(u32::from(self.staff.is_empty())) {
            self.staff.insert(person);
            self.with_reference.extend(Some(person).filter(|_| self.rng.bool()));
        }
        // Somebody comes back.
        let back = self.rng.choice(self.ours.iter()).copied().filter(|_| self.rng.u8(..5) == 0);
        self.staff.extend(back);
        self.next += come + 1;
        self.ours.extend(self.staff.iter());
        let named = self.rng.choice(self.staff.iter()).copied();
        self.with_reference.extend(named);
    }

    fn file(&mut self) -> File {
        let mut rows = self.staff.clone();
        // Two wrong files have nobody in common: the second would be believed for the sake of the first.
        let first = 5000 + u32::try_from(self.now.as_second() / 864).expect("a night");
        let others: Numbers = (first..first + self.rng.u32(3..60)).collect();
        let kind = match self.rng.u8(..20) {
            0..14 => Kind::Good,
            14..16 => Kind::Short,
            16..18 => Kind::Foreign,
            _ => Kind::Several,
        };
        match kind {
            Kind::Good => {}
            Kind::Short => {
                let all: Vec<u32> = rows.iter().copied().collect();
                let (from, to) = (self.rng.usize(..=all.len()), self.rng.usize(..=all.len()));
                rows = all[..from.min(to)].iter().copied().collect();
                rows.extend(all[if self.rng.bool() { from.max(to) } else { all.len() }..].iter());
            }
            // Whoever was on the staff would make it a file of ours.
            Kind::Foreign => rows = &others | &(&self.strays - &self.ours),
            Kind::Several => rows.extend(others),
        }
        let has_mistakes = self.rng.u8(..8) == 0;
        let invalid = rows.iter().copied().filter(|person| has_mistakes && person.is_multiple_of(7)).collect();
        File { rows, invalid, kind }
    }

    /// The changes of a file, as the command finds them.
    fn changes(&self, valid: &Numbers, lacks_rows: bool) -> Changes {
        let people: Vec<NewTestTaker> = valid.iter().map(|person| self.person(*person)).collect();
        let journal = self.journal.people(uuid::Uuid::nil());
        let mut before = self.memory.clone();
        if let Some(before) = before.as_mut().filter(|_| self.off == Off::EarlierRoster) {
            for record in &self.project {
                let entry = record.entry_id().expect("an id");
                before.0.entry(entry_key(entry)).or_insert(Some(Timestamp::UNIX_EPOCH));
            }
        }
        let asked = usize::from(self.off != Off::OtherSource);
        let (rows, found) = read(&journal, &people, &self.project, false, |_| None);
        changes(&SyncInput {
            people: &people,
            rows: &rows,
            list: &self.project,
            found: &found,
            fresh: &HashSet::new(),
            identity: &|record| journal.of_record(record),
            known: &self.known,
            before: before.as_ref(),
            others: &std::slice::from_ref(&self.other)[..asked],
            absent_for: if self.off == Off::Delay { Duration::ZERO } else { DELAY },
            lacks_rows: lacks_rows && self.off != Off::SkipsInvalid,
            now: self.now,
        })
    }

    fn judged(&self, changes: &Changes, approved: Option<ApprovalId>) -> Judgement {
        let usual = if self.off == Off::LeaverLimit { LeaverLimit::Percent(100_000) } else { LeaverLimit::Usual };
        let judgement = judge(changes, usual, approved);
        match &judgement {
            Judgement::NotBelieved(id, why)
                if (self.off == Off::Half && why.contains("has only"))
                    || (self.off == Off::Strangers && why.contains("are new"))
                    || (self.off == Off::Exactly && approved.is_some()) =>
            {
                judge(changes, usual, Some(*id))
            }
            Judgement::LeaversHeld(_) if self.off == Off::Exactly && approved.is_some() => Judgement::Follow,
            _ => judgement,
        }
    }

    /// One run, killed after so many steps. `sees`: a person looks at what is held, and approves what is right.
    fn run(&mut self, file: &File, approved: Option<ApprovalId>, kill: usize, sees: bool) -> Result<(), String> {
        let valid: Numbers = file.rows.difference(&file.invalid).copied().collect();
        if valid.is_empty() {
            return Ok(());
        }
        let changes = self.changes(&valid, !file.invalid.is_empty());
        let judgement = self.judged(&changes, approved);
        let follows = !matches!(judgement, Judgement::NotBelieved(..));
        if follows {
            self.ask(file, &changes, judgement == Judgement::Follow)?;
            let steps = self.steps(&valid, &changes, judgement == Judgement::Follow, !file.invalid.is_empty());
            self.act(steps, kill, file.kind);
        }
        let (Judgement::NotBelieved(id, _) | Judgement::LeaversHeld(id)) = judgement else { return Ok(()) };
        let is_right = if follows { self.are_gone(&changes) } else { file.kind == Kind::Good };
        if approved == Some(id) || !is_right {
            return Ok(());
        }
        self.approved.push(id);
        if !sees && self.rng.u8(..5) == 0 {
            self.noted = Some(id);
            return Ok(());
        }
        self.run(file, Some(id), usize::MAX, sees)
    }

    fn are_gone(&self, changes: &Changes) -> bool {
        changes.leavers.iter().all(|leaver| !self.staff.contains(&number(&self.project[leaver.at])))
    }

    fn steps(&self, valid: &Numbers, changes: &Changes, removes: bool, skips: bool) -> Vec<Step> {
        let rows: Vec<u32> = valid.iter().copied().collect();
        let memory = Some(Step::Remember(changes.memory.clone(), valid.clone(), skips));
        let mut steps: Vec<Step> = changes.joiners.iter().map(|row| Step::Enrol(rows[*row])).collect();
        let entry = |person: u32| self.project.iter().find(|record| number(record) == person)?.entry_id();
        for person in changes.changed.iter().map(|row| rows[*row]) {
            steps.extend(entry(person).map(|entry| Step::Name(entry, format!("R{person}"))));
        }
        let leavers = changes.leavers.iter().filter(|_| removes).map(|leaver| Step::Remove(leaver.entry));
        match self.off {
            Off::MemoryFirst => steps.into_iter().chain(leavers).chain(memory).collect(),
            _ => memory.into_iter().chain(steps).chain(leavers).collect(),
        }
    }

    fn act(&mut self, steps: Vec<Step>, kill: usize, kind: Kind) {
        for step in steps.into_iter().take(kill) {
            match step {
                Step::Remember(memory, people, skips) => self.remember(memory, &people, skips, kind),
                Step::Enrol(person) => self.enrol(person),
                Step::Name(entry, reference) => {
                    let mut records = self.project.iter_mut();
                    let record = records.find(|record| record.entry_id() == Some(entry)).expect("in the project");
                    record.reference_id = Some(reference);
                }
                Step::Remove(entry) => {
                    self.removals += 1;
                    self.project.retain(|record| record.entry_id() != Some(entry));
                }
            }
        }
    }

    fn remember(&mut self, memory: Memory, people: &Numbers, skips: bool, kind: Kind) {
        self.memory = Some(memory);
        for missing in self.history.values_mut().filter(|_| !skips) {
            *missing = missing.or(Some(self.now));
        }
        self.history.extend(people.iter().map(|person| (*person, None)));
        self.properly.extend(people.iter().filter(|_| kind != Kind::Foreign));
        self.last = self.history.values().filter(|missing| missing.is_none()).count();
    }

    /// The oracle: what a run is about to do must hurt nobody.
    fn ask(&self, file: &File, changes: &Changes, removes: bool) -> Result<(), String> {
        let has = |id: &ApprovalId| self.approved.contains(id);
        let rows: Vec<&u32> = file.rows.difference(&file.invalid).collect();
        // Whoever was in the last roster was believed then, and a kill may have come before they were enrolled.
        let was_believed = |person: &u32| self.history.get(person).is_some_and(Option::is_none);
        let is_stranger = |row: &&usize| !self.ours.contains(rows[**row]) && !was_believed(rows[**row]);
        let strangers = changes.joiners.iter().filter(is_stranger).count();
        if self.last > 0 && strangers >= FEW && strangers * 10 > self.last * 3 && !has(&changes.file) {
            return Err(format!("{strangers} strangers would be enrolled beside {}", self.last));
        }
        let leavers = if removes { changes.leavers.as_slice() } else { &[] };
        if leavers.len() > (self.last / 20).max(5) && !has(&leavers_id(leavers)) {
            return Err(format!("{} of {} would be removed", leavers.len(), self.last));
        }
        for leaver in leavers {
            let person = number(&self.project[leaver.at]);
            let missing = self.history.get(&person).copied().flatten();
            let why = match missing {
                _ if file.rows.contains(&person) => "of the file",
                _ if self.others_people.contains(&person) => "of the other source",
                _ if !self.history.contains_key(&person) => "of no roster",
                _ if !self.properly.contains(&person) && self.strays.contains(&person) => "of foreign rosters only",
                Some(since) if since.saturating_add(DELAY).is_ok_and(|due| due <= self.now) => continue,
                _ => "missing for too short a time",
            };
            return Err(format!("somebody {why} would be removed"));
        }
        Ok(())
    }

    /// After quiet nights list and staff agree.
    fn ends_well(&mut self) -> Result<(), String> {
        for _ in 0..4 {
            self.now = self.now.saturating_add(Duration::from_hours(24)).expect("a time");
            let file = File { rows: self.staff.clone(), invalid: Numbers::new(), kind: Kind::Good };
            self.run(&file, None, usize::MAX, true)?;
        }
        let listed: Vec<u32> = self.project.iter().map(number).collect();
        let people: Numbers = listed.iter().copied().collect();
        let stays = |person: &&u32| [&self.staff, &self.strays, &self.others_people].iter().any(|s| s.contains(person));
        match () {
            () if people.len() < listed.len() => Err("somebody is there twice".into()),
            () if !self.staff.is_subset(&people) => Err("somebody was not enrolled".into()),
            () if !people.iter().all(|person| stays(&person)) => Err("somebody who left was not removed".into()),
            () => Ok(()),
        }
    }

    /// Plays all nights; how many people were removed.
    fn play(mut self) -> Result<usize, String> {
        let first = File { rows: self.staff.clone(), invalid: Numbers::new(), kind: Kind::Good };
        self.run(&first, None, usize::MAX, true)?;
        for night in 1..NIGHTS {
            self.now = Timestamp::from_second(night * 24 * 3600).expect("a time");
            self.live();
            let file = self.file();
            for _ in 0..self.rng.u8(..4) {
                let kill = if self.rng.u8(..4) == 0 { self.rng.usize(..12) } else { usize::MAX };
                let noted = self.noted.take();
                self.run(&file, noted, kill, false)?;
                self.now = self.now.saturating_add(Duration::from_mins(self.rng.u64(..90))).expect("a time");
            }
        }
        self.ends_well().map(|()| self.removals)
    }
}

/// Plays sites until one is hurt; how many people were removed in all.
fn campaign(off: Off, sites: u64) -> Result<usize, String> {
    let journal = Journal::open_to_read(&scratch().path().join("none")).expect("an empty journal");
    let play = |seed| Site::new(&journal, off, seed).play().map_err(|why| format!("{off:?}, site {seed}: {why}"));
    (0..sites).map(play).sum()
}

#[test]
fn no_file_of_any_night_hurts_anybody() {
    let sites = option_env!("ASSESSCTL_SYNC_SITES").and_then(|sites| sites.parse().ok()).unwrap_or(SITES);
    let removals = campaign(Off::Nothing, sites);
    assert!(removals.as_ref().is_ok_and(|removals| *removals as u64 > sites * 10), "{removals:?}");
}

#[test]
fn each_rule_that_is_switched_off_is_missed() {
    use Off::{Delay, EarlierRoster, Exactly, Half, LeaverLimit, MemoryFirst, OtherSource, SkipsInvalid, Strangers};
    for off in [Delay, EarlierRoster, OtherSource, SkipsInvalid, Half, Strangers, LeaverLimit, MemoryFirst, Exactly] {
        let found = campaign(off, TEETH);
        println!("{found:?}");
        assert!(found.is_err(), "{off:?} was not missed at {TEETH} sites");
    }
}
