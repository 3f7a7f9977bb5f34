//! Sends updates, and remembers what they wrote: what a lagging read shows is not sent along with the next one.

use std::cell::RefCell;
use std::time::Duration;

use crate::api::{Client, Error, Read};
use crate::journal::clock::{Moment, millis};
use crate::journal::written_fields::WrittenFields;
use crate::model::failure::Failure;
use crate::model::field_rules::filled;
use crate::model::projects::ProjectId;
use crate::model::testtakers::{EntryId, TestTaker, TestTakerUpdate};

/// What is said of a record that reads show as it was before this machine's last update of it.
pub const LATE_READ: &str =
    "the service still shows the record as it was before the last update: run the same command again";
/// How long reads may lag behind: the settle time where none is given.
const LAG: Duration = Duration::from_mins(5);
/// How long each new read is waited for.
const PAUSES: [u64; 4] = [1, 2, 4, 8];

/// Updates people of a project.
pub struct UpdateSender<'a> {
    pub client: &'a Client,
    pub project: ProjectId,
    pub written: &'a RefCell<WrittenFields>,
}

impl UpdateSender<'_> {
    /// The record once reads show what was written last into the fields that are sent along unnamed; `None` where they do not
    /// in a while.
    pub async fn up_to_date(&self, record: TestTaker, carried: [bool; 3]) -> Result<Option<TestTaker>, Failure> {
        let mut record = record;
        for pause in PAUSES {
            if self.is_up_to_date(&record, carried)? {
                return Ok(Some(record));
            }
            let Some(email) = filled(record.email.as_deref()) else { return Ok(None) };
            if !self.client.pause_write(Duration::from_secs(pause), "reads lag behind the last update").await {
                return Ok(None);
            }
            // A read that fails tells nothing new.
            let found = self.client.with_email(self.project, email).await.unwrap_or_default();
            let now = found.into_iter().map(|read| read.record).find(|now| now.id == record.id);
            record = now.unwrap_or(record);
        }
        Ok(Some(record.clone()).filter(|_| self.is_up_to_date(&record, carried).unwrap_or_default()))
    }

    fn is_up_to_date(&self, record: &TestTaker, carried: [bool; 3]) -> Result<bool, Failure> {
        self.written.borrow().are_shown(record, carried, (&Moment::now(), millis(LAG)))
    }

    /// Whether an entry that had this reference id may have it now: this machine gave it no other one a short time ago.
    pub fn may_have_reference_id(&self, entry: EntryId, id: &str) -> Result<bool, Failure> {
        self.written.borrow().may_have_reference_id(entry, id, (&Moment::now(), millis(LAG)))
    }

    /// Sends an update of a record as it was read. The outer error is the journal's: nothing was sent, or what was sent is not
    /// remembered.
    pub async fn send(
        &self,
        before: &TestTaker,
        update: &TestTakerUpdate,
    ) -> Result<Result<Read<TestTaker>, Error>, Failure> {
        let (entry, sent) = (before.entry_id(), Moment::now());
        let earlier = self.written.borrow_mut().begin(entry, update, sent)?;
        let answer = self.client.update(self.project, before, update).await;
        match &answer {
            Ok(read) => self.written.borrow_mut().stored(update, [before, &read.record], sent)?,
            Err(error) if error.had_no_effect() => self.written.borrow_mut().note(entry, earlier)?,
            Err(_) => {}
        }
        Ok(answer)
    }
}
