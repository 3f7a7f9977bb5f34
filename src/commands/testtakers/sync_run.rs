//! The steps of a sync: read, compare, judge the limits, enrol and change, look again, remove, and last of all remember.

use std::collections::{HashMap, HashSet};

use crate::api::{Error, VerifiedList};
use crate::bulk::outcome::{Finished, RowResult};
use crate::bulk::run_plan::Enrolling;
use crate::bulk::run_verdict::ended;
use crate::bulk::sync::classes::{Classes, RowClass};
use crate::bulk::sync::known_people::KnownPeople;
use crate::bulk::sync::limits::{FileFigures, is_old, refusal};
use crate::bulk::sync::totals::SyncCounts;
use crate::commands::shared::project_args::ProjectContext;
use crate::commands::shared::run_failure::{InDoubt, end_of_parts, failure};
use crate::commands::testtakers::enrol_run::{LockMode, enrol_for_sync};
use crate::commands::testtakers::sync_blind_list::{is_empty, refuse_blind};
use crate::commands::testtakers::sync_compare::{Standing, SyncLook, look};
use crate::commands::testtakers::sync_context::{SyncContext, SyncPart};
use crate::commands::testtakers::sync_hold::{file_hold, leaver_hold};
use crate::commands::testtakers::sync_old_entries::{read_unsorted, say_after, say_before};
use crate::commands::testtakers::sync_plan::PlanTo;
use crate::commands::testtakers::sync_report::SyncReport;
use crate::commands::testtakers::sync_send::Sent;
use crate::journal::clock::{Moment, millis};
use crate::journal::held_syncs::{Hold, HoldId, HoldKind};
use crate::journal::synced_rosters::SyncEnd;
use crate::model::counted::thousands;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::testtakers::EntryId;

/// A few people may have been removed in the portal; of so many a list shows some.
const TOO_MANY: usize = 5;

