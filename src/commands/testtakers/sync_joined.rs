//! Whether who moves, or is replaced, is seen where they joined, in a sync and in a plan: before that no old entry goes.

use std::collections::{HashMap, HashSet};

use crate::api::Client;
use crate::bulk::outcome::{Outcome, RowResult};
use crate::bulk::roster::Roster;
use crate::bulk::sync::moves_and_replacements::is_person_of;
use crate::commands::shared::session::Session;
use crate::commands::testtakers::sync_remove_leavers::read_again;
use crate::journal::row_store::RowHasher;
use crate::model::counted::counted;
use crate::model::projects::ProjectId;
use crate::model::testtakers::{EntryId, TestTaker};

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

/// Looks for the rows, each with the place of its old entry, in a project's list.
pub async fn unseen(
    session: &Session,
    client: &Client,
    known_by: (ProjectId, &RowHasher),
    (places, joined): (Vec<usize>, Vec<Joined<'_>>),
) -> anyhow::Result<Vec<Unseen>> {
    let stand = stand(session, client, known_by, &joined).await?;
    let missing = places.into_iter().zip(&joined).zip(stand).filter(|(_, stands)| !stands);
    let unseen = missing.map(|((place, joined), _)| {
        let (end, was_enrolled) = (stays(joined), joined.entry().is_some());
        Unseen { place, end, was_enrolled }
    });
    Ok(unseen.collect())
}

/// Which of the rows stand in a project: each by its entry and its person in the whole list, read anew. An answer to the
/// enrolment alone is no proof, and where the list cannot be read none of them stands.
async fn stand(
    session: &Session,
    client: &Client,
    (project, hasher): (ProjectId, &RowHasher),
    joined: &[Joined<'_>],
) -> anyhow::Result<Vec<bool>> {
    let wanted: HashMap<EntryId, usize> =
        joined.iter().enumerate().filter_map(|(at, joined)| Some((joined.entry()?, at))).collect();
    let mut stand = vec![false; joined.len()];
    if wanted.is_empty() {
        return Ok(stand);
    }
    let Some(list) = read_again(session, client, project).await else { return Ok(stand) };
    let mut seen = HashSet::new();
    list.each_record(|record: TestTaker| {
        if let Some(at) = wanted.get(&record.entry_id()).filter(|at| is_person_of(hasher, joined[**at].row, &record)) {
            seen.insert(*at);
        }
    })?;
    for at in seen {
        stand[at] = true;
    }
    // Two old entries of one person wait for the same row.
    for (at, one) in joined.iter().enumerate() {
        let other = one.entry().and_then(|entry| wanted.get(&entry)).copied();
        stand[at] = stand[at] || other.is_some_and(|other| stand[other]);
    }
    Ok(stand)
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
