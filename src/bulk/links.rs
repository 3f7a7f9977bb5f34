//! Test links: one request at a time for each person, and people with a valid link in the file keep it.

use std::collections::HashSet;

use super::each_row::{Planned, Site, Subject};
use super::link_file::LinkFile;
use super::outcome::{Outcome, RowEnd};
use crate::model::links::{LinkRequest, TestLink};
use crate::model::people::{EntryId, TestTaker};
use crate::model::verdict::{Failure, Verdict};

/// Issues a link for each person who has none in the file, and gives each row an end. `take` gets each link, once it is on
/// disk.
pub async fn issue<'l>(
    site: &Site<'_>,
    rows: &[Planned<'l>],
    request: impl Fn(&TestTaker) -> LinkRequest,
    mut file: Option<LinkFile>,
    mut take: impl FnMut(Subject<'l>, TestLink),
) -> Vec<RowEnd> {
    let is_valid = |entry: &EntryId| file.as_ref().is_some_and(|file| file.kept.contains(entry));
    let unless_kept = |row: &Planned<'l>| {
        let person = row.clone()?;
        let kept = person.entry_id().filter(is_valid);
        kept.map_or(Ok(person), |entry| Err(RowEnd::new(Outcome::Kept).entry(entry)))
    };
    let rows: Vec<Planned<'l>> = rows.iter().map(unless_kept).collect();
    let send = |Subject { person, entry, .. }: Subject<'l>| {
        let request = request(person);
        async move { site.client.issue_link(site.project, entry, &request, person).await }
    };
    let twice = Failure::new(Verdict::Unforeseen, "the service gave one link to two people").hint("add --rotate");
    let mut met = HashSet::new();
    // A link goes on once it is on disk.
    let keep = |subject: Subject<'l>, link: TestLink| {
        let write = |file: &mut LinkFile| file.push(subject.entry, subject.person, &link);
        let first = if met.insert(link.url.expose().to_owned()) { Ok(()) } else { Err(twice.clone()) };
        let written = first.and_then(|()| file.as_mut().map_or(Ok(()), write));
        if let Err(failure) = written {
            let message = failure.cause.clone();
            site.stop.set(failure);
            return RowEnd::new(Outcome::InDoubt).message(message);
        }
        take(subject, link);
        RowEnd::new(Outcome::Issued)
    };
    let ends = site.each(&rows, Outcome::Issued, |_| Ok(()), send, keep).await;
    site.stop.note(file.map_or(Ok(()), LinkFile::finish));
    ends
}
