//! `assessctl results changes`: who was added, whose result changed, who is gone, since last time or since a file.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::commands::results::baseline::Earlier;
use crate::commands::results::local_filters::{Alert, AlertArgs};
use crate::commands::results::verified;
use crate::commands::shared::prints::Prints;
use crate::commands::shared::project_args::ProjectArg;
use crate::commands::shared::session::Session;
use crate::journal::seen::{Change, Comparing, Key, Line, ListName};
use crate::journal::store::Store;
use crate::model::cell::Cell;
use crate::model::counted::counted;
use crate::model::listing::PeopleFilters;
use crate::model::results::ResultsApi;
use crate::model::verdict::{Failure, Verdict};
use crate::output::{Columns, Printer, Record, Shape};

const COLUMNS: Columns<'static> = Columns::of(&[
    "change",
    "id",
    "referenceId",
    "email",
    "fullName",
    "oldResult",
    "result",
    "dateCompleted",
    "changedFields",
])
.in_table(&["change", "id", "referenceId", "fullName", "oldResult", "result", "changedFields"])
.no_truncate(&["change", "id", "referenceId", "oldResult", "result"]);

/// Show what changed since last time: who is new, whose result is another one, who is gone
#[derive(Debug, Args)]
#[command(add = Prints::Records(&COLUMNS))]
#[command(after_help = "\
What was seen last is remembered for each project: ids and results as they are, everything else as keyed hashes. It \
moves on once the output is written whole.

Examples:
  assessctl results changes -p Demo
  assessctl results changes -p Demo --fail-on HighRisk,Emergency -o ndjson
  assessctl results export -p Demo --to before.csv
  assessctl results changes -p Demo --since before.csv")]
pub struct ResultChanges {
    #[command(flatten)]
    project: ProjectArg,
    /// Compare with an earlier export (CSV, JSON or NDJSON) instead; nothing is remembered then
    #[arg(long, value_name = "FILE")]
    since: Option<PathBuf>,
    #[command(flatten)]
    alert: AlertArgs,
}

/// What the command prints for each change; values of the record are kept as they were sent.
struct Shown {
    change: &'static str,
    id: Value,
    reference_id: Value,
    email: Value,
    full_name: Value,
    old_result: Option<String>,
    result: Option<String>,
    date_completed: Value,
    changed_fields: Option<String>,
}

impl Shown {
    /// The cells, in the order of the columns.
    fn cells(&self) -> [Cell<'_>; 9] {
        [
            self.change.into(),
            self.id.clone().into(),
            self.reference_id.clone().into(),
            self.email.clone().into(),
            self.full_name.clone().into(),
            self.old_result.as_deref().into(),
            self.result.as_deref().into(),
            self.date_completed.clone().into(),
            self.changed_fields.as_deref().into(),
        ]
    }
}

/// How records of one shape are compared.
#[derive(Clone, Debug)]
pub struct Compared {
    shape: ResultsApi,
    /// The fields beside key and result that both sides have.
    fields: Vec<&'static str>,
}

impl Compared {
    /// By everything that the shape has.
    fn new(shape: ResultsApi) -> Self {
        let fields = match shape {
            ResultsApi::Current => vec![
                "email",
                "referenceId",
                "firstName",
                "lastName",
                "fullName",
                "yearOfBirth",
                "dateCompleted",
                "lastTestSentUtc",
                "topPerformer",
            ],
            ResultsApi::Legacy => vec!["firstName", "lastName", "fullName", "dateCompleted"],
        };
        Self { shape, fields }
    }

    /// The fields that tell one record from another, and the field that has its result.
    pub fn key_and_result(&self) -> (&'static [&'static str], &'static str) {
        match self.shape {
            ResultsApi::Current => (&["id"], "result"),
            ResultsApi::Legacy => (&["referenceId", "email"], "status"),
        }
    }

    /// Leaves out the fields that the other side does not have.
    pub fn only(&mut self, has: impl Fn(&str) -> bool) {
        self.fields.retain(|field| has(field));
    }

    /// Takes a record apart.
    fn line<T>(&self, record: &Map<String, Value>, shown: &str, take: impl FnOnce(Line<'_>) -> T) -> anyhow::Result<T> {
        let (key, result) = self.key_and_result();
        let fields: Vec<String> = self.fields.iter().map(|field| text(record, field)).collect();
        let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
        let keys: Vec<String> = key.iter().map(|field| text(record, field)).collect();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let key = match self.shape {
            ResultsApi::Current => Key::Id(keys[0].parse().context("a record has no id that is a number")?),
            ResultsApi::Legacy => Key::Texts(&keys),
        };
        Ok(take(Line { key, result: &text(record, result), fields: &fields, shown }))
    }
}

