//! One roster in the modelled world: its runs, its kills, and whether a rule was broken at the end.

use super::model_service::Service;
use super::*;
use crate::bulk::answer::Answer;
use crate::model::testtakers::Enrolment;

/// Which rule is switched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Off {
    Nothing,
    DurableIntents,
    Claims,
    NoBlindRetry,
    EnrolledIsFinal,
    Settle,
    Baseline,
    Freshness,
}

/// How a roster ended.
pub(super) struct RosterEnded {
    pub(super) rows: usize,
    pub(super) kills: usize,
    pub(super) violation: Option<String>,
}

/// What the journal holds of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kept {
    Open(Option<Duration>),
    Free,
    Refused,
    Enrolled(EntryId),
}

const SETTLE: Duration = Duration::from_mins(1);

fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

pub(super) struct World {
    off: Off,
    random: fastrand::Rng,
    now: Duration,
    service: Service,
    /// How long a request may take effect after it was given up.
    lateness: f64,
    /// How far reads may lag behind.
    lag: f64,
    /// How often something goes wrong, in percent.
    trouble: u8,
    /// The person of each row: twins are the same one.
    people: Vec<usize>,
    exact: Vec<bool>,
    before: Vec<Vec<EntryId>>,
    journal: HashMap<usize, Kept>,
    unwritten: Vec<(usize, Fact, Duration)>,
    coming: Vec<(Duration, Event, Vec<usize>)>,
    replayed: HashSet<usize>,
    /// Rows that another process enrolled: a run need not know of it.
    by_others: HashSet<usize>,
    kills: usize,
}

impl World {
    pub(super) fn new(off: Off, seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        // In one world requests are late and reads lag behind; in the other reads lag far, and only a witness tells.
        let far = off == Off::Freshness || (off == Off::Nothing && random.u8(..4) == 0);
        let (lateness, lag) = match random.u8(..4) {
            _ if far => (0.0, 90.0),
            0 => (20.0 * random.f64(), 0.0),
            _ => (20.0 * random.f64(), 30.0 * random.f64()),
        };
        let rows = 8 + random.usize(..40);
        let people = (0..rows).map(|row| if row % 9 == 8 { row - 1 } else { row }).collect();
        let exact_share = [0, 80, 100][random.usize(..3)];
        Self {
            off,
            now: seconds(1000.0),
            service: Service::new(seconds(lag)),
            lateness,
            lag,
            trouble: [5, 20, 60][random.usize(..3)],
            people,
            exact: (0..rows).map(|_| random.u8(..100) < exact_share).collect(),
            before: vec![Vec::new(); rows],
            journal: HashMap::new(),
            unwritten: Vec::new(),
            coming: Vec::new(),
            replayed: HashSet::new(),
            by_others: HashSet::new(),
            kills: 0,
            random,
        }
    }

    fn chance(&mut self, percent: u8) -> bool {
        self.random.u8(..100) < percent
    }

    /// Runs the command until it has nothing to do, killing it now and then.
    pub(super) fn run(mut self) -> RosterEnded {
        self.remove_some();
        let mut last = None;
        let mut undisturbed = 0;
        for attempt in 0..40 {
            let ended = self.run_once(attempt < 30);
            self.now += seconds(self.random.f64() * 30.0);
            let Some((ends, verdict)) = ended else { continue };
            undisturbed += 1;
            let done = !matches!(verdict, Verdict::Unfinished | Verdict::NoAnswer | Verdict::Interrupted);
            last = Some(ends);
            if done || undisturbed == 4 {
                break;
            }
        }
        let violation = match last {
            Some(ends) => self.violation(&ends),
            None => Some("no run came to its end".to_owned()),
        };
        RosterEnded { rows: self.people.len(), kills: self.kills, violation }
    }

    /// Some people were enrolled before and removed just now: reads may still show them.
    fn remove_some(&mut self) {
        for row in 0..self.people.len() {
            if row % 9 == 3 {
                let id = self.service.enrol(self.people[row], self.now.saturating_sub(seconds(500.0)));
                self.service.remove(id, self.now.saturating_sub(seconds(0.5)));
                self.before[row].push(id);
            }
        }
    }

