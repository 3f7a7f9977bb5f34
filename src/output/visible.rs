//! Texts without characters that would steer a terminal or hide from a reader.

use std::borrow::Cow;

use crate::model::show::{is_hidden, visible};

/// A text of several lines without what would steer a terminal.
pub(super) fn visible_lines(text: &str) -> String {
    text.split('\n').map(visible).collect::<Vec<_>>().join("\n")
}

/// JSON with its hidden characters as `\u`. They are inside of strings: a layout has only blanks and line ends, and a
/// string has no line end.
pub(super) fn escaped(json: &str) -> Cow<'_, str> {
    let is_escaped = |c: char| is_hidden(c) && c != '\n';
    if !json.contains(is_escaped) {
        return Cow::Borrowed(json);
    }
    let units =
        |c: char| c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect::<Vec<_>>().concat();
    json.chars().map(|c| if is_escaped(c) { units(c) } else { String::from(c) }).collect()
}
