//! Taking leavers out of a project: by the executor of `remove`, and then held against the list once more.

use std::cell::RefCell;
use std::collections::HashSet;

use anyhow::Context as _;

use crate::api::{Client, PeopleQuery, VerifiedList};
use crate::bulk::find_people::LookupKey;
use crate::bulk::outcome::{Finished, Outcome, RowOutcome, RowResult};
use crate::bulk::plan::Progress;
use crate::bulk::remove::remove;
use crate::bulk::run_verdict::ended;
use crate::bulk::sync::classes::Leaver;
use crate::commands::shared::bulk_args::watched;
use crate::commands::shared::progress::RunBar;
use crate::commands::shared::project_journal::warn_unless_erased;
use crate::commands::shared::run_failure::{AGAIN, InDoubt, UNREAD, failure};
use crate::commands::shared::session::Session;
use crate::commands::shared::signals::Interrupt;
use crate::journal::removals::Removals;
use crate::model::counted::counted;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::projects::ProjectId;
use crate::model::testtakers::{EntryId, TestTaker};

/// What came of removals.
pub struct Removed {
    /// How each leaver ended.
    pub finished: Finished,
    /// People who were removed and whom the list still shows; `None` where it could not be read again.
    still_listed: Option<usize>,
}

/// What is said of a list that cannot be read after something was sent.
const UNREAD_AGAIN: &str = "cannot read again who is enrolled";

/// Reads a project's list whole and verified, before anything is sent; sorted by entry ids, as people are shown.
pub async fn read_people(session: &Session, client: &Client, project: ProjectId) -> anyhow::Result<VerifiedList> {
    read_list(session, client, project, (UNREAD, false)).await
}

/// The same in the order of the service, which takes a fraction of the time: for those who go by the ids themselves.
pub async fn read_unsorted(session: &Session, client: &Client, project: ProjectId) -> anyhow::Result<VerifiedList> {
    read_list(session, client, project, (UNREAD, true)).await
}

/// The same after something was sent, unsorted; one that cannot be read is said, and `None`.
pub async fn read_again(session: &Session, client: &Client, project: ProjectId) -> Option<VerifiedList> {
    let read = read_list(session, client, project, (UNREAD_AGAIN, true)).await;
    read.inspect_err(|error| session.console.warn(&format!("{error:#}"))).ok()
}

async fn read_list(
    session: &Session,
    client: &Client,
    project: ProjectId,
    (unread, walk_order): (&'static str, bool),
) -> anyhow::Result<VerifiedList> {
    let bar = RunBar::new(session.console);
    let list = client.test_takers(project, &PeopleQuery::default());
    let reading = list.verified_within(usize::MAX, walk_order, |read| bar.show(Progress::Reading(read)));
    let interrupt = Interrupt::watch()?;
    let read = tokio::select! {
        read = reading => read.context(unread)?,
        verdict = interrupt.requested() => {
            return Err(Failure::new(verdict, format!("interrupted: {unread}")).hint(AGAIN).into());
        }
    };
    read.context("the project's list has no end")
}

/// Removes people, and looks whether the list still shows them.
pub async fn remove_leavers(
    session: &Session,
    client: &Client,
    (project, removals): (ProjectId, &RefCell<Removals>),
    leavers: &[Leaver],
) -> anyhow::Result<Removed> {
    if leavers.is_empty() {
        return Ok(Removed { finished: ended(Vec::new()), still_listed: Some(0) });
    }
    let act = |row: usize| {
        let person = &leavers[row].person;
        let by = if leavers[row].keys.reference.is_some() { LookupKey::ReferenceId } else { LookupKey::Email };
        async move {
            match by.of_record(person) {
                Some(name) => remove(client, project, person, (by, &name), removals).await,
                None => RowOutcome::ended(RowResult::new(Outcome::NotAttempted).with_entry(person.entry_id())),
            }
        }
    };
    let finished =
        watched(session, client, vec![None; leavers.len()], (RunBar::new(session.console), "removing"), act).await?;
    warn_unless_erased(session.console, removals.borrow_mut().erase()?);
    let with_ends = leavers.iter().zip(&finished.ends);
    let removed = with_ends.filter(|(_, end)| end.outcome == Outcome::Removed);
    let removed: HashSet<EntryId> = removed.map(|(leaver, _)| leaver.person.entry_id()).collect();
    if finished.stop.is_some() || removed.is_empty() {
        return Ok(Removed { finished, still_listed: Some(0) });
    }
    let still_listed = match read_again(session, client, project).await {
        Some(list) => {
            let mut still_listed = 0;
            list.each_record(|record: TestTaker| still_listed += usize::from(removed.contains(&record.entry_id())))?;
            Some(still_listed)
        }
        None => None,
    };
    Ok(Removed { finished, still_listed })
}

impl Removed {
    /// Everyone who was to be removed is gone, or was refused by the service for good.
    pub fn is_whole(&self) -> bool {
        self.still_listed == Some(0) && matches!(self.finished.verdict, Verdict::Done | Verdict::RowsToFix)
    }

    /// Why the removals did not end as they should.
    pub fn failure(&self) -> Option<Failure> {
        if let Some(failure) = failure(&self.finished, true, InDoubt::Repeated) {
            return Some(failure);
        }
        let cause = match self.still_listed {
            Some(0) => return None,
            Some(people) => {
                let people = counted(people, "person who was removed stands", "people who were removed stand");
                format!("{people} in the project's list still")
            }
            None => "people were removed, and the list could not be read once more".to_owned(),
        };
        Some(Failure::new(Verdict::Unfinished, cause).hint("lists may lag behind: run the same command again later"))
    }
}
