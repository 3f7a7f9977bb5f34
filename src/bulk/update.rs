//! What a row changes of a person: only what differs is sent, and what the API can't change is a conflict.

use std::borrow::Cow;
use std::str::FromStr;

use crate::api::Client;
use crate::model::failure::Failure;
use crate::model::field_rules::{plain_name, same_email};
use crate::model::projects::ProjectId;
use crate::model::testtakers::{Change, EntryId, TestTaker, TestTakerUpdate};
use crate::model::update_effect::stored_otherwise;

use super::early_stop::stop;
use super::find_people::LookupKey;
use super::outcome::{Outcome, RowOutcome, RowResult};
use super::roster::{Field, Roster};
use super::update_sender::{LATE_READ, UpdateSender};

/// What a row would change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What is sent.
    pub update: TestTakerUpdate,
    /// Old and new values, for the report.
    pub words: String,
    /// Whether a value is sent along that the row does not name, as it was read.
    keeps: bool,
    /// The fields that the row does not name: reference id, first and last name.
    carried: [bool; 3],
}

/// Compares a row with its person. `Ok(None)` where nothing differs; an error where the row wants what
/// the API can't change. An empty cell leaves a value as it is, unless `clear_empty`.
pub fn difference(
    roster: &Roster,
    row: usize,
    by: LookupKey,
    before: &TestTaker,
    clear_empty: bool,
) -> Result<Option<Difference>, String> {
    conflict(roster, row, by, before)?;
    let wish = |field: Field, now: Option<&str>| {
        let may_change = by.field() != field && roster.columns.index_of(field).is_some();
        let says_more = |value: &&str| match field {
            Field::ReferenceId => Some(*value) != now,
            _ => plain_name(value) != plain_name(now.unwrap_or_default()),
        };
        match roster.value(row, field).filter(|_| may_change) {
            Some(value) if says_more(&value) => Some(value.to_owned()),
            None if may_change && clear_empty && now.is_some_and(|now| !now.is_empty()) => Some(String::new()),
            _ => None,
        }
    };
    let now = [
        (Field::ReferenceId, before.reference_id.as_deref()),
        (Field::FirstName, before.first_name.as_deref()),
        (Field::LastName, before.last_name.as_deref()),
    ];
    let wishes = now.map(|(field, now)| (field, now, wish(field, now)));
    let changes = wishes.iter().filter_map(|(field, now, wish)| {
        let wish = wish.as_ref()?;
        Some(format!("{field}: {:?} → {wish:?}", now.unwrap_or_default()))
    });
    let words = changes.collect::<Vec<_>>().join("; ");
    if words.is_empty() {
        return Ok(None);
    }
    let keeps = wishes.iter().any(|(field, now, wish)| {
        wish.is_none() && now.is_some_and(|now| !now.is_empty()) && roster.value(row, *field).is_none()
    });
    let carried = wishes.each_ref().map(|(field, _, wish)| wish.is_none() && roster.value(row, *field).is_none());
    let [reference_id, first_name, last_name] = wishes;
    let update = TestTakerUpdate {
        reference_id: wanted(reference_id.2.as_deref().map(change), reference_id.1),
        first_name: wanted(first_name.2.as_deref().map(change), first_name.1),
        last_name: wanted(last_name.2.as_deref().map(change), last_name.1),
    };
    Ok(Some(Difference { update, words, keeps, carried }))
}

fn conflict(roster: &Roster, row: usize, by: LookupKey, before: &TestTaker) -> Result<(), String> {
    let email = roster.value(row, Field::Email).filter(|_| by != LookupKey::Email);
    if email.is_some_and(|email| !same_email(email, before.email.as_deref().unwrap_or_default())) {
        return Err("has another e-mail address, which the API cannot change".to_owned());
    }
    let year = roster.value(row, Field::BirthYear).and_then(|year| year.parse::<i32>().ok());
    match (year, before.year_of_birth) {
        (Some(year), Some(before)) if year != before => {
            Err("has another yearOfBirth, which the API cannot change".to_owned())
        }
        (Some(_), None) => Err("has no yearOfBirth, and the API cannot set one".to_owned()),
        _ => Ok(()),
    }
}

/// A value of a row that was checked; an empty one clears.
fn change<T: FromStr>(text: &str) -> Change<T> {
    text.parse().map_or(Change::Clear, Change::Set)
}

/// What is sent for a field: the change, else the value just read. What omitted fields do is not shown, so a field is
/// left out only where today's rules would refuse the value that the service holds.
pub fn wanted<T: FromStr>(change: Option<Change<T>>, now: Option<&str>) -> Change<T> {
    match (change, now) {
        (Some(change), _) => change,
        (None, None | Some("")) => Change::Clear,
        (None, Some(now)) => now.parse().map_or(Change::Leave, Change::Set),
    }
}