    /// One run, `None` if it was killed.
    fn run_once(&mut self, may_be_killed: bool) -> Option<(Vec<RowResult>, Verdict)> {
        let killed_after = (may_be_killed && self.chance(60)).then(|| self.random.usize(..120));
        let settings = Settings {
            concurrency: 1 + self.random.usize(..6),
            settle: if self.off == Off::Settle { Duration::ZERO } else { SETTLE },
            dry_run: false,
            fail_on_existing: false,
            resend_in_doubt: false,
            at_end: if self.chance(20) { AtEnd::Leave } else { AtEnd::Wait },
            seed: self.random.u64(..),
        };
        let starts = self.starts();
        let groups = (0..self.people.len()).filter(|row| row % 9 >= 7).map(|row| (row, row / 9)).collect();
        let mut plan = super::tests::planned(settings, self.now, starts, self.exact.clone(), groups);
        let mut actions = plan.step(self.now, Event::Tick);
        let mut steps = 0;
        loop {
            for action in actions {
                self.act(&plan, action);
            }
            if plan.is_finished() {
                self.write();
                let (ends, _, verdict) = plan.end();
                return Some((ends, verdict));
            }
            steps += 1;
            assert!(steps < 100_000, "the run does not end");
            if killed_after.is_some_and(|after| steps > after) {
                self.kill();
                return None;
            }
            if self.chance(1) {
                self.another_process();
            }
            let event = self.next(&plan);
            actions = plan.step(self.now, event);
        }
    }

    /// How the rows stand by the journal and by a list, which may be old.
    fn starts(&mut self) -> Vec<RowState> {
        self.service.look(self.now, &mut self.random);
        let mut taken: HashSet<EntryId> = self
            .journal
            .values()
            .filter_map(|kept| if let Kept::Enrolled(id) = kept { Some(*id) } else { None })
            .collect();
        let now = self.now;
        (0..self.people.len())
            .map(|row| {
                let shown = self.service.shown(self.people[row]);
                let free = shown.iter().find(|id| !taken.contains(id) && !self.before[row].contains(id)).copied();
                match self.journal.get_mut(&row) {
                    Some(Kept::Open(since)) => RowState::Doubt { since: *since.get_or_insert(now) },
                    Some(Kept::Enrolled(id)) if self.off != Off::EnrolledIsFinal || shown.contains(id) => {
                        let outcome = if free.is_some() { Outcome::Duplicate } else { Outcome::Enrolled };
                        RowState::Ended(RowResult::new(outcome).with_entry(*id))
                    }
                    _ => match free {
                        Some(id) => {
                            taken.insert(id);
                            RowState::Ended(RowResult::new(Outcome::Existing).with_entry(id))
                        }
                        None => RowState::New,
                    },
                }
            })
            .collect()
    }

    fn act(&mut self, plan: &Plan, action: Action) {
        let soon = self.now + seconds(0.01 + 0.2 * self.random.f64());
        match action {
            Action::Note(row, note) => {
                self.unwritten.push((row, note, self.now));
                if self.chance(30) {
                    self.write();
                }
            }
            Action::Journal(rows) => self.coming.push((self.now + seconds(0.001), Event::Journaled(vec![]), rows)),
            Action::Send(row) => self.send(row, soon),
            Action::Look(row) | Action::ReadBack(row) => {
                if self.chance(self.trouble / 10) {
                    self.coming.push((soon, Event::ReadFailed(row, None, "503".to_owned()), vec![]));
                    return;
                }
                let event = self.looked(plan, row);
                self.coming.push((soon, event, vec![]));
            }
            Action::Audit => {
                let event = self.audited(plan);
                self.coming.push((soon, event, vec![]));
            }
            Action::Ask(_) | Action::Update(_) | Action::Release(_) => {}
        }
    }

    fn looked(&mut self, plan: &Plan, row: usize) -> Event {
        let shown = self.service.read(self.now, &mut self.random, self.people[row]);
        let own = plan.ended(row).and_then(|ended| ended.entry);
        if let (Off::Freshness, Some(own)) = (self.off, own) {
            return Event::Looked(row, vec![own]);
        }
        let others: HashSet<EntryId> = self.claimed(row);
        let was_there = |id: &EntryId| self.off != Off::Baseline && self.before[row].contains(id);
        let found = shown.into_iter().filter(|id| own == Some(*id) || !(was_there(id) || others.contains(id)));
        Event::Looked(row, found.collect())
    }

