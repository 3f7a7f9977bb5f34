//! Lists: one page, the first records, or the whole list. The service pages by number and reports no total.

mod whole;

#[cfg(test)]
mod model;

use std::collections::{HashMap, HashSet};
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer};

use self::whole::Pages;
use super::client::{Client, Request};
use super::error::Error;
use super::path::Path;
use super::record::{Read, Sent};
use crate::model::people::TestTaker;
use crate::model::projects::Project;
use crate::model::results::is_flagged;

/// The most records of a page (specification, Limits).
pub(super) const PAGE_SIZE_MAX: u32 = 100;

/// What tells one record of a list from another. Numbers grow with time (our assumption).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    Number(i32),
    Text(Box<str>),
    /// Two records of one page with this key are two.
    Twin(Box<str>),
}

impl Key {
    fn number(&self) -> Option<i32> {
        if let Self::Number(number) = self { Some(*number) } else { None }
    }
}

/// What lists hold.
pub trait Listed: DeserializeOwned {
    fn key(&self) -> Key;

    /// Reads a record of a page.
    fn read(sent: Sent, place: usize) -> Result<Read<Self>, Error> {
        Read::parse(sent, place)
    }

    /// The key of a record, where it needs no more than a part of it.
    fn key_alone(_sent: &Sent) -> Option<Key> {
        None
    }

    /// Whether this reading of a record counts, and not an earlier one of the same run.
    fn replaces(_now: &Read<Self>, _before: &Read<Self>) -> bool {
        true
    }
}

/// What is read of a record that is only printed, as it was sent: its key. That takes half the memory and a fifth less time.
pub struct Printed<T> {
    key: Key,
    of: PhantomData<T>,
}

impl<'de, T: Listed> Deserialize<'de> for Printed<T> {
    fn deserialize<D: Deserializer<'de>>(record: D) -> Result<Self, D::Error> {
        Ok(Self { key: T::deserialize(record)?.key(), of: PhantomData })
    }
}

impl<T: Listed> Listed for Printed<T> {
    fn key(&self) -> Key {
        self.key.clone()
    }

    fn read(sent: Sent, place: usize) -> Result<Read<Self>, Error> {
        match T::key_alone(&sent) {
            Some(key) => Ok(Read { record: Self { key, of: PhantomData }, sent }),
            None => Read::parse(sent, place),
        }
    }

    fn replaces(now: &Read<Self>, before: &Read<Self>) -> bool {
        let again = |read: &Read<Self>| Read::<T>::parse(read.sent.clone(), 0);
        again(now).ok().zip(again(before).ok()).is_none_or(|(now, before)| T::replaces(&now, &before))
    }
}

/// A list that can be read.
pub struct List<'c, T> {
    client: &'c Client,
    path: Path,
    query: Vec<(String, String)>,
    of: PhantomData<T>,
}

impl<'c, T: Listed> List<'c, T> {
    pub(super) fn new(client: &'c Client, path: Path, query: Vec<(String, String)>) -> Self {
        Self { client, path, query, of: PhantomData }
    }

    /// The same list, to be printed.
    pub fn printed(&self) -> List<'c, Printed<T>> {
        List::new(self.client, self.path.clone(), self.query.clone())
    }

    /// One page as the service gives it; numbers start at 1. Proves nothing.
    pub async fn page(&self, number: u32, size: u32) -> Result<Vec<Read<T>>, Error> {
        parsed(Pages::page(self, number, size, &[]).await?)
    }

    /// What an exact search finds. One record or none is one page, which proves nothing; more may be a page that is capped.
    pub async fn matches(&self) -> Result<Vec<Read<T>>, Error> {
        let page = self.page(1, PAGE_SIZE_MAX).await?;
        if page.len() > 1 { self.whole().await } else { Ok(page) }
    }

    /// The first records that `keep` accepts, at most `limit`, and whether the service showed more. Proves nothing.
    pub async fn first(&self, limit: usize, keep: impl Fn(&T) -> bool) -> Result<(Vec<Read<T>>, bool), Error> {
        let (mut seen, mut kept) = (HashSet::new(), Vec::new());
        for number in 1.. {
            // The service may cap its pages, so one that is not full may be followed by others.
            let page = self.page_of_walk(number, PAGE_SIZE_MAX, Vec::new()).await?;
            let (page, before) = (parsed(page.unwrap_or_default())?, seen.len());
            let mut keys = Keys::default();
            kept.extend(page.into_iter().filter(|read| seen.insert(keys.of(&read.record)) && keep(&read.record)));
            let is_more = kept.len() > limit;
            if is_more || seen.len() == before {
                kept.truncate(limit);
                return Ok((kept, is_more));
            }
        }
        Err(Error::Unproven)
    }

    /// The whole list by four rules, or [`Error::Unproven`].
    pub async fn whole(&self) -> Result<Vec<Read<T>>, Error> {
        Pages::whole(self).await
    }
}

impl<T: Listed> Pages<T> for List<'_, T> {
    async fn page(&self, number: u32, size: u32, expected: &[Sent]) -> Result<Vec<Sent>, Error> {
        let mut query = self.query.clone();
        query.extend([("page".to_owned(), number.to_string()), ("pageSize".to_owned(), size.to_string())]);
        let request = Request::get(self.path.clone(), query);
        let page = self.client.send(&request, None, |body| whole::page(body, expected)).await;
        // A 404 to the first page is no empty list.
        page.map_err(|error| match error.status() {
            Some(404) if number > 1 || error.is_not_the_service() => error,
            Some(404) if self.path.shown.contains("{projectId}") => Error::UnknownProject,
            Some(404) => Error::WrongAddress,
            _ => error,
        })
    }
}

