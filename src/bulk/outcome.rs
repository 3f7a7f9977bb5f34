//! How a row ended: the machine values of reports and summaries.

use std::fmt;

use uuid::Uuid;

use crate::api::{Class, Error, Kind};
use crate::model::counted::{counted, thousands};
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::testtakers::EntryId;

use super::early_stop::{Stop, stop};

/// Declares the outcomes, each with the value that reports have.
macro_rules! outcomes {
    ($($(#[$doc:meta])+ $name:ident = $value:literal,)+) => {
        /// How a row ended. Never called status: that is what the service says of a test.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Outcome { $($(#[$doc])+ $name,)+ }

        impl Outcome {
            /// All of them, in the order of a summary.
            pub const ALL: [Self; [$($value),+].len()] = [$(Self::$name),+];

            /// The value as reports have it.
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => $value),+ }
            }
        }
    };
}

outcomes! {
    /// Enrolled by this run or an earlier one.
    Enrolled = "enrolled",
    /// Would be enrolled without `--dry-run`.
    WouldEnrol = "would-enrol",
    /// Was enrolled already, and not by this machine.
    Existing = "existing",
    /// Was enrolled already, and now has the row's values.
    Updated = "updated",
    /// Would be changed without `--dry-run`.
    WouldUpdate = "would-update",
    /// Taken out of the project.
    Removed = "removed",
    /// Was to be removed, and is in the project no more.
    GoneAlready = "gone-already",
    /// Would be removed without `--dry-run`.
    WouldRemove = "would-remove",
    /// Would be removed, and waits for a person's approval.
    Held = "held",
    /// Is not as it was when a person approved of it: nothing was done.
    ChangedSincePlan = "changed-since-plan",
    /// Got a new test link.
    Issued = "issued",
    /// Has a link from an earlier run that still works.
    Kept = "kept",
    /// Would get a test link without `--dry-run`.
    WouldIssue = "would-issue",
    /// Enrolled, and found more than once.
    Duplicate = "duplicate",
    /// Enrolled by this machine and removed since (`plan/audit`, and `journal_view/gone` of a row that was edited), or found by
    /// this run and removed since (the 404 of a request about the person).
    Gone = "gone",
    /// Named by a file of people who are enrolled, and not in the project (`find_people`); so say the look-ups of single people.
    Absent = "absent",
    /// The service holds something that contradicts the row.
    Conflict = "conflict",
    /// A mistake in the roster.
    Invalid = "invalid",
    /// The service said no.
    Refused = "refused",
    /// The answer was lost and the row was not found.
    InDoubt = "in-doubt",
    /// Not sent.
    NotAttempted = "not-attempted",
}

impl Outcome {
    /// Whether the row has to be changed before it can succeed.
    pub fn is_to_fix(self) -> bool {
        matches!(
            self,
            Self::Refused
                | Self::Invalid
                | Self::Conflict
                | Self::Duplicate
                | Self::Gone
                | Self::Absent
                | Self::ChangedSincePlan
        )
    }

    /// Whether it changed something at the service, or may have.
    pub fn is_change(self) -> bool {
        matches!(self, Self::Enrolled | Self::Duplicate | Self::Updated | Self::Removed | Self::Issued | Self::InDoubt)
    }

    /// Whether running the same command again may end the row otherwise.
    pub fn is_unfinished(self) -> bool {
        matches!(self, Self::InDoubt | Self::NotAttempted)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What is said of a row for which an earlier run did what was to be done.
pub const EARLIER: &str = "by an earlier run";

/// The end of a row, with what is known of the person's enrolment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowResult {
    /// How it ended.
    pub outcome: Outcome,
    /// Whether it ended so in an earlier run already.
    pub earlier: bool,
    /// The entry id, where one is known.
    pub entry: Option<EntryId>,
    /// The uuid that POST answered, where an answer came.
    pub enrolment: Option<Uuid>,
    /// For people; may hold the server's words whole.
    pub message: Option<Box<str>>,
}

impl RowResult {
    /// An end about which nothing more is known.
    pub fn new(outcome: Outcome) -> Self {
        Self { outcome, earlier: false, entry: None, enrolment: None, message: None }
    }

    /// Whether an earlier run did what this one was to do.
    pub fn is_done_earlier(&self) -> bool {
        self.earlier && matches!(self.outcome, Outcome::Enrolled | Outcome::Removed)
    }

    /// Whether it is no end that a row should have; what was never launched is counted alone.
    pub fn needs_attention(&self) -> bool {
        let is_tried = self.outcome != Outcome::NotAttempted || self.message.is_some();
        is_tried && (self.outcome.is_to_fix() || self.outcome.is_unfinished())
    }

