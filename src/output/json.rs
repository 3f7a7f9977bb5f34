//! JSON laid out anew without being read: values, numbers, order and unknown properties stay as they were sent.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::model::cell::Cell;
use crate::model::sanitize::is_hidden;

/// Deeper than this a value stays on one line: indentation of hostile nesting would grow with its square.
const DEEPEST_INDENT: usize = 32;

/// The text of valid JSON on one line, without white space.
pub(super) fn compact(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    append(&mut out, json, None);
    out
}

/// Appends valid JSON on one line, without white space; or, where a depth is given, indented by two spaces a level: its first
/// line stands where `out` ends, the others `depth` levels in.
pub(super) fn append(out: &mut String, json: &str, depth: Option<usize>) {
    Layout { out, indent: depth }.append(json);
}

/// A cell as JSON on one line.
pub(super) fn of_cell(cell: &Cell<'_>) -> String {
    let mut out = String::new();
    append_cell(&mut out, cell);
    out
}

/// Appends an object of these names and cells; indented where a depth is given, as in [`append`].
pub(super) fn append_object<'n>(
    out: &mut String,
    members: impl Iterator<Item = (&'n str, Cell<'n>)>,
    depth: Option<usize>,
) {
    let mut object = String::from("{");
    for (index, (name, cell)) in members.enumerate() {
        if index > 0 {
            object.push(',');
        }
        append_text(&mut object, name);
        object.push(':');
        append_cell(&mut object, &cell);
    }
    object.push('}');
    match depth {
        None => out.push_str(&object),
        Some(_) => append(out, &object, depth),
    }
}

/// Appends a cell as JSON on one line.
fn append_cell(out: &mut String, cell: &Cell<'_>) {
    match cell {
        Cell::Null => out.push_str("null"),
        Cell::Text(text) => append_text(out, text),
        Cell::Sent(json) => append(out, json, None),
        // Writing into a String does not fail.
        Cell::Number(number) => drop(write!(out, "{number}")),
        Cell::Ratio(ratio) => drop(write!(out, "{}", serde_json::Value::from(*ratio))),
        Cell::Flag(flag) => drop(write!(out, "{flag}")),
    }
}

struct Layout<'o> {
    out: &'o mut String,
    /// Levels that lines are indented by; `None` for one line.
    indent: Option<usize>,
}

impl Layout<'_> {
    fn append(&mut self, json: &str) {
        let mut rest = json.trim_ascii_start();
        let mut depth = 0_usize;
        while let Some(first) = rest.bytes().next() {
            let taken = match first {
                b'"' => {
                    let taken = string_end(rest);
                    append_string(self.out, &rest[..taken]);
                    taken
                }
                b'{' | b'[' => self.open(rest, &mut depth),
                b'}' | b']' => {
                    depth = depth.saturating_sub(1);
                    // The value that ends here was indented where its content was.
                    self.line(depth, depth + 1);
                    self.out.push(char::from(first));
                    1
                }
                b',' => {
                    self.out.push(',');
                    self.line(depth, depth);
                    1
                }
                b':' => {
                    self.out.push_str(if self.indent.is_some() { ": " } else { ":" });
                    1
                }
                _ => {
                    let taken = rest.find([',', ':', '}', ']', ' ', '\n', '\r', '\t']).unwrap_or(rest.len()).max(1);
                    self.out.push_str(&rest[..taken]);
                    taken
                }
            };
            rest = rest[taken..].trim_ascii_start();
        }
    }

    /// An opening bracket; with its closing one where nothing stands between.
    fn open(&mut self, rest: &str, depth: &mut usize) -> usize {
        self.out.push_str(&rest[..1]);
        let inside = rest[1..].trim_ascii_start();
        if inside.starts_with(['}', ']']) {
            self.out.push_str(&inside[..1]);
            return rest.len() - inside.len() + 1;
        }
        *depth += 1;
        self.line(*depth, *depth);
        1
    }

    /// Starts a new line at `depth`, unless the content at `inner` stays on one line.
    fn line(&mut self, depth: usize, inner: usize) {
        let Some(outer) = self.indent else { return };
        if inner > DEEPEST_INDENT {
            return;
        }
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n("  ", outer + depth));
    }
}

/// Length of the JSON string that `text` starts with, both quotes counted.
fn string_end(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// A JSON string as it was sent, with hidden characters as `\u` escapes: the same value, harmless on a terminal.
fn append_string(out: &mut String, string: &str) {
    if string.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
        return out.push_str(string);
    }
    for c in string.chars() {
        if is_hidden(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing into a String does not fail.
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
}

/// Appends a text as a JSON string.
pub(super) fn append_text(out: &mut String, text: &str) {
    // A str always has a JSON form.
    append_string(out, &serde_json::Value::from(text).to_string());
}

/// The text that a valid JSON string stands for; half a surrogate pair, which no text can hold, becomes U+FFFD.
pub(super) fn text_of(string: &str) -> Cow<'_, str> {
    let inner = string.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(string);
    if memchr::memchr(b'\\', inner.as_bytes()).is_none() {
        return Cow::Borrowed(inner);
    }
    let mut text = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        let (c, taken) = unescape(&rest[at..]);
        text.push(c);
        rest = &rest[at + taken..];
    }
    text.push_str(rest);
    Cow::Owned(text)
}

/// The character that an escape stands for, and the escape's length in bytes.
fn unescape(escape: &str) -> (char, usize) {
    let Some(kind) = escape[1..].chars().next() else { return ('\\', 1) };
    let plain = match kind {
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'u' => return unescape_unit(escape),
        other => other,
    };
    (plain, 1 + kind.len_utf8())
}

