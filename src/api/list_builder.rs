//! A verified list while it is collected. What the first walk finds stands in a file; a later walk that finds the same in
//! the same order is compared with it text by text, and only where one does not is the list put into a table.

use std::cell::RefCell;
use std::io;

use serde::de::DeserializeOwned;

use super::error::Error;
use super::record_file::RecordFile;
use super::record_key::RecordKey;
use super::record_table::RecordTable;
use crate::model::testtakers::{EntryId, ListedPerson, TestTaker};

/// Collects a list: of two reads of a record the later wins.
#[derive(Debug)]
pub struct ListBuilder {
    /// What the first walk found, as long as nothing else was.
    file: Option<RecordFile>,
    table: Option<RecordTable>,
    is_first_walk: bool,
    /// What a later walk showed last.
    previous: Option<RecordKey>,
    place: i64,
}

impl ListBuilder {
    /// Before the first walk.
    pub fn begin() -> Self {
        Self { file: Some(RecordFile::new()), table: None, is_first_walk: true, previous: None, place: 0 }
    }

    /// Begins another walk.
    pub fn next_walk(&mut self) -> Result<(), Error> {
        if let Some(file) = &mut self.file {
            file.rewind().map_err(Error::Collect)?;
        }
        self.is_first_walk = false;
        self.previous = None;
        Ok(())
    }

    /// The key of a record that a later walk found, where the walks found the same so far and this is the next one, byte for
    /// byte. All there is to know of it is known then.
    pub fn repeats(&mut self, json: &str) -> Result<Option<RecordKey>, Error> {
        let Some(file) = self.file.as_mut().filter(|_| !self.is_first_walk) else { return Ok(None) };
        let next = file.next().map_err(Error::Collect)?.filter(|kept| kept.json == json.as_bytes());
        let Some(key) = next.map(|kept| kept.key) else {
            self.table()?;
            return Ok(None);
        };
        self.previous = Some(key.clone());
        Ok(Some(key))
    }

    /// Keeps a record that is new. What a later walk finds stands after what it followed there.
    pub fn add(&mut self, key: &RecordKey, json: &str) -> Result<(), Error> {
        let place = match self.previous.take() {
            _ if self.is_first_walk => self.place + 1,
            Some(previous) => self.table()?.place_of(&previous)?,
            None => 0,
        };
        self.place = self.place.max(place);
        self.came_to(key);
        match &mut self.file {
            Some(file) if self.is_first_walk => file.append(key, json).map_err(Error::Collect),
            _ => self.table()?.add(key, json, place),
        }
    }

    /// Keeps the later read of a record.
    pub fn renew(&mut self, key: &RecordKey, json: &str) -> Result<(), Error> {
        self.came_to(key);
        self.table()?.renew(key, json)
    }

    fn came_to(&mut self, key: &RecordKey) {
        if !self.is_first_walk {
            self.previous = Some(key.clone());
        }
    }

    /// Forgets a record that is gone.
    pub fn remove(&mut self, key: &RecordKey) -> Result<(), Error> {
        self.table()?.remove(key)
    }

    /// The records whose keys `is_wanted`.
    pub fn select(&mut self, is_wanted: impl Fn(&RecordKey) -> bool) -> Result<Vec<(RecordKey, String)>, Error> {
        self.table()?.select(is_wanted)
    }

    /// The table, into which the file goes where there is still one.
    fn table(&mut self) -> Result<&RecordTable, Error> {
        let table = match (self.file.take(), self.table.take()) {
            (Some(mut file), _) => {
                file.rewind().map_err(Error::Collect)?;
                RecordTable::of(&mut file)?
            }
            (None, Some(table)) => table,
            (None, None) => RecordTable::begin()?,
        };
        Ok(self.table.insert(table))
    }

    /// Ends collecting. `walk_order` keeps the order of the walks; else the list is sorted by its keys.
    pub fn finish(mut self, walk_order: bool) -> Result<VerifiedList, Error> {
        if let Some(file) = self.file.take_if(|_| walk_order) {
            return Ok(VerifiedList(Kept::InOrder(RefCell::new(file))));
        }
        self.table()?;
        Ok(VerifiedList(Kept::InTable { table: self.table.map_or_else(RecordTable::begin, Ok)?, walk_order }))
    }
}

