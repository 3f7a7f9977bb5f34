//! `assessctl results get`: the latest result of one reference id, or of each of a file.

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::Context as _;
use clap::Args;
use futures_util::{StreamExt as _, stream};

use crate::api::{Client, Error, ResultSource, SingleResult};
use crate::bulk::find_people::LookupKey;
use crate::bulk::roster::{Field, Purpose, prefixed};
use crate::commands::results::columns::{LEGACY, SINGLE};
use crate::commands::results::fail_on::{AlertArgs, is_none_yet};
use crate::commands::shared::named_people::{AT_ONCE, LookUp, LookUps, PersonArg, all_named, listed};
use crate::commands::shared::person_argument::{AskedName, PeopleFromList, joined, joined_people};
use crate::commands::shared::project_args::ProjectArg;
use crate::commands::shared::session::Session;
use crate::commands::shared::verb_traits::{CommandEffect, JsonShape, JsonSource, Prints, VerbTraits};
use crate::model::counted::counted;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::list_query::ReferenceLookup;
use crate::model::projects::ProjectId;
use crate::model::results::{Finding, LegacyResult, ResultsApi};
use crate::model::testtakers::TestTaker;
use crate::output::{Columns, Record, Shape};

/// A reference id to read the result of; `ref:` may stand before it, as where other kinds of names are taken, too.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Asked(ReferenceLookup);

impl FromStr for Asked {
    type Err = Failure;
    fn from_str(text: &str) -> Result<Self, Failure> {
        let id = prefixed(text).filter(|(kind, _)| *kind == Field::ReferenceId).map_or(text, |(_, id)| id);
        id.parse().map(Self).map_err(|error| Failure::usage(format!("reference id: {error}")))
    }
}

impl Asked {
    fn name(&self) -> AskedName {
        (LookupKey::ReferenceId, self.0.as_str().to_owned())
    }
}

/// Show the latest result of one person, or of several, with what is known of the identity
///
/// Of several each is accounted for, in the order in which they are named: the columns `asked` and `outcome` (found,
/// absent, or shared by several people, of whose results none is shown) stand before the others. A result that cannot be
/// read ends the command, and nothing is printed; but where another one is an alert, all are shown, this one as failed.
///
/// One person who has begun no test has no result: the record is shown, and the exit code is 4. With --fail-on a test
/// that is not over is no result either, and of several people 10 says that some have none, 4 that all of them have none.
#[derive(Debug, Args)]
#[command(add = VerbTraits::new(CommandEffect::Read, Prints::Results(|shape| columns(shape).names().to_vec())).with_people().printing(JsonShape::OneOrMany, JsonSource::Service))]
#[command(after_help = "\
Examples:
  assessctl results get -p Demo EMP-00017
  assessctl results get -p Demo EMP-00017 --fields result,dateCompleted -o json
  assessctl results get -p Demo EMP-00017 EMP-00018 -o csv
  assessctl results get -p Demo EMP-00017 --fail-on HighRisk,Emergency
  assessctl results get -p Demo --ids-from enrolled.csv -o csv
  printf 'EMP-00017\\nEMP-00018\\n' | assessctl results get -p Demo - -o csv")]
pub struct GetResult {
    #[command(flatten)]
    project: ProjectArg,
    /// Your own identifier of the test taker, one or several; `-` reads them from standard input
    #[arg(value_name = "REFERENCE_ID", required_unless_present = "ids_from")]
    reference_ids: Vec<PersonArg<Asked>>,
    /// Look up each reference id of this file: one a line, or a CSV with a column of them
    #[arg(long, value_name = "FILE", conflicts_with = "reference_ids")]
    ids_from: Option<PathBuf>,
    #[command(flatten)]
    alert: AlertArgs,
}

