//! How a run as a whole ended.

use crate::bulk::answer::Stop;
use crate::bulk::outcome::{Counts, Outcome};
use crate::model::verdict::Verdict;

/// How a run with these ends ended.
pub(super) fn verdict(counts: &Counts, stop: Option<&Stop>) -> Verdict {
    let in_doubt = counts.of(Outcome::InDoubt) > 0;
    let did_nothing =
        !in_doubt && ![Outcome::Enrolled, Outcome::Duplicate, Outcome::Updated].iter().any(|done| counts.of(*done) > 0);
    match stop {
        Some(Stop::Key(_)) => Verdict::Key,
        Some(Stop::Interrupted { terminated: true }) => Verdict::Terminated,
        Some(Stop::Interrupted { terminated: false }) => Verdict::Interrupted,
        Some(Stop::WrongIds | Stop::Journal(_)) => Verdict::Unforeseen,
        Some(Stop::Unaudited(_)) => Verdict::Unfinished,
        Some(Stop::Existing) => Verdict::Refused,
        Some(Stop::Gone(_)) if did_nothing => Verdict::NotFound,
        Some(Stop::Redirect(_)) if did_nothing => Verdict::Usage,
        _ if did_nothing && counts.of(Outcome::NotAttempted) > 0 => Verdict::NoAnswer,
        _ if counts.any(Outcome::is_unfinished) => Verdict::Unfinished,
        _ if counts.any(Outcome::is_to_fix) => Verdict::RowsToFix,
        _ => Verdict::Done,
    }
}