impl SyncContext<'_> {
    /// Runs to the end; only as far as a plan where that is wanted.
    pub async fn run(mut self, plan: Option<PlanTo<'_>>) -> anyhow::Result<Verdict> {
        let report = SyncReport::begin(self.session)?;
        let mut standings = Vec::new();
        for part in &self.parts {
            standings.push(self.stand(part, plan.is_some()).await?);
        }
        let mut look = look(&self, &standings)?;
        self.refuse(&look)?;
        if let Some(to) = plan {
            let ends: Vec<Vec<RowResult>> = standings.into_iter().map(|standing| standing.ends).collect();
            return self.plan(report, &to, ends, &mut look);
        }
        let (hold, over_limit) = self.over_limit(&look)?.unzip();
        let waiting = hold.iter().flat_map(|hold| &hold.people).filter(|person| person.to.is_some()).count();
        say_before(self.session, look.pairs.len() - waiting);
        let sent = self.carry_out(standings, &look, hold.as_ref()).await?;
        let voided = if sent.is_whole() { self.remember(&mut look, &sent, hold.as_ref())? } else { Vec::new() };
        let printed = self.report(report, &look, &sent.ends);
        self.say(&look, &sent, &voided);
        printed?;
        let mut failures: Vec<Failure> = sent.failures();
        let renamed = look.renamed_hint(self.rules.replaces_renamed, false);
        for failure in failures.iter_mut().filter(|failure| failure.verdict == Verdict::RowsToFix) {
            failure.hint = failure.hint.take().or(renamed.map(str::to_owned));
        }
        failures.extend(over_limit);
        failures.extend(failure(&ended(self.unplaced_ends()), true, InDoubt::Awaited));
        end_of_parts(self.session.console, failures, sent.changed_people())
    }

    /// Reads a project's list, and how the rows stand in it. Nothing is sent before that is known of every project.
    async fn stand(&self, part: &SyncPart<'_>, only_looks: bool) -> anyhow::Result<Standing> {
        let list = read_unsorted(&part.context).await?;
        self.refuse_empty(&part.context, &list)?;
        let mut standing = Standing { list, ends: Vec::new(), removing: HashSet::new() };
        standing.removing = self.settle_removals(part, &standing, only_looks)?;
        let rehearsal = self.enrol(part, &standing, HashMap::new(), LockMode::DryRun).await?;
        if let Some(failure) = rehearsal.stop.as_ref().and_then(|_| failure(&rehearsal, true, InDoubt::Awaited)) {
            return Err(failure.into());
        }
        standing.ends = rehearsal.ends;
        Ok(standing)
    }

    /// Refuses a list that shows no one, where the last ones had more than a few: by it, who was about to be removed would be
    /// gone, and who is absent forgotten.
    fn refuse_empty(&self, context: &ProjectContext<'_>, list: &VerifiedList) -> anyhow::Result<()> {
        if !is_empty(list)? {
            return Ok(());
        }
        let known = self.journal.recall(context.project, &self.rules.source)?;
        let known = KnownPeople::new(known.map(|known| known.people).unwrap_or_default());
        if known.len() < TOO_MANY {
            return Ok(());
        }
        refuse_blind(context, list, (&known, &self.journal.hasher()))
    }

    /// Settles the removals that a killed run left open: an entry that is gone was removed by us. One that is still there
    /// after the settle time was not; before that, its removal may still take effect.
    fn settle_removals(
        &self,
        part: &SyncPart<'_>,
        standing: &Standing,
        only_looks: bool,
    ) -> anyhow::Result<HashSet<EntryId>> {
        let open: HashMap<EntryId, Moment> = part.removals.borrow().open_removals()?.into_iter().collect();
        let mut there = HashSet::new();
        if !open.is_empty() {
            standing.list.each_entry(|entry, _| {
                there.extend(Some(entry).filter(|entry| open.contains_key(entry)));
                Ok::<_, Error>(())
            })?;
        }
        let (now, settle) = (Moment::now(), millis(self.rules.doubt.settle));
        let mut removing = HashSet::new();
        for (entry, begun) in open {
            if there.contains(&entry) && now.wall.saturating_sub(now.dates(&begun)) < settle {
                removing.insert(entry);
            } else if !only_looks {
                part.removals.borrow_mut().settle(entry, !there.contains(&entry))?;
            }
        }
        Ok(removing)
    }

    /// The import of a project's rows, or its rehearsal.
    pub async fn enrol(
        &self,
        part: &SyncPart<'_>,
        standing: &Standing,
        settled: HashMap<usize, RowResult>,
        lock_mode: LockMode,
    ) -> anyhow::Result<Finished> {
        let (project, list) = (part.context.project, Some(&standing.list));
        let enrolling = Enrolling { project, roster: &part.roster, list, settled };
        enrol_for_sync(&part.context, enrolling, self.rules.doubt, lock_mode, false).await
    }

    /// Remembers the rosters as a whole; the answer are the holds that they make void.
    fn remember(&mut self, look: &mut SyncLook, sent: &Sent, hold: Option<&Hold>) -> anyhow::Result<Vec<HoldId>> {
        let left = sent.left(look);
        let rosters = look.remembered(self, &left);
        if rosters.is_empty() {
            return Ok(Vec::new());
        }
        let void = self.void(hold.map(|hold| hold.id), &look.now)?;
        let told = void.iter().filter(|hold| !hold.is_applied() && hold.kind != HoldKind::Plan);
        let told = told.map(|hold| hold.id).collect();
        let followed = self.rules.has_project_column.then(|| self.projects());
        let void = void.iter().map(|hold| hold.id).collect();
        self.journal.end(&self.rules.source, SyncEnd { rosters, held: hold.cloned(), void, followed })?;
        Ok(told)
    }

    /// Says what was done, and what became of what was held.
    fn say(&self, look: &SyncLook, sent: &Sent, voided: &[HoldId]) {
        let console = self.session.console;
        for note in &look.notes {
            console.note(note);
        }
        for id in voided {
            console.note(&format!("hold {id} is cancelled: a later sync replaced it"));
        }
        let (each, all) = self.counts(look, &sent.ends, &SyncCounts::default());
        for (word, count) in all.by_word() {
            self.session.counts.add(word, count);
        }
        let stats = self.client.stats();
        let stats = if stats.is_telling() { format!("; {stats}") } else { String::new() };
        self.say_counts(&each, &all, &stats);
        say_after(self.session, sent.left(look).len());
    }

    /// What is held no more once this roster is remembered. What was applied is kept for a while, to be told of.
    fn void(&self, held: Option<HoldId>, now: &Moment) -> anyhow::Result<Vec<Hold>> {
        let mut void = self.journal.holds()?;
        let projects = self.projects();
        void.retain(|known| {
            let is_old = is_old(now, &known.settled.unwrap_or(known.held));
            let takes_place = known.concerns(&self.rules.source, &projects) && Some(known.id) != held;
            takes_place && (is_old || !(known.is_applied() || known.kind == HoldKind::Plan))
        });
        Ok(void)
    }

    /// Refuses the file where a project's part goes beyond its limits, but for one that a person let through.
    fn refuse(&mut self, look: &SyncLook) -> anyhow::Result<()> {
        let parts = self.parts.iter().zip(&look.parts).zip(&look.classes);
        let judged = parts.filter_map(|((part, look), classes)| {
            let figures =
                FileFigures { joiners: classes.joining(), changes: self.changed_count(classes), ..look.figures };
            // A project whose people went out of the file before has no one left to lose.
            let was_empty = self.rules.has_project_column && figures.in_last == 0 && part.roster.row_count() == 0;
            let refusal = refusal(&figures, self.rules.file).filter(|_| !was_empty)?;
            Some((refusal, format!("{}{}", self.about(part), refusal.cause(&figures, self.rules.file))))
        });
        let Some((refusal, cause)) = judged.collect::<Vec<_>>().into_iter().next() else { return Ok(()) };
        if self.journal.is_approved(&self.rules.source, &self.projects(), &look.roster)? {
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
        Err(Failure::new(Verdict::Refused, cause).hint(hint).into())
    }

    /// How many people of a file change. With `--replace-renamed` each changed e-mail does, also one that is a conflict.
    fn changed_count(&self, classes: &Classes) -> usize {
        let renamed = if self.rules.replaces_renamed { classes.count(RowClass::Renamed) } else { 0 };
        classes.count(RowClass::Changed) + classes.count(RowClass::Replaced) + renamed
    }

    /// What is held where more people would leave a project than the limit allows, and what is said of it: everyone who
    /// would leave any of them, and everyone who would move, but for moves that a person let through.
    fn over_limit(&self, look: &SyncLook) -> anyhow::Result<Option<(Hold, Failure)>> {
        let hold = leaver_hold(self, look)?;
        let over = self.parts.iter().zip(&look.parts).filter_map(|(part, look)| {
            let known = look.figures.known;
            let leaving = hold.people.iter().filter(|held| held.project == part.context.project).count();
            let is_over = self.rules.max_leavers.is_exceeded(leaving, known);
            is_over.then(|| {
                let (leaving, of) = (thousands(leaving as u64), thousands(known as u64));
                let limit = self.rules.max_leavers.said(known);
                if self.rules.has_project_column {
                    format!("{leaving} of {of} would leave {}, where the limit is {limit}", part.name)
                } else {
                    format!("{leaving} of {of} would leave; the limit is {limit}")
                }
            })
        });
        let over: Vec<String> = over.collect();
        if over.is_empty() {
            return Ok(None);
        }
        let failure = Failure::new(Verdict::Held, format!("held: {}", over.join("; "))).hint(format!(
            "look with `assessctl testtakers sync --show {}`, then `assessctl testtakers apply {} --expect {}`",
            hold.id, hold.id, hold.count
        ));
        Ok(Some((hold, failure)))
    }
}
