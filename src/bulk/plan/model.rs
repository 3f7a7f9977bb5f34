//! A model of the world around the plan: a service that loses answers, works late and shows old lists, a journal, other
//! processes, and a power switch. The plan that runs here is the one that ships.
//!
//! Each rule can be switched off at the plan's border, and then the model finds a violation: that is how we know that it
//! would find one.

use super::model_world::{Off, World};

/// Rows of the long run: a million where the compiler optimises, fewer in the daily tests.
const ROWS: usize = if cfg!(debug_assertions) { 20_000 } else { 1_000_000 };
/// Within so many rows a missing rule shows.
const TEETH: usize = 20_000;

/// Runs rosters until so many rows were enrolled or a rule was broken: rows, kills and the first violation.
fn campaign(off: Off, rows: usize, seed: u64) -> (usize, usize, Option<String>) {
    let (mut done, mut kills, mut round) = (0, 0, 0);
    while done < rows {
        let world = World::new(off, seed.wrapping_add(round));
        let ended = world.run();
        round += 1;
        done += ended.rows;
        kills += ended.kills;
        if let Some(violation) = ended.violation {
            return (done, kills, Some(format!("seed {}: {violation}", seed.wrapping_add(round - 1))));
        }
    }
    (done, kills, None)
}

#[test]
fn nobody_is_lost_and_nobody_is_enrolled_twice_whatever_happens() {
    let seed = fastrand::u64(..);
    let (rows, kills, violation) = campaign(Off::Nothing, ROWS, seed);
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
