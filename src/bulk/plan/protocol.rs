//! What a plan takes and gives: settings, how rows stand, actions, events, progress.

use std::time::Duration;

use crate::bulk::answer::{Answer, Stop};
use crate::bulk::outcome::{RowOutcome, RowResult};
use crate::journal::rows::Fact;
use crate::model::testtakers::EntryId;

/// What the user decided.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Requests under way at a time; at least 1.
    pub concurrency: usize,
    /// How long a request may still take effect, or a read lag behind, after its answer was given up.
    pub settle: Duration,
    /// Only find out what would be done.
    pub dry_run: bool,
    /// Send nothing if somebody is enrolled already.
    pub fail_on_existing: bool,
    /// Send a row that was found absent again although it has no reference id.
    pub resend_in_doubt: bool,
    /// What to do once nothing but rows in doubt is left.
    pub at_end: AtEnd,
    /// Start of the random pauses.
    pub seed: u64,
}

/// What to do about rows in doubt once nothing else is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtEnd {
    /// Wait until it is known, or the settle time is over.
    Wait,
    /// Leave them to a later run.
    Leave,
}

/// How a row stands before anything is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowState {
    /// It needs nothing: invalid, existing, in conflict, gone, enrolled by an earlier run.
    Ended(RowResult),
    /// Enrolled by an earlier run, a short while ago, and not in the list: that may lag behind, so the audit tells.
    Unseen(RowResult),
    /// Nobody like it was found yet, because the list was not read: it is asked about.
    Unasked,
    /// Not enrolled.
    New,
    /// Enrolled with other values, which are to be changed.
    Differs(EntryId),
    /// An earlier attempt whose end nobody knows; its answer was given up then.
    Doubt {
        /// When the answer was given up.
        since: Duration,
    },
    /// Another row of the journal that is no row of this roster is in doubt, and shares the e-mail or reference id.
    Held {
        /// When the other one's answer was given up.
        since: Duration,
        /// Whether it is the reference id, so that an exact look-up tells.
        by_reference: bool,
    },
}

/// What is to be done next. Rows are counted from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Ask whether the service holds the row.
    Ask(usize),
    /// Make the intents of these rows durable, in one piece, with all that was to be remembered before.
    Journal(Vec<usize>),
    /// Send the row: one attempt. Its intent is durable.
    Send(usize),
    /// Look whether a row in doubt is there by now.
    Look(usize),
    /// Read an enrolled row back: whether its id is the entry id, and how fresh reads are.
    ReadBack(usize),
    /// Change the values of an enrolled row.
    Update(usize),
    /// Remember something; losing it costs one look-up.
    Note(usize, Fact),
    /// The other row, which held this one up, was found absent.
    Release(usize),
    /// Read the list once more, and hold it against what was enrolled.
    Audit,
}

/// What happened.
#[derive(Clone, Debug)]
pub enum Event {
    /// Time went by.
    Tick,
    /// A row was asked about.
    Asked(usize, RowState),
    /// The intents are durable, but for those of rows that another process has claimed meanwhile.
    Journaled(Vec<(usize, RowState)>),
    /// The intents could not be written.
    JournalFailed(String),
    /// A row was sent.
    Answered(usize, Answer),
    /// A row in doubt was looked up, or an enrolled one read back: the entries that may be it and were not there before.
    Looked(usize, Vec<EntryId>),
    /// The values of an enrolled row were changed, or not.
    Updated(usize, RowOutcome),
    /// A read failed after all its attempts.
    ReadFailed(usize, Option<Stop>, String),
    /// The list was read once more: enrolled rows that it does not have, and rows that stand there more than once.
    Audited {
        /// Enrolled rows whose entry is not there.
        missing: Vec<usize>,
        /// Rows with the further entries that appeared for them.
        twice: Vec<(usize, Vec<EntryId>)>,
    },
    /// The list could not be read once more.
    AuditFailed(String),
    /// The deadline has passed.
    OutOfTime,
    /// The user wants to stop.
    Interrupted {
        /// SIGTERM instead of SIGINT.
        terminated: bool,
    },
}

/// What goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// So many records of the project were read.
    Reading(usize),
    /// So many rows were asked about, of so many.
    Asking(usize, usize),
    /// So many rows have ended, of so many.
    Sending(usize, usize),
    /// So many rows are in doubt and looked up; nothing else is left to do.
    Settling(usize),
    /// The list is held against what was enrolled.
    Auditing,
}
