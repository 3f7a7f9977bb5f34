//! `assessctl testtakers remove`: people out of a project.

use std::cell::RefCell;

use clap::{ArgGroup, Args};
use serde::Serialize;

use super::interrupt::Interrupt;
use super::journal::rows;
use super::session::{ProjectArg, Session};
use super::sweep::{Standing, SweepArgs, end, rehearsed, watched};
use super::target::Target;
use crate::api::{Class, Client};
use crate::bulk::answer::Stop;
use crate::bulk::outcome::{Ended, Outcome};
use crate::bulk::sweep::Did;
use crate::journal::removals::Removals;
use crate::journal::store::Store;
use crate::model::counted::{counted, whole_number};
use crate::model::projects::ProjectId;
use crate::model::testtakers::{EntryId, TestTaker};
use crate::model::verdict::{Failure, Verdict};
use crate::output::{Columns, Shape, talk};

pub(super) const COLUMNS: Columns<'static> =
    Columns::of(&["projectEntryId", "referenceId", "outcome", "message"]).uncut(&["projectEntryId", "referenceId"]);

/// Arguments of `testtakers remove`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("whom").args(["targets", "csv"]).required(true))]
#[command(group = ArgGroup::new("many").args(["csv"]))]
pub struct RemoveTestTakers {
    #[command(flatten)]
    project: ProjectArg,
    /// Whom: `ref:REFERENCE_ID`, `email:ADDRESS` or `id:ENTRY_ID`, one or several
    #[arg(value_name = "TEST_TAKER")]
    targets: Vec<Target>,
    /// Do not ask; needed where there is no terminal to ask on
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    many: SweepArgs,
    /// Remove nobody if the file means more people than this
    #[arg(long, value_name = "N", requires = "csv", help_heading = "Many at once", value_parser = |text: &str| whole_number::<usize>(text, 0, u64::MAX))]
    max: Option<usize>,
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
        self.many.check()?;
        if !self.yes && !self.many.dry_run && !talk::can_ask() {
            return Err(Failure::usage("removing people needs a yes, and there is no terminal to ask on")
                .hint("add --yes to the command")
                .into());
        }
        if self.targets.is_empty() {
            return self.in_bulk(session).await;
        }
        let mut printer = session.printer(&COLUMNS, Shape::Many)?;
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
                    Ok(ended) => {
                        if ended.0 == "removed" {
                            // Whoever was removed by us may be enrolled anew without being asked for.
                            rows(session, project)?.forget_entry(person.entry_id())?;
                        }
                        ended
                    }
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

    /// Removes the people of a file, once somebody has agreed to how many they are.
    async fn in_bulk(&self, session: &Session) -> anyhow::Result<Verdict> {
        let sheet = self.many.read(session)?;
        let outputs = self.many.outputs_beside_csv(session, &sheet.roster)?;
        if !self.many.dry_run {
            session.may_write_many("remove", Some(sheet.roster.row_count()), &self.project)?;
        }
        let client = session.client()?;
        let project = self.project.find(session, &client).await?.id();
        let dry_run = self.many.dry_run;
        let _lock = self.many.lock(session, project)?;
        let (state, service) = (session.settings.state_dir()?, session.service_name()?);
        let removals = RefCell::new(Removals::open(Store::open(&state)?, &service, project));
        let Standing { mut ends, people } = sheet.find(session, &client, project).await?;
        let name = |row| sheet.roster.value(row, sheet.by.field()).unwrap_or_default();
        for (row, end) in ends.iter_mut().enumerate() {
            // Whom an earlier run removed is no mistake of the file.
            if end.as_ref().is_some_and(|end| end.outcome == Outcome::Gone) && removals.borrow().has(name(row))? {
                *end = Some(Ended::new(Outcome::Removed).saying("by an earlier run"));
            }
        }
        let count = ends.iter().filter(|end| end.is_none()).count();
        self.check_count(count)?;
        let finished = if dry_run {
            for (end, person) in ends.iter_mut().zip(&people) {
                let would = || person.as_ref().map(|person| Ended::new(Outcome::WouldRemove).at(person.entry_id()));
                *end = end.take().or_else(would);
            }
            rehearsed(ends)
        } else {
            if count > 0 && !self.yes && !typed(count) {
                session.talk.note("nobody was removed");
                return Ok(Verdict::Interrupted);
            }
            let act = |row: usize| {
                let (client, removals, person) = (&client, &removals, people[row].as_deref());
                async move {
                    match person {
                        Some(person) => remove_row(client, project, person, name(row), removals).await,
                        None => Did::ended(Ended::new(Outcome::NotAttempted)),
                    }
                }
            };
            watched(session, &client, ends, "removing", act).await?
        };
        let written = outputs.write(session, &finished, dry_run);
        end(session, &client, &finished, written, self.many.writes_failed())
    }

    /// The fuse of `--max`.
    fn check_count(&self, count: usize) -> Result<(), Failure> {
        match self.max {
            Some(max) if count > max => {
                let cause = format!("the file means {count} people, and --max allows {max}; nobody was removed");
                Err(Failure::new(Verdict::Refused, cause).hint("--dry-run shows whom"))
            }
            _ => Ok(()),
        }
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

/// Asks for the number of people to be typed: a yes is typed too easily.
fn typed(count: usize) -> bool {
    let people = counted(count, "person", "people");
    let question = format!("Type {count} to remove {people} from the project:");
    talk::ask(&question).is_some_and(|answer| answer == count.to_string())
}

/// Removes the person of a row, and remembers it.
async fn remove_row(
    client: &Client,
    project: ProjectId,
    person: &TestTaker,
    name: &str,
    removals: &RefCell<Removals>,
) -> Did {
    let ended = |outcome| Ended::new(outcome).at(person.entry_id());
    match client.remove(project, person.entry_id()).await {
        Ok(()) => match removals.borrow_mut().note(name, person.entry_id()) {
            Ok(()) => Did::ended(ended(Outcome::Removed)),
            Err(failure) => Did { ended: ended(Outcome::Removed), stop: Some(Stop::Journal(failure.cause)) },
        },
        Err(error) => Did::failed(person.entry_id(), &error),
    }
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
