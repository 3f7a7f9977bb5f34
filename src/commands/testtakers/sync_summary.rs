//! The account of a sync: everyone about whom there is something to say, and numbers that add up.

use crate::bulk::outcome::{Outcome, RowResult};
use crate::bulk::pure_run::invalid;
use crate::bulk::sync::classes::RowClass;
use crate::bulk::sync::totals::{Became, SyncCounts};
use crate::commands::testtakers::sync_compare::SyncLook;
use crate::commands::testtakers::sync_context::SyncContext;
use crate::commands::testtakers::sync_report::SyncReport;

/// How everyone ended, or would end: rows and leavers by the parts of the file, and the old entries of the pairs.
pub struct Ends<'e> {
    pub rows: Vec<Vec<&'e RowResult>>,
    pub leavers: Vec<Vec<&'e RowResult>>,
    pub pairs: Vec<&'e RowResult>,
}

impl SyncContext<'_> {
    /// Prints everyone about whom there is something to say.
    pub fn report(&self, mut report: SyncReport, look: &SyncLook, ends: &Ends<'_>) -> anyhow::Result<()> {
        for (at, (part, of)) in self.parts.iter().zip(&look.parts).enumerate() {
            report.project(&part.name);
            report.rows(&part.roster, &of.classes.rows, ends.rows[at].iter().copied())?;
            for (leaver, end) in of.classes.leavers.iter().zip(&ends.leavers[at]) {
                report.leaver(&leaver.person, end)?;
            }
            let pairs = look.pairs.iter().zip(&ends.pairs).filter(|(pair, _)| pair.from == at);
            for (pair, end) in pairs {
                let class = if pair.is_replacement() { RowClass::Replaced } else { RowClass::Mover };
                report.old_entry(class, &pair.old.person, end)?;
            }
        }
        if let Some(unplaced) = &self.unplaced {
            let ends = self.unplaced_ends();
            report.project("");
            report.rows(unplaced, &vec![RowClass::Unsettled; ends.len()], ends.iter())?;
        }
        report.finish()
    }

    /// Rows that name no project end by their mistakes.
    pub fn unplaced_ends(&self) -> Vec<RowResult> {
        let Some(unplaced) = &self.unplaced else { return Vec::new() };
        let mut ends = invalid(unplaced);
        (0..unplaced.row_count()).map(|row| ends.remove(&row).unwrap_or(RowResult::new(Outcome::Invalid))).collect()
    }

    /// How many became what in each project, and in all of them.
    pub fn counts(&self, look: &SyncLook, ends: &Ends<'_>) -> (Vec<SyncCounts>, SyncCounts) {
        let each = look.parts.iter().enumerate().map(|(at, part)| {
            let mut counts = SyncCounts::default();
            counts.add_rows(&part.classes, ends.rows[at].iter().copied());
            counts.add_missing(&part.classes);
            for end in &ends.leavers[at] {
                counts.add(of_leaver(end.outcome, Became::Left), 1);
            }
            for (pair, end) in look.pairs.iter().zip(&ends.pairs).filter(|(pair, _)| pair.from == at) {
                let became = of_leaver(end.outcome, Became::MovedAway);
                // Of a changed e-mail the row says it all, unless the old entry stays.
                if !pair.is_replacement() || became == Became::NotRemoved {
                    counts.add(became, 1);
                }
            }
            counts
        });
        let each: Vec<SyncCounts> = each.collect();
        let mut all = SyncCounts::default();
        for counts in &each {
            all.add_all(counts);
        }
        for end in self.unplaced_ends() {
            all.add(Became::Otherwise(end.outcome as usize), 1);
        }
        (each, all)
    }

    /// Says the counts: of each project where the file is about several, and of all.
    pub fn say_counts(&self, (each, all): (&[SyncCounts], &SyncCounts), more: &str) {
        let console = self.session.console;
        if self.rules.has_project_column {
            for (part, counts) in self.parts.iter().zip(each) {
                console.note(&format!("{}: {counts}", part.name));
            }
        }
        console.note(&format!("{all}{}{more}", self.session.place()));
    }
}

fn of_leaver(outcome: Outcome, gone: Became) -> Became {
    match outcome {
        Outcome::Removed => gone,
        Outcome::WouldRemove if gone == Became::MovedAway => Became::MovesAway,
        Outcome::WouldRemove => Became::Leaves,
        Outcome::Held => Became::Held,
        _ => Became::NotRemoved,
    }
}
