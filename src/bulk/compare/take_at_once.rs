//! Records that say just what one row says: each is taken for its row as soon as it is seen, and nothing of it is kept.
//!
//! The judgement would end the same. No other person can be meant where no other row has the record's e-mail or its reference
//! id, the row is not the journal's, and no other record has the e-mail. The last is not known before the list has ended:
//! a second record with the e-mail gives the first one back, and both wait for the judgement. A record with the reference id
//! and another e-mail changes nothing of this: it is noted, and told of beside the row's own.

use crate::model::field_rules::{filled, fold_email, same_email};
use crate::model::testtakers::ListedPerson;

use super::same_email::Note;
use super::{Comparison, Differences, Relation, number};

/// What became of a row since the last judgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// Other rows may have its e-mail or reference id, or it has no e-mail, or it is none of those that are compared.
    Shared,
    /// Nothing yet.
    Open,
    /// A record was taken for it.
    Taken,
    /// A record with its e-mail waits for the judgement.
    Noted,
}

impl Comparison<'_> {
    /// Takes a record for the one row that says the same, where there is one; `false` for any other record.
    pub(super) fn take_at_once(&mut self, record: &ListedPerson<'_>) -> bool {
        let Some(row) = self.row_of(record) else { return false };
        if self.known(row).is_some() || self.owner(record.entry_id()).is_some() {
            return false;
        }
        self.marks[row] = Mark::Taken;
        self.pair(Relation::Same, row, record.entry_id(), Differences::default());
        self.next = row + 1;
        true
    }

    /// The open row that says just what a record says.
    fn row_of(&mut self, record: &ListedPerson<'_>) -> Option<usize> {
        let email = filled(record.email())?;
        if self.marks.is_empty() {
            self.mark_rows();
        }
        if self.is_of(self.next, email, record) {
            return Some(self.next);
        }
        let row = self.index.with_email_hash(self.index.hash(&fold_email(email))).next();
        row.filter(|row| self.is_of(*row, email, record))
    }

    fn is_of(&self, row: usize, email: &str, record: &ListedPerson<'_>) -> bool {
        if self.marks.get(row) != Some(&Mark::Open) {
            return false;
        }
        let [own_email, first, last, year, reference] = self.index.roster.values(row);
        // A value that a row leaves open does not matter where the reference id is the same.
        let lacks = reference.is_some();
        own_email.is_some_and(|own| own == email || same_email(own, email))
            && reference == filled(record.reference_id())
            && fits(first, filled(record.first_name().map(str::trim)), lacks)
            && fits(last, filled(record.last_name().map(str::trim)), lacks)
            && fits(year.and_then(|year| year.parse().ok()), record.year_of_birth, lacks)
    }

    fn mark_rows(&mut self) {
        self.marks = vec![Mark::Shared; self.index.roster.row_count()];
        for row in self.index.with_an_email() {
            self.marks[row] = Mark::Open;
        }
        for row in self.index.shared() {
            self.marks[row] = Mark::Shared;
        }
    }

    /// A further record has the e-mail of this row: one that was taken for it is noted as well.
    pub(super) fn give_back(&mut self, row: Option<usize>) {
        let Some((row, mark)) = row.and_then(|row| Some((row, self.marks.get_mut(row)?))) else { return };
        if std::mem::replace(mark, Mark::Noted) != Mark::Taken {
            return;
        }
        let Some(known) = self.matches[row].take() else { return };
        let [email, .., reference] = self.index.roster.values(row);
        self.notes.push(Note {
            lone_row: number(row),
            entry: known.entry,
            email: self.index.hash(&fold_email(email.unwrap_or_default())),
            reference: reference.map(|id| self.index.hash(id)),
            content: self.content_of_row(row),
        });
    }
}

/// Whether a value of a row is that of the record, or is left open where it may be.
fn fits<T: PartialEq + Copy>(own: Option<T>, theirs: Option<T>, may_lack: bool) -> bool {
    own == theirs || (may_lack && own.is_none())
}
