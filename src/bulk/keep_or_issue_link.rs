//! Issuing links: a new one for each person whose link is not valid, handed out before the journal says so.

use std::cell::{Cell as Counter, RefCell};
use std::collections::HashSet;
use std::fmt;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio::sync::OnceCell;

use crate::api::{Client, Error};
use crate::journal::issued_links::{IssuedLink, LinkState, Links};
use crate::model::cell::Cell;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::field_rules::ReferenceId;
use crate::model::projects::ProjectId;
use crate::model::secret::Secret;
use crate::model::test_links::{LinkField, LinkRequest, TestLink};
use crate::model::testtakers::{EntryId, TestTaker};
use crate::model::time::{parse_service_time, utc};

use super::early_stop::Stop;
use super::link_attempts;
use super::link_owners::LinkOwners;
use super::links_file::{FIELDS, FiledLink, FiledLinks};
use super::outcome::{Outcome, RowOutcome, RowResult};

/// How long a link is valid where the answer does not say (specification, Test link rules).
const LIFETIME: SignedDuration = SignedDuration::from_hours(24);

/// Why a link cannot be put into words for its request: the person's reference id breaks today's rules.
const UNSENDABLE: &str = "the reference id cannot be put into a link";

/// Why a link waits, or is not issued.
const STILL_OPEN: &str = "a link of an earlier run may still be under way";

/// The header of a file of links.
pub fn fields(extra: &[LinkField]) -> Vec<String> {
    FIELDS.into_iter().chain(extra.iter().map(|field| field.name())).map(str::to_owned).collect()
}

/// What is asked of every link of a run.
#[derive(Clone, Debug, Default)]
pub struct LinkOptions {
    /// Where the browser goes afterwards.
    pub redirect_uri: Option<String>,
    /// Put each person's own reference id into the link.
    pub own_reference_id: bool,
    /// The reference id of the only person's link.
    pub reference_id: Option<ReferenceId>,
    /// Issue for people whose link is valid too.
    pub rotate: bool,
    /// Further fields of each person.
    pub extra: Vec<LinkField>,
    /// How long a request that a run before this one did not see answered may still take effect.
    pub late: Duration,
}

/// A person to issue a link for.
#[derive(Clone, Debug)]
pub struct Recipient {
    /// The person's record.
    pub person: TestTaker,
    /// Whether the record was read from the service; of a bare entry id nothing but that is known.
    pub is_read: bool,
}

/// What a run found about links that it did not issue, or voided: in people.
#[derive(Debug, Default)]
pub struct LinkRemarks {
    /// Their valid link does not stand in the file.
    pub not_in_file: Counter<usize>,
    /// Their valid link leads to another redirect URI.
    pub other_redirect: Counter<usize>,
    /// The file has a link that this machine does not know.
    pub not_ours: Counter<usize>,
    /// A valid link was replaced.
    pub replaced: Counter<usize>,
    /// A link had expired when it came.
    pub expired: Counter<usize>,
}

fn count(people: &Counter<usize>) {
    people.set(people.get() + 1);
}

/// Why a person got no link, or one that is not remembered.
#[derive(Debug)]
pub enum NotIssued {
    /// Nothing was sent.
    Unsent(Outcome, &'static str),
    /// Something could not be written down, or not where the link belongs: the row has ended so, and nothing more is done.
    Unremembered(Outcome, Failure),
    /// No link came.
    Unanswered(Error),
    /// A link came that is another person's, or of another request; this says why. It was not handed out.
    NotTheirs(String),
}

impl NotIssued {
    /// How the row of this entry ended, and whether the run can go on.
    pub fn row(&self, entry: EntryId) -> RowOutcome {
        match self {
            Self::Unsent(outcome, words) => RowOutcome::ended(ended(*outcome, entry).with_message(*words)),
            Self::Unremembered(outcome, failure) => RowOutcome::unremembered(ended(*outcome, entry), failure),
            Self::Unanswered(error) => RowOutcome::failed(entry, error),
            Self::NotTheirs(words) => {
                let ended = ended(Outcome::InDoubt, entry).with_message(format!("{words}; the link before is void"));
                RowOutcome { stop: Some(Stop::Redirect(words.clone())), ..RowOutcome::ended(ended) }
            }
        }
    }
}

impl fmt::Display for NotIssued {
    /// Without words of the service that may name a person.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsent(_, words) => f.write_str(words),
            Self::Unremembered(_, failure) => f.write_str(&failure.cause),
            Self::Unanswered(error) => write!(f, "{error}"),
            Self::NotTheirs(words) => f.write_str(words),
        }
    }
}

