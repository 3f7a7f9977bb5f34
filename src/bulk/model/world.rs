//! One roster in the modelled world: its runs, its kills, and whether a rule was broken at the end.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use uuid::Uuid;

use super::Off;
use super::service::{Service, Spelling};
use super::store::MemoryRows;
use crate::bulk::answer_evidence::{Answer, classify};
use crate::bulk::compare::match_rule::search_words;
use crate::bulk::journal_policy::JournalPolicy;
use crate::bulk::on_existing::OnExisting;
use crate::bulk::outcome::Finished;
use crate::bulk::plan::{Action, AtEnd, Event, PlanSettings};
use crate::bulk::roster::Roster;
use crate::bulk::run_start::Beginning;
use crate::bulk::run_state_machine::{Completion, Machine, ReadFailure, RunOptions};
use crate::journal::clock::{BootTime, Moment, millis};
use crate::journal::row_store::{KnownRow, RowHasher};
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::long_runs::asked;
use crate::model::testtakers::TestTaker;

/// How a roster ended.
pub(super) struct RosterEnded {
    pub(super) rows: usize,
    pub(super) kills: usize,
    pub(super) violation: Option<String>,
}

const SETTLE: Duration = Duration::from_mins(1);
/// When the world begins, and the machine was started.
pub(super) const BEGINNING: Duration = Duration::from_secs(1_000_000);

pub(super) fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

/// A row as the operator has it, and whose it is.
#[derive(Clone)]
pub(super) struct Line {
    pub(super) person: usize,
    pub(super) email: String,
    pub(super) first_name: String,
    pub(super) reference: Option<String>,
}

/// What is to come: an answer, or a write to the journal that is under way.
enum Coming<'r> {
    Done(Completion<'r>),
    Written(Vec<usize>, Box<dyn FnOnce() -> Result<Vec<KnownRow>, Failure>>),
}

type Agenda<'r> = Vec<(Duration, Coming<'r>)>;

#[expect(clippy::struct_excessive_bools, reason = "what may happen in this world, each by itself")]
pub(super) struct World {
    pub(super) off: Off,
    pub(super) random: fastrand::Rng,
    pub(super) now: Duration,
    /// How far the wall clock is off, in milliseconds.
    pub(super) jump: i64,
    pub(super) jumps: bool,
    pub(super) service: Service,
    pub(super) store: MemoryRows,
    pub(super) hasher: RowHasher,
    pub(super) lines: Vec<Line>,
    pub(super) edited: HashSet<usize>,
    pub(super) edits: bool,
    pub(super) twins: bool,
    /// Reads never show what happens.
    pub(super) frozen: bool,
    pub(super) spelling: Spelling,
    /// How long a request may take effect after it was given up.
    lateness: f64,
    /// How often something goes wrong, in percent.
    trouble: u8,
    /// What goes wrong is that answers are cut off, and nothing else.
    cut_answers: bool,
    pub(super) replayed: HashSet<usize>,
    /// People that another process of this machine enrolled.
    pub(super) beside: HashSet<usize>,
    /// People that another machine enrolled.
    pub(super) by_others: HashSet<usize>,
    kills: usize,
    broken: Option<String>,
    tells: bool,
}

