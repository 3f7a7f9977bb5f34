//! Lists: the whole list, or an error. The service pages by number and reports no total (design §6).

use std::collections::{HashMap, HashSet};
use std::marker::PhantomData;

use futures_util::stream::{FuturesOrdered, StreamExt as _};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::client::{Client, Request};
use super::error::Error;
use super::path::Path;
use super::record::{Read, json};
use crate::model::people::TestTaker;
use crate::model::projects::Project;

/// The most records of a page (specification, Limits).
pub(super) const PAGE_SIZE_MAX: u32 = 100;
/// The page sizes of the walks, in hundredths of the longest page: their borders are elsewhere each time.
const SIZES: [u32; 8] = [100, 97, 91, 83, 71, 99, 89, 79];
/// The most pages under way at once.
const AHEAD: usize = 8;

/// What lists hold.
pub trait Listed: DeserializeOwned {
    /// What tells one record from another.
    fn key(&self) -> String;

    /// A number that grows with time (our assumption); `None` where nothing does.
    fn id(&self) -> Option<i32> {
        None
    }

    /// Whether two records of one page with the same key are two.
    fn has_twins(&self) -> bool {
        false
    }
}

/// A list that can be read.
pub struct List<'c, T> {
    client: &'c Client,
    path: Path,
    query: Vec<(String, String)>,
    of: PhantomData<T>,
}

/// What the walks over one list found.
struct Found<T> {
    /// In the order of the first walk; of two reads of a record, the later one.
    records: Vec<Read<T>>,
    by_key: HashMap<String, usize>,
    /// The highest id of the first walk that counted. A record above it is a newcomer, and no hole in earlier walks.
    newest: Option<i32>,
    newcomers: usize,
    /// The length of the longest page: the service may cap it.
    longest: usize,
}

/// What one walk saw.
#[derive(Default)]
struct Walk {
    /// The pages that showed somebody new.
    pages: u32,
    /// Records of those pages; one that came twice counts twice.
    places: u32,
    /// Records that no walk before found, newcomers aside.
    added: u32,
    newest: Option<i32>,
}

impl<T> Found<T> {
    fn new() -> Self {
        Self { records: Vec::new(), by_key: HashMap::new(), newest: None, newcomers: 0, longest: 0 }
    }

    /// Takes a record, and returns whether it was not known.
    fn take(&mut self, key: String, read: Read<T>) -> bool {
        if let Some(at) = self.by_key.get(&key) {
            self.records[*at] = read;
            return false;
        }
        self.by_key.insert(key, self.records.len());
        self.records.push(read);
        true
    }
}

impl<'c, T: Listed> List<'c, T> {
    pub(super) fn new(client: &'c Client, path: Path, query: Vec<(String, String)>) -> Self {
        Self { client, path, query, of: PhantomData }
    }

    /// One page as the service gives it; numbers start at 1. Proves nothing.
    pub async fn page(&self, number: u32, size: u32) -> Result<Vec<Read<T>>, Error> {
        let page = self.page_as_sent(number, size).await;
        page.map_err(|error| if number == 1 { self.of_first_page(error) } else { error })
    }

    async fn page_as_sent(&self, number: u32, size: u32) -> Result<Vec<Read<T>>, Error> {
        let mut query = self.query.clone();
        query.extend([("page".to_owned(), number.to_string()), ("pageSize".to_owned(), size.to_string())]);
        let body = self.client.send(&Request::get(self.path.clone(), query), None).await?;
        let records: Vec<Box<RawValue>> = json(&body)?;
        records.into_iter().zip(1..).map(|(sent, number)| Read::parse(sent, &format!("record {number}"))).collect()
    }

    /// A 404 to the first page is no empty list.
    fn of_first_page(&self, error: Error) -> Error {
        match error.status() {
            Some(404) if error.is_not_the_service() => error,
            Some(404) if self.path.shown.contains("{projectId}") => Error::UnknownProject,
            Some(404) => Error::WrongAddress,
            _ => error,
        }
    }

    /// What an exact search finds: one page, which proves nothing.
    pub async fn matches(&self) -> Result<Vec<Read<T>>, Error> {
        let page = self.page(1, PAGE_SIZE_MAX).await?;
        if page.len() >= PAGE_SIZE_MAX as usize { self.whole().await } else { Ok(page) }
    }

    /// The first records that `keep` accepts, at most `limit`, and whether there may be more. Proves nothing.
    pub async fn first(&self, limit: usize, keep: impl Fn(&T) -> bool) -> Result<(Vec<Read<T>>, bool), Error> {
        let (mut seen, mut kept) = (HashSet::new(), Vec::new());
        for number in 1.. {
            let page = self.page(number, PAGE_SIZE_MAX).await?;
            let (count, before) = (page.len(), seen.len());
            kept.extend(keyed(page).filter_map(|(key, read)| (seen.insert(key) && keep(&read.record)).then_some(read)));
            let is_last = count < PAGE_SIZE_MAX as usize || seen.len() == before;
            if kept.len() >= limit || is_last {
                let is_more = kept.len() > limit || !is_last;
                kept.truncate(limit);
                return Ok((kept, is_more));
            }
        }
        Err(Error::Unproven)
    }

