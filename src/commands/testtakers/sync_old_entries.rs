//! Entries that go in a sync or a plan: whether people who move, or are replaced, are seen where they joined, and the
//! removals, which are then held against the list once more.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use anyhow::Context as _;

use crate::api::{PeopleQuery, VerifiedList};
use crate::bulk::find_people::LookupKey;
use crate::bulk::outcome::{Finished, Outcome, RowOutcome, RowResult};
use crate::bulk::plan::Progress;
use crate::bulk::remove::remove;
use crate::bulk::roster::Roster;
use crate::bulk::run_verdict::ended;
use crate::bulk::sync::classes::Leaver;
use crate::bulk::sync::moves_and_replacements::is_person_of;
use crate::commands::shared::bulk_args::watched;
use crate::commands::shared::progress::RunBar;
use crate::commands::shared::project_args::ProjectContext;
use crate::commands::shared::project_journal::warn_unless_erased;
use crate::commands::shared::run_failure::{AGAIN, InDoubt, UNREAD, failure};
use crate::commands::shared::session::Session;
use crate::commands::shared::signals::Interrupt;
use crate::journal::removals::Removals;
use crate::journal::row_store::RowHasher;
use crate::model::counted::counted;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::testtakers::{EntryId, TestTaker};

/// What came of removals.
pub struct Removed {
    /// How each leaver ended.
    pub finished: Finished,
    /// People who were removed and are still on the list; `None` where it could not be read again.
    still_listed: Option<usize>,
}

/// Reads a project's list whole and verified, before anything is sent; sorted by entry ids, as people are shown.
pub async fn read_people(context: &ProjectContext<'_>) -> anyhow::Result<VerifiedList> {
    read_list(context, UNREAD, false).await
}

/// The same in the order of the service, which takes a fraction of the time: for those who go by the ids themselves.
pub async fn read_unsorted(context: &ProjectContext<'_>) -> anyhow::Result<VerifiedList> {
    read_list(context, UNREAD, true).await
}

/// The same after something was sent, unsorted; one that cannot be read is said, and `None`.
async fn read_again(context: &ProjectContext<'_>) -> Option<VerifiedList> {
    let read = read_list(context, "cannot read again who is enrolled", true).await;
    read.inspect_err(|error| context.session.console.warn(&format!("{error:#}"))).ok()
}

async fn read_list(
    context: &ProjectContext<'_>,
    unread: &'static str,
    walk_order: bool,
) -> anyhow::Result<VerifiedList> {
    let bar = RunBar::new(context.session.console);
    let list = context.client.test_takers(context.project, &PeopleQuery::default());
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
    context: &ProjectContext<'_>,
    removals: &RefCell<Removals>,
    leavers: &[Leaver],
) -> anyhow::Result<Removed> {
    if leavers.is_empty() {
        return Ok(Removed { finished: ended(Vec::new()), still_listed: Some(0) });
    }
    let console = context.session.console;
    let finished =
        watched(context, vec![None; leavers.len()], (RunBar::new(console), "removing"), async |row: usize| {
            let Leaver { person, keys } = &leavers[row];
            // A service may have dropped the reference id.
            let by = Some(LookupKey::ReferenceId).filter(|_| keys.reference.is_some());
            let called = by.into_iter().chain([LookupKey::Email]).find_map(|by| Some((by, by.of_record(person)?)));
            match called {
                Some((by, name)) => remove(&context.client, context.project, person, (by, &name), removals).await,
                None => RowOutcome::ended(RowResult::new(Outcome::NotAttempted).with_entry(person.entry_id())),
            }
        })
        .await?;
    warn_unless_erased(console, removals.borrow_mut().erase()?);
    let with_ends = leavers.iter().zip(&finished.ends);
    let removed = with_ends.filter(|(_, end)| end.outcome == Outcome::Removed);
    let removed: HashSet<EntryId> = removed.map(|(leaver, _)| leaver.person.entry_id()).collect();
    if finished.stop.is_some() || removed.is_empty() {
        return Ok(Removed { finished, still_listed: Some(0) });
    }
    let still_listed = match read_again(context).await {
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

/// A row that is to stand before another entry of its person goes.
#[derive(Clone, Copy)]
pub struct Joined<'a> {
    /// The rows of the project that is joined, and the place among them.
    pub row: (&'a Roster, usize),
    /// How the row ended.
    pub end: &'a RowResult,
    /// The entry that is to go.
    pub old: EntryId,
    /// Both are in one project.
    pub is_replacement: bool,
}

impl Joined<'_> {
    /// The entry that the row ended with, where it may be looked for.
    fn entry(&self) -> Option<EntryId> {
        let joined = matches!(self.end.outcome, Outcome::Enrolled | Outcome::Existing | Outcome::Updated);
        self.end.entry.filter(|entry| joined && !(self.is_replacement && *entry == self.old))
    }
}

/// A row that is not seen to stand where its person joins.
pub struct Unseen {
    /// The place of the old entry among those that are to go.
    pub place: usize,
    /// How the old entry ends: it stays.
    pub end: RowResult,
    /// The person is enrolled, and the list does not show it yet.
    pub was_enrolled: bool,
}

/// Looks for the rows, each with the place of its old entry, in a project's list: each by its entry and its person in the
/// whole list, read anew. An answer to the enrolment alone is no proof, and where the list cannot be read none is seen.
pub async fn unseen(
    context: &ProjectContext<'_>,
    hasher: &RowHasher,
    joined: &[(usize, Joined<'_>)],
) -> anyhow::Result<Vec<Unseen>> {
    let wanted: HashMap<EntryId, Joined<'_>> =
        joined.iter().filter_map(|(_, joined)| Some((joined.entry()?, *joined))).collect();
    let list = if wanted.is_empty() { None } else { read_again(context).await };
    // By entries: two old entries of one person wait for the same row.
    let mut seen = HashSet::new();
    if let Some(list) = list {
        list.each_record(|record: TestTaker| {
            let entry = record.entry_id();
            if wanted.get(&entry).is_some_and(|joined| is_person_of(hasher, joined.row, &record)) {
                seen.insert(entry);
            }
        })?;
    }
    let missing = joined.iter().filter(|(_, joined)| joined.entry().is_none_or(|entry| !seen.contains(&entry)));
    let unseen = missing.map(|(place, joined)| Unseen {
        place: *place,
        end: stays(joined),
        was_enrolled: joined.entry().is_some(),
    });
    Ok(unseen.collect())
}

/// How an old entry ends whose person is not seen to have joined: it stays.
fn stays(joined: &Joined<'_>) -> RowResult {
    let is_to_fix = joined.end.outcome.is_to_fix();
    let outcome = if is_to_fix { joined.end.outcome } else { Outcome::NotAttempted };
    let stays = RowResult::new(outcome).with_entry(joined.old);
    match joined.entry() {
        Some(entry) => {
            stays.with_message(format!("entry {entry} is not in the list yet: the old one stays until it is"))
        }
        None => stays.with_message("the person is not enrolled anew: the old entry stays"),
    }
}

/// What is said before anything of the moves is sent.
pub fn say_before(session: &Session, moves: usize) {
    if moves > 0 {
        let old = counted(moves, "person who moves", "people who move");
        session.console.note(&format!("the results of {old} can't be read here afterwards: export them before"));
    }
}

/// What is said once people have left, or moved.
pub fn say_after(session: &Session, left: usize) {
    if left > 0 {
        let whose = if left == 1 { "the person who left" } else { "those who left" };
        session.console.note(&format!("the results of {whose} can't be read here any more"));
    }
}
