//! `--on-existing`: what becomes of people of a roster who are enrolled already.

use clap::ValueEnum;

/// What to do to a person whose record stands in the project and contradicts nothing in the row. People whom this machine
/// enrolled are not meant: their rows are done, and a run that was interrupted would fail by its own work when repeated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum OnExisting {
    /// Leave them as they are
    #[default]
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_fail_forbids_and_only_where_somebody_is_enrolled_and_only_update_changes() {
        let all = [OnExisting::Skip, OnExisting::Update, OnExisting::Fail];
        assert_eq!(all.map(|it| it.forbids(1)), [false, false, true]);
        assert_eq!(all.map(|it| it.forbids(0)), [false; 3]);
        assert_eq!(all.map(OnExisting::updates), [false, true, false]);
        assert_eq!(OnExisting::refusal(2), "2 of the rows are enrolled already; nothing was sent");
    }
}
