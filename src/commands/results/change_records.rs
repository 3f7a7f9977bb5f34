//! A change of a result as `results changes` prints it.

use anyhow::Context as _;
use serde_json::{Map, Value};

use crate::commands::results::compare::{Compared, result_word};
use crate::journal::told_results::{ResultChange, ResultEvent};
use crate::model::cell::Cell;
use crate::output::Columns;

pub const COLUMNS: Columns<'static> = Columns::of(&[
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
.called("change", "changes")
.in_table(&["change", "id", "referenceId", "fullName", "oldResult", "result", "changedFields"])
.no_truncate(&["oldResult", "result"])
.times(&["dateCompleted"]);

/// What the command prints for each change; values of the record are kept as they were sent.
pub struct ChangeRecord {
    change: &'static str,
    record: Map<String, Value>,
    /// The result before; `null` where it had none.
    pub old_result: Option<String>,
    /// The result now; `null` where it has none.
    pub result: Option<String>,
    changed_fields: Option<String>,
}

impl ChangeRecord {
    /// The cells, in the order of the columns.
    pub fn cells(&self) -> [Cell<'_>; 9] {
        [
            self.change.into(),
            self.field("id"),
            self.field("referenceId"),
            self.field("email"),
            self.field("fullName"),
            self.old_result.as_deref().into(),
            self.result.as_deref().into(),
            self.field("dateCompleted"),
            self.changed_fields.as_deref().into(),
        ]
    }

    /// A field as the service sent it, null where there is none.
    fn field(&self, name: &str) -> Cell<'_> {
        self.record.get(name).cloned().unwrap_or_default().into()
    }

    /// The change of a result. `first`: there is nothing to compare with, so that no person is new.
    pub fn new(change: ResultChange, compared: &Compared, first: bool) -> anyhow::Result<Self> {
        let json = change.shown.as_deref().unwrap_or("{}");
        let record: Map<String, Value> = serde_json::from_str(json).context("a record that was read is JSON")?;
        let (_, result) = compared.key_and_result();
        let mut all = Self {
            change: "alert",
            old_result: change.before.filter(|word| !word.is_empty()),
            result: Some(result_word(&record, result)).filter(|word| !word.is_empty()),
            record,
            changed_fields: None,
        };
        Ok(match change.event {
            ResultEvent::Added if first => all,
            ResultEvent::Added => Self { change: "added", ..all },
            ResultEvent::Standing => all,
            ResultEvent::Changed { result, fields } => {
                let changed_fields = Some(compared.names(result, &fields).join(","));
                Self { change: "changed", changed_fields, ..all }
            }
            ResultEvent::Removed => {
                all.record.insert("id".to_owned(), change.id.into());
                all.record.remove("dateCompleted");
                Self { change: "removed", result: None, ..all }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::results::ResultsApi;

    fn shown(event: ResultEvent, first: bool) -> ChangeRecord {
        let shown = Some(r#"{"id":7,"result":"HighRisk","fullName":"Zoe"}"#.to_owned());
        let change = ResultChange { event, alert: true, id: Some(7), before: Some("Started".to_owned()), shown };
        ChangeRecord::new(change, &Compared::new(ResultsApi::Current), first).expect("a record")
    }

    #[test]
    fn a_change_names_what_changed_and_both_results() {
        let changed = shown(ResultEvent::Changed { result: true, fields: vec![4] }, false);
        assert_eq!((changed.change, changed.changed_fields.as_deref()), ("changed", Some("result,fullName")));
        assert_eq!((changed.old_result.as_deref(), changed.result.as_deref()), (Some("Started"), Some("HighRisk")));
        assert_eq!(changed.record["fullName"], "Zoe");
    }

    #[test]
    fn who_stands_at_a_watched_result_is_an_alert_where_nothing_changed() {
        assert_eq!(shown(ResultEvent::Standing, false).change, "alert");
        assert_eq!(shown(ResultEvent::Added, true).change, "alert");
        assert_eq!(shown(ResultEvent::Added, false).change, "added");
    }

    #[test]
    fn of_whom_is_gone_the_present_result_is_none() {
        let gone = shown(ResultEvent::Removed, false);
        assert_eq!((&gone.record["id"], gone.result), (&7.into(), None));
    }
}
