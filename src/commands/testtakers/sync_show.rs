//! `testtakers sync --show`: what is held, person by person, as the service has them now.

use crate::bulk::outcome::{Outcome, RowResult};
use crate::bulk::sync::person_keys::PersonKeys;
use crate::commands::shared::project_args::ProjectArg;
use crate::commands::shared::session::Session;
use crate::commands::testtakers::sync_context::sync_journal;
use crate::commands::testtakers::sync_hold::find;
use crate::commands::testtakers::sync_removal::read_people;
use crate::commands::testtakers::sync_report::SyncReport;
use crate::journal::holds::{Hold, HoldKind};
use crate::model::counted::counted;
use crate::model::projects::ProjectId;
use crate::model::testtakers::TestTaker;
use crate::model::verdict::Verdict;

/// Shows what is held by an id. This machine keeps entry ids and hashes alone: names are the service's.
pub async fn show(session: &Session, project: &ProjectArg, id: &str) -> anyhow::Result<Verdict> {
    let mut report = SyncReport::begin(session)?;
    let client = session.client()?;
    let journal = sync_journal(session)?;
    let hold = find(journal.holds()?, id)?;
    if hold.is_applied() {
        session.talk.note(&format!("what was held as {} was applied: its people left", hold.id));
        return Ok(Verdict::Done);
    }
    if hold.kind == HoldKind::File {
        session.talk.note(&format!(
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
            let end = RowResult::new(Outcome::Held);
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

/// The projects that are left, each once.
pub fn projects(hold: &Hold) -> Vec<ProjectId> {
    let mut projects: Vec<ProjectId> = hold.people.iter().map(|held| held.project).collect();
    projects.dedup();
    projects
}
