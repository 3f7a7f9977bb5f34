//! Which rosters count: a retry, or the same file again, brings no one nearer to leaving.

use std::time::Duration;

use crate::journal::clock::{Moment, millis};
use crate::journal::person_key::PersonKey;
use crate::journal::synced_rosters::SyncedRoster;

/// `--roster-interval` where it is not given.
pub const DEFAULT_INTERVAL: &str = "12h";

/// Whether the people that a roster lacks count as absent once more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RosterCount {
    /// It counts, and the source has no earlier one: no one is absent from it yet.
    First,
    /// It counts.
    Later,
    /// It has the same content as the last roster.
    SaysTheSame,
    /// It came less than `--roster-interval` after the last one that counted.
    TooSoon,
}

impl RosterCount {
    /// Judges the roster of now by what is remembered of the last one.
    pub fn of(remembered: Option<&SyncedRoster>, roster: &PersonKey, now: &Moment, interval: Duration) -> Self {
        match remembered {
            None => Self::First,
            Some(last) if last.roster == *roster => Self::SaysTheSame,
            Some(last) if now.wall.saturating_sub(now.dates(&last.counted)) < millis(interval) => Self::TooSoon,
            Some(_) => Self::Later,
        }
    }

    pub fn counts(self) -> bool {
        matches!(self, Self::First | Self::Later)
    }

    /// What a person should know of it; `is_absent` tells that people are waited for.
    pub fn remark(self, source: &str, is_absent: bool) -> Option<String> {
        match self {
            Self::First => Some(format!("this is the first roster of the source {source} here: nobody is removed")),
            Self::SaysTheSame if is_absent => {
                Some("same content as the last roster: absences are not counted".to_owned())
            }
            Self::TooSoon if is_absent => {
                Some("the last roster was a short while ago (--roster-interval): absences are not counted".to_owned())
            }
            Self::Later | Self::SaysTheSame | Self::TooSoon => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_a_retry_nor_the_same_file_brings_anyone_nearer_to_leaving() {
        let now = Moment::now();
        let last = SyncedRoster { people: Vec::new(), roster: [1; 16], synced: now, counted: now, number: None };
        let hour = Duration::from_hours(1);
        let judged = |roster, after| RosterCount::of(Some(&last), &[roster; 16], &now.after(after), 12 * hour);
        assert_eq!(judged(2, 11 * hour), RosterCount::TooSoon);
        assert_eq!(judged(2, 12 * hour), RosterCount::Later);
        assert_eq!(judged(1, 24 * hour), RosterCount::SaysTheSame);
        assert!(!judged(1, 24 * hour).counts() && !judged(2, hour).counts() && judged(2, 12 * hour).counts());
        assert_eq!(RosterCount::of(None, &[1; 16], &now, 12 * hour), RosterCount::First);
    }

    #[test]
    fn that_a_roster_does_not_count_is_said_where_people_are_waited_for() {
        for count in [RosterCount::SaysTheSame, RosterCount::TooSoon] {
            assert!(count.remark("hr", true).is_some_and(|words| words.ends_with("absences are not counted")));
            assert_eq!(count.remark("hr", false), None);
        }
        assert!(RosterCount::First.remark("hr", false).is_some_and(|words| words.contains("source hr")));
        assert_eq!(RosterCount::Later.remark("hr", true), None);
    }
}
