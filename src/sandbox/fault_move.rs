//! The fault `move`: people are enrolled, removed and renamed while a list is read.

use fastrand::Rng;
use rusqlite::{Connection, OptionalExtension as _};

use super::people_list::{full_name, project_seq};
use super::response::Refusal;
use super::service::RunningService;
use super::state::{fold, now};
use super::testtakers::{Newcomer, insert};
use crate::model::projects::ProjectId;

/// Enrols, removes or renames a test taker, so that the list changes while it is read.
pub(super) fn mutate_people(service: &RunningService, project: ProjectId, seed: u64) -> Result<(), Refusal> {
    let mut random = Rng::with_seed(seed);
    if random.u8(0..3) == 0 {
        return enrol(service, project, &mut random);
    }
    let state = service.state();
    let seq = project_seq(&state, project)?;
    let Some(entry) = any_entry(&state, seq, &mut random)? else { return Ok(()) };
    if random.bool() {
        state.execute(
            "UPDATE test_takers SET removed = 1, removed_at = ?3 WHERE project = ?1 AND entry = ?2",
            (seq, entry, now()),
        )?;
        return Ok(());
    }
    let (first, last) = (name(&mut random), name(&mut random));
    let full = full_name(Some(&first), Some(&last));
    let folded = fold(&full);
    state.execute(
        "UPDATE test_takers SET first_name = ?3, last_name = ?4, full_name = ?5, full_name_folded = ?6
         WHERE project = ?1 AND entry = ?2",
        (seq, entry, first, last, full, folded),
    )?;
    Ok(())
}

fn enrol(service: &RunningService, project: ProjectId, random: &mut Rng) -> Result<(), Refusal> {
    let new = Newcomer {
        email: format!("newcomer-{}@example.com", random.u64(..)),
        first_name: Some(name(random)),
        last_name: Some(name(random)),
        birth_year: None,
        reference_id: None,
    };
    insert(service, project, new, &[]).map(|_| ())
}

/// The entry id of one enrolled test taker, each equally likely.
fn any_entry(state: &Connection, project: i64, random: &mut Rng) -> rusqlite::Result<Option<i32>> {
    let count: i64 =
        state.query_row("SELECT count(*) FROM test_takers WHERE project = ?1 AND removed = 0", [project], |row| {
            row.get(0)
        })?;
    let place = random.i64(0..count.max(1));
    let select = "SELECT entry FROM test_takers WHERE project = ?1 AND removed = 0 ORDER BY entry LIMIT 1 OFFSET ?2";
    state.query_row(select, (project, place), |row| row.get(0)).optional()
}

/// A name that stands anywhere in the alphabet.
fn name(random: &mut Rng) -> String {
    let rest: String = (0..6).map(|_| random.lowercase()).collect();
    format!("{}{rest}", random.uppercase())
}
