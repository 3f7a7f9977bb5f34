//! `testtakers update`: which new values a row or the options give a person, and which of them are refused.

use clap::Args;

use crate::bulk::each_row::Planned;
use crate::bulk::find_people::{Others, PeopleIndex, contradiction};
use crate::bulk::outcome::{Of, Outcome, RowEnd};
use crate::bulk::person::Person;
use crate::bulk::update::Wanted;
use crate::commands::account::BulkArgs;
use crate::commands::people::{ByArgs, Named, PeopleArgs, judge_typed};
use crate::commands::session::Session;
use crate::commands::work::Work;
use crate::model::people::TestTaker;
use crate::model::person::PersonRef;
use crate::model::text::{PersonName, ReferenceId, grouped};
use crate::model::verdict::{Failure, Verdict};
use crate::roster::{Field, Needs};

/// Change names and reference ids of test takers
#[derive(Args)]
#[command(
    mut_arg("file", |file| file.help("CSV or Excel; - is stdin")),
    after_help = "Examples:\n  assessctl testtakers update EMP-00017 --last-name Berg\n  assessctl testtakers update --file badges.csv --by email --dry-run"
)]
pub struct UpdatePeople {
    #[command(flatten)]
    people: PeopleArgs,
    #[command(flatten)]
    by: ByArgs,
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
    /// An empty cell deletes the stored value
    #[arg(long, requires = "file", conflicts_with = "people")]
    clear_empty: bool,
    #[command(flatten)]
    bulk: BulkArgs,
}

fn or_clear<T: std::str::FromStr>(text: &str) -> Result<String, T::Err> {
    if text.is_empty() { Ok(String::new()) } else { text.parse::<T>().map(|_| text.to_owned()) }
}

impl UpdatePeople {
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        if self.people.roster.map.iter().any(|(_, field)| *field == Field::BirthYear) {
            return Err(Failure::usage("the service cannot change a birthYear: leave out this --map").into());
        }
        let mut account = self.bulk.begin(session)?;
        account.existing = "unchanged";
        let named = self.people.read(session, Needs::Update, self.bulk.show.to.as_deref())?;
        let wanted = self.wanted(&named)?;
        let project = self.bulk.project.find(session).await?;
        let new_ids: Vec<PersonRef> = wanted.iter().filter_map(new_id).collect();
        let records = named.records(session, project.id, &new_ids).await?;
        let index = PeopleIndex::new(records.iter().map(|read| &read.record));
        let found = named.find(session, project.id, &index, self.by.by, Others::Values)?;
        let has_other = |row, record: &TestTaker| contradiction(row, record, Others::Values).is_some();
        let keeps = |(row, found): (_, &Planned<'_>)| found.as_ref().is_ok_and(|record| has_other(row, record));
        let keeps_email: Vec<bool> = named.people().zip(&found).map(keeps).collect();
        let rows: Vec<_> = found.into_iter().zip(&wanted).map(|(row, new)| planned(row?, new, &index)).collect();
        let work = Work::begin(session, &project, "testtakers update", self.bulk.dry_run).await?;
        let mut run = work.ended(work.run(work.update(&rows, &wanted)).await?);
        let kept = run.ends.iter().zip(keeps_email).filter(|(end, keeps)| *keeps && !end.outcome.is_to_fix()).count();
        let note = format!("including {} with a different e-mail (it cannot be changed)", grouped(kept));
        run.notes.extend((kept > 0).then_some(note));
        account.end(&named, &run, Of::Many, &project)
    }

    /// The new values of each row: those of the options, or of the file's other columns.
    fn wanted(&self, named: &Named) -> Result<Vec<Wanted>, Failure> {
        let Some(roster) = &named.roster else {
            let given = [&self.reference_id, &self.first_name, &self.last_name];
            let [reference_id, first_name, last_name] = given.map(Clone::clone);
            let wanted = Wanted { reference_id, first_name, last_name };
            if wanted == Wanted::default() {
                return Err(Failure::usage("there is nothing to change").hint("add --last-name NAME"));
            }
            let fields = [Field::ReferenceId, Field::FirstName, Field::LastName];
            let values: Vec<_> = fields.into_iter().zip(given.map(Option::as_deref)).collect();
            judge_typed(&values, &self.people.roster.suspicious)?;
            if new_id(&wanted).is_some() && named.rows.len() > 1 {
                return Err(Failure::usage("--reference-id is for one PERSON").hint("name one person"));
            }
            return Ok(vec![wanted; named.rows.len()]);
        };
        let clears = |field| self.clear_empty && roster.headers.iter().any(|header| header.field == Some(field));
        let cell = |value: Option<String>, field| value.or_else(|| clears(field).then(String::new));
        let by_id = |person: &Person| matches!(person.named_by(self.by.by), Some(PersonRef::Reference(_)));
        let id = |person: &Person| cell(person.reference_id.clone().map(String::from), Field::ReferenceId);
        let wanted = named.people().map(|person| Wanted {
            reference_id: if by_id(person) { None } else { id(person) },
            first_name: cell(person.first_name.clone().map(String::from), Field::FirstName),
            last_name: cell(person.last_name.clone().map(String::from), Field::LastName),
        });
        Ok(wanted.collect())
    }
}

fn new_id(wanted: &Wanted) -> Option<PersonRef> {
    wanted.reference_id.as_deref()?.parse().ok().map(PersonRef::Reference)
}

/// A person who is to be updated, or how the row ends without that.
fn planned<'l>(person: &'l TestTaker, wanted: &Wanted, index: &PeopleIndex<'_>) -> Planned<'l> {
    let end = |outcome| RowEnd::new(outcome).entry(person.entry_id());
    let holder = new_id(wanted).and_then(|id| index.of(&id).iter().find(|holder| holder.id != person.id)?.entry_id());
    match holder {
        Some(entry) => Err(end(Outcome::Conflict).message(format!("entry id {entry} has the new reference id"))),
        None if wanted.body(person).is_none() => Err(end(Outcome::Existing)),
        None => Ok(person),
    }
}
