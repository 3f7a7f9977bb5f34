//! The steps of a sync: read, compare, judge the limits, enrol and change, remove, look again, and last of all remember.

use std::collections::{HashMap, HashSet};

use crate::api::VerifiedList;
use crate::bulk::outcome::{Finished, Outcome, RowResult};
use crate::bulk::run::Enrolling;
use crate::bulk::sync::classes::{Leaver, RowClass};
use crate::bulk::sync::counts::{Became, SyncCounts};
use crate::bulk::sync::limits::{FileFigures, refusal};
use crate::bulk::verdict::ended;
use crate::commands::shared::run_failure::{LOOK, failure};
use crate::commands::testtakers::enrol_run::LockMode;
use crate::commands::testtakers::sync_context::SyncContext;
use crate::commands::testtakers::sync_enrol::enrol;
use crate::commands::testtakers::sync_hold::{OLDEST, file_hold, leaver_hold};
use crate::commands::testtakers::sync_look::{SyncLook, look};
use crate::commands::testtakers::sync_plan::PlanTo;
use crate::commands::testtakers::sync_removal::{Removed, read_people, remove_leavers};
use crate::commands::testtakers::sync_report::SyncReport;
use crate::journal::clock::Millis;
use crate::journal::holds::{Hold, HoldId, HoldKind};
use crate::journal::synced::SyncEnd;
use crate::model::counted::thousands;
use crate::model::testtakers::{EntryId, TestTaker};
use crate::model::verdict::{Failure, Verdict};