    /// The whole list, or [`Error::Unproven`].
    ///
    /// A walk reads pages until one is not full, or shows nobody new. It counts if its last place has a record and the
    /// place after it has none: then no page was cut short, left out or refused in the middle. The list is whole when a
    /// walk that counts, with other page borders than the walks before, finds nobody whom they did not find, and there are
    /// no more places than records. A first page that is not full is one answer, and whole by itself if it counts.
    pub async fn whole(&self) -> Result<Vec<Read<T>>, Error> {
        let mut found = Found::new();
        for (number, hundredths) in SIZES.into_iter().enumerate() {
            let longest = if found.longest == 0 { PAGE_SIZE_MAX as usize } else { found.longest };
            let size = u32::try_from(longest).unwrap_or(PAGE_SIZE_MAX).min(PAGE_SIZE_MAX) * hundredths / 100;
            let walk = self.walk(size.max(1), &mut found).await?;
            if !self.ends_after(walk.places).await? {
                continue;
            }
            let is_one_page = number == 0 && walk.pages <= 1 && walk.places < size;
            let has_all = found.records.len() + found.newcomers >= walk.places as usize;
            if is_one_page || (number > 0 && walk.added == 0 && has_all) {
                return Ok(found.records);
            }
            found.newest = found.newest.or(walk.newest);
        }
        Err(Error::Unproven)
    }

    /// Reads pages in order. Those under way grow 1, 1, 2, 4, 8: a short list costs no request too many.
    async fn walk(&self, size: u32, found: &mut Found<T>) -> Result<Walk, Error> {
        let (mut walk, mut seen) = (Walk::default(), HashSet::new());
        let (mut next, mut ahead) = (1, 1);
        let mut under_way = FuturesOrdered::new();
        loop {
            while under_way.len() < ahead {
                under_way.push_back(self.page_of_walk(next, size));
                next += 1;
            }
            let Some(page) = under_way.next().await else { return Ok(walk) };
            let page = page?;
            let (count, before) = (page.len(), seen.len());
            walk.take(page, found, &mut seen);
            if seen.len() > before {
                walk.pages += 1;
                walk.places += u32::try_from(count).unwrap_or(u32::MAX);
                found.longest = found.longest.max(count);
            }
            if seen.len() == before || count < size as usize {
                return Ok(walk);
            }
            ahead = if next == 2 { 1 } else { (ahead * 2).min(AHEAD) };
        }
    }

    /// "There is no such page", answered twice to a page after the first, is an empty page: whether that is the end, the
    /// places tell.
    async fn page_of_walk(&self, number: u32, size: u32) -> Result<Vec<Read<T>>, Error> {
        let is_no_page = |error: &Error| number > 1 && matches!(error.status(), Some(400 | 404 | 410));
        match self.page(number, size).await {
            Err(error) if is_no_page(&error) => match self.page(number, size).await {
                Err(error) if is_no_page(&error) => Ok(Vec::new()),
                again => again,
            },
            page => page,
        }
    }

    /// Whether the list has exactly so many places. Pages of one record have other borders and other addresses than those
    /// of a walk.
    async fn ends_after(&self, places: u32) -> Result<bool, Error> {
        let last = places.max(1);
        let (here, beyond) = tokio::try_join!(self.page_of_walk(last, 1), self.page_of_walk(last + 1, 1))?;
        Ok(here.is_empty() == (places == 0) && beyond.is_empty())
    }
}

impl Walk {
    fn take<T: Listed>(&mut self, page: Vec<Read<T>>, found: &mut Found<T>, seen: &mut HashSet<String>) {
        for (key, read) in keyed(page) {
            let id = read.record.id();
            seen.insert(key.clone());
            self.newest = self.newest.max(id);
            if found.take(key, read) {
                let is_newcomer = found.newest.is_some() && id > found.newest;
                found.newcomers += usize::from(is_newcomer);
                self.added += u32::from(!is_newcomer);
            }
        }
    }
}

/// Records with their keys. Twins of one page (the older shape of results has no id) are told apart by number.
fn keyed<T: Listed>(page: Vec<Read<T>>) -> impl Iterator<Item = (String, Read<T>)> {
    let mut met: HashMap<String, u32> = HashMap::new();
    page.into_iter().map(move |read| {
        let key = read.record.key();
        let count = met.entry(key.clone()).or_default();
        *count += u32::from(read.record.has_twins());
        (if *count > 1 { format!("{key}\0{count}") } else { key }, read)
    })
}

impl Listed for Project {
    fn key(&self) -> String {
        self.id.to_string()
    }
}

impl Listed for TestTaker {
    fn key(&self) -> String {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let named = || {
            [&self.email, &self.reference_id, &self.full_name, &self.first_name, &self.last_name].map(text).join("\0")
        };
        self.id.map_or_else(named, |id| id.to_string())
    }

    fn id(&self) -> Option<i32> {
        self.id
    }

    fn has_twins(&self) -> bool {
        self.id.is_none()
    }
}

/// A redirect URI; the service ignores case in them (specification, Workspace redirect URIs).
impl Listed for String {
    fn key(&self) -> String {
        self.to_lowercase()
    }
}
