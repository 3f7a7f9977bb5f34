//! Lists, page after page: a pure machine that judges pages, and the fetching around it.

use std::collections::HashSet;
use std::hash::Hash;

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::connect::Client;
use super::error::Error;
use super::path::Segment;
use super::send::{Answer, Request};
use crate::model::listing::{PAGE_SIZE_MAX, Page};
use crate::model::projects::{Project, ProjectId};
use crate::model::testtakers::TestTaker;

/// A record as the service sent it, beside our reading of it.
#[derive(Debug)]
pub struct Read<T> {
    /// What we understood.
    pub record: T,
    /// The JSON text, unknown properties included.
    pub sent: Box<RawValue>,
}

impl<T: DeserializeOwned> Read<T> {
    /// Reads one record of an answer.
    pub(super) fn parse(answer: &Answer, sent: Box<RawValue>) -> Result<Self, Error> {
        let record = serde_json::from_str(sent.get()).map_err(|error| answer.unreadable(&error))?;
        Ok(Self { record, sent })
    }
}

/// A record that lists hold.
pub trait Listed: DeserializeOwned {
    /// What makes two records the same one.
    type Key: Eq + Hash + Clone;

    /// The record's key.
    fn key(&self) -> Self::Key;

    /// Looks at an answer's records before they are read: whether they have another shape altogether.
    fn look_before(_sent: &RawValue) -> Result<(), Error> {
        Ok(())
    }
}

impl Listed for Project {
    type Key = ProjectId;
    fn key(&self) -> ProjectId {
        self.id
    }
}

impl Listed for TestTaker {
    type Key = i32;
    fn key(&self) -> i32 {
        self.id
    }
}

/// A redirect URI.
impl Listed for String {
    type Key = String;
    fn key(&self) -> String {
        self.clone()
    }
}

/// Judges the pages of one walk: which records are new, and whether another page is to be asked for.
#[derive(Debug)]
struct Walk<K> {
    page: Page,
    seen: HashSet<K>,
    previous: Vec<K>,
    ended: bool,
}

impl<K: Eq + Hash + Clone> Walk<K> {
    fn new(page_size: u32) -> Self {
        let page = Page { number: 1, size: page_size.clamp(1, PAGE_SIZE_MAX) };
        Self { page, seen: HashSet::new(), previous: Vec::new(), ended: false }
    }

    /// Takes the keys of the page that was asked for and says which of its records are new. A page that is not full
    /// ends the walk.
    fn judge(&mut self, keys: Vec<K>) -> Result<Vec<bool>, Error> {
        if !keys.is_empty() && keys == self.previous {
            return Err(Error::RepeatedPage { page: self.page.number });
        }
        let new = keys.iter().map(|key| self.seen.insert(key.clone())).collect();
        self.ended = (keys.len() as u64) < u64::from(self.page.size);
        self.page.number += 1;
        self.previous = keys;
        Ok(new)
    }
}

/// A list that is being read. Each record comes once; a failed page fails the list.
pub struct Listing<'a, T: Listed> {
    client: &'a Client,
    path: Vec<Segment<'a>>,
    query: Vec<(&'static str, String)>,
    walk: Walk<T::Key>,
    single: bool,
}

impl<'a, T: Listed> Listing<'a, T> {
    pub(super) fn new(client: &'a Client, path: Vec<Segment<'a>>, query: Vec<(&'static str, String)>) -> Self {
        Self { client, path, query, walk: Walk::new(PAGE_SIZE_MAX), single: false }
    }

    /// Sets the size of the walk's pages (1 to 100).
    #[must_use]
    pub fn page_size(mut self, size: u32) -> Self {
        self.walk = Walk::new(size);
        self
    }

    /// Reads exactly this page and no other.
    #[must_use]
    pub fn only_page(mut self, number: u32) -> Self {
        self.walk.page.number = number;
        self.single = true;
        self
    }

    /// The new records of the next page; `None` at the end.
    pub async fn next_page(&mut self) -> Result<Option<Vec<Read<T>>>, Error> {
        if self.walk.ended {
            return Ok(None);
        }
        let page = self.walk.page;
        let mut query = self.query.clone();
        query.push(("page", page.number.to_string()));
        query.push(("pageSize", page.size.to_string()));
        let answer = self.client.send(&Request::page(&self.path, query)).await?;
        let sent: Vec<Box<RawValue>> = answer.read()?;
        if let Some(first) = sent.first() {
            T::look_before(first)?;
        }
        let records = sent.into_iter().map(|sent| Read::parse(&answer, sent)).collect::<Result<Vec<Read<T>>, _>>()?;
        let new = self.walk.judge(records.iter().map(|read| read.record.key()).collect())?;
        self.walk.ended |= self.single;
        Ok(Some(records.into_iter().zip(new).filter_map(|(read, new)| new.then_some(read)).collect()))
    }

    /// Reads the list to its end.
    pub async fn all(mut self) -> Result<Vec<Read<T>>, Error> {
        let mut all = Vec::new();
        while let Some(page) = self.next_page().await? {
            all.extend(page);
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_that_moved_between_pages_comes_once() {
        let mut walk = Walk::new(3);
        assert_eq!(walk.judge(vec![1, 2, 3]).expect("a page"), [true, true, true]);
        assert!(!walk.ended);
        assert_eq!(walk.judge(vec![3, 4]).expect("a page"), [false, true]);
        assert!(walk.ended);
    }

    #[test]
    fn an_exactly_full_last_page_is_followed_by_an_empty_one() {
        let mut walk = Walk::new(2);
        walk.judge(vec![1, 2]).expect("a page");
        assert!(!walk.ended);
        assert_eq!(walk.page.number, 2);
        walk.judge(vec![]).expect("an empty page");
        assert!(walk.ended);
    }

    #[test]
    fn a_service_that_ignores_the_page_is_an_error() {
        let mut walk = Walk::new(2);
        walk.judge(vec![1, 2]).expect("a page");
        assert!(matches!(walk.judge(vec![1, 2]), Err(Error::RepeatedPage { page: 2 })));
    }
}
