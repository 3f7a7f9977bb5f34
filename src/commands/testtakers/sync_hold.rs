//! What waits for a person: the leavers of a night, or its file.

use crate::commands::testtakers::sync_context::SyncContext;
use crate::commands::testtakers::sync_look::{SyncLook, hex};
use crate::journal::clock::Millis;
use crate::journal::holds::{HeldPerson, Hold, HoldId, HoldKind};
use crate::model::verdict::{Failure, Verdict};

/// What was held for longer than this is looked at again: a week.
pub const OLDEST: Millis = 7 * 24 * 3_600_000;

/// All leavers of a night, held together. The same set has the same id.
pub fn leaver_hold(run: &SyncContext<'_>, look: &SyncLook) -> Hold {
    let mut people: Vec<HeldPerson> = look
        .classes
        .leavers
        .iter()
        .filter_map(|leaver| {
            let entry = leaver.person.entry_id();
            leaver.keys.primary().map(|key| HeldPerson { project: run.project, entry, key })
        })
        .collect();
    people.sort_unstable_by_key(|held| (held.project, held.entry));
    let texts: Vec<String> = people.iter().map(|held| format!("{} {}", held.project, held.entry)).collect();
    hold(run, look, (HoldKind::Leavers, &texts), people)
}

/// The file of a night as a whole.
pub fn file_hold(run: &SyncContext<'_>, look: &SyncLook) -> Hold {
    let roster = hex(&look.roster);
    let rows = run.roster.row_count();
    Hold { count: u32::try_from(rows).unwrap_or(u32::MAX), ..hold(run, look, (HoldKind::File, &[roster]), Vec::new()) }
}

fn hold(run: &SyncContext<'_>, look: &SyncLook, (kind, said): (HoldKind, &[String]), people: Vec<HeldPerson>) -> Hold {
    let mut texts = vec![run.rules.source.as_str()];
    texts.extend(said.iter().map(String::as_str));
    let purpose = if kind == HoldKind::File { "held file" } else { "held leavers" };
    Hold {
        id: HoldId::of(&run.journal.hash(purpose, &texts)),
        source: run.rules.source.clone(),
        kind,
        held: look.now.wall,
        projects: vec![run.project],
        roster: look.roster,
        count: u32::try_from(people.len()).unwrap_or(u32::MAX),
        settled: None,
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
            let cause = format!("nothing is held as {id}: it was applied, or a later file took its place");
            Err(Failure::new(Verdict::NotFound, cause).hint("the last sync says what it holds"))
        }
        _ => Err(Failure::usage(format!("{id} means {} holds", found.len())).hint("give all of its digits")),
    }
}
