//! How rows end, and what that makes of a whole run.

use uuid::Uuid;

use crate::model::people::{EntryId, TestTaker};
use crate::model::text::grouped;
use crate::model::verdict::{Failure, Verdict};

/// How a row ended (docs/reference.md, outcomes). Never called status: that is what the service says of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// Enrolled by this run, or by an earlier one whose answer was lost.
    Enrolled,
    Updated,
    Removed,
    /// Got a new test link.
    Issued,
    /// Was in the project already.
    Existing,
    /// Has a link that still works.
    Kept,
    /// Named by a file of people who are enrolled, and not in the project.
    Absent,
    /// The service said no.
    Refused,
    /// A mistake in the roster.
    Invalid,
    /// The project has something that contradicts the row.
    Conflict,
    /// Was enrolled from here, and removed elsewhere since.
    Gone,
    /// Waits for somebody's approval.
    Held,
    /// Sent, and not known yet whether it took effect.
    InDoubt,
    /// Not sent.
    NotAttempted,
}

/// In the order of their declaration: each with its word, and the one of a dry run.
const WORDS: [(Outcome, &str, &str); 14] = [
    (Outcome::Enrolled, "enrolled", "would-enrol"),
    (Outcome::Updated, "updated", "would-update"),
    (Outcome::Removed, "removed", "would-remove"),
    (Outcome::Issued, "issued", "would-issue"),
    (Outcome::Existing, "existing", "existing"),
    (Outcome::Kept, "kept", "kept"),
    (Outcome::Absent, "absent", "absent"),
    (Outcome::Refused, "refused", "refused"),
    (Outcome::Invalid, "invalid", "invalid"),
    (Outcome::Conflict, "conflict", "conflict"),
    (Outcome::Gone, "gone", "gone"),
    (Outcome::Held, "held", "held"),
    (Outcome::InDoubt, "in-doubt", "in-doubt"),
    (Outcome::NotAttempted, "not-attempted", "not-attempted"),
];

impl Outcome {
    /// All of them, in the order of a summary.
    pub fn all() -> impl Iterator<Item = Self> {
        WORDS.into_iter().map(|(outcome, ..)| outcome)
    }

    /// The word of reports.
    pub fn word(self, is_dry_run: bool) -> &'static str {
        let (_, word, would) = WORDS[self as usize];
        if is_dry_run { would } else { word }
    }

    /// The words of a summary: `2 would be removed`.
    pub fn words(self, is_dry_run: bool) -> String {
        let (_, word, would) = WORDS[self as usize];
        match self {
            Self::Kept => "with a valid link already".to_owned(),
            Self::Absent => "not found".to_owned(),
            Self::Conflict => "in conflict".to_owned(),
            Self::Held => "waiting for approval".to_owned(),
            Self::NotAttempted => "still to do".to_owned(),
            _ if is_dry_run && word != would => format!("would be {word}"),
            _ => word.to_owned(),
        }
    }

    /// Whether the row has to be changed before it can succeed.
    pub fn is_to_fix(self) -> bool {
        matches!(self, Self::Refused | Self::Invalid | Self::Conflict | Self::Gone | Self::Absent)
    }
}

/// The end of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowEnd {
    pub outcome: Outcome,
    /// The person's entry, where one is known.
    pub entry: Option<EntryId>,
    /// The `id` of the enrolment, where the service answered it to this machine.
    pub enrolment: Option<Uuid>,
    /// For a report; may have the service's words whole. Empty where there is nothing to say.
    pub message: String,
}

impl RowEnd {
    /// An end without an entry or a message.
    pub fn new(outcome: Outcome) -> Self {
        Self { outcome, entry: None, enrolment: None, message: String::new() }
    }

    #[must_use]
    pub fn entry(self, entry: impl Into<Option<EntryId>>) -> Self {
        Self { entry: entry.into(), ..self }
    }

    #[must_use]
    pub fn enrolment(self, enrolment: Option<Uuid>) -> Self {
        Self { enrolment, ..self }
    }

    #[must_use]
    pub fn message(self, message: impl Into<String>) -> Self {
        Self { message: message.into(), ..self }
    }

    /// Whether somebody has to look at the row. Rows that were not attempted without a reason of their own only count.
    pub fn needs_attention(&self) -> bool {
        let is_told = matches!(self.outcome, Outcome::Held | Outcome::InDoubt)
            || (self.outcome == Outcome::NotAttempted && !self.message.is_empty());
        self.outcome.is_to_fix() || is_told
    }
}

/// What a verdict is of (docs/reference.md, outcomes).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    One,
    Many,
    /// Many removals: people who are not there are as they should be.
    Removals,
}

/// How many rows ended how.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts<'e> {
    pub ends: &'e [RowEnd],
    pub is_dry_run: bool,
}

