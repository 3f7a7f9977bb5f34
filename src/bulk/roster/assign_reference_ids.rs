//! `--assign-reference-ids`: a reference id for each row that has none, the same one whenever the row is met again.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use super::{Field, Roster};
use crate::model::field_rules::fold_email;
use crate::model::projects::ProjectId;
use crate::model::text_digest::TextDigest;

/// What every assigned reference id begins with, so that it is seen to be one.
const PREFIX: &str = "auto";
/// Digits without those that are mistaken for each other.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// Digits of an id, in groups of four: 60 bits.
const LENGTH: usize = 12;

impl Roster {
    /// Asks for reference ids for the rows that have none. They are there after [`assign`](Self::assign).
    pub fn assign_reference_ids(&mut self) {
        self.assigned = Some(OnceCell::new());
    }

    /// Gives each row without a reference id one, if that was asked for. It is made of the project's id and the row's
    /// e-mail address: it stays the same on another machine, in another order and after a name was corrected. Of rows
    /// that share their address, the names and the year count too, and then their number among equals. Without the
    /// project's id no one can try out addresses against it.
    pub fn assign(&self, project: ProjectId) {
        if let Some(assigned) = &self.assigned {
            assigned.get_or_init(|| self.assignments(project));
        }
    }

    fn assignments(&self, project: ProjectId) -> Vec<Box<str>> {
        let given: HashSet<&str> = self.all(Field::ReferenceId).flatten().collect();
        let mut shared: HashMap<String, u32> = HashMap::new();
        for email in self.all(Field::Email).flatten() {
            *shared.entry(fold_email(email).into_owned()).or_default() += 1;
        }
        let mut taken: HashSet<String> = given.into_iter().map(str::to_owned).collect();
        let mut assigned = vec![Box::default(); self.row_count()];
        for (row, slot) in assigned.iter_mut().enumerate() {
            let Some(email) = self.value(row, Field::Email) else { continue };
            if self.value(row, Field::ReferenceId).is_some() {
                continue;
            }
            let mut said = vec![fold_email(email).into_owned()];
            if shared.get(&said[0]).is_some_and(|count| *count > 1) {
                let content = [Field::FirstName, Field::LastName, Field::BirthYear];
                said.extend(content.map(|field| self.value(row, field).unwrap_or_default().to_owned()));
            }
            let mut ids = (0_u32..).map(|number| id(project, &said, number));
            // The numbers do not end, and the ids that are taken do.
            *slot = ids.find(|id| taken.insert(id.clone())).unwrap_or_default().into();
        }
        assigned
    }

    fn all(&self, field: Field) -> impl Iterator<Item = Option<&str>> {
        (0..self.row_count()).map(move |row| self.value(row, field))
    }
}

fn id(project: ProjectId, said: &[String], number: u32) -> String {
    let mut digest = TextDigest::new();
    let number = number.to_string();
    for text in [project.to_string().as_str(), &number].into_iter().chain(said.iter().map(String::as_str)) {
        digest.add(text);
    }
    let mut id = PREFIX.to_owned();
    for (place, byte) in digest.finish().as_ref().iter().take(LENGTH).enumerate() {
        if place % 4 == 0 {
            id.push('-');
        }
        id.push(char::from(DIGITS[usize::from(byte % 32)]));
    }
    id
}

#[cfg(test)]
mod tests {
    use super::super::{ReadOptions, read};
    use super::*;

    fn assigned(text: &str, project: &str) -> Vec<String> {
        let options = ReadOptions { allow_doubles: true, ..ReadOptions::default() };
        let mut roster = read(text.as_bytes(), "r", &options).expect("a roster");
        roster.assign_reference_ids();
        roster.assign(project.parse().expect("a project id"));
        let id = |row| roster.value(row, Field::ReferenceId).expect("an id").to_owned();
        (0..roster.row_count()).map(id).collect()
    }

    const HERE: &str = "3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b690";

    #[test]
    fn a_row_keeps_its_id_in_another_order_with_another_name_and_in_another_file() {
        let ids = assigned("email,firstName,referenceId\na@b,Ann,\nc@d,Cy,EMP-1\ne@f,Eve,\n", HERE);
        assert_eq!(ids[1], "EMP-1");
        let again =
            assigned("E-mail;Vorname;First name\nE@F;x;Eva\nA@b;y;Ann\n".replace("Vorname", "id").as_str(), HERE);
        assert_eq!([&again[1], &again[0]], [&ids[0], &ids[2]]);
        assert_ne!(assigned("email\na@b\n", "aaaaaaaa-0000-4b7f-9a35-2c1d84e7b690")[0], ids[0]);
    }

    #[test]
    fn an_id_can_be_read_aloud_and_sent() {
        let id = &assigned("email\na@b\n", HERE)[0];
        let groups: Vec<&str> = id.split('-').collect();
        assert!(groups[0] == PREFIX && groups.len() == 4 && groups[1..].iter().all(|group| group.len() == 4), "{id}");
        let rows: Vec<String> = (0..50).map(|n| format!("{n}@b")).collect();
        let ids = assigned(&format!("email\n{}\n", rows.join("\n")), HERE).concat().replace(PREFIX, "");
        let letters: std::collections::HashSet<char> = ids.chars().collect();
        assert_eq!(letters.len(), DIGITS.len() + 1, "all digits are used, and the hyphen: {letters:?}");
        assert!(id.parse::<crate::model::field_rules::ReferenceId>().is_ok());
    }

    #[test]
    fn rows_that_share_their_address_are_told_apart_whatever_their_order() {
        let ids = assigned("email,firstName\na@b,Ann\na@b,Ben\na@b,Ben\n", HERE);
        let other = assigned("email,firstName\na@b,Ben\na@b,Ann\na@b,Ben\n", HERE);
        assert_eq!(ids.iter().collect::<HashSet<_>>().len(), 3);
        assert_eq!([&other[1], &other[0], &other[2]], [&ids[0], &ids[1], &ids[2]]);
    }
}
