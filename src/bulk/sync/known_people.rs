//! Who was in the rosters of a source, and in how many of its rosters in a row each person has been missing since.

use std::collections::HashSet;

use crate::journal::person_key::PersonKey;

use super::person_keys::PersonKeys;

/// The people of a source's rosters, 17 bytes each. Only those of the last roster have no absence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownPeople {
    /// Sorted by key, each key once.
    people: Vec<(PersonKey, u8)>,
}

impl KnownPeople {
    /// People with the number of rosters in a row that lacked them. Of a key that stands there twice the smaller number
    /// counts: too few absences keep a person, too many remove one.
    pub fn new(mut people: Vec<(PersonKey, u8)>) -> Self {
        people.sort_unstable();
        people.dedup_by_key(|(key, _)| *key);
        Self { people }
    }

    /// Everyone who is remembered, with the absences of each, sorted by key.
    pub fn into_people(self) -> Vec<(PersonKey, u8)> {
        self.people
    }

    /// How many people are remembered.
    pub fn len(&self) -> usize {
        self.people.len()
    }

    /// How many of them the last roster had.
    pub fn in_last_roster(&self) -> usize {
        self.count_in_last(|_| true)
    }

    /// How many rosters in a row lacked this person; `None` for a person who was in none of them.
    pub fn absences(&self, key: &PersonKey) -> Option<u8> {
        let at = self.people.binary_search_by(|(known, _)| known.cmp(key)).ok()?;
        Some(self.people[at].1)
    }

    /// Whether the last roster had the person of one of these keys.
    pub fn has_in_last(&self, keys: PersonKeys) -> bool {
        keys.each().any(|key| self.absences(&key) == Some(0))
    }

    /// How many people of the last roster satisfy a condition.
    pub fn count_in_last(&self, wanted: impl Fn(&PersonKey) -> bool) -> usize {
        self.people.iter().filter(|(key, absences)| *absences == 0 && wanted(key)).count()
    }

    /// The people that a roster lacks, as `has` tells: few, on most nights.
    pub fn lacking(&self, has: impl Fn(&PersonKey) -> bool) -> HashSet<PersonKey> {
        self.people.iter().map(|(key, _)| key).filter(|key| !has(key)).copied().collect()
    }

    /// What is known after a roster of these people. `has` says which people it has by any key: a person who was known
    /// by the e-mail and has a reference id now is known by that one alone. `counts` says whether its gaps are
    /// absences: a retry's and a repetition's are not (`--roster-interval`).
    #[must_use]
    pub fn after(
        &self,
        roster: impl IntoIterator<Item = PersonKey>,
        has: impl Fn(&PersonKey) -> bool,
        counts: bool,
    ) -> Self {
        let missing = self.people.iter().filter(|(key, _)| !has(key));
        let missing = missing.map(|(key, absences)| (*key, absences.saturating_add(u8::from(counts))));
        Self::new(roster.into_iter().map(|key| (key, 0)).chain(missing).collect())
    }

    /// What stays known once people are off the project's list: the last roster's people, and the absent people
    /// that are still `listed`.
    #[must_use]
    pub fn still(mut self, listed: impl Fn(&PersonKey) -> bool) -> Self {
        self.people.retain(|(key, absences)| *absences == 0 || listed(key));
        self
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn key(of: u8) -> PersonKey {
        [of; 16]
    }

    fn roster(people: &[u8]) -> KnownPeople {
        KnownPeople::new(people.iter().map(|of| (key(*of), 0)).collect())
    }

    fn after(known: &KnownPeople, people: &[u8], counts: bool) -> KnownPeople {
        let roster: Vec<PersonKey> = people.iter().map(|of| key(*of)).collect();
        known.after(roster.clone(), |key| roster.contains(key), counts)
    }

    #[test]
    fn a_person_who_is_missing_counts_one_absence_a_roster_and_none_after_coming_back() {
        let first = roster(&[1, 2, 3]);
        let second = after(&first, &[1, 3, 4], true);
        assert_eq!([1, 2, 3, 4].map(|of| second.absences(&key(of))), [Some(0), Some(1), Some(0), Some(0)]);
        let third = after(&second, &[1], true);
        assert_eq!([1, 2, 3].map(|of| third.absences(&key(of))), [Some(0), Some(2), Some(1)]);
        assert_eq!(after(&third, &[1, 2], true).absences(&key(2)), Some(0));
        assert_eq!(third.in_last_roster(), 1);
    }

    #[test]
    fn a_roster_that_does_not_count_adds_no_absence() {
        let again = after(&after(&roster(&[1, 2]), &[1], true), &[1], false);
        assert_eq!(again.absences(&key(2)), Some(1));
    }

    #[test]
    fn a_person_who_got_a_reference_id_is_known_by_that_alone() {
        let (email, reference) = (key(1), key(2));
        let now = roster(&[1]).after(vec![reference], |key| [email, reference].contains(key), true);
        assert_eq!((now.absences(&email), now.absences(&reference)), (None, Some(0)));
    }

    #[test]
    fn absences_stop_at_the_largest_number() {
        let known = KnownPeople::new(vec![(key(1), u8::MAX)]);
        assert_eq!(after(&known, &[2], true).absences(&key(1)), Some(u8::MAX));
    }

    #[test]
    fn who_is_absent_and_off_the_list_is_forgotten() {
        let known = after(&roster(&[1, 2, 3]), &[1], true);
        let still = known.still(|of| *of == key(3));
        assert_eq!([1, 2, 3].map(|of| still.absences(&key(of))), [Some(0), None, Some(1)]);
    }

    proptest! {
        #[test]
        fn the_people_of_the_last_roster_and_no_others_have_no_absence(
            before in prop::collection::vec((any::<[u8; 16]>(), 0_u8..4), 0..40),
            now in prop::collection::vec(any::<[u8; 16]>(), 0..40),
        ) {
            let now: Vec<PersonKey> = now.into_iter().chain(before.iter().step_by(2).map(|(key, _)| *key)).collect();
            let after = KnownPeople::new(before).after(now.clone(), |key| now.contains(key), true);
            let people = after.clone().into_people();
            prop_assert!(people.iter().all(|(key, absences)| (*absences == 0) == now.contains(key)));
            prop_assert_eq!(after.in_last_roster(), people.iter().filter(|(key, _)| now.contains(key)).count());
        }
    }
}
