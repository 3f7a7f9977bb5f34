//! A run without clock, disk and network: plan, comparison and journal together, and what each answer means to them.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::time::Duration;

use crate::api::Error;
use crate::journal::clock::{Millis, millis};
use crate::journal::row_store::{Fact, KnownRow, RowHasher, RowStore};
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::testtakers::{EntryId, TestTaker};

use super::answer_evidence::Answer;
use super::compare::Comparison;
use super::compare::match_rule::{Likeness, likeness};
use super::early_stop::{Stop, stop};
use super::journal_policy::JournalPolicy;
use super::journal_view::JournalView;
use super::outcome::{Finished, Outcome, RowOutcome, RowResult};
use super::plan::{Action, Event, FoundEntries, Plan, PlanSettings, RowState};
use super::roster::{Field, Roster};
use super::run_start::Beginning;

/// What a run is to do.
#[derive(Clone, Copy, Debug)]
pub struct RunOptions {
    /// How the plan decides.
    pub plan: PlanSettings,
    /// Another e-mail with the same reference id is another person.
    pub allow_duplicates: bool,
    /// What the journal's knowledge means.
    pub journal: JournalPolicy,
}

/// Why a read could not be made.
#[derive(Clone, Debug)]
pub struct ReadFailure {
    /// Why nothing more can be done in this run.
    pub stop: Option<Stop>,
    /// For people.
    pub words: String,
}

impl From<Error> for ReadFailure {
    fn from(error: Error) -> Self {
        Self { stop: stop(&error), words: error.to_string() }
    }
}

/// What came of a command.
pub enum Completion<'r> {
    /// Records by the row's reference id and by its e-mail.
    Asked(usize, Result<Vec<TestTaker>, ReadFailure>),
    /// The answer to one create.
    Answered(usize, Answer),
    /// Records by what tells the row best.
    Looked(usize, Result<Vec<TestTaker>, ReadFailure>),
    /// An enrolled row was changed, or not.
    Updated(usize, RowOutcome),
    /// The intents were written, but for the keys that another process had claimed.
    Journaled(Vec<usize>, Result<Vec<KnownRow>, Failure>),
    /// What was read was held against the rows, and about how many requests the list takes.
    Audited(Result<(Box<Comparison<'r>>, Option<usize>), ReadFailure>),
}

/// The state of a run over a roster.
pub struct Machine<'r, S> {
    roster: &'r Roster,
    /// What is decided.
    pub plan: Plan,
    /// What is remembered.
    pub view: JournalView<'r, S>,
    /// What the service held before anything was sent.
    pub comparison: Comparison<'r>,
    /// Entries that were removed from here a short time ago.
    removed: HashMap<EntryId, Millis>,
    /// Rows that have a mistake or are settled beforehand.
    invalid: HashMap<usize, RowResult>,
}

