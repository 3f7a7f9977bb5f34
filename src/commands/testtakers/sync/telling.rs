//! What a sync prints: its rows, a summary that adds up, and the line to type where something is held.

use super::{ApprovalId, Changes, Failure, Judgement, Outcome, PersonRow, RowEnd, Run, SyncPeople, Synced, Verdict};
use crate::bulk::outcome::{Counts, Of};
use crate::bulk::person::Person;
use crate::bulk::sync::judge;
use crate::commands::account::{Account, ended};
use crate::journal::rosters::Source;
use crate::model::people::TestTaker;
use crate::model::projects::ProjectRef;
use crate::model::show::shell_word;
use crate::model::text::{counted, grouped};
use crate::model::time::{length, local};

impl SyncPeople {
    /// Shows what a sync did or would do, and gives its end.
    pub(super) fn tell(
        &self,
        account: &Account<'_>,
        synced: Synced,
        project: &ProjectRef,
        place: &str,
    ) -> anyhow::Result<Verdict> {
        let Synced { mut named, changes, judgement, run, leavers } = synced;
        let rows = named.rows.len();
        named.rows.extend(leavers);
        let run = named.over_all(run);
        let is_believed = !matches!(judgement, Judgement::NotBelieved(..));
        let is_asked = |end: &RowEnd| account.is_complete || (is_believed && end.needs_attention());
        let is_change = |end: &RowEnd| end.outcome != Outcome::Existing;
        let is_shown = |end: &RowEnd| if self.with.bulk.dry_run { is_change(end) } else { is_asked(end) };
        let missing = format!("missing for less than {}, see --absent-for", length(self.absent_for));
        let why_missing = if self.with.skip_invalid { "by --skip-invalid" } else { &missing };
        account.show(&named, &run, is_shown, &summary(&run, rows, &changes, why_missing, place))?;
        if self.approve.is_some() && judge(&changes, self.max_leavers.unwrap_or_default(), None) == Judgement::Follow {
            account.session.console.warn("--approve was not needed: no change is waiting for approval");
        }
        match (judgement, ended(&run, Of::Many)) {
            (Judgement::NotBelieved(id, why), _) => {
                let cause = format!("nothing was changed: {} {why}", named.file_name());
                Err(self.held(cause, "the file is right", id, project).into())
            }
            (Judgement::LeaversHeld(id), Ok(Verdict::Held)) => {
                let removals = counted(changes.leavers.len(), "removal is", "removals are");
                let cause = format!("{removals} more than --max-leavers allows");
                Err(self.held(cause, "they should be removed", id, project).into())
            }
            (_, ended) => ended,
        }
    }

    /// The line may be typed where the environment or the profile has another project.
    fn held(&self, cause: String, condition: &str, id: ApprovalId, project: &ProjectRef) -> Failure {
        let is_named = self.with.bulk.project.project.is_some();
        let project = if is_named { String::new() } else { format!(" -p {}", shell_word(&project.name)) };
        Failure::new(Verdict::Held, cause).hint(format!("if {condition}: add --approve {id:010x}{project}"))
    }
}

/// The row of a leaver, who is in no file.
pub(super) fn row_of(record: &TestTaker) -> PersonRow {
    let person = Person {
        entry_id: record.entry_id(),
        email: record.email.as_deref().and_then(|email| email.parse().ok()),
        first_name: record.first_name.as_deref().and_then(|name| name.parse().ok()),
        last_name: record.last_name.as_deref().and_then(|name| name.parse().ok()),
        birth_year: record.year_of_birth,
        reference_id: record.reference_id.as_deref().and_then(|id| id.parse().ok()),
    };
    PersonRow { person, ..PersonRow::default() }
}

/// A line that adds up to the rows of the file, and one to the people of the project who are in none. The ends of the leavers
/// follow those of `rows` rows.
fn summary(run: &Run, rows: usize, changes: &Changes, why_missing: &str, place: &str) -> String {
    use Outcome::{Enrolled, Existing, Removed, Updated};
    let (of_file, of_leavers) = run.ends.split_at(rows);
    let counts = |ends| Counts { ends, is_dry_run: run.is_rehearsed };
    let in_file = counts(of_file).summary(&[Existing, Enrolled, Updated], "unchanged");
    let removed = counts(of_leavers).summary(&[Removed], "");
    let others = of_leavers.len() + changes.others;
    let source = |Source { name, at }: &Source| format!("managed by source {name:?}, last synced at {}", local(*at));
    let mut reasons = vec![(changes.missing, why_missing.to_owned())];
    reasons.extend(changes.kept.iter().map(|(kept, people)| (*people, source(kept))));
    let rest = changes.others - reasons.iter().map(|(people, _)| people).sum::<usize>();
    reasons.push((rest, "not managed by sync".to_owned()));
    reasons.retain(|(people, _)| *people > 0);
    let kept = match &reasons[..] {
        [] => String::new(),
        [(people, why)] => format!(", {} kept ({why})", grouped(*people)),
        several => {
            let each = several.iter().map(|(people, why)| format!("{} {why}", grouped(*people)));
            format!(", {} kept ({})", grouped(changes.others), each.collect::<Vec<_>>().join("; "))
        }
    };
    let in_file = format!("{} in the file: {in_file}", grouped(rows));
    let of_others = format!("{} in {place}: {removed}{kept}", counted(others, "other", "others"));
    [[&[in_file], &run.notes[..]].concat().join(", "), of_others].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_adds_up_to_the_rows_and_to_the_project() {
        use Outcome::{Enrolled, Existing, Gone, Held, Removed, Updated};
        let ends = |outcomes: &[(Outcome, usize)]| -> Vec<RowEnd> {
            outcomes.iter().flat_map(|(outcome, count)| vec![RowEnd::new(*outcome); *count]).collect()
        };
        let run = Run { ends: ends(&[(Existing, 1779), (Enrolled, 12), (Updated, 9), (Removed, 6)]), ..Run::default() };
        let mut changes = Changes::default();
        changes.others = 31;
        let said = summary(&run, 1800, &changes, "missing for less than 20h, see --absent-for", "Demo");
        let expected = "1,800 in the file: 1,779 unchanged, 12 enrolled, 9 updated\n\
                        37 others in Demo: 6 removed, 31 kept (not managed by sync)";
        assert_eq!(said, expected);
        let run = Run { is_rehearsed: true, ends: ends(&[(Existing, 1), (Gone, 2), (Held, 3)]), ..Run::default() };
        (changes.others, changes.missing) = (2, 1);
        let said = summary(&run, 3, &changes, "missing for less than 20h, see --absent-for", "Demo");
        let expected = "3 in the file: 1 unchanged, 0 would be enrolled, 0 would be updated, 2 gone\n5 others in Demo: 0 would \
                        be removed, 3 waiting for approval, 2 kept (1 missing for less than 20h, see \
                        --absent-for; 1 not managed by sync)";
        assert_eq!(said, expected);
    }
}
