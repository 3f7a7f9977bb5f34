//! How much one night's file may change before a person has to look: the limit of the leavers and those of the file.

use std::fmt;
use std::str::FromStr;

use crate::journal::clock::{Millis, Moment};

/// A plan, a hold or an approval older than this does not count any more: the people are others by then.
const OLDEST: Millis = 7 * 24 * 3_600_000;
/// The same in words.
pub const OLDEST_IN_WORDS: &str = "seven days";

/// Whether what was made `then` is too old.
pub fn is_old(now: &Moment, then: &Moment) -> bool {
    now.wall.saturating_sub(now.dates(then)) > OLDEST
}

/// The limits of a file count from so many known people on: among fewer, every change is a large one.
const FROM_KNOWN: usize = 10;
/// Joiners and changes are few below this, whatever their share.
const FROM_PEOPLE: usize = 10;
/// The smallest default limit of leavers.
const LEAVERS_AT_LEAST: usize = 5;

/// Hundredths of a whole, from 0 to 100.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Percent(u8);

impl Percent {
    /// This share of a number, rounded down.
    pub fn of(self, whole: usize) -> usize {
        let share = u128::try_from(whole).unwrap_or(u128::MAX).saturating_mul(u128::from(self.0)) / 100;
        usize::try_from(share).unwrap_or(usize::MAX)
    }

    /// Whether so many people are many, and more than this share of the known.
    fn is_exceeded(self, people: usize, known: usize) -> bool {
        people >= FROM_PEOPLE && people > self.of(known)
    }
}

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} %", self.0)
    }
}

impl FromStr for Percent {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.strip_suffix('%').map(str::trim_end);
        let number = number.ok_or_else(|| "is not a share such as 20%".to_owned())?;
        match number.parse() {
            Ok(share @ 0..=100) => Ok(Self(share)),
            _ => Err("is not a share from 0% to 100%".to_owned()),
        }
    }
}

/// `--max-leavers`: a number of people, or a share of the known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaverLimit {
    /// The larger of five people and five per cent of the known.
    Default,
    /// So many people.
    People(usize),
    /// So large a share of the known.
    Share(Percent),
}

const DEFAULT_SHARE: Percent = Percent(5);

impl LeaverLimit {
    /// Whether so many are more than may leave at once without a person's approval.
    pub fn is_exceeded(self, leaving: usize, known: usize) -> bool {
        leaving > self.among(known)
    }

    /// The number of people who may.
    fn among(self, known: usize) -> usize {
        match self {
            Self::Default => DEFAULT_SHARE.of(known).max(LEAVERS_AT_LEAST),
            Self::People(most) => most,
            Self::Share(share) => share.of(known),
        }
    }

    /// The limit as a message says it: `90 (5 %)`.
    pub fn said(self, known: usize) -> String {
        let most = self.among(known);
        match self {
            Self::Share(share) => format!("{most} ({share})"),
            Self::Default if most > LEAVERS_AT_LEAST => format!("{most} ({DEFAULT_SHARE})"),
            Self::Default | Self::People(_) => most.to_string(),
        }
    }
}

impl FromStr for LeaverLimit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.ends_with('%') {
            return text.parse().map(Self::Share);
        }
        text.parse().map(Self::People).map_err(|_| "is neither a number of people nor a share such as 5%".to_owned())
    }
}

/// The limits of a file as a whole. There is no switch that turns one off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileLimits {
    /// `--max-shrink`: by how much it may have fewer people than the last one.
    pub shrink: Percent,
    /// `--max-joiners`: how many people may be new, of the known.
    pub joiners: Percent,
    /// `--max-changes`: how many people may change, of the known.
    pub changes: Percent,
}

impl Default for FileLimits {
    fn default() -> Self {
        Self { shrink: Percent(20), joiners: Percent(30), changes: Percent(30) }
    }
}

/// What the limits of a file are judged by, in people.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileFigures {
    pub in_file: usize,
    /// In the last roster of the source; 0 where this is its first.
    pub in_last: usize,
    /// Known from the source's rosters, also those who were missing in the last one.
    pub known: usize,
    /// Of the known, those that the file has.
    pub known_in_file: usize,
    /// In the file and on no list.
    pub joiners: usize,
    /// To be changed.
    pub changes: usize,
}

/// Why nothing at all is done with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileRefusal {
    /// It has no people.
    Empty,
    /// It has fewer than half of the known: another site's file?
    OtherPeople,
    /// It has many fewer people than the last one: was it cut off?
    Shrunk,
    /// Too many people are new.
    Joiners,
    /// Too many people change: did a column move?
    Changes,
}

/// Judges a file as a whole; the worst that can be said of it is the answer. A source's first roster has to have
/// people.
pub fn refusal(figures: &FileFigures, limits: FileLimits) -> Option<FileRefusal> {
    if figures.in_file == 0 {
        return Some(FileRefusal::Empty);
    }
    if figures.known < FROM_KNOWN {
        return None;
    }
    let lost = figures.in_last.saturating_sub(figures.in_file);
    if figures.known_in_file < figures.known.div_ceil(2) {
        Some(FileRefusal::OtherPeople)
    } else if lost > limits.shrink.of(figures.in_last) {
        Some(FileRefusal::Shrunk)
    } else if limits.joiners.is_exceeded(figures.joiners, figures.known) {
        Some(FileRefusal::Joiners)
    } else if limits.changes.is_exceeded(figures.changes, figures.known) {
        Some(FileRefusal::Changes)
    } else {
        None
    }
}

