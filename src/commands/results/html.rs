//! Texts in a page.

use crate::model::sanitize::escape_controls;

/// A text as HTML shows it: nothing in it is markup, and nothing hidden acts.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in escape_controls(text).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_is_markup() {
        assert_eq!(escape("<b a='1' c=\"2\">&\u{202e}"), "&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;\\u{202e}");
    }
}
