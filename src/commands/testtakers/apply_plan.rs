//! `testtakers apply FILE`: the lines that a reviewer left of a plan, each on the condition that all is as it was.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use crate::api::VerifiedList;
use crate::bulk::outcome::{Finished, Outcome, RowResult};
use crate::bulk::run_plan::Enrolling;
use crate::bulk::run_verdict::ended;
use crate::bulk::sync::classes::Leaver;
use crate::bulk::sync::known_people::KnownPeople;
use crate::bulk::sync::limits::{OLDEST_IN_WORDS, is_old};
use crate::bulk::sync::plan_change::PlannedChange;
use crate::bulk::sync::plan_file::PlanHead;
use crate::commands::shared::project_args::ProjectContext;
use crate::commands::shared::run_failure::{InDoubt, end_of_parts, failure};
use crate::commands::shared::session::Session;
use crate::commands::testtakers::apply_preconditions::{
    CHANGED, Leaving, PlannedRows, entries, holds, is_newer, leaving,
};
use crate::commands::testtakers::enrol_run::{DoubtArgs, LockMode, enrol_for_sync};
use crate::commands::testtakers::sync_blind_list::refuse_blind;
use crate::commands::testtakers::sync_journaled::Journaled;
use crate::commands::testtakers::sync_old_entries::{
    Joined, read_people, remove_leavers, say_after, say_before, unseen,
};
use crate::commands::testtakers::sync_report::SyncReport;
use crate::journal::clock::Moment;
use crate::journal::held_syncs::Hold;
use crate::journal::synced_rosters::open_moves::OpenMove;
use crate::journal::synced_rosters::{SyncEnd, SyncJournal};
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::projects::ProjectId;

/// A plan that a person wants applied.
pub struct ApplyPlan<'a> {
    pub session: &'a Session,
    /// Of the plan's projects, in their order.
    pub contexts: Vec<ProjectContext<'a>>,
    pub journal: SyncJournal,
    pub head: PlanHead,
    pub changes: Vec<PlannedChange>,
    /// What this machine keeps of the plan.
    pub kept: Hold,
    pub doubt: DoubtArgs,
    pub report: SyncReport,
}

/// How the lines ended, by their places: the halves that enrol and change, and the halves that remove.
#[derive(Default)]
struct LineEnds {
    joined: HashMap<usize, RowResult>,
    /// Lines whose person joins by an earlier line: of them only the other half is told.
    shared: HashSet<usize>,
    left: HashMap<usize, RowResult>,
    failures: Vec<Failure>,
    /// Something failed that another run may finish.
    is_open: bool,
}

