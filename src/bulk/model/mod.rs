//! A model of the world around an enrolment. What runs is what ships: `enrol()` over a real journal on disk; the service, the
//! clock, the operator and the kills are made up from one seed. After each run an oracle that sees the service's people asks
//! whether somebody was lost, enrolled twice or wrongly called gone.
//!
//! Each of the eight rules of enrolling (docs/how-it-stays-right.md) can be switched off from outside, and then the model must find a violation. This
//! shows that it would find one. `ASSESSCTL_MODEL_SEED=N cargo test bulk::model` replays a seed that a failure names, and
//! with `ASSESSCTL_MODEL_ROWS=N` the long test plays another number of rows.

mod operator;
mod service;
mod world;

use std::time::Duration;

use crate::bulk::model::world::World;

/// A rule that is switched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Off {
    Nothing,
    /// 1: rows of a shared mailbox have no reference ids, so several people are one identity.
    Identity,
    /// 2: the list that is compared first is empty.
    CompareFirst,
    /// 3: intents are lost with the run that wrote them.
    IntentFirst,
    /// 4: the journal does not know the e-mails of open people.
    OneOpenAttempt,
    /// 5: what was answered is forgotten.
    FinalAnswers,
    /// 6: a request that took effect counts as one that certainly did nothing.
    CertainlyNothing,
    /// 7: there is no settle time.
    LookedFor,
    /// 7: what a dead run left open counts from when it was begun, not from when it is found.
    SinceFound,
    /// 8: removals from here are forgotten.
    RemovedByUs,
}

/// What a campaign plays.
#[derive(Clone, Copy, Debug)]
struct Setup {
    off: Off,
    /// The longest time after which a request whose answer was given up takes effect.
    late: Duration,
    /// Whether all late requests are as late as that.
    is_sharp: bool,
    /// The greatest age of a read.
    lag: Duration,
}

const ORDINARY: Setup =
    Setup { off: Off::Nothing, late: Duration::from_secs(200), is_sharp: false, lag: Duration::from_secs(90) };
/// Rows of the daily test.
const ROWS: usize = 20_000;
/// Within so many rows a rule that is switched off shows.
const TEETH: usize = 10_000;

/// Plays rosters until so many rows were enrolled or a promise was broken.
async fn campaign(setup: Setup, rows: usize, seed: u64) -> (usize, usize, Option<String>) {
    let folder = folder_in_memory();
    let (mut done, mut kills) = (0, 0);
    for seed in seed.. {
        let mut world = World::new(setup, seed, folder.path());
        let violation = world.play().await;
        done += world.row_count();
        kills += world.kills;
        if violation.is_some() || done >= rows {
            return (done, kills, violation.map(|violation| format!("ASSESSCTL_MODEL_SEED={seed}: {violation}")));
        }
    }
    (done, kills, None)
}

/// A kill leaves what was written, so no disk needs to be waited for.
fn folder_in_memory() -> tempfile::TempDir {
    let memory = std::path::Path::new("/dev/shm");
    let mut folder = tempfile::Builder::new();
    #[cfg(unix)]
    folder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    if memory.is_dir() { folder.tempdir_in(memory) } else { folder.tempdir() }.expect("a folder")
}

fn asked<N: std::str::FromStr>(number: Option<&str>) -> Option<N> {
    number.and_then(|number| number.parse().ok())
}

#[tokio::test(start_paused = true)]
async fn nobody_is_lost_and_nobody_is_enrolled_twice_whatever_happens() {
    let (rows, seed) = asked(option_env!("ASSESSCTL_MODEL_SEED")).map_or((ROWS, 1), |seed| (1, seed));
    let (rows, kills, violation) = campaign(ORDINARY, rows, seed).await;
    assert_eq!(violation, None, "after {rows} rows and {kills} kills");
    assert!(rows < ROWS || kills * 50 > rows, "{kills} kills in {rows} rows");
}

#[tokio::test(start_paused = true)]
#[ignore = "takes minutes; for the night"]
async fn nobody_of_a_million_is_lost_or_enrolled_twice() {
    let rows = asked(option_env!("ASSESSCTL_MODEL_ROWS")).unwrap_or(1_000_000);
    let (rows, kills, violation) = campaign(ORDINARY, rows, fastrand::u64(..u64::MAX / 2)).await;
    println!("{rows} rows, {kills} kills");
    assert_eq!(violation, None, "after {rows} rows and {kills} kills");
}

/// With a rule switched off, the model finds what the rule is for.
async fn bites(setup: Setup) {
    let (rows, kills, violation) = campaign(setup, TEETH, 1).await;
    println!("{:?}: {rows} rows, {kills} kills, {violation:?}", setup.off);
    assert!(violation.is_some(), "no violation in {rows} rows with {kills} kills");
}

#[tokio::test(start_paused = true)]
async fn each_rule_that_is_switched_off_is_missed() {
    for off in [
        Off::Identity,
        Off::CompareFirst,
        Off::IntentFirst,
        Off::FinalAnswers,
        Off::CertainlyNothing,
        Off::LookedFor,
        Off::RemovedByUs,
    ] {
        bites(Setup { off, ..ORDINARY }).await;
    }
}

/// These two show where many requests take effect late, though in time.
#[tokio::test(start_paused = true)]
async fn an_edited_row_that_does_not_wait_and_a_dead_run_that_counts_from_its_intent_are_found() {
    for off in [Off::OneOpenAttempt, Off::SinceFound] {
        bites(Setup { off, late: Duration::from_secs(250), is_sharp: true, lag: Duration::ZERO }).await;
    }
}

#[tokio::test(start_paused = true)]
async fn what_takes_effect_just_before_the_settle_time_ends_does_no_harm() {
    let late = Duration::from_secs(295);
    let just_in_time = Setup { late, is_sharp: true, lag: Duration::ZERO, ..ORDINARY };
    let (rows, _, violation) = campaign(just_in_time, TEETH, 1).await;
    assert_eq!(violation, None, "after {rows} rows");
}

#[tokio::test(start_paused = true)]
async fn what_takes_effect_after_the_settle_time_is_found() {
    bites(Setup { late: Duration::from_secs(350), is_sharp: true, lag: Duration::ZERO, ..ORDINARY }).await;
}
