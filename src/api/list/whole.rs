//! When a list is whole: four rules about its pages, wherever they come from (docs/how-it-stays-right.md, lists).
//!
//! Our assumption: no list moves so that every walk misses the same person while somebody else, whom a walk saw, leaves.
//! `model.rs` has 1 list in 6 torn where everybody has the same name, in another order each time.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use futures_util::stream::{FuturesOrdered, StreamExt as _};
use serde_json::value::RawValue;

use super::{Key, Keys, Listed, PAGE_SIZE_MAX, listed};
use crate::api::error::Error;
use crate::api::record::{Read, Sent, json};

/// The page sizes of the walks, in hundredths of the longest page; the second is less. No two are equal: a service that ends
/// its lists behind some full pages would be believed. The borders of the third are far from those of the first two, where
/// these are near each other (at the beginning of a list of thousands).
const SIZES: [u32; 8] = [100, 100, 81, 71, 97, 91, 83, 61];
/// The most pages under way at once.
const AHEAD: usize = 16;

/// What the walks over one list found.
pub(super) struct Found<T> {
    /// In the order of the first walk; of two reads of a record, the one that [`Listed::replaces`] the other.
    records: Vec<Read<T>>,
    /// Of each record, the number of the latest walk that saw it.
    seen: Vec<Option<usize>>,
    /// Where each record is.
    index: HashMap<Key, usize>,
    /// The highest number of the first walk that counted. A record above it is a newcomer, and no hole in earlier walks.
    newest: Option<i32>,
    /// The places of the latest walk that counted.
    places: Option<u32>,
    /// The length of the longest page, for the service may cap it; 0 before there was one.
    longest: u32,
}

/// What one walk saw.
#[derive(Default)]
pub(super) struct Walk {
    /// Counted from 0.
    pub(super) number: usize,
    /// The length of its longest page so far; before there was one, what was asked for.
    full: u32,
    /// Records of the pages that showed somebody whom this walk had not seen; one that came twice counts twice.
    places: u32,
    /// Pages that were not empty.
    pages: u32,
    /// Whether it saw two records of one key that are not the same.
    has_two: bool,
    /// Whether the latest page is not full, so that the end is probably near.
    is_short: bool,
    /// Its first page is not full, and the list ends there.
    ends_there: bool,
    /// The page behind a full one was refused: that may be the end of what the service shows, and not of the list.
    is_refused_early: bool,
    /// Records that no walk before found, newcomers aside.
    pub(super) added: usize,
    newest: Option<i32>,
    /// Where the next record is, if this walk shows the same as those before.
    next: usize,
}

/// Reads the body of a page. One that shows what an earlier walk saw is compared as text only.
pub(super) fn page(body: &[u8], expected: &[Sent]) -> Result<Vec<Sent>, Error> {
    let rest = expected.iter().enumerate().try_fold(body.trim_ascii(), |rest, (at, sent)| {
        rest.strip_prefix(if at == 0 { b"[" } else { b"," })?.strip_prefix(sent.get().as_bytes())
    });
    if rest == Some(b"]") && !expected.is_empty() {
        return Ok(expected.to_vec());
    }
    let records: Vec<Box<RawValue>> = json(body)?;
    Ok(records.into_iter().map(Arc::from).collect())
}

/// The pages of a list.
pub(super) trait Pages<T: Listed> {
    /// One page as the service sends it, read by [`page`]; numbers start at 1.
    async fn page(&self, number: u32, size: u32, expected: &[Sent]) -> Result<Vec<Sent>, Error>;

    /// The whole list, or [`Error::Unproven`]: walks until one counts and shows that nobody is missing.
    async fn whole(&self) -> Result<Vec<Read<T>>, Error> {
        let mut found = Found {
            records: Vec::new(),
            seen: Vec::new(),
            index: HashMap::new(),
            newest: None,
            places: None,
            longest: 0,
        };
        let (mut walk, mut agreeing) = (Walk::default(), 0);
        for (number, hundredths) in SIZES.into_iter().enumerate() {
            // A walk that saw nobody says nothing about the pages of the service.
            let longest = if found.longest == 0 { PAGE_SIZE_MAX } else { found.longest.min(PAGE_SIZE_MAX) };
            // Each border of a list of n pages is then at least about 1/(n+1) page away from those of the first walk, and more is
            // not possible: whoever slips over a border of one walk is inside a page of the other.
            let less = if number == 1 { (longest / (walk.places / longest + 2)).max(1) } else { 0 };
            walk = self.walk(number, (longest * hundredths / 100).saturating_sub(less).max(1), &mut found).await?;
            if walk.is_one_page() {
                return Ok(found.records);
            }
            if self.counts(&walk).await? {
                agreeing = if self.is_whole(&walk, &found) { agreeing + 1 } else { 0 };
                // Where somebody left meanwhile, their place may hide that somebody else slipped over a border.
                let is_somebody_gone = found.seen.iter().any(|seen| *seen != Some(number));
                // Asked twice in a row, for two copies of the service may take turns.
                if agreeing > usize::from(is_somebody_gone) && self.counts(&walk).await? {
                    return Ok(found.records);
                }
                found.newest = found.newest.or(walk.newest);
                found.places = Some(walk.places);
            }
        }
        Err(Error::Unproven)
    }

