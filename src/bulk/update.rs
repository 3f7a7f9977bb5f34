//! Updates: what is to change of a record, and one read right before each PATCH, which carries all three values.

use super::each_row::{Planned, Site, Subject};
use super::outcome::{Outcome, RowEnd};
use crate::api::Error;
use crate::model::people::{NewTestTaker, TestTaker, UpdateTestTaker};
use crate::model::text::plain_name;

/// New values of a person. What is `None` stays as it is; an empty text clears.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    pub reference_id: Option<String>,
    pub first_name: Option<String>,
    pub last_name: Option<String>,
}

impl Wanted {
    /// What a row of a roster wants of somebody who is in the project. A reference id is only set where there is none.
    pub fn of(person: &NewTestTaker, record: &TestTaker) -> Self {
        Self {
            reference_id: person.reference_id.as_deref().filter(|_| record.reference_id.is_none()).map(str::to_owned),
            first_name: person.first_name.as_deref().map(str::to_owned),
            last_name: person.last_name.as_deref().map(str::to_owned),
        }
    }

    /// The body that changes a record to this; `None` where nothing differs. Names count by what is read: white space and
    /// Unicode form, which no reference id has, are no difference.
    pub fn body(&self, record: &TestTaker) -> Option<UpdateTestTaker> {
        let (reference_id, has_other_id) = value(self.reference_id.as_deref(), record.reference_id.as_deref());
        let (first_name, has_other_first) = value(self.first_name.as_deref(), record.first_name.as_deref());
        let (last_name, has_other_last) = value(self.last_name.as_deref(), record.last_name.as_deref());
        let body = UpdateTestTaker { reference_id, first_name, last_name };
        (has_other_id || has_other_first || has_other_last).then_some(body)
    }
}

/// The value to send, and whether it is another than the record's.
fn value(wanted: Option<&str>, known: Option<&str>) -> (Option<String>, bool) {
    let Some(wanted) = wanted else { return (known.map(str::to_owned), false) };
    let is_other = plain_name(wanted) != plain_name(known.unwrap_or_default());
    let sent = if is_other { Some(wanted).filter(|text| !text.is_empty()) } else { known };
    (sent.map(str::to_owned), is_other)
}

/// Updates people to what is wanted of their row, and gives each row an end.
pub async fn update<'l>(site: &Site<'_>, rows: &[Planned<'l>], wanted: &[Wanted]) -> Vec<RowEnd> {
    let send = |one: Subject<'l>| send(site, one, &wanted[one.row]);
    site.each(rows, Outcome::Updated, |_| Ok(()), send, |_, end| end).await
}

async fn send(site: &Site<'_>, Subject { person, entry, .. }: Subject<'_>, wanted: &Wanted) -> Result<RowEnd, Error> {
    let Site { client, project, .. } = *site;
    // Values that are not given are sent as they are now, not as they were when the list was read.
    let found = match (&person.reference_id, &person.email) {
        (Some(id), _) => client.with_reference_id(project, id).await?,
        (None, Some(email)) => client.with_email(project, email).await?,
        (None, None) => Vec::new(),
    };
    let now = found.into_iter().map(|read| read.record).find(|record| record.entry_id() == Some(entry));
    let now = now.unwrap_or_else(|| person.clone());
    let Some(body) = wanted.body(&now) else { return Ok(RowEnd::new(Outcome::Existing)) };
    let answer = client.update(project, entry, &body, &now).await?;
    // What null does is not shown in the specification: a service may leave such a value as it is, or any other.
    let values = |one: &TestTaker| [&one.reference_id, &one.first_name, &one.last_name].map(Clone::clone);
    let sent = [body.reference_id.clone(), body.first_name, body.last_name];
    let plain = |text: &Option<String>| plain_name(text.as_deref().unwrap_or_default()).into_owned();
    let is_kept = |((shown, sent), before): ((&Option<String>, &Option<String>), &Option<String>)| {
        let [now, sent, before] = [shown, sent, before].map(plain);
        shown.is_some() && now != sent && (now == before || now.to_lowercase() != sent.to_lowercase())
    };
    if values(&answer.record).iter().zip(&sent).zip(&values(&now)).any(is_kept) {
        return Ok(RowEnd::new(Outcome::Refused).message("the service answered, but did not change everything"));
    }
    Ok(RowEnd::new(Outcome::Updated))
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
