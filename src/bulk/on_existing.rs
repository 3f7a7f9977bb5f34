//! `--on-existing`: what becomes of people of a roster who are enrolled already.

use clap::ValueEnum;

/// What to do to a person whose record stands in the project and contradicts nothing in the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OnExisting {
    /// Leave them as they are
    Skip,
    /// Give them the roster's names and reference id
    Update,
    /// Send nothing at all
    Fail,
}

impl OnExisting {
    /// What helps where [`Self::refusal`] stopped a run.
    pub const HINT: &str = "--on-existing skip leaves them as they are";

    /// Whether nothing is sent for anyone of a roster of which so many people are enrolled.
    pub fn forbids(self, existing: usize) -> bool {
        self == Self::Fail && existing > 0
    }

    /// Whether values that differ are changed into the roster's.
    pub fn updates(self) -> bool {
        self == Self::Update
    }

    /// Why nothing was sent.
    pub fn refusal(existing: usize) -> String {
        format!("{existing} of the rows are enrolled already; nothing was sent")
    }
}