    /// Adds that an earlier run did it, where it did and nothing else is to be said.
    pub fn say_if_earlier(&mut self) {
        if self.is_done_earlier() {
            self.message.get_or_insert_with(|| EARLIER.into());
        }
    }

    /// Adds what to say.
    #[must_use]
    pub fn with_message(mut self, message: impl Into<Box<str>>) -> Self {
        self.message = Some(message.into());
        self
    }

    /// Adds the entry id.
    #[must_use]
    pub fn with_entry(mut self, entry: EntryId) -> Self {
        self.entry = Some(entry);
        self
    }
}

/// How many rows ended how. The counts add up to the number of rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    ended: [usize; Outcome::ALL.len()],
    /// How many of those that are enrolled, or removed, an earlier run enrolled or removed: no run does both.
    pub earlier: usize,
}

impl Counts {
    /// Counts rows by how they ended.
    pub fn of_rows(ends: &[RowResult]) -> Self {
        let mut counts = Self::default();
        for end in ends {
            counts.add(end.outcome);
            counts.earlier += usize::from(end.is_done_earlier());
        }
        counts
    }

    /// Counts one row.
    pub fn add(&mut self, outcome: Outcome) {
        self.ended[outcome as usize] += 1;
    }

    /// Takes one row out again, because its end turned out to be another.
    pub fn remove(&mut self, outcome: Outcome) {
        let count = &mut self.ended[outcome as usize];
        *count = count.saturating_sub(1);
    }

    /// How many ended so.
    pub fn of(&self, outcome: Outcome) -> usize {
        self.ended[outcome as usize]
    }

    /// How many ended at all.
    pub fn total(&self) -> usize {
        self.ended.iter().sum()
    }

    /// Whether there are rows, and all ended so.
    pub fn are_all(&self, outcome: Outcome) -> bool {
        self.of(outcome) > 0 && self.of(outcome) == self.total()
    }

    /// Whether any row satisfies a condition on its outcome.
    pub fn any(&self, wanted: impl Fn(Outcome) -> bool) -> bool {
        Outcome::ALL.into_iter().any(|outcome| self.of(outcome) > 0 && wanted(outcome))
    }
}

impl fmt::Display for Counts {
    /// `12 rows: 10 enrolled (4 of them by an earlier run), 2 existing`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = self.total();
        f.write_str(&counted(total, "row", "rows"))?;
        let counted = Outcome::ALL.into_iter().filter(|outcome| self.of(*outcome) > 0);
        for (index, outcome) in counted.enumerate() {
            let count = thousands(self.of(outcome) as u64);
            write!(f, "{} {count} {outcome}", if index == 0 { ":" } else { "," })?;
            if outcome == Outcome::Kept {
                f.write_str(" (link valid as far as is known)")?;
            }
            match self.earlier {
                0 => {}
                _ if !matches!(outcome, Outcome::Enrolled | Outcome::Removed) => {}
                all if all == self.of(outcome) => write!(f, " ({EARLIER})")?,
                some => write!(f, " ({} of them {EARLIER})", thousands(some as u64))?,
            }
        }
        Ok(())
    }
}

/// How a run ended.
#[derive(Debug)]
pub struct Finished {
    /// The end of each row, in the order of the roster.
    pub ends: Vec<RowResult>,
    /// How many ended how.
    pub counts: Counts,
    /// How the run ended.
    pub verdict: Verdict,
    /// Why it stopped before its end.
    pub stop: Option<Stop>,
    /// What a later run may find out.
    pub open: Unsettled,
}

/// Rows about which a later run may find out more, beside those in doubt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unsettled {
    /// Enrolled, and not in the list yet.
    pub unseen: usize,
    /// Not attempted, because another row that may be the same person is in doubt.
    pub waiting: usize,
    /// Not attempted, because an entry that was removed a short time ago is shown still.
    pub still_shown: usize,
}

/// What came of a row.
#[derive(Clone, Debug)]
pub struct RowOutcome {
    /// How the row ended.
    pub ended: RowResult,
    /// Why nothing more can be done in this run.
    pub stop: Option<Stop>,
    /// Why nothing was done, for standard error: what the end says is for the report, and may name a person.
    pub why: String,
}

impl RowOutcome {
    /// A row that ended, while the run goes on.
    pub fn ended(ended: RowResult) -> Self {
        Self { ended, stop: None, why: String::new() }
    }

