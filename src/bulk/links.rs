//! Test links: one request at a time for a person, and whoever has a valid link in the file keeps it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream;
use jiff::Timestamp;

use super::each_row::{Stopper, each_row};
use super::link_file::LinkFile;
use super::outcome::{Outcome, RowEnd};
use super::update::failed;
use crate::api::Client;
use crate::files;
use crate::model::links::{LinkRequest, TestLink, check_web_address};
use crate::model::people::{EntryId, TestTaker};
use crate::model::projects::ProjectId;
use crate::model::verdict::{Failure, Verdict};

/// A request of a run that died may take effect so long afterwards, and would void a later link (design §7, Settle).
pub const LATE: Duration = Duration::from_secs(10);

/// Says that a run over links is under way: left behind, that it died. The caller holds the project's lock.
pub struct Marker(PathBuf);

impl Marker {
    /// Marks the beginning of a run; and whether the one before it died.
    pub fn set(state: &Path, project: ProjectId) -> Result<(Self, bool), Failure> {
        let path = state.join(format!("{project}.links"));
        let has_died = path.exists();
        let made = files::append(&path);
        made.map_err(|error| Failure::new(Verdict::Unforeseen, format!("cannot write {}: {error}", path.display())))?;
        Ok((Self(path), has_died))
    }

    /// Every request of this run was answered, or can't come late any more.
    pub fn clear(self) {
        // A marker that stays costs the next run ten seconds.
        let _ = files::remove(&self.0);
    }
}

/// Where links come from and go to.
pub struct Issue<'a> {
    pub client: &'a Client,
    pub project: ProjectId,
    pub most: usize,
    pub stop: &'a Stopper<'a>,
}

impl Issue<'_> {
    /// Issues a link for each person who has none in the file; `take` gets each link before the next is used. Gives each
    /// person an end.
    pub async fn run(
        &self,
        people: &[(&TestTaker, LinkRequest)],
        mut file: Option<&mut LinkFile>,
        mut take: impl FnMut(usize, TestLink),
        ended: impl Fn(usize),
    ) -> Vec<RowEnd> {
        let mut ends = vec![RowEnd::new(Outcome::NotAttempted); people.len()];
        let mut needed = Vec::new();
        for (row, (person, _)) in people.iter().enumerate() {
            let entry = person.entry_id();
            let is_valid = |entry| file.as_ref().is_some_and(|file| file.valid(entry, Timestamp::now()).is_some());
            match entry {
                Some(entry) if is_valid(entry) => ends[row] = RowEnd::new(Outcome::Kept).entry(entry),
                Some(_) => needed.push(row),
                None => ends[row] = RowEnd::new(Outcome::Refused).message("has no entry id"),
            }
        }
        let mut answers = std::pin::pin!(each_row(stream::iter(needed), self.most, self.stop, |row| async move {
            let (person, request) = &people[row];
            let entry = person.entry_id().unwrap_or(EntryId(0));
            self.client.issue_link(self.project, entry, request, person).await
        }));
        let mut count = 0;
        while let Some((row, answer)) = answers.next().await {
            let (person, entry) = (people[row].0, people[row].0.entry_id().unwrap_or(EntryId(0)));
            let end = match answer {
                Some(Ok(link)) => match self.keep(person, entry, &link, file.as_deref_mut()) {
                    Ok(()) => {
                        take(row, link);
                        RowEnd::new(Outcome::Issued)
                    }
                    Err(end) => end,
                },
                Some(Err(error)) => failed(&error, self.stop),
                None => RowEnd::new(Outcome::InDoubt).message("no answer had come when the run was stopped"),
            };
            ends[row] = end.entry(entry);
            count += 1;
            ended(count);
        }
        ends
    }

    /// A link goes on only if a browser can open it, and once it is on disk.
    fn keep(
        &self,
        person: &TestTaker,
        entry: EntryId,
        link: &TestLink,
        file: Option<&mut LinkFile>,
    ) -> Result<(), RowEnd> {
        check_web_address(link.url.expose()).map_err(|why| {
            RowEnd::new(Outcome::Refused).message(format!("the service answered with a link that {why}"))
        })?;
        let Some(file) = file else { return Ok(()) };
        file.push(entry, person, link).map_err(|failure| {
            let message = failure.cause.clone();
            self.stop.set(failure);
            RowEnd::new(Outcome::InDoubt).message(message)
        })
    }
}
