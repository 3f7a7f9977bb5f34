//! Other people's words on a terminal or in a log: plain words only, and none that the request or its record carried.

use serde_json::Value;

/// Stands for words that are not shown.
const HIDDEN: &str = "[hidden]";

/// The words of a service as they may be shown (SECURITY.md). A word stays if it is made of at most 40 ASCII letters, `_` and
/// `-`, or is a number of at most three digits, and is none of `carried`. All else becomes `[hidden]`: whatever encodes an address,
/// a link or an id is gone without being understood.
pub(super) fn plain(text: &str, carried: &[String]) -> String {
    let words = text.split_whitespace().take(60).map(|word| {
        let bare = word.trim_matches(|c: char| ".,:;!?()'\"".contains(c));
        let is_word =
            bare.len() <= 40 && bare.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_' || byte == b'-');
        let is_number = bare.len() <= 3 && bare.bytes().all(|byte| byte.is_ascii_digit());
        if (is_word || is_number) && !is_carried(bare, carried) { word.to_owned() } else { word.replace(bare, HIDDEN) }
    });
    let mut shown: Vec<String> = words.collect();
    shown.dedup_by(|next, last| next == last && *next == HIDDEN);
    shown.join(" ")
}

/// A text without the key, in whatever case.
pub(super) fn without_key(text: &str, key: &str) -> String {
    let (mut shown, mut end) = (String::new(), 0);
    for (at, found) in text.to_ascii_lowercase().match_indices(&key.to_ascii_lowercase()) {
        shown.extend([&text[end..at], HIDDEN]);
        end = at + found.len();
    }
    shown + &text[end..]
}

/// Short texts are compared whole: a middle initial is no reason to hide half the alphabet.
fn is_carried(word: &str, carried: &[String]) -> bool {
    let word = word.to_ascii_lowercase();
    carried.iter().any(|ours| if ours.len() > 3 { word.contains(ours.as_str()) } else { word == *ours })
}

/// The words of a text, in lower case: those of one that holds several, and their parts.
pub(super) fn collect(text: &str, words: &mut Vec<String>) {
    let parts = text.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    words.extend(text.split_whitespace().chain(parts).map(str::to_ascii_lowercase));
}

/// The words of all texts and numbers of a body.
pub(super) fn collect_json(value: &Value, words: &mut Vec<String>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| collect_json(value, words)),
        Value::Object(values) => values.values().for_each(|value| collect_json(value, words)),
        Value::String(text) => collect(text, words),
        Value::Number(number) => words.push(number.to_string()),
        Value::Null | Value::Bool(_) => {}
    }
}

/// Whether a body is markup: a sign-in page, or what a proxy says.
pub(super) fn is_page(body: &[u8]) -> bool {
    body.trim_ascii_start().starts_with(b"<")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_words_stay_and_everything_that_could_name_somebody_goes() {
        let mut carried = Vec::new();
        collect_json(
            &serde_json::json!({"email": "anna.berg@x.example", "firstName": "Li", "birthYear": 1980}),
            &mut carried,
        );
        let shown = |text| plain(text, &carried);
        assert_eq!(
            shown("'First Name' must be 100 characters or fewer."),
            "'First Name' must be 100 characters or fewer."
        );
        assert_eq!(
            shown("held by anna@example.com (see https://a.example/x): try again"),
            "held by [hidden] (see [hidden]): try again"
        );
        assert_eq!(shown("Anna Berg LI born 1980 is entry 4711"), "[hidden] born [hidden] is entry [hidden]");
        assert_eq!(shown("anna%40x &#97;nna \\u0061nna Zoë"), HIDDEN);
        assert_eq!(shown("a listing of 12 people"), "a listing of 12 people");
    }
}