    /// A row that ended and cannot be remembered: nothing more is done.
    pub fn unremembered(ended: RowResult, failure: &Failure) -> Self {
        let ended = ended.with_message(failure.cause.clone());
        Self { ended, stop: Some(Stop::journal(failure)), why: String::new() }
    }

    /// A request that failed after all its attempts: how its row ended, and whether the run can go on. A 404 is about
    /// the row's person.
    pub fn failed(entry: EntryId, error: &Error) -> Self {
        let words = error.unredacted();
        let is_gone = error.is_not_found();
        let outcome = match error.class() {
            _ if is_gone => Outcome::Gone,
            Class::Refused if stop(error).is_some() => Outcome::NotAttempted,
            Class::Refused => Outcome::Refused,
            Class::NeverSent | Class::RefusedForNow => Outcome::NotAttempted,
            Class::Lost | Class::DoneUnreadable => Outcome::InDoubt,
        };
        let stop = match stop(error) {
            _ if is_gone => None,
            // With a 2xx too: no row of these runs is looked up.
            None if error.kind() == Kind::NotTheService => Some(Stop::Redirect(words.clone())),
            stop => stop,
        };
        Self { ended: RowResult::new(outcome).with_entry(entry).with_message(words), stop, why: error.redacted() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::error_samples::{foreign, lost, never_sent, out_of_time, page, rejected};

    #[test]
    fn a_summary_counts_each_outcome_once_and_adds_up() {
        let mut counts = Counts::default();
        for outcome in Outcome::ALL {
            counts.add(outcome);
        }
        counts.add(Outcome::Enrolled);
        assert_eq!(counts.total(), Outcome::ALL.len() + 1);
        assert!(counts.to_string().starts_with("22 rows: 2 enrolled, 1 would-enrol, 1 existing"), "{counts}");
        counts.earlier = 1;
        assert!(counts.to_string().starts_with("22 rows: 2 enrolled (1 of them by an earlier run), 1 wo"), "{counts}");
        counts.earlier = 2;
        assert!(counts.to_string().starts_with("22 rows: 2 enrolled (by an earlier run), 1 wo"), "{counts}");
        assert_eq!(Counts::default().to_string(), "0 rows");
    }

    #[test]
    fn an_earlier_run_is_mentioned_with_those_who_are_enrolled_alone() {
        let counts = |earlier| {
            let mut counts = Counts { earlier, ..Counts::default() };
            for outcome in [Outcome::Enrolled, Outcome::Existing, Outcome::Enrolled, Outcome::Kept] {
                counts.add(outcome);
            }
            counts.to_string()
        };
        assert_eq!(counts(0), "4 rows: 2 enrolled, 1 existing, 1 kept (link valid as far as is known)");
        let some =
            "4 rows: 2 enrolled (1 of them by an earlier run), 1 existing, 1 kept (link valid as far as is known)";
        assert_eq!(counts(1), some);
        let all = "4 rows: 2 enrolled (by an earlier run), 1 existing, 1 kept (link valid as far as is known)";
        assert_eq!(counts(2), all);
    }

    #[test]
    fn a_failed_request_ends_its_row_by_what_it_proves_and_the_run_where_no_other_row_would_fare_better() {
        type Why = fn(String) -> Stop;
        let cases: [(Error, Outcome, Option<Why>); 12] = [
            (rejected(404), Outcome::Gone, None),
            (rejected(401), Outcome::NotAttempted, Some(Stop::Key)),
            (rejected(403), Outcome::NotAttempted, Some(Stop::Forbidden)),
            (rejected(422), Outcome::Refused, None),
            (rejected(429), Outcome::NotAttempted, None),
            (never_sent(true), Outcome::NotAttempted, None),
            (lost(), Outcome::InDoubt, None),
            (rejected(503), Outcome::InDoubt, None),
            (foreign(), Outcome::InDoubt, None),
            (page(), Outcome::InDoubt, Some(Stop::Redirect)),
            (out_of_time(None), Outcome::NotAttempted, Some(Stop::OutOfTime)),
            (out_of_time(Some(lost())), Outcome::InDoubt, Some(Stop::OutOfTime)),
        ];
        for (error, outcome, stop) in cases {
            let failed = RowOutcome::failed(EntryId(7), &error);
            let ended = RowResult::new(outcome).with_entry(EntryId(7)).with_message(error.unredacted());
            assert_eq!((failed.ended, failed.why), (ended, error.redacted()), "{error}");
            assert_eq!(failed.stop, stop.map(|stop| stop(error.to_string())), "{error}");
        }
        assert!(matches!(RowOutcome::failed(EntryId(7), &rejected(302)).stop, Some(Stop::Redirect(_))));
    }
}
