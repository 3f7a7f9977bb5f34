//! What a sync sends, and how it ended: enrolments and changes of all projects first, then, once movers were seen to stand
//! where they joined, removals.

use std::collections::{HashMap, HashSet};

use crate::bulk::outcome::{Finished, Outcome, RowResult};
use crate::bulk::run_plan::Enrolling;
use crate::bulk::run_verdict::ended;
use crate::bulk::sync::classes::Leaver;
use crate::bulk::sync::person_keys::PersonKeys;
use crate::commands::shared::run_failure::{AGAIN, InDoubt, failure};
use crate::commands::testtakers::enrol_run::{LockMode, enrol_for_sync};
use crate::commands::testtakers::sync_compare::{Standing, SyncLook};
use crate::commands::testtakers::sync_context::SyncContext;
use crate::commands::testtakers::sync_old_entries::{Joined, Removed, Unseen, remove_leavers, unseen};
use crate::commands::testtakers::sync_report::SyncEnds;
use crate::journal::held_syncs::Hold;
use crate::journal::synced_rosters::open_moves::OpenMove;
use crate::model::counted::{counted, thousands};
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::projects::ProjectId;
use crate::model::testtakers::EntryId;

/// The rows of a project as they are to be sent.
#[derive(Default)]
struct ToSend {
    /// Rows for which nothing is sent, with how they end.
    settled: HashMap<usize, RowResult>,
    /// Rows of people who stand under another e-mail: they are enrolled after the others.
    again: Vec<usize>,
}

