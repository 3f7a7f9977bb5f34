//! How a run over many rows as a whole ended.

use super::early_stop::Stop;
use super::outcome::{Counts, Finished, Outcome, RowResult, Unsettled};
use crate::model::exit_ranks::Verdict;

/// What changes people, or may have.
const DONE: [Outcome; 6] =
    [Outcome::Enrolled, Outcome::Duplicate, Outcome::Updated, Outcome::Removed, Outcome::Issued, Outcome::InDoubt];

/// A run that went to its end, with these ends of its rows.
pub fn ended(ends: Vec<RowResult>) -> Finished {
    let mut counts = Counts::default();
    for ended in &ends {
        counts.add(ended.outcome);
    }
    let verdict = verdict(&counts, None, Unsettled::default());
    Finished { ends, counts, verdict, stop: None, open: Unsettled::default() }
}

/// The same run, where so many people whom this machine enrolled are not in the list that it went by.
pub fn with_unseen(finished: Finished, unseen: usize) -> Finished {
    let open = Unsettled { unseen, ..finished.open };
    let verdict = verdict(&finished.counts, finished.stop.as_ref(), open);
    Finished { verdict, open, ..finished }
}

/// How a run with these ends ended.
pub(super) fn verdict(counts: &Counts, stop: Option<&Stop>, open: Unsettled) -> Verdict {
    let did_nothing = DONE.into_iter().all(|outcome| counts.of(outcome) == 0);
    match stop {
        Some(Stop::Key(_)) => Verdict::Key,
        Some(Stop::Interrupted { terminated: true }) => Verdict::Terminated,
        Some(Stop::Interrupted { terminated: false }) => Verdict::Interrupted,
        Some(Stop::WrongIds | Stop::Journal(_)) => Verdict::Unforeseen,
        Some(Stop::Unaudited(_)) => Verdict::Unfinished,
        Some(Stop::Existing) => Verdict::Refused,
        Some(Stop::Gone(_)) if did_nothing => Verdict::NotFound,
        Some(Stop::Redirect(_)) if did_nothing => Verdict::Usage,
        _ if open.unseen > 0 || open.waiting > 0 => Verdict::Unfinished,
        _ if did_nothing && counts.of(Outcome::NotAttempted) > 0 => Verdict::NoAnswer,
        _ if counts.any(Outcome::is_unfinished) => Verdict::Unfinished,
        _ if counts.any(Outcome::is_to_fix) => Verdict::RowsToFix,
        _ => Verdict::Done,
    }
}
