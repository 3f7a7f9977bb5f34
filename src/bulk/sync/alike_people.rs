//! People who leave and join under another e-mail: without a reference id on both sides nothing but names and the year
//! of birth can tell that they are one person, so both are left alone and reported.

use std::collections::HashMap;

use crate::bulk::roster::{Field, Roster};
use crate::model::testtakers::TestTaker;

/// What is compared: names without outer white space and in small letters, and the year of birth where it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameAndYear {
    /// First and last name.
    name: (String, String),
    birth_year: Option<i32>,
    has_reference: bool,
}

impl NameAndYear {
    /// `None` for a person without a name: nothing is left to compare.
    pub fn of(first: Option<&str>, last: Option<&str>, birth_year: Option<i32>, has_reference: bool) -> Option<Self> {
        let name = (folded(first), folded(last));
        let named = !name.0.is_empty() || !name.1.is_empty();
        named.then_some(Self { name, birth_year, has_reference })
    }

    /// A row's.
    pub fn of_row(roster: &Roster, row: usize) -> Option<Self> {
        let birth_year = roster.value(row, Field::BirthYear).and_then(|year| year.parse().ok());
        let (first, last) = (roster.value(row, Field::FirstName), roster.value(row, Field::LastName));
        Self::of(first, last, birth_year, roster.value(row, Field::ReferenceId).is_some())
    }

    /// A record's.
    pub fn of_record(record: &TestTaker, has_reference: bool) -> Option<Self> {
        let (first, last) = (record.first_name.as_deref(), record.last_name.as_deref());
        Self::of(first, last, record.year_of_birth, has_reference)
    }

    /// Whether names and year are the same; reference ids are not compared.
    pub fn says_the_same(&self, other: &Self) -> bool {
        self.name == other.name && self.birth_year == other.birth_year
    }

    fn may_be(&self, other: &Self) -> bool {
        let years = self.birth_year.is_none() || other.birth_year.is_none() || self.birth_year == other.birth_year;
        // Two reference ids tell two people apart.
        self.name == other.name && years && !(self.has_reference && other.has_reference)
    }
}

/// A name without what writing it otherwise changes: white space and capitals.
fn folded(name: Option<&str>) -> String {
    name.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Pairs each person who joins with those missing people of the list who may be the same person. The answer has the
/// places in `joiners` and in `missing`, the joiners in their order.
pub fn alike(joiners: &[Option<NameAndYear>], missing: &[Option<NameAndYear>]) -> Vec<(usize, Vec<usize>)> {
    let mut by_name: HashMap<&(String, String), Vec<usize>> = HashMap::new();
    for (at, person) in missing.iter().enumerate() {
        if let Some(person) = person {
            by_name.entry(&person.name).or_default().push(at);
        }
    }
    let mut pairs = Vec::new();
    for (at, joiner) in joiners.iter().enumerate().filter_map(|(at, joiner)| Some((at, joiner.as_ref()?))) {
        let same_name = by_name.get(&joiner.name).into_iter().flatten().copied();
        let found: Vec<usize> =
            same_name.filter(|other| missing[*other].as_ref().is_some_and(|other| joiner.may_be(other))).collect();
        if !found.is_empty() {
            pairs.push((at, found));
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(first: &str, last: &str, year: Option<i32>, reference: bool) -> Option<NameAndYear> {
        NameAndYear::of(Some(first), Some(last), year, reference)
    }

    #[test]
    fn a_changed_email_without_a_reference_id_is_one_person_not_two() {
        let missing = [person("Zoë", "Müller", Some(1984), false), person("Ann", "Lee", None, false)];
        let joiners = [person(" zoë ", "MÜLLER", Some(1984), false), person("Bob", "Lee", None, false)];
        assert_eq!(alike(&joiners, &missing), [(0, vec![0])]);
        assert_eq!(alike(&[person("Zoë", "Müller", Some(1985), false)], &missing), []);
        assert_eq!(alike(&[person("Zoë", "Müller", None, true)], &missing), [(0, vec![0])]);
    }

    #[test]
    fn two_reference_ids_tell_people_of_one_name_apart() {
        assert_eq!(alike(&[person("Ann", "Lee", None, true)], &[person("Ann", "Lee", None, true)]), []);
    }

    #[test]
    fn people_without_names_are_like_no_one() {
        assert_eq!(NameAndYear::of(None, Some("  "), Some(1984), false), None);
        assert_eq!(alike(&[None], &[None]), []);
    }
    #[test]
    fn two_say_the_same_with_names_and_year_alike_whoever_has_a_reference_id() {
        let one = person("Zoë", "Müller", Some(1984), false).expect("a name");
        let same = |first, year| person(first, "MÜLLER ", year, true).is_some_and(|other| one.says_the_same(&other));
        assert!(same("zoë", Some(1984)));
        assert!(!same("zoë", Some(1985)) && !same("zoë", None) && !same("Ann", Some(1984)) && !same("Ann", None));
    }
}