impl ApplyPlan<'_> {
    /// Applies what is left of it: all enrolments and changes first, and removals only once nothing is open.
    pub async fn run(mut self) -> anyhow::Result<Verdict> {
        let (mut lists, mut journaled) = (BTreeMap::new(), BTreeMap::new());
        for (project, context) in self.head.projects.iter().zip(&self.contexts) {
            self.session.works_on(&project.name);
            lists.insert(project.id, read_people(context).await?);
            journaled.insert(project.id, Journaled::read(context, Duration::ZERO)?);
        }
        if self.head.projects.len() > 1 {
            self.session.works_on_several(self.head.projects.len());
        }
        let plan = (self.changes.as_slice(), self.head.source.as_str(), self.kept.number);
        let leaving = leaving(plan, &self.journal, &lists, &journaled)?;
        self.refuse_blind(&lists, &leaving)?;
        let pairs = self.pairs(&leaving);
        say_before(self.session, pairs.len());
        self.begin_moves(&pairs)?;
        self.begin_joins()?;
        let mut ends = LineEnds::default();
        self.contexts.sort_by_key(|context| context.project);
        for context in &self.contexts {
            self.join(context, &lists[&context.project], &leaving, &mut ends).await?;
        }
        if !ends.is_open {
            for context in &self.contexts {
                self.look_for_joined(context, &pairs, &mut ends).await?;
            }
            for context in &self.contexts {
                self.leave(context, &leaving, &mut ends).await?;
            }
        }
        self.end(ends)
    }

    /// Refuses a list that lacks people who are to leave, and everyone else who is remembered there.
    fn refuse_blind(
        &self,
        lists: &BTreeMap<ProjectId, VerifiedList>,
        leaving: &HashMap<usize, Leaving>,
    ) -> anyhow::Result<()> {
        for context in &self.contexts {
            let project = context.project;
            let mut lines = self.changes.iter().enumerate();
            let is_missing = lines.any(|(line, change)| {
                change.leaves().is_some_and(|(from, ..)| from == project) && !leaving.contains_key(&line)
            });
            if is_missing {
                let known = self.journal.recall(project, &self.head.source)?;
                let known = KnownPeople::new(known.map(|known| known.people).unwrap_or_default());
                refuse_blind(context, &lists[&project], (&known, &self.journal.hasher()))?;
            }
        }
        Ok(())
    }

    /// The pairs whose old entries are as they were.
    fn pairs(&self, leaving: &HashMap<usize, Leaving>) -> Vec<usize> {
        let pairs = self.changes.iter().enumerate().filter(|(at, change)| {
            let is_pair = change.joins().is_some() && change.leaves().is_some();
            is_pair && matches!(leaving.get(at), Some(Leaving::Stands(_)))
        });
        pairs.map(|(at, _)| at).collect()
    }

    /// Writes the moves down: an apply that is killed between their halves is finished by the next one.
    fn begin_moves(&mut self, pairs: &[usize]) -> anyhow::Result<()> {
        let hasher = self.journal.hasher();
        let moves = pairs.iter().filter_map(|at| {
            let change = &self.changes[*at];
            let ((to, _), (from, entry, was)) = (change.joins()?, change.leaves()?);
            Some(OpenMove { from, entry, to, key: was.keys(&hasher).primary()? })
        });
        let moves: Vec<OpenMove> = moves.collect();
        if moves.is_empty() {
            return Ok(());
        }
        Ok(self.journal.begin_moves(&self.head.source, &moves)?)
    }

    /// Writes down who is about to be enrolled, as a sync does.
    fn begin_joins(&mut self) -> anyhow::Result<()> {
        let hasher = self.journal.hasher();
        let joins = self.changes.iter().filter(|change| change.updated().is_none()).filter_map(|change| {
            let (project, person) = change.joins()?;
            Some((project, person.keys(&hasher).primary()?))
        });
        Ok(self.journal.begin_joins(&self.head.source, &joins.collect::<Vec<_>>())?)
    }

    /// Enrols and changes the people of one project, where the preconditions hold; those with another e-mail last.
    async fn join(
        &self,
        context: &ProjectContext<'_>,
        list: &VerifiedList,
        leaving: &HashMap<usize, Leaving>,
        ends: &mut LineEnds,
    ) -> anyhow::Result<()> {
        for again in [false, true] {
            let lines = self.changes.iter().enumerate().filter(|(_, change)| {
                let is_here = change.joins().is_some_and(|(to, _)| to == context.project);
                is_here && matches!(change, PlannedChange::Replace { .. }) == again
            });
            let rows = PlannedRows::new(lines.map(|(at, _)| at), &self.changes);
            if rows.lines.is_empty() || ends.is_open {
                continue;
            }
            let finished = self.enrol(context, list, &rows, leaving, again).await?;
            ends.is_open |= !matches!(finished.verdict, Verdict::Done | Verdict::RowsToFix);
            ends.failures.extend(finished.stop.as_ref().and_then(|_| failure(&finished, true, InDoubt::Awaited)));
            ends.joined.extend(rows.of_lines(&finished.ends).map(|(line, end)| (line, end.clone())));
            ends.shared.extend(rows.sharing());
        }
        Ok(())
    }

    async fn enrol(
        &self,
        context: &ProjectContext<'_>,
        list: &VerifiedList,
        rows: &PlannedRows,
        leaving: &HashMap<usize, Leaving>,
        again: bool,
    ) -> anyhow::Result<Finished> {
        let project = context.project;
        let enrolling = |settled| Enrolling { project, roster: &rows.roster, list: Some(list), settled };
        let rehearsal = enrol_for_sync(context, enrolling(HashMap::new()), self.doubt, LockMode::DryRun, again).await?;
        if rehearsal.stop.is_some() {
            return Ok(not_attempted(rehearsal));
        }
        let now = entries(&self.changes, list)?;
        let held = rows
            .of_lines(&rehearsal.ends)
            .zip(&rows.lines)
            .filter(|((line, end), _)| holds((&self.changes[*line], leaving.get(line)), end, &now));
        let held: HashSet<usize> = held.map(|(_, (_, row))| *row).collect();
        let not_held = rehearsal.ends.iter().enumerate().filter(|(row, _)| !held.contains(row));
        let settled: HashMap<usize, RowResult> = not_held
            .map(|(row, end)| {
                let ended = RowResult { entry: end.entry, ..RowResult::new(Outcome::ChangedSincePlan) };
                (row, ended.with_message(CHANGED))
            })
            .collect();
        if held.is_empty() {
            let ends: BTreeMap<usize, RowResult> = settled.into_iter().collect();
            return Ok(ended(ends.into_values().collect()));
        }
        enrol_for_sync(context, enrolling(settled), self.doubt, LockMode::Locked, again).await
    }

    /// Looks whether those who joined a project stand there; else their old entries stay.
    async fn look_for_joined(
        &self,
        context: &ProjectContext<'_>,
        pairs: &[usize],
        ends: &mut LineEnds,
    ) -> anyhow::Result<()> {
        let id = context.project;
        let here = pairs.iter().copied().filter(|at| self.changes[*at].joins().is_some_and(|(to, _)| to == id));
        let rows = PlannedRows::new(here, &self.changes);
        let joined = rows.lines.iter().filter_map(|(line, row)| {
            let (from, old, _) = self.changes[*line].leaves()?;
            let (row, end) = ((&rows.roster, *row), ends.joined.get(line)?);
            Some((*line, Joined { row, end, old, is_replacement: from == id }))
        });
        for unseen in unseen(context, &self.journal.hasher(), &joined.collect::<Vec<_>>()).await? {
            ends.is_open |= unseen.was_enrolled;
            ends.left.insert(unseen.place, unseen.end);
        }
        Ok(())
    }

    /// Removes who leaves a project and is as they were.
    async fn leave(
        &self,
        context: &ProjectContext<'_>,
        leaving: &HashMap<usize, Leaving>,
        ends: &mut LineEnds,
    ) -> anyhow::Result<()> {
        let (mut lines, mut leavers) = (Vec::new(), Vec::new());
        for (line, change) in self.changes.iter().enumerate() {
            let Some((from, entry, _)) = change.leaves() else { continue };
            if from != context.project || ends.left.contains_key(&line) {
                continue;
            }
            let has_changed = ends.joined.get(&line).is_some_and(|end| end.outcome == Outcome::ChangedSincePlan);
            let (outcome, words) = match leaving.get(&line) {
                Some(Leaving::Stands(leaver)) => {
                    lines.push(line);
                    leavers.push(of_pair(change, leaver));
                    continue;
                }
                Some(Leaving::Changed(words)) => (Outcome::ChangedSincePlan, Some(*words)),
                None if has_changed => (Outcome::ChangedSincePlan, Some(CHANGED)),
                None => (Outcome::GoneAlready, None),
            };
            let end = RowResult::new(outcome).with_entry(entry);
            ends.left.insert(line, words.into_iter().fold(end, RowResult::with_message));
        }
        let removed = remove_leavers(context, &context.removals()?, &leavers).await?;
        ends.is_open |= !removed.is_whole();
        ends.failures.extend(removed.failure());
        ends.left.extend(lines.into_iter().zip(removed.finished.ends));
        Ok(())
    }

    /// Prints how each line ended, and remembers the roster.
    fn end(mut self, ends: LineEnds) -> anyhow::Result<Verdict> {
        let LineEnds { mut joined, shared, left, mut failures, is_open } = ends;
        joined.retain(|line, _| !shared.contains(line));
        for (line, change) in self.changes.iter().enumerate() {
            if let (Some((project, _)), Some(end)) = (change.joins(), joined.get(&line)) {
                self.report.project(self.head.name_of(project));
                self.report.joining(change, end)?;
            }
            if let (Some((project, ..)), Some(end)) = (change.leaves(), left.get(&line)) {
                self.report.project(self.head.name_of(project));
                self.report.leaving(change, end)?;
            }
        }
        let gone = left.values().filter(|end| end.outcome == Outcome::Removed).count();
        let finished = ended(joined.into_values().chain(left.into_values()).collect());
        if !is_open {
            self.remember(&finished)?;
        }
        let (id, place) = (&self.head.id, self.session.place());
        let printed = self.report.finish();
        let applied = if is_open { "not applied to its end" } else { "applied" };
        self.session.console.note(&format!("plan {id} {applied}: {}{place}", finished.counts));
        say_after(self.session, gone);
        printed?;
        let lines = failure(&finished, true, InDoubt::Repeated);
        let changes = finished.counts.any(Outcome::is_change);
        let verdicts = failures.iter().map(|failure| failure.verdict);
        let gravest = verdicts.map(|verdict| if changes { verdict.beside_changes() } else { verdict }).max();
        // What a part said of itself in more words is not said again.
        failures.extend(lines.filter(|lines| gravest < Some(lines.verdict)));
        end_of_parts(self.session.console, failures, changes)
    }

    /// Notes that the plan was applied, and remembers its roster, if a reviewer left it whole, all of it was done, and no
    /// newer one is remembered.
    fn remember(&mut self, finished: &Finished) -> anyhow::Result<()> {
        let mut rosters = Vec::new();
        let undone = finished.counts.any(|outcome| outcome.is_to_fix() || outcome.is_unfinished());
        if self.changes.len() < self.head.changes {
            self.session.console.note("lines were deleted: the roster is not remembered");
        } else if undone {
            self.session.console.note("lines were not done: the roster is not remembered");
        } else {
            for (project, roster) in self.journal.planned(self.kept.id)? {
                let known = self.journal.recall(project, &self.head.source)?;
                if known.is_none_or(|known| !is_newer(&known, self.kept.number)) {
                    rosters.push((project, roster));
                }
            }
        }
        let applied = Hold { settled: Some(Moment::now()), people: Vec::new(), ..self.kept.clone() };
        Ok(self.journal.end(&self.head.source, SyncEnd { rosters, held: Some(applied), ..SyncEnd::default() })?)
    }
}

