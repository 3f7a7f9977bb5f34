//! The body of an answer, read as JSON, and what is said of one that can't be.

use serde::de::{DeserializeOwned, IgnoredAny};

use super::error::{BodyFault, Error};
use super::page_text::PageText;

/// A 2xx answer.
pub struct SuccessBody {
    status: u16,
    body: Body,
    /// Title of a page for browsers that came instead, without our key.
    title: Option<String>,
}

enum Body {
    Bytes(Vec<u8>),
    /// Of a request for a page: the list that it should be.
    Page(PageText),
}

impl SuccessBody {
    /// A body of this status; `title` where it is a page for browsers. Where a page of a list was asked for, its records are
    /// found.
    pub fn new(status: u16, body: Vec<u8>, title: Option<String>, of_list: bool) -> Self {
        let page = if of_list { PageText::parse(body) } else { Err(body) };
        Self { status, body: page.map_or_else(Body::Bytes, Body::Page), title }
    }

    /// The status.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// Fails where the body is cut off or no JSON at all.
    pub fn expect_json(&self) -> Result<(), Error> {
        match &self.body {
            Body::Bytes(_) => self.read::<IgnoredAny>().map(|_| ()),
            Body::Page(_) => Ok(()),
        }
    }

    /// Fails where there is a body that is cut off or no JSON: nothing is an answer too.
    pub fn expect_nothing_or_json(&self) -> Result<(), Error> {
        if self.bytes().is_empty() { Ok(()) } else { self.expect_json() }
    }

    /// How many records the page has.
    pub fn len(&self) -> usize {
        self.records().count()
    }

    /// The text of each record of a page.
    pub fn records(&self) -> impl Iterator<Item = &str> {
        let page = if let Body::Page(page) = &self.body { Some(page) } else { None };
        page.into_iter().flat_map(PageText::records)
    }

    /// Refuses what came for a page and is no list.
    pub fn expect_page(self) -> Result<Self, Error> {
        if let Body::Bytes(_) = self.body {
            self.read::<Vec<IgnoredAny>>()?;
            return Err(self.foreign("its body is not UTF-8"));
        }
        Ok(self)
    }

    fn bytes(&self) -> &[u8] {
        match &self.body {
            Body::Bytes(bytes) => bytes,
            Body::Page(page) => page.text().as_bytes(),
        }
    }

    /// A body that is JSON, but not what the service answers.
    pub fn foreign(&self, why: &str) -> Error {
        Error::Unreadable { status: self.status, why: why.to_owned(), body: BodyFault::Foreign }
    }

    /// Reads the body as JSON, whatever it is labelled, with or without a byte order mark.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, Error> {
        let body = self.bytes();
        serde_json::from_slice(body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body))
            .map_err(|error| self.unreadable(&error))
    }

    /// Says what is wrong with the body without quoting it: it may hold names.
    fn unreadable(&self, error: &serde_json::Error) -> Error {
        let why = match &self.title {
            Some(title) if title.is_empty() => "with an HTML page instead of JSON".to_owned(),
            Some(title) => format!("with an HTML page titled {title:?} instead of JSON"),
            None if self.bytes().is_empty() => "its body is empty".to_owned(),
            None => match error.classify() {
                serde_json::error::Category::Eof => "its body is cut off".to_owned(),
                serde_json::error::Category::Data => {
                    format!("its body is not what the specification shows (line {})", error.line())
                }
                _ => format!("its body is not JSON (line {} column {})", error.line(), error.column()),
            },
        };
        let body = match (&self.title, error.classify()) {
            (Some(_), _) => BodyFault::Page,
            (None, serde_json::error::Category::Data) => BodyFault::Foreign,
            (None, _) => BodyFault::Broken,
        };
        Error::Unreadable { status: self.status, why, body }
    }
}