impl Counts<'_> {
    pub fn of(&self, outcome: Outcome) -> usize {
        self.ends.iter().filter(|end| end.outcome == outcome).count()
    }

    /// The summary: the number of each of these outcomes, then of the others that there are. `existing` says what that outcome
    /// means for the command.
    pub fn summary(&self, always: &[Outcome], existing: &str) -> String {
        let others = Outcome::all().filter(|outcome| !always.contains(outcome) && self.of(*outcome) > 0);
        let words = always.iter().copied().chain(others).map(|outcome| {
            let word = if outcome == Outcome::Existing { existing.to_owned() } else { outcome.words(self.is_dry_run) };
            format!("{} {word}", grouped(self.of(outcome)))
        });
        let words: Vec<String> = words.collect();
        if words.is_empty() { "no rows: nothing to do".to_owned() } else { words.join(", ") }
    }

    /// What these rows mean for the exit code; of several the greatest counts.
    pub fn verdict(&self, of: Of) -> Verdict {
        let present = Outcome::all().filter(|outcome| self.of(*outcome) > 0);
        present.map(|outcome| self.verdict_of(outcome, of)).max().unwrap_or(Verdict::Done)
    }

    fn verdict_of(&self, outcome: Outcome, of: Of) -> Verdict {
        use Outcome::{Enrolled, Issued, Refused, Removed, Updated};
        let was_sent = [Enrolled, Updated, Removed, Issued, Refused].iter().any(|sent| self.of(*sent) > 0);
        match outcome {
            Outcome::InDoubt => Verdict::Unfinished,
            Outcome::NotAttempted if was_sent => Verdict::Unfinished,
            Outcome::NotAttempted => Verdict::NothingDone,
            Outcome::Held => Verdict::Held,
            Outcome::Absent if of == Of::One || self.of(outcome) == self.ends.len() => Verdict::NotFound,
            Outcome::Absent if of == Of::Removals => Verdict::Done,
            _ if !outcome.is_to_fix() => Verdict::Done,
            _ if of == Of::One => Verdict::Refused,
            _ => Verdict::RowsToFix,
        }
    }
}

/// A run over many rows, however it ended.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// In the order of the rows.
    pub ends: Vec<RowEnd>,
    /// Nothing was sent: it was a dry run.
    pub is_rehearsed: bool,
    /// Rows that are to be updated, with the record of their person: they are in the project with other names, or without the
    /// row's reference id.
    pub differing: Vec<(usize, TestTaker)>,
    /// Sentences for the summary.
    pub notes: Vec<String>,
    /// Why the run did not go to its end.
    pub failure: Option<Failure>,
}

impl Run {
    pub fn counts(&self) -> Counts<'_> {
        Counts { ends: &self.ends, is_dry_run: self.is_rehearsed }
    }

    pub fn verdict(&self, of: Of) -> Verdict {
        let stopped = self.failure.as_ref().map_or(Verdict::Done, |failure| failure.verdict);
        self.counts().verdict(of).max(stopped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(outcomes: &[Outcome]) -> Run {
        Run { ends: outcomes.iter().map(|outcome| RowEnd::new(*outcome)).collect(), ..Run::default() }
    }

    #[test]
    fn outcomes_lead_to_verdicts_as_the_table_says() {
        use Outcome::{
            Absent, Conflict, Enrolled, Existing, Gone, Held, InDoubt, Invalid, Issued, Kept, NotAttempted, Refused,
            Removed, Updated,
        };
        for outcome in [Enrolled, Existing, Updated, Removed, Issued, Kept] {
            assert_eq!(run(&[outcome; 2]).verdict(Of::Many), Verdict::Done);
            assert_eq!(run(&[outcome]).verdict(Of::One), Verdict::Done);
        }
        for outcome in [Refused, Invalid, Conflict, Gone] {
            assert_eq!(run(&[outcome, Enrolled]).verdict(Of::Many), Verdict::RowsToFix);
            assert_eq!(run(&[outcome]).verdict(Of::One), Verdict::Refused);
        }
        assert_eq!(run(&[Absent, Removed]).verdict(Of::Removals), Verdict::Done);
        assert_eq!(run(&[Absent, Updated]).verdict(Of::Many), Verdict::RowsToFix);
        for of in [Of::One, Of::Many, Of::Removals] {
            assert_eq!(run(&[Absent]).verdict(of), Verdict::NotFound);
        }
        assert_eq!(run(&[NotAttempted, Conflict, Enrolled]).verdict(Of::Many), Verdict::Unfinished);
        assert_eq!(run(&[NotAttempted, Existing]).verdict(Of::Many), Verdict::NothingDone);
        assert_eq!(run(&[InDoubt, Existing]).verdict(Of::Many), Verdict::Unfinished);
        assert_eq!(run(&[Held, Conflict]).verdict(Of::Many), Verdict::Held);
        assert_eq!(run(&[]).verdict(Of::Many), Verdict::Done);
        let stopped = Run { failure: Some(Failure::new(Verdict::Key, "no")), ..run(&[NotAttempted, Enrolled]) };
        assert_eq!(stopped.verdict(Of::Many), Verdict::Key);
    }

    #[test]
    fn a_summary_names_what_there_is() {
        let ends = run(&[Outcome::Existing, Outcome::Enrolled, Outcome::Enrolled]).ends;
        let summary = |is_dry_run| Counts { ends: &ends, is_dry_run }.summary(&[Outcome::Updated], "unchanged");
        assert_eq!(summary(false), "0 updated, 2 enrolled, 1 unchanged");
        assert_eq!(summary(true), "0 would be updated, 2 would be enrolled, 1 unchanged");
        assert_eq!(Counts::default().summary(&[], "unchanged"), "no rows: nothing to do");
        assert!(Outcome::all().enumerate().all(|(at, outcome)| at == outcome as usize));
    }
}