    /// Entries that the journal gives to other rows.
    fn claimed(&self, row: usize) -> HashSet<EntryId> {
        let of = |(other, kept): (&usize, &Kept)| match kept {
            Kept::Enrolled(id) if *other != row => Some(*id),
            _ => None,
        };
        self.journal.iter().filter_map(of).collect()
    }

    fn audited(&mut self, plan: &Plan) -> Event {
        self.service.look(self.now, &mut self.random);
        let ours = (0..self.people.len()).filter_map(|row| Some((row, plan.ended(row)?.entry?)));
        let ours: Vec<(usize, EntryId)> = ours.collect();
        let claimed: HashSet<EntryId> = ours.iter().map(|(_, id)| *id).collect();
        let (mut missing, mut twice) = (Vec::new(), Vec::new());
        for (row, entry) in ours {
            let shown = self.service.shown(self.people[row]);
            if !shown.contains(&entry) {
                missing.push(row);
            }
            let more = shown.into_iter().filter(|id| !claimed.contains(id) && !self.before[row].contains(id));
            let more: Vec<EntryId> = more.collect();
            if !more.is_empty() {
                twice.push((row, more));
            }
        }
        Event::Audited { missing, twice }
    }

    /// One request, with all that can become of it.
    fn send(&mut self, row: usize, soon: Duration) {
        let person = self.people[row];
        let lost = || Answer::Lost { words: "reset".to_owned(), conflict: false };
        let answer = if self.chance(self.trouble) {
            match self.random.u8(..10) {
                0 | 1 => {
                    self.service.enrol(person, self.now);
                    lost()
                }
                2 => {
                    self.service.enrol(person, self.now);
                    Answer::DoneIdUnknown("cut off".to_owned())
                }
                3 | 4 => {
                    let late = soon + seconds(self.lateness * self.random.f64());
                    self.service.enrol_late(person, late);
                    lost()
                }
                5 => Answer::RefusedForNow { wait: seconds(1.0), words: "429".to_owned() },
                6 => Answer::NeverSent { words: "refused".to_owned(), permanent: false },
                7 => Answer::Lost { words: "409".to_owned(), conflict: self.chance(20) },
                8 => {
                    self.replayed.insert(person);
                    self.service.enrol(person, self.now);
                    Self::done(self.service.enrol(person, self.now))
                }
                _ => lost(),
            }
        } else {
            Self::done(self.service.enrol(person, self.now))
        };
        let answer = match answer {
            Answer::Lost { words, .. } if self.off == Off::NoBlindRetry => {
                Answer::NeverSent { words, permanent: false }
            }
            other => other,
        };
        self.coming.push((soon, Event::Answered(row, answer), vec![]));
    }

    fn done(entry: EntryId) -> Answer {
        let enrolment = Enrolment {
            id: uuid::Uuid::nil(),
            project_entry_id: entry,
            email: None,
            first_name: None,
            last_name: None,
            birth_year: None,
            reference_id: None,
        };
        Answer::Done { enrolment, remark: None }
    }

    /// The next thing that happens.
    fn next(&mut self, plan: &Plan) -> Event {
        let first = (0..self.coming.len()).min_by_key(|index| self.coming[*index].0);
        let at = first.map(|index| self.coming[index].0);
        match (first, plan.wakes_at()) {
            (Some(index), wake) if wake.is_none_or(|wake| at <= Some(wake)) => {
                let (at, event, intents) = self.coming.swap_remove(index);
                self.now = self.now.max(at);
                if intents.is_empty() { event } else { Event::Journaled(self.claim(&intents)) }
            }
            (_, Some(wake)) => {
                self.now = self.now.max(wake);
                Event::Tick
            }
            (_, None) => panic!("nothing to wait for"),
        }
    }

