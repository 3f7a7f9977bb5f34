//! Breaking a line between its words where a person reads it.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// The text in lines of at most `room` columns, broken at spaces. What stands between backticks is to be typed: it is not
/// broken, and neither is a word that is longer than a line; the terminal does that in a way that can be copied.
pub fn wrapped(text: &str, first: usize, room: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let (mut line, mut space) = (String::new(), String::new());
    let mut left = first;
    for piece in pieces(text) {
        let needed = space.width() + piece.width();
        if line.width() + needed > left && !line.trim().is_empty() {
            lines.push(std::mem::take(&mut line));
            left = room;
        } else {
            line.push_str(&space);
        }
        line.push_str(piece);
        " ".clone_into(&mut space);
    }
    lines.push(line);
    lines
}

/// The same in lines of which none is longer: words that are, are broken too.
pub(super) fn broken(text: &str, room: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for line in wrapped(text, room, room) {
        let (mut part, mut taken) = (String::new(), 0);
        for c in line.chars() {
            let width = c.width().unwrap_or(0);
            if taken + width > room && !part.is_empty() {
                lines.push(std::mem::take(&mut part));
                taken = 0;
            }
            part.push(c);
            taken += width;
        }
        lines.push(part);
    }
    lines
}

/// The words of a text; what stands between backticks is one of them with what touches it.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut is_typed = false;
    text.split(move |c| {
        is_typed ^= c == '`';
        c == ' ' && !is_typed
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_between_words_and_what_is_typed_stays_whole() {
        assert_eq!(wrapped("one two three", 80, 80), ["one two three"]);
        assert_eq!(wrapped("one two three", 8, 8), ["one two", "three"]);
        assert_eq!(wrapped("one two three", 4, 9), ["one", "two three"]);
        assert_eq!(wrapped("run `a b c`, then d", 9, 9), ["run", "`a b c`,", "then d"]);
        assert_eq!(wrapped("a https://example.com/long b", 10, 10), ["a", "https://example.com/long", "b"]);
        assert_eq!(wrapped("  indented  text", 12, 12), ["  indented ", "text"]);
        assert_eq!(wrapped("漢字 漢字 漢字", 9, 9), ["漢字 漢字", "漢字"]);
        assert_eq!(wrapped("", 9, 9), [""]);
        assert_eq!(wrapped("an `open end of it", 6, 6), ["an", "`open end of it"]);
    }

    #[test]
    fn a_line_of_a_column_is_never_longer_than_the_column() {
        assert_eq!(broken("a longword b", 4), ["a", "long", "word", "b"]);
        assert_eq!(broken("漢字", 3), ["漢", "字"]);
        assert_eq!(broken("", 3), [""]);
    }

    proptest::proptest! {
        #[test]
        fn nothing_but_spaces_gets_lost(text in "[a-z` ]{0,60}", room in 1_usize..20) {
            let joined: String = wrapped(&text, room, room).concat();
            proptest::prop_assert_eq!(joined.replace(' ', ""), text.replace(' ', ""));
        }
    }
}
