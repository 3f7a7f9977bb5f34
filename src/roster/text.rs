//! From bytes to text: what the file is, and the encoding it was saved in.

use std::borrow::Cow;
use std::collections::HashSet;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_8859_2, MACINTOSH, REPLACEMENT, UTF_8, WINDOWS_1250, WINDOWS_1252, WINDOWS_1254};

use super::refused;
use crate::model::verdict::Failure;

/// An encoding that can be read.
type Charset = &'static Encoding;

/// The encoding that a label such as `windows-1250` or `latin1` (which is Windows-1252) names.
pub fn encoding(label: &str) -> Result<Charset, &'static str> {
    let known = Encoding::for_label(label.as_bytes()).filter(|known| *known != REPLACEMENT);
    known.ok_or("must be an encoding such as utf-8, utf-16le, windows-1252, windows-1250, shift_jis, …")
}

/// Decodes a file by its byte order mark, else in the encoding that was named, else in the one that its bytes speak for; also
/// gives that encoding, and whether it was guessed.
pub(super) fn decode(bytes: Vec<u8>, file: &str, named: Option<Charset>) -> Result<(String, Charset, bool), Failure> {
    let (encoding, is_guessed) = named.map_or_else(|| guess(&bytes), |encoding| (encoding, false));
    // A byte order mark counts more.
    let (text, encoding, has_errors) = encoding.decode(&bytes);
    if let Some(kind) = other_kind(&bytes).or_else(|| other_kind(text.as_bytes())) {
        return Err(refused(file, &format!("is {kind}, not a CSV file")).hint("save the list as \"CSV UTF-8\""));
    }
    if is_guessed && is_unsure(&bytes, &text) {
        let why = "is not UTF-8, and may be windows-1250, windows-1252, windows-1254, macintosh or one of MS-DOS, which cannot be read";
        return Err(refused(file, why).hint("save the list as \"CSV UTF-8\", or add --encoding NAME"));
    }
    if text.contains('\0') {
        let is_big = bytes.iter().position(|byte| *byte == 0).is_some_and(|at| at % 2 == 0);
        let hint = format!("if it is UTF-16: add --encoding utf-16{}", if is_big { "be" } else { "le" });
        return Err(refused(file, "has NUL bytes: it is UTF-16, or no text").hint(hint));
    }
    if has_errors {
        let before = text.split('\u{fffd}').next().unwrap_or_default();
        let line = before.replace("\r\n", "\n").matches(['\n', '\r']).count() + 1;
        let hint = "if it was saved in another encoding: add --encoding NAME";
        return Err(refused(file, &format!("is not {} in line {line}", encoding.name())).hint(hint));
    }
    // Most files are their text, and a copy takes a tenth of a check.
    let is_file = matches!(&text, Cow::Borrowed(text) if text.len() == bytes.len());
    let not_utf8 = |_| refused(file, "is not UTF-8");
    let text = if is_file { String::from_utf8(bytes).map_err(not_utf8)? } else { text.into_owned() };
    Ok((text, encoding, is_guessed))
}