    /// Rule 1: a walk reads pages in order until one shows nobody new. A page that is not full is no end: a service may take
    /// records out of its pages after it has cut them. The pages under way grow 1, 1, 2, 4, 8, 16. Behind a first page that is not
    /// full, the end is asked for.
    async fn walk(&self, number: usize, size: u32, found: &mut Found<T>) -> Result<Walk, Error> {
        let mut walk = Walk { number, full: size, ..Walk::default() };
        let (mut next, mut ahead) = (1, 1);
        let mut under_way = FuturesOrdered::new();
        // A later walk knows about where the end is.
        let end = if number == 0 { usize::MAX } else { found.records.len() / size as usize + 2 };
        loop {
            while under_way.is_empty() || (under_way.len() < ahead && next as usize <= end) {
                let first = walk.next + under_way.len() * size as usize;
                let expected = found.records.iter().skip(first).take(size as usize).map(|read| read.sent.clone());
                under_way.push_back(self.page_of_walk(next, size, expected.collect()));
                next += 1;
            }
            let Some(page) = under_way.next().await.transpose()? else { return Ok(walk) };
            walk.is_refused_early = page.is_none() && !walk.is_short;
            if !walk.take(page.unwrap_or_default(), found)? {
                return Ok(walk);
            }
            if number == 0 && next == 2 && walk.is_short {
                // Before the next page, for two copies of the service may take turns, and the older one has fewer records.
                walk.ends_there = self.counts(&walk).await?;
            }
            ahead = if next == 2 || walk.is_short { 1 } else { (ahead * 2).min(AHEAD) };
        }
    }

    /// "There is no such page", answered twice to a page after the first, is `None`. Whether it is the end follows from the
    /// number of places.
    async fn page_of_walk(&self, number: u32, size: u32, expected: Vec<Sent>) -> Result<Option<Vec<Sent>>, Error> {
        let is_no_page = |error: &Error| number > 1 && matches!(error.status(), Some(400 | 404 | 410));
        match self.page(number, size, &expected).await {
            Err(error) if is_no_page(&error) => match self.page(number, size, &expected).await {
                Err(error) if is_no_page(&error) => Ok(None),
                again => again.map(Some),
            },
            page => page.map(Some),
        }
    }

    /// Rule 2: a walk counts if a page that reaches over its end shows its last places and nothing behind them: then no page was
    /// cut short, left out or refused in the middle. That page has a few records only, for the service may cap its pages. A
    /// refusal right behind a full page ends nothing: services may show their first thousand records only.
    async fn counts(&self, walk: &Walk) -> Result<bool, Error> {
        // Each number below 2^32 has such a size, but 0.
        let size = (2..24).find(|size| !walk.places.is_multiple_of(*size)).unwrap_or(2);
        let page = self.page_of_walk(walk.places / size + 1, size, Vec::new());
        Ok(!walk.is_refused_early && page.await?.unwrap_or_default().len() == (walk.places % size) as usize)
    }

    /// Rules 3 and 4: a walk that counts shows that the list is whole if it finds nobody whom the walks before it did not
    /// find, newcomers aside, and there are as many records as the walk that counted before it had places: a list that
    /// nobody changes is never torn.
    fn is_whole(&self, walk: &Walk, found: &Found<T>) -> bool {
        let has_all = found.records.len() >= found.places.unwrap_or(walk.places) as usize;
        walk.number > 0 && walk.added == 0 && has_all
    }
}

impl Walk {
    /// Whether the list is one page that is not full and has an empty one behind it: that is whole by itself.
    fn is_one_page(&self) -> bool {
        self.number == 0 && self.pages == 1 && self.ends_there && !self.has_two
    }

    /// Takes the next page, and returns whether another one may follow.
    fn take<T: Listed>(&mut self, page: Vec<Sent>, found: &mut Found<T>) -> Result<bool, Error> {
        let (count, mut is_new) = (u32::try_from(page.len()).unwrap_or(u32::MAX), false);
        let mut keys = Keys::default();
        for (sent, place) in page.into_iter().zip(1..) {
            let at = match found.records.get(self.next) {
                // Nearly every record of a later walk: not read again.
                Some(known) if known.is_sent_as(&sent) && known.record.key().number().is_some() => self.next,
                _ => self.take_record(listed(sent, place)?, &mut keys, found),
            };
            self.next = at + 1;
            self.newest = self.newest.max(found.records[at].record.key().number());
            is_new |= found.seen[at].replace(self.number) != Some(self.number);
        }
        self.is_short = count < self.full;
        self.full = if self.pages == 0 { count } else { self.full.max(count) };
        self.pages += u32::from(count > 0);
        if is_new {
            self.places += count;
            found.longest = found.longest.max(count);
        }
        Ok(is_new)
    }

    /// Keeps a record, and returns where.
    fn take_record<T: Listed>(&mut self, read: Read<T>, keys: &mut Keys, found: &mut Found<T>) -> usize {
        match found.index.entry(keys.of(&read.record)) {
            Entry::Occupied(entry) => {
                let before = &mut found.records[*entry.get()];
                self.has_two |= found.seen[*entry.get()] == Some(self.number) && !before.is_sent_as(&read.sent);
                if T::replaces(&read, before) {
                    *before = read;
                }
                *entry.get()
            }
            Entry::Vacant(entry) => {
                let is_newcomer = found.newest.is_some() && entry.key().number() > found.newest;
                self.added += usize::from(!is_newcomer);
                found.seen.push(None);
                found.records.push(read);
                *entry.insert(found.records.len() - 1)
            }
        }
    }
}
