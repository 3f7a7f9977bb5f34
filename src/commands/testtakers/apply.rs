//! `testtakers apply`: what a sync held, once a person has looked at it.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::time::Duration;

use clap::Args;

use crate::api::Client;
use crate::bulk::outcome::{Counts, Outcome, RowResult};
use crate::bulk::run_verdict::ended;
use crate::bulk::sync::classes::Leaver;
use crate::bulk::sync::known_people::KnownPeople;
use crate::bulk::sync::limits::{OLDEST_IN_WORDS, is_old};
use crate::commands::shared::confirmation::{CANNOT_ASK, say_results_go, types_number, types_removal};
use crate::commands::shared::project_args::{ProjectArg, ProjectContext};
use crate::commands::shared::run_failure::{InDoubt, failure};
use crate::commands::shared::session::Session;
use crate::commands::shared::verb_traits::{CommandEffect, JsonShape, JsonSource, Prints, VerbTraits};
use crate::commands::testtakers::apply_plan::{ApplyPlan, check_age, check_service, removal_count};
use crate::commands::testtakers::enrol_run::DoubtArgs;
use crate::commands::testtakers::sync_blind_list::refuse_blind;
use crate::commands::testtakers::sync_context::sync_journal;
use crate::commands::testtakers::sync_hold::find;
use crate::commands::testtakers::sync_journaled::Journaled;
use crate::commands::testtakers::sync_old_entries::{read_people, remove_leavers, say_after};
use crate::commands::testtakers::sync_report::{COLUMNS, LEAVER, SyncReport};
use crate::commands::testtakers::sync_show::{PlanRead, name, projects, read_plan};
use crate::journal::clock::Moment;
use crate::journal::held_syncs::{HeldPerson, Hold, HoldKind};
use crate::journal::person_key::PersonKey;
use crate::journal::synced_rosters::{SyncEnd, SyncJournal, SyncedRoster};
use crate::model::counted::{counted, whole_number};
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::projects::ProjectId;
use crate::model::testtakers::{EntryId, TestTaker};

/// Do what a sync held, after a look at it
#[derive(Debug, Args)]
#[command(add = VerbTraits::new(CommandEffect::Destroys, Prints::Records(&COLUMNS)).with_people().printing(JsonShape::Many, JsonSource::Own))]
#[command(after_help = "\
A plan of `testtakers sync --plan` is applied as its reviewer left it: lines may be deleted, and a line whose person is \
not as they were is left undone. Applied again, it sends nothing.

`testtakers sync` names the id of what it holds and how many people or rows that are. The people are removed whom the \
hold names and who are still as they were; of a file, and of people who move, the next sync of that same file is let \
through once.

Examples:
  assessctl testtakers apply 7f3c21d0 --expect 214
  assessctl testtakers apply 7f3c21d0 --expect 214 -o csv --to left.csv")]
pub struct ApplyHeld {
    /// What `sync` calls what it holds, or the file of a plan
    #[arg(value_name = "ID|PLAN")]
    id: String,
    /// How many they must be; needed where there is no terminal to ask on
    #[arg(long, value_name = "N", value_parser = |text: &str| whole_number::<u32>(text, 0, u64::MAX))]
    expect: Option<u32>,
    #[command(flatten)]
    doubt: DoubtArgs,
}

