//! Lists: the fetching around the walk, in one walk or verified.

use std::collections::HashSet;
use std::hash::Hash;
use std::marker::PhantomData;

use futures_util::future::join_all;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::connect::Client;
use super::decode;
use super::error::Error;
use super::key_set::{IdBitmap, KeySet};
use super::path::Segment;
use super::rejection::Rejection;
use super::send::{Request, SuccessBody};
use super::verified_list::{ListBuilder, RecordKey, VerifiedList};
use super::walk::{After, Convergence, Fault, Mode, PageResult, Walk};
use crate::model::listing::PAGE_SIZE_MAX;
use crate::model::projects::{Project, ProjectId};
use crate::model::testtakers::TestTaker;
use crate::model::time::parse_service_time;

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
    pub(super) fn parse(answer: &SuccessBody, sent: Box<RawValue>) -> Result<Self, Error> {
        let (record, sent) = decode::record(sent).map_err(|why| answer.foreign(&why))?;
        Ok(Self { record, sent })
    }
}

/// A record that lists hold.
pub trait Listed: DeserializeOwned {
    /// What makes two records the same one.
    type Key: Eq + Hash + Clone;

    /// How the keys that were seen are kept.
    type KeySet: KeySet<Self::Key>;

    /// The record's key.
    fn key(&self) -> Self::Key;

    /// What grows with time: the id (our reading), or a creation time. `None` where the record has neither.
    fn age(&self) -> Option<i64>;

    /// By what a verified list is kept apart and sorted: a number where the key is one, else a text.
    fn sorted_by(&self) -> RecordKey;

    /// Looks at an answer's records before they are read: whether they have another shape altogether.
    fn look_before(_sent: &RawValue) -> Result<(), Error> {
        Ok(())
    }
}

impl Listed for Project {
    type Key = ProjectId;
    type KeySet = HashSet<ProjectId>;
    fn key(&self) -> ProjectId {
        self.id
    }
    fn age(&self) -> Option<i64> {
        let created = self.date_created.as_deref().and_then(parse_service_time)?;
        Some(created.as_microsecond())
    }
    fn sorted_by(&self) -> RecordKey {
        RecordKey::Text(self.id.to_string())
    }
}

impl Listed for TestTaker {
    type Key = i32;
    type KeySet = IdBitmap;
    fn key(&self) -> i32 {
        self.id
    }
    fn age(&self) -> Option<i64> {
        Some(self.id.into())
    }
    fn sorted_by(&self) -> RecordKey {
        RecordKey::Number(self.id.into())
    }
}

/// A redirect URI.
impl Listed for String {
    type Key = String;
    type KeySet = HashSet<String>;
    fn key(&self) -> String {
        self.clone()
    }
    fn age(&self) -> Option<i64> {
        None
    }
    fn sorted_by(&self) -> RecordKey {
        RecordKey::Text(self.clone())
    }
}

/// A list that can be read.
pub struct Listing<'a, T: Listed> {
    client: &'a Client,
    path: Vec<Segment<'a>>,
    query: Vec<(&'static str, String)>,
    page_size: u32,
    records: PhantomData<T>,
}