/// UTF-8 where all bytes are that, or as many characters as are not: a file that is UTF-8 in one place and something else in
/// another was put together from two, and any single reading of it would spoil names. Some are UTF-8 by chance.
fn guess(bytes: &[u8]) -> (Charset, bool) {
    let is_mostly_utf8 = || {
        let lossy = String::from_utf8_lossy(bytes);
        lossy.chars().filter(|c| !c.is_ascii()).count() >= 2 * lossy.matches('\u{fffd}').count()
    };
    if std::str::from_utf8(bytes).is_ok() || bytes.contains(&0) || is_mostly_utf8() {
        return (UTF_8, false);
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    (of_spreadsheets(detector.guess(country(bytes).as_deref(), Utf8Detection::Deny)), true)
}

/// Whether a text could well be another one. Letters in Latin words are in the encoding of spreadsheets in the country of the
/// addresses; without a country, in Windows-1252, by letters of some kinds that Windows-1250 and Windows-1254 do not have there.
/// Nor may they fit their words as well on a Mac.
fn is_unsure(bytes: &[u8], text: &str) -> bool {
    let read = |encoding: Charset| encoding.decode_without_bom_handling(bytes).0;
    let country = country(bytes);
    let home = EncodingDetector::new(Iso2022JpDetection::Deny).guess(country.as_deref(), Utf8Detection::Deny);
    let kinds_in = |other| text.chars().zip(read(other).chars()).filter(|(c, d)| c != d).collect::<HashSet<_>>().len();
    let on_a_mac = read(MACINTOSH);
    (has_latin_letters(text) && read(of_spreadsheets(home)) != text)
        || (on_a_mac != text && misfits(&on_a_mac) <= misfits(text))
        || (read(WINDOWS_1252) == text
            && ((kinds_in(WINDOWS_1254) > 0 && !matches!(country.as_deref(), Some(b"is" | b"fo")))
                || (country.is_none() && (1..3).contains(&kinds_in(WINDOWS_1250)))))
}

/// Spreadsheets do not write ISO-8859-2.
fn of_spreadsheets(encoding: Charset) -> Charset {
    if encoding == ISO_8859_2 { WINDOWS_1250 } else { encoding }
}

/// Each character beyond ASCII, with the one before it and the one behind it.
fn beyond_ascii(text: &str) -> impl Iterator<Item = (char, char, char)> {
    let next = text.chars().skip(1).chain([' ']);
    let places = std::iter::once(' ').chain(text.chars()).zip(text.chars()).zip(next);
    places.map(|((before, c), next)| (before, c, next)).filter(|(_, c, _)| !c.is_ascii())
}

/// Whether letters beyond ASCII are Latin ones, or stand in a word with some.
fn has_latin_letters(text: &str) -> bool {
    beyond_ascii(text).any(|(before, c, next)| {
        c.is_alphabetic() && (c < '\u{250}' || before.is_ascii_alphabetic() || next.is_ascii_alphabetic())
    })
}

/// How many characters do not fit their words, for a wrong encoding turns small letters into signs and capitals: a sign, a
/// capital inside a word of small letters, a small letter before a capital or at the beginning.
fn misfits(text: &str) -> usize {
    let is_misfit = |(before, c, next): &(char, char, char)| match c {
        '’' => !next.is_uppercase(),
        'ﬁ' | 'ﬂ' => true,
        _ if c.is_uppercase() => before.is_alphabetic() && (before.is_lowercase() || next.is_lowercase()),
        _ if c.is_lowercase() => !before.is_alphabetic() || next.is_uppercase(),
        _ => !c.is_alphabetic(),
    };
    beyond_ascii(text).filter(is_misfit).count()
}

/// The country of the first e-mail address that tells one, such as `hu`: our assumption is that names are in its letters.
fn country(bytes: &[u8]) -> Option<Vec<u8>> {
    let domains = bytes.split(|byte| *byte == b'@').skip(1);
    let hosts =
        domains.filter_map(|rest| rest.split(|byte| !byte.is_ascii_alphanumeric() && !b"-.".contains(byte)).next());
    let mut labels = hosts.filter_map(|host| host.rsplit(|byte| *byte == b'.').next());
    let is_country = |label: &&[u8]| label.len() == 2 && label.iter().all(u8::is_ascii_alphabetic) && label != b"eu";
    labels.find(is_country).map(<[u8]>::to_ascii_lowercase)
}

/// What a file is by its first bytes, where that is no CSV.
fn other_kind(bytes: &[u8]) -> Option<&'static str> {
    match bytes.trim_ascii_start() {
        [0xD0, 0xCF, 0x11, 0xE0, ..] => Some("an old Excel workbook (.xls), or one with a password"),
        [0x1F, 0x8B, ..] => Some("compressed with gzip"),
        [b'%', b'P', b'D', b'F', ..] => Some("a PDF"),
        [b'<', b'?', ..] => Some("an XML file"),
        [b'<', ..] => Some("a web page (HTML)"),
        [b'{', ..] | [b'[', b'{' | b'"' | b'[' | b']' | b' ' | b'\r' | b'\n', ..] => Some("JSON"),
        _ => None,
    }
}
