//! Paths and queries: ids by type, one place that encodes segments and asserts what was built.

use reqwest::Url;

use super::error::Error;
use crate::model::field_rules::percent_encode;
use crate::model::projects::ProjectId;
use crate::model::testtakers::EntryId;

/// One segment of a path.
#[derive(Clone, Copy, Debug)]
pub enum Segment<'a> {
    /// A fixed word of the specification.
    Word(&'static str),
    /// A project id.
    Project(ProjectId),
    /// A project-entry id.
    Entry(EntryId),
    /// A reference id: personal, so it never shows in what is said about a request.
    Reference(&'a str),
}

impl Segment<'_> {
    fn encoded(&self) -> String {
        match self {
            Self::Word(word) => (*word).to_owned(),
            Self::Project(id) => id.to_string(),
            Self::Entry(id) => id.to_string(),
            Self::Reference(text) => percent_encode(text),
        }
    }
}

/// The path as it may be shown: project and entry ids in clear, reference ids not.
pub fn template(segments: &[Segment<'_>]) -> String {
    let mut shown = String::new();
    for segment in segments {
        shown.push('/');
        match segment {
            Segment::Reference(_) => shown.push_str("{referenceId}"),
            other => shown.push_str(&other.encoded()),
        }
    }
    shown
}

/// Builds the URL of a request below `base`. A segment that the URL library would fold (`.`, `..`) or that is empty
/// is refused, and the built path is compared with the expected one: data can't climb out of its segment.
pub fn build(base: &Url, segments: &[Segment<'_>], query: &[(&'static str, String)]) -> Result<Url, Error> {
    let encoded: Vec<String> = segments.iter().map(Segment::encoded).collect();
    if encoded.iter().any(|segment| matches!(segment.as_str(), "" | "." | "..")) {
        return Err(Error::Path);
    }
    let path = format!("{}/{}", base.path().trim_end_matches('/'), encoded.join("/"));
    let mut url = base.clone();
    url.set_path(&path);
    if url.path() != path || url.host() != base.host() {
        return Err(Error::Path);
    }
    if !query.is_empty() {
        url.query_pairs_mut().extend_pairs(query);
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::fuzz::{fuzz, lines};

    fn base() -> Url {
        Url::parse("http://127.0.0.1:9/root").expect("a URL")
    }

    #[test]
    fn dots_never_become_a_path() {
        for id in [".", "..", ""] {
            let built = build(&base(), &[Segment::Word("results"), Segment::Reference(id)], &[]);
            assert!(matches!(built, Err(Error::Path)), "{id:?}");
        }
    }

    #[test]
    fn a_plus_in_a_query_is_encoded() {
        let url = build(&base(), &[Segment::Word("x")], &[("referenceId", "+a b".into())]).expect("a URL");
        assert_eq!(url.as_str(), "http://127.0.0.1:9/root/x?referenceId=%2Ba+b");
    }

    #[test]
    fn a_template_never_shows_a_reference_id() {
        let shown = template(&[Segment::Word("projects"), Segment::Entry(EntryId(7)), Segment::Reference("EMP")]);
        assert_eq!(shown, "/projects/7/{referenceId}");
    }

    #[test]
    fn fuzzed_addresses_and_reference_ids_never_leave_their_place() {
        let seeds = lines(include_str!("../../tests/fixtures/fuzz/reference-ids.txt"));
        let words = ["https://a.example/root/\n", "http://[::1]:8/\n", "/", "..", "%2f", "%", "\\", "@", "\n"];
        fuzz(200_000, &seeds, &words, |bytes| {
            let text = String::from_utf8_lossy(bytes).into_owned();
            let (address, id) = text.split_once('\n').unwrap_or(("", &text));
            let address = Url::parse(address).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
            let base = address.map_or_else(base, |mut url| {
                url.set_query(None);
                url.set_fragment(None);
                url
            });
            let query = [("referenceId", id.to_owned())];
            let built = build(&base, &[Segment::Word("results"), Segment::Reference(id)], &query);
            let Ok(url) = built else {
                assert!(matches!(id, "" | "." | ".."), "{base} {id:?}");
                return (true, 0);
            };
            assert_eq!((url.scheme(), url.host(), url.port()), (base.scheme(), base.host(), base.port()));
            let rest = url.path().strip_prefix(base.path().trim_end_matches('/')).expect("below the base");
            let segment = rest.strip_prefix("/results/").expect("the fixed segment");
            assert!(!segment.contains('/'), "{url}");
            assert_eq!(percent_encoding::percent_decode_str(segment).decode_utf8().expect("UTF-8"), id);
            assert!(url.query_pairs().eq([("referenceId".into(), id.into())]));
            (false, base.path().len().min(40))
        });
    }

    proptest! {
        #[test]
        fn any_reference_id_stays_one_segment_and_reads_back(id in any::<String>()) {
            match build(&base(), &[Segment::Word("results"), Segment::Reference(&id)], &[]) {
                Err(_) => prop_assert!(matches!(id.as_str(), "" | "." | "..")),
                Ok(url) => {
                    let segments: Vec<&str> = url.path().split('/').collect();
                    prop_assert_eq!(segments.len(), 4);
                    let back = percent_encoding::percent_decode_str(segments[3]).decode_utf8();
                    prop_assert_eq!(back.expect("UTF-8"), id.as_str());
                }
            }
        }
    }
}