impl SyncContext<'_> {
    /// Runs to the end; only as far as a plan where that is wanted.
    pub async fn run(mut self, plan: Option<PlanTo<'_>>) -> anyhow::Result<Verdict> {
        let mut report = SyncReport::begin(self.session)?;
        let list = read_people(self.session, self.client, self.project).await?;
        let removing = self.settle_removals(&list, plan.is_some())?;
        let rehearsal = self.enrol(&list, HashMap::new(), LockMode::DryRun).await?;
        if let Some(failure) = rehearsal.stop.as_ref().and_then(|_| failure(&rehearsal, true, LOOK)) {
            return Err(failure.into());
        }
        let look = look(&self, &list, &rehearsal.ends, &removing)?;
        self.refuse(&look)?;
        if let Some(to) = plan {
            return self.plan((report, to), &rehearsal, &look);
        }
        let hold = self.over_limit(&look);
        let enrolled = self.send(&list, rehearsal, &look).await?;
        let goes_on = matches!(enrolled.verdict, Verdict::Done | Verdict::RowsToFix);
        let left = if goes_on && hold.is_none() {
            Some(
                remove_leavers(self.session, self.client, (self.project, &self.removals), &look.classes.leavers)
                    .await?,
            )
        } else {
            None
        };
        let ends = leaver_ends(&look.classes.leavers, left.as_ref(), hold.as_ref());
        let is_whole = goes_on && left.as_ref().is_none_or(Removed::is_whole);
        let voided = if is_whole { self.remember(&look, &ends, hold.as_ref())? } else { Vec::new() };

        report.rows(self.roster, &look.classes, enrolled.ends.iter())?;
        report.leavers(&look.classes.leavers, &ends)?;
        let printed = report.finish();
        self.say(&look, &enrolled, &ends, &voided);
        printed?;
        self.end([
            failure(&enrolled, true, LOOK),
            left.and_then(Removed::failure),
            hold.map(|hold| self.held(&hold, &look)),
        ])
    }

    /// Settles the removals that a killed run left open: an entry that is gone was removed by us. One that is still there
    /// after the settle time was not; before that, its removal may still take effect.
    fn settle_removals(&self, list: &VerifiedList, only_looks: bool) -> anyhow::Result<HashSet<EntryId>> {
        let open: HashMap<EntryId, i64> = self.removals.borrow().open_ones()?.into_iter().collect();
        let mut there = HashSet::new();
        if !open.is_empty() {
            list.each_record(|record: TestTaker| {
                there.extend(Some(record.entry_id()).filter(|entry| open.contains_key(entry)));
            })?;
        }
        let now = jiff::Timestamp::now().as_millisecond();
        let settle = i64::try_from(self.rules.doubt.settle.as_millis()).unwrap_or(i64::MAX);
        let mut removing = HashSet::new();
        for (entry, begun) in open {
            if there.contains(&entry) && now.saturating_sub(begun) < settle {
                removing.insert(entry);
            } else if !only_looks {
                self.removals.borrow_mut().settle(entry, !there.contains(&entry))?;
            }
        }
        Ok(removing)
    }

    /// The import of the file's rows, or its rehearsal.
    async fn enrol(
        &self,
        list: &VerifiedList,
        settled: HashMap<usize, RowResult>,
        lock_mode: LockMode,
    ) -> anyhow::Result<Finished> {
        let enrolling = Enrolling { project: self.project, roster: self.roster, list: Some(list), settled };
        enrol(self.session, self.client, enrolling, (self.rules.doubt, lock_mode)).await
    }

    /// Enrols and changes. Where the rehearsal found nothing to do, its ends are those of the rows.
    async fn send(&self, list: &VerifiedList, rehearsal: Finished, look: &SyncLook) -> anyhow::Result<Finished> {
        let mut rows = rehearsal.ends.iter().enumerate().filter(|(row, _)| !look.classes.settled.contains_key(row));
        let is_open = rows
            .any(|(_, end)| !end.outcome.is_to_fix() && !matches!(end.outcome, Outcome::Existing | Outcome::Enrolled));
        if is_open {
            return self.enrol(list, look.classes.settled.clone(), LockMode::Locked).await;
        }
        let mut ends = rehearsal.ends;
        for (row, end) in &look.classes.settled {
            ends[*row] = end.clone();
        }
        Ok(ended(ends))
    }

    /// Remembers the roster as a whole; the answer are the holds that it makes void.
    fn remember(&mut self, look: &SyncLook, ends: &[RowResult], hold: Option<&Hold>) -> anyhow::Result<Vec<HoldId>> {
        let mut still = look.classes.still.clone();
        let stayed = look.classes.leavers.iter().zip(ends).filter(|(_, end)| end.outcome != Outcome::Removed);
        still.extend(stayed.flat_map(|(leaver, _)| leaver.keys.each()));
        let Some(roster) = self.remembered(look, &still) else { return Ok(Vec::new()) };
        let void = self.void(hold.map(|hold| hold.id), look.now.wall)?;
        let (void, told) = (
            void.iter().map(|hold| hold.id).collect(),
            void.iter().filter(|hold| !hold.is_applied() && hold.kind != HoldKind::Plan),
        );
        let told = told.map(|hold| hold.id).collect();
        let end = SyncEnd { rosters: vec![(self.project, roster)], held: hold.cloned(), void };
        self.journal.end(&self.rules.source, &end)?;
        Ok(told)
    }

    /// What is held no more once this roster is remembered. What was applied is kept for a while, to be told of.
    fn void(&self, held: Option<HoldId>, now: Millis) -> anyhow::Result<Vec<Hold>> {
        let mut void = self.journal.holds()?;
        void.retain(|known| {
            let is_old = now - known.settled.unwrap_or(known.held) > OLDEST;
            let takes_place = known.concerns(&self.rules.source, &[self.project]) && Some(known.id) != held;
            takes_place && (is_old || !(known.is_applied() || known.kind == HoldKind::Plan))
        });
        Ok(void)
    }

    /// Says what was done, and what became of what was held.
    fn say(&self, look: &SyncLook, enrolled: &Finished, ends: &[RowResult], voided: &[HoldId]) {
        let console = self.session.console;
        for note in &look.notes {
            console.note(note);
        }
        for id in voided {
            console.note(&format!("what was held as {id} is void: this file took its place"));
        }
        let mut counts = SyncCounts::default();
        counts.add_rows(&look.classes, enrolled.ends.iter());
        counts.add_missing(&look.classes);
        for end in ends {
            counts.add(
                match end.outcome {
                    Outcome::Removed => Became::Left,
                    Outcome::Held => Became::Held,
                    _ => Became::NotRemoved,
                },
                1,
            );
        }
        for (word, count) in counts.by_word() {
            self.session.counts.add(word, count);
        }
        let stats = self.client.stats();
        let stats = if stats.is_telling() { format!("; {stats}") } else { String::new() };
        console.note(&format!("{counts}{}{stats}", self.session.place()));
        let left = counts.of(Became::Left);
        if left > 0 {
            let whose = if left == 1 { "the person who left" } else { "those who left" };
            console.note(&format!("the results of {whose} can't be read here any more"));
        }
    }

    /// Refuses the file where it goes beyond its limits, but for one that a person let through.
    fn refuse(&mut self, look: &SyncLook) -> anyhow::Result<()> {
        let classes = &look.classes;
        let figures = FileFigures {
            joiners: classes.count(RowClass::Joiner) + classes.count(RowClass::Returner),
            changes: classes.count(RowClass::Changed),
            ..look.figures
        };
        let Some(refusal) = refusal(&figures, self.rules.file) else { return Ok(()) };
        if self.journal.is_approved(&self.rules.source, &[self.project], &look.roster)? {
            self.session.console.note("this file was let through once, as it was approved");
            return Ok(());
        }
        let hold = file_hold(self, look);
        self.journal.hold(&hold)?;
        let hint = format!(
            "{} If it is right, `assessctl testtakers apply {} --expect {}` lets it through once",
            refusal.likely(),
            hold.id,
            hold.count
        );
        Err(Failure::new(Verdict::Refused, refusal.cause(&figures, self.rules.file)).hint(hint).into())
    }

    /// What is held where more people would leave than the limit allows.
    fn over_limit(&self, look: &SyncLook) -> Option<Hold> {
        let most = self.rules.max_leavers.among(look.figures.known);
        (look.classes.leavers.len() > most).then(|| leaver_hold(self, look))
    }

    fn held(&self, hold: &Hold, look: &SyncLook) -> Failure {
        let known = look.figures.known;
        let cause = format!(
            "held: {} of {} would leave; the limit is {}",
            thousands(u64::from(hold.count)),
            thousands(known as u64),
            self.rules.max_leavers.said(known)
        );
        Failure::new(Verdict::Held, cause).hint(format!(
            "look with `assessctl testtakers sync --show {}`, then `assessctl testtakers apply {} --expect {}`",
            hold.id, hold.id, hold.count
        ))
    }

    /// Ends with the gravest of what failed, and says the rest.
    fn end<const N: usize>(&self, failures: [Option<Failure>; N]) -> anyhow::Result<Verdict> {
        let mut failures: Vec<Failure> = failures.into_iter().flatten().collect();
        failures.sort_by_key(|failure| failure.verdict);
        let Some(gravest) = failures.pop() else { return Ok(Verdict::Done) };
        for failure in failures {
            self.session.console.warn(&failure.cause);
        }
        Err(gravest.into())
    }
}

/// How each leaver ended.
fn leaver_ends(leavers: &[Leaver], removed: Option<&Removed>, hold: Option<&Hold>) -> Vec<RowResult> {
    if let Some(removed) = removed {
        return removed.finished.ends.clone();
    }
    let outcome = if hold.is_some() { Outcome::Held } else { Outcome::NotAttempted };
    leavers.iter().map(|leaver| RowResult::new(outcome).with_entry(leaver.person.entry_id())).collect()
}
