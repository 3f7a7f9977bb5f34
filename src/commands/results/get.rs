//! `assessctl results get`: the latest result of one reference id, or of each of a file.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use crate::api::{Client, Error, SingleResult};
use crate::bulk::roster::{self, Field, ReadOptions};
use crate::commands::results::columns::{LEGACY, SINGLE};
use crate::commands::shared::prints::Prints;
use crate::commands::shared::project_args::ProjectArg;
use crate::commands::shared::roster_file::{is_stdin, name, stdin};
use crate::commands::shared::session::Session;
use crate::model::listing::ReferenceLookup;
use crate::model::projects::ProjectId;
use crate::model::results::ResultsApi;
use crate::model::verdict::{Failure, Verdict};
use crate::output::{Columns, Record, Shape};

/// Reference ids that are looked up at a time.
const AT_ONCE: usize = 8;

/// Show the latest result of one person, or of each of a file, with what is known of the identity
#[derive(Debug, Args)]
#[command(add = Prints::Results(|shape| columns(shape).names().to_vec()))]
#[command(after_help = "\
Examples:
  assessctl results get -p Demo EMP-00017
  assessctl results get -p Demo EMP-00017 --fields result,dateCompleted -o json
  assessctl results get -p Demo --ids-from enrolled.csv -o csv")]
pub struct GetResult {
    #[command(flatten)]
    project: ProjectArg,
    /// The caller's own identifier of the test taker, 1 to 500 characters
    #[arg(value_name = "REFERENCE_ID", required_unless_present = "ids_from")]
    reference_id: Option<ReferenceLookup>,
    /// Look up each reference id of this file, in its order: one a line, or a roster with a column of them; `-` reads
    /// standard input
    #[arg(long, value_name = "FILE", conflicts_with = "reference_id")]
    ids_from: Option<PathBuf>,
}

impl GetResult {
    /// Runs the command.
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        match (&self.reference_id, &self.ids_from) {
            (_, Some(path)) => self.each_of(session, path).await,
            (Some(id), None) => self.one(session, id).await,
            (None, None) => Err(Failure::usage("no reference id is named").into()),
        }
    }

    async fn one(&self, session: &Session, id: &ReferenceLookup) -> anyhow::Result<Verdict> {
        let shape = session.settings.results_api.value;
        let mut printer = session.printer(columns(shape), Shape::One)?;
        let client = session.client()?;
        let named = self.project.find(session, &client).await?;
        let project = named.id();
        let found = client.result(project, id, shape).await.context("cannot read the result")?;
        let Some(found) = found else {
            // Somebody is missing only from a project that is there.
            named.check(&client).await?;
            return Err(nobody(id).into());
        };
        if found.from_list {
            say_what_lacks(session);
        }
        printer.push(Record::Sent(found.sent.get()))?;
        printer.finish()?;
        Ok(Verdict::Done)
    }

    async fn each_of(&self, session: &Session, path: &Path) -> anyhow::Result<Verdict> {
        let shape = session.settings.results_api.value;
        let names = [&["asked", "outcome"], columns(shape).names()].concat();
        let table = ["asked", "outcome", "fullName", if shape == ResultsApi::Legacy { "status" } else { "result" }];
        let columns =
            Columns::of(&names).called("result", "results").in_table(&table).no_truncate(&["asked", "outcome"]);
        let mut printer = session.printer(&columns, Shape::Many)?;
        let (name, excel) = (name(path), session.show.excel);
        let ids = if is_stdin(path) {
            read_ids(stdin(session)?, &name, excel)?
        } else {
            let file = File::open(path).map_err(|error| Failure::usage(format!("cannot read {name}: {error}")))?;
            read_ids(file, &name, excel)?
        };
        let client = session.client()?;
        let found = self.project.find(session, &client).await?;
        let project = found.id();
        let looked_up = stream::iter(&ids).map(|id| look_up(&client, project, id, shape)).buffered(AT_ONCE);
        let mut looked_up = std::pin::pin!(looked_up);
        let (mut absent, mut shared, mut from_list) = (0_usize, 0_usize, false);
        while let Some(answer) = looked_up.try_next().await.context("cannot read the results")? {
            let is_absent = answer.outcome == "absent";
            if is_absent && absent == 0 {
                found.check(&client).await?;
            }
            absent += usize::from(is_absent);
            shared += usize::from(answer.outcome == "shared");
            from_list |= answer.found.as_ref().is_some_and(|found| found.from_list);
            let sent = answer.found.as_ref().map_or("{}", |found| found.sent.get());
            printer.push(Record::CellsAndSent(&[answer.asked.into(), answer.outcome.into()], sent))?;
        }
        if from_list {
            say_what_lacks(session);
        }
        if shared > 0 {
            session.talk.warn(&format!(
                "{shared} of {} reference ids belong to several test takers: whose result the service would show is not \
                 known, so none is shown",
                ids.len()
            ));
        }
        if absent > 0 {
            session.talk.note(&format!("{absent} of {} reference ids have no result in this project", ids.len()));
        }
        printer.finish()?;
        Ok(match () {
            () if absent == ids.len() => Verdict::NotFound,
            () if shared > 0 => Verdict::Usage,
            () => Verdict::Done,
        })
    }
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
    /// `found`, `shared` (several people have it: no result is shown) or `absent`.
    outcome: &'static str,
    /// What the service answered; nothing where it has none.
    found: Option<SingleResult>,
}

