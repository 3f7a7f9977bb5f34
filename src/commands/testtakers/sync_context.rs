//! What the steps of a sync work with: what the user decided, and what this machine remembers.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::rc::Rc;
use std::time::Duration;

use crate::api::Client;
use crate::bulk::roster::Roster;
use crate::bulk::sync::absent::Leavers;
use crate::bulk::sync::limits::{FileLimits, LeaverLimit};
use crate::commands::shared::project_args::ProjectContext;
use crate::commands::shared::session::Session;
use crate::commands::testtakers::enrol_run::DoubtArgs;
use crate::commands::testtakers::sync_keep_file::KeepFile;
use crate::journal::person_key::{PersonKey, person_key};
use crate::journal::removals::Removals;
use crate::journal::synced_rosters::SyncJournal;
use crate::model::projects::ProjectId;
use crate::model::text_digest::TextDigest;

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

/// A project's part of a sync: all rows of the file where no column names the projects.
pub struct SyncPart<'a> {
    pub context: ProjectContext<'a>,
    /// The project's name, or its id where it was named by that.
    pub name: String,
    pub roster: Roster,
    pub removals: RefCell<Removals>,
}

impl<'a> SyncPart<'a> {
    pub fn new(context: ProjectContext<'a>, name: String, roster: Roster) -> anyhow::Result<Self> {
        Ok(Self { removals: context.removals()?, context, name, roster })
    }
}

/// A sync of a file.
pub struct SyncContext<'a> {
    pub session: &'a Session,
    pub client: Rc<Client>,
    /// In the order of the projects' ids.
    pub parts: Vec<SyncPart<'a>>,
    /// Rows that were left out because they name no project.
    pub unplaced: Option<Roster>,
    pub rules: &'a SyncRules,
    pub journal: SyncJournal,
}

impl SyncContext<'_> {
    /// The keyed hash of what the rows of all projects say, whatever the file's encoding and separators are: the same file
    /// again counts no absence.
    pub fn roster_key(&self) -> PersonKey {
        let mut digest = TextDigest::new();
        for SyncPart { context, roster, .. } in &self.parts {
            digest.add(&context.project.to_string());
            for row in 0..roster.row_count() {
                for value in roster.values(row) {
                    digest.add(value.unwrap_or_default());
                }
            }
        }
        person_key(&self.journal.hash("roster", &[&hex(digest.finish().as_ref())]))
    }

    /// How many rows the file has.
    pub fn row_count(&self) -> usize {
        self.parts.iter().map(|part| &part.roster).chain(&self.unplaced).map(Roster::row_count).sum()
    }

    /// The projects, in the order of their ids.
    pub fn projects(&self) -> Vec<ProjectId> {
        self.parts.iter().map(|part| part.context.project).collect()
    }

    /// What a message is about: the project, where the file is about several.
    pub fn about(&self, part: &SyncPart<'_>) -> String {
        if self.rules.has_project_column { format!("{}: ", part.name) } else { String::new() }
    }
}

/// What is remembered of syncs at the service of this run.
pub fn sync_journal(session: &Session) -> anyhow::Result<SyncJournal> {
    let store = session.journal()?.patient();
    Ok(SyncJournal::open(store, &session.service_name()?))
}

/// Bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut digits, byte| {
        // A text takes whatever is written.
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}
