//! `testtakers sync`: makes a project follow a roster. `bulk::sync` decides who joins, leaves or is held; here is the order in
//! which that is remembered and sent.

mod telling;

use std::collections::HashSet;
use std::rc::Rc;
use std::time::Duration;

use clap::Args;
use jiff::Timestamp;

use super::enrol::{RosterRun, new_people};
use crate::bulk::compare::{Found, Match};
use crate::bulk::each_row::Planned;
use crate::bulk::enrol::{EnrolOptions, ListRead, OnExisting};
use crate::bulk::outcome::{Outcome, RowEnd, Run};
use crate::bulk::rows::Rows;
use crate::bulk::rules::Reading;
use crate::bulk::sync::{ApprovalId, Changes, Judgement, Leaver, LeaverLimit, SyncInput, approval_id, changes, judge};
use crate::commands::people::{Named, PersonRow};
use crate::commands::project::not_empty;
use crate::commands::session::Session;
use crate::commands::work::Work;
use crate::journal::rosters::Memory;
use crate::model::text::plain_name;
use crate::model::time::duration;
use crate::model::verdict::{Failure, Verdict};
use crate::roster::Roster;

/// Enrol, update and remove people so that a project follows a file
#[derive(Args)]
#[command(
    mut_arg("file", |file| file.hide(true)),
    mut_arg("skip_invalid", |skip| skip.help("Skip bad rows; no removals in such a run")),
    after_help = "Examples:\n  assessctl testtakers sync staff.csv -p Demo --dry-run\n  assessctl testtakers sync staff.csv --only Site=Berlin\n\nEach run removes people who have been missing from the file for 20h or longer."
)]
pub struct SyncPeople {
    /// Name of this series of files [default: main]
    #[arg(long, value_name = "NAME", value_parser = not_empty)]
    source: Option<String>,
    /// Use only rows with VALUE under HEADER
    #[arg(long, value_name = "HEADER=VALUE", value_parser = only)]
    only: Option<(String, String)>,
    /// Remove if missing this long
    #[arg(long, value_name = "TIME", default_value = "20h", value_parser = duration)]
    absent_for: Duration,
    /// Max. removals [default: 5, or 5% if greater]
    #[arg(long, value_name = "N|P%")]
    max_leavers: Option<LeaverLimit>,
    /// Make the held changes (the error shows ID)
    #[arg(long, value_name = "ID", value_parser = approval_id)]
    approve: Option<ApprovalId>,
    #[command(flatten)]
    with: RosterRun,
}

fn only(text: &str) -> Result<(String, String), &'static str> {
    let wrong = "must be HEADER=VALUE, such as Site=Berlin";
    let (header, value) = text.split_once('=').ok_or(wrong)?;
    // What looks like `!=` would mean the opposite.
    let is_operator = |c| "!<>~:^".contains(c);
    if header.starts_with(is_operator) || header.ends_with(is_operator) {
        return Err(wrong);
    }
    Ok((header.to_owned(), value.to_owned()))
}

/// What a sync found and did.
struct Synced {
    named: Named,
    changes: Changes,
    judgement: Judgement,
    /// The valid rows of the roster, then the leavers.
    run: Run,
    leavers: Vec<PersonRow>,
}

impl Synced {
    /// A roster that had nothing to do the last time either, with so many records in the list. Nobody's row is shown.
    fn nothing(roster: Roster, records: usize) -> Self {
        let rows = vec![PersonRow::default(); roster.rows.len()];
        let run = Run { ends: vec![RowEnd::new(Outcome::Existing); rows.len()], ..Run::default() };
        let mut changes = Changes::default();
        changes.others = records.saturating_sub(rows.len());
        let named = Named { rows, roster: Some(roster) };
        Self { named, changes, judgement: Judgement::Follow, run, leavers: Vec::new() }
    }
}