async fn look_up<'a>(
    client: &Client,
    project: ProjectId,
    id: &'a ReferenceLookup,
    shape: ResultsApi,
) -> Result<LookedUp<'a>, Error> {
    let asked = id.as_str();
    let (outcome, found) = match client.result(project, id, shape).await {
        Ok(Some(found)) => ("found", Some(found)),
        Ok(None) => ("absent", None),
        Err(Error::SharedReferenceId(_)) => ("shared", None),
        Err(error) => return Err(error),
    };
    Ok(LookedUp { asked, outcome, found })
}

/// The reference ids of a file: of a roster's column, else one a line. Blank ones are none.
fn read_ids(mut source: impl Read, name: &str, excel: bool) -> Result<Vec<ReferenceLookup>, Failure> {
    let mut bytes = Vec::new();
    source.read_to_end(&mut bytes).map_err(|error| Failure::usage(format!("cannot read {name}: {error}")))?;
    let options = ReadOptions { excel, ..ReadOptions::default() };
    let roster = roster::read(bytes.as_slice(), name, &options).ok();
    let roster = roster.filter(|roster| roster.columns.index_of(Field::ReferenceId).is_some());
    let ids: Vec<(u32, String)> = if let Some(roster) = roster {
        let ids = (0..roster.row_count()).map(|row| (roster.line(row), roster.value(row, Field::ReferenceId)));
        ids.filter_map(|(line, id)| Some((line, id?.to_owned()))).collect()
    } else {
        lines(&bytes).ok_or_else(|| {
            Failure::usage(format!("{name} is neither a list of reference ids nor a roster with a column of them"))
                .hint("give one reference id a line, or a CSV with the header referenceId")
        })?
    };
    if ids.is_empty() {
        return Err(Failure::usage(format!("{name} has no reference id in it")));
    }
    let parsed = ids
        .into_iter()
        .map(|(line, id)| id.parse().map_err(|error| Failure::usage(format!("{name}:{line}: reference id: {error}"))));
    parsed.collect()
}

/// One reference id a line, each with the line's number; `None` where that cannot be what the file is.
fn lines(bytes: &[u8]) -> Option<Vec<(u32, String)>> {
    let text = std::str::from_utf8(bytes).ok()?.trim_start_matches('\u{feff}');
    let ids = (1_u32..).zip(text.lines()).map(|(line, id)| (line, id.trim().to_owned()));
    let ids: Vec<(u32, String)> = ids.filter(|(_, id)| !id.is_empty()).collect();
    // What separates cells stands in no reference id: this is a table without a column of them.
    let is_table = ids.iter().any(|(_, id)| id.contains([',', ';', '\t', '|', '\0']));
    (!is_table).then_some(ids)
}

fn say_what_lacks(session: &Session) {
    session.talk.warn(
        "a reference id that cannot stand in a path was looked up in the test taker list: identityVerified and \
         identityStatus are missing",
    );
}

fn nobody(id: &ReferenceLookup) -> Failure {
    let failure = Failure::new(Verdict::NotFound, "there is no result for this reference id in the project");
    let prefix = ["ref:", "id:", "email:"].into_iter().find(|prefix| id.as_str().starts_with(prefix));
    failure.hint(match prefix {
        Some("ref:") => "write the reference id without ref: in front, which would belong to it here".to_owned(),
        Some(prefix) => format!("{prefix} belongs to the reference id here: `assessctl testtakers get` takes either"),
        None => "`assessctl results list --filter TEXT` searches".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(content: &str) -> Result<Vec<String>, Failure> {
        Ok(read_ids(content.as_bytes(), "ids", false)?.iter().map(|id| id.as_str().to_owned()).collect())
    }

    #[test]
    fn ids_stand_one_a_line_or_in_a_column() {
        let expected = Ok(vec!["EMP-2".to_owned(), "00017".to_owned(), "EMP-2".to_owned()]);
        for content in [
            "EMP-2\n00017\n\nEMP-2",
            "\u{feff}EMP-2\r\n 00017 \r\nEMP-2\r\n",
            "referenceId\nEMP-2\n00017\nEMP-2\n",
            "E-mail;Reference ID\na@b;EMP-2\nc@d;00017\ne@f;\ng@h;EMP-2\n",
        ] {
            assert_eq!(ids(content), expected, "{content:?}");
        }
        assert_eq!(ids("one"), Ok(vec!["one".to_owned()]));
    }

    #[test]
    fn a_file_that_holds_no_ids_is_refused() {
        for content in ["", "\n \n", "email,firstName\na@b,Zoe\n", "PK\u{3}\u{4}\0\0"] {
            assert_eq!(ids(content).expect_err("no ids").verdict, Verdict::Usage, "{content:?}");
        }
        let long = ids(&"x".repeat(501)).expect_err("too long");
        assert!(long.cause.contains(":1: ") && !long.cause.contains("xx"), "{long}");
    }
}
