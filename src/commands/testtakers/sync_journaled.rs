//! What the journal knows of a project's people beside what its list shows: whose enrolment is not certain yet, and which
//! people the service spells otherwise than they were sent.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use crate::bulk::sync::person_keys::PersonKeys;
use crate::commands::shared::project_args::ProjectContext;
use crate::journal::clock::{Moment, millis};
use crate::journal::person_key::PersonKey;
use crate::journal::row_store::{KeyState, RowHasher, RowStore as _};
use crate::model::testtakers::{EntryId, TestTaker};

/// People of the journal.
pub struct Journaled {
    /// Keys of people whose enrolment was begun and may still take effect: after that the list, which is whole, tells who is
    /// there.
    pub doubtful: HashSet<PersonKey>,
    /// People that the service spells otherwise, by what was sent of them.
    pub sent: HashMap<EntryId, PersonKeys>,
    /// People who were enrolled a short time ago, so that the list may not show them yet; those who may have been have no
    /// entry.
    pub fresh: Vec<(Option<EntryId>, PersonKeys)>,
}

impl Journaled {
    /// Reads who they are. An enrolment is certain once the settle time is over.
    pub fn read(context: &ProjectContext<'_>, settle: Duration) -> anyhow::Result<Self> {
        let (journal, now, settle) = (context.rows()?, Moment::now(), millis(settle));
        let removing: HashSet<EntryId> = journal.removing()?.into_iter().collect();
        let mut journaled = Self { doubtful: HashSet::new(), sent: HashMap::new(), fresh: Vec::new() };
        for row in journal.unsettled(&now, settle)? {
            let keys = PersonKeys::of_journal(&row);
            match row.state {
                KeyState::Open { answered, .. } => {
                    if row.may_take_effect(&now, settle) {
                        journaled.doubtful.extend(keys.each());
                        // One that the service said to be done is in doubt for ever: after a while the list tells.
                        if !answered || row.since(&now) > now.wall.saturating_sub(settle) {
                            journaled.fresh.push((None, keys));
                        }
                    }
                }
                KeyState::Enrolled { entry, .. } => {
                    if row.respelt {
                        journaled.sent.insert(entry, keys);
                    }
                    if row.since(&now) > now.wall.saturating_sub(settle) && !removing.contains(&entry) {
                        journaled.fresh.push((Some(entry), keys));
                    }
                }
                KeyState::Free | KeyState::Refused => {}
            }
        }
        Ok(journaled)
    }

    /// By what rosters know a person of the list.
    pub fn keys_of(&self, hasher: &RowHasher, record: &TestTaker) -> PersonKeys {
        let listed = PersonKeys::of_record(hasher, record);
        self.sent.get(&record.entry_id()).map_or(listed, |sent| sent.listed_as(listed))
    }
}