/// Changes one person, `before` as the list showed them, by what `difference` tells of a record. Where values are sent that
/// the row does not name, the record is read anew first: since the list was read another one may have changed them.
pub async fn update(
    sender: &UpdateSender<'_>,
    before: &TestTaker,
    difference: impl Fn(&TestTaker) -> Result<Option<Difference>, String>,
) -> RowOutcome {
    let entry = before.entry_id();
    let mut now = Cow::Borrowed(before);
    loop {
        let wish = match difference(&now) {
            Ok(Some(wish)) => wish,
            Ok(None) => return RowOutcome::ended(RowResult::new(Outcome::Existing).with_entry(entry)),
            Err(words) => {
                let ended = RowResult::new(Outcome::Conflict).with_entry(entry);
                return RowOutcome::ended(ended.with_message(words));
            }
        };
        if let (Cow::Borrowed(_), true, Some(email)) = (&now, wish.keeps, before.email.as_deref()) {
            match as_it_is(sender.client, sender.project, email, entry).await {
                Ok(read) => now = Cow::Owned(read),
                Err(outcome) => return outcome,
            }
            continue;
        }
        match sender.up_to_date(now.clone().into_owned(), wish.carried).await {
            Ok(Some(read)) if read == *now => {}
            Ok(Some(read)) => {
                now = Cow::Owned(read);
                continue;
            }
            Ok(None) => return RowOutcome::ended(not_attempted(LATE_READ.to_owned()).with_entry(entry)),
            Err(failure) => return unremembered(Outcome::NotAttempted, entry, &failure),
        }
        return send(sender, &now, &wish.update, Some(wish.words)).await;
    }
}

/// Sends an update, and tells how its row ends: `said` is said of it, and what the service stored otherwise.
pub(super) async fn send(
    sender: &UpdateSender<'_>,
    now: &TestTaker,
    update: &TestTakerUpdate,
    said: Option<String>,
) -> RowOutcome {
    let entry = now.entry_id();
    match sender.send(now, update).await {
        Err(failure) => unremembered(Outcome::InDoubt, entry, &failure),
        Ok(Ok(read)) => {
            let said: Vec<String> = said.into_iter().chain(remark(now, update, &read.record)).collect();
            let message = (!said.is_empty()).then(|| said.join("; ").into());
            RowOutcome::ended(RowResult { message, ..RowResult::new(Outcome::Updated).with_entry(entry) })
        }
        Ok(Err(error)) => RowOutcome::failed(entry, &error),
    }
}

/// How a row ends where the journal cannot be read or written: nothing more is done.
pub(super) fn unremembered(outcome: Outcome, entry: EntryId, failure: &Failure) -> RowOutcome {
    RowOutcome::unremembered(RowResult::new(outcome).with_entry(entry), failure)
}

/// An entry as the service has it now, found by its e-mail, which no update changes; or how its row ends: nothing was sent.
pub(super) async fn as_it_is(
    client: &Client,
    project: ProjectId,
    email: &str,
    entry: EntryId,
) -> Result<TestTaker, RowOutcome> {
    let found = client.with_email(project, email).await.map_err(|error| {
        let words = error.to_string();
        RowOutcome { ended: not_attempted(words.clone()), stop: stop(&error), why: words }
    })?;
    let now = found.into_iter().map(|read| read.record).find(|record| record.entry_id() == entry);
    now.ok_or_else(|| RowOutcome::ended(not_attempted("is not found by its e-mail any more".to_owned())))
}

/// A row for which nothing was sent, and why.
pub(super) fn not_attempted(words: String) -> RowResult {
    RowResult::new(Outcome::NotAttempted).with_message(words)
}

