//! The file of `--keep`: people who are never removed.

use std::path::Path;

use crate::bulk::sync::known_people::KnownPeople;
use crate::files::read_text;
use crate::journal::person_key::{PersonKey, person_key};
use crate::journal::row_store::RowHasher;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::field_rules::fold_email;
use crate::model::pseudonym::{is_masked_address, is_masked_reference};

/// More people than fit into this are no exceptions any more.
const LONGEST: u64 = 16 << 20;

/// People as the file names them.
#[derive(Debug, Default)]
pub struct KeepFile(Vec<Kept>);

#[derive(Debug, PartialEq, Eq)]
enum Kept {
    Reference(String),
    Email(String),
}

/// Why a line names no person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeepSlip {
    NoPerson,
    /// What `--mask` shows: it would keep no one, and the person it stands for would leave.
    Pseudonym,
}

impl KeepSlip {
    fn failure(self, place: &str) -> Failure {
        match self {
            Self::NoPerson => Failure::new(Verdict::Refused, format!("{place}: not a person; nothing was sent"))
                .hint("write ref:REFERENCE_ID or email:ADDRESS, one a line"),
            Self::Pseudonym => Failure::usage(format!(
                "{place}: a pseudonym of --mask, which keeps nobody; nothing was sent"
            ))
            .hint("name the person as the roster does; by the e-mail address, if the reference id is a real one"),
        }
    }
}

impl KeepFile {
    /// Reads the file: one person a line; blank lines and lines that begin with `#` say nothing.
    pub fn read(file: &Path) -> Result<Self, Failure> {
        let text = read_text(file, LONGEST).map_err(|error| {
            Failure::usage(format!("cannot read {}: {error}", file.display())).hint("name the file of --keep")
        })?;
        Self::parse(&text).map_err(|(line, slip)| slip.failure(&format!("{}:{line}", file.display())))
    }

    /// The error is the line that names no person, and why.
    fn parse(text: &str) -> Result<Self, (usize, KeepSlip)> {
        let mut people = Vec::new();
        for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines().map(str::trim)) {
            let (kind, name) = match line.split_once(':') {
                _ if line.is_empty() || line.starts_with('#') => continue,
                Some((kind, name)) => (kind, name.trim()),
                None => return Err((number, KeepSlip::NoPerson)),
            };
            people.push(match kind {
                "ref" if is_masked_reference(name) => return Err((number, KeepSlip::Pseudonym)),
                "email" if is_masked_address(name) => return Err((number, KeepSlip::Pseudonym)),
                "ref" if !name.is_empty() => Kept::Reference(name.to_owned()),
                "email" if name.contains('@') => Kept::Email(fold_email(name).into_owned()),
                _ => return Err((number, KeepSlip::NoPerson)),
            });
        }
        Ok(Self(people))
    }

    /// By the keys that rosters know them by.
    pub fn people(&self, hasher: &RowHasher) -> KnownPeople {
        KnownPeople::new(self.keys(hasher).map(|key| (key, 0)).collect())
    }

    fn keys(&self, hasher: &RowHasher) -> impl Iterator<Item = PersonKey> {
        self.0.iter().map(|kept| match kept {
            Kept::Reference(id) => person_key(&hasher.reference(id)),
            Kept::Email(email) => person_key(&hasher.email(email)),
        })
    }

    /// How many of them `is_there` does not know.
    pub fn missing(&self, hasher: &RowHasher, is_there: impl Fn(&PersonKey) -> bool) -> usize {
        self.keys(hasher).filter(|key| !is_there(key)).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_a_person_or_says_nothing() {
        let file = KeepFile::parse("# the site's lead\nref:EMP-1\n\n email:Ann@Example.com \r\n").expect("people");
        assert_eq!(file.0, [Kept::Reference("EMP-1".into()), Kept::Email("ann@example.com".into())]);
        for (text, line) in [("EMP-1", 1), ("ref:A\nref:", 2), ("email:nobody", 1), ("id:7", 1)] {
            assert_eq!(KeepFile::parse(text).err(), Some((line, KeepSlip::NoPerson)), "{text}");
        }
        for (text, line) in [("ref:A\nref: ref-0123456789", 2), ("email:p-0123456789@Masked.invalid", 1)] {
            assert_eq!(KeepFile::parse(text).err(), Some((line, KeepSlip::Pseudonym)), "{text}");
        }
    }
}
