//! `testtakers update`.

use clap::Args;

use crate::bulk::each_row::Stopper;
use crate::bulk::find_people::{Others, PeopleIndex};
use crate::bulk::outcome::{Of, Outcome, RowEnd, Run};
use crate::bulk::update::{Update, Wanted, update};
use crate::commands::account::Account;
use crate::commands::people::{ByArgs, Named, PeopleArgs};
use crate::commands::project::ProjectArgs;
use crate::commands::session::Session;
use crate::commands::signals::interruptible;
use crate::journal::lock::Lock;
use crate::model::people::{NewTestTaker, TestTaker};
use crate::model::person::PersonRef;
use crate::model::projects::{ProjectId, ProjectRef};
use crate::model::text::{PersonName, ReferenceId, counted};
use crate::model::verdict::{Failure, Verdict};
use crate::output::OutputArgs;
use crate::roster::{Field, Needs};

/// Change names and reference ids of test takers
#[derive(Args)]
#[command(
    after_help = "Examples:\n  assessctl testtakers update EMP-00017 --last-name Berg\n  assessctl testtakers update --file badges.csv --by email --dry-run"
)]
pub struct UpdatePeople {
    #[command(flatten)]
    people: PeopleArgs,
    #[command(flatten)]
    by: ByArgs,
    #[command(flatten)]
    project: ProjectArgs,
    /// New first name; '' clears it
    #[arg(long, value_name = "NAME", value_parser = or_clear::<PersonName>, conflicts_with = "file")]
    first_name: Option<String>,
    /// New last name; '' clears it
    #[arg(long, value_name = "NAME", value_parser = or_clear::<PersonName>, conflicts_with = "file")]
    last_name: Option<String>,
    /// New reference id; '' clears it
    #[arg(long, value_name = "ID", value_parser = or_clear::<ReferenceId>, conflicts_with = "file")]
    #[arg(allow_hyphen_values = true)]
    reference_id: Option<String>,
    /// Let empty cells of the file clear values
    #[arg(long, requires = "file")]
    clear_empty: bool,
    /// Only show what would be done
    #[arg(long, alias = "dryrun")]
    dry_run: bool,
    #[command(flatten)]
    show: OutputArgs,
}

fn or_clear<T: std::str::FromStr>(text: &str) -> Result<String, T::Err> {
    if text.is_empty() { Ok(String::new()) } else { text.parse::<T>().map(|_| text.to_owned()) }
}

impl UpdatePeople {
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        if !self.dry_run {
            session.may_write()?;
        }
        let account = Account::new(session, &self.show)?;
        let named = self.people.read(session, Needs::Update)?;
        let wanted = self.wanted(&named)?;
        let project = self.project.find(session).await?;
        let new_ids: Vec<PersonRef> =
            wanted.iter().filter_map(|wanted| new_id(wanted).map(PersonRef::Reference)).collect();
        let records = named.records(session, &project, &new_ids).await?;
        named.refuse_ambiguous(&records)?;
        let listed = PeopleIndex::new(&records);
        refuse_lost_zeros(&named, &listed)?;
        let others = if named.roster.is_some() { Others::Values } else { Others::Names };
        let found = listed.find(&named.people(), self.by.by, others);
        named.refuse_several(&found)?;
        let (updates, mut ends) = plan(found, &wanted, &listed);
        named.excuse_fresh(session, &project, &mut ends)?;
        let run = if self.dry_run {
            Run::new(rehearsed(&updates), None)
        } else {
            send(session, &project, &updates, "testtakers update").await?
        };
        let ends = ends.into_iter().zip(run.ends).map(|(end, sent)| end.unwrap_or(sent)).collect();
        let run = Run { is_rehearsed: self.dry_run, ..Run::new(ends, run.failure) };
        let of = if named.rows.len() == 1 && named.roster.is_none() { Of::One } else { Of::Many };
        account.end(session, &named.rows, &run, of, &session.place(&project))
    }

    /// The new values of each row: those of the options, or of the file's other columns.
    fn wanted(&self, named: &Named) -> Result<Vec<Wanted>, Failure> {
        let Some(roster) = &named.roster else {
            let wanted = Wanted {
                reference_id: self.reference_id.clone(),
                first_name: self.first_name.clone(),
                last_name: self.last_name.clone(),
            };
            if wanted == Wanted::default() {
                return Err(Failure::usage("nothing to change is given")
                    .hint("add --first-name, --last-name or --reference-id"));
            }
            return Ok(vec![wanted; named.rows.len()]);
        };
        let cell =
            |value: Option<String>, field| value.or_else(|| (self.clear_empty && roster.has(field)).then(String::new));
        let by_id = |row: &crate::commands::account::AccountRow| {
            matches!(row.person.named_by(self.by.by), Some(PersonRef::Reference(_)))
        };
        let wanted = named.rows.iter().map(|row| Wanted {
            reference_id: if by_id(row) {
                None
            } else {
                cell(row.person.reference_id.clone().map(String::from), Field::ReferenceId)
            },
            first_name: cell(row.person.first_name.clone().map(String::from), Field::FirstName),
            last_name: cell(row.person.last_name.clone().map(String::from), Field::LastName),
        });
        Ok(wanted.collect())
    }
}