impl ApplyHeld {
    /// Runs the command.
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        session.refuse_masked("applying a plan")?;
        let report = SyncReport::begin(session)?;
        let client = session.client()?;
        let journal = sync_journal(session)?;
        match read_plan(&journal, &self.id) {
            Some(plan) => self.plan(session, client, report, journal, plan?).await,
            None => self.hold(session, client, report, journal).await,
        }
    }

    /// Applies what a sync holds: its leavers, or its file.
    async fn hold(
        &self,
        session: &Session,
        client: Rc<Client>,
        report: SyncReport,
        mut journal: SyncJournal,
    ) -> anyhow::Result<Verdict> {
        let hold = find(journal.holds()?, &self.id)?;
        if hold.is_applied() && was_applied(session, &hold.id.to_string(), &hold) {
            return Ok(Verdict::Done);
        }
        if hold.kind == HoldKind::Plan {
            return Err(Failure::usage(format!("{} is a plan, and names stand in its file alone", hold.id))
                .hint("name the file: `assessctl testtakers apply PLAN`")
                .into());
        }
        if is_old(&Moment::now(), &hold.held) {
            let cause = format!("{} was held more than {OLDEST_IN_WORDS} ago; nothing was done", hold.id);
            return Err(Failure::new(Verdict::Refused, cause)
                .hint("run the sync again and look at what it holds")
                .into());
        }
        session.may_write_many("remove", Some(hold.count as usize), &ProjectArg::default())?;
        let contexts = contexts(session, &client, projects(&hold).into_iter());
        match contexts.as_slice() {
            [] => {}
            [one] => session.works_on(&name(&client, one.project).await?),
            several => session.works_on_several(several.len()),
        }
        if !self.is_expected(session, &hold)? {
            return Ok(Verdict::Interrupted);
        }
        if hold.kind == HoldKind::File {
            journal.hold(&Hold { settled: Some(Moment::now()), ..hold.clone() })?;
            let rows = counted(hold.count, "row", "rows");
            session.console.note(&format!("the file of {rows} is let through once: run the sync of it again"));
            return Ok(Verdict::Done);
        }
        let _locks = contexts.iter().map(ProjectContext::lock).collect::<anyhow::Result<Vec<_>>>()?;
        // Another run may have ended between the look and the locks.
        let hold = find(journal.holds()?, &hold.id.to_string())?;
        Applying { session, contexts, hold, journal, report }.run().await
    }

    /// Applies a plan file, as its reviewer left it.
    async fn plan(
        &self,
        session: &Session,
        client: Rc<Client>,
        report: SyncReport,
        journal: SyncJournal,
        PlanRead { head, changes }: PlanRead,
    ) -> anyhow::Result<Verdict> {
        check_service(&head, &session.service_name()?)?;
        let kept = find(journal.holds()?, &head.id)?;
        if was_applied(session, &format!("the plan {}", head.id), &kept) {
            return Ok(Verdict::Done);
        }
        check_age(&kept)?;
        session.may_write_many("change", Some(changes.len()), &ProjectArg::default())?;
        match head.projects.as_slice() {
            [project] => session.works_on(&project.name),
            several => session.works_on_several(several.len()),
        }
        let leavers = u32::try_from(removal_count(&changes)).unwrap_or(u32::MAX);
        if leavers > 0 && !self.is_expected(session, &Hold { count: leavers, ..kept.clone() })? {
            return Ok(Verdict::Interrupted);
        }
        let contexts = contexts(session, &client, head.projects.iter().map(|project| project.id));
        let _locks = contexts.iter().map(ProjectContext::lock).collect::<anyhow::Result<Vec<_>>>()?;
        ApplyPlan { session, contexts, journal, head, changes, kept, doubt: self.doubt, report }.run().await
    }

    /// Whether the number is what the person expects; that nothing was done is said where it is not.
    fn is_expected(&self, session: &Session, hold: &Hold) -> Result<bool, Failure> {
        let count = hold.count as usize;
        let is_expected = match self.expect {
            Some(expected) if expected == hold.count => true,
            Some(expected) => {
                let what = if hold.kind == HoldKind::File { "rows" } else { "people" };
                let cause = format!("held as {} are {} {what}, not {expected}; nothing was done", hold.id, hold.count);
                let hint = format!("look with `assessctl testtakers sync --show {}`", hold.id);
                return Err(Failure::new(Verdict::Refused, cause).hint(hint));
            }
            None if !session.console.can_ask() => {
                return Err(Failure::usage(CANNOT_ASK).hint("add --expect N, with the number that the sync named"));
            }
            None if hold.kind == HoldKind::File => {
                let what = format!("let the file of {} through once", counted(count, "row", "rows"));
                types_number(session.console, count, &what)
            }
            None => {
                say_results_go(session.console, count);
                types_removal(session, count)
            }
        };
        if !is_expected {
            session.console.note("nothing was done");
        }
        Ok(is_expected)
    }
}

fn contexts<'a>(
    session: &'a Session,
    client: &Rc<Client>,
    projects: impl Iterator<Item = ProjectId>,
) -> Vec<ProjectContext<'a>> {
    projects.map(|project| ProjectContext { session, client: Rc::clone(client), project }).collect()
}

/// Whether something was applied before, which is said.
fn was_applied(session: &Session, what: &str, hold: &Hold) -> bool {
    let Some(applied) = hold.settled else { return false };
    let applied = jiff::Timestamp::from_millisecond(applied.wall).unwrap_or_default();
    session.console.note(&format!("{what} was applied at {applied:.0}: nothing was sent"));
    true
}

/// The removal of what was held.
struct Applying<'a> {
    session: &'a Session,
    /// Of the projects that are left.
    contexts: Vec<ProjectContext<'a>>,
    hold: Hold,
    journal: SyncJournal,
    report: SyncReport,
}

/// The people of one project.
#[derive(Default)]
struct Checked {
    leavers: Vec<Leaver>,
    /// Who is not as they were, or not there.
    others: Vec<(Option<TestTaker>, RowResult)>,
}