impl SyncPeople {
    pub async fn run(mut self, session: &Session) -> anyhow::Result<Verdict> {
        self.with.roster.only.clone_from(&self.only);
        let (account, roster) = self.with.read(session)?;
        let invalid: HashSet<usize> = roster.mistakes.iter().filter_map(|mistake| mistake.row).collect();
        if invalid.len() == roster.rows.len() {
            let only = self.only.as_ref().map_or_else(String::new, |(header, value)| format!(" with {header}={value}"));
            let cause = format!("{} has no people{only}; nothing was changed", roster.table.file);
            let hint = "to remove somebody: assessctl testtakers remove PERSON";
            return Err(Failure::new(Verdict::Refused, cause).hint(hint).into());
        }
        self.with.skip_invalid &= !invalid.is_empty();
        let project = self.with.bulk.project.find(session).await?;
        let work = Work::begin(session, &project, "testtakers sync", self.with.bulk.dry_run).await?;
        let options =
            EnrolOptions { on_existing: OnExisting::Update, learns: true, ..self.with.settle.options(session)? };
        let synced = work.run(self.follow(&work, roster, options)).await?;
        self.tell(&account, synced, &project, &session.place(&project))
    }

    /// Memory, enrolments and changes, removals: in this order, and removals only if nothing stopped the run.
    async fn follow(&self, work: &Work<'_>, roster: Roster, options: EnrolOptions) -> anyhow::Result<Synced> {
        let (began, is_dry_run) = (Timestamp::now(), self.with.bulk.dry_run);
        let list = work.list().await?;
        let Roster { table, headers, rows, .. } = &roster;
        let file = (&table.text, table.delimiter, headers, rows, self.with.roster.shared_mailboxes);
        let digest = work.journal()?.digest(&list, (file, options.settle));
        // Where a row is left out, or the file was approved, the same again may end in another way.
        let is_plain = !is_dry_run && !self.with.skip_invalid && self.approve.is_none();
        let shows_all = self.with.bulk.show.is_given();
        if is_plain && !shows_all && work.journal()?.follow_again(work.project, &self.source(), digest, began)? {
            return Ok(Synced::nothing(roster, list.len()));
        }
        let named = Named::from(roster);
        let people = new_people(&named);
        let rows = work.rows(&people, self.with.roster.shared_mailboxes)?;
        let reading = Reading { began, is_whole: true, settle: options.settle, again: false };
        rows.known.believe(&list, &reading)?;
        let all: Vec<usize> = (0..people.len()).collect();
        let read = ListRead { records: &list, reading, found: rows.compare(&all, &list, &reading) };
        let (before, changes) = self.compare(work, &rows, &read)?;
        let is_settled = is_plain && rows.known.is_settled(&reading);
        let judgement = judge(&changes, self.max_leavers.unwrap_or_default(), self.approve);
        let mut run = if matches!(judgement, Judgement::NotBelieved(..)) {
            work.ended(held_rows(&changes, &read.found))
        } else {
            let remember = |before: &Memory, after: &Memory, nothing| match work.journal()? {
                _ if is_dry_run => Ok(()),
                journal => {
                    journal.remember_roster(work.project, &self.source(), before, after, nothing, Timestamp::now())
                }
            };
            let (identities, writes) = (Rc::clone(&rows.identities), work.journal()?.writes()?);
            remember(&before.unwrap_or_default(), &changes.memory, None)?;
            let run = work.enrol(rows, options, Some(read)).await?;
            // Nothing but when the roster was followed, which is one row.
            let is_as_before = is_settled && work.journal()?.writes()? == writes + 1;
            let is_nothing = is_as_before && is_nothing(&changes, &run, list.len());
            remember(&changes.memory, &changes.memory_after(&identities, &run.ends), is_nothing.then_some(digest))?;
            run
        };
        let planned = |leaver: &Leaver| match judgement {
            Judgement::Follow => Ok(&list[leaver.at]),
            _ => Err(RowEnd::new(Outcome::Held).entry(leaver.entry)),
        };
        let rows: Vec<Planned<'_>> = changes.leavers.iter().map(planned).collect();
        run.ends.extend(work.remove(&rows).await?);
        let leavers = changes.leavers.iter().map(|leaver| telling::row_of(&list[leaver.at])).collect();
        Ok(Synced { named, changes, judgement, run: Run { failure: work.stop.why(), ..run }, leavers })
    }

