//! `testtakers sync --show`: what is held, person by person, as the service has them now.

use std::io::{self, BufReader};

use crate::bulk::outcome::{Outcome, RowResult};
use crate::bulk::sync::person_keys::PersonKeys;
use crate::bulk::sync::plan_file::{PlanFileError, PlanHead, PlannedChange};
use crate::commands::shared::project_args::ProjectArg;
use crate::commands::shared::session::Session;
use crate::commands::testtakers::sync_context::sync_journal;
use crate::commands::testtakers::sync_hold::find;
use crate::commands::testtakers::sync_plan::plan_files;
use crate::commands::testtakers::sync_removal::read_people;
use crate::commands::testtakers::sync_report::SyncReport;
use crate::files::open_to_read;
use crate::journal::holds::{Hold, HoldKind};
use crate::journal::synced::SyncJournal;
use crate::model::counted::counted;
use crate::model::projects::ProjectId;
use crate::model::sanitize::escape_controls;
use crate::model::testtakers::TestTaker;
use crate::model::verdict::{Failure, Verdict};

/// Shows what is held by an id. This machine keeps entry ids and hashes alone: names are the service's.
pub async fn show(session: &Session, project: &ProjectArg, id: &str) -> anyhow::Result<Verdict> {
    let mut report = SyncReport::begin(session)?;
    let journal = sync_journal(session)?;
    if let Some(read) = read_plan(&journal, id) {
        return show_plan(session, report, &read?);
    }
    let client = session.client()?;
    let hold = find(journal.holds()?, id)?;
    if hold.is_applied() {
        session.console.note(&format!("what was held as {} was applied: its people left", hold.id));
        return Ok(Verdict::Done);
    }
    if hold.kind == HoldKind::File {
        session.console.note(&format!(
            "held as {}: a file of {} of the source {}; of its rows nothing is kept but a hash",
            hold.id,
            counted(hold.count, "row", "rows"),
            hold.source
        ));
        return Ok(Verdict::Done);
    }
    if project.project.is_some() {
        project.find(session, &client).await?;
    }
    for project in projects(&hold) {
        let hasher = journal.hasher();
        let mut unseen: Vec<_> = hold.people.iter().filter(|held| held.project == project).collect();
        let mut shown = Ok(());
        read_people(session, &client, project).await?.each_record(|person: TestTaker| {
            let keys = PersonKeys::of_record(&hasher, &person);
            let Some(at) = unseen.iter().position(|held| held.entry == person.entry_id()) else { return };
            let is_plan = hold.kind == HoldKind::Plan;
            let end = RowResult::new(if is_plan { Outcome::WouldRemove } else { Outcome::Held });
            let end = if keys.primary() == Some(unseen.swap_remove(at).key) {
                end
            } else {
                end.with_message("has another reference id or e-mail since: `apply` leaves it alone")
            };
            if shown.is_ok() {
                shown = report.person(&person, &end);
            }
        })?;
        shown?;
        for missing in unseen {
            let end = RowResult::new(Outcome::Gone).with_entry(missing.entry).with_message("not on the list any more");
            report.entry(&end)?;
        }
    }
    report.finish()?;
    Ok(Verdict::Done)
}

/// A plan, where the text is the path of a file.
pub fn read_plan(journal: &SyncJournal, path: &str) -> Option<Result<PlanRead, Failure>> {
    let file = match open_to_read(path.as_ref()) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && !path.contains(['.', '/', '\\']) => return None,
        file => file.map_err(PlanFileError::Io),
    };
    let read = file.and_then(|file| plan_files(journal).read(BufReader::new(file)));
    let plan = read.map(|(head, changes)| PlanRead { head, changes });
    Some(plan.map_err(|error| {
        let verdict = if matches!(error, PlanFileError::Io(_)) { Verdict::Usage } else { Verdict::Refused };
        let failure = Failure::new(verdict, format!("{}: {error}", escape_controls(path)));
        match error {
            PlanFileError::Foreign { .. } | PlanFileError::Twice { .. } => {
                failure.hint("nothing was sent; take the line out")
            }
            _ => failure,
        }
    }))
}

/// A plan file.
pub struct PlanRead {
    pub head: PlanHead,
    pub changes: Vec<PlannedChange>,
}

/// Shows a plan whole, also one that was applied.
fn show_plan(session: &Session, mut report: SyncReport, plan: &PlanRead) -> anyhow::Result<Verdict> {
    report.show_all();
    for change in &plan.changes {
        let outcome = match change {
            PlannedChange::Enrol { .. } => Outcome::WouldEnrol,
            PlannedChange::Update { .. } => Outcome::WouldUpdate,
            PlannedChange::Remove { .. } => Outcome::WouldRemove,
        };
        report.change(change, &RowResult::new(outcome))?;
    }
    report.finish()?;
    let PlanHead { id, made, source, changes, .. } = &plan.head;
    let left = plan.changes.len();
    session.console.note(&format!(
        "plan {id} of {made:.0}, source {source}: {left} of {}",
        counted(*changes, "change", "changes")
    ));
    Ok(Verdict::Done)
}

/// The projects that are left, each once.
pub fn projects(hold: &Hold) -> Vec<ProjectId> {
    let mut projects: Vec<ProjectId> = hold.people.iter().map(|held| held.project).collect();
    projects.dedup();
    projects
}
