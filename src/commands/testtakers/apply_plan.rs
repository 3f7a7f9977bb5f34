//! `testtakers apply FILE`: the lines that a reviewer left of a plan, each on the condition that all is as it was.

use std::collections::{HashMap, HashSet};

use crate::api::{Client, VerifiedList};
use crate::bulk::outcome::{Finished, Outcome, RowResult};
use crate::bulk::roster::Roster;
use crate::bulk::run::Enrolling;
use crate::bulk::sync::classes::Leaver;
use crate::bulk::sync::known::KnownPeople;
use crate::bulk::sync::person_keys::PersonKeys;
use crate::bulk::sync::plan_file::{PlanHead, PlanPerson, PlannedChange};
use crate::bulk::verdict::ended;
use crate::commands::shared::run_failure::{AGAIN, LOOK, failure};
use crate::commands::shared::session::Session;
use crate::commands::testtakers::enrol_run::{DoubtArgs, LockMode};
use crate::commands::testtakers::remove::removals;
use crate::commands::testtakers::sync_enrol::enrol;
use crate::commands::testtakers::sync_removal::{Removed, read_people, remove_leavers};
use crate::commands::testtakers::sync_report::SyncReport;
use crate::journal::clock::Moment;
use crate::journal::holds::Hold;
use crate::journal::synced::{SyncEnd, SyncJournal};
use crate::model::projects::ProjectId;
use crate::model::testtakers::{EntryId, TestTaker};
use crate::model::verdict::{Failure, Verdict};

/// A plan that a person wants applied.
pub struct ApplyPlan<'a> {
    pub session: &'a Session,
    pub client: &'a Client,
    pub journal: SyncJournal,
    pub head: PlanHead,
    pub changes: Vec<PlannedChange>,
    /// What this machine keeps of the plan.
    pub kept: Hold,
    pub doubt: DoubtArgs,
    pub report: SyncReport,
}

/// The rows of one project: who is enrolled or changed, each with the change.
struct PlannedRows {
    roster: Roster,
    changes: Vec<PlannedChange>,
}

/// How the removals of a plan stand.
#[derive(Default)]
struct PlannedRemovals {
    leavers: Vec<Leaver>,
    /// Lines whose people are not as they were, or not there.
    others: Vec<(PlannedChange, RowResult)>,
}

const CHANGED: &str = "is not as it was when the plan was made";

