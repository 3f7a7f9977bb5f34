//! Updates: what is to change of a record, and one read right before each PATCH, which carries all three values.

use futures_util::StreamExt as _;
use futures_util::stream;

use super::each_row::{Stopper, each_row};
use super::outcome::{Outcome, RowEnd};
use super::rules::stops;
use crate::api::{Client, Error};
use crate::model::people::{TestTaker, UpdateTestTaker};
use crate::model::projects::ProjectId;
use crate::model::text::plain_name;

/// New values of a person. What is `None` stays as it is; an empty text clears.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    pub reference_id: Option<String>,
    pub first_name: Option<String>,
    pub last_name: Option<String>,
}

/// One person to update.
#[derive(Clone, Debug)]
pub struct Update {
    /// As a list showed them.
    pub record: TestTaker,
    pub wanted: Wanted,
}

impl Wanted {
    /// The body that makes a record so; `None` where it is so already. Names count by what is read: white space and Unicode
    /// form are no difference.
    pub fn body(&self, record: &TestTaker) -> Option<UpdateTestTaker> {
        let id = |new: &str, old: &str| new == old;
        let name = |new: &str, old: &str| plain_name(new) == plain_name(old);
        let (reference_id, has_other_id) = value(self.reference_id.as_deref(), record.reference_id.as_deref(), id);
        let (first_name, has_other_first) = value(self.first_name.as_deref(), record.first_name.as_deref(), name);
        let (last_name, has_other_last) = value(self.last_name.as_deref(), record.last_name.as_deref(), name);
        (has_other_id || has_other_first || has_other_last).then_some(UpdateTestTaker {
            reference_id,
            first_name,
            last_name,
        })
    }
}

/// The value to send, and whether it is another than the record's.
fn value(wanted: Option<&str>, known: Option<&str>, is_same: impl Fn(&str, &str) -> bool) -> (Option<String>, bool) {
    let Some(wanted) = wanted else { return (known.map(str::to_owned), false) };
    let is_other = !is_same(wanted, known.unwrap_or_default());
    let sent = if is_other { Some(wanted).filter(|text| !text.is_empty()) } else { known };
    (sent.map(str::to_owned), is_other)
}

/// Updates people, and gives each row an end. `None` is a row that has one already.
pub async fn update(
    client: &Client,
    project: ProjectId,
    rows: &[Option<Update>],
    most: usize,
    stop: &Stopper<'_>,
    ended: impl Fn(usize),
) -> Vec<Option<RowEnd>> {
    let mut ends: Vec<Option<RowEnd>> = vec![None; rows.len()];
    let wanted: Vec<usize> = (0..rows.len()).filter(|row| rows[*row].is_some()).collect();
    let mut answers = std::pin::pin!(each_row(stream::iter(wanted.clone()), most, stop, |row| {
        let update = rows[row].as_ref();
        async move { Some(one(client, project, update?, stop).await) }
    }));
    let mut count = 0;
    while let Some((row, end)) = answers.next().await {
        ends[row] = Some(end.flatten().unwrap_or_else(|| RowEnd::new(Outcome::NotAttempted)));
        count += 1;
        ended(count);
    }
    for row in wanted {
        ends[row].get_or_insert_with(|| RowEnd::new(Outcome::NotAttempted));
    }
    ends
}

async fn one(client: &Client, project: ProjectId, update: &Update, stop: &Stopper<'_>) -> RowEnd {
    let Some(entry) = update.record.entry_id() else { return RowEnd::new(Outcome::NotAttempted) };
    let end = match send(client, project, update).await {
        Ok(outcome) => RowEnd::new(outcome),
        Err(error) => failed(&error, stop),
    };
    end.entry(entry)
}

async fn send(client: &Client, project: ProjectId, update: &Update) -> Result<Outcome, Error> {
    let Some(entry) = update.record.entry_id() else { return Ok(Outcome::NotAttempted) };
    // What is not named is sent as it is now, not as it was when the list was read.
    let found = match (&update.record.reference_id, &update.record.email) {
        (Some(id), _) => client.with_reference_id(project, id).await?,
        (None, Some(email)) => client.with_email(project, email).await?,
        (None, None) => Vec::new(),
    };
    let now = found.into_iter().map(|read| read.record).find(|record| record.entry_id() == Some(entry));
    let now = now.unwrap_or_else(|| update.record.clone());
    let Some(body) = update.wanted.body(&now) else { return Ok(Outcome::Existing) };
    client.update(project, entry, &body, &now).await.map(|_| Outcome::Updated)
}

/// How a row ends whose write failed. A PATCH and a DELETE may be repeated, so a lost answer is safe to try again.
pub(super) fn failed(error: &Error, stop: &Stopper<'_>) -> RowEnd {
    // A 404 to a PATCH or a DELETE is about the person.
    if error.status() != Some(404)
        && let Some(why) = stops(error)
    {
        stop.set(why);
    }
    let outcome = match error {
        _ if error.effect() != crate::api::Effect::None && error.status() != Some(409) => Outcome::InDoubt,
        Error::Status { status: 404, .. } => Outcome::Gone,
        Error::Status { status: 401 | 403 | 429, .. } => Outcome::NotAttempted,
        Error::Status { .. } => Outcome::Refused,
        _ => Outcome::NotAttempted,
    };
    RowEnd::new(outcome).message(error.whole())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_three_values_are_sent_and_only_where_one_differs() {
        let record = TestTaker {
            reference_id: Some("A".into()),
            first_name: Some("Zoë".into()),
            last_name: None,
            ..TestTaker::default()
        };
        let text = |text: &str| Some(text.to_owned());
        let wanted = |reference_id, first_name, last_name| Wanted { reference_id, first_name, last_name }.body(&record);
        assert_eq!(wanted(None, None, None), None);
        assert_eq!(wanted(text("A"), text(" Zoe\u{308} "), text("")), None);
        let body = |reference_id, first_name, last_name| Some(UpdateTestTaker { reference_id, first_name, last_name });
        assert_eq!(wanted(text("B"), None, None), body(text("B"), text("Zoë"), None));
        assert_eq!(wanted(text(""), text("Zo"), text("Ng")), body(None, text("Zo"), text("Ng")));
    }
}
