//! What becomes of a person on the project's list who is not in the file.

use clap::ValueEnum;

use super::known_people::KnownPeople;
use super::person_keys::PersonKeys;

/// `--absent-for` where it is not given: from two rosters in a row without the person on.
pub const DEFAULT_ABSENT_FOR: &str = "2";

/// `--leavers`: who may be removed for not being in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Leavers {
    /// People whom an earlier synced roster of the source had
    Known,
    /// No one
    Keep,
    /// Whoever is not in the file
    All,
}

/// The rules by which people who are not in the file are judged.
#[derive(Clone, Copy, Debug)]
pub struct AbsenceRules<'a> {
    /// Who may be removed at all.
    pub leavers: Leavers,
    /// The source has no earlier roster: no one is removed, whatever else is said.
    pub is_first: bool,
    /// From so many rosters in a row without the person on.
    pub absent_for: u8,
    /// The people of the source, this roster counted.
    pub known: &'a KnownPeople,
    /// The people of other sources' last rosters.
    pub elsewhere: &'a KnownPeople,
    pub keep: &'a KnownPeople,
}

/// What becomes of a person who is not in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Absent {
    /// To be removed, if the limits allow it.
    Leaver,
    /// Known, and not missing for long enough.
    NotLongEnough(u8),
    /// `--keep` names the person.
    Kept,
    /// Another source's last roster has the person.
    OtherSource,
    /// Known and long absent, and `--leavers keep` removes no one.
    Spared,
    /// In no roster of this source: never removed but by `--leavers all`.
    Stray,
}

impl AbsenceRules<'_> {
    /// Whether a person who is in the file under another e-mail may be enrolled anew and lose the old entry
    /// (`--replace-renamed`): one that the rules would let leave, and that was in a roster `before` this one.
    pub fn may_replace(&self, person: &PersonKeys, before: &KnownPeople) -> bool {
        let is_known = person.reference.is_some_and(|key| before.absences(&key).is_some());
        let is_kept = person.each().any(|key| self.keep.absences(&key).is_some());
        let is_shared = self.elsewhere.has_in_last(*person);
        self.leavers != Leavers::Keep && !self.is_first && is_known && !is_kept && !is_shared
    }

    /// Judges one person. The person must have no relation to any row of the file: one that conflicts with a row is
    /// unsettled, and left alone.
    pub fn judge(&self, person: &PersonKeys) -> Absent {
        // Known by two keys, the one that was seen last counts.
        let absences = person.each().filter_map(|key| self.known.absences(&key)).min();
        if person.each().any(|key| self.keep.absences(&key).is_some()) {
            return Absent::Kept;
        }
        if self.elsewhere.has_in_last(*person) {
            return Absent::OtherSource;
        }
        match (self.leavers, absences) {
            _ if self.is_first => Absent::Stray,
            (Leavers::All, _) => Absent::Leaver,
            (_, None) => Absent::Stray,
            (Leavers::Keep, Some(_)) => Absent::Spared,
            (Leavers::Known, Some(absences)) if absences >= self.absent_for.max(1) => Absent::Leaver,
            (Leavers::Known, Some(absences)) => Absent::NotLongEnough(absences),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::person_key::PersonKey;

    fn key(of: u8) -> PersonKey {
        [of; 16]
    }

    fn people(people: &[(u8, u8)]) -> KnownPeople {
        KnownPeople::new(people.iter().map(|(of, absences)| (key(*of), *absences)).collect())
    }

    fn judged(leavers: Leavers, person: PersonKeys) -> Absent {
        let known = people(&[(1, 2), (2, 1), (3, 2), (4, 2), (5, 0)]);
        let (elsewhere, keep) = (people(&[(3, 0), (1, 1)]), people(&[(4, 0)]));
        AbsenceRules { leavers, is_first: false, absent_for: 2, known: &known, elsewhere: &elsewhere, keep: &keep }
            .judge(&person)
    }

    fn by_reference(of: u8) -> PersonKeys {
        PersonKeys { reference: Some(key(of)), email: Some(key(100 + of)), listed: [None; 2] }
    }

    #[test]
    fn only_a_known_person_who_was_absent_long_enough_leaves() {
        assert_eq!(judged(Leavers::Known, by_reference(1)), Absent::Leaver);
        assert_eq!(judged(Leavers::Known, by_reference(2)), Absent::NotLongEnough(1));
        assert_eq!(judged(Leavers::Known, by_reference(9)), Absent::Stray);
        let by_email = PersonKeys { reference: Some(key(90)), email: Some(key(1)), listed: [None; 2] };
        assert_eq!(judged(Leavers::Known, by_email), Absent::Leaver);
    }

    #[test]
    fn another_sources_people_and_kept_people_never_leave() {
        for leavers in [Leavers::Known, Leavers::All] {
            assert_eq!(judged(leavers, by_reference(3)), Absent::OtherSource);
            assert_eq!(judged(leavers, by_reference(4)), Absent::Kept);
        }
    }

    #[test]
    fn of_two_keys_the_one_that_was_seen_last_counts() {
        let both = PersonKeys { reference: Some(key(1)), email: Some(key(2)), listed: [None; 2] };
        assert_eq!(judged(Leavers::Known, both), Absent::NotLongEnough(1));
    }

    #[test]
    fn only_a_person_who_might_leave_is_replaced() {
        let before = people(&[(1, 0), (3, 0), (4, 0)]);
        let (elsewhere, keep) = (people(&[(3, 0)]), people(&[(4, 0)]));
        let rules = |leavers, is_first| AbsenceRules {
            leavers,
            is_first,
            absent_for: 2,
            known: &before,
            elsewhere: &elsewhere,
            keep: &keep,
        };
        let may = |of| rules(Leavers::Known, false).may_replace(&by_reference(of), &before);
        assert_eq!([1, 3, 4, 9].map(may), [true, false, false, false]);
        assert!(!rules(Leavers::Keep, false).may_replace(&by_reference(1), &before));
        assert!(!rules(Leavers::Known, true).may_replace(&by_reference(1), &before));
        let by_email = PersonKeys { reference: None, email: Some(key(1)), listed: [None; 2] };
        assert!(!rules(Leavers::Known, false).may_replace(&by_email, &before), "nothing says that it is one person");
    }

    #[test]
    fn keep_removes_no_one_and_all_removes_strays_too() {
        assert_eq!(judged(Leavers::Keep, by_reference(1)), Absent::Spared);
        assert_eq!(judged(Leavers::Keep, by_reference(9)), Absent::Stray);
        assert_eq!(judged(Leavers::All, by_reference(9)), Absent::Leaver);
    }

    #[test]
    fn on_the_first_roster_no_one_leaves() {
        let (known, none) = (people(&[(1, 2)]), KnownPeople::default());
        for leavers in [Leavers::Known, Leavers::All] {
            let rules =
                AbsenceRules { leavers, is_first: true, absent_for: 1, known: &known, elsewhere: &none, keep: &none };
            assert_eq!(rules.judge(&by_reference(1)), Absent::Stray);
        }
    }

    #[test]
    fn no_number_of_absences_means_that_a_person_of_this_roster_leaves() {
        let (known, none) = (people(&[(5, 0)]), KnownPeople::default());
        let rules = AbsenceRules {
            leavers: Leavers::Known,
            is_first: false,
            absent_for: 0,
            known: &known,
            elsewhere: &none,
            keep: &none,
        };
        assert_eq!(rules.judge(&by_reference(5)), Absent::NotLongEnough(0));
    }
}