fn parsed<T: Listed>(page: Vec<Sent>) -> Result<Vec<Read<T>>, Error> {
    page.into_iter().zip(1..).map(|(sent, place)| listed(sent, place)).collect()
}

/// A record of a page, which must be about somebody: fields of other names are no empty ones.
fn listed<T: Listed>(sent: Sent, place: usize) -> Result<Read<T>, Error> {
    let read = T::read(sent, place)?;
    if matches!(read.record.key(), Key::Twin(text) if text.trim_matches('\0').is_empty()) {
        return Err(Error::Unreadable { why: format!("record {place} has none of the fields"), is_cut: false });
    }
    Ok(read)
}

/// The keys of one page. Twins (the older shape of results has no id) are told apart by number.
#[derive(Default)]
struct Keys {
    met: HashMap<Box<str>, u32>,
}

impl Keys {
    fn of<T: Listed>(&mut self, record: &T) -> Key {
        match record.key() {
            Key::Twin(text) => {
                let count = self.met.entry(text.clone()).or_default();
                *count += 1;
                Key::Twin(format!("{text}\0{count}").into())
            }
            key => key,
        }
    }
}

impl Listed for Project {
    fn key(&self) -> Key {
        Key::Text(self.id.to_string().into())
    }
}

impl Listed for TestTaker {
    fn key(&self) -> Key {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let named = || {
            [&self.email, &self.reference_id, &self.full_name, &self.first_name, &self.last_name].map(text).join("\0")
        };
        self.id.map_or_else(|| Key::Twin(named().into()), Key::Number)
    }

    /// The number, where it comes first.
    fn key_alone(sent: &Sent) -> Option<Key> {
        let (id, _) = sent.get().strip_prefix(r#"{"id":"#)?.split_once(',')?;
        id.trim().parse().ok().map(Key::Number)
    }

    /// A copy of the service may be older: the later result counts; where no times tell, the one that needs action.
    fn replaces(now: &Read<Self>, before: &Read<Self>) -> bool {
        let is_alert = |read: &Read<Self>| read.record.outcome().is_some_and(is_flagged);
        match (now.record.completed(), before.record.completed()) {
            (Some(now), Some(then)) if now != then => now > then,
            _ => is_alert(now) >= is_alert(before),
        }
    }
}

/// A redirect URI; the service ignores case in them (specification, Workspace redirect URIs).
impl Listed for String {
    fn key(&self) -> Key {
        Key::Text(self.to_lowercase().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replaces<T: Listed>(now: &str, before: &str) -> bool {
        let [now, before] = [now, before].map(|record| Read::<T>::of(record.as_bytes()).expect("a record"));
        T::replaces(&now, &before)
    }

    #[test]
    fn of_two_records_of_a_person_the_later_result_counts_else_the_one_that_needs_action() {
        let (early, late) = ("2026-03-01T06:00:00Z", "2026-03-02T06:00:00Z");
        let record = |(result, at): (&str, &str)| format!(r#"{{"id":7,"result":"{result}","dateCompleted":"{at}"}}"#);
        for (now, before, is_later) in [
            (("Completed", late), ("HighRisk", early), true),
            (("HighRisk", early), ("Completed", late), false),
            (("Completed", late), ("HighRisk", late), false),
            (("HighRisk", late), ("Completed", late), true),
            (("Completed", "then"), ("HighRisk", late), false),
            (("Completed", late), ("Completed", late), true),
        ] {
            let [one, other] = [record(now), record(before)];
            assert_eq!(replaces::<TestTaker>(&one, &other), is_later, "{now:?} after {before:?}");
            assert_eq!(replaces::<Printed<TestTaker>>(&one, &other), is_later, "{now:?} after {before:?}, printed");
        }
    }

    #[test]
    fn a_record_that_is_printed_has_the_key_of_one_that_is_read() {
        fn key<T: Listed>(json: &str) -> Option<Key> {
            let sent = Read::<serde_json::Value>::of(json.as_bytes()).expect("JSON").sent;
            listed::<T>(sent, 1).ok().map(|read| read.record.key())
        }
        for json in
            [r#"{"id":7,"email":"a@x.example"}"#, r#"{"fullName":"Ann Lee"}"#, r#"{"id":"7"}"#, "{}", r#""https://a""#]
        {
            assert_eq!(key::<Printed<TestTaker>>(json), key::<TestTaker>(json), "{json}");
            assert_eq!(key::<Printed<String>>(json), key::<String>(json), "{json}");
        }
    }

    #[test]
    fn twins_of_a_page_have_a_key_each_and_the_same_ones_on_another_page() {
        let twin = TestTaker { full_name: Some("Ann Lee".to_owned()), ..TestTaker::default() };
        let [mut one, mut other] = [Keys::default(), Keys::default()];
        let keys = [one.of(&twin), one.of(&twin), one.of(&twin)];
        assert_eq!(HashSet::from(keys.clone()).len(), 3);
        assert_eq!([other.of(&twin), other.of(&twin), other.of(&twin)], keys);
    }
}