/// A verified list.
#[derive(Debug)]
pub struct VerifiedList(Kept);

#[derive(Debug)]
enum Kept {
    InOrder(RefCell<RecordFile>),
    InTable { table: RecordTable, walk_order: bool },
}

impl VerifiedList {
    /// Gives each record's JSON text in order: by key, or as the walks had them. `take` does not read the same list.
    pub fn each<E: From<Error>>(&self, mut take: impl FnMut(&str) -> Result<(), E>) -> Result<(), E> {
        self.each_with_key(|_, json| take(std::str::from_utf8(json).map_err(|_| Error::Unverified)?))
    }

    /// The same as bytes: what is not looked at need not be UTF-8.
    fn each_with_key<E: From<Error>>(&self, mut take: impl FnMut(&RecordKey, &[u8]) -> Result<(), E>) -> Result<(), E> {
        let file = match &self.0 {
            Kept::InTable { table, walk_order } => return table.each(*walk_order, take),
            Kept::InOrder(file) => file,
        };
        let failed = |error| E::from(Error::Collect(error));
        let mut file = file.try_borrow_mut().map_err(|error| failed(io::Error::other(error)))?;
        file.rewind().map_err(failed)?;
        while let Some(kept) = file.next().map_err(failed)? {
            take(&kept.key, kept.json)?;
        }
        Ok(())
    }

    /// Gives each record as we understand it, in the order of [`each`](Self::each). Each was understood once before, when
    /// its page came.
    pub fn each_record<T: DeserializeOwned>(&self, mut take: impl FnMut(T)) -> Result<(), Error> {
        self.each(|json| {
            take(serde_json::from_str(json).map_err(|_| Error::Unverified)?);
            Ok(())
        })
    }

