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
