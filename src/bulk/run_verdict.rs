//! How a run over many rows as a whole ended.

use super::early_stop::Stop;
use super::outcome::{Counts, Finished, Outcome, RowResult, Unsettled};
use super::update_sender::LATE_READ;
use crate::model::exit_ranks::Verdict;

/// A run that went to its end, with these ends of its rows.
pub fn ended(ends: Vec<RowResult>) -> Finished {
    stopped(ends, None)
}

/// A run with these ends of its rows; `stop` says why it did not go to its end.
pub(super) fn stopped(ends: Vec<RowResult>, stop: Option<Stop>) -> Finished {
    let counts = Counts::of_rows(&ends);
    let verdict = verdict(&counts, stop.as_ref(), Unsettled::default());
    Finished { ends, counts, verdict, stop, open: Unsettled::default() }
}

/// The same run, where so many people that this machine enrolled are not in the list that it went by.
pub fn with_unseen(finished: Finished, unseen: usize) -> Finished {
    let open = Unsettled { unseen, ..finished.open };
    let verdict = verdict(&finished.counts, finished.stop.as_ref(), open);
    Finished { verdict, open, ..finished }
}

/// The same run, where rows were not attempted because reads lag behind: the service answered, and a later run goes on.
pub fn with_late_reads(finished: Finished) -> Finished {
    let is_late = finished.ends.iter().any(|end| end.message.as_deref() == Some(LATE_READ));
    match finished.verdict {
        Verdict::NoAnswer if is_late => Finished { verdict: Verdict::Unfinished, ..finished },
        _ => finished,
    }
}

/// How a run with these ends ended.
pub(super) fn verdict(counts: &Counts, stop: Option<&Stop>, open: Unsettled) -> Verdict {
    let did_nothing = !counts.any(Outcome::is_change);
    match stop {
        Some(Stop::Key(_) | Stop::Forbidden(_)) => Verdict::Key,
        Some(Stop::Interrupted { terminated: true }) => Verdict::Terminated,
        Some(Stop::Interrupted { terminated: false }) => Verdict::Interrupted,
        Some(Stop::WrongIds | Stop::Journal(_)) => Verdict::Unforeseen,
        Some(Stop::JournalBusy(_)) if did_nothing => Verdict::Locked,
        Some(Stop::JournalBusy(_) | Stop::Unaudited(_)) => Verdict::Unfinished,
        Some(Stop::Existing) => Verdict::Refused,
        Some(Stop::Gone(_)) if did_nothing => Verdict::NotFound,
        Some(Stop::Redirect(_)) if did_nothing => Verdict::Usage,
        _ if open.unseen > 0 || open.waiting > 0 || open.still_shown > 0 => Verdict::Unfinished,
        _ if did_nothing && counts.of(Outcome::NotAttempted) > 0 => Verdict::NoAnswer,
        _ if counts.any(Outcome::is_unfinished) => Verdict::Unfinished,
        _ => of_rows_to_fix(counts),
    }
}

/// How a run ended that went to its end, by the rows that wait for a person. Of many, "not found" is said of all.
pub fn of_rows_to_fix(counts: &Counts) -> Verdict {
    match () {
        () if counts.are_all(Outcome::Absent) => Verdict::NotFound,
        () if counts.any(Outcome::is_to_fix) => Verdict::RowsToFix,
        () => Verdict::Done,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(outcomes: &[Outcome], stop: Option<&Stop>) -> Verdict {
        let mut counts = Counts::default();
        for outcome in outcomes {
            counts.add(*outcome);
        }
        verdict(&counts, stop, Unsettled::default())
    }

    #[test]
    fn what_stopped_a_run_is_how_it_ended_whatever_became_of_its_rows() {
        let words = String::new;
        for (stop, ended) in [
            (Stop::Key(words()), Verdict::Key),
            (Stop::Forbidden(words()), Verdict::Key),
            (Stop::Interrupted { terminated: true }, Verdict::Terminated),
            (Stop::Interrupted { terminated: false }, Verdict::Interrupted),
            (Stop::WrongIds, Verdict::Unforeseen),
            (Stop::Journal(words()), Verdict::Unforeseen),
            (Stop::Unaudited(words()), Verdict::Unfinished),
            (Stop::Existing, Verdict::Refused),
        ] {
            for outcomes in [&[Outcome::Enrolled] as &[_], &[Outcome::NotAttempted], &[Outcome::Existing], &[]] {
                assert_eq!(judged(outcomes, Some(&stop)), ended, "{stop:?} {outcomes:?}");
            }
        }
    }

    #[test]
    fn a_project_that_is_not_there_a_wrong_address_and_a_busy_journal_are_told_unless_something_was_done_before() {
        for (stop, ended) in [
            (Stop::Gone(String::new()), Verdict::NotFound),
            (Stop::Redirect(String::new()), Verdict::Usage),
            (Stop::JournalBusy(String::new()), Verdict::Locked),
        ] {
            for outcomes in [&[Outcome::NotAttempted] as &[_], &[Outcome::Existing, Outcome::Refused], &[]] {
                assert_eq!(judged(outcomes, Some(&stop)), ended, "{stop:?} {outcomes:?}");
            }
            for done in Outcome::ALL.into_iter().filter(|outcome| outcome.is_change()) {
                let verdict = judged(&[done, Outcome::NotAttempted], Some(&stop));
                assert_eq!(verdict, Verdict::Unfinished, "{stop:?} {done}");
            }
        }
    }

    #[test]
    fn a_run_that_stopped_for_no_reason_of_its_own_ended_as_its_rows_did() {
        use Outcome::{Absent, Enrolled, Existing, InDoubt, NotAttempted, Refused};
        for stop in [None, Some(Stop::NoAnswer(String::new())), Some(Stop::OutOfTime(String::new()))] {
            for (outcomes, ended) in [
                (&[] as &[_], Verdict::Done),
                (&[Enrolled, Existing], Verdict::Done),
                (&[Enrolled, Refused], Verdict::RowsToFix),
                (&[Absent, Absent], Verdict::NotFound),
                (&[Absent, Existing], Verdict::RowsToFix),
                (&[Absent, Refused], Verdict::RowsToFix),
                (&[Enrolled, Refused, InDoubt], Verdict::Unfinished),
                (&[Enrolled, NotAttempted], Verdict::Unfinished),
                (&[Existing, NotAttempted], Verdict::NoAnswer),
            ] {
                assert_eq!(judged(outcomes, stop.as_ref()), ended, "{stop:?} {outcomes:?}");
            }
        }
        for open in [
            Unsettled { unseen: 1, ..Unsettled::default() },
            Unsettled { waiting: 1, ..Unsettled::default() },
            Unsettled { still_shown: 1, ..Unsettled::default() },
        ] {
            assert_eq!(verdict(&Counts::default(), None, open), Verdict::Unfinished, "{open:?}");
        }
    }
}
