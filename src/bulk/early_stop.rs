//! When a run stops before its end: after what, for which reason, and how long it still waits.

use std::time::Duration;

use crate::api::{Class, Error, Kind};
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;

/// After this many lost answers, or rows without an answer after all attempts, in a row, nothing more is launched.
pub const IN_A_ROW: u32 = 3;
/// After this many creates that all end with the same 409 or 5xx, the reason is not the rows' own.
pub const ALIKE: u32 = 10;
/// How long an interrupted run waits for what is under way.
pub const GRACE: Duration = Duration::from_secs(30);
/// What is said of a row whose answer was still awaited after that.
pub const INTERRUPTED: &str = "no answer had come when the run was interrupted";

/// Why nothing more can be sent in this run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// 401: the key is not accepted.
    Key(String),
    /// 403: the key may not do this.
    Forbidden(String),
    /// 404: the project is gone.
    Gone(String),
    /// An answer that is not the service's to this request: a 3xx, such a 404, another person's link. The base URL is wrong,
    /// or something between us answers. The request itself may have had its effect.
    Redirect(String),
    /// The service does not answer, or asks to wait too long.
    NoAnswer(String),
    /// The deadline has passed.
    OutOfTime(String),
    /// A read record's id is not the entry id.
    WrongIds,
    /// The journal can't be written: without it nothing is sent.
    Journal(String),
    /// Another run was writing to the journal for longer than this one waits.
    JournalBusy(String),
    /// The list could not be read at the end.
    Unaudited(String),
    /// `--on-existing fail`, and one of the people is enrolled already.
    Existing,
    /// The service answers every create alike, for a reason that is not the row's own.
    Alike(String),
    /// Stopped by a signal.
    Interrupted {
        /// SIGTERM instead of SIGINT.
        terminated: bool,
    },
}

impl Stop {
    /// The journal failed so.
    pub fn journal(failure: &Failure) -> Self {
        let why = if failure.verdict == Verdict::Locked { Self::JournalBusy } else { Self::Journal };
        why(failure.cause.clone())
    }

    /// Whether this one is what a run is said to have stopped for, although another came before.
    pub fn outranks(&self, before: &Self) -> bool {
        match (before, self) {
            (Self::Interrupted { .. }, _) => matches!(self, Self::Interrupted { .. }),
            (_, Self::Interrupted { .. } | Self::Key(_) | Self::Forbidden(_))
            | (Self::NoAnswer(_), Self::OutOfTime(_)) => true,
            _ => false,
        }
    }
}

/// What stops the whole run, whatever was asked.
pub fn stop(error: &Error) -> Option<Stop> {
    let words = error.to_string();
    match error.kind() {
        Kind::OutOfTime => Some(Stop::OutOfTime(words)),
        Kind::UnknownKey => Some(Stop::Key(words)),
        Kind::Forbidden => Some(Stop::Forbidden(words)),
        // A page for browsers that came with a 2xx may stand for a record that was made: that row is looked up.
        Kind::NotTheService if error.class() != Class::DoneUnreadable => Some(Stop::Redirect(words)),
        Kind::NotFound => Some(Stop::Gone(words)),
        Kind::NotTheService | Kind::Misconfigured | Kind::Other => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::error_samples::{foreign, lost, never_sent, out_of_time, page, rejected};

    #[test]
    fn an_interruption_is_what_a_run_stopped_for_whatever_comes_after() {
        let (key, gone, late) = (Stop::Key(String::new()), Stop::Gone(String::new()), Stop::OutOfTime(String::new()));
        let interrupted = Stop::Interrupted { terminated: false };
        assert!(!key.outranks(&interrupted) && interrupted.outranks(&key));
        assert!(Stop::Interrupted { terminated: true }.outranks(&interrupted));
        assert!(key.outranks(&gone) && !gone.outranks(&key));
        assert!(late.outranks(&Stop::NoAnswer(String::new())) && !late.outranks(&gone));
    }

    /// What a run stops for, in these words.
    type Why = fn(String) -> Stop;

    #[test]
    fn a_run_stops_for_what_no_other_request_would_fare_better_with() {
        let stops: [(Error, Why); 6] = [
            (rejected(401), Stop::Key),
            (rejected(403), Stop::Forbidden),
            (rejected(404), Stop::Gone),
            (rejected(302), Stop::Redirect),
            (out_of_time(None), Stop::OutOfTime),
            (out_of_time(Some(lost())), Stop::OutOfTime),
        ];
        for (error, why) in stops {
            assert_eq!(stop(&error), Some(why(error.to_string())));
        }
        let nothing_known = [rejected(422), rejected(429), rejected(503), lost(), never_sent(true), foreign(), page()];
        for error in nothing_known {
            assert_eq!(stop(&error), None, "{error}");
        }
    }
}
