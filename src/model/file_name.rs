//! Names of files that are made of texts: a project's name, another file's.

/// A text as part of a file's name: letters, digits and `_ - .` as they are, what stands between them as one hyphen;
/// no path, nothing hidden, 60 characters at most. `fallback` where nothing is left.
pub fn safe_name(text: &str, fallback: &str) -> String {
    let plain: String = text.chars().map(|c| if is_plain(c) { c } else { ' ' }).take(60).collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    let name = words.join("-");
    match name.trim_matches(['-', '.']) {
        "" => fallback.to_owned(),
        name => name.to_owned(),
    }
}

fn is_plain(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_safe_name_leads_nowhere_else() {
        for (text, name) in [
            ("../../etc/passwd", "etc-passwd"),
            (".hidden", "hidden"),
            ("Früh / spät: 24 h", "Früh-spät-24-h"),
            ("a\u{0}b\u{202e}c\\d", "a-b-c-d"),
            (" .. ", "any"),
        ] {
            assert_eq!(safe_name(text, "any"), name, "{text:?}");
        }
    }
}