fn unescape_unit(escape: &str) -> (char, usize) {
    let Some(first) = utf16_unit(escape) else { return ('u', 2) };
    let second = escape.get(6..).and_then(utf16_unit);
    let pair = [first, second.unwrap_or_default()];
    match char::decode_utf16(pair).next() {
        Some(Ok(c)) => (c, 6 * c.len_utf16()),
        _ => (char::REPLACEMENT_CHARACTER, 6),
    }
}

fn utf16_unit(escape: &str) -> Option<u16> {
    let hex = escape.strip_prefix("\\u")?.get(..4)?;
    u16::from_str_radix(hex, 16).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn pretty(json: &str) -> String {
        let mut out = String::new();
        append(&mut out, json, Some(0));
        out
    }

    #[test]
    fn numbers_order_unknown_properties_and_escapes_stay_as_they_were_sent() {
        let sent = r#" { "z" : 1.50E+3 , "a":12345678901234567890123, "a" : "\u00e9\/é", "e":[ ], "o":{ } } "#;
        assert_eq!(compact(sent), r#"{"z":1.50E+3,"a":12345678901234567890123,"a":"\u00e9\/é","e":[],"o":{}}"#);
        let expected = r#"{
  "z": 1.50E+3,
  "a": 12345678901234567890123,
  "a": "\u00e9\/é",
  "e": [],
  "o": {}
}"#;
        assert_eq!(pretty(sent), expected);
    }

    #[test]
    fn hidden_characters_become_escapes_of_the_same_value() {
        assert_eq!(compact("\"a\u{7f}\u{9b}\u{202e}\u{2028}é👍\""), "\"a\\u007f\\u009b\\u202e\\u2028é👍\"");
        let mut out = String::new();
        append_text(&mut out, "a\"\n\u{1b}\u{85}");
        assert_eq!(out, "\"a\\\"\\n\\u001b\\u0085\"");
        assert_eq!(compact("\"\u{feff}\u{e0041}\""), "\"\\ufeff\\udb40\\udc41\"");
    }

    #[test]
    fn an_object_of_cells_is_laid_out_as_one_that_was_sent() {
        let cells = || {
            let nested = Cell::Sent(r#"{"x":[1, 2]}"#.into());
            let pairs = [("a", Cell::from("\"\u{1b}")), ("b", Cell::from(-7)), ("c", 1.0.into()), ("d", nested)];
            pairs.into_iter().chain([("e", Cell::Null), ("f", f64::NAN.into()), ("g", false.into())])
        };
        let mut line = String::new();
        append_object(&mut line, cells(), None);
        let expected = r#"{"a":"\"\u001b","b":-7,"c":1.0,"d":{"x":[1,2]},"e":null,"f":null,"g":false}"#;
        assert_eq!(line, expected);
        let (mut indented, mut sent) = (String::new(), String::new());
        append_object(&mut indented, cells(), Some(1));
        append(&mut sent, expected, Some(1));
        assert_eq!(indented, sent);
        let mut empty = String::new();
        append_object(&mut empty, std::iter::empty(), Some(1));
        assert_eq!(empty, "{}");
    }

    #[test]
    fn a_string_keeps_its_brackets_commas_and_quotes() {
        let sent = r#"["{,}", ":\"[", "\\"]"#;
        assert_eq!(compact(sent), r#"["{,}",":\"[","\\"]"#);
    }

    #[test]
    fn nesting_without_end_is_not_indented_without_end() {
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        let shown = pretty(&deep);
        assert!(shown.len() < deep.len() + 10_000, "{}", shown.len());
        assert_eq!(shown.split_whitespace().collect::<String>(), deep);
    }

    #[test]
    fn half_a_surrogate_pair_is_borne() {
        assert_eq!(text_of(r#""\ud83d\udc4d""#), "👍");
        assert_eq!(text_of(r#""\ud83dx\udc4d\ud83d""#), "\u{fffd}x\u{fffd}\u{fffd}");
        assert_eq!(text_of(r#""a\u0041\"\\\/\n""#), "aA\"\\/\n");
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::vec((any::<String>(), inner), 0..5)
                    .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn the_value_is_the_same_in_every_layout(value in any_json(), depth in 0_usize..3) {
            let sent = value.to_string();
            let mut indented = String::new();
            append(&mut indented, &sent, Some(depth));
            // Read from text on both sides: serde_json reads the last digit of a fraction loosely.
            let meant: Value = serde_json::from_str(&sent).unwrap();
            for text in [compact(&sent), compact(&indented), indented] {
                prop_assert_eq!(&serde_json::from_str::<Value>(&text).unwrap(), &meant);
                prop_assert!(!text.chars().any(|c| is_hidden(c) && c != '\n'));
            }
        }

        #[test]
        fn the_layout_is_the_one_everybody_knows(value in any_json()) {
            prop_assume!(!value.to_string().chars().any(is_hidden));
            prop_assert_eq!(pretty(&value.to_string()), serde_json::to_string_pretty(&value).unwrap());
        }

        #[test]
        fn a_string_is_read_as_serde_reads_it(text in any::<String>()) {
            let string = Value::from(text.as_str()).to_string();
            prop_assert_eq!(text_of(&string), text.as_str());
            let mut ours = String::new();
            append_text(&mut ours, &text);
            prop_assert_eq!(text_of(&ours), text.as_str());
        }

        #[test]
        fn no_text_makes_it_panic(text in any::<String>()) {
            let _ = (compact(&text), pretty(&text), text_of(&text));
        }
    }
}