impl World {
    pub(super) fn new(off: Off, seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        // Requests are late and reads lag; or reads lag far, and a witness tells; or they stand still: what they lack tells.
        let far = off == Off::Freshness || (off == Off::Nothing && random.u8(..5) == 0);
        let frozen = off == Off::Nothing && !far && random.u8(..5) == 0;
        let (lateness, lag) = match random.u8(..4) {
            _ if far || frozen => (0.0, 90.0),
            0 => (20.0 * random.f64(), 0.0),
            _ => (20.0 * random.f64(), 30.0 * random.f64()),
        };
        let cut_answers = !far && !frozen && (off == Off::AnsweredIsKept || random.u8(..8) == 0);
        let spelling = match random.u8(..8) {
            _ if far || frozen => Spelling::Plain,
            _ if cut_answers => Spelling::Email,
            0 => Spelling::Email,
            1 => Spelling::Reference,
            2 => Spelling::Names,
            3 => Spelling::Cut,
            4 => Spelling::Both,
            _ => Spelling::Plain,
        };
        let twins = !cut_answers && (far || random.bool());
        let rows = 4 + random.usize(..24);
        let exact_share = if cut_answers { 0 } else { [0, 80, 100][random.usize(..3)] };
        let lines = (0..rows).map(|row| {
            let person = if twins && row % 9 == 8 { row - 1 } else { row };
            let exact = (person * 37 + rows) % 100 < exact_share;
            Line {
                person,
                email: format!("p{person}+hr@x.example"),
                first_name: format!("Ann  P{person}"),
                reference: exact.then(|| format!("ref-{person}")),
            }
        });
        Self {
            off,
            now: BEGINNING,
            jump: 0,
            jumps: !far && !frozen && (off == Off::BootClock || random.bool()),
            service: if frozen { Service::frozen(BEGINNING) } else { Service::new(seconds(lag), spelling) },
            frozen,
            store: MemoryRows::new(off),
            hasher: RowHasher::new(b"a secret of the model"),
            lines: lines.collect(),
            edited: HashSet::new(),
            edits: !far && !frozen && !twins,
            twins,
            spelling,
            lateness,
            trouble: [5, 20, 60][random.usize(..3)],
            cut_answers,
            replayed: HashSet::new(),
            beside: HashSet::new(),
            by_others: HashSet::new(),
            kills: 0,
            broken: None,
            tells: asked("ASSESSCTL_MODEL_SEED") == Some(seed),
            random,
        }
    }

    pub(super) fn reads_lag_far(&self) -> bool {
        self.service.lag() > SETTLE
    }

    /// Tells what happens where a seed is replayed.
    pub(super) fn tell(&self, what: &str) {
        if self.tells {
            eprintln!("{:>10.3} {what}", self.now.saturating_sub(BEGINNING).as_secs_f64());
        }
    }

    pub(super) fn chance(&mut self, percent: u8) -> bool {
        self.random.u8(..100) < percent
    }

    /// Runs the command until it has nothing to do, killing it now and then.
    pub(super) fn run(mut self) -> RosterEnded {
        self.tell(&format!(
            "reads lag {:?}, frozen: {}, spelling {:?}",
            self.service.lag(),
            self.frozen,
            self.spelling
        ));
        self.remove_some();
        self.enrol_namesakes();
        let mut last = None;
        let mut undisturbed = 0;
        for attempt in 0..40 {
            let ended = self.run_once(attempt < 30);
            self.now += seconds(self.random.f64() * 30.0);
            let Some(finished) = ended else {
                self.between_runs();
                continue;
            };
            undisturbed += 1;
            let done = !matches!(finished.verdict, Verdict::Unfinished | Verdict::NoAnswer | Verdict::Interrupted);
            last = Some(finished);
            if done || undisturbed == 4 {
                break;
            }
            if undisturbed < 3 {
                self.between_runs();
            }
        }
        let violation = self.broken.take().or_else(|| match last {
            Some(finished) => self.violation(&finished),
            None => Some("no run came to its end".to_owned()),
        });
        RosterEnded { rows: self.lines.len(), kills: self.kills, violation }
    }

    pub(super) fn roster(&self) -> Roster {
        let cells = self.lines.iter().map(|line| {
            [Some(line.email.as_str()), Some(line.first_name.as_str()), None, None, line.reference.as_deref()]
        });
        Roster::of_cells("a test", cells)
    }

    pub(super) fn beginning(&self) -> Beginning {
        let wall = millis(self.now) + self.jump;
        let boot = BootTime { boot: Uuid::from_u128(1), ticks: millis(self.now.saturating_sub(BEGINNING)) };
        let at = Duration::from_millis(u64::try_from(wall).expect("after 1970"));
        Beginning { at, moment: Moment { wall, boot: Some(boot) } }
    }

    fn options(&mut self) -> RunOptions {
        let settle = if self.off == Off::Settle { Duration::ZERO } else { SETTLE };
        let plan = PlanSettings {
            concurrency: 1 + self.random.usize(..6),
            settle,
            dry_run: false,
            on_existing: OnExisting::Skip,
            resend_in_doubt: self.cut_answers,
            at_end: if self.chance(20) { AtEnd::Leave } else { AtEnd::Wait },
            wait_for_list: true,
            seed: self.random.u64(..),
        };
        let recent = if self.off == Off::UnseenIsNotGone { Duration::ZERO } else { settle };
        let patience = seconds(2.0);
        let journal =
            JournalPolicy { again: false, on_existing: OnExisting::Skip, settle: recent, patience, locked: true };
        RunOptions { plan, allow_duplicates: self.twins, journal }
    }