impl<'a, T: Listed> Listing<'a, T> {
    pub(super) fn new(client: &'a Client, path: Vec<Segment<'a>>, query: Vec<(&'static str, String)>) -> Self {
        Self { client, path, query, page_size: PAGE_SIZE_MAX, records: PhantomData }
    }

    /// Sets the size of the pages (1 to 100).
    #[must_use]
    pub fn page_size(self, size: u32) -> Self {
        Self { page_size: size.clamp(1, PAGE_SIZE_MAX), ..self }
    }

    /// One page of the list, counted from 1.
    pub async fn page(&self, number: u32) -> Result<Vec<Read<T>>, Error> {
        let mut query = self.query.clone();
        query.push(("page", number.to_string()));
        query.push(("pageSize", self.page_size.to_string()));
        let answer = self.client.send(&Request::page(&self.path, query)).await?;
        let sent: Vec<Box<RawValue>> = answer.read()?;
        if let Some(first) = sent.first() {
            T::look_before(first)?;
        }
        sent.into_iter().map(|sent| Read::parse(&answer, sent)).collect()
    }

    /// Begins one walk over the list.
    pub fn walk(&self) -> Pages<'_, 'a, T> {
        Pages { listing: self, walk: Walk::new(self.page_size, Mode::PLAIN), seen: T::KeySet::default() }
    }

    /// Reads the list in one walk into memory.
    pub async fn all(&self) -> Result<Vec<Read<T>>, Error> {
        let mut pages = self.walk();
        let mut all = Vec::new();
        while let Some(records) = pages.next().await? {
            all.extend(records);
        }
        Ok(all)
    }

    /// Walks carefully, and again until a walk adds nothing that must have been there before; five walks at most.
    /// Memory stays flat. `last_order` keeps the order of the last walk; else the list is sorted by its key.
    pub async fn verified(&self, last_order: bool) -> Result<VerifiedList, Error> {
        // A list of more records than can be counted is none.
        self.verified_within(usize::MAX, last_order, |_| {}).await?.ok_or(Error::Unverified)
    }

    /// As [`verified`](Self::verified), but gives up, with `None`, where the list has more than `most` records. Tells
    /// how many it has read.
    pub async fn verified_within(
        &self,
        most: usize,
        last_order: bool,
        mut tell: impl FnMut(usize),
    ) -> Result<Option<VerifiedList>, Error> {
        let mut builder = ListBuilder::begin()?;
        let mut convergence = Convergence::new();
        let mut count = 0;
        loop {
            let mut walk = Walk::new(self.page_size, Mode::CAREFUL);
            while let Some(records) = self.step(&mut walk).await? {
                for read in records {
                    let new = builder.put(&read.record.sorted_by(), read.sent.get())?;
                    convergence.saw(new, read.record.age());
                    count += usize::from(new);
                }
                if count > most {
                    return Ok(None);
                }
                tell(count);
            }
            match convergence.end_walk() {
                After::Again => builder.next_walk(),
                After::Whole => return builder.finish(last_order).map(Some),
                After::Unverified => return Err(Error::Unverified),
            }
        }
    }

    /// Fetches what the walk asks for, and returns what it says to use; `None` when it is over.
    async fn step(&self, walk: &mut Walk<T::Key>) -> Result<Option<Vec<Read<T>>>, Error> {
        let pages = walk.asks();
        if pages.is_empty() {
            return Ok(None);
        }
        let is_first = |place: usize| pages.get(place) == Some(&1);
        let mut answers = join_all(pages.iter().copied().map(|number| self.page(number))).await;
        let came: Vec<PageResult<T::Key>> = answers.iter().map(judged).collect();
        match walk.judge(&came) {
            Ok(used) => {
                let mut place = 0..answers.len();
                answers.retain(|_| place.next().is_some_and(|place| used.contains(&place)));
                Ok(Some(answers.into_iter().flatten().flatten().collect()))
            }
            Err(Fault::Repeated(page)) => Err(Error::RepeatedPage { page }),
            Err(Fault::Failed(place)) => match answers.swap_remove(place) {
                Err(Error::Rejected(rejection)) => {
                    let no_ids = self.path.iter().all(|segment| matches!(segment, Segment::Word(_)));
                    Err(Error::Rejected(Box::new(Rejection { always_there: no_ids && is_first(place), ..*rejection })))
                }
                Err(error) => Err(error),
                // The walk calls only errors failed.
                Ok(_) => Err(Error::Unverified),
            },
        }
    }
}

/// A page as the walk sees it.
fn judged<T: Listed>(answer: &Result<Vec<Read<T>>, Error>) -> PageResult<T::Key> {
    match answer {
        Ok(records) => PageResult::Keys(records.iter().map(|read| read.record.key()).collect()),
        Err(error) if matches!(error.status(), Some(400 | 404)) => PageResult::Refused,
        Err(_) => PageResult::Failed,
    }
}

/// One walk under way. Each record comes once; a failed page fails the list.
pub struct Pages<'l, 'a, T: Listed> {
    listing: &'l Listing<'a, T>,
    walk: Walk<T::Key>,
    seen: T::KeySet,
}

impl<T: Listed> Pages<'_, '_, T> {
    /// The next records that no page had before; `None` at the end.
    pub async fn next(&mut self) -> Result<Option<Vec<Read<T>>>, Error> {
        let records = self.listing.step(&mut self.walk).await?;
        let seen = &mut self.seen;
        Ok(records.map(|records| records.into_iter().filter(|read| seen.add(read.record.key())).collect()))
    }
}
