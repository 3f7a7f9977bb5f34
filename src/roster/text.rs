//! From bytes to text: what the file is, and the encoding it was saved in.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_8859_2, REPLACEMENT, UTF_8, WINDOWS_1250, WINDOWS_1252};

use super::refused;
use crate::model::verdict::Failure;

/// The encoding that a label such as `windows-1250` or `latin1` (which is Windows-1252) names.
pub fn encoding(label: &str) -> Result<&'static Encoding, &'static str> {
    let known = Encoding::for_label(label.as_bytes()).filter(|known| *known != REPLACEMENT);
    known.ok_or("must be an encoding such as utf-8, utf-16le, windows-1252, windows-1250, shift_jis, …")
}

/// Decodes a file by its byte order mark, else in the encoding that was named, else in the one that its bytes speak for; also
/// gives that encoding, and whether it was guessed.
pub(super) fn decode<'b>(
    bytes: &'b [u8],
    file: &str,
    named: Option<&'static Encoding>,
) -> Result<(Cow<'b, str>, &'static Encoding, bool), Failure> {
    let (encoding, is_guessed) = named.map_or_else(|| guess(bytes), |encoding| (encoding, false));
    // A byte order mark counts more.
    let (text, encoding, has_errors) = encoding.decode(bytes);
    if let Some(kind) = other_kind(bytes).or_else(|| other_kind(text.as_bytes())) {
        return Err(refused(file, &format!("is {kind}, not a CSV file")).hint("save the list as \"CSV UTF-8\""));
    }
    if is_guessed && is_unsure(bytes, encoding, &text) {
        let why =
            "has too few letters to guess its encoding, such as windows-1250, windows-1252, windows-1254 or macintosh";
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
        let utf8 = std::str::from_utf8(bytes).err().filter(|_| encoding == UTF_8);
        let byte = utf8.map_or(String::new(), |error| format!(", byte {} of the file", error.valid_up_to() + 1));
        let hint = "if it was saved in another encoding: add --encoding NAME";
        return Err(refused(file, &format!("is not {} in line {line}{byte}", encoding.name())).hint(hint));
    }
    Ok((text, encoding, is_guessed))
}

/// UTF-8 where all bytes are that, or as many characters as are not: a file that is UTF-8 in one place and something else in
/// another was put together from two, and any single reading of it would spoil names. Some are UTF-8 by chance.
fn guess(bytes: &[u8]) -> (&'static Encoding, bool) {
    let is_mostly_utf8 = || {
        let lossy = String::from_utf8_lossy(bytes);
        lossy.chars().filter(|c| !c.is_ascii()).count() >= 2 * lossy.matches('\u{fffd}').count()
    };
    if std::str::from_utf8(bytes).is_ok() || bytes.contains(&0) || is_mostly_utf8() {
        return (UTF_8, false);
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    (detector.guess(None, Utf8Detection::Deny), true)
}

/// Whether a text could well be another one: in an encoding of the country of its addresses, or in that of spreadsheets, which
/// do not write ISO-8859-2.
fn is_unsure(bytes: &[u8], encoding: &'static Encoding, text: &str) -> bool {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    let country = country(bytes);
    let of_country = detector.guess(country.as_deref(), Utf8Detection::Deny);
    let others = [of_country, if encoding == ISO_8859_2 { WINDOWS_1250 } else { encoding }];
    is_hardly_windows(bytes, encoding, country.as_deref())
        || others.iter().any(|other| *other != encoding && other.decode(bytes).0 != text)
}

/// The country of an e-mail address, such as `hu`: the letters of alphabets that share most of their bytes differ by it.
fn country(bytes: &[u8]) -> Option<Vec<u8>> {
    let domains = bytes.split(|byte| *byte == b'@').skip(1);
    let hosts =
        domains.filter_map(|rest| rest.split(|byte| !byte.is_ascii_alphanumeric() && !b"-.".contains(byte)).next());
    let mut labels = hosts.filter_map(|host| host.rsplit(|byte| *byte == b'.').next());
    let label = labels.find(|label| label.len() == 2 && label.iter().all(u8::is_ascii_alphabetic));
    label.map(<[u8]>::to_ascii_lowercase)
}

/// Whether a text of Windows-1252 has letters that only Iceland has, which are frequent ones in Turkish (`Baþak`) and Lithuanian
/// (`Þukas`); or half of its letters are rare ones, which are frequent in Hungarian (`Kõrösi`) or on Macs (`MŸller`, `Mu–oz`). Two of
/// those that Macs write are too few for Windows-1250, too.
fn is_hardly_windows(bytes: &[u8], encoding: &'static Encoding, country: Option<&[u8]>) -> bool {
    let is_western = encoding == WINDOWS_1252;
    let is_icelandic = |byte: &u8| matches!(byte, 0xd0 | 0xdd | 0xde | 0xf0 | 0xfd | 0xfe);
    if is_western && !matches!(country, Some(b"is" | b"fo")) && bytes.iter().any(is_icelandic) {
        return true;
    }
    let pairs = || bytes.iter().zip(bytes.iter().skip(1).chain([&0]));
    let is_rare = |(byte, next): &(&u8, &u8)| match byte {
        0x86..=0x90 | 0x98..=0x9f => true,
        // A dash or an apostrophe inside a word.
        0x91..=0x97 => next.is_ascii_lowercase(),
        0xd5 | 0xdb | 0xf5 | 0xfb => is_western,
        _ => false,
    };
    let rare = pairs().filter(is_rare).count();
    let others = pairs().filter(|pair| *pair.0 >= 0xc0 && !is_rare(pair)).count();
    rare > 0 && rare >= others && (is_western || (encoding == WINDOWS_1250 && rare < 3))
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
