//! What a sync did, in numbers that add up: the rows of the file, and the people of the list who are not in it.

use std::collections::BTreeMap;
use std::fmt;

use crate::bulk::outcome::{Outcome, RowResult};
use crate::model::counted::thousands;

use super::absent::Absent;
use super::classes::{Classes, RowClass};

/// What became of a row of the file, or of a person who is not in it, in the order of the summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Became {
    /// Stands as before.
    AsBefore,
    /// Was enrolled.
    Joined,
    /// Was enrolled again.
    Returned,
    /// Has other names, or a reference id.
    Changed,
    /// Joined here, and left another project of the file.
    Moved,
    /// Was enrolled under the new e-mail, and lost the old entry.
    Replaced,
    /// Has another e-mail: nothing was done.
    Renamed,
    /// Ended otherwise.
    Otherwise(Outcome),
    /// Left for another project of the file, which was joined before.
    MovedAway,
    /// Would leave for another project of the file.
    MovesAway,
    /// Was removed.
    Left,
    /// Would be removed.
    Leaves,
    /// Waits for a person's approval.
    Held,
    /// Was to be removed, and was not.
    NotRemoved,
    /// Known, and not absent from enough rosters to leave: not called absent, which a person is who is not in the project.
    Missing,
    /// Named by `--keep`, or `--leavers keep`.
    Kept,
    /// In another source's last roster.
    Elsewhere,
    /// Left alone, because it is not certain who they are.
    Unclear,
    /// In no roster of the source.
    Stray,
}

impl Became {
    fn of_row(class: RowClass, end: &RowResult) -> Self {
        match (class, end.outcome) {
            (RowClass::Renamed, Outcome::Conflict) => Self::Renamed,
            (RowClass::Joiner, Outcome::Enrolled | Outcome::WouldEnrol) => Self::Joined,
            (RowClass::Returner, Outcome::Enrolled | Outcome::WouldEnrol) => Self::Returned,
            (RowClass::Mover, Outcome::Enrolled | Outcome::WouldEnrol | Outcome::Existing) => Self::Moved,
            (RowClass::Replaced, Outcome::Enrolled | Outcome::WouldEnrol | Outcome::Existing) => Self::Replaced,
            (_, Outcome::Updated | Outcome::WouldUpdate) => Self::Changed,
            (_, Outcome::Existing | Outcome::Enrolled) => Self::AsBefore,
            (_, outcome) => Self::Otherwise(outcome),
        }
    }

    fn of_absent(absent: Absent) -> Self {
        match absent {
            Absent::Leaver => Self::NotRemoved,
            Absent::NotLongEnough(_) => Self::Missing,
            Absent::Kept | Absent::Spared => Self::Kept,
            Absent::OtherSource => Self::Elsewhere,
            Absent::Stray => Self::Stray,
        }
    }

    /// Whether it is said of rows of the file.
    fn is_in_file(self) -> bool {
        self < Self::MovedAway
    }

    /// The word of a summary; that of a status file, where the number is told apart.
    fn word(self) -> &'static str {
        match self {
            Self::AsBefore => "as they were",
            Self::Joined => "joined",
            Self::Returned => "returned",
            Self::Changed => "changed",
            Self::Moved => "moved here",
            Self::Replaced => "replaced",
            Self::Renamed => "renamed",
            Self::Otherwise(outcome) => outcome.name(),
            Self::MovedAway => "moved away",
            Self::MovesAway => "would move away",
            Self::Left => "left",
            Self::Leaves => "would leave",
            Self::Held => "held",
            Self::NotRemoved => "not removed",
            Self::Missing => "missing",
            Self::Kept => "kept",
            Self::Elsewhere => "in another source",
            Self::Unclear => "left alone",
            Self::Stray => "strays",
        }
    }

    fn words(self, count: usize, is_plan: bool) -> String {
        let word = match self {
            Self::Stray if count == 1 => "stray",
            Self::Joined if is_plan => "would join",
            Self::Returned if is_plan => "would return",
            Self::Changed if is_plan => "would change",
            Self::Moved if is_plan => "would move here",
            Self::Replaced if is_plan => "would be replaced",
            _ => self.word(),
        };
        format!("{} {word}", thousands(count as u64))
    }
}

/// How many became what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SyncCounts {
    counts: BTreeMap<Became, usize>,
    /// Nothing was done yet.
    is_plan: bool,
}

impl SyncCounts {
    /// Of a plan: what would become of people.
    pub fn of_plan() -> Self {
        Self { is_plan: true, ..Self::default() }
    }

    /// Counts the rows of a file, by how they ended.
    pub fn add_rows(&mut self, classes: &Classes, ends: &[RowResult]) {
        for (class, end) in classes.rows.iter().zip(ends) {
            self.add(Became::of_row(*class, end), 1);
        }
    }

    /// Counts the people of the list who are not in the file and stay.
    pub fn add_missing(&mut self, classes: &Classes) {
        for (absent, count) in &classes.missing {
            self.add(Became::of_absent(*absent), *count);
        }
        self.add(Became::Missing, classes.waiting.len());
        self.add(Became::Unclear, classes.unsettled);
    }

    /// Counts more of a kind.
    pub fn add(&mut self, became: Became, count: usize) {
        if count > 0 {
            *self.counts.entry(became).or_default() += count;
        }
    }

    /// Counts all that another count has.
    pub fn add_all(&mut self, other: &Self) {
        for (became, count) in &other.counts {
            self.add(*became, *count);
        }
    }

    fn part(&self, in_file: bool) -> String {
        let wanted = self.counts.iter().filter(|(became, _)| became.is_in_file() == in_file);
        wanted.map(|(became, count)| became.words(*count, self.is_plan)).collect::<Vec<_>>().join(", ")
    }

    /// How many became what, by the words of a status file.
    pub fn by_word(&self) -> impl Iterator<Item = (&'static str, usize)> {
        let each = self.counts.iter().map(|(became, count)| (became.word(), *count));
        std::iter::once(("rows", self.in_file())).chain(each)
    }

    /// How many rows the file has.
    pub fn in_file(&self) -> usize {
        self.counts.iter().filter(|(became, _)| became.is_in_file()).map(|(_, count)| count).sum()
    }
}

impl fmt::Display for SyncCounts {
    /// `1,800 in the file: 1,777 as they were, 12 joined, 9 changed, 2 renamed; 6 left, 31 strays`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in the file: {}", thousands(self.in_file() as u64), self.part(true))?;
        let missing = self.part(false);
        if missing.is_empty() { Ok(()) } else { write!(f, "; {missing}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_adds_up() {
        let mut counts = SyncCounts::default();
        for (became, count) in [
            (Became::AsBefore, 1_777),
            (Became::Joined, 12),
            (Became::Changed, 9),
            (Became::Renamed, 2),
            (Became::Left, 6),
            (Became::Stray, 31),
            (Became::Held, 0),
        ] {
            counts.add(became, count);
        }
        assert_eq!(
            counts.to_string(),
            "1,800 in the file: 1,777 as they were, 12 joined, 9 changed, 2 renamed; 6 left, 31 strays"
        );
        counts.add(Became::Otherwise(Outcome::InDoubt), 1);
        assert_eq!(counts.in_file(), 1_801);
        assert!(counts.to_string().contains("2 renamed, 1 in-doubt; 6 left"), "{counts}");
    }
}
