//! By what the journal knows a row of a roster.

use std::collections::HashMap;

use crate::journal::row_store::RowHasher;
use crate::journal::store::Hash;
use crate::model::text::fold_email;

use super::roster::{Field, Roster};

/// The key of a row of a roster.
pub fn key_of(hasher: &RowHasher, roster: &Roster, row: usize, ordinal: u32) -> Hash {
    let value = |field| roster.value(row, field).unwrap_or_default();
    let content = [value(Field::FirstName), value(Field::LastName), value(Field::BirthYear)];
    hasher.key(roster.value(row, Field::ReferenceId), &fold_email(value(Field::Email)), &content, ordinal)
}

/// Numbers identical rows: the first has none. Only rows of one group can be identical.
pub fn ordinals(roster: &Roster, groups: &HashMap<usize, usize>) -> HashMap<usize, u32> {
    let mut rows: Vec<usize> = groups.keys().copied().collect();
    rows.sort_unstable();
    let mut seen: HashMap<Vec<String>, u32> = HashMap::new();
    let mut ordinals = HashMap::new();
    for row in rows {
        let value = |field| roster.value(row, field).unwrap_or_default().to_owned();
        let reference = value(Field::ReferenceId);
        let mut said = vec![fold_email(&value(Field::Email)), reference.clone()];
        if reference.is_empty() {
            said.extend([Field::FirstName, Field::LastName, Field::BirthYear].map(value));
        }
        let count = seen.entry(said).or_default();
        if *count > 0 {
            ordinals.insert(row, *count);
        }
        *count += 1;
    }
    ordinals
}
