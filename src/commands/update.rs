//! `assessctl testtakers update`: one person's name or reference id.

use clap::Args;
use serde::Serialize;

use super::session::{ProjectArg, Session, failed_write};
use super::target::Target;
use crate::model::testtakers::{Change, EntryId, TestTakerUpdate};
use crate::model::text::{PersonName, ReferenceId, TextError};
use crate::model::verdict::Verdict;
use crate::output::{Columns, Shape};

pub(super) const COLUMNS: Columns<'static> =
    Columns::of(&["projectEntryId", "referenceId", "firstName", "lastName", "outcome"])
        .uncut(&["projectEntryId", "referenceId"]);

/// Arguments of `testtakers update`. The service can't change an e-mail address or a birth year.
#[derive(Debug, Args)]
#[group(id = "changes", required = true, multiple = true, args = ["first_name", "last_name", "reference_id"])]
pub struct UpdateTestTaker {
    #[command(flatten)]
    project: ProjectArg,
    /// Whom: `ref:REFERENCE_ID`, `email:ADDRESS` or `id:ENTRY_ID`
    #[arg(value_name = "TEST_TAKER")]
    target: Target,
    /// New first name, at most 100 characters; an empty value clears it
    #[arg(long, value_name = "NAME", allow_hyphen_values = true, value_parser = change::<PersonName>)]
    first_name: Option<Change<PersonName>>,
    /// New last name, at most 100 characters; an empty value clears it
    #[arg(long, value_name = "NAME", allow_hyphen_values = true, value_parser = change::<PersonName>)]
    last_name: Option<Change<PersonName>>,
    /// New reference id: letters, digits and _ - . + @, at most 500; an empty value clears it
    #[arg(long, value_name = "REFERENCE_ID", allow_hyphen_values = true, value_parser = change::<ReferenceId>)]
    reference_id: Option<Change<ReferenceId>>,
}

/// Reads a value to set; an empty one clears.
fn change<T: std::str::FromStr<Err = TextError>>(text: &str) -> Result<Change<T>, TextError> {
    if text.is_empty() { Ok(Change::Clear) } else { text.parse().map(Change::Set) }
}

/// What is sent for a field: the change, else the value just read. What omitted fields do is not shown, so a field is
/// left out only where today's rules would refuse the value that the service holds.
fn wanted<T: std::str::FromStr>(change: Option<Change<T>>, now: Option<&str>) -> Change<T> {
    match (change, now) {
        (Some(change), _) => change,
        (None, None | Some("")) => Change::Clear,
        (None, Some(now)) => now.parse().map_or(Change::Leave, Change::Set),
    }
}

/// What the command prints.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Updated<'a> {
    project_entry_id: EntryId,
    reference_id: Option<&'a str>,
    first_name: Option<&'a str>,
    last_name: Option<&'a str>,
    outcome: &'static str,
}

impl UpdateTestTaker {
    /// Runs the command.
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let mut printer = session.printer(&COLUMNS, Shape::One)?;
        session.may_write()?;
        let client = session.client()?;
        let project = self.project.find(session, &client).await?.id();
        let before = self.target.find(&client, project).await?.record;
        let update = TestTakerUpdate {
            reference_id: wanted(self.reference_id, before.reference_id.as_deref()),
            first_name: wanted(self.first_name, before.first_name.as_deref()),
            last_name: wanted(self.last_name, before.last_name.as_deref()),
        };
        let now = client.update(project, &before, &update).await;
        let now = now.map_err(|error| failed_write(error, "cannot update the test taker"))?.record;
        printer.push(&serde_json::to_string(&Updated {
            project_entry_id: before.entry_id(),
            reference_id: now.reference_id.as_deref(),
            first_name: now.first_name.as_deref(),
            last_name: now.last_name.as_deref(),
            outcome: "updated",
        })?)?;
        printer.finish()?;
        Ok(Verdict::Done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_that_is_not_named_keeps_the_value_just_read() {
        let kept: Change<PersonName> = wanted(None, Some("Zoë"));
        assert_eq!(kept, Change::Set("Zoë".parse().expect("a name")));
        assert_eq!(wanted::<PersonName>(None, None), Change::Clear);
        assert_eq!(wanted::<PersonName>(Some(Change::Clear), Some("Zoë")), Change::Clear);
    }

    #[test]
    fn a_value_that_todays_rules_refuse_is_left_out() {
        assert_eq!(wanted::<ReferenceId>(None, Some("old id/7")), Change::Leave);
    }
}