impl<'r, S: RowStore> Machine<'r, S> {
    /// Prepares for the rows of a roster, but for those that are settled beforehand; nothing was read of the service yet.
    pub fn new(
        (roster, settled): (&'r Roster, HashMap<usize, RowResult>),
        (store, hasher): (S, RowHasher),
        options: RunOptions,
        beginning: Beginning,
    ) -> Result<Self, Failure> {
        let mut invalid = invalid(roster);
        invalid.extend(settled);
        let open = || (0..roster.row_count()).filter(|row| !invalid.contains_key(row));
        let mut comparison = Comparison::new(roster, open(), options.allow_duplicates);
        let groups = comparison.groups();
        let removed = store.removed_within(&beginning.moment, millis(options.journal.settle))?;
        comparison.pass_over(&removed);
        let mut view = JournalView::new(roster, store, hasher, options.journal, &groups, beginning)?;
        view.prepare(&mut comparison, open())?;
        let exact = (0..roster.row_count()).map(|row| roster.value(row, Field::ReferenceId).is_some()).collect();
        let plan = Plan::new(options.plan, exact, groups);
        Ok(Self { roster, plan, view, comparison, removed, invalid })
    }

    /// How many rows have no mistake.
    pub fn open_rows(&self) -> usize {
        self.roster.row_count() - self.invalid.len()
    }

    /// Gives each row its place. `whole` says that the project's list was read to its end; else each row is asked about.
    pub fn begin(&mut self, now: Duration, whole: bool) -> Result<(), Failure> {
        if whole {
            self.comparison.mark_list_complete();
            self.comparison.judge();
            self.view.forget_seen(&self.comparison);
            self.view.find_vanished(&self.comparison)?;
        } else {
            self.plan.without_list(self.view.has_enrolled()?);
        }
        for row in 0..self.roster.row_count() {
            let state = match self.invalid.remove(&row) {
                Some(ended) => RowState::Ended(ended),
                None if !whole => RowState::Unasked { in_doubt: self.view.doubtful().contains(&row) },
                None => self.view.start(row, &self.comparison, now)?,
            };
            self.plan.start(now, row, state);
        }
        if whole { self.look_for_others(now) } else { Ok(()) }
    }

    /// Tells the plan of people that other runs enrolled from here, by now, and that reads have not shown.
    fn look_for_others(&mut self, now: Duration) -> Result<(), Failure> {
        let lacking = self.view.lacking(now, &self.comparison, |entry| self.plan.is_of_roster(entry))?;
        if let Some(entry) = lacking {
            self.plan.reads_lack(entry);
        }
        Ok(())
    }

    /// Takes an event and says what is to be done outside: what concerns memory alone is done when this returns.
    pub fn step(&mut self, now: Duration, event: Event) -> Vec<Action> {
        let mut outside = Vec::new();
        let mut next = Some(event);
        while let Some(event) = next.take() {
            for action in self.plan.step(now, event) {
                match action {
                    Action::Note(row, fact) => self.view.note(row, fact, now),
                    Action::Release(row) => self.view.release(row, now),
                    Action::Compare => next = Some(self.compare(now)),
                    Action::Look { row, .. } if self.view.is_held(row) => outside.push(Action::Ask(row)),
                    action => outside.push(action),
                }
            }
        }
        outside
    }

    /// Everything that can be known of the rows that were asked about is known.
    fn compare(&mut self, now: Duration) -> Event {
        self.comparison.judge();
        self.view.forget_seen(&self.comparison);
        if let Err(failure) = self.view.find_vanished(&self.comparison) {
            return Event::JournalFailed(failure);
        }
        for row in self.plan.unasked() {
            match self.view.start(row, &self.comparison, now) {
                Ok(state) => self.plan.start(now, row, state),
                Err(failure) => return Event::JournalFailed(failure),
            }
        }
        Event::Compared
    }

    /// What an outcome of the outside means.
    pub fn take(&mut self, now: Duration, completion: Completion<'r>) -> Event {
        let answered = match &completion {
            Completion::Answered(row, _) | Completion::Looked(row, Ok(_)) => Some(*row),
            _ => None,
        };
        let event = match completion {
            Completion::Asked(row, Ok(records)) => Ok(self.asked(row, &records, now)),
            Completion::Answered(row, answer) => self.answered(row, answer, now),
            Completion::Looked(row, Ok(records)) => self.looked(row, &records, now),
            Completion::Updated(row, outcome) => Ok(Event::Updated(row, outcome)),
            Completion::Asked(row, Err(failure)) | Completion::Looked(row, Err(failure)) => {
                Ok(Event::ReadFailed(row, failure.stop, failure.words))
            }
            Completion::Journaled(rows, Ok(claimed)) => Ok(Event::Journaled(self.view.contested(&rows, claimed, now))),
            Completion::Journaled(_, Err(failure)) => Err(failure),
            Completion::Audited(Ok((audit, pages))) => self.audited(*audit, pages),
            Completion::Audited(Err(failure)) => Ok(Event::AuditFailed(failure.words)),
        };
        event.unwrap_or_else(|failure| {
            // Nothing would wait for this row any more.
            if let Some(row) = answered {
                self.plan.leave_unjudged(row, &failure.cause);
            }
            Event::JournalFailed(failure)
        })
    }

    fn asked(&mut self, row: usize, records: &[TestTaker], now: Duration) -> Event {
        if !self.view.is_held(row) {
            for record in records {
                self.comparison.add_record(record);
            }
            return Event::Asked(row);
        }
        // The row waits for another one, which may be what was found now.
        let mut found = self.comparison.of_row(row);
        found.pass_over(&self.removed);
        for record in records {
            found.add_record(record);
        }
        found.judge();
        let state = match found.result_of(row) {
            Some(ended) => {
                self.view.other_found(row, ended.entry, now);
                RowState::Ended(ended)
            }
            // What it waited for stands there, and is another person.
            None if self.view.sees_all(row, &found) => {
                self.view.other_found(row, None, now);
                RowState::New
            }
            None => return Event::Looked(row, FoundEntries::default()),
        };
        Event::Freed(row, state)
    }

    /// An answer names an entry: it is the row's, unless it cannot be.
    fn answered(&mut self, row: usize, answer: Answer, now: Duration) -> Result<Event, Failure> {
        let Answer::Done { enrolment, respelt, .. } = &answer else { return Ok(Event::Answered(row, answer)) };
        let entry = enrolment.project_entry_id;
        let came_back = self.removed.remove(&entry).is_some();
        let was_there = !came_back && self.comparison.was_there(entry);
        if was_there || self.plan.has_claimed(entry) || self.view.is_claimed(row, entry)? {
            let words = format!("was answered as entry {entry}, which is another person's");
            return Ok(Event::Answered(row, Answer::DoneIdUnknown(words)));
        }
        if *respelt && self.comparison.is_another_row(row, enrolment) {
            let words = format!("was answered with another row's person, as entry {entry}");
            return Ok(Event::Answered(row, Answer::DoneIdUnknown(words)));
        }
        if *respelt {
            self.plan.respelt(row);
            self.view.note(row, Fact::Respelt, now);
        }
        Ok(Event::Answered(row, answer))
    }

    fn looked(&mut self, row: usize, records: &[TestTaker], now: Duration) -> Result<Event, Failure> {
        // A row that is enrolled is read back for its own entry, however the service spells it.
        let own = self.plan.entry(row);
        let mut found = FoundEntries::default();
        let Some(person) = self.roster.person(row) else { return Ok(Event::Looked(row, found)) };
        for record in records {
            let entry = record.entry_id();
            if own == Some(entry) {
                found.ours.push(entry);
                continue;
            }
            match likeness(&person, record) {
                Likeness::Other => {}
                _ if self.view.is_anothers(row, entry, &self.comparison)? => {}
                Likeness::Same => found.ours.push(entry),
                Likeness::Perhaps | Likeness::PerhapsByName if self.plan.has_claimed(entry) => {}
                Likeness::PerhapsByName if self.comparison.names(record) => {}
                Likeness::Perhaps | Likeness::PerhapsByName => found.perhaps = found.perhaps.or(Some(entry)),
            }
        }
        if found.ours.is_empty() && self.plan.is_in_doubt(row) {
            self.look_for_others(now)?;
        }
        Ok(Event::Looked(row, found))
    }

    /// A comparison for the audit, and the rows whose entries it is to find: all of them in a list, else those that are not
    /// known to be there.
    pub fn audit(&self, list: bool) -> (Box<Comparison<'r>>, Vec<usize>) {
        let mut audit = Box::new(self.comparison.fresh_copy());
        audit.pass_over(&self.removed);
        audit.trust_entries();
        let mut rows = Vec::new();
        for row in 0..self.roster.row_count() {
            let Some(ended) = self.plan.ended(row) else { continue };
            let is_enrolled = matches!(ended.outcome, Outcome::Enrolled | Outcome::Duplicate);
            let Some(entry) = ended.entry.filter(|_| is_enrolled) else { continue };
            if list || self.plan.is_fresh(row) {
                audit.reserve(row, entry);
                rows.push(row);
            }
        }
        (audit, rows)
    }

    fn audited(&mut self, mut audit: Comparison<'r>, pages: Option<usize>) -> Result<Event, Failure> {
        self.view.flush()?;
        audit.judge();
        let mut twice = Vec::new();
        for row in audit.rows_with_further_entries() {
            let mut others = Vec::new();
            for entry in audit.further_entries(row) {
                if !self.plan.has_claimed(entry) && !self.view.is_anothers(row, entry, &self.comparison)? {
                    others.push(entry);
                }
            }
            if !others.is_empty() && self.plan.ended(row).is_some_and(|ended| ended.outcome == Outcome::Enrolled) {
                others.sort_unstable();
                twice.push((row, others));
            }
        }
        Ok(Event::Audited { missing: audit.missing(), twice, pages })
    }

    /// Ends the run. What can't be written is looked up by the next one.
    pub fn finish(mut self) -> Finished {
        let written = self.view.flush();
        for row in self.view.doubtful() {
            self.plan.leave_in_doubt(*row);
        }
        let mut finished = self.plan.end();
        for (row, end) in finished.ends.iter_mut().enumerate() {
            if end.outcome == Outcome::WouldUpdate {
                end.entry = self.comparison.differs(row);
            }
        }
        if let Err(failure) = written {
            // What a busy journal lacks is looked up by the next run.
            let is_busy = failure.verdict == Verdict::Locked;
            finished.verdict = finished.verdict.max(if is_busy { Verdict::Unfinished } else { Verdict::Unforeseen });
            finished.stop.get_or_insert(Stop::journal(&failure));
        }
        finished
    }
}

/// The rows that have a mistake, each with what is wrong.
pub fn invalid(roster: &Roster) -> HashMap<usize, RowResult> {
    let mut messages: HashMap<usize, String> = HashMap::new();
    for mistake in &roster.mistakes {
        let Some(row) = mistake.row else { continue };
        let message = messages.entry(row).or_default();
        let between = if message.is_empty() { "" } else { "; " };
        *message = format!("{message}{between}{}: {}", mistake.about, mistake.message);
    }
    let results =
        messages.into_iter().map(|(row, message)| (row, RowResult::new(Outcome::Invalid).with_message(message)));
    results.collect()
}
