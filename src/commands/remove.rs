//! `assessctl testtakers remove`: people out of a project.

use clap::Args;
use serde::Serialize;

use super::interrupt::Interrupt;
use super::session::{ProjectArg, Session};
use super::target::Target;
use crate::api::{Class, Client};
use crate::model::projects::ProjectId;
use crate::model::testtakers::{EntryId, TestTaker};
use crate::model::verdict::{Failure, Verdict};
use crate::output::{Columns, Shape, talk};

pub(super) const COLUMNS: Columns<'static> =
    Columns::of(&["projectEntryId", "referenceId", "outcome", "message"]).uncut(&["projectEntryId", "referenceId"]);

/// Arguments of `testtakers remove`.
#[derive(Debug, Args)]
pub struct RemoveTestTakers {
    #[command(flatten)]
    project: ProjectArg,
    /// Whom: `ref:REFERENCE_ID`, `email:ADDRESS` or `id:ENTRY_ID`, one or several
    #[arg(value_name = "TEST_TAKER", required = true)]
    targets: Vec<Target>,
    /// Do not ask; needed where there is no terminal to ask on
    #[arg(long)]
    yes: bool,
}

/// What the command prints for each person.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Removal<'a> {
    project_entry_id: EntryId,
    reference_id: Option<&'a str>,
    outcome: &'static str,
    message: String,
}

impl RemoveTestTakers {
    /// Runs the command.
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let mut printer = session.printer(&COLUMNS, Shape::Many)?;
        if !self.yes && !talk::can_ask() {
            return Err(Failure::usage("removing people needs a yes, and there is no terminal to ask on")
                .hint("add --yes to the command")
                .into());
        }
        session.may_write_many("remove", Some(self.targets.len()), &self.project)?;
        let client = session.client()?;
        let project = self.project.find(session, &client).await?.id();
        let people = self.find(&client, project).await?;
        if !self.yes && !confirmed(&people) {
            session.talk.note("nobody was removed");
            return Ok(Verdict::Interrupted);
        }
        let interrupt = Interrupt::watch()?;
        let mut worst = Verdict::Done;
        for person in &people {
            let (outcome, message, verdict) = match interrupt.verdict() {
                Some(verdict) => ("not-attempted", String::new(), verdict),
                None if worst == Verdict::Key => ("not-attempted", String::new(), Verdict::Key),
                None => match interrupt.unless_pressed(remove(&client, project, person)).await {
                    Ok(ended) => ended,
                    Err(verdict) => ("in-doubt", String::new(), verdict),
                },
            };
            worst = worst.max(verdict);
            let (project_entry_id, reference_id) = (person.entry_id(), person.reference_id.as_deref());
            let removal = Removal { project_entry_id, reference_id, outcome, message };
            printer.push(&serde_json::to_string(&removal)?)?;
        }
        printer.finish()?;
        Ok(worst)
    }

    /// Finds everybody before anybody is removed; a person who is named twice counts once.
    async fn find(&self, client: &Client, project: ProjectId) -> anyhow::Result<Vec<TestTaker>> {
        let mut people: Vec<TestTaker> = Vec::new();
        for target in &self.targets {
            let found = target.find(client, project).await?.record;
            if people.iter().all(|person| person.id != found.id) {
                people.push(found);
            }
        }
        Ok(people)
    }
}

/// Shows whom, and asks.
fn confirmed(people: &[TestTaker]) -> bool {
    for person in people {
        let name = person.full_name.as_deref().filter(|name| !name.is_empty());
        let shown = [person.reference_id.as_deref(), name, person.email.as_deref()];
        let shown: Vec<&str> = shown.into_iter().flatten().collect();
        talk::show(&format!("  id:{}  {}", person.entry_id(), shown.join("  ")));
    }
    let count = people.len();
    let whom = if count == 1 { "this person".to_owned() } else { format!("these {count} people") };
    talk::confirm(&format!("Remove {whom} from the project?")).unwrap_or(false)
}

/// Removes one person. The service answers the same when it is repeated, so nothing is left in doubt but a request
/// that was never answered at all.
async fn remove(client: &Client, project: ProjectId, person: &TestTaker) -> (&'static str, String, Verdict) {
    match client.remove(project, person.entry_id()).await {
        Ok(()) => ("removed", String::new(), Verdict::Done),
        Err(error) => {
            let (outcome, verdict) = match (error.status(), error.class()) {
                (Some(401 | 403), _) => ("refused", Verdict::Key),
                (_, Class::Refused) => ("refused", Verdict::RowsToFix),
                (_, Class::NeverSent | Class::RefusedForNow) => ("not-attempted", Verdict::Unfinished),
                (_, Class::Lost | Class::DoneUnreadable) => ("in-doubt", Verdict::Unfinished),
            };
            (outcome, error.whole_words(), verdict)
        }
    }
}