    /// One run, `None` if it was killed. The run's own clock is the wall clock at its beginning, counted on.
    fn run_once(&mut self, may_be_killed: bool) -> Option<Finished> {
        // Where people can't be found by what was sent, only answers tell: what a kill loses is the user's to decide.
        let killed_after = (may_be_killed && !self.cut_answers && self.can_be_told() && self.chance(60))
            .then(|| self.random.usize(..120));
        let roster = self.roster();
        let (options, beginning) = (self.options(), self.beginning());
        let journal = (self.store.clone(), self.hasher.clone());
        let mut machine = Machine::new((&roster, HashMap::new()), journal, options, beginning).expect("a journal");
        let began = self.now;
        let own = |now: Duration| beginning.at + now.saturating_sub(began);
        let whole = self.random.u8(..4) > 0;
        self.tell(if whole { "a run begins with the list" } else { "a run begins with look-ups" });
        if whole {
            for record in self.service.list(self.now, &mut self.random) {
                machine.comparison.add_record(&record);
            }
        }
        machine.begin(own(self.now), whole).expect("a journal");
        let mut agenda: Agenda<'_> = Vec::new();
        let mut event = Event::Tick;
        for step in 0..100_000 {
            for action in machine.step(own(self.now), event) {
                self.act(&roster, &mut machine, own(self.now), action, &mut agenda);
            }
            if machine.plan.is_finished() {
                let finished = machine.finish();
                self.tell(&format!("ended {:?}", finished.verdict));
                return Some(finished);
            }
            if killed_after.is_some_and(|after| step > after) {
                self.kill(agenda);
                return None;
            }
            if self.chance(20) {
                machine.view.flush().expect("a journal");
            }
            if self.chance(1) {
                self.another_process(&roster);
            }
            let wake = machine.plan.wakes_at().map(|at| began + at.saturating_sub(beginning.at));
            event = match self.next(wake, &mut agenda) {
                Some(completion) => self.without_rules(machine.take(own(self.now), completion)),
                None => Event::Tick,
            };
            if !matches!(event, Event::Tick) {
                self.tell(&format!("    {event:?}"));
            }
        }
        self.broken = Some("a run does not end".to_owned());
        None
    }

    /// The rules that are switched off where answers come in.
    fn without_rules(&self, event: Event) -> Event {
        match event {
            Event::Looked(row, mut found) if self.off == Off::Perhaps => {
                found.perhaps = None;
                Event::Looked(row, found)
            }
            Event::Answered(row, Answer::Lost { words, .. }) if self.off == Off::NoBlindRetry => {
                Event::Answered(row, Answer::NeverSent { words, permanent: false })
            }
            event => event,
        }
    }

