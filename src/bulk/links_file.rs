//! The links that stand in a file: evidence of what was handed out, also by a run that was killed.

use std::collections::HashMap;

use jiff::Timestamp;

use crate::model::field_rules::{filled, fold_email};
use crate::model::secret::Secret;
use crate::model::test_links::LinkField;
use crate::model::testtakers::{EntryId, TestTaker};
use crate::model::time::parse_service_time;

/// The fields of a link that is handed out; those of `--with` may follow.
pub const FIELDS: [&str; 4] = ["projectEntryId", "referenceId", "url", "expiresAtUtc"];

/// A link that stands in a file.
#[derive(Clone, Debug)]
pub struct FiledLink {
    /// The link.
    pub url: Secret,
    /// Until when it works, where the file says.
    pub until: Option<Timestamp>,
    /// Reference id and e-mail beside it.
    beside: [Option<String>; 2],
}

impl FiledLink {
    /// A link that was handed out to a person.
    pub fn of(person: &TestTaker, url: Secret, until: Option<Timestamp>) -> Self {
        Self { url, until, beside: [person.reference_id.clone(), person.email.clone()] }
    }

    /// Whether what stands beside it says that it is another person's, who had the entry before: the e-mail, which the API
    /// does not change, and the reference id where there is none.
    pub fn is_of_another(&self, person: &TestTaker) -> bool {
        let [reference, _] = self.beside.each_ref().map(|text| filled(text.as_deref()));
        let theirs = filled(person.reference_id.as_deref());
        let has_another_id = || reference.zip(theirs).is_some_and(|(ours, theirs)| ours != theirs);
        self.has_another_email(person).unwrap_or_else(has_another_id)
    }

    /// The same by the e-mail alone; `None` where it does not tell.
    pub fn has_another_email(&self, person: &TestTaker) -> Option<bool> {
        let [_, email] = self.beside.each_ref().map(|text| filled(text.as_deref()));
        let (ours, theirs) = email.zip(filled(person.email.as_deref()))?;
        Some(fold_email(ours) != fold_email(theirs))
    }
}

/// The links of a file, the last one of each entry: an earlier one is void.
#[derive(Debug, Default)]
pub struct FiledLinks {
    /// Which text of a record is the person's e-mail.
    email: Option<usize>,
    by_entry: HashMap<EntryId, FiledLink>,
    /// Those that were there already, in the order of the file, void ones too.
    read: Vec<(EntryId, Secret)>,
}

impl FiledLinks {
    /// Those of a file that has these further fields.
    pub fn with(extra: &[LinkField]) -> Self {
        let email = extra.iter().position(|field| *field == LinkField::Email).map(|at| FIELDS.len() + at);
        Self { email, ..Self::default() }
    }

    /// Takes the texts of a record of the file, which begin with those of [`FIELDS`].
    pub fn see(&mut self, texts: &[String]) {
        let [entry, reference, url, until, ..] = texts else { return };
        let Ok(entry) = entry.parse() else { return };
        let beside = [Some(reference.clone()), self.email.and_then(|email| texts.get(email)).cloned()];
        let link = FiledLink { url: Secret::new(url.clone()), until: parse_service_time(until), beside };
        self.read.push((entry, link.url.clone()));
        self.by_entry.insert(entry, link);
    }

    /// The links that were read, in the order of the file.
    pub fn read(&self) -> &[(EntryId, Secret)] {
        &self.read
    }

    /// Takes a link that was handed out.
    pub fn add(&mut self, entry: EntryId, link: FiledLink) {
        self.by_entry.insert(entry, link);
    }

    /// The last link of an entry.
    pub fn of(&self, entry: EntryId) -> Option<&FiledLink> {
        self.by_entry.get(&entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_row_of_an_entry_counts() {
        let mut links = FiledLinks::default();
        for (entry, url) in [("7", "https://a/1"), ("8", "https://a/2"), ("7", "https://a/3"), ("x", "https://a/4")] {
            links.see(&[entry, "", url, "2026-03-02T06:00:00Z"].map(str::to_owned));
        }
        let of = |entry| links.of(EntryId(entry)).map(|link| link.url.expose());
        assert_eq!([of(7), of(8), of(9)], [Some("https://a/3"), Some("https://a/2"), None]);
        assert!(links.of(EntryId(7)).is_some_and(|link| link.until.is_some()));
    }

    #[test]
    fn what_stands_beside_a_link_tells_whether_it_is_another_persons() {
        let mut links = FiledLinks::with(&[LinkField::FirstName, LinkField::Email]);
        links.see(&["7", "A", "https://a/1", "", "Ann", "ann@x.example"].map(str::to_owned));
        links.see(&["8", "", "https://a/2", "", "", ""].map(str::to_owned));
        links.see(&["9", "A", "https://a/3", "", "", ""].map(str::to_owned));
        let is_of_another = |entry, reference: Option<&str>, email: &str| {
            let person = TestTaker {
                reference_id: reference.map(str::to_owned),
                email: Some(email.into()),
                ..TestTaker::default()
            };
            links.of(EntryId(entry)).is_some_and(|link| link.is_of_another(&person))
        };
        assert!(!is_of_another(7, Some("A"), "Ann@X.example") && !is_of_another(7, None, "ann@x.example"));
        assert!(is_of_another(7, Some("A"), "bob@x.example") && is_of_another(7, Some("B"), "bob@x.example"));
        assert!(!is_of_another(7, Some("B"), "ann@x.example"), "a reference id may have been changed");
        assert!(!is_of_another(8, Some("B"), "bob@x.example"), "nothing says so");
        assert!(is_of_another(9, Some("B"), "bob@x.example") && !is_of_another(9, Some("A"), "bob@x.example"));
    }
}
