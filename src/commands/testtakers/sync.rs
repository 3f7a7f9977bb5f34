//! `testtakers sync`: makes a project follow a roster. What is decided stands in `bulk::sync`; this reads, sends and tells.

mod telling;

use std::cell::Cell;
use std::collections::HashSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use jiff::Timestamp;

use super::enrol_run::{self, EnrolWish, SettleArgs};
use super::import::{valid, with_invalid};
use super::update::{differing, rehearsed, send_at, updated};
use crate::api::Error;
use crate::bulk::each_row::Stopper;
use crate::bulk::enrol::OnExisting;
use crate::bulk::known::KnownPeople;
use crate::bulk::outcome::{Outcome, RowEnd, Run};
use crate::bulk::remove::Removal;
use crate::bulk::rules::Reading;
use crate::bulk::service::{Clock, ProjectPeople, Service};
use crate::bulk::sync::{ApprovalId, Changes, Judgement, LeaverLimit, SyncInput, SyncRules, changes, judge};
use crate::commands::account::{Account, write_failed};
use crate::commands::project::ProjectArgs;
use crate::commands::roster_args::{RosterArgs, check, keep_apart};
use crate::commands::session::Session;
use crate::commands::signals::interruptible;
use crate::journal::Journal;
use crate::journal::people::{Identity, People, State};
use crate::journal::rosters::{Memory, Source};
use crate::model::people::{Enrolment, EntryId, NewTestTaker, TestTaker};
use crate::model::projects::{ProjectId, ProjectRef};
use crate::model::time::duration;
use crate::model::verdict::{Failure, Verdict};
use crate::output::OutputArgs;
use crate::roster::{Needs, Roster};

/// More than what passes between a list's arrival and its use.
const MARGIN: Duration = Duration::from_secs(1);

/// Enrol, update and remove people so that a project follows a file
#[derive(Args)]
#[command(
    after_help = "Examples:\n  assessctl testtakers sync staff.csv -p Demo --dry-run\n  assessctl testtakers sync staff.csv --only Site=Berlin\n\nOnly people who were in an earlier file, and in no other source's, are removed."
)]
pub struct SyncPeople {
    /// CSV or Excel file of people; - is stdin
    #[arg(value_name = "FILE", hide = true)]
    file: PathBuf,
    #[command(flatten)]
    project: ProjectArgs,
    /// Name of this file's origin [default: main]
    #[arg(long, value_name = "NAME")]
    source: Option<String>,
    /// Only rows with VALUE in the column HEADER
    #[arg(long, value_name = "HEADER=VALUE", value_parser = only)]
    only: Option<(String, String)>,
    /// Remove people missing so long
    #[arg(long, value_name = "TIME", default_value = "20h", value_parser = duration)]
    absent_for: Duration,
    /// Hold removals above this [default: 5 or 5%]
    #[arg(long, value_name = "N|P%")]
    max_leavers: Option<LeaverLimit>,
    /// Leave out rows with mistakes, remove nobody
    #[arg(long)]
    skip_invalid: bool,
    /// Only show what would be done
    #[arg(long, alias = "dryrun")]
    dry_run: bool,
    /// Let through what a sync held under this id
    #[arg(long, value_name = "ID")]
    approve: Option<ApprovalId>,
    /// Write rows that did not succeed to this CSV
    #[arg(long, value_name = "FILE")]
    failed_out: Option<PathBuf>,
    #[command(flatten)]
    settle: SettleArgs,
    #[command(flatten)]
    roster: RosterArgs,
    #[command(flatten)]
    show: OutputArgs,
}

fn only(text: &str) -> Result<(String, String), &'static str> {
    let (header, value) = text.split_once('=').ok_or("write HEADER=VALUE, such as Site=Berlin")?;
    Ok((header.to_owned(), value.to_owned()))
}

/// What a sync found and did.
struct Synced {
    changes: Changes,
    judgement: Judgement,
    /// The valid rows of the roster, then the leavers.
    run: Run,
    /// The records of the leavers.
    leavers: Vec<TestTaker>,
}

/// Where a sync works.
#[derive(Clone, Copy)]
struct Site<'a> {
    session: &'a Session,
    project: ProjectId,
    journal: &'a Journal,
    stop: &'a Stopper<'a>,
}

