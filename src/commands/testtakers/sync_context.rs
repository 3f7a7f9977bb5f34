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
use crate::commands::testtakers::sync_keep_file::KeepFile;
use crate::journal::removals::Removals;
use crate::journal::synced_rosters::SyncJournal;
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
    pub max_leavers: LeaverLimit,
    pub file: FileLimits,
    /// Who is never removed.
    pub keep: KeepFile,
    /// Rows with mistakes were left out: the file does not say who left.
    pub skips_rows: bool,
    /// People with another e-mail are enrolled anew, and then lose the old entry.
    pub replaces_renamed: bool,
    /// The file has a column that names the project of each row.
    pub has_project_column: bool,
    /// What to do about lost answers.
    pub doubt: DoubtArgs,
}

/// The rows of a file that are about one project; all of them where no column names the projects.
pub struct ProjectRows {
    pub project: ProjectId,
    /// The project's name, or its id where it was named by that.
    pub name: String,
    pub roster: Roster,
}

/// A project's part of a sync.
pub struct SyncPart {
    pub project: ProjectId,
    /// The project's name, or its id where it was named by that.
    pub name: String,
    pub roster: Roster,
    pub removals: RefCell<Removals>,
}

/// A sync of a file.
pub struct SyncContext<'a> {
    pub session: &'a Session,
    pub client: &'a Client,
    /// In the order of the projects' ids.
    pub parts: Vec<SyncPart>,
    /// Rows that were left out because they name no project.
    pub unplaced: Option<Roster>,
    pub rules: &'a SyncRules,
    pub journal: SyncJournal,
}

impl<'a> SyncContext<'a> {
    /// Opens what is remembered; nothing is asked yet.
    pub fn begin(
        session: &'a Session,
        client: &'a Client,
        (parts, unplaced): (Vec<ProjectRows>, Option<Roster>),
        rules: &'a SyncRules,
    ) -> anyhow::Result<Self> {
        let journal = sync_journal(session)?;
        let parts = parts.into_iter().map(|ProjectRows { project, name, roster }| {
            Ok(SyncPart { project, name, roster, removals: removals(session, project)? })
        });
        let parts = parts.collect::<anyhow::Result<Vec<SyncPart>>>()?;
        Ok(Self { session, client, parts, unplaced, rules, journal })
    }

    /// How many rows the file has.
    pub fn row_count(&self) -> usize {
        self.parts.iter().map(|part| &part.roster).chain(&self.unplaced).map(Roster::row_count).sum()
    }

    /// The projects, in the order of their ids.
    pub fn projects(&self) -> Vec<ProjectId> {
        self.parts.iter().map(|part| part.project).collect()
    }

    /// What a message is about: the project, where the file is about several.
    pub fn about(&self, part: &SyncPart) -> String {
        if self.rules.has_project_column { format!("{}: ", part.name) } else { String::new() }
    }
}

/// What is remembered of syncs at the service of this run.
pub fn sync_journal(session: &Session) -> anyhow::Result<SyncJournal> {
    let store = session.journal()?.patient();
    Ok(SyncJournal::open(store, &session.service_name()?))
}
