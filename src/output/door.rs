//! The door to the terminal: what would steer it, or reorder what it shows, is made visible.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Whether a character acts on a terminal or a reader's eye without being seen: C0, DEL, C1, the bidi controls and
/// the line and paragraph separators. Joiners stay: emoji and several scripts need them.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The text with every hidden character written out: `\t`, `\n`, `\r`, and `\u{1b}` for the others. What comes out
/// stands on one line.
pub fn visible(text: &str) -> Cow<'_, str> {
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

/// A stream to a terminal, line by line through the door. What follows the last line end comes out with `flush`.
pub(super) struct Door<W: Write> {
    out: W,
    line: Vec<u8>,
}

impl<W: Write> Door<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out, line: Vec::new() }
    }

    fn let_out(&mut self) -> io::Result<()> {
        let line = std::mem::take(&mut self.line);
        self.out.write_all(visible(&String::from_utf8_lossy(&line)).as_bytes())
    }
}

impl<W: Write> Write for Door<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            match part.strip_suffix(b"\n") {
                Some(end) => {
                    self.line.extend_from_slice(end);
                    self.let_out()?;
                    self.out.write_all(b"\n")?;
                }
                None => self.line.extend_from_slice(part),
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.let_out()?;
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::fuzz::{fuzz, lines};

    #[test]
    fn an_escape_sequence_is_shown_and_not_sent() {
        assert_eq!(visible("a\u{1b}[31mred\u{7f}"), "a\\u{1b}[31mred\\u{7f}");
        assert_eq!(visible("two\r\nlines\tand\u{2028}more"), "two\\r\\nlines\\tand\\u{2028}more");
        assert_eq!(visible("\u{202e}gpj.exe\u{9b}"), "\\u{202e}gpj.exe\\u{9b}");
    }

    #[test]
    fn plain_text_is_lent_and_not_copied() {
        for plain in ["", "Zoë Müller", "漢字", "👨\u{200d}👩\u{200d}👧", "e\u{301}", "C:\\new"] {
            assert!(matches!(visible(plain), Cow::Borrowed(text) if text == plain), "{plain}");
        }
    }

    #[test]
    fn fuzzed_texts_come_through_the_door_without_anything_hidden() {
        let seeds = lines(include_str!("../../tests/fixtures/fuzz/texts.txt"));
        fuzz(400_000, &seeds, &["\u{1b}[", "\u{1b}]", "\u{9b}", "\u{7}", "\u{202e}", "\u{2028}", "\r"], |bytes| {
            let text = String::from_utf8_lossy(bytes);
            let shown = visible(&text);
            assert!(!shown.chars().any(is_hidden));
            assert_eq!(visible(&shown), shown);
            let kept = |text: &str| text.chars().filter(|c| !is_hidden(*c) && !c.is_ascii()).collect::<String>();
            assert_eq!(kept(&shown), kept(&text), "what is no control stays");
            text.chars().filter(|c| is_hidden(*c)).take(3).collect::<String>()
        });
    }

    proptest! {
        #[test]
        fn nothing_hidden_passes(text in r"(\PC|[\x00-\x1f\x7f-\x9f\u{61c}\u{200e}\u{200f}\u{2028}-\u{202e}\u{2066}-\u{2069}])*") {
            let shown = visible(&text);
            prop_assert!(!shown.chars().any(is_hidden));
            prop_assert!(!shown.chars().any(char::is_control));
        }

        #[test]
        fn what_is_not_hidden_stays(text in r"[^\p{C}\u{2028}\u{2029}]*") {
            prop_assert_eq!(visible(&text), text.as_str());
        }
    }
}
