//! A project's list that shows none of the people of a source's rosters: it is not believed.

use crate::api::{Error, UnreadPerson, VerifiedList};
use crate::bulk::sync::known_people::KnownPeople;
use crate::bulk::sync::person_keys::PersonKeys;
use crate::commands::shared::project_args::ProjectContext;
use crate::journal::clock::{Millis, Moment};
use crate::journal::row_store::{RowHasher, RowStore as _};
use crate::model::counted::counted;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;

/// Refuses a list that shows none of the people who are remembered of the project, before anything is done by it; not where
/// this machine removed as many.
pub fn refuse_blind(
    context: &ProjectContext<'_>,
    list: &VerifiedList,
    (known, hasher): (&KnownPeople, &RowHasher),
) -> anyhow::Result<()> {
    if known.len() == 0 || shows_one(list, known, hasher)? {
        return Ok(());
    }
    if context.rows()?.removed_within(&Moment::now(), Millis::MAX)?.len() >= known.len() {
        return Ok(());
    }
    let people = counted(known.len(), "person", "people");
    let cause = format!("the project's list shows none of the {people} of the rosters synced before; nothing was done");
    Err(Failure::new(Verdict::Unfinished, cause)
        .hint(
            "run the same command again later; if they were removed in the portal, `assessctl journal forget -p \
             NAME_OR_ID` forgets these rosters",
        )
        .into())
}

/// Whether a list shows no one at all.
pub fn is_empty(list: &VerifiedList) -> Result<bool, Error> {
    Ok(!shows(list, |_| Ok(true))?)
}

/// Whether a list shows one of these people.
fn shows_one(list: &VerifiedList, known: &KnownPeople, hasher: &RowHasher) -> Result<bool, Error> {
    shows(list, |person| {
        let keys = PersonKeys::of_record(hasher, &person.read()?);
        Ok(keys.each().any(|key| known.absences(&key).is_some()))
    })
}

fn shows(list: &VerifiedList, wanted: impl Fn(UnreadPerson<'_>) -> Result<bool, Error>) -> Result<bool, Error> {
    /// Why the list is not read to its end.
    enum End {
        Shown,
        Unread(Error),
    }
    impl From<Error> for End {
        fn from(error: Error) -> Self {
            Self::Unread(error)
        }
    }
    match list.each_entry(|_, person| if wanted(person)? { Err(End::Shown) } else { Ok(()) }) {
        Ok(()) => Ok(false),
        Err(End::Shown) => Ok(true),
        Err(End::Unread(error)) => Err(error),
    }
}
