//! Values that no rule of the specification refuses and that are probably not meant (our rules; `--allow-suspicious`
//! accepts them).

use memchr::{memchr, memchr_iter};

use crate::model::field_rules::BirthYear;
use crate::model::pseudonym::is_masked_reference;
use crate::model::sanitize::{escape_controls, is_hidden};

use super::fields::Field;

/// Characters of a value that a message quotes.
const QUOTED: usize = 24;

/// What a value that is probably not meant is told with.
pub(super) const ALLOWED: &str = "; --allow-suspicious accepts it";

/// Why a value is probably not meant. E-mails and names are not quoted, and without `quotes` nothing is.
pub fn suspicion(field: Field, value: &str, quotes: bool) -> Option<String> {
    if let Some(damage) = damage(value, quotes) {
        return Some(damage);
    }
    let slip = match field {
        Field::BirthYear => unlikely(value, quotes),
        Field::Email => mistyped(value).map(str::to_owned).or_else(|| hidden(value)),
        Field::FirstName | Field::LastName => hidden(value),
        Field::ReferenceId => masked(value).or_else(|| hidden(value)),
        Field::EntryId => None,
    };
    Some(slip? + ALLOWED)
}

/// Whether a value may have a character that is lost or hidden: by the bytes with which all of those begin. A million rows
/// have five million values, and looking at the characters of each would be dear.
pub(super) fn may_have_odd_characters(value: &str) -> bool {
    // Without a branch for each byte, so that many are looked at together.
    !value.is_ascii()
        && value.bytes().fold(false, |any, byte| any | matches!(byte, 0xC2 | 0xD8 | 0xE1 | 0xE2 | 0xEF | 0xF3))
}

/// What is left around an address that was copied, and slips that no address has.
fn mistyped(email: &str) -> Option<&'static str> {
    let bytes = email.as_bytes();
    if bytes.first() == Some(&b'<') || bytes.last() == Some(&b'>') {
        return Some("has angle brackets around it");
    }
    if bytes.get(..7).is_some_and(|start| start.eq_ignore_ascii_case(b"mailto:")) {
        return Some("begins with mailto:");
    }
    match bytes.last() {
        Some(b';' | b',') => return Some("ends with a separator"),
        Some(b'.') => return Some("ends with a dot"),
        _ => {}
    }
    if memchr_iter(b'.', bytes).any(|at| bytes.get(at + 1) == Some(&b'.')) {
        return Some("has two dots in a row");
    }
    let end = bytes.len().checked_sub(4).map(|start| &bytes[start..]);
    let is_con = end.is_some_and(|end| end.eq_ignore_ascii_case(b".con"));
    is_con.then_some("ends with .con, which is probably .com")
}

/// What `--mask` shows in place of a reference id. Its names and addresses no rule lets pass.
fn masked(value: &str) -> Option<String> {
    is_masked_reference(value).then(|| "looks like a pseudonym of --mask".to_owned())
}

/// A character that no one sees, by its code point: zero-width, soft hyphen, tags, a byte order mark.
fn hidden(value: &str) -> Option<String> {
    if !may_have_odd_characters(value) {
        return None;
    }
    let found = value.chars().find(|c| is_hidden(*c) && !steers(*c))?;
    Some(format!("has an invisible character, U+{:04X}", u32::from(found)))
}

