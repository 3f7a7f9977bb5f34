//! What the steps of a sync work with: what the user decided, and what this machine remembers.

use std::cell::RefCell;
use std::time::Duration;

use crate::api::Client;
use crate::bulk::roster::Roster;
use crate::bulk::sync::absent::Leavers;
use crate::bulk::sync::limits::{FileLimits, LeaverLimit};
use crate::commands::shared::session::Session;
use crate::commands::testtakers::enrol_run::DoubtArgs;
use crate::commands::testtakers::remove::removals;
use crate::commands::testtakers::sync_keep::KeepFile;
use crate::journal::removals::Removals;
use crate::journal::store::Store;
use crate::journal::synced::SyncJournal;
use crate::model::projects::ProjectId;

/// What the user decided.
pub struct SyncRules {
    /// The name of the HR source.
    pub source: String,
    /// Who may be removed for not being in the file.
    pub leavers: Leavers,
    /// From how many rosters in a row a leaver is missing.
    pub absent_for: u8,
    /// How long after the last one that counted a roster counts.
    pub roster_interval: Duration,
    /// The limit of the leavers.
    pub max_leavers: LeaverLimit,
    /// The limits of the file.
    pub file: FileLimits,
    /// Who is never removed.
    pub keep: KeepFile,
    /// Rows with mistakes were left out: the file does not say who left.
    pub skips_rows: bool,
    /// What to do about lost answers.
    pub doubt: DoubtArgs,
}

/// A sync of one project.
pub struct SyncContext<'a> {
    pub session: &'a Session,
    pub client: &'a Client,
    pub project: ProjectId,
    /// The project's name, or its id where it was named by that.
    pub name: String,
    pub roster: &'a Roster,
    pub rules: &'a SyncRules,
    pub journal: SyncJournal,
    pub removals: RefCell<Removals>,
}

impl<'a> SyncContext<'a> {
    /// Opens what is remembered; nothing is asked yet.
    pub fn begin(
        session: &'a Session,
        client: &'a Client,
        (project, name): (ProjectId, String),
        (roster, rules): (&'a Roster, &'a SyncRules),
    ) -> anyhow::Result<Self> {
        let journal = sync_journal(session)?;
        let removals = removals(session, project)?;
        Ok(Self { session, client, project, name, roster, rules, journal, removals })
    }
}

/// What is remembered of syncs at the service of this run.
pub fn sync_journal(session: &Session) -> anyhow::Result<SyncJournal> {
    let store = Store::open(&session.settings.state_dir()?)?;
    Ok(SyncJournal::open(store, &session.service_name()?))
}