    /// The journal's one transaction: what is to be remembered, then the claims.
    fn claim(&mut self, rows: &[usize]) -> Vec<(usize, RowState)> {
        self.write();
        let mut contested = Vec::new();
        for row in rows {
            match self.journal.get(row) {
                Some(Kept::Open(since)) if self.off != Off::Claims => {
                    contested.push((*row, RowState::Doubt { since: since.unwrap_or(self.now + seconds(2.0)) }));
                }
                Some(Kept::Enrolled(id)) if self.off != Off::Claims && self.off != Off::EnrolledIsFinal => {
                    contested.push((*row, RowState::Ended(RowResult::new(Outcome::Enrolled).with_entry(*id))));
                }
                _ if self.off == Off::DurableIntents => {}
                _ => {
                    self.journal.insert(*row, Kept::Open(None));
                }
            }
        }
        contested
    }

    fn write(&mut self) {
        for (row, note, at) in std::mem::take(&mut self.unwritten) {
            let kept = match note {
                Fact::Enrolled(entry, _) => Kept::Enrolled(entry),
                Fact::Refused => Kept::Refused,
                Fact::Free => Kept::Free,
                Fact::GivenUp => Kept::Open(Some(at)),
            };
            if !matches!(self.journal.get(&row), Some(Kept::Enrolled(_))) || matches!(kept, Kept::Enrolled(_)) {
                self.journal.insert(row, kept);
            }
        }
    }

    /// The power goes: a transaction that was under way is whole or is not there.
    fn kill(&mut self) {
        self.kills += 1;
        let intents = self.coming.iter().flat_map(|(.., intents)| intents.clone()).collect::<Vec<_>>();
        if self.chance(50) {
            self.claim(&intents);
        }
        self.unwritten.clear();
        self.coming.clear();
    }

    /// Somebody enrols one person of the roster by hand at the same time.
    fn another_process(&mut self) {
        let row = self.random.usize(..self.people.len());
        let free = matches!(self.journal.get(&row), None | Some(Kept::Free | Kept::Refused));
        let is_alone = self.people.iter().filter(|person| **person == self.people[row]).count() == 1;
        let shown = self.service.read(self.now, &mut self.random, self.people[row]);
        let known = shown.iter().any(|id| !self.before[row].contains(id));
        // What was noted and not written yet is not known to the other process.
        if (free || self.off == Off::Claims) && is_alone && !known {
            let id = self.service.enrol(self.people[row], self.now);
            self.journal.insert(row, Kept::Enrolled(id));
            self.by_others.insert(row);
        }
    }

    /// What a row's end and the service say of each other.
    fn violation(&mut self, ends: &[RowResult]) -> Option<String> {
        let mut claimed = HashSet::new();
        for (row, ended) in ends.iter().enumerate() {
            let person = self.people[row];
            let entries = self.service.finally(person);
            let rows = self.people.iter().filter(|other| **other == person).count();
            // What a proxy sends twice is no doing of ours, but it has to be said as soon as reads show it.
            let excused = self.replayed.contains(&person) && (self.lag > 0.0 || ended.outcome == Outcome::Duplicate);
            if entries.len() > rows && !(excused || self.replayed.contains(&person) && rows > 1) {
                let replayed = if self.replayed.contains(&person) { "replayed, " } else { "" };
                return Some(format!(
                    "row {row} is {replayed}enrolled {} times and ended {}",
                    entries.len(),
                    ended.outcome
                ));
            }
            let alone = rows == 1;
            let there = ended.entry.is_some_and(|entry| entries.contains(&entry));
            match ended.outcome {
                Outcome::Enrolled | Outcome::Existing | Outcome::Duplicate if !there => {
                    return Some(format!("row {row} ended {} and is not there", ended.outcome));
                }
                Outcome::Refused | Outcome::NotAttempted
                    if alone && !entries.is_empty() && !self.by_others.contains(&row) =>
                {
                    return Some(format!("row {row} ended {} and is there", ended.outcome));
                }
                Outcome::InDoubt | Outcome::NotAttempted | Outcome::Refused | Outcome::Gone => {}
                Outcome::Enrolled | Outcome::Existing | Outcome::Duplicate => {
                    if !ended.entry.is_some_and(|entry| claimed.insert(entry)) {
                        return Some(format!("row {row} has another row's entry"));
                    }
                }
                other => return Some(format!("row {row} ended {other}")),
            }
        }
        None
    }
}