impl Applying<'_> {
    async fn run(mut self) -> anyhow::Result<Verdict> {
        let (mut all, mut removed_keys) = (Vec::new(), HashSet::new());
        let (mut is_whole, mut failed) = (true, None);
        let mut parts = Vec::new();
        for context in &self.contexts {
            let name = name(&context.client, context.project).await?;
            self.session.works_on(&name);
            parts.push((context, name, self.check(context).await?));
        }
        for (context, name, Checked { leavers, others }) in parts {
            self.session.works_on(&name);
            self.report.project(&name);
            for (person, end) in others {
                self.report.old_entry(LEAVER, person.as_ref(), &end)?;
                all.push(end);
            }
            let removed = remove_leavers(context, &context.removals()?, &leavers).await?;
            for (leaver, end) in leavers.iter().zip(&removed.finished.ends) {
                self.report.old_entry(LEAVER, Some(&leaver.person), end)?;
                if end.outcome == Outcome::Removed {
                    removed_keys.extend(leaver.keys.each());
                }
                all.push(end.clone());
            }
            is_whole &= removed.is_whole();
            failed = failed.or_else(|| removed.failure());
        }
        let moves: Vec<HeldPerson> = self.hold.people.iter().filter(|held| held.to.is_some()).copied().collect();
        if is_whole {
            let rosters = self.rosters(&removed_keys)?;
            let applied = Hold { settled: Some(Moment::now()), people: moves.clone(), ..self.hold.clone() };
            let end = SyncEnd { rosters, held: Some(applied), ..SyncEnd::default() };
            self.journal.end(&self.hold.source, end)?;
        }
        let printed = self.report.finish();
        let finished = ended(all);
        say_who_left(self.session, &finished.counts, self.hold.people.len() - moves.len());
        if is_whole && !moves.is_empty() {
            let moves = counted(moves.len(), "move is", "moves are");
            self.session.console.note(&format!("{moves} let through: run the sync of that file again"));
        }
        printed?;
        let failed = failed.or_else(|| failure(&finished, true, InDoubt::Repeated));
        failed.map_or(Ok(Verdict::Done), |failure| Err(failure.into()))
    }

    /// Finds the people as they are now. Those who are in the file again, in another source's, or are called otherwise,
    /// stay.
    async fn check(&self, context: &ProjectContext<'_>) -> anyhow::Result<Checked> {
        let project = context.project;
        let known = self.journal.recall(project, &self.hold.source)?;
        let known = KnownPeople::new(known.map(|known| known.people).unwrap_or_default());
        let elsewhere = KnownPeople::new(self.journal.others(project, &self.hold.source)?);
        // People who move need what the file says of them: they are let through, and the next sync moves them.
        let held = self.hold.people.iter().filter(|held| held.project == project && held.to.is_none());
        let mut held: HashMap<EntryId, HeldPerson> = held.map(|held| (held.entry, *held)).collect();
        let (hasher, journaled) = (self.journal.hasher(), Journaled::read(context, Duration::ZERO)?);
        let mut checked = Checked::default();
        let list = read_people(context).await?;
        list.each_record(|person: TestTaker| {
            let Some(held) = held.remove(&person.entry_id()) else { return };
            let keys = journaled.keys_of(&hasher, &person);
            let words = if keys.primary() != Some(held.key) {
                "has another reference id or e-mail than when it was held"
            } else if known.has_in_last(keys) {
                "is in the last roster again"
            } else if elsewhere.has_in_last(keys) {
                "is in another source's last roster"
            } else {
                return checked.leavers.push(Leaver { person, keys });
            };
            let end = RowResult::new(Outcome::ChangedSincePlan).with_entry(held.entry).with_message(words);
            checked.others.push((Some(person), end));
        })?;
        let mut gone: Vec<EntryId> = held.into_keys().collect();
        if !gone.is_empty() {
            refuse_blind(context, &list, (&known, &hasher))?;
        }
        gone.sort_unstable();
        let ends = gone.into_iter().map(|entry| RowResult::new(Outcome::GoneAlready).with_entry(entry));
        checked.others.extend(ends.map(|end| (None, end)));
        Ok(checked)
    }

    /// What is remembered without the people who left.
    fn rosters(&self, removed: &HashSet<PersonKey>) -> anyhow::Result<Vec<(ProjectId, SyncedRoster)>> {
        let mut rosters = Vec::new();
        for ProjectContext { project, .. } in &self.contexts {
            if let Some(known) = self.journal.recall(*project, &self.hold.source)? {
                let people = KnownPeople::new(known.people.clone()).still(|key| !removed.contains(key));
                rosters.push((*project, SyncedRoster { people: people.into_people(), ..known }));
            }
        }
        Ok(rosters)
    }
}

fn say_who_left(session: &Session, counts: &Counts, leavers: usize) {
    let left = counts.of(Outcome::Removed);
    let gone = match counts.of(Outcome::GoneAlready) {
        0 => String::new(),
        1 => ", and 1 was gone already".to_owned(),
        several => format!(", and {several} were gone already"),
    };
    if leavers > 0 {
        session.console.note(&format!("{left} of {leavers} held left{gone}{}", session.place()));
    }
    say_after(session, left);
}