impl ApplyPlan<'_> {
    /// Applies what is left of it.
    pub async fn run(mut self) -> anyhow::Result<Verdict> {
        let (mut all, mut failures, mut is_whole) = (Vec::new(), Vec::new(), true);
        for project in self.head.projects.clone() {
            self.session.works_on(&project.name);
            let list = read_people(self.session, self.client, project.id).await?;
            let rows = self.rows(project.id);
            let enrolled = self.enrol(project.id, &list, &rows).await?;
            for (change, end) in rows.changes.iter().zip(&enrolled.ends) {
                self.report.change(change, end)?;
            }
            let goes_on = matches!(enrolled.verdict, Verdict::Done | Verdict::RowsToFix);
            is_whole &= goes_on;
            all.extend(enrolled.ends.iter().cloned());
            failures.extend(enrolled.stop.as_ref().and_then(|_| failure(&enrolled, true, LOOK)));
            if goes_on {
                let removals = self.removals(project.id, &list)?;
                let removed = self.remove(project.id, removals, &mut all).await?;
                is_whole &= removed.is_whole();
                failures.extend(removed.failure());
            }
        }
        if is_whole {
            self.remember()?;
        }
        let printed = self.report.finish();
        let finished = ended(all);
        let applied = if is_whole { "applied" } else { "not applied to its end" };
        self.session.console.note(&format!(
            "plan {} {applied}: {}{}",
            self.head.id,
            finished.counts,
            self.session.place()
        ));
        printed?;
        failures.sort_by_key(|failure| failure.verdict);
        match failures.pop().or_else(|| failure(&finished, true, AGAIN)) {
            Some(failure) => Err(failure.into()),
            None => Ok(Verdict::Done),
        }
    }

    fn rows(&self, project: ProjectId) -> PlannedRows {
        let changes = self.changes.iter().filter(|change| change.project() == project && change.becomes().is_some());
        let changes: Vec<PlannedChange> = changes.cloned().collect();
        let years: Vec<Option<String>> =
            changes.iter().map(|change| change.person().birth_year.map(|year| year.to_string())).collect();
        let cells = changes.iter().zip(&years).map(|(change, year)| {
            let PlanPerson { email, first_name, last_name, birth_year: _, reference_id } = change.person();
            let texts = [email, first_name, last_name, year, reference_id];
            texts.map(Option::as_deref)
        });
        PlannedRows { roster: Roster::of_cells("the plan", cells), changes }
    }

    /// Enrols and changes, where the preconditions hold.
    async fn enrol(&self, project: ProjectId, list: &VerifiedList, rows: &PlannedRows) -> anyhow::Result<Finished> {
        let enrolling = |settled| Enrolling { project, roster: &rows.roster, list: Some(list), settled };
        let rehearsal =
            enrol(self.session, self.client, enrolling(HashMap::new()), (self.doubt, LockMode::DryRun)).await?;
        if let Some(failure) = rehearsal.stop.as_ref().and_then(|_| failure(&rehearsal, true, LOOK)) {
            return Err(failure.into());
        }
        let now = self.entries(project, list)?;
        let mut settled = HashMap::new();
        for (row, (change, end)) in rows.changes.iter().zip(&rehearsal.ends).enumerate() {
            if !holds(change, end, &now) {
                let ended = RowResult { entry: end.entry, ..RowResult::new(Outcome::ChangedSincePlan) };
                settled.insert(row, ended.with_message(CHANGED));
            }
        }
        if settled.len() == rows.changes.len() {
            let mut ends: Vec<(usize, RowResult)> = settled.into_iter().collect();
            ends.sort_unstable_by_key(|(row, _)| *row);
            return Ok(ended(ends.into_iter().map(|(_, end)| end).collect()));
        }
        enrol(self.session, self.client, enrolling(settled), (self.doubt, LockMode::Locked)).await
    }

    /// The entries of the plan as the list has them now.
    fn entries(&self, project: ProjectId, list: &VerifiedList) -> anyhow::Result<HashMap<EntryId, PlanPerson>> {
        let wanted = self.changes.iter().filter(|change| change.project() == project);
        let wanted: HashSet<EntryId> = wanted.filter_map(PlannedChange::entry).collect();
        let mut now = HashMap::new();
        list.each_record(|record: TestTaker| {
            if wanted.contains(&record.entry_id()) {
                now.insert(record.entry_id(), PlanPerson::of_record(&record));
            }
        })?;
        Ok(now)
    }

    /// Who leaves, if they are as they were and in no newer roster.
    fn removals(&self, project: ProjectId, list: &VerifiedList) -> anyhow::Result<PlannedRemovals> {
        let planned = self.changes.iter().filter(|change| change.project() == project && change.becomes().is_none());
        let mut planned: HashMap<EntryId, &PlannedChange> =
            planned.filter_map(|change| Some((change.entry()?, change))).collect();
        let newer = self.journal.recall(project, &self.head.source)?;
        let newer = newer.filter(|known| known.synced.wall > self.kept.held).map(|known| known.people);
        let present = [newer.unwrap_or_default(), self.journal.others(project, &self.head.source)?];
        let present = present.map(KnownPeople::new);
        let hasher = self.journal.hasher();
        let mut removals = PlannedRemovals::default();
        list.each_record(|person: TestTaker| {
            let Some(change) = planned.remove(&person.entry_id()) else { return };
            let keys = PersonKeys::of_record(&hasher, &person);
            let is_back = present.iter().any(|people| people.has_in_last(keys));
            let words = if PlanPerson::of_record(&person) != *change.person() {
                CHANGED
            } else if is_back {
                "is in a newer roster"
            } else {
                return removals.leavers.push(Leaver { person, keys });
            };
            let end = RowResult::new(Outcome::ChangedSincePlan).with_entry(person.entry_id()).with_message(words);
            removals.others.push((change.clone(), end));
        })?;
        for (entry, change) in planned {
            let end = RowResult::new(Outcome::Removed).with_entry(entry).with_message("was gone already");
            removals.others.push((change.clone(), end));
        }
        removals.others.sort_by_key(|(change, _)| change.entry());
        Ok(removals)
    }

    async fn remove(
        &mut self,
        project: ProjectId,
        PlannedRemovals { leavers, others }: PlannedRemovals,
        all: &mut Vec<RowResult>,
    ) -> anyhow::Result<Removed> {
        for (change, end) in others {
            self.report.change(&change, &end)?;
            all.push(end);
        }
        let removals = removals(self.session, project)?;
        let removed = remove_leavers(self.session, self.client, (project, &removals), &leavers).await?;
        self.report.leavers(&leavers, &removed.finished.ends)?;
        all.extend(removed.finished.ends.iter().cloned());
        Ok(removed)
    }

    /// Notes that the plan was applied, and remembers its roster, if a reviewer left it whole and no newer one is
    /// remembered.
    fn remember(&mut self) -> anyhow::Result<()> {
        let mut rosters = Vec::new();
        if self.changes.len() == self.head.changes {
            for (project, roster) in self.journal.planned(self.kept.id)? {
                let known = self.journal.recall(project, &self.head.source)?;
                if known.is_none_or(|known| known.synced.wall <= self.kept.held) {
                    rosters.push((project, roster));
                }
            }
        } else {
            self.session.console.note("lines were deleted: the roster is not remembered");
        }
        let applied = Hold { settled: Some(Moment::now().wall), people: Vec::new(), ..self.kept.clone() };
        Ok(self.journal.end(&self.head.source, &SyncEnd { rosters, held: Some(applied), void: Vec::new() })?)
    }
}

/// Whether a change may be made, or was made by an earlier run of this plan.
fn holds(change: &PlannedChange, end: &RowResult, now: &HashMap<EntryId, PlanPerson>) -> bool {
    match change {
        PlannedChange::Enrol { .. } => {
            matches!(end.outcome, Outcome::WouldEnrol | Outcome::Enrolled | Outcome::InDoubt | Outcome::NotAttempted)
        }
        PlannedChange::Update { entry, was, .. } => {
            let is_done = end.outcome == Outcome::Existing || end.outcome == Outcome::Enrolled;
            (is_done && end.entry == Some(*entry))
                || (end.outcome == Outcome::WouldUpdate && now.get(entry) == Some(was))
        }
        PlannedChange::Remove { .. } => false,
    }
}

/// How many people the plan removes, as its reviewer left it.
pub fn removal_count(changes: &[PlannedChange]) -> usize {
    changes.iter().filter(|change| matches!(change, PlannedChange::Remove { .. })).count()
}

/// Refuses a plan of another service, and one that is too old.
pub fn check_head(head: &PlanHead, service: &str, oldest: i64) -> Result<(), Failure> {
    let age = Moment::now().wall - head.made.as_millisecond();
    let cause = if head.service != service {
        "the plan is of another service; nothing was sent"
    } else if age > oldest {
        "the plan was made more than seven days ago; nothing was sent"
    } else {
        return Ok(());
    };
    Err(Failure::new(Verdict::Refused, cause).hint("make a new one with `assessctl testtakers sync FILE --plan PLAN`"))
}
