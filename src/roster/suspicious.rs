//! Values that no limit of the service refuses and that are probably damaged (our rules; `--allow-suspicious` takes them).

use encoding_rs::WINDOWS_1252;
use jiff::civil::Date;
use unicode_normalization::char::is_combining_mark;

use super::Field;
use crate::model::show::is_hidden;

/// The text of a formula in a workbook whose value was not saved.
pub(super) const UNSAVED: &str = "#UNSAVED!";
/// The text of a number in a workbook whose format is not understood.
pub(super) const UNREADABLE: &str = "#FORMAT!";

/// Why the value of a cell is not known.
pub(super) fn loss(value: &str) -> Option<&'static str> {
    match value {
        UNSAVED => Some("is a formula without a value: open the workbook in a spreadsheet, and save it"),
        UNREADABLE => Some("is a number in a format that cannot be read: save the sheet as \"CSV UTF-8\""),
        _ => None,
    }
}

/// Why a value is probably not meant. Never quotes it.
pub fn suspicion(field: Field, value: &str) -> Option<String> {
    let (is_name, is_id) = (matches!(field, Field::FirstName | Field::LastName), field == Field::ReferenceId);
    let damage = match value.bytes().next()? {
        b'"' | b'=' if value.trim_start_matches('=').starts_with('"') => "begins with \" or =\"",
        b'0'..=b'9' if is_shortened(value) => "is a long number that a spreadsheet may have shortened",
        b'0'..=b'9' if is_id && value.contains('-') && value.parse::<Date>().is_ok() => "is a date",
        b'0'..=b'9' if field != Field::BirthYear && is_decimal(value) => {
            "ends in .0: it was probably changed into a number"
        }
        // In other languages too, and the `####` of a narrow column.
        b'#' if value.len() > 2 && value.chars().all(|c| c.is_uppercase() || "#/0!?".contains(c)) => {
            "is the word that a spreadsheet shows for an error"
        }
        b'n' | b'N' | b'u' | b'<' | b'(' | b'\\' if NOTHING.split(' ').any(|word| word == value) => {
            "is a placeholder such as NULL or None"
        }
        _ => match odd_character(is_name, value) {
            None if is_name && !value.contains(char::is_alphabetic) => "has no letter",
            odd => return odd,
        },
    };
    Some(damage.to_owned())
}

/// A character that was lost, is not seen, or comes from reading a name in the wrong encoding.
fn odd_character(is_name: bool, value: &str) -> Option<String> {
    // Without a branch for each byte: nearly all values are plain, and a file has half a million. `;` and `?` differ in one bit.
    if value.bytes().fold(true, |plain, byte| plain & (matches!(byte, b' '..=b'~') && byte | 4 != b'?')) {
        return None;
    }
    let (bytes, _, is_beyond) = WINDOWS_1252.encode(value);
    if !is_beyond && std::str::from_utf8(&bytes).is_ok_and(|text| !text.is_ascii()) {
        return Some("was UTF-8, and a program read it in another encoding".to_owned());
    }
    let characters: Vec<char> = value.chars().collect();
    let is_letter = |at: usize| characters.get(at).is_some_and(|c| c.is_alphabetic() || is_combining_mark(*c));
    characters.iter().enumerate().find_map(|(at, c)| {
        let is_joiner = matches!(c, '\u{200c}' | '\u{200d}');
        let joins = is_name && at > 0 && is_letter(at - 1) && is_letter(at + 1);
        let what = match c {
            '\u{fffd}' => "a replacement for a lost character",
            _ if is_hidden(*c) || (is_joiner && !joins) => "an invisible character",
            _ if is_name && is_symbol(*c) => "a symbol that no name has",
            _ => return None,
        };
        Some(format!("has {what} (U+{:04X})", u32::from(*c)))
    })
}

/// What letters become in a wrong encoding: signs of Windows-1252 (but `ª º · ´`, which names have), frames of DOS, and
/// signs of East Asian sets, emoji; the question mark that programs put for what they cannot write, and the semicolon of `&euml;`.
fn is_symbol(c: char) -> bool {
    let is_sign = matches!(c, '\u{a1}'..='\u{bf}' | '\u{2d8}'..='\u{2dd}' | '\u{2190}'..='\u{2bff}' | '\u{3008}'..='\u{303f}' | '\u{3200}'..='\u{33ff}' | '\u{1f000}'..='\u{1faff}');
    (is_sign && !"ªº·´".contains(c)) || "?;×÷€“”„‚…†‡‰‹›•ˆˇ™".contains(c)
}

/// `1.2E+16`: a long number whose digits are lost. `12E3` may be an id.
fn is_shortened(value: &str) -> bool {
    value.contains(['E', 'e']) && value.contains(['+', '.', ',']) && value.replace(',', ".").parse::<f64>().is_ok()
}

fn is_decimal(value: &str) -> bool {
    let parts = value.split_once(['.', ',']);
    parts.is_some_and(|(whole, zeros)| whole.parse::<u64>().is_ok() && zeros.parse() == Ok(0_u64))
}

/// Words that pandas, R, SQL and JavaScript write for no value. `Na`, `Nan` and `Null` are names.
const NOTHING: &str = "NA \\N (null) nan NaN NAN NaT <NA> null NULL none None n/a N/A undefined";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_value_is_quoted() {
        for value in ["1.2E+16", "#REF!", "nan", "10023.0", "£1", "a\u{200b}"] {
            let said = suspicion(Field::FirstName, value).expect("suspicious");
            assert!(value.len() < 4 || !said.contains(value) || said.contains("as in"), "{said}");
        }
    }

    #[test]
    fn a_symbol_is_no_matter_in_an_id_and_joiners_only_join_letters() {
        assert_eq!(suspicion(Field::ReferenceId, "a?"), None);
        assert_eq!(suspicion(Field::LastName, "क्\u{200d}ष"), None);
        assert!(suspicion(Field::ReferenceId, "a\u{200d}b").is_some());
        assert!(suspicion(Field::LastName, "a\u{200d}").is_some());
    }
}
