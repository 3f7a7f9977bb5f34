//! What a reader must see: characters that steer a terminal, reorder a line or hide in a text are written out.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Whether a character acts on a terminal or a reader's eye without being seen: C0, DEL, C1, the bidi controls, the
/// line and paragraph separators, and what is invisible and lets two texts look the same (soft hyphen, zero-width space
/// and its kin, byte order mark, annotation marks, tags). Joiners stay: emoji and several scripts need them.
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

/// The text with every hidden character written out: `\t`, `\n`, `\r`, and `\u{1b}` for the others. What comes out
/// stands on one line.
pub fn escape_controls(text: &str) -> Cow<'_, str> {
    let Some(first) = text.find(is_hidden) else { return Cow::Borrowed(text) };
    let mut shown = String::with_capacity(text.len() + 16);
    shown.push_str(&text[..first]);
    for c in text[first..].chars() {
        match c {
            '\t' => shown.push_str("\\t"),
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            c if is_hidden(c) => push_code(&mut shown, c),
            c => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

fn push_code(shown: &mut String, c: char) {
    // Writing into a String does not fail.
    let _ = write!(shown, "\\u{{{:x}}}", u32::from(c));
}

/// A text as HTML has it, in content and in quoted attributes: nothing in it is markup.
pub fn escape_html(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            c => html.push(c),
        }
    }
    html
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::fuzz::{fuzz, lines};

    #[test]
    fn an_escape_sequence_is_shown_and_not_sent() {
        assert_eq!(escape_controls("a\u{1b}[31mred\u{7f}"), "a\\u{1b}[31mred\\u{7f}");
        assert_eq!(escape_controls("two\r\nlines\tand\u{2028}more"), "two\\r\\nlines\\tand\\u{2028}more");
        assert_eq!(escape_controls("\u{202e}gpj.exe\u{9b}"), "\\u{202e}gpj.exe\\u{9b}");
    }

    #[test]
    fn two_texts_that_look_the_same_are_told_apart() {
        for hidden in ['\u{ad}', '\u{180e}', '\u{200b}', '\u{2060}', '\u{feff}', '\u{fff9}', '\u{fffb}', '\u{e0041}'] {
            let shown = escape_controls(&format!("EMP{hidden}-1")).into_owned();
            assert_eq!(shown, format!("EMP\\u{{{:x}}}-1", u32::from(hidden)));
        }
    }

    #[test]
    fn plain_text_is_lent_and_not_copied() {
        for plain in ["", "Zoë Müller", "漢字", "👨\u{200d}👩\u{200d}👧", "e\u{301}", "C:\\new"] {
            assert!(matches!(escape_controls(plain), Cow::Borrowed(text) if text == plain), "{plain}");
        }
    }

    #[test]
    fn fuzzed_texts_come_out_without_anything_hidden() {
        let seeds = lines(include_str!("../../tests/fixtures/fuzz/texts.txt"));
        fuzz(400_000, &seeds, &["\u{1b}[", "\u{1b}]", "\u{9b}", "\u{7}", "\u{202e}", "\u{2028}", "\r"], |bytes| {
            let text = String::from_utf8_lossy(bytes);
            let shown = escape_controls(&text);
            assert!(!shown.chars().any(is_hidden));
            assert_eq!(escape_controls(&shown), shown);
            let kept = |text: &str| text.chars().filter(|c| !is_hidden(*c) && !c.is_ascii()).collect::<String>();
            assert_eq!(kept(&shown), kept(&text), "what is no control stays");
            text.chars().filter(|c| is_hidden(*c)).take(3).collect::<String>()
        });
    }

    proptest! {
        #[test]
        fn nothing_hidden_passes(text in r"(\PC|[\x00-\x1f\x7f-\x9f\u{ad}\u{61c}\u{180e}\u{200b}\u{200e}\u{200f}\u{2028}-\u{202e}\u{2060}-\u{206f}\u{feff}\u{e0000}-\u{e007f}])*") {
            let shown = escape_controls(&text);
            prop_assert!(!shown.chars().any(is_hidden));
            prop_assert!(!shown.chars().any(char::is_control));
        }

        #[test]
        fn what_is_not_hidden_stays(text in r"[^\p{C}\u{2028}\u{2029}]*") {
            prop_assert_eq!(escape_controls(&text), text.as_str());
        }
    }
}