    fn act<'r>(
        &mut self,
        roster: &'r Roster,
        machine: &mut Machine<'r, MemoryRows>,
        own: Duration,
        action: Action,
        agenda: &mut Agenda<'r>,
    ) {
        let soon = self.now + seconds(0.01 + 0.2 * self.random.f64());
        self.tell(&format!("{action:?}"));
        let coming = match action {
            Action::Journal(rows) => {
                let write = machine.view.commit(&rows, &machine.comparison, own);
                Coming::Written(rows, Box::new(write))
            }
            Action::Send(row) => Coming::Done(Completion::Answered(row, self.send(roster, row, soon))),
            Action::Ask(row) => Coming::Done(Completion::Asked(row, self.read(roster, row, true, false))),
            Action::Look { row, closely } => {
                // Where answers are cut off, nor does a search find who is spelt otherwise: what was answered has to do.
                let searches = closely && !self.cut_answers && self.off != Off::Alike;
                Coming::Done(Completion::Looked(row, self.read(roster, row, closely, searches)))
            }
            Action::ReadBack(row) => {
                let mut records = self.read(roster, row, false, false);
                if let (Off::Freshness, Some(entry)) = (self.off, machine.plan.entry(row)) {
                    let all = self.service.entries.iter().map(|entry| &entry.record);
                    records = Ok(all.filter(|record| record.entry_id() == entry).cloned().collect());
                }
                Coming::Done(Completion::Looked(row, records))
            }
            Action::Audit { whole } => {
                let list = whole || self.random.bool();
                let (mut audit, rows) = machine.audit(list);
                if list {
                    self.service.list(self.now, &mut self.random).iter().for_each(|record| audit.add_record(record));
                }
                for row in rows.into_iter().filter(|_| !list) {
                    self.read(roster, row, false, false)
                        .unwrap_or_default()
                        .iter()
                        .for_each(|record| audit.add_record(record));
                }
                Coming::Done(Completion::Audited(Ok((audit, list.then_some(1)))))
            }
            Action::Update(_) | Action::Note(..) | Action::Release(_) | Action::Compare => return,
        };
        agenda.push((soon, coming));
    }

    fn read(&mut self, roster: &Roster, row: usize, both: bool, searches: bool) -> Result<Vec<TestTaker>, ReadFailure> {
        if self.chance(self.trouble / 10) {
            return Err(ReadFailure { stop: None, words: "503".to_owned() });
        }
        let person = roster.person(row).expect("a person");
        let words = if searches { search_words(&person) } else { Vec::new() };
        Ok(self.service.look_up(self.now, &mut self.random, (&person, both), &words))
    }

    /// One request, with all that can become of it.
    fn send(&mut self, roster: &Roster, row: usize, soon: Duration) -> Answer {
        let (sent, person) = (roster.person(row).expect("a person"), self.lines[row].person);
        let lost = || Answer::Lost { words: "reset".to_owned(), status: None };
        if !self.chance(self.trouble) || !self.can_be_told() {
            let enrolment = self.service.enrol(person, &sent, self.now, false);
            return classify(&sent, Ok(enrolment));
        }
        match self.random.u8(..10) {
            _ if self.cut_answers => {
                self.service.enrol(person, &sent, self.now, false);
                Answer::DoneIdUnknown("cut off".to_owned())
            }
            0 | 1 => {
                self.service.enrol(person, &sent, self.now, false);
                lost()
            }
            2 => {
                self.service.enrol(person, &sent, self.now, false);
                Answer::DoneIdUnknown("cut off".to_owned())
            }
            3 | 4 => {
                let late = soon + seconds(self.lateness * self.random.f64());
                self.service.enrol_late(person, &sent, late);
                lost()
            }
            5 => Answer::RefusedForNow { wait: seconds(1.0), words: "429".to_owned() },
            6 => Answer::NeverSent { words: "refused".to_owned(), permanent: false },
            7 => Answer::Lost { words: "409".to_owned(), status: Some(409) },
            8 => {
                self.replayed.insert(person);
                self.service.enrol(person, &sent, self.now, false);
                let enrolment = self.service.enrol(person, &sent, self.now, false);
                classify(&sent, Ok(enrolment))
            }
            _ => lost(),
        }
    }

    /// The next thing that happens; `None` where time alone makes something due.
    fn next<'r>(&mut self, wake: Option<Duration>, agenda: &mut Agenda<'r>) -> Option<Completion<'r>> {
        let first = (0..agenda.len()).min_by_key(|index| agenda[*index].0);
        match first {
            Some(index) if wake.is_none_or(|wake| agenda[index].0 <= wake) => {
                let (at, coming) = agenda.swap_remove(index);
                self.now = self.now.max(at);
                Some(match coming {
                    Coming::Done(completion) => completion,
                    Coming::Written(rows, write) => Completion::Journaled(rows, write()),
                })
            }
            _ => {
                self.now = self.now.max(wake.expect("something to wait for"));
                None
            }
        }
    }

    /// The power goes: a transaction that was under way is whole or is not there.
    fn kill(&mut self, agenda: Agenda<'_>) {
        self.kills += 1;
        self.tell("killed");
        for (_, coming) in agenda {
            if let Coming::Written(_, write) = coming
                && self.random.bool()
            {
                write().expect("a journal");
            }
        }
    }
}