    /// The name under which the roster is remembered.
    fn source(&self) -> String {
        // Rows are picked without regard to case, too.
        let plain = |text: &str| plain_name(&text.to_lowercase()).into_owned();
        let only = || self.only.as_ref().map(|(header, value)| format!("{}={}", plain(header), plain(value)));
        self.source.clone().or_else(only).unwrap_or_else(|| "main".to_owned())
    }

    /// What the rosters of this source said until now, and what this one changes.
    fn compare(
        &self,
        work: &Work<'_>,
        rows: &Rows<'_>,
        list: &ListRead<'_>,
    ) -> Result<(Option<Memory>, Changes), Failure> {
        let (journal, mut others) = (work.people()?, work.journal()?.rosters(work.project)?);
        let own = others.iter().position(|(source, _)| source.name == self.source());
        let before = own.map(|at| others.remove(at).1);
        let changes = changes(&SyncInput {
            people: rows.people,
            rows: &rows.identities,
            list: list.records,
            found: &list.found,
            fresh: &rows.known.fresh(&list.reading).collect(),
            identity: &|record| journal.of_record(record),
            known: &rows.known,
            before: before.as_ref(),
            others: &others,
            absent_for: self.absent_for,
            lacks_rows: self.with.skip_invalid,
            now: Timestamp::now(),
        });
        Ok((before, changes))
    }
}

/// Whether there is nothing to do, now or later: nobody stays only until another day or another roster, and each row is unchanged
/// and another one of the records.
fn is_nothing(changes: &Changes, run: &Run, records: usize) -> bool {
    let is_final = changes.missing == 0 && changes.kept.iter().all(|(_, people)| *people == 0);
    let is_unchanged = |end: &RowEnd| end.outcome == Outcome::Existing && end.message.is_empty();
    let is_all = run.ends.len() + changes.others == records && run.failure.is_none();
    is_final && is_all && changes.changed.is_empty() && run.ends.iter().all(is_unchanged)
}

/// Where a file is not believed, all that it would change is held.
fn held_rows(changes: &Changes, found: &[Found]) -> Vec<RowEnd> {
    let end = |found: &Found| found.best.as_ref().map_or(RowEnd::new(Outcome::Existing), Match::end);
    let mut ends: Vec<RowEnd> = found.iter().map(end).collect();
    for row in changes.joiners.iter().chain(&changes.changed) {
        ends[*row] = RowEnd::new(Outcome::Held);
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::rosters::Source;

    #[test]
    fn there_is_nothing_to_do_only_where_each_row_is_one_of_the_records_and_nobody_is_waited_for() {
        type Change<'c> = &'c dyn Fn(&mut Changes, &mut Run);
        let is_nothing = |change: Change<'_>, records| {
            let mut changes = Changes::default();
            changes.others = 3;
            let mut run = Run { ends: vec![RowEnd::new(Outcome::Existing); 2], ..Run::default() };
            change(&mut changes, &mut run);
            super::is_nothing(&changes, &run, records)
        };
        assert_eq!([4, 5, 6].map(|records| is_nothing(&|_, _| (), records)), [false, true, false]);
        let source = || Source { name: "agency".into(), at: Timestamp::UNIX_EPOCH };
        let others: [Change<'_>; 6] = [
            &|changes, _| changes.missing = 1,
            &|changes, _| changes.kept = vec![(source(), 1)],
            &|changes, _| changes.changed = vec![0],
            &|_, run| run.ends[1].outcome = Outcome::Updated,
            &|_, run| run.ends[1].message = "the project has another birthYear".into(),
            &|_, run| run.failure = Some(Failure::new(Verdict::Unforeseen, "the disk is full")),
        ];
        assert_eq!(others.map(|change| is_nothing(change, 5)), [false; 6]);
        assert!(is_nothing(&|changes, _| changes.kept = vec![(source(), 0)], 5));
    }
}