impl SyncPeople {
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        if !self.dry_run {
            session.may_write()?;
        }
        let account = Account::new(session, &self.show)?;
        keep_apart(&[Some(&self.file), self.show.to.as_deref(), self.failed_out.as_deref()])?;
        let roster = self.roster.read(session, &self.file, Needs::Enrolment, self.only.clone())?;
        check(session, &roster, self.skip_invalid)?;
        let (rows, people) = valid(&roster);
        if people.is_empty() {
            let cause = format!("nobody to follow in {}: nothing was changed", roster.name);
            return Err(Failure::new(Verdict::Refused, cause).into());
        }
        let project = self.project.find(session).await?;
        let synced = self.sync(session, &project, &people).await?;
        self.tell(session, account, &roster, &rows, synced, &session.place(&project))
    }

    async fn sync(&self, session: &Session, project: &ProjectRef, people: &[NewTestTaker]) -> anyhow::Result<Synced> {
        let (journal, _lock) = enrol_run::open(session, project, self.dry_run, "testtakers sync")?;
        let stop = Stopper::new(session.client().await?);
        let site = Site { session, project: project.id, journal: &journal, stop: &stop };
        interruptible(session, &stop, self.follow(site, people)).await?
    }

    /// Memory, enrolments, removals: in this order, and removals only if nothing stopped the run.
    async fn follow(&self, site: Site<'_>, people: &[NewTestTaker]) -> anyhow::Result<Synced> {
        let Site { session, project, journal, stop } = site;
        let (began, start) = (Timestamp::now(), Instant::now());
        let service = ProjectPeople { client: session.client().await?, project };
        let list = {
            let _progress = session.count_answers("reading, answers");
            service.list().await?
        };
        let known = KnownPeople::new(journal.people(project).load(began)?);
        known.believe(&list, &Reading { began, is_whole: true, settle: self.settle.settle, again: false })?;
        let before = journal.roster_memory(project, &self.source())?;
        let changes = self.changes(site, people, &list, before.as_ref(), &known)?;
        let judgement = judge(&changes, self.max_leavers.unwrap_or_default(), self.approve);
        let leavers: Vec<TestTaker> = changes.leavers.iter().map(|leaver| list[leaver.at].clone()).collect();
        if let Some(why) = stop.why() {
            return Err(why.into());
        }
        if matches!(judgement, Judgement::NotBelieved(..)) {
            let run = Run { is_rehearsed: self.dry_run, ..Run::new(all_held(&changes, people.len()), None) };
            return Ok(Synced { changes, judgement, run, leavers });
        }
        if let Some(after) = changes.memory.as_ref().filter(|_| !self.dry_run) {
            journal.remember_roster(project, &self.source(), &before.unwrap_or_default(), after, Timestamp::now())?;
        }
        // The enrolments take the list as if it were read now: what must have settled before it needs so much longer.
        let settle = SettleArgs { settle: self.settle.settle + start.elapsed() + MARGIN, ..self.settle };
        let service = ReadBefore { people: service, list: Cell::new(Some(list)) };
        let mut run =
            enrol_run::run_at(session, &service, (journal.people(project), stop), people, settle, self.wish()).await?;
        let updates = differing(session, project, people, &run).await?;
        let sent = if self.dry_run { rehearsed(&updates) } else { send_at(session, project, &updates, stop).await? };
        run = updated(run, &updates, sent);
        if changes.memory.is_some() && !self.dry_run {
            let noted = remember_found(journal.people(project), people, &run);
            noted.unwrap_or_else(|failure| stop.set(failure));
        }
        let ends = match judgement {
            Judgement::Follow => self.leave(site, &changes, &leavers).await?,
            _ => told(&changes, Outcome::Held),
        };
        run.ends.extend(ends);
        Ok(Synced { changes, judgement, run: Run { failure: stop.why(), ..run }, leavers })
    }

    async fn leave(&self, site: Site<'_>, changes: &Changes, leavers: &[TestTaker]) -> anyhow::Result<Vec<RowEnd>> {
        if self.dry_run {
            return Ok(told(changes, Outcome::Removed));
        }
        if site.stop.is_set() {
            return Ok(told(changes, Outcome::NotAttempted));
        }
        remove(site, leavers).await
    }

    /// The name under which the roster is remembered.
    fn source(&self) -> String {
        let only = || self.only.as_ref().map(|(header, value)| format!("{header}={value}"));
        self.source.clone().or_else(only).unwrap_or_else(|| "main".to_owned())
    }

    fn wish(&self) -> EnrolWish {
        EnrolWish {
            again: false,
            shared_mailboxes: self.roster.shared_mailboxes,
            on_existing: OnExisting::Update,
            is_dry_run: self.dry_run,
        }
    }

    fn changes(
        &self,
        site: Site<'_>,
        people: &[NewTestTaker],
        list: &[TestTaker],
        before: Option<&Memory>,
        known: &KnownPeople,
    ) -> Result<Changes, Failure> {
        let Site { project, journal, .. } = site;
        let mut others: Vec<(Source, Memory)> = Vec::new();
        for source in journal.sources(project)?.into_iter().filter(|source| source.name != self.source()) {
            let memory = journal.roster_memory(project, &source.name)?.unwrap_or_default();
            others.push((source, memory));
        }
        let rules = SyncRules {
            absent_for: self.absent_for,
            shared_mailboxes: self.roster.shared_mailboxes,
            skips_invalid: self.skip_invalid,
        };
        Ok(changes(&SyncInput {
            people,
            list,
            identity: &|reference, email| journal.identity(reference, email),
            own: &|person| known.own_entry(person),
            before,
            others: &others,
            rules,
            now: Timestamp::now(),
        }))
    }
}