impl FileRefusal {
    /// What is wrong, with the figures.
    pub fn cause(self, figures: &FileFigures, limits: FileLimits) -> String {
        let FileFigures { in_file, in_last, known, known_in_file, joiners, changes } = figures;
        match self {
            Self::Empty => "the file has no people; nothing was done".to_owned(),
            Self::OtherPeople => {
                format!("the file has {known_in_file} of the {known} known people, fewer than half; nothing was done")
            }
            Self::Shrunk => format!(
                "the file has {in_file} people, the last one had {in_last}; it may shrink by {}; nothing was done",
                limits.shrink
            ),
            Self::Joiners => format!(
                "{joiners} people of the file are new, with {known} known; the limit is {}; nothing was done",
                limits.joiners
            ),
            Self::Changes => format!(
                "{changes} people of the file are changed, with {known} known; the limit is {}; nothing was done",
                limits.changes
            ),
        }
    }

    /// The likely cause. It never says to raise a limit.
    pub fn likely(self) -> &'static str {
        match self {
            Self::Empty => "is the job that writes the file done? Ask why it is empty",
            Self::OtherPeople => "is it another site's file, or has the column of the reference id changed?",
            Self::Shrunk => "was the file cut off, or does it have one department only?",
            Self::Joiners => "is it another site's file, or one of several sites?",
            Self::Changes => "has a column moved, such as first and last name?",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(in_file: usize, in_last: usize) -> FileFigures {
        let known_in_file = in_file.min(in_last);
        FileFigures { in_file, in_last, known: in_last, known_in_file, ..FileFigures::default() }
    }

    fn judged(figures: FileFigures) -> Option<FileRefusal> {
        refusal(&figures, FileLimits::default())
    }

    #[test]
    fn the_default_limit_of_leavers_is_the_larger_of_five_people_and_five_per_cent() {
        assert_eq!([0, 99, 100, 119, 120, 1_800].map(|known| LeaverLimit::Default.among(known)), [5, 5, 5, 5, 6, 90]);
        assert_eq!(LeaverLimit::Default.said(1_800), "90 (5 %)");
        assert_eq!(LeaverLimit::Default.said(40), "5");
    }

    #[test]
    fn a_limit_of_leavers_is_a_number_or_a_share() {
        assert_eq!("12".parse(), Ok(LeaverLimit::People(12)));
        assert_eq!("0".parse::<LeaverLimit>().map(|limit| limit.among(1_000)), Ok(0));
        assert_eq!("10%".parse::<LeaverLimit>().map(|limit| limit.said(250)), Ok("25 (10 %)".to_owned()));
        for wrong in ["", "-1", "101%", "5 percent", "%", "1.5%"] {
            assert!(wrong.parse::<LeaverLimit>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_first_roster_is_only_refused_where_it_is_empty() {
        assert_eq!(judged(figures(0, 0)), Some(FileRefusal::Empty));
        assert_eq!(judged(FileFigures { joiners: 5_000, ..figures(5_000, 0) }), None);
    }

    #[test]
    fn a_file_may_shrink_by_a_fifth_and_no_more() {
        assert_eq!(judged(figures(80, 100)), None);
        assert_eq!(judged(figures(79, 100)), Some(FileRefusal::Shrunk));
        assert_eq!(judged(figures(7, 9)), None, "fewer than ten known people");
    }

    #[test]
    fn a_file_with_fewer_than_half_of_the_known_is_another_sites() {
        let half = FileFigures { known_in_file: 50, joiners: 9, ..figures(100, 100) };
        assert_eq!(judged(half), None);
        assert_eq!(judged(FileFigures { known_in_file: 49, ..half }), Some(FileRefusal::OtherPeople));
    }

    #[test]
    fn many_joiners_or_changes_at_once_are_refused_and_a_few_never() {
        let many = FileFigures { joiners: 31, ..figures(131, 100) };
        assert_eq!(judged(many), Some(FileRefusal::Joiners));
        assert_eq!(judged(FileFigures { joiners: 30, ..many }), None);
        assert_eq!(judged(FileFigures { changes: 31, ..figures(100, 100) }), Some(FileRefusal::Changes));
        assert_eq!(judged(FileFigures { joiners: 9, ..figures(19, 10) }), None, "nine people are few");
    }

    #[test]
    fn no_hint_says_to_raise_a_limit() {
        let all = [
            FileRefusal::Empty,
            FileRefusal::OtherPeople,
            FileRefusal::Shrunk,
            FileRefusal::Joiners,
            FileRefusal::Changes,
        ];
        for refusal in all {
            assert!(!refusal.likely().contains("--max") && !refusal.likely().contains("limit"), "{refusal:?}");
            assert!(refusal.cause(&figures(1, 100), FileLimits::default()).ends_with("nothing was done"));
        }
    }
    #[test]
    fn a_file_is_held_to_those_who_are_known_from_ten_on() {
        let joiners = |known| judged(FileFigures { joiners: 5_000, known, ..figures(5_000, known) });
        assert_eq!([joiners(9), joiners(10)], [None, Some(FileRefusal::Joiners)]);
    }

    #[test]
    fn each_refusal_asks_for_its_own_cause() {
        use FileRefusal::{Changes, Empty, Joiners, OtherPeople, Shrunk};
        let asked = [Empty, OtherPeople, Shrunk, Joiners, Changes].map(FileRefusal::likely);
        let begin = ["is the job", "is it another site", "was the file cut off", "is it another site", "has a column"];
        assert!(
            asked.iter().zip(begin).all(|(asked, begin)| asked.starts_with(begin) && asked.contains('?')),
            "{asked:?}"
        );
    }
}