/// Line ends and direction marks: names of people who write both ways need them.
fn steers(c: char) -> bool {
    c.is_control() || matches!(c, '\u{61c}' | '\u{200e}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// What is said of a value, which stands before it in quotation marks and shortened, unless nothing is quoted.
pub(super) fn said_of(value: &str, quotes: bool, what: &str) -> String {
    if !quotes {
        return what.to_owned();
    }
    let shown: String = value.chars().take(QUOTED).collect();
    let cut = if value.chars().count() > QUOTED { "…" } else { "" };
    format!("\"{}{cut}\" {what}", escape_controls(&shown))
}

/// What spreadsheets and wrong conversions leave behind.
fn damage(value: &str, quotes: bool) -> Option<String> {
    if is_scientific(value) || is_spreadsheet_error(value) {
        return Some(said_of(value, quotes, "looks damaged by a spreadsheet"));
    }
    let lost = may_have_odd_characters(value) && value.as_bytes().windows(3).any(|bytes| bytes == [0xEF, 0xBF, 0xBD]);
    lost.then(|| "has U+FFFD, which stands where a character was lost".to_owned())
}

/// What is a number and hardly a year of birth.
fn unlikely(value: &str, quotes: bool) -> Option<String> {
    let year = value.parse::<BirthYear>().ok()?;
    (!year.is_likely()).then(|| said_of(value, quotes, "is an unlikely year of birth"))
}

/// `1.2E+16`: a long number that Excel shortened, digits lost.
fn is_scientific(value: &str) -> bool {
    if !value.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let Some(at) = memchr(b'E', value.as_bytes()).filter(|at| value[at + 1..].starts_with('+')) else { return false };
    let (mantissa, exponent) = (&value[..at], &value[at + 2..]);
    let (whole, fraction) = mantissa.split_once(['.', ',']).unwrap_or((mantissa, "0"));
    [whole, fraction, exponent].iter().all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
}

/// `#REF!`, `#NAME?`, `#N/A`, `#DIV/0!`, in other languages too, and `####` of a narrow column.
fn is_spreadsheet_error(value: &str) -> bool {
    // Asked of every value: a comparison of bytes is all that most of them may cost.
    if value.as_bytes().first() != Some(&b'#') {
        return false;
    }
    let rest = &value[1..];
    if matches!(rest, "N/A" | "NV") || (rest.len() > 1 && rest.bytes().all(|b| b == b'#')) {
        return true;
    }
    let inner = rest.strip_suffix(['!', '?']).unwrap_or_default();
    inner.chars().count() > 1 && inner.chars().all(|c| c.is_uppercase() || matches!(c, '/' | '0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_excel_leaves_behind_is_recognised() {
        for damaged in ["1.2E+16", "1,23457E+11", "1E+16", "#REF!", "#N/A", "#NAME?", "#DIV/0!", "#BEZUG!", "####"] {
            assert!(damage(damaged, true).is_some(), "{damaged}");
        }
        for fine in ["EMP-1E+2", "1.2e+16", "E+16", "#1", "#", "# 5", "#Ann!", "+1.2E16", "@SUM(A1)"] {
            assert!(damage(fine, true).is_none(), "{fine}");
        }
        assert!(damage("Zo\u{FFFD}", true).is_some());
        for (year, is_likely) in [("85", false), ("1899", false), ("1985", true), ("2100", false), ("x", true)] {
            assert_eq!(suspicion(Field::BirthYear, year, true).is_none(), is_likely, "{year}");
        }
        assert_eq!(suspicion(Field::LastName, "85", true), None);
    }

    #[test]
    fn every_character_that_is_hidden_or_stands_for_a_lost_one_is_looked_for() {
        let is_odd = |c: &char| (is_hidden(*c) && !steers(*c)) || *c == '\u{fffd}';
        for odd in ('\0'..=char::MAX).filter(is_odd) {
            assert!(may_have_odd_characters(odd.encode_utf8(&mut [0; 4])), "U+{:04X}", u32::from(odd));
        }
    }

    #[test]
    fn addresses_that_were_copied_with_something_around_them_are_suspicious() {
        let slips = [
            "<a@b.c>",
            "mailto:a@b.c",
            "MAILTO:a@b.c",
            "a@b.c;",
            "a@b.c,",
            "a@b.c.",
            "a..b@c.d",
            "a@b..c",
            "a@b.con",
            "a@b.CON",
        ];
        for slip in slips {
            assert!(suspicion(Field::Email, slip, true).is_some(), "{slip}");
        }
        for fine in ["a@b.c", "o'neil+x@b.co", "con@b.com", ".a@b.c", "a@con", "zoë@b.c"] {
            assert_eq!(suspicion(Field::Email, fine, true), None, "{fine}");
        }
    }

    #[test]
    fn an_invisible_character_is_named_by_its_code_point() {
        for (value, code) in
            [("Zo\u{200B}ë", "U+200B"), ("\u{FEFF}Ann", "U+FEFF"), ("A\u{AD}b", "U+00AD"), ("x\u{E0041}", "U+E0041")]
        {
            for field in [Field::FirstName, Field::LastName, Field::Email, Field::ReferenceId] {
                let said = suspicion(field, value, true).expect("suspicious");
                assert_eq!(said, format!("has an invisible character, {code}; --allow-suspicious accepts it"));
            }
        }
        assert_eq!(suspicion(Field::FirstName, "José", true), None);
    }

    #[test]
    fn a_value_is_quoted_only_where_values_may_be() {
        for (field, value) in [(Field::BirthYear, "85"), (Field::LastName, "#ANNA!"), (Field::ReferenceId, "1.2E+16")] {
            let said = |quotes| suspicion(field, value, quotes).expect("suspicious");
            assert!(said(true).contains(value) && !said(false).contains(value), "{value}");
        }
    }
    #[test]
    fn slips_of_one_character_at_an_end_are_told_and_what_only_looks_like_damage_is_not() {
        assert_eq!(mistyped("<a@b.c"), mistyped("a@b.c>"));
        assert!(mistyped("<a@b.c").is_some() && mistyped("a@b.c").is_none());
        for fine in ["##", "#A!", "1x2E+16", "1.E+16", "12"] {
            assert!(damage(fine, true).is_none(), "{fine}");
        }
    }

    #[test]
    fn a_pseudonym_is_no_reference_id_and_long_values_are_shortened() {
        let masked = "ref-0123456789";
        assert!(suspicion(Field::ReferenceId, masked, true).is_some_and(|said| said.contains("pseudonym of --mask")));
        assert_eq!(said_of(&"x".repeat(QUOTED), true, "is odd"), format!("\"{}\" is odd", "x".repeat(QUOTED)));
        assert_eq!(said_of(&"x".repeat(QUOTED + 1), true, "is odd"), format!("\"{}…\" is odd", "x".repeat(QUOTED)));
    }
}
