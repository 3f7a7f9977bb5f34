//! `testtakers sync --show`: what is held, person by person, as the service has them now.

use std::io::{self, BufReader};
use std::rc::Rc;

use anyhow::Context as _;
use jiff::Timestamp;

use crate::api::Client;
use crate::bulk::outcome::{Outcome, RowResult};
use crate::bulk::sync::classes::RowClass;
use crate::bulk::sync::person_keys::PersonKeys;
use crate::bulk::sync::plan_change::PlannedChange;
use crate::bulk::sync::plan_file::{PlanFileError, PlanHead};
use crate::commands::shared::project_args::{ProjectArg, ProjectContext};
use crate::commands::shared::session::Session;
use crate::commands::testtakers::sync_context::sync_journal;
use crate::commands::testtakers::sync_hold::find;
use crate::commands::testtakers::sync_old_entries::read_people;
use crate::commands::testtakers::sync_plan::plan_files;
use crate::commands::testtakers::sync_report::{LEAVER, SyncReport};
use crate::files::open_to_read;
use crate::journal::held_syncs::{Hold, HoldKind};
use crate::journal::row_store::RowHasher;
use crate::journal::synced_rosters::SyncJournal;
use crate::model::counted::counted;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::projects::ProjectId;
use crate::model::sanitize::escape_controls;
use crate::model::testtakers::TestTaker;
use crate::output::{Columns, Options, Printer, Record, Shape};

/// What `sync --show` prints where no id is given: `apply` takes the id, and the count for `--expect`.
pub const HELD: Columns<'static> =
    Columns::of(&["id", "kind", "count", "heldUtc", "source"]).called("held sync", "held syncs").times(&["heldUtc"]);

/// Prints what waits for a person, and by which id.
pub fn print_held(session: &Session) -> anyhow::Result<Verdict> {
    // No person is among it: a mask would leave nothing of it.
    let show = Options { mask: None, ..session.quiet_options(Shape::Many, "id")? };
    let mut printer = Printer::new(&HELD, Shape::Many, &show)?;
    let holds = sync_journal(session)?.holds()?.into_iter();
    for hold in holds.filter(|hold| hold.settled.is_none() && hold.kind != HoldKind::Plan) {
        let held = Timestamp::from_millisecond(hold.held.wall).unwrap_or_default();
        let (id, held) = (hold.id.to_string(), format!("{held:.0}"));
        let cells = [id.into(), hold.kind.name().into(), hold.count.into(), held.into(), hold.source.as_str().into()];
        printer.push(Record::Cells(&cells))?;
    }
    printer.finish()?;
    Ok(Verdict::Done)
}

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
    report.show_all();
    for project in projects(&hold) {
        report.project(&name(&client, project).await?);
        let context = ProjectContext { session, client: Rc::clone(&client), project };
        show_held_people(&context, &journal.hasher(), &hold, &mut report).await?;
    }
    report.finish()?;
    Ok(Verdict::Done)
}

/// Shows who is held of one project, and how.
async fn show_held_people(
    context: &ProjectContext<'_>,
    hasher: &RowHasher,
    hold: &Hold,
    report: &mut SyncReport,
) -> anyhow::Result<()> {
    let mut unseen: Vec<_> = hold.people.iter().filter(|held| held.project == context.project).collect();
    let outcome = if hold.kind == HoldKind::Plan { Outcome::WouldRemove } else { Outcome::Held };
    let mut shown = Ok(());
    read_people(context).await?.each_record(|person: TestTaker| {
        let Some(at) = unseen.iter().position(|held| held.entry == person.entry_id()) else { return };
        let waiting = unseen.swap_remove(at);
        let (change, message) = match waiting.to {
            None => (LEAVER, None),
            Some(to) if to != context.project => (RowClass::Mover.name(), Some(format!("moves to the project {to}"))),
            Some(_) => (RowClass::Replaced.name(), Some("is enrolled under another e-mail".to_owned())),
        };
        let is_other = PersonKeys::of_record(hasher, &person).primary() != Some(waiting.key);
        let is_other = is_other.then(|| "has another reference id or e-mail since: `apply` leaves it alone".to_owned());
        let message = is_other.or(message).map(String::into_boxed_str);
        let end = RowResult { message, ..RowResult::new(outcome) };
        if shown.is_ok() {
            shown = report.old_entry(change, Some(&person), &end);
        }
    })?;
    shown?;
    for missing in unseen {
        let end = RowResult::new(Outcome::Gone).with_entry(missing.entry).with_message("not on the list any more");
        report.old_entry(LEAVER, None, &end)?;
    }
    Ok(())
}

/// A project's name, or its id where the service tells none.
pub async fn name(client: &Client, project: ProjectId) -> anyhow::Result<String> {
    let read = client.project(project).await.context("cannot read the project")?;
    Ok(read.record.name.unwrap_or_else(|| project.to_string()))
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
            PlanFileError::Io(error) if error.kind() == io::ErrorKind::NotFound => {
                failure.hint("`assessctl testtakers sync FILE --plan PLAN` writes one")
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
        if let Some((project, _)) = change.joins() {
            let outcome = if change.updated().is_some() { Outcome::WouldUpdate } else { Outcome::WouldEnrol };
            report.project(plan.head.name_of(project));
            report.joining(change, &RowResult::new(outcome))?;
        }
        if let Some((project, ..)) = change.leaves() {
            report.project(plan.head.name_of(project));
            report.leaving(change, &RowResult::new(Outcome::WouldRemove))?;
        }
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
