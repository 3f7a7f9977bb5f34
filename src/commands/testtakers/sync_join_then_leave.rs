//! What a sync sends: enrolments and changes of all projects first, then, once movers were seen to stand where they
//! joined, removals.

use std::collections::HashMap;

use crate::bulk::outcome::{Finished, Outcome, RowResult};
use crate::bulk::run_plan::Enrolling;
use crate::bulk::run_verdict::ended;
use crate::bulk::sync::classes::Leaver;
use crate::commands::testtakers::enrol_run::LockMode;
use crate::commands::testtakers::sync_compare::{Standing, SyncLook};
use crate::commands::testtakers::sync_context::SyncContext;
use crate::commands::testtakers::sync_enrol::enrol;
use crate::commands::testtakers::sync_joined::{Joined, unseen};
use crate::commands::testtakers::sync_outcome::{SyncEnds, is_held};
use crate::commands::testtakers::sync_remove_leavers::remove_leavers;
use crate::journal::held_syncs::Hold;
use crate::journal::open_moves::OpenMove;
use crate::model::exit_ranks::Verdict;

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
    ) -> anyhow::Result<SyncEnds> {
        let mut ends = SyncEnds::begin(look, &self.projects(), hold);
        self.begin_moves(look, &ends)?;
        for (at, standing) in standings.into_iter().enumerate() {
            let (rows, again) = self.send(at, standing, self.to_send(at, look, hold)).await?;
            ends.sent(rows, again);
        }
        if !ends.goes_on() {
            return Ok(ends);
        }
        for at in 0..self.parts.len() {
            self.look_for_joined(at, look, &mut ends).await?;
        }
        for at in 0..self.parts.len() {
            self.remove(at, look, (hold.is_none(), &mut ends)).await?;
        }
        Ok(ends)
    }

    /// Writes the moves down: a run that is killed between their halves is finished by the next one.
    fn begin_moves(&mut self, look: &SyncLook, ends: &SyncEnds) -> anyhow::Result<()> {
        let going = look.pairs.iter().enumerate().filter(|(at, _)| ends.may_go(*at));
        let moves = going.filter_map(|(_, pair)| {
            let (from, to) = (self.parts[pair.from].project, self.parts[pair.to].project);
            Some(OpenMove { from, entry: pair.entry(), to, key: pair.old.keys.primary()? })
        });
        let moves: Vec<OpenMove> = moves.collect();
        if !moves.is_empty() {
            self.session.may_write()?;
            self.journal.begin_moves(&self.rules.source, &moves)?;
        }
        Ok(())
    }

    fn to_send(&self, at: usize, look: &SyncLook, hold: Option<&Hold>) -> ToSend {
        let mut rows = ToSend { settled: look.parts[at].classes.settled.clone(), again: Vec::new() };
        for pair in look.pairs.iter().filter(|pair| pair.to == at) {
            if is_held(hold, self.parts[pair.from].project, pair.entry()) {
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

    /// Enrols and changes. Where the rehearsal found nothing to do, its ends are those of the rows. Whoever is enrolled
    /// under another e-mail comes after the others, in a run of its own.
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
        let (project, list) = (part.project, Some(&standing.list));
        let enrolling = Enrolling { project, roster: &roster, list, settled: HashMap::new() };
        let replaced = enrol(self.session, self.client, enrolling, (self.rules.doubt, LockMode::Locked, true)).await?;
        let mut ends = finished.ends;
        for (row, end) in again.into_iter().zip(&replaced.ends) {
            ends[row] = end.clone();
        }
        Ok((ended(ends), Some(replaced)))
    }

    /// Looks whether those who joined a project, and are to leave another entry, stand there.
    async fn look_for_joined(&self, at: usize, look: &SyncLook, ends: &mut SyncEnds) -> anyhow::Result<()> {
        let (part, hasher) = (&self.parts[at], self.journal.hasher());
        let pairs = look.pairs.iter().enumerate().filter(|(place, pair)| pair.to == at && ends.may_go(*place));
        let joined = pairs.map(|(place, pair)| {
            let (row, end) = ((&part.roster, pair.row), &ends.rows[at].ends[pair.row]);
            (place, Joined { row, end, old: pair.entry(), is_replacement: pair.is_replacement() })
        });
        for unseen in unseen(self.session, self.client, (part.project, &hasher), joined.unzip()).await? {
            ends.stays(unseen);
        }
        Ok(())
    }

    /// Removes who leaves a project, and the old entries of those who were seen to stand where they joined.
    async fn remove(
        &self,
        at: usize,
        look: &SyncLook,
        (removes_leavers, ends): (bool, &mut SyncEnds),
    ) -> anyhow::Result<()> {
        let part = &self.parts[at];
        let leavers = look.parts[at].classes.leavers.iter().filter(|_| removes_leavers).cloned();
        let pairs = look.pairs.iter().enumerate().filter(|(place, pair)| pair.from == at && ends.may_go(*place));
        let (places, old): (Vec<usize>, Vec<Leaver>) = pairs.map(|(place, pair)| (place, pair.leaver())).unzip();
        let all: Vec<Leaver> = leavers.chain(old).collect();
        let removed = remove_leavers(self.session, self.client, (part.project, &part.removals), &all).await?;
        ends.removed(at, &places, removed);
        Ok(())
    }
}

/// Whether there is anything to send for a row of this end.
fn is_open(end: &RowResult) -> bool {
    !end.outcome.is_to_fix() && !matches!(end.outcome, Outcome::Existing | Outcome::Enrolled)
}
