//! The links that stand in a file: evidence of what was handed out, also by a run that was killed.

use std::collections::HashMap;

use jiff::Timestamp;

use crate::model::secret::Secret;
use crate::model::testtakers::EntryId;
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
}

/// The links of a file, the last one of each entry: an earlier one is void.
#[derive(Debug, Default)]
pub struct FiledLinks {
    by_entry: HashMap<EntryId, FiledLink>,
    /// Those that were there already, in the order of the file, void ones too.
    read: Vec<(EntryId, Secret)>,
}

impl FiledLinks {
    /// Takes the texts of a record of the file, which begin with those of [`FIELDS`].
    pub fn see(&mut self, texts: &[String]) {
        let [entry, _, url, until, ..] = texts else { return };
        let Ok(entry) = entry.parse() else { return };
        let link = FiledLink { url: Secret::new(url.clone()), until: parse_service_time(until) };
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
}