/// A rehearsal that could not be brought to its end, as a run in which nothing was attempted.
fn not_attempted(rehearsal: Finished) -> Finished {
    let ends = rehearsal.ends.into_iter().map(|end| RowResult { outcome: Outcome::NotAttempted, ..end });
    let counted = ended(ends.collect());
    Finished { stop: rehearsal.stop, verdict: rehearsal.verdict, ..counted }
}

/// Who leaves by a line. One who is replaced is remembered by the e-mail: by the reference id the person stays.
fn of_pair(change: &PlannedChange, leaver: &Leaver) -> Leaver {
    let is_replaced = matches!(change, PlannedChange::Replace { .. });
    if is_replaced { leaver.without_reference() } else { leaver.clone() }
}

/// How many people the plan removes, as its reviewer left it.
pub fn removal_count(changes: &[PlannedChange]) -> usize {
    changes.iter().filter(|change| change.leaves().is_some()).count()
}

/// Refuses a plan of another service.
pub fn check_service(head: &PlanHead, service: &str) -> Result<(), Failure> {
    if head.service == service { Ok(()) } else { Err(unusable("the plan is of another service; nothing was sent")) }
}

/// Refuses a plan that is too old.
pub fn check_age(kept: &Hold) -> Result<(), Failure> {
    if is_old(&Moment::now(), &kept.held) {
        return Err(unusable(&format!("the plan was made more than {OLDEST_IN_WORDS} ago; nothing was sent")));
    }
    Ok(())
}

fn unusable(cause: &str) -> Failure {
    Failure::new(Verdict::Refused, cause).hint("make a new one with `assessctl testtakers sync FILE --plan PLAN`")
}