impl GetResult {
    /// Runs the command.
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        match (self.reference_ids.as_slice(), &self.ids_from) {
            ([PersonArg::Given(id)], None) => self.one(session, &id.0).await,
            (_, Some(file)) => self.each(session, &listed(session, file, Purpose::NameByReference)?).await,
            (named, None) => self.each(session, &all_named(session, named, Purpose::NameByReference)?).await,
        }
    }

    async fn one(&self, session: &Session, id: &ReferenceLookup) -> anyhow::Result<Verdict> {
        let shape = session.settings.results_api.value;
        let word = if shape == ResultsApi::Legacy { "status" } else { "result" };
        let mut printer = session.quiet_printer(columns(shape), Shape::One, word)?;
        let mut alert = self.alert.watch();
        let client = session.client()?;
        let named = self.project.find(session, &client).await?;
        let project = named.id();
        let found = client.result(project, id, shape, None).await.context("cannot read the result")?;
        let Some(found) = found else {
            // A person is missing only from a project that is there.
            named.check(&client).await?;
            return Err(no_result(session, id).into());
        };
        let verdict = say_what_lacks(session, &[found.source]);
        let finding = read_again(&found, shape)?;
        alert.see(finding.status());
        printer.push(Record::Sent(found.sent.get()))?;
        printer.finish()?;
        Ok(verdict.max(alert.end_of_one(session, &*finding)))
    }

    async fn each(&self, session: &Session, ids: &[Asked]) -> anyhow::Result<Verdict> {
        let shape = session.settings.results_api.value;
        let names = [&["asked", "outcome"], columns(shape).names()].concat();
        let table = ["asked", "outcome", "fullName", if shape == ResultsApi::Legacy { "status" } else { "result" }];
        let columns = Columns::of(&names).called("result", "results").in_table(&table);
        let mut printer = session.printer(&columns, Shape::Many)?;
        let mut alert = self.alert.watch();
        let client = session.client()?;
        let found = self.project.find(session, &client).await?;
        let project = found.id();
        let people = PeopleFromList::read(&client, project, ids.iter().map(Asked::name)).await;
        let people = people.context("cannot read the test takers")?;
        let looked_up = stream::iter(ids).map(|id| look_up(&client, project, (id, &people), shape)).buffered(AT_ONCE);
        let mut looked_up = std::pin::pin!(looked_up);
        let (mut look_ups, mut sources) = (LookUps::default(), Vec::new());
        let mut failed = None;
        while let Some(answer) = looked_up.next().await {
            let answer = match answer {
                Err((asked, error)) if alert.is_gate() => {
                    // An alert is not hidden by what else went wrong.
                    failed = failed.or(Some(error));
                    LookedUp { asked, outcome: LookUp::Failed, found: None }
                }
                answer => answer.map_err(|(_, error)| error).context(CANNOT_READ)?,
            };
            if look_ups.count(answer.outcome) {
                found.check(&client).await?;
            }
            if let Some(found) = &answer.found {
                sources.push(found.source);
                let finding = read_again(found, shape)?;
                look_ups.count_empty(alert.is_gate() && is_none_yet(finding.status()));
                alert.see(finding.status());
            }
            let sent = answer.found.as_ref().map_or("{}", |found| found.sent.get());
            printer.push(Record::CellsAndSent(&[answer.asked.into(), answer.outcome.name().into()], sent))?;
        }
        let failed = failed.map(|error| anyhow::Error::new(error).context(CANNOT_READ));
        match failed {
            Some(error) if !alert.is_raised() => return Err(error),
            failed => failed.into_iter().for_each(|error| session.console.warn(&format!("{error:#}"))),
        }
        let verdict = say_what_lacks(session, &sources).max(look_ups.end(session, "have no result"));
        printer.finish()?;
        Ok(verdict.max(alert.end(session)))
    }
}

/// What is said of results that cannot be read.
const CANNOT_READ: &str = "cannot read the results";

/// What a record tells of a result.
fn read_again(found: &SingleResult, shape: ResultsApi) -> anyhow::Result<Box<dyn Finding>> {
    const UNREAD: &str = "a result that was read can be read again";
    let sent = found.sent.get();
    // The list of test takers has one shape alone.
    Ok(if found.source != ResultSource::Single || shape == ResultsApi::Current {
        Box::new(serde_json::from_str::<TestTaker>(sent).context(UNREAD)?)
    } else {
        Box::new(serde_json::from_str::<LegacyResult>(sent).context(UNREAD)?)
    })
}

fn columns(shape: ResultsApi) -> &'static Columns<'static> {
    match shape {
        ResultsApi::Current => &SINGLE,
        ResultsApi::Legacy => &LEGACY,
    }
}

/// What came of one reference id.
struct LookedUp<'a> {
    asked: &'a str,
    outcome: LookUp,
    /// What the service answered; nothing where it has none.
    found: Option<SingleResult>,
}

async fn look_up<'a>(
    client: &Client,
    project: ProjectId,
    (id, people): (&'a Asked, &PeopleFromList),
    shape: ResultsApi,
) -> Result<LookedUp<'a>, (&'a str, Error)> {
    let asked = id.0.as_str();
    let (outcome, found) = match client.result(project, &id.0, shape, people.called(&id.name())).await {
        Ok(Some(found)) => (LookUp::Found, Some(found)),
        Ok(None) => (LookUp::Absent, None),
        Err(Error::SharedReferenceId(_)) => (LookUp::Shared, None),
        Err(error) => return Err((asked, error)),
    };
    Ok(LookedUp { asked, outcome, found })
}

/// Says what results lack that were read in the list of test takers, and whether the reading is unfinished so.
fn say_what_lacks(session: &Session, sources: &[ResultSource]) -> Verdict {
    if sources.contains(&ResultSource::List) {
        session.console.warn(
            "a reference id that cannot stand in a path was looked up in the test taker list: identityVerified and \
             identityStatus are missing",
        );
    }
    let alone = sources.iter().filter(|source| **source == ResultSource::ListAlone).count();
    if alone == 0 {
        return Verdict::Done;
    }
    session.console.warn(&format!(
        "{} in the test taker list, and not found by itself: shown as the list has it; run the same command again",
        counted(alone, "result stands", "results stand")
    ));
    Verdict::Unfinished
}

fn no_result(session: &Session, id: &ReferenceLookup) -> Failure {
    if let Some(count) = joined_people(id.as_str()) {
        let people = vec!["REFERENCE_ID"; count].join(" ");
        return joined(count).hint(format!("put a space between people: `assessctl results get {people}`"));
    }
    let cause = format!("there is no result for this reference id{}", session.place());
    let failure = Failure::new(Verdict::NotFound, cause);
    failure.hint(match id.as_str() {
        typed if prefixed(typed).is_some() => {
            "a result is read by reference id; `assessctl testtakers get` takes id: and email: as well".to_owned()
        }
        typed if typed.contains('@') => {
            "a result is read by reference id; `assessctl results list --filter TEXT` searches e-mails, too".to_owned()
        }
        typed if typed.bytes().all(|byte| byte.is_ascii_digit()) => {
            "a result is read by reference id: `assessctl testtakers get id:NUMBER` shows the entry of a number"
                .to_owned()
        }
        _ => format!("`assessctl results list --filter TEXT` searches{}", session.elsewhere()),
    })
}
