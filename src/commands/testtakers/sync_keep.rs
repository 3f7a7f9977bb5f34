//! The file of `--keep`: people who are never removed.

use std::path::Path;

use crate::bulk::sync::known::KnownPeople;
use crate::files::read_text;
use crate::journal::person_key::{PersonKey, person_key};
use crate::journal::row_store::RowHasher;
use crate::model::text::fold_email;
use crate::model::verdict::{Failure, Verdict};

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

impl KeepFile {
    /// Reads the file: one person a line; blank lines and lines that begin with `#` say nothing.
    pub fn read(file: &Path) -> Result<Self, Failure> {
        let text = read_text(file, LONGEST).map_err(|error| {
            Failure::usage(format!("cannot read {}: {error}", file.display())).hint("name the file of --keep")
        })?;
        Self::parse(&text).map_err(|line| {
            let cause = format!("{}:{line}: not a person; nothing was sent", file.display());
            Failure::new(Verdict::Refused, cause).hint("write ref:REFERENCE_ID or email:ADDRESS, one a line")
        })
    }

    /// The line that is no person is the error.
    fn parse(text: &str) -> Result<Self, usize> {
        let mut people = Vec::new();
        for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines().map(str::trim)) {
            people.push(match line.split_once(':') {
                _ if line.is_empty() || line.starts_with('#') => continue,
                Some(("ref", id)) if !id.trim().is_empty() => Kept::Reference(id.trim().to_owned()),
                Some(("email", email)) if email.contains('@') => Kept::Email(fold_email(email.trim())),
                _ => return Err(number),
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
            assert_eq!(KeepFile::parse(text).err(), Some(line), "{text}");
        }
    }
}