fn new_id(wanted: &Wanted) -> Option<ReferenceId> {
    wanted.reference_id.as_deref()?.parse().ok()
}

/// What is to be sent for each row, and the rows that end without.
fn plan(
    found: Vec<Result<&TestTaker, RowEnd>>,
    wanted: &[Wanted],
    listed: &PeopleIndex<'_>,
) -> (Vec<Option<Update>>, Vec<Option<RowEnd>>) {
    let plan_one = |(found, wanted): (Result<&TestTaker, RowEnd>, &Wanted)| match found {
        Err(end) => (None, Some(end)),
        Ok(record) => {
            let holders = new_id(wanted).map(|id| listed.of(&PersonRef::Reference(id))).unwrap_or_default();
            match holders.iter().find(|holder| holder.id != record.id).and_then(|holder| holder.entry_id()) {
                Some(entry) => {
                    let why = format!("entry {entry} has this reference id");
                    (None, Some(RowEnd::new(Outcome::Conflict).message(why).maybe_entry(record.entry_id())))
                }
                None if wanted.body(record).is_none() => {
                    (None, Some(RowEnd::new(Outcome::Existing).maybe_entry(record.entry_id())))
                }
                None => (Some(Update { record: record.clone(), wanted: wanted.clone() }), None),
            }
        }
    };
    found.into_iter().zip(wanted).map(plan_one).unzip()
}

fn refuse_lost_zeros(named: &Named, listed: &PeopleIndex<'_>) -> Result<(), Failure> {
    let lost = listed.lost_zeros(&named.people());
    if named.roster.is_none() || lost == 0 {
        return Ok(());
    }
    let ids = counted(lost, "reference id has", "reference ids have");
    let cause = format!("{ids} lost the zeros in front, as in a spreadsheet: nothing was changed");
    Err(Failure::new(Verdict::Refused, cause).hint("format the column as text, and fill in the ids again"))
}

/// Sends updates, with the project's lock and signals. Rows without an update are not attempted.
pub async fn send(
    session: &Session,
    project: &ProjectRef,
    updates: &[Option<Update>],
    command: &str,
) -> anyhow::Result<Run> {
    let _lock = Lock::take(&session.settings()?.state_dir, project.id, command)?;
    let stop = Stopper::new(session.client().await?);
    let ends = interruptible(session, &stop, send_at(session, project.id, updates, &stop)).await??;
    Ok(Run::new(ends, stop.why()))
}

/// The same where the caller has the lock and listens to signals.
pub async fn send_at(
    session: &Session,
    project: ProjectId,
    updates: &[Option<Update>],
    stop: &Stopper<'_>,
) -> anyhow::Result<Vec<RowEnd>> {
    let client = session.client().await?;
    let progress = session.console.progress("updating", Some(updates.iter().flatten().count() as u64));
    let most = usize::from(session.settings()?.concurrency);
    let ends = update(client, project, updates, most, stop, |count| progress.answered(count as u64)).await;
    Ok(ends.into_iter().map(|end| end.unwrap_or_else(|| RowEnd::new(Outcome::NotAttempted))).collect())
}

/// The updates of people whom an import found in the project with other names, or without their reference id.
pub async fn differing(
    session: &Session,
    project: ProjectId,
    people: &[NewTestTaker],
    run: &Run,
) -> anyhow::Result<Vec<Option<Update>>> {
    let mut updates: Vec<Option<Update>> = vec![None; people.len()];
    if run.differing.is_empty() || run.failure.is_some() {
        return Ok(updates);
    }
    let records = Named::everybody(session, project).await?;
    for row in &run.differing {
        let record = records.iter().find(|record| record.id.is_some() && record.entry_id() == run.ends[*row].entry);
        updates[*row] = record.map(|record| Update { record: record.clone(), wanted: wanted(&people[*row], record) });
    }
    Ok(updates)
}

/// A reference id is only set where there is none.
fn wanted(person: &NewTestTaker, record: &TestTaker) -> Wanted {
    Wanted {
        reference_id: person.reference_id.as_deref().filter(|_| record.reference_id.is_none()).map(str::to_owned),
        first_name: person.first_name.as_deref().map(str::to_owned),
        last_name: person.last_name.as_deref().map(str::to_owned),
    }
}

/// The run of an import after its updates were sent: the rows that had one end as that did.
pub fn updated(run: Run, updates: &[Option<Update>], sent: Vec<RowEnd>) -> Run {
    let ends = run.ends.into_iter().zip(sent).zip(updates).map(|((end, sent), update)| match update {
        Some(_) => RowEnd { entry: end.entry, enrolment: end.enrolment, ..sent },
        None => end,
    });
    Run { ends: ends.collect(), ..run }
}

/// What a dry run says of updates.
pub fn rehearsed(updates: &[Option<Update>]) -> Vec<RowEnd> {
    vec![RowEnd::new(Outcome::Updated); updates.len()]
}
