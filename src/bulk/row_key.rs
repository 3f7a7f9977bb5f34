//! By what the journal knows a row of a roster.

use std::collections::HashMap;

use crate::journal::keyed_hash::Hash;
use crate::journal::row_store::RowHasher;
use crate::model::field_rules::fold_email;

use super::roster::{Field, Roster};

/// What tells rows without a reference id apart that share their e-mail.
const CONTENT: [Field; 3] = [Field::FirstName, Field::LastName, Field::BirthYear];

pub fn key_of(hasher: &RowHasher, roster: &Roster, row: usize, ordinal: u32) -> Hash {
    let [email, first, last, year, reference] = roster.values(row);
    let content = [first, last, year].map(Option::unwrap_or_default);
    hasher.key(reference, &fold_email(email.unwrap_or_default()), &content, ordinal)
}

fn value(roster: &Roster, row: usize, field: Field) -> &str {
    roster.value(row, field).unwrap_or_default()
}

/// Numbers identical rows: the first has none. Only rows of one group can be identical.
pub fn ordinals(roster: &Roster, groups: &HashMap<usize, usize>) -> HashMap<usize, u32> {
    let mut rows: Vec<usize> = groups.keys().copied().collect();
    rows.sort_unstable();
    let mut seen: HashMap<Vec<String>, u32> = HashMap::new();
    let mut ordinals = HashMap::new();
    for row in rows {
        let reference = value(roster, row, Field::ReferenceId);
        let mut said = vec![fold_email(value(roster, row, Field::Email)).into_owned(), reference.to_owned()];
        if reference.is_empty() {
            said.extend(CONTENT.map(|field| value(roster, row, field).to_owned()));
        }
        let count = seen.entry(said).or_default();
        if *count > 0 {
            ordinals.insert(row, *count);
        }
        *count += 1;
    }
    ordinals
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bulk::roster::{ReadOptions, read};

    #[test]
    fn rows_are_numbered_that_say_the_same_and_the_first_of_them_has_no_number() {
        let text = "email,referenceId,firstName,lastName,birthYear\n\
            zoe@example.com,R-1,Zoe,May,1980\n\
            ZOE@example.com,R-1,Zoë,,\n\
            zoe@example.com,R-2,Zoe,May,1980\n\
            zoe@example.com,,Zoe,May,1980\n\
            zoe@example.com,,Zoë,May,1980\n\
            zoe@example.com,,Zoe,Mai,1980\n\
            zoe@example.com,,Zoe,May,1981\n\
            zoe@example.com,,Zoe,May,1980\n\
            kim@example.com,R-1,Zoe,May,1980\n\
            zoe@example.com,R-1,Zoe,May,1980\n";
        let options = ReadOptions { allow_doubles: true, ..ReadOptions::default() };
        let roster = read(text.as_bytes(), "r", &options).expect("a roster");
        let all: HashMap<usize, usize> = (0..10).map(|row| (row, 0)).collect();
        let numbers = ordinals(&roster, &all);
        assert_eq!(numbers, HashMap::from([(1, 1), (7, 1), (9, 2)]), "by reference id and e-mail, or by all of it");
        let hasher = RowHasher::new(b"secret");
        let keys: Vec<Hash> =
            (0..10).map(|row| key_of(&hasher, &roster, row, numbers.get(&row).copied().unwrap_or_default())).collect();
        assert!(keys.iter().enumerate().all(|(row, key)| !keys[..row].contains(key)), "each row is known by its own");
        assert_eq!(ordinals(&roster, &HashMap::from([(9, 0)])), HashMap::new(), "a row that shares nothing");
    }
}
