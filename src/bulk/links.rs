//! Links in bulk: a new one for everybody whose link does not live, each handed out before the journal says so.

use std::cell::RefCell;

use jiff::{SignedDuration, Timestamp};

use crate::api::Client;
use crate::journal::links::{Links, TestProgress};
use crate::model::cell::Cell;
use crate::model::links::{LinkRequest, TestLink};
use crate::model::projects::ProjectId;
use crate::model::testtakers::{EntryId, TestTaker};
use crate::model::time::parse_service_time;
use crate::model::verdict::Failure;

use super::issue;
use super::outcome::{Outcome, RowOutcome, RowResult};

/// How long a link lives where the answer does not say (specification, Test link rules).
const LIFETIME: SignedDuration = SignedDuration::from_hours(24);

/// The fields of a link that is handed out.
pub const FIELDS: &[&str] = &["projectEntryId", "referenceId", "url", "expiresAtUtc"];

/// Why a link cannot be put into words for its request: the person's reference id breaks today's rules.
const UNSENDABLE: &str = "the reference id cannot be put into a link";

/// Until when a link works: what the answer says, else a day.
pub fn until(link: &TestLink, issued: Timestamp) -> Timestamp {
    let told = link.expires_at_utc.as_deref().and_then(parse_service_time);
    told.or_else(|| issued.checked_add(LIFETIME).ok()).unwrap_or(issued)
}

/// What a run of links goes by.
pub struct Issuing<'a, W> {
    /// The connection.
    pub client: &'a Client,
    /// Whose people.
    pub project: ProjectId,
    /// What is known of earlier links.
    pub links: RefCell<Links>,
    /// Hands a link out, its cells in the order of [`FIELDS`]; safe when this returns.
    pub write: RefCell<W>,
    /// Where the browser goes afterwards.
    pub redirect_uri: Option<String>,
    /// Put each person's own reference id into the link.
    pub own_reference_id: bool,
    /// Issue for those whose link lives too.
    pub rotate: bool,
}

impl<W: FnMut(&[Cell<'_>]) -> Result<(), String>> Issuing<'_, W> {
    /// How a person's row stands before anything is sent: ended where the link lives, or no request can be made.
    pub fn standing(&self, person: &TestTaker, dry_run: bool) -> Result<Option<RowResult>, Failure> {
        let at = |outcome| RowResult::new(outcome).with_entry(person.entry_id());
        if self.request(person).is_none() {
            return Ok(Some(at(Outcome::Conflict).with_message(UNSENDABLE)));
        }
        let now = self.client.service_time(Timestamp::now());
        let valid = if self.rotate { None } else { self.links.borrow().valid_until(person, now)? };
        if let Some(until) = valid {
            let until = until.strftime("%Y-%m-%dT%H:%M:%SZ");
            return Ok(Some(at(Outcome::Kept).with_message(format!("its link works until {until}"))));
        }
        Ok(dry_run.then(|| at(Outcome::WouldIssue)))
    }

    fn request(&self, person: &TestTaker) -> Option<LinkRequest> {
        let own = person.reference_id.as_deref().filter(|id| self.own_reference_id && !id.is_empty());
        let reference_id = own.map(str::parse).transpose().ok()?;
        Some(LinkRequest { redirect_uri: self.redirect_uri.clone(), reference_id })
    }

    /// Issues a link for one person: the journal forgets the link before, one is issued, it is handed out, and then the
    /// journal says so. Wherever this ends, the next run issues a link that did not arrive.
    pub async fn issue(&self, person: &TestTaker) -> RowOutcome {
        let entry = person.entry_id();
        let ended = |outcome| RowResult::new(outcome).with_entry(entry);
        let Some(request) = self.request(person) else {
            return RowOutcome::ended(ended(Outcome::Conflict).with_message(UNSENDABLE));
        };
        if let Err(failure) = self.links.borrow_mut().about_to_issue(entry) {
            return RowOutcome::unremembered(ended(Outcome::NotAttempted), failure.cause);
        }
        let asked = Timestamp::now();
        let link = match issue::link(self.client, self.project, entry, &request).await {
            Ok(link) => link,
            Err(error) => return RowOutcome::failed(entry, &error),
        };
        let cells: [Cell<'_>; FIELDS.len()] = [
            entry.into(),
            person.reference_id.as_deref().into(),
            link.url.expose().into(),
            link.expires_at_utc.as_deref().into(),
        ];
        if let Err(words) = (self.write.borrow_mut())(&cells) {
            // Nobody has this link, and it voided the one before.
            return RowOutcome::unremembered(ended(Outcome::InDoubt), words);
        }
        match self.note(entry, asked, &link, person) {
            Ok(()) => RowOutcome::ended(ended(Outcome::Issued)),
            Err(failure) => RowOutcome::unremembered(ended(Outcome::Issued), failure.cause),
        }
    }

    fn note(&self, entry: EntryId, asked: Timestamp, link: &TestLink, person: &TestTaker) -> Result<(), Failure> {
        let at = self.client.service_time(asked);
        self.links.borrow_mut().issued(entry, at, until(link, at), Some(&TestProgress::of(person)))
    }
}