impl SyncContext<'_> {
    /// Sends all of it, in the order that leaves no one in no project.
    pub async fn carry_out(
        &mut self,
        standings: Vec<Standing>,
        look: &SyncLook,
        hold: Option<&Hold>,
    ) -> anyhow::Result<Sent> {
        let mut sent = Sent::begin(look, &self.projects(), hold);
        self.begin_moves(look, &sent)?;
        self.begin_joins(&standings, look)?;
        for (at, standing) in standings.into_iter().enumerate() {
            let (rows, again) = self.send(at, standing, self.to_send(at, look, hold)).await?;
            sent.enrolled(rows, again);
        }
        if !sent.goes_on() {
            return Ok(sent);
        }
        for at in 0..self.parts.len() {
            self.look_for_joined(at, look, &mut sent).await?;
        }
        for at in 0..self.parts.len() {
            self.remove(at, look, hold.is_none(), &mut sent).await?;
        }
        Ok(sent)
    }

    /// Writes the moves down: a run that is killed between their halves is finished by the next one.
    fn begin_moves(&mut self, look: &SyncLook, sent: &Sent) -> anyhow::Result<()> {
        let going = look.pairs.iter().enumerate().filter(|(at, _)| sent.may_go(*at));
        let moves = going.filter_map(|(_, pair)| {
            let (from, to) = (self.parts[pair.from].context.project, self.parts[pair.to].context.project);
            Some(OpenMove { from, entry: pair.entry(), to, key: pair.old.keys.primary()? })
        });
        let moves: Vec<OpenMove> = moves.collect();
        if !moves.is_empty() {
            self.session.may_write()?;
            self.journal.begin_moves(&self.rules.source, &moves)?;
        }
        Ok(())
    }

    /// Writes down who is about to be enrolled: until a roster has them, a run that is killed would leave strangers.
    fn begin_joins(&mut self, standings: &[Standing], look: &SyncLook) -> anyhow::Result<()> {
        let (hasher, mut joins) = (self.journal.hasher(), Vec::new());
        for ((part, standing), classes) in self.parts.iter().zip(standings).zip(&look.classes) {
            let rows = standing.ends.iter().enumerate().filter(|(row, end)| {
                (end.outcome == Outcome::WouldEnrol || end.outcome.is_unfinished())
                    && !classes.settled.contains_key(row)
            });
            let keys = rows.filter_map(|(row, _)| PersonKeys::of_row(&hasher, &part.roster, row).primary());
            joins.extend(keys.map(|key| (part.context.project, key)));
        }
        if !joins.is_empty() {
            self.session.may_write()?;
            self.journal.begin_joins(&self.rules.source, &joins)?;
        }
        Ok(())
    }

    fn to_send(&self, at: usize, look: &SyncLook, hold: Option<&Hold>) -> ToSend {
        let mut rows = ToSend { settled: look.classes[at].settled.clone(), again: Vec::new() };
        for pair in look.pairs.iter().filter(|pair| pair.to == at) {
            if is_held(hold, self.parts[pair.from].context.project, pair.entry()) {
                let words = format!("waits until the old entry {} may go", pair.entry());
                let end = RowResult::new(Outcome::Held).with_message(words);
                rows.settled.insert(pair.row, end);
            } else if pair.is_replacement() {
                rows.again.push(pair.row);
            }
        }
        // Two old entries of one person wait for the same row, which is sent once, and not where one of them may not go yet.
        rows.again.sort_unstable();
        rows.again.dedup();
        rows.again.retain(|row| rows.settled.get(row).is_none_or(|end| end.outcome != Outcome::Held));
        rows
    }

    /// Enrols and changes. Where the rehearsal found nothing to do, its ends are those of the rows. People who are enrolled
    /// under another e-mail come after the others, in a run of their own.
    async fn send(
        &self,
        at: usize,
        mut standing: Standing,
        ToSend { mut settled, again }: ToSend,
    ) -> anyhow::Result<(Finished, Option<Finished>)> {
        let part = &self.parts[at];
        // A killed run may have enrolled some of them already: the rehearsal said so.
        let (done, again): (Vec<usize>, Vec<usize>) = again
            .into_iter()
            .partition(|row| matches!(standing.ends[*row].outcome, Outcome::Existing | Outcome::Enrolled));
        settled.extend(done.into_iter().map(|row| (row, standing.ends[row].clone())));
        settled.extend(again.iter().map(|row| (*row, RowResult::new(Outcome::Conflict))));
        let mut open = standing.ends.iter().enumerate().filter(|(row, _)| !settled.contains_key(row));
        let finished = if open.any(|(_, end)| is_open(end)) {
            self.enrol(part, &standing, settled, LockMode::Locked).await?
        } else {
            let mut ends = std::mem::take(&mut standing.ends);
            for (row, end) in settled {
                ends[row] = end;
            }
            ended(ends)
        };
        if again.is_empty() || !matches!(finished.verdict, Verdict::Done | Verdict::RowsToFix) {
            return Ok((finished, None));
        }
        let roster = part.roster.of_rows(&again);
        let (project, list) = (part.context.project, Some(&standing.list));
        let enrolling = Enrolling { project, roster: &roster, list, settled: HashMap::new() };
        let replaced = enrol_for_sync(&part.context, enrolling, self.rules.doubt, LockMode::Locked, true).await?;
        let mut ends = finished.ends;
        for (row, end) in again.into_iter().zip(&replaced.ends) {
            ends[row] = end.clone();
        }
        Ok((ended(ends), Some(replaced)))
    }

    /// Looks whether those who joined a project, and are to leave another entry, stand there.
    async fn look_for_joined(&self, at: usize, look: &SyncLook, sent: &mut Sent) -> anyhow::Result<()> {
        let part = &self.parts[at];
        let pairs = look.pairs.iter().enumerate().filter(|(place, pair)| pair.to == at && sent.may_go(*place));
        let joined = pairs.map(|(place, pair)| {
            let (row, end) = ((&part.roster, pair.row), &sent.ends.rows[at][pair.row]);
            (place, Joined { row, end, old: pair.entry(), is_replacement: pair.is_replacement() })
        });
        for unseen in unseen(&part.context, &self.journal.hasher(), &joined.collect::<Vec<_>>()).await? {
            sent.stays(unseen);
        }
        Ok(())
    }

    /// Removes who leaves a project, unless they are held, and the old entries of those who were seen to stand where they
    /// joined.
    async fn remove(&self, at: usize, look: &SyncLook, removes_leavers: bool, sent: &mut Sent) -> anyhow::Result<()> {
        let part = &self.parts[at];
        let leavers = look.classes[at].leavers.iter().filter(|_| removes_leavers).cloned();
        let pairs = look.pairs.iter().enumerate().filter(|(place, pair)| pair.from == at && sent.may_go(*place));
        let (places, old): (Vec<usize>, Vec<Leaver>) = pairs.map(|(place, pair)| (place, pair.leaver())).unzip();
        let all: Vec<Leaver> = leavers.chain(old).collect();
        sent.removed(at, &places, remove_leavers(&part.context, &part.removals, &all).await?);
        Ok(())
    }
}

/// Whether there is anything to send for a row of this end.
fn is_open(end: &RowResult) -> bool {
    !end.outcome.is_to_fix() && !matches!(end.outcome, Outcome::Existing | Outcome::Enrolled)
}

/// What was sent, and how everyone ended.
pub struct Sent {
    pub ends: SyncEnds,
    /// The runs that enrolled and changed the rows of each part; their ends are among those of everyone.
    rows: Vec<Finished>,
    /// Runs that enrolled people under another e-mail.
    again: Vec<Finished>,
    removed: Vec<Removed>,
    /// How many joined and were not seen: their old entries stay.
    unseen: usize,
    /// How many people are not in the file whose enrolment by an earlier run is not certain yet.
    pending: usize,
}

/// Why a sync waits: people who are not in the file may have been enrolled by an earlier run.
pub fn pending(look: &SyncLook) -> Option<Failure> {
    waits_for(count_pending(look))
}

fn count_pending(look: &SyncLook) -> usize {
    look.classes.iter().map(|classes| classes.pending.len()).sum()
}

