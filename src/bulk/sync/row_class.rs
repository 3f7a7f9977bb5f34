//! What a row of a file means for its project.

/// What a row of the file means for the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RowClass {
    /// Stands in the project as in the file.
    AsBefore,
    /// In the file, and on no list.
    Joiner,
    /// The same, and removed from here before.
    Returner,
    /// Names differ, or the service has no reference id.
    Changed,
    /// The reference id is the same and the e-mail is not, which the API cannot change.
    Renamed,
    /// Joins this project and then leaves another one of the file.
    Mover,
    /// Is enrolled under the new e-mail, and then loses the old entry.
    Replaced,
    /// In doubt, a duplicate, in conflict, invalid: left alone.
    Unsettled,
}

impl RowClass {
    /// The value as reports have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::AsBefore => "as-before",
            Self::Joiner => "joiner",
            Self::Returner => "returner",
            Self::Changed => "changed",
            Self::Renamed => "renamed",
            Self::Mover => "mover",
            Self::Replaced => "replaced",
            Self::Unsettled => "unsettled",
        }
    }
}
