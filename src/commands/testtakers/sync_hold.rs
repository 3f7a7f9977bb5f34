//! What waits for a person: the leavers of a night, or its file.

use std::iter;

use crate::bulk::sync::classes::Leaver;
use crate::bulk::sync::limits::is_old;
use crate::commands::testtakers::sync_compare::SyncLook;
use crate::commands::testtakers::sync_context::{SyncContext, hex};
use crate::journal::clock::Moment;
use crate::journal::held_syncs::{HeldPerson, Hold, HoldId, HoldKind};
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;

/// All leavers of a night and all who would move, held together. The same set has the same id. Moves that a person let
/// through are not among them.
pub fn leaver_hold(run: &SyncContext<'_>, look: &SyncLook) -> anyhow::Result<Hold> {
    let approved = approved_moves(run, &look.now)?;
    let mut people = leaving(run, look);
    people.retain(|held| !approved.contains(held));
    let said: Vec<String> = people.iter().map(said).collect();
    let texts: Vec<&str> = iter::once(&run.rules.source).chain(&said).map(String::as_str).collect();
    let id = HoldId::of(&run.journal.hash("held leavers", &texts));
    Ok(hold(run, look, id, HoldKind::Leavers, people.len(), people))
}

/// A person who would leave, as the hold's id takes them.
fn said(held: &HeldPerson) -> String {
    match held.to {
        None => format!("{} {}", held.project, held.entry),
        Some(to) => format!("{} {} {to}", held.project, held.entry),
    }
}

/// Who would leave or move, in the order of projects and entries.
pub fn leaving(run: &SyncContext<'_>, look: &SyncLook) -> Vec<HeldPerson> {
    let held = |at: usize, leaver: &Leaver, to: Option<usize>| {
        let (project, entry) = (run.parts[at].context.project, leaver.person.entry_id());
        let key = leaver.keys.primary()?;
        Some(HeldPerson { project, entry, key, to: to.map(|to| run.parts[to].context.project) })
    };
    let mut people: Vec<HeldPerson> = Vec::new();
    for (at, classes) in look.classes.iter().enumerate() {
        people.extend(classes.leavers.iter().filter_map(|leaver| held(at, leaver, None)));
    }
    people.extend(look.pairs.iter().filter_map(|pair| held(pair.from, &pair.old, Some(pair.to))));
    people.sort_unstable_by_key(|held| (held.project, held.entry));
    people
}

/// Moves that a person let through, within the last days.
fn approved_moves(run: &SyncContext<'_>, now: &Moment) -> anyhow::Result<Vec<HeldPerson>> {
    let holds = run.journal.holds()?.into_iter();
    let approved = holds.filter(|hold| {
        let is_ours = hold.kind == HoldKind::Leavers && hold.source == run.rules.source;
        is_ours && hold.settled.is_some_and(|settled| !is_old(now, &settled))
    });
    Ok(approved.flat_map(|hold| hold.people).filter(|held| held.to.is_some()).collect())
}

/// The file of a night as a whole.
pub fn file_hold(run: &SyncContext<'_>, look: &SyncLook) -> Hold {
    let id = HoldId::of(&run.journal.hash("held file", &[&run.rules.source, &hex(&look.roster)]));
    hold(run, look, id, HoldKind::File, run.row_count(), Vec::new())
}

/// `count` is how many people, rows or changes it is about.
pub fn hold(
    run: &SyncContext<'_>,
    look: &SyncLook,
    id: HoldId,
    kind: HoldKind,
    count: usize,
    people: Vec<HeldPerson>,
) -> Hold {
    Hold {
        id,
        source: run.rules.source.clone(),
        kind,
        held: look.now,
        projects: run.projects(),
        roster: look.roster,
        count: u32::try_from(count).unwrap_or(u32::MAX),
        settled: None,
        number: None,
        people,
    }
}

/// The one that an id means: whole, or its first four digits or more.
pub fn find(holds: Vec<Hold>, id: &str) -> Result<Hold, Failure> {
    let wanted = id.to_ascii_lowercase();
    let mut found: Vec<Hold> = holds.into_iter().filter(|hold| hold.id.to_string().starts_with(&wanted)).collect();
    match (found.len(), wanted.len()) {
        (1, 4..) => Ok(found.remove(0)),
        (0 | 1, _) => {
            let cause = format!("no hold with id {id}: it is mistyped, was applied, or a later file replaced it");
            Err(Failure::new(Verdict::NotFound, cause).hint("`assessctl testtakers sync --show` lists what is held"))
        }
        _ => Err(Failure::usage(format!("{id} means {} holds", found.len())).hint("give all of its digits")),
    }
}
