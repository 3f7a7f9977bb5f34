//! What a plan takes and gives: settings, how rows stand, actions, events, progress.

use std::time::Duration;

use crate::bulk::answer_evidence::Answer;
use crate::bulk::early_stop::Stop;
use crate::bulk::on_existing::OnExisting;
use crate::bulk::outcome::{RowOutcome, RowResult};
use crate::journal::row_store::Fact;
use crate::model::failure::Failure;
use crate::model::testtakers::EntryId;

/// What the user decided.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlanSettings {
    /// Requests under way at a time; at least 1.
    pub concurrency: usize,
    /// How long a request may still take effect, or a read lag behind, after its answer was given up.
    pub settle: Duration,
    /// Only find out what would be done.
    pub dry_run: bool,
    /// Whether people who are enrolled already stop the run.
    pub on_existing: OnExisting,
    /// Send a row that was found absent again although it has no reference id.
    pub resend_in_doubt: bool,
    /// What to do once nothing but rows in doubt is left.
    pub at_end: AtEnd,
    /// Look for what the list does not show yet until the settle time is over.
    pub wait_for_list: bool,
    /// Start of the random pauses.
    pub seed: u64,
}

/// What to do about rows in doubt once nothing else is left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AtEnd {
    /// Wait until it is known, or the settle time is over.
    #[default]
    Wait,
    /// Leave them to a later run.
    Leave,
}

/// How a row stands before anything is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowState {
    /// It needs nothing: invalid, existing, in conflict, gone, enrolled by an earlier run.
    Ended(RowResult),
    /// Enrolled a short while ago, and not in the list: that may lag behind, so it is looked for until the settle time is
    /// over.
    Unseen {
        /// Enrolled, by an earlier run.
        result: RowResult,
        /// When.
        since: Duration,
    },
    /// Enrolled longer ago than the settle time, and not in what was read: looked up exactly once more.
    Missing {
        /// Enrolled, by an earlier run.
        result: RowResult,
        /// Send the row anew if it is not found.
        again: bool,
    },
    /// No record like it was found yet, because the list was not read: it is asked about.
    Unasked {
        /// By the journal it is in doubt, and stays so if it cannot be asked about.
        in_doubt: bool,
    },
    /// Not enrolled.
    New,
    /// Enrolled with other values, which are to be changed.
    Differs(EntryId),
    /// An earlier attempt whose end is not known; its answer was given up then.
    Doubt {
        /// When the answer was given up.
        since: Duration,
        /// The service answered 2xx, and did not say as which entry: the row is not sent again.
        answered: bool,
    },
    /// An entry that may be the row's was removed from here a short time ago, and is shown: the row is not enrolled beside it
    /// before that is old news.
    StillShown {
        entry: EntryId,
        /// How long it may take until lists show it no more.
        left: Duration,
    },
    /// Another row of the journal, which is no row of this roster, is in doubt or was enrolled a short while ago, and shares
    /// the e-mail or reference id.
    Held {
        /// When the other one's answer was given up, or came.
        since: Duration,
        /// The other one was answered 2xx, and it is not known as which entry: it is there, whatever look-ups find.
        answered: bool,
    },
}

/// What is to be done next. Rows are counted from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Ask whether the service holds the row.
    Ask(usize),
    /// Say how the rows stand that were asked about, by [`Plan::start`](super::Plan::start).
    Compare,
    /// Make the intents of these rows durable, in one piece, with all that was to be remembered before.
    Journal(Vec<usize>),
    /// Send the row: one attempt. Its intent is durable.
    Send(usize),
    /// Look whether a row in doubt is there by now.
    Look {
        row: usize,
        /// By its e-mail too where it has a reference id: the service may have stored that otherwise.
        closely: bool,
    },
    /// Read an enrolled row back: whether its id is the entry id, and how fresh reads are.
    ReadBack(usize),
    /// Change the values of an enrolled row.
    Update(usize),
    /// Remember something; losing it costs one look-up.
    Note(usize, Fact),
    /// The other row, which held this one up, was found absent.
    Release(usize),
    /// Read the list once more, and hold it against what was enrolled. `whole`: nothing less than the list will do.
    Audit {
        /// Each row alone can't be looked up.
        whole: bool,
    },
}

/// What a look-up found that was not there before and is no other row's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundEntries {
    /// The entries that are the row's.
    pub ours: Vec<EntryId>,
    /// An entry that may be the row, stored otherwise than sent.
    pub perhaps: Option<EntryId>,
}

/// What happened.
#[derive(Clone, Debug)]
pub enum Event {
    /// Time went by.
    Tick,
    /// A row was asked about.
    Asked(usize),
    /// All rows that were asked about have their place.
    Compared,
    /// What a row that was held up waited for was found: how it stands now.
    Freed(usize, RowState),
    /// The intents are durable, but for those of rows that another process has claimed meanwhile.
    Journaled(Vec<(usize, RowState)>),
    /// The intents could not be written.
    JournalFailed(Failure),
    /// A row was sent.
    Answered(usize, Answer),
    /// A row in doubt was looked up, or an enrolled one read back.
    Looked(usize, FoundEntries),
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
        /// How many requests the list takes, about; `None` where each row was looked up.
        pages: Option<usize>,
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
    /// So many rows are in doubt or not in the list yet, and looked up; nothing else is left to do.
    Settling(usize),
    /// The list is held against what was enrolled.
    Auditing,
}
