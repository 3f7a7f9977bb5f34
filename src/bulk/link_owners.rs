//! Whose links are known, so that no person gets another one's.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::journal::issued_links::Links;
use crate::journal::keyed_hash::Hash;
use crate::model::failure::Failure;
use crate::model::testtakers::EntryId;

use super::links_file::FiledLinks;

/// The first person of each link, by its keyed hash.
#[derive(Debug)]
pub struct LinkOwners(HashMap<Hash, EntryId>);

impl LinkOwners {
    /// Those of the journal and of a file.
    pub fn known(links: &Links, filed: Option<&FiledLinks>) -> Result<Self, Failure> {
        let mut owners: HashMap<Hash, EntryId> = links.last_links()?.into_iter().collect();
        for (entry, url) in filed.into_iter().flat_map(FiledLinks::read) {
            owners.entry(links.hash_of(url.expose())).or_insert(*entry);
        }
        Ok(Self(owners))
    }

    /// Makes a link a person's own; where it is another one's already, that one is the answer.
    pub fn claim(&mut self, link: Hash, entry: EntryId) -> Result<(), EntryId> {
        match self.0.entry(link) {
            Entry::Occupied(owner) if *owner.get() != entry => Err(*owner.get()),
            Entry::Occupied(_) => Ok(()),
            Entry::Vacant(free) => {
                free.insert(entry);
                Ok(())
            }
        }
    }
}