fn waits_for(pending: usize) -> Option<Failure> {
    let who = match pending {
        0 => return None,
        1 => "1 person is not in the file who".to_owned(),
        several => format!("{} people are not in the file who", thousands(several as u64)),
    };
    let cause =
        format!("{who} may have been enrolled by an earlier run, which the list does not tell yet; no one was removed");
    Some(Failure::new(Verdict::Unfinished, cause).hint("run the same command again later"))
}

impl Sent {
    /// Before anything is sent: what is held is held, and nothing else is attempted.
    fn begin(look: &SyncLook, projects: &[ProjectId], hold: Option<&Hold>) -> Self {
        let waiting = if hold.is_some() { Outcome::Held } else { Outcome::NotAttempted };
        let ends = SyncEnds::new(Vec::new(), look, waiting, |pair| {
            let waits = is_held(hold, projects[pair.from], pair.entry());
            if waits { Outcome::Held } else { Outcome::NotAttempted }
        });
        Self { ends, rows: Vec::new(), again: Vec::new(), removed: Vec::new(), unseen: 0, pending: count_pending(look) }
    }

    /// Takes how the rows of the next part ended, and the run that enrolled some of them under another e-mail.
    fn enrolled(&mut self, mut rows: Finished, again: Option<Finished>) {
        self.ends.rows.push(std::mem::take(&mut rows.ends));
        self.rows.push(rows);
        self.again.extend(again);
    }

    /// Whether removals may follow: everything that they depend on was done and is known.
    fn goes_on(&self) -> bool {
        self.pending == 0 && self.rows.iter().chain(&self.again).all(is_finished)
    }

    /// An old entry stays because its person was not seen to have joined.
    fn stays(&mut self, unseen: Unseen) {
        self.unseen += usize::from(unseen.was_enrolled);
        self.ends.pairs[unseen.place] = unseen.end;
    }

    /// Whether an old entry may go: nothing has been said of it yet.
    fn may_go(&self, pair: usize) -> bool {
        let end = &self.ends.pairs[pair];
        end.outcome == Outcome::NotAttempted && end.message.is_none()
    }

    /// Records the removals of one project: `ends` has the leavers first, where they were asked for, then the pairs.
    fn removed(&mut self, at: usize, pairs: &[usize], mut removed: Removed) {
        let leavers = removed.finished.ends.len() - pairs.len();
        let mut ends = std::mem::take(&mut removed.finished.ends).into_iter();
        if leavers > 0 {
            self.ends.leavers[at] = ends.by_ref().take(leavers).collect();
        }
        for (pair, end) in pairs.iter().zip(ends) {
            self.ends.pairs[*pair] = end;
        }
        self.removed.push(removed);
    }

    /// Whether all was done that was to be done: only then is the roster remembered.
    pub fn is_whole(&self) -> bool {
        self.goes_on() && self.unseen == 0 && self.removed.iter().all(Removed::is_whole)
    }

    /// Entries that are gone, by the parts of their projects.
    pub fn left(&self, look: &SyncLook) -> HashSet<(usize, EntryId)> {
        let is_removed = |end: &&RowResult| end.outcome == Outcome::Removed;
        let mut left = HashSet::new();
        for (at, ends) in self.ends.leavers.iter().enumerate() {
            left.extend(ends.iter().filter(is_removed).filter_map(|end| Some((at, end.entry?))));
        }
        let pairs = look.pairs.iter().zip(&self.ends.pairs).filter(|(_, end)| is_removed(end));
        left.extend(pairs.map(|(pair, _)| (pair.from, pair.entry())));
        left
    }

    /// Whether anything was sent that changed a person, or may have.
    pub fn changed_people(&self) -> bool {
        let removed = self.removed.iter().map(|removed| &removed.finished);
        self.rows.iter().chain(&self.again).chain(removed).any(|run| run.counts.any(Outcome::is_change))
    }

    /// What failed.
    pub fn failures(&self) -> Vec<Failure> {
        let rows = self.rows.iter().filter_map(|rows| failure(rows, true, InDoubt::Awaited));
        let again = self.again.iter().filter(|again| !is_finished(again));
        let again = again.filter_map(|again| failure(again, true, InDoubt::Awaited));
        let mut failures: Vec<Failure> = rows.chain(again).collect();
        if self.unseen > 0 {
            let who = counted(self.unseen, "person who joined is", "people who joined are");
            let cause = format!("{who} not in the list yet; the old entries stay until they are");
            failures.push(Failure::new(Verdict::Unfinished, cause).hint(AGAIN));
        }
        failures.extend(waits_for(self.pending));
        failures.extend(self.removed.iter().filter_map(Removed::failure));
        failures
    }
}

fn is_finished(finished: &Finished) -> bool {
    matches!(finished.verdict, Verdict::Done | Verdict::RowsToFix)
}

/// Whether an old entry waits for a person's approval.
fn is_held(hold: Option<&Hold>, project: ProjectId, entry: EntryId) -> bool {
    let mut people = hold.into_iter().flat_map(|hold| &hold.people);
    people.any(|held| held.project == project && held.entry == entry && held.to.is_some())
}
