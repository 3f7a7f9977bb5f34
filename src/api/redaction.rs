//! Redaction of a service's words: what a request carried must not come back on a terminal.

use url::form_urlencoded::byte_serialize;

/// Words that are not ours, as they may be shown: without these values, and without e-mail addresses and links of people
/// that no request named. Whatever a service, a page or a library says goes through here.
pub(super) fn quoted(text: &str, values: &[String]) -> String {
    without_addresses(&redact(text, values))
}

/// The same words as a report that the user asked for has them: whole, but for a secret.
pub(super) fn without_secret(text: &str, secret: &str) -> String {
    redact(text, &[secret.to_owned()])
}

/// Replaces each of `values` in `text`, ignoring case and also where it stands encoded, the longest first; short ones
/// only where they stand as a word, or a one-letter name would leave nothing readable.
fn redact(text: &str, values: &[String]) -> String {
    let mut values: Vec<String> = values.iter().filter(|v| !v.trim().is_empty()).flat_map(|v| forms(v)).collect();
    values.sort_by_key(|value| std::cmp::Reverse(value.len()));
    values.dedup();
    values.iter().fold(text.to_owned(), |redacted, value| redact_one(&redacted, value))
}

/// Leaves out each word that has an e-mail address or a link in it, also where that stands encoded.
fn without_addresses(text: &str) -> String {
    let parts = text.split_inclusive(char::is_whitespace).map(|part| {
        let word = part.trim_end();
        let plain = decoded(word);
        let is_address = plain.contains("//") || plain.contains('@');
        if is_address { format!("…{}", &part[word.len()..]) } else { part.to_owned() }
    });
    parts.collect()
}

/// How what makes an address or a link stands in a query, in a page and in JSON.
const ENCODED: [(&str, &str); 11] = [
    ("%25", "%"),
    ("%40", "@"),
    ("%2f", "/"),
    ("\\/", "/"),
    ("&amp;", "&"),
    ("&#64;", "@"),
    ("&#x40;", "@"),
    ("&commat;", "@"),
    ("&#47;", "/"),
    ("&#x2f;", "/"),
    ("&sol;", "/"),
];

/// A word in lower case with what makes an address or a link as it is, however often it was encoded.
fn decoded(word: &str) -> String {
    let mut plain = word.to_lowercase();
    loop {
        let next = ENCODED.iter().fold(plain.clone(), |text, (form, meant)| text.replace(form, meant));
        if next == plain {
            return plain;
        }
        plain = next;
    }
}

/// A value as it is, as it stands in a path, in a query, and in a page.
fn forms(value: &str) -> Vec<String> {
    let query: String = byte_serialize(value.as_bytes()).collect();
    let path = query.replace('+', "%20");
    let page = value.replace('&', "&amp;").replace('<', "&lt;").replace('\'', "&#39;");
    let mut forms = vec![value.to_owned(), query.replace("%40", "@"), path.replace("%40", "@"), query, path];
    forms.extend([page.replace('@', "&#64;"), page]);
    forms.sort_unstable();
    forms.dedup();
    forms
}

fn redact_one(text: &str, value: &str) -> String {
    let needle: Vec<char> = value.chars().flat_map(char::to_lowercase).collect();
    let anywhere = value.chars().count() > 3;
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let stands =
            |end: usize| !out.ends_with(char::is_alphanumeric) && !rest[end..].starts_with(char::is_alphanumeric);
        let end = begins(rest, &needle).filter(|end| anywhere || stands(*end));
        out.push(if end.is_some() { '…' } else { first });
        rest = &rest[end.unwrap_or(first.len_utf8())..];
    }
    out
}

/// How many bytes of the text are the needle, which is in lower case.
fn begins(text: &str, needle: &[char]) -> Option<usize> {
    let mut left = needle;
    for (at, c) in text.char_indices() {
        for lower in c.to_lowercase() {
            left = left.strip_prefix(&[lower])?;
        }
        if left.is_empty() {
            return Some(at + c.len_utf8());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redaction_keeps_text_around_wide_characters_whole() {
        assert_eq!(redact("ÄÖ name Müller ÄÖ", &["müller".into(), "Müller".into()]), "ÄÖ name … ÄÖ");
        assert_eq!(redact("a cat, a", &["a".into()]), "… cat, …");
    }

    #[test]
    fn addresses_and_links_of_others_are_left_out() {
        let said = "held by zoe@example.com\n(see https://t.example.com/take/1): try  again";
        assert_eq!(without_addresses(said), "held by …\n(see … try  again");
        assert_eq!(without_addresses("Bad Request"), "Bad Request");
    }

    #[test]
    fn an_address_or_a_link_that_stands_encoded_is_left_out_too() {
        for word in [
            "see%20HTTPS%3A%2F%2Ft.example%2Ftake%2F1",
            "https%253a%252F%252ft.example",
            "https:\\/\\/t.example",
            "https:&#x2F;&#47;t.example",
            "//t.example/take/1",
            "zoe%40x.example",
            "zoe&amp;#64;x.example",
            "zoe&commat;x.example",
        ] {
            assert_eq!(quoted(&format!("at {word} now"), &[]), "at … now");
        }
        assert_eq!(quoted("100%25 and/or 5%", &[]), "100%25 and/or 5%");
    }

    #[test]
    fn what_was_sent_is_redacted_in_any_case_and_encoding() {
        let sent = ["Zoë Müller".to_owned(), "zoe@example.com".to_owned()];
        for (text, redacted) in [
            ("ZOË MÜLLER is busy", "… is busy"),
            ("GET /x?filter=Zo%C3%AB+M%C3%BCller&page=1", "GET /x?filter=…&page=1"),
            ("GET /Zo%c3%ab%20m%c3%bcller/", "GET /…/"),
            ("filter=zoe%40example.com", "filter=…"),
            ("to zoe&#64;example.com", "to …"),
        ] {
            assert_eq!(redact(text, &sent), redacted);
        }
    }
}
