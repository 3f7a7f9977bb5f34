//! Taking a person out of a project: the intent is written down before the request, and what came of it after.

use std::cell::RefCell;

use crate::api::Client;
use crate::journal::removals::Removals;
use crate::model::projects::ProjectId;
use crate::model::testtakers::TestTaker;

use super::find_people::LookupKey;
use super::outcome::{Outcome, RowOutcome, RowResult};

/// Removes a person, and remembers it by what they were called.
pub async fn remove(
    client: &Client,
    project: ProjectId,
    person: &TestTaker,
    (by, name): (LookupKey, &str),
    removals: &RefCell<Removals>,
) -> RowOutcome {
    let entry = person.entry_id();
    if let Err(failure) = removals.borrow_mut().begin((by.field().name(), name), entry) {
        return RowOutcome::unremembered(RowResult::new(Outcome::NotAttempted).with_entry(entry), failure.cause);
    }
    match client.remove(project, entry).await {
        Ok(()) => match removals.borrow_mut().note((by.field().name(), name), person) {
            Ok(()) => RowOutcome::ended(RowResult::new(Outcome::Removed).with_entry(entry)),
            Err(failure) => RowOutcome::unremembered(RowResult::new(Outcome::Removed).with_entry(entry), failure.cause),
        },
        Err(error) => RowOutcome::failed(entry, &error),
    }
}