/// What the service stored otherwise than it was told to.
pub fn remark(before: &TestTaker, update: &TestTakerUpdate, now: &TestTaker) -> Option<String> {
    let fields = stored_otherwise(before, update, now);
    (!fields.is_empty()).then(|| format!("the service stored another {}", fields.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bulk::roster::{Purpose, ReadOptions, read};
    use crate::model::field_rules::{PersonName, ReferenceId};

    fn compared(csv: &str, clear_empty: bool) -> Result<Option<String>, String> {
        differs(csv, clear_empty).map(|found| found.map(|found| found.words))
    }

    fn differs(csv: &str, clear_empty: bool) -> Result<Option<Difference>, String> {
        let before = r#"{"id":7,"email":"zoe@example.com","referenceId":"R-1","firstName":"Zoe","yearOfBirth":1984}"#;
        differs_from(before, csv, clear_empty)
    }

    fn differs_from(before: &str, csv: &str, clear_empty: bool) -> Result<Option<Difference>, String> {
        let options = ReadOptions { purpose: Purpose::Name, ..ReadOptions::default() };
        let roster = read(csv.as_bytes(), "r", &options).expect("a roster");
        let before = serde_json::from_str(before).expect("a record");
        let by = LookupKey::of(&roster).expect("a column");
        difference(&roster, 0, by, &before, clear_empty)
    }

    #[test]
    fn only_what_differs_is_a_change() {
        assert_eq!(compared("referenceId,firstName,lastName\nR-1,Zoe,\n", false), Ok(None));
        let stored = r#"{"id":7,"email":"zoe@example.com","referenceId":"R-1","firstName":"Zo\u00eb Ann"}"#;
        let same = differs_from(stored, "referenceId,firstName\nR-1,Zoe\u{308}  Ann\n", false);
        assert_eq!(same, Ok(None), "white space and the form of letters do not count");
        let words = compared("referenceId,firstName,lastName\nR-1,Zoë,May\n", false);
        assert_eq!(words, Ok(Some("firstName: \"Zoe\" → \"Zoë\"; lastName: \"\" → \"May\"".to_owned())));
    }

    #[test]
    fn an_empty_cell_leaves_a_value_unless_it_is_to_clear() {
        assert_eq!(compared("email,firstName\nzoe@example.com,\n", false), Ok(None));
        let words = compared("email,firstName\nzoe@example.com,\n", true);
        assert_eq!(words, Ok(Some("firstName: \"Zoe\" → \"\"".to_owned())));
        assert_eq!(compared("email\nzoe@example.com\n", true), Ok(None), "no column says anything");
    }

    #[test]
    fn a_reference_id_changes_where_another_column_says_whom() {
        let words = compared("id,referenceId\n7,R-2\n", false);
        assert_eq!(words, Ok(Some("referenceId: \"R-1\" → \"R-2\"".to_owned())));
    }

    #[test]
    fn what_the_api_cannot_change_is_a_conflict() {
        assert!(compared("referenceId,email\nR-1,other@example.com\n", false).is_err());
        assert!(compared("referenceId,birthYear\nR-1,1985\n", false).is_err());
        assert_eq!(compared("referenceId,email,birthYear\nR-1,ZOE@example.com,1984\n", false), Ok(None));
    }

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

    #[test]
    fn what_is_sent_has_the_rows_values_and_those_that_it_does_not_name_as_they_were_read() {
        let sent = |csv: &str, clear_empty| {
            let found = differs(csv, clear_empty).expect("no conflict").expect("a change");
            (serde_json::to_string(&found.update).expect("JSON"), found.keeps)
        };
        let json = |reference: &str, first: &str, last: &str| {
            format!(r#"{{"referenceId":{reference},"firstName":{first},"lastName":{last}}}"#)
        };
        let zoe = json(r#""R-1""#, r#""Zoë""#, "null");
        assert_eq!(sent("referenceId,firstName\nR-1,Zoë\n", false), (zoe.clone(), false), "no value but the row's");
        assert_eq!(sent("referenceId,firstName,lastName\nR-1,Zoë,\n", true), (zoe.clone(), false), "nothing to clear");
        assert_eq!(sent("email,firstName\nzoe@example.com,Zoë\n", false), (zoe.clone(), true), "the reference id");
        assert_eq!(sent("email,referenceId,firstName\nzoe@example.com,,Zoë\n", false), (zoe, true), "an empty cell");
        let cleared = json(r#""R-1""#, "null", r#""May""#);
        assert_eq!(sent("referenceId,firstName,lastName\nR-1,,May\n", true), (cleared.clone(), false));
        let kept = json(r#""R-1""#, r#""Zoe""#, r#""May""#);
        assert_eq!(sent("referenceId,firstName,lastName\nR-1,,May\n", false), (kept, true));
    }

    #[test]
    fn a_year_of_birth_that_the_service_does_not_have_is_a_conflict() {
        let before = r#"{"id":7,"email":"zoe@example.com","firstName":"Zoe"}"#;
        let words = "has no yearOfBirth, and the API cannot set one".to_owned();
        assert_eq!(differs_from(before, "email,birthYear\nzoe@example.com,1984\n", false), Err(words));
        assert_eq!(differs_from(before, "email,birthYear\nzoe@example.com,\n", false), Ok(None));
    }

    #[test]
    fn what_the_service_stored_otherwise_is_remarked() {
        let person =
            |first: &str| serde_json::from_str(&format!(r#"{{"id":7,"firstName":"{first}"}}"#)).expect("a record");
        let update = TestTakerUpdate { first_name: change("Zoë"), ..TestTakerUpdate::default() };
        assert_eq!(remark(&person("Zoe"), &update, &person("Zoë")), None);
        let words = "the service stored another firstName".to_owned();
        assert_eq!(remark(&person("Zoe"), &update, &person("ZOË")), Some(words));
    }
}
