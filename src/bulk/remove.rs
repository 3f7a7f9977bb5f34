//! Taking a person out of a project: the intent is written down before the request, and what came of it after.

use std::cell::RefCell;

use crate::api::Client;
use crate::journal::clock::Moment;
use crate::journal::removals::Removals;
use crate::model::projects::ProjectId;
use crate::model::testtakers::TestTaker;

use super::find_people::LookupKey;
use super::outcome::{Outcome, RowOutcome, RowResult};
use super::update::unremembered;

/// Removes a person, and remembers it by what they were called.
pub async fn remove(
    client: &Client,
    project: ProjectId,
    person: &TestTaker,
    (by, name): (LookupKey, &str),
    removals: &RefCell<Removals>,
) -> RowOutcome {
    let entry = person.entry_id();
    let begun = removals.borrow_mut().begin((by.field().name(), name), entry, Moment::now());
    let is_first = match begun {
        Ok(is_first) => is_first,
        Err(failure) => return unremembered(Outcome::NotAttempted, entry, &failure),
    };
    match client.remove(project, person).await {
        Ok(()) => match removals.borrow_mut().note((by.field().name(), name), person) {
            Ok(()) => RowOutcome::ended(RowResult::new(Outcome::Removed).with_entry(entry)),
            Err(failure) => unremembered(Outcome::Removed, entry, &failure),
        },
        Err(error) => {
            // A later removal is not ours. An intent from before may still have its effect.
            let withdrawn =
                if is_first && error.had_no_effect() { removals.borrow_mut().settle(entry, false) } else { Ok(()) };
            let failed = RowOutcome::failed(entry, &error);
            match withdrawn {
                Ok(()) => failed,
                Err(failure) => unremembered(failed.ended.outcome, entry, &failure),
            }
        }
    }
}
