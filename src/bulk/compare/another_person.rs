//! Another person where a row's own is expected: at its entry by the journal, or in the answer to its create.

use super::Comparison;
use super::match_rule::{another_person, is_another_person};
use crate::bulk::outcome::RowResult;
use crate::bulk::roster::Field;
use crate::model::field_rules::{filled, fold_email};
use crate::model::testtakers::{Enrolment, ListedPerson};

/// How a row gets rid of an entry that is another person's. What is forgotten is not missed in a list any more.
const LET_GO: &str = "once the list shows all who were enrolled, `assessctl journal forget -p NAME_OR_ID` lets go of it, and an \
                      import enrols this row";

impl Comparison<'_> {
    /// Takes entries of the journal for their rows' own from now on, whatever their records say.
    pub fn trust_entries(&mut self) {
        self.others = None;
    }

    /// How a row ends whose entry by the journal is another person's by its record, unless the user forced it on the row.
    pub fn with_another_person(&self, row: usize, known: &RowResult, is_forced: bool) -> Option<RowResult> {
        let entry = *self.others.as_ref()?.get(&row)?;
        if is_forced {
            return Some(known.clone());
        }
        Some(self.result_of(row).unwrap_or_else(|| {
            let ended = another_person(entry);
            let words = ended.message.as_deref().unwrap_or_default();
            let words = format!("{words} ({LET_GO})");
            ended.with_message(words)
        }))
    }

    /// Whether the record at a row's entry is another person's: then the row has no entry.
    pub(super) fn is_anothers(&mut self, row: usize, record: &ListedPerson<'_>) -> bool {
        let Some(others) = &mut self.others else { return false };
        let is_another = is_another_person(self.index.roster, row, record);
        if is_another {
            others.insert(row, record.entry_id());
            self.matches[row] = None;
        }
        is_another
    }

    /// Whether an answer that is not this row's person is just another row's.
    pub fn is_another_row(&self, row: usize, answer: &Enrolment) -> bool {
        let roster = self.index.roster;
        let email = fold_email(answer.email.as_deref().unwrap_or_default());
        let reference = filled(answer.reference_id.as_deref());
        self.index.with_email_hash(self.index.hash(&email)).any(|other| {
            let own = fold_email(roster.value(other, Field::Email).unwrap_or_default());
            other != row && own == email && roster.value(other, Field::ReferenceId) == reference
        })
    }
}