fn ended(outcome: Outcome, entry: EntryId) -> RowResult {
    RowResult::new(outcome).with_entry(entry)
}

/// The intent could not be written down: nothing was sent.
fn not_noted(failure: Failure) -> NotIssued {
    NotIssued::Unremembered(Outcome::NotAttempted, failure)
}

/// A link that is to be remembered once it was shown.
struct Collected {
    recipient: Recipient,
    url: Secret,
    asked: Timestamp,
    until: Timestamp,
}

/// What a run of links goes by.
pub struct Issuing<'a, W> {
    /// The connection.
    client: &'a Client,
    /// Whose people.
    project: ProjectId,
    /// What is known of earlier links.
    links: RefCell<Links>,
    /// The links of the file that is continued; `None` where links go elsewhere.
    filed: Option<RefCell<FiledLinks>>,
    /// Whose link is whose, those of this run too.
    owners: RefCell<LinkOwners>,
    /// Hands a link out, its cells in the order of [`fields`]; safe when this returns.
    write: RefCell<W>,
    /// What is asked of every link.
    options: LinkOptions,
    /// Links that [`Self::write`] took to show them at the end, where that is how they are handed out.
    collected: Option<RefCell<Vec<Collected>>>,
    /// The wait for what earlier runs may still have under way, once for all; `false` where the run ended meanwhile.
    late_ones: OnceCell<bool>,
    /// Whose links came and were written.
    pub issued: RefCell<HashSet<EntryId>>,
    /// What to say at the end.
    pub remarks: LinkRemarks,
}

