//! What a reader must see: characters that steer a terminal, reorder a line or hide in a text are written out.

use std::borrow::Cow;

/// Whether a character acts on a terminal or a reader's eye without being seen: control characters, bidirectional controls,
/// separators of lines, and what is invisible and lets two texts look the same. Joiners (U+200C, U+200D) stay: emoji and
/// several scripts need them.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'
                | '\u{200e}' | '\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// The text with each hidden character written out (`\t`, `\n`, `\r`, else `\u{1b}`); what comes out is one line.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let shown = |c: char| if is_hidden(c) { c.escape_default().to_string() } else { c.to_string() };
    text.chars().map(shown).collect()
}

/// A text as HTML has it, in content and in quoted attributes.
pub fn html(text: &str) -> String {
    let escapes = [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;"), ("'", "&#39;")];
    escapes.iter().fold(text.to_owned(), |text, (c, escape)| text.replace(c, escape))
}

/// A word as a shell takes it, fit for a terminal.
pub fn shell_word(word: &str) -> String {
    let word = visible(word);
    let is_plain = !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "-_./=:%@,+".contains(c));
    if is_plain { word.into_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_escape_sequence_is_shown_and_not_sent() {
        assert_eq!(visible("a\u{1b}[31mred\u{7f}"), "a\\u{1b}[31mred\\u{7f}");
        assert_eq!(visible("two\r\nlines\tand\u{2028}more"), "two\\r\\nlines\\tand\\u{2028}more");
        assert_eq!(html("<a href='x'>&\"</a>"), "&lt;a href=&#39;x&#39;&gt;&amp;&quot;&lt;/a&gt;");
    }

    proptest! {
        #[test]
        fn nothing_hidden_passes_and_all_else_stays(text in r"(\PC|[\x00-\x1f\x7f-\x9f\u{ad}\u{200b}\u{202a}-\u{202e}\u{feff}\u{e0041}])*") {
            let shown = visible(&text);
            prop_assert!(!shown.contains(is_hidden));
            if !text.contains(is_hidden) {
                prop_assert_eq!(shown.as_ref(), text.as_str());
            }
        }
    }
}