    /// Of a list of people: who each is.
    pub fn each_person(&self, mut take: impl FnMut(ListedPerson<'_>)) -> Result<(), Error> {
        self.each_with_key(|_, json| {
            take(serde_json::from_slice(json).map_err(|_| Error::Unverified)?);
            Ok(())
        })
    }

    /// Of a list of people: their entries, each with a record that is read only where that is asked for.
    pub fn each_entry<E: From<Error>>(
        &self,
        mut take: impl FnMut(EntryId, UnreadPerson<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.each_with_key(|key, json| {
            let RecordKey::Number(id) = key else { return Err(Error::Unverified.into()) };
            let entry = i32::try_from(*id).map_err(|_| Error::Unverified)?;
            take(EntryId(entry), UnreadPerson(json))
        })
    }
}

/// The record of a person on a list.
#[derive(Clone, Copy, Debug)]
pub struct UnreadPerson<'l>(&'l [u8]);

impl UnreadPerson<'_> {
    /// Reads it.
    pub fn read(self) -> Result<TestTaker, Error> {
        serde_json::from_slice(self.0).map_err(|_| Error::Unverified)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    const WALKED: [(i64, &str); 3] = [(10, "a"), (2, "b"), (3, "gone later")];

    fn number(id: i64) -> RecordKey {
        RecordKey::Number(id)
    }

    fn walked() -> ListBuilder {
        let mut builder = ListBuilder::begin();
        for (id, json) in WALKED {
            assert_eq!(builder.repeats(json).expect("nothing to read"), None, "the first walk repeats nothing");
            builder.add(&number(id), json).expect("kept");
        }
        builder.next_walk().expect("written");
        builder
    }

    fn ended(builder: ListBuilder, walk_order: bool) -> Vec<String> {
        let list = builder.finish(walk_order).expect("a list");
        // It can be read as often as one likes.
        let read = || {
            let mut all = Vec::new();
            let read: Result<(), Error> = list.each(|json| {
                all.push(json.to_owned());
                Ok(())
            });
            read.expect("a readable list");
            all
        };
        assert_eq!(read(), read());
        read()
    }

    fn collected(walk_order: bool) -> Vec<String> {
        let mut builder = walked();
        builder.renew(&number(10), "a again").expect("kept");
        builder.add(&number(7), "missed at first").expect("kept");
        builder.renew(&number(2), "b again").expect("kept");
        let lacked = builder.select(|key| *key == number(3)).expect("a record");
        assert_eq!(lacked, [(number(3), "gone later".to_owned())]);
        builder.remove(&number(3)).expect("removed");
        ended(builder, walk_order)
    }

    #[test]
    fn the_later_read_wins_and_ids_sort_as_numbers() {
        assert_eq!(collected(false), ["b again", "missed at first", "a again"]);
    }

    #[test]
    fn the_order_of_the_walks_can_be_kept() {
        assert_eq!(collected(true), ["a again", "missed at first", "b again"]);
    }

    #[test]
    fn a_walk_that_finds_the_same_is_told_so_and_one_that_does_not_from_there_on() {
        let mut builder = walked();
        for (id, json) in WALKED {
            assert_eq!(builder.repeats(json).expect("readable"), Some(number(id)));
        }
        builder.next_walk().expect("readable");
        assert_eq!(builder.repeats("a").expect("readable"), Some(number(10)));
        assert_eq!(builder.repeats("new").expect("readable"), None);
        builder.add(&number(7), "new").expect("kept");
        assert_eq!(builder.repeats("b").expect("readable"), None, "what follows is compared by its key");
        builder.renew(&number(2), "b").expect("kept");
        assert_eq!(ended(builder, true), ["a", "new", "b", "gone later"]);
    }

    #[test]
    fn a_walk_that_goes_on_longer_finds_something_else() {
        let mut builder = walked();
        assert!(WALKED.iter().all(|(_, json)| builder.repeats(json).expect("readable").is_some()));
        assert_eq!(builder.repeats("d").expect("readable"), None);
        builder.add(&number(4), "d").expect("kept");
        assert_eq!(ended(builder, true), ["a", "b", "gone later", "d"]);
    }

    #[test]
    fn a_record_that_stands_twice_in_the_first_walk_is_kept_once() {
        let mut builder = ListBuilder::begin();
        builder.add(&number(1), "a").expect("kept");
        builder.renew(&number(1), "a again").expect("kept");
        builder.add(&number(2), "b").expect("kept");
        builder.next_walk().expect("readable");
        assert_eq!(builder.repeats("a again").expect("readable"), None);
        assert_eq!(ended(builder, true), ["a again", "b"]);
    }

    /// What walks over records of these ids and versions come to.
    fn collected_from(mut builder: ListBuilder, walks: &[Vec<(i64, u8)>], walk_order: bool) -> Vec<String> {
        let mut known = HashSet::new();
        for (number_of_walk, walk) in walks.iter().enumerate() {
            if number_of_walk > 0 {
                builder.next_walk().expect("readable");
            }
            for (id, version) in walk {
                let json = format!("{id} {version}");
                if builder.repeats(&json).expect("readable").is_some() {
                    continue;
                }
                let keep = if known.insert(*id) { ListBuilder::add } else { ListBuilder::renew };
                keep(&mut builder, &number(*id), &json).expect("kept");
            }
        }
        ended(builder, walk_order)
    }

    /// Walks, of which the later ones begin as the first one does.
    fn walks() -> impl Strategy<Value = Vec<Vec<(i64, u8)>>> {
        let walk = || prop::collection::vec((0..9_i64, 0..2_u8), 0..9);
        (walk(), prop::collection::vec((0..12_usize, walk(), any::<bool>()), 0..3)).prop_map(|(first, later)| {
            let again = |(same, rest, is_same): (usize, Vec<_>, bool)| {
                let rest = if is_same { Vec::new() } else { rest };
                first.iter().take(same).copied().chain(rest).collect()
            };
            std::iter::once(first.clone()).chain(later.into_iter().map(again)).collect()
        })
    }

    proptest! {
        #[test]
        fn a_list_is_the_same_whether_or_not_its_walks_are_compared_text_by_text(walks in walks(), walk_order: bool) {
            let in_table = ListBuilder { file: None, ..ListBuilder::begin() };
            let expected = collected_from(in_table, &walks, walk_order);
            prop_assert_eq!(collected_from(ListBuilder::begin(), &walks, walk_order), expected);
        }
    }
}
