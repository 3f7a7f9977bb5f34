//! `testtakers sync --plan`: what would change, as a file for a reviewer; nothing is sent.

use std::io::{self, BufWriter};
use std::path::Path;

use anyhow::Context as _;
use jiff::Timestamp;

use crate::bulk::outcome::{Finished, Outcome, RowResult};
use crate::bulk::sync::classes::RowClass;
use crate::bulk::sync::counts::{Became, SyncCounts};
use crate::bulk::sync::plan_file::{PlanFiles, PlanHead, PlanPerson, PlanProject, PlannedChange};
use crate::bulk::verdict::ended;
use crate::commands::shared::run_failure::{LOOK, failure};
use crate::commands::testtakers::sync_context::SyncContext;
use crate::commands::testtakers::sync_look::{SyncLook, hex};
use crate::commands::testtakers::sync_report::SyncReport;
use crate::files::Replacement;
use crate::journal::holds::{HeldPerson, Hold, HoldId, HoldKind};
use crate::journal::synced::SyncJournal;
use crate::model::counted::counted;
use crate::model::verdict::{Failure, Verdict};

/// Where a plan goes, and whether that there is one is an alert.
pub struct PlanTo<'a> {
    /// The file.
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
    /// Writes the plan, and shows it.
    pub fn plan(
        mut self,
        (mut report, to): (SyncReport, PlanTo<'_>),
        rehearsal: &Finished,
        look: &SyncLook,
    ) -> anyhow::Result<Verdict> {
        let changes = self.changes(look);
        let made = Timestamp::from_millisecond(look.now.wall).context("the clock is out of range")?;
        let roster = hex(&look.roster);
        let id = HoldId::of(&self.journal.hash("plan", &[&self.rules.source, &roster, &made.to_string()]));
        let service = self.session.service_name()?;
        let head = PlanHead {
            projects: vec![PlanProject { id: self.project, name: self.name.clone() }],
            changes: changes.len(),
            ..PlanHead::new(id.to_string(), made, service, self.rules.source.clone(), roster)
        };
        self.write(to.file, &head, &changes).with_context(|| format!("cannot write the plan {}", to.file.display()))?;
        self.keep(id, look, changes.len())?;
        let ends = rehearsal.ends.iter().enumerate();
        let ends: Vec<&RowResult> = ends.map(|(row, end)| look.classes.settled.get(&row).unwrap_or(end)).collect();
        report.show_all();
        report.rows(self.roster, &look.classes, ends.iter().copied())?;
        let leave = look.classes.leavers.iter();
        let leave: Vec<RowResult> =
            leave.map(|one| RowResult::new(Outcome::WouldRemove).with_entry(one.person.entry_id())).collect();
        report.leavers(&look.classes.leavers, &leave)?;
        report.finish()?;
        let mut counts = SyncCounts::default();
        counts.add_rows(&look.classes, ends.iter().copied());
        counts.add_missing(&look.classes);
        counts.add(Became::Leaves, leave.len());
        for note in &look.notes {
            self.session.console.note(note);
        }
        let lines = counted(changes.len(), "change", "changes");
        let file = to.file.display();
        self.session.console.note(&format!("{counts}{}; plan {id} of {lines} in {file}", self.session.place()));
        if to.fail_on_change && !changes.is_empty() {
            let hint = format!("review it, then `assessctl testtakers apply {file}`");
            return Err(Failure::new(Verdict::Matched, format!("the plan has {lines}")).hint(hint).into());
        }
        match failure(&ended(ends.into_iter().cloned().collect()), true, LOOK) {
            Some(failure) => Err(failure.into()),
            None => Ok(Verdict::Done),
        }
    }

    fn write(&self, to: &Path, head: &PlanHead, changes: &[PlannedChange]) -> io::Result<()> {
        let mut file = Replacement::begin(to)?;
        plan_files(&self.journal).write(head, changes, BufWriter::new(&mut file))?;
        file.commit()
    }

    /// Keeps what `apply` needs beside the file: ids and hashes alone.
    fn keep(&mut self, id: HoldId, look: &SyncLook, changes: usize) -> anyhow::Result<()> {
        let people = look.classes.leavers.iter().filter_map(|leaver| {
            let (project, entry) = (self.project, leaver.person.entry_id());
            leaver.keys.primary().map(|key| HeldPerson { project, entry, key })
        });
        let hold = Hold {
            id,
            source: self.rules.source.clone(),
            kind: HoldKind::Plan,
            held: look.now.wall,
            projects: vec![self.project],
            roster: look.roster,
            count: u32::try_from(changes).unwrap_or(u32::MAX),
            settled: None,
            people: people.collect(),
        };
        let rosters = match self.remembered(look, &look.classes.still) {
            Some(roster) => vec![(self.project, roster)],
            None => Vec::new(),
        };
        Ok(self.journal.plan(&hold, &rosters)?)
    }

    /// The lines of the plan.
    fn changes(&self, look: &SyncLook) -> Vec<PlannedChange> {
        let (project, classes) = (self.project, &look.classes);
        let rows = classes.rows.iter().enumerate().filter_map(|(row, class)| {
            let becomes = PlanPerson::of_row(self.roster, row);
            match class {
                RowClass::Joiner | RowClass::Returner => Some(PlannedChange::Enrol { project, becomes }),
                RowClass::Changed => {
                    let before = classes.changed.get(&row)?;
                    let (entry, was) = (before.entry_id(), PlanPerson::of_record(before));
                    Some(PlannedChange::Update { project, entry, was, becomes })
                }
                RowClass::AsBefore | RowClass::Renamed | RowClass::Unsettled => None,
            }
        });
        let leavers = classes.leavers.iter().map(|leaver| PlannedChange::Remove {
            project,
            entry: leaver.person.entry_id(),
            was: PlanPerson::of_record(&leaver.person),
        });
        rows.chain(leavers).collect()
    }
}
