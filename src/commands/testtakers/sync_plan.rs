//! `testtakers sync --plan`: what would change, as a file for a reviewer; nothing is sent.

use std::collections::HashSet;
use std::io::{self, BufWriter};
use std::path::Path;

use anyhow::Context as _;
use jiff::Timestamp;

use crate::bulk::outcome::{Outcome, RowResult};
use crate::bulk::run_verdict::ended;
use crate::bulk::sync::classes::RowClass;
use crate::bulk::sync::plan_change::{PlanPerson, PlannedChange};
use crate::bulk::sync::plan_file::{PlanFiles, PlanHead, PlanProject};
use crate::bulk::sync::totals::SyncCounts;
use crate::commands::shared::run_failure::{InDoubt, failure};
use crate::commands::testtakers::sync_compare::SyncLook;
use crate::commands::testtakers::sync_context::{SyncContext, hex};
use crate::commands::testtakers::sync_hold::{hold, leaving};
use crate::commands::testtakers::sync_old_entries::say_before;
use crate::commands::testtakers::sync_report::{SyncEnds, SyncReport};
use crate::commands::testtakers::sync_send::pending;
use crate::files::Replacement;
use crate::journal::held_syncs::{Hold, HoldId, HoldKind};
use crate::journal::synced_rosters::SyncJournal;
use crate::model::counted::counted;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::shell_word::shell_word;
use crate::model::testtakers::EntryId;

/// The target of `--plan`, and whether a plan with changes ends with 8.
pub struct PlanTo<'a> {
    pub file: &'a Path,
    /// `--fail-on-change`
    pub fail_on_change: bool,
}

/// What seals the lines of plans: a keyed hash of the state folder.
pub fn plan_files(journal: &SyncJournal) -> PlanFiles<impl Fn(&[&str]) -> String> {
    let hasher = journal.key_hasher();
    PlanFiles::new(move |texts: &[&str]| hex(&hasher.hash("plan line", texts)))
}