/// A value as text, the same whether it comes from JSON or from a cell of a CSV: null is empty.
fn text(record: &Map<String, Value>, field: &str) -> String {
    match record.get(field) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

impl ResultChanges {
    /// Runs the command.
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let printer = session.printer(&COLUMNS, Shape::Many)?;
        let shape = session.settings.results_api.value;
        let mut compared = Compared::new(shape);
        let earlier = self.since.as_deref().map(|path| Earlier::open(path, &mut compared)).transpose()?;
        let mut comparing = Comparing::begin(Store::open(&session.settings.state_dir()?)?)?;
        let client = session.client()?;
        let project = self.project.find(session, &client).await?.id();
        let service = session.service_name()?;
        let list = ListName { service: &service, project, shape: shape_word(shape) };
        let first = match earlier {
            Some(earlier) => {
                earlier
                    .each(project, |record, json| Ok(compared.line(record, json, |line| comparing.before(line))??))?;
                false
            }
            None => comparing.recall(list)?.is_none(),
        };
        verified::say_how_people_are_told_apart(session);
        let taken = Timestamp::now();
        let results = verified::read(session, &client, project, PeopleFilters::default()).await?;
        let mut count = 0_u64;
        let mut alert = self.alert.watch();
        results.each(|finding, json| {
            count += 1;
            if first {
                alert.see(finding.status());
            }
            let record: Map<String, Value> = serde_json::from_str(json)?;
            Ok(compared.line(&record, json, |line| comparing.now(line))??)
        })?;
        let whole = if first {
            say_first(session, count);
            printer.finish_whole()?
        } else {
            print(&comparing, &compared, printer, &mut alert)?
        };
        // What a reader of a pipe did not wait for is told again next time.
        if whole && self.since.is_none() {
            comparing.remember(list, taken)?;
        }
        Ok(alert.end(session))
    }
}

/// Prints the changes, and says whether all of them were taken.
fn print(
    comparing: &Comparing,
    compared: &Compared,
    mut printer: Printer,
    alert: &mut Alert<'_>,
) -> anyhow::Result<bool> {
    comparing.each(|change| {
        let (shown, is_news) = shown(change, compared)?;
        if is_news {
            alert.see(shown.result.as_deref());
        }
        anyhow::Ok(printer.push(Record::Cells(&shown.cells()))?)
    })?;
    Ok(printer.finish_whole()?)
}

fn shape_word(shape: ResultsApi) -> &'static str {
    match shape {
        ResultsApi::Current => "current",
        ResultsApi::Legacy => "legacy",
    }
}

/// Nothing to compare with: nothing is shown as a change.
fn say_first(session: &Session, count: u64) {
    let results = counted(count, "result is", "results are");
    session.talk.note(&format!(
        "this is the first look at this project: {results} remembered, and the next run tells what changed since"
    ));
}

/// A change as it is printed, and whether its result is news: it is another one, or a newer one of the same kind.
fn shown(change: Change, compared: &Compared) -> anyhow::Result<(Shown, bool)> {
    let word = |text: String| Some(text).filter(|text| !text.is_empty());
    let (_, result) = compared.key_and_result();
    let of = |change, json: &str| -> anyhow::Result<Shown> {
        let record: Map<String, Value> = serde_json::from_str(json).context("a record that was read is JSON")?;
        let value = |field: &str| record.get(field).cloned().unwrap_or_default();
        Ok(Shown {
            change,
            id: value("id"),
            reference_id: value("referenceId"),
            email: value("email"),
            full_name: value("fullName"),
            old_result: None,
            result: word(text(&record, result)),
            date_completed: value("dateCompleted"),
            changed_fields: None,
        })
    };
    Ok(match change {
        Change::Added { now } => (of("added", &now)?, true),
        Change::Changed { now, before, result: another, fields } => {
            let names = another.then_some(result).into_iter().chain(fields.iter().map(|place| compared.fields[*place]));
            let names: Vec<&str> = names.collect();
            let news = another || names.contains(&"dateCompleted");
            let changed_fields = Some(names.join(","));
            (Shown { old_result: word(before), changed_fields, ..of("changed", &now)? }, news)
        }
        Change::Removed { id, before, shown } => {
            let gone = of("removed", shown.as_deref().unwrap_or("{}"))?;
            let id = id.map_or(Value::Null, Value::from);
            let old_result = word(before);
            (Shown { id, old_result, result: None, date_completed: Value::Null, ..gone }, false)
        }
    })
}

/// What an earlier export cannot be compared for.
pub fn not_comparable(path: &std::path::Path, missing: &str) -> Failure {
    Failure::usage(format!("{} has no field {missing}, so nothing can be compared with it", path.display()))
        .hint("compare with an export that was made without --fields")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_and_csv_have_the_same_texts() {
        let record: Map<String, Value> =
            serde_json::from_str(r#"{"a":null,"b":"","c":7,"d":"7","e":true,"f":" x "}"#).expect("an object");
        let texts: Vec<String> = ["a", "b", "c", "d", "e", "f", "none"].map(|field| text(&record, field)).into();
        assert_eq!(texts, ["", "", "7", "7", "true", " x ", ""]);
    }

    #[test]
    fn another_completion_with_the_same_result_is_news_and_another_name_is_not() {
        let compared = Compared::new(ResultsApi::Current);
        let changed = |fields: &[usize]| {
            let now = r#"{"id":7,"result":"HighRisk"}"#.to_owned();
            let change = Change::Changed { now, before: "HighRisk".into(), result: false, fields: fields.to_vec() };
            shown(change, &compared).expect("a change")
        };
        let (name, news) = changed(&[4]);
        assert_eq!((name.changed_fields.as_deref(), news), (Some("fullName"), false));
        assert!(changed(&[6]).1);
    }
}
