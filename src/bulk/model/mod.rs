//! A model of the world around a run: a service that loses answers, works late, spells otherwise and shows old lists; an
//! operator who edits the roster; other machines; clocks that jump; and a power switch. The plan, the comparison and the
//! journal's meaning that run here are those that ship; the journal's tables are kept in memory by the same rules.
//!
//! Each rule can be switched off, and then the model finds a violation: that is how we know that it would find one. A failure
//! names its seed; `ASSESSCTL_MODEL_SEED=N cargo test --bin assessctl bulk::model` replays it, and
//! `ASSESSCTL_MODEL_ROWS=N` runs more rows.

mod check;
mod disturbances;
mod service;
mod store;
mod world;

use world::World;

use crate::model::long_runs::asked;

/// Which rule is switched off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Off {
    #[default]
    Nothing,
    /// An intent is durable before it is sent.
    DurableIntents,
    /// A key is claimed by one process.
    Claims,
    /// A lost answer is never repeated blindly.
    NoBlindRetry,
    /// Enrolled is final.
    EnrolledIsFinal,
    /// A lost request gets the settle time.
    Settle,
    /// Entries that were there before a row was sent are remembered.
    Baseline,
    /// Absence counts in reads that are shown to be fresh.
    Freshness,
    /// A row in doubt holds up its edited self.
    DoubtHoldsUp,
    /// A row enrolled a short while ago holds up its edited self.
    FreshHoldsUp,
    /// What a service stores otherwise is known by what was sent, also beside the edited row.
    Respelt,
    /// A new entry that may be the row forbids sending it again.
    Perhaps,
    /// So does one that is spelt otherwise in e-mail and reference id: it is searched for.
    Alike,
    /// That a create was answered is never forgotten.
    AnsweredIsKept,
    /// What a list does not show is not gone before the settle time is over.
    UnseenIsNotGone,
    /// Within one boot the clock of the boot counts.
    BootClock,
    /// Entries that were found are not ours.
    FoundIsNotOurs,
}

/// Rows of one run: a million where the compiler optimises, fewer in the daily tests (`.ci/run` asks for a million).
const ROWS: usize = if cfg!(debug_assertions) { 10_000 } else { 1_000_000 };
/// Within so many rows a missing rule shows.
const TEETH: usize = 100_000;

/// Runs rosters until so many rows were enrolled or a rule was broken: rows, kills and the first violation.
fn campaign(off: Off, rows: usize, seed: u64) -> (usize, usize, Option<String>) {
    let (mut done, mut kills, mut round) = (0, 0, 0);
    while done < rows {
        let seed = seed.wrapping_add(round);
        let ended = World::new(off, seed).run();
        round += 1;
        done += ended.rows;
        kills += ended.kills;
        if let Some(violation) = ended.violation {
            return (done, kills, Some(format!("ASSESSCTL_MODEL_SEED={seed}: {violation}")));
        }
    }
    (done, kills, None)
}

#[test]
fn nobody_is_lost_and_nobody_is_enrolled_twice_whatever_happens() {
    let seed = asked("ASSESSCTL_MODEL_SEED").unwrap_or_else(|| fastrand::u64(..));
    let rows = asked("ASSESSCTL_MODEL_ROWS").and_then(|rows| usize::try_from(rows).ok()).unwrap_or(ROWS);
    let (rows, kills, violation) = campaign(Off::Nothing, rows, seed);
    assert_eq!(violation, None, "after {rows} rows and {kills} kills, begun with seed {seed}");
    assert!(kills * 100 > rows, "{kills} kills in {rows} rows, begun with seed {seed}");
}

/// With a rule switched off, the model must find what it is for.
#[track_caller]
fn bites(off: Off) {
    let (rows, kills, violation) = campaign(off, TEETH, 1);
    assert!(violation.is_some(), "{off:?}: no violation in {rows} rows with {kills} kills");
}

#[test]
fn without_durable_intents_somebody_is_enrolled_twice() {
    bites(Off::DurableIntents);
}

#[test]
fn without_the_claim_on_a_key_two_processes_enrol_the_same_person() {
    bites(Off::Claims);
}

#[test]
fn with_blind_retries_somebody_is_enrolled_twice() {
    bites(Off::NoBlindRetry);
}

#[test]
fn if_enrolled_were_not_final_an_old_list_would_enrol_somebody_twice() {
    bites(Off::EnrolledIsFinal);
}

#[test]
fn without_the_settle_time_late_requests_enrol_somebody_twice() {
    bites(Off::Settle);
}

#[test]
fn without_the_baseline_an_old_entry_is_taken_for_the_new_one() {
    bites(Off::Baseline);
}

#[test]
fn without_the_freshness_witness_an_old_list_passes_for_the_truth() {
    bites(Off::Freshness);
}

#[test]
fn without_holding_up_a_row_beside_its_doubtful_self_an_edit_enrols_twice() {
    bites(Off::DoubtHoldsUp);
}

#[test]
fn without_holding_up_a_row_beside_its_fresh_self_an_edit_enrols_twice() {
    bites(Off::FreshHoldsUp);
}

#[test]
fn without_knowing_what_a_service_spelt_an_edit_enrols_twice() {
    bites(Off::Respelt);
}

#[test]
fn without_heeding_what_may_be_the_row_a_service_that_spells_has_it_twice() {
    bites(Off::Perhaps);
}

#[test]
fn without_searching_for_who_is_spelt_otherwise_in_all_that_is_looked_up_somebody_is_enrolled_twice() {
    bites(Off::Alike);
}

#[test]
fn without_keeping_that_a_create_was_answered_it_is_sent_again() {
    bites(Off::AnsweredIsKept);
}

#[test]
fn without_waiting_for_lists_that_lag_people_are_called_gone() {
    bites(Off::UnseenIsNotGone);
}

#[test]
fn without_the_clock_of_the_boot_a_jump_ends_the_settle_time() {
    bites(Off::BootClock);
}

#[test]
fn without_telling_found_from_answered_undo_removes_other_machines_people() {
    bites(Off::FoundIsNotOurs);
}