impl<'a, W: FnMut(&[Cell<'_>]) -> Result<(), String>> Issuing<'a, W> {
    /// Before the first link.
    pub fn new(
        (client, project): (&'a Client, ProjectId),
        (links, filed): (Links, Option<FiledLinks>),
        write: W,
        options: LinkOptions,
    ) -> Result<Self, Failure> {
        let owners = RefCell::new(LinkOwners::known(&links, filed.as_ref())?);
        let (links, filed, write) = (RefCell::new(links), filed.map(RefCell::new), RefCell::new(write));
        let (issued, remarks) = (RefCell::default(), LinkRemarks::default());
        let late_ones = OnceCell::new();
        let collected = None;
        Ok(Self { client, project, links, filed, owners, write, options, collected, late_ones, issued, remarks })
    }

    /// Where links are handed out all at once, at the end: until [`Self::all_were_shown`] no person has one.
    #[must_use]
    pub fn showing_at_the_end(self) -> Self {
        Self { collected: Some(RefCell::default()), ..self }
    }

    /// Remembers the links that were collected, once all of them were shown.
    pub fn all_were_shown(&self) -> Result<(), Failure> {
        let Some(collected) = &self.collected else { return Ok(()) };
        for link in collected.take() {
            self.remember(&link.recipient, link.url.expose(), link.asked, link.until)?;
        }
        Ok(())
    }

    /// How a person's row stands before anything is sent: ended where the link is valid, or no request can be made.
    pub fn standing(&self, recipient: &Recipient, dry_run: bool) -> Result<Option<RowResult>, Failure> {
        let person = &recipient.person;
        let entry = person.entry_id();
        if self.request(person).is_none() {
            return Ok(Some(ended(Outcome::Conflict, entry).with_message(UNSENDABLE)));
        }
        let kept = if self.options.rotate { None } else { self.kept(recipient)? };
        if let Some(message) = kept {
            return Ok(Some(ended(Outcome::Kept, entry).with_message(message)));
        }
        Ok(dry_run.then(|| ended(Outcome::WouldIssue, entry)))
    }

    /// Why a person keeps a link; `None` where a new one is to be issued.
    fn kept(&self, recipient: &Recipient) -> Result<Option<String>, Failure> {
        let (person, entry) = (&recipient.person, recipient.person.entry_id());
        let now = self.client.service_time(Timestamp::now());
        let filed = self.filed.as_ref().and_then(|filed| filed.borrow().of(entry).cloned());
        let state = self.links.borrow().state(person, now)?;
        let hash = |link: &FiledLink| self.links.borrow().hash_of(link.url.expose());
        Ok(match (state, filed) {
            (LinkState::Valid { until, link, redirect }, filed) => {
                let wanted = self.links.borrow().redirect_hash_of(self.options.redirect_uri.as_deref());
                let is_filed = filed.as_ref().is_some_and(|filed| link.is_none_or(|link| link == hash(filed)));
                if self.filed.is_some() && !is_filed {
                    count(&self.remarks.not_in_file);
                    Some(format!("{}, and is not in this file (--rotate issues another)", works_until(until)))
                } else if redirect.is_some_and(|redirect| redirect != wanted) {
                    count(&self.remarks.other_redirect);
                    Some(format!("{}, with another redirect URI (--rotate issues another)", works_until(until)))
                } else {
                    Some(works_until(until))
                }
            }
            // Not issued from here as far as is known: it says itself whose it is. An intent of ours vouches for it more than
            // a reference id, which an update may have changed since.
            (LinkState::Unknown, Some(link)) if link.is_of_another(person) => None,
            (LinkState::Interrupted { .. }, Some(link)) if link.has_another_email(person) == Some(true) => None,
            (LinkState::Interrupted { before }, Some(link)) if before != Some(hash(&link)) => {
                // A run that was killed handed this one out and could not say so.
                let until = link.until.or_else(|| now.checked_add(LIFETIME).ok()).unwrap_or(now);
                self.remember(recipient, link.url.expose(), now, until)?;
                (until > now).then(|| works_until(until))
            }
            (LinkState::Spent | LinkState::Interrupted { .. }, _) => None,
            (LinkState::Unknown, filed) => {
                filed.and_then(|link| link.until).filter(|until| *until > now).map(|until| {
                    count(&self.remarks.not_ours);
                    format!(
                        "{} by the file, and was not issued from here (--rotate issues another)",
                        works_until(until)
                    )
                })
            }
        })
    }

    fn request(&self, person: &TestTaker) -> Option<LinkRequest> {
        let options = &self.options;
        let own = person.reference_id.as_deref().filter(|id| options.own_reference_id && !id.is_empty());
        let own = own.map(str::parse).transpose().ok()?;
        Some(LinkRequest {
            redirect_uri: options.redirect_uri.clone(),
            reference_id: own.or(options.reference_id.clone()),
        })
    }

    /// Issues a link for one person: the journal is told of the intent, a link is issued, it is handed out, and then the
    /// journal says so. Wherever this ends, the next run finds in the file what was handed out, and issues a link that
    /// did not arrive. A late request of an earlier run would void the new link, so that one gets its time first. The answer
    /// is what to say of the link.
    pub async fn issue(&self, recipient: &Recipient) -> Result<Option<String>, NotIssued> {
        let entry = recipient.person.entry_id();
        let unsendable = NotIssued::Unsent(Outcome::Conflict, UNSENDABLE);
        let request = self.request(&recipient.person).ok_or(unsendable)?;
        let (was_valid, is_open) = self.intend(recipient).map_err(not_noted)?;
        if is_open && !self.late_ones_had_their_time().await {
            return Err(NotIssued::Unsent(Outcome::InDoubt, STILL_OPEN));
        }
        let asked = Timestamp::now();
        let link = match link_attempts::link(self.client, self.project, &recipient.person, &request).await {
            Ok(link) => link,
            Err(error) => {
                if !is_open && error.class().is_without_effect() {
                    self.links.borrow_mut().was_refused(entry).map_err(not_noted)?;
                }
                return Err(NotIssued::Unanswered(error));
            }
        };
        self.check(entry, &request, link.url.expose()).map_err(NotIssued::NotTheirs)?;
        // Not handed out: no one has this link, and it voided the one before.
        let handed_out = self.hand_out(recipient, &request, &link);
        handed_out
            .map_err(|words| NotIssued::Unremembered(Outcome::InDoubt, Failure::new(Verdict::Unforeseen, words)))?;
        if was_valid {
            count(&self.remarks.replaced);
        }
        self.issued.borrow_mut().insert(entry);
        let asked = self.client.service_time(asked);
        let until = until(&link, asked);
        let expired = self.expired(until);
        if let Some(collected) = &self.collected {
            collected.borrow_mut().push(Collected { recipient: recipient.clone(), url: link.url, asked, until });
            return Ok(expired);
        }
        let remembered = self.remember(recipient, link.url.expose(), asked, until);
        remembered.map_err(|failure| NotIssued::Unremembered(Outcome::Issued, failure))?;
        Ok(expired)
    }

    /// Why a link is visibly another person's, or of another request, and not handed out. Else it is this person's from
    /// now on.
    fn check(&self, entry: EntryId, request: &LinkRequest, url: &str) -> Result<(), String> {
        const ANSWERED: &str = "the service answered with a link that is not handed out";
        if let Some(parameter) = request.contradicted_by(url) {
            return Err(format!("{ANSWERED}: it has another {parameter} than was sent"));
        }
        let claimed = self.owners.borrow_mut().claim(self.links.borrow().hash_of(url), entry);
        claimed.map_err(|owner| format!("{ANSWERED}: it is that of entry {owner}"))
    }

    /// Notes that a link had expired when it came, by the service's clock: it is handed out, because the clock may be wrong.
    fn expired(&self, until: Timestamp) -> Option<String> {
        let is_over = until <= self.client.service_time(Timestamp::now());
        is_over.then(|| {
            count(&self.remarks.expired);
            format!("expired already at {} by the service's clock", utc(until))
        })
    }

    async fn late_ones_had_their_time(&self) -> bool {
        *self.late_ones.get_or_init(|| self.client.pause_write(self.options.late, STILL_OPEN)).await
    }

    /// Notes that a link is about to be issued; whether that voids a valid one, and whether an earlier intent is open.
    fn intend(&self, recipient: &Recipient) -> Result<(bool, bool), Failure> {
        let entry = recipient.person.entry_id();
        let before = self.filed.as_ref().and_then(|filed| filed.borrow().of(entry).cloned());
        let mut links = self.links.borrow_mut();
        let state = links.state(&recipient.person, self.client.service_time(Timestamp::now()))?;
        let is_open = links.about_to_issue(entry, before.as_ref().map(|link| link.url.expose()))?;
        Ok((matches!(state, LinkState::Valid { .. }), is_open))
    }

    fn hand_out(&self, recipient: &Recipient, request: &LinkRequest, link: &TestLink) -> Result<(), String> {
        let (person, entry) = (&recipient.person, recipient.person.entry_id());
        let sent = request.reference_id.as_ref().map(ReferenceId::as_str);
        let mut cells: Vec<Cell<'_>> = vec![
            entry.into(),
            person.reference_id.as_deref().or(sent).into(),
            link.url.expose().into(),
            link.expires_at_utc.as_deref().into(),
        ];
        cells.extend(self.options.extra.iter().map(|field| Cell::from(field.of(person))));
        (self.write.borrow_mut())(&cells)?;
        if let Some(filed) = &self.filed {
            let until = link.expires_at_utc.as_deref().and_then(parse_service_time);
            filed.borrow_mut().add(entry, FiledLink::of(person, link.url.clone(), until));
        }
        Ok(())
    }

    fn remember(&self, recipient: &Recipient, url: &str, at: Timestamp, until: Timestamp) -> Result<(), Failure> {
        let person = recipient.is_read.then_some(&recipient.person);
        let issued = IssuedLink { url, redirect_uri: self.options.redirect_uri.as_deref(), at, until, person };
        self.links.borrow_mut().issued(recipient.person.entry_id(), issued)
    }
}

fn works_until(until: Timestamp) -> String {
    format!("the link works until {}", utc(until))
}

/// Until when a link works: what the answer says, else a day.
fn until(link: &TestLink, issued: Timestamp) -> Timestamp {
    let told = link.expires_at_utc.as_deref().and_then(parse_service_time);
    told.or_else(|| issued.checked_add(LIFETIME).ok()).unwrap_or(issued)
}

/// The record of an entry of which nothing but its id is known.
pub fn bare(entry: EntryId) -> Recipient {
    let person = TestTaker { id: entry.0, ..TestTaker::default() };
    Recipient { person, is_read: false }
}
