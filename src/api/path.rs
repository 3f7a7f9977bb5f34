//! Paths: what is sent, and the template of it that may be shown.

use std::fmt::Display;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::Url;

use super::error::Error;
use super::redact::collect;

const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A path below the base URL. Data is encoded here, so that no operation can forget it.
#[derive(Clone)]
pub(super) struct Path {
    sent: String,
    /// The template, such as `/projects/{projectId}`: no ids.
    pub(super) shown: String,
    /// The words of its values, and of the record that it leads to, which no message may repeat.
    pub(super) words: Vec<String>,
}

impl Path {
    pub(super) fn of(word: &str) -> Self {
        Self { sent: format!("/{word}"), shown: format!("/{word}"), words: Vec::new() }
    }

    pub(super) fn word(self, word: &str) -> Self {
        Self { sent: format!("{}/{word}", self.sent), shown: format!("{}/{word}", self.shown), ..self }
    }

    /// Adds a value as one segment.
    pub(super) fn value(mut self, name: &str, value: &dyn Display) -> Self {
        let value = value.to_string();
        collect(&value, &mut self.words);
        let encoded = utf8_percent_encode(&value, UNRESERVED);
        Self { sent: format!("{}/{encoded}", self.sent), shown: format!("{}/{{{name}}}", self.shown), ..self }
    }

    /// The URL below `base`. A segment of dots is refused, because a URL library folds it: data cannot leave its segment.
    pub(super) fn below(&self, base: &Url, query: &[(String, String)]) -> Result<Url, Error> {
        let path = format!("{}{}", base.path().trim_end_matches('/'), self.sent);
        let mut url = base.clone();
        url.set_path(&path);
        if url.path() != path || self.sent.ends_with('/') {
            return Err(Error::Setup("this id cannot be part of a path".to_owned()));
        }
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        Ok(url)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn url(id: &str) -> Option<String> {
        let base = Url::parse("https://api.example/base/").expect("a URL");
        Path::of("results").value("referenceId", &id).below(&base, &[]).ok().map(String::from)
    }

    #[test]
    fn a_reference_id_is_one_segment() {
        assert_eq!(url("a/b?c#d e+@").as_deref(), Some("https://api.example/base/results/a%2Fb%3Fc%23d%20e%2B%40"));
        assert_eq!([url("."), url(".."), url("")], [None, None, None]);
        assert_eq!(Path::of("results").value("referenceId", &"EMP-1").shown, "/results/{referenceId}");
    }

    #[test]
    fn a_plus_in_a_query_is_no_blank() {
        let base = Url::parse("https://[::1]:8443").expect("a URL");
        let url = Path::of("projects").below(&base, &[("filter".into(), "a+b c".into())]).expect("a URL");
        assert_eq!(url.as_str(), "https://[::1]:8443/projects?filter=a%2Bb+c");
    }

    proptest! {
        #[test]
        fn data_cannot_leave_its_segment(id in "\\PC{1,20}") {
            if let Some(url) = url(&id) {
                let url = Url::parse(&url).expect("a URL");
                let segments: Vec<&str> = url.path_segments().expect("a path").collect();
                prop_assert_eq!(segments.len(), 3);
                let decoded = percent_encoding::percent_decode_str(segments[2]).decode_utf8().expect("UTF-8");
                prop_assert_eq!(decoded.as_ref(), id.as_str());
            } else {
                prop_assert!(id == "." || id == "..");
            }
        }
    }
}