impl SyncContext<'_> {
    /// Writes the plan, and shows it. `rows` say how the rows of each part stand.
    pub fn plan(
        mut self,
        mut report: SyncReport,
        to: &PlanTo<'_>,
        rows: Vec<Vec<RowResult>>,
        look: &mut SyncLook,
    ) -> anyhow::Result<Verdict> {
        let changes = self.changes(look);
        let made = Timestamp::from_millisecond(look.now.wall).context("the clock is out of range")?;
        let roster = hex(&look.roster);
        let id = HoldId::of(&self.journal.hash("plan", &[&self.rules.source, &roster, &made.to_string()]));
        let service = self.session.service_name()?;
        let projects = self.parts.iter().map(|part| PlanProject { id: part.context.project, name: part.name.clone() });
        let head = PlanHead {
            projects: projects.collect(),
            changes: changes.len(),
            ..PlanHead::new(id.to_string(), made, service, self.rules.source.clone(), roster)
        };
        self.write(to.file, &head, &changes).with_context(|| format!("cannot write the plan {}", to.file.display()))?;
        self.keep(id, look, changes.len())?;
        report.show_all();
        let ends = SyncEnds::new(would_end(rows, look), look, Outcome::WouldRemove, |_| Outcome::WouldRemove);
        self.report(report, look, &ends)?;
        for note in &look.notes {
            self.session.console.note(note);
        }
        say_before(self.session, look.pairs.len());
        let lines = counted(changes.len(), "change", "changes");
        let file = to.file.display();
        let (each, all) = self.counts(look, &ends, &SyncCounts::of_plan());
        self.say_counts(&each, &all, &format!("; plan {id} of {lines} in {file}"));
        if to.fail_on_change && !changes.is_empty() {
            let file = to.file.to_string_lossy();
            let hint = format!("review it, then `assessctl testtakers apply {}`", shell_word(&file));
            return Err(Failure::new(Verdict::Matched, format!("the plan has {lines}")).hint(hint).into());
        }
        let rows = ends.rows.into_iter().flatten();
        match failure(&ended(rows.chain(self.unplaced_ends()).collect()), true, InDoubt::Awaited) {
            Some(Failure { hint: None, verdict: Verdict::RowsToFix, cause, .. }) => {
                let hint = look.renamed_hint(self.rules.replaces_renamed, true).map(str::to_owned);
                Err(Failure { hint, ..Failure::new(Verdict::RowsToFix, cause) }.into())
            }
            failure => failure.or_else(|| pending(look)).map_or(Ok(Verdict::Done), |failure| Err(failure.into())),
        }
    }

    fn write(&self, to: &Path, head: &PlanHead, changes: &[PlannedChange]) -> io::Result<()> {
        let mut file = Replacement::begin(to)?;
        plan_files(&self.journal).write(head, changes, BufWriter::new(&mut file))?;
        file.commit()
    }

    /// Keeps what `apply` needs beside the file: ids and hashes alone.
    fn keep(&mut self, id: HoldId, look: &mut SyncLook, changes: usize) -> anyhow::Result<()> {
        let hold = hold(self, look, id, HoldKind::Plan, changes, leaving(self, look));
        let hold = Hold { number: Some(look.number), ..hold };
        // Once it is applied, all who leave by it are gone.
        let left = all_leaving(look);
        let rosters = look.remembered(self, &left);
        Ok(self.journal.plan(&hold, rosters)?)
    }

    /// The lines of the plan: of each project those who join and change, then pairs, then those who leave.
    fn changes(&self, look: &SyncLook) -> Vec<PlannedChange> {
        let mut changes = Vec::new();
        for (part, classes) in self.parts.iter().zip(&look.classes) {
            let project = part.context.project;
            changes.extend(classes.rows.iter().enumerate().filter_map(|(row, class)| {
                let becomes = PlanPerson::of_row(&part.roster, row);
                match class {
                    RowClass::Joiner | RowClass::Returner => Some(PlannedChange::Enrol { project, becomes }),
                    RowClass::Changed => {
                        let before = classes.changed.get(&row)?;
                        let (entry, was) = (before.entry_id(), PlanPerson::of_record(before));
                        Some(PlannedChange::Update { project, entry, was, becomes })
                    }
                    _ => None,
                }
            }));
        }
        changes.extend(look.pairs.iter().map(|pair| {
            let (project, to) = (self.parts[pair.from].context.project, self.parts[pair.to].context.project);
            let (entry, was) = (pair.entry(), PlanPerson::of_record(&pair.old.person));
            let becomes = PlanPerson::of_row(&self.parts[pair.to].roster, pair.row);
            if pair.is_replacement() {
                PlannedChange::Replace { project, entry, was, becomes }
            } else {
                PlannedChange::Move { project, entry, was, to, becomes }
            }
        }));
        for (part, classes) in self.parts.iter().zip(&look.classes) {
            changes.extend(classes.leavers.iter().map(|leaver| PlannedChange::Remove {
                project: part.context.project,
                entry: leaver.person.entry_id(),
                was: PlanPerson::of_record(&leaver.person),
            }));
        }
        changes
    }
}

/// Everyone who leaves an entry by the plan.
fn all_leaving(look: &SyncLook) -> HashSet<(usize, EntryId)> {
    let each = look.classes.iter().enumerate();
    let leavers = each.flat_map(|(at, of)| of.leavers.iter().map(move |one| (at, one.person.entry_id())));
    leavers.chain(look.pairs.iter().map(|pair| (pair.from, pair.entry()))).collect()
}

/// How the rows would end, by how they stand: those that are settled end so, and another e-mail is enrolled.
fn would_end(mut rows: Vec<Vec<RowResult>>, look: &SyncLook) -> Vec<Vec<RowResult>> {
    let replaced = look.pairs.iter().filter(|pair| pair.is_replacement()).map(|pair| {
        let end = &rows[pair.to][pair.row];
        let is_new = end.outcome == Outcome::Conflict;
        (pair.to, pair.row, if is_new { RowResult::new(Outcome::WouldEnrol) } else { end.clone() })
    });
    let replaced: Vec<(usize, usize, RowResult)> = replaced.collect();
    for (rows, classes) in rows.iter_mut().zip(&look.classes) {
        for (row, end) in &classes.settled {
            rows[*row] = end.clone();
        }
    }
    for (part, row, end) in replaced {
        rows[part][row] = end;
    }
    rows
}