/// Where a file is not believed, all that it would change is held.
fn all_held(changes: &Changes, rows: usize) -> Vec<RowEnd> {
    let mut ends = vec![RowEnd::new(Outcome::Existing); rows];
    for row in changes.joiners.iter().chain(&changes.changed) {
        ends[*row] = RowEnd::new(Outcome::Held);
    }
    ends.extend(told(changes, Outcome::Held));
    ends
}

/// All leavers end like this.
fn told(changes: &Changes, outcome: Outcome) -> Vec<RowEnd> {
    changes.leavers.iter().map(|leaver| RowEnd::new(outcome).entry(leaver.entry)).collect()
}

/// The project's people, whose list was read already: who asks for it first gets that one.
struct ReadBefore<'c> {
    people: ProjectPeople<'c>,
    list: Cell<Option<Vec<TestTaker>>>,
}

impl Service for ReadBefore<'_> {
    async fn enrol(&self, person: &NewTestTaker) -> Result<Enrolment, Error> {
        self.people.enrol(person).await
    }

    async fn list(&self) -> Result<Vec<TestTaker>, Error> {
        match self.list.take() {
            Some(list) => Ok(list),
            None => self.people.list().await,
        }
    }

    async fn look_up(&self, person: &NewTestTaker) -> Result<Vec<TestTaker>, Error> {
        self.people.look_up(person).await
    }
}

/// Remembers people of the roster whom others enrolled, with their entry: who is removed elsewhere later is then `gone`, and
/// is not enrolled again (design §8, rule 2).
fn remember_found(journal: People<'_>, people: &[NewTestTaker], run: &Run) -> Result<(), Failure> {
    let now = Timestamp::now();
    let known = journal.load(now)?.into_iter().filter(|known| !matches!(known.state, State::Removed { .. }));
    let known: HashSet<_> = known.map(|known| known.identity.key).collect();
    let found = people.iter().zip(&run.ends).filter(|(_, end)| end.outcome == Outcome::Existing);
    let found = found.filter_map(|(person, end)| {
        let identity = journal.identity(person.reference_id.as_deref(), &person.email);
        Some((identity, end.entry?)).filter(|(identity, _)| !known.contains(&identity.key))
    });
    let (identities, entries): (Vec<Identity>, Vec<EntryId>) = found.unzip();
    journal.begin(&identities)?;
    identities.into_iter().zip(entries).try_for_each(|(person, entry)| journal.enrolled(person, entry, None, now))
}

/// Removes the leavers, and gives each an end.
async fn remove(site: Site<'_>, records: &[TestTaker]) -> anyhow::Result<Vec<RowEnd>> {
    let Site { session, project, journal, stop } = site;
    let progress = session.console.progress("removing", Some(records.len() as u64));
    let removal = Removal {
        client: session.client().await?,
        project,
        journal: journal.people(project),
        clock: Clock::at(Timestamp::now()),
        most: usize::from(session.settings()?.concurrency),
        stop,
    };
    let people: Vec<&TestTaker> = records.iter().collect();
    Ok(removal.run(&people, |count| progress.answered(count as u64)).await)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bulk::compare::Found;
    use crate::bulk::rules::{Next, judge};

    #[test]
    fn whoever_was_found_and_is_removed_elsewhere_is_gone() {
        let state = crate::journal::scratch();
        let journal = Journal::open(state.path()).expect("a journal");
        let project = "3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b690".parse().expect("a project id");
        let people = ["a@x.example", "b@x.example"].map(|email| NewTestTaker {
            email: email.parse().expect("an address"),
            first_name: None,
            last_name: None,
            birth_year: None,
            reference_id: None,
        });
        let ends = vec![RowEnd::new(Outcome::Existing).entry(EntryId(7)), RowEnd::new(Outcome::NotAttempted)];
        for _ in 0..2 {
            remember_found(journal.people(project), &people, &Run::new(ends.clone(), None)).expect("noted");
        }
        let known = KnownPeople::new(journal.people(project).load(Timestamp::now()).expect("read"));
        let later = Timestamp::now().saturating_add(Duration::from_hours(1)).expect("a time");
        let reading = Reading { began: later, is_whole: true, settle: Duration::from_mins(5), again: false };
        let ends = people.map(|person| {
            let related = known.related(journal.identity(None, &person.email), false);
            match judge(&Found::default(), &related, &reading) {
                Next::End(end) => Some((end.outcome, end.entry)),
                _ => None,
            }
        });
        assert_eq!(ends, [Some((Outcome::Gone, Some(EntryId(7)))), None]);
    }
}
