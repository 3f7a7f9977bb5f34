//! Values with which nothing can be wrong, told by a look at their bytes: nearly all of a roster, which may have five million.

use crate::model::field_rules::{PERSON_NAME_MAX, ReferenceId};
use crate::model::pseudonym::{is_masked_name, is_masked_reference};

use super::fields::Field;
use super::suspicious::may_have_odd_characters;

/// An address up to this length is counted in bytes.
const EMAIL_MAX: usize = 254;

/// Whether no rule of this field can object to a value, be it a suspicion or the specification's. `false` says nothing:
/// then the rules themselves are asked.
pub(super) fn is_plain(field: Field, value: &str) -> bool {
    match field {
        Field::Email => is_plain_email(value.as_bytes()),
        Field::FirstName | Field::LastName => is_plain_name(value),
        Field::BirthYear => {
            matches!(value.as_bytes(), [b'1', b'9', b'0'..=b'9', b'0'..=b'9'] | [b'2', b'0', b'0'..=b'9', b'0'..=b'9'])
        }
        Field::ReferenceId => {
            begins_as_a_word(value) && ReferenceId::check(value).is_ok() && !is_masked_reference(value)
        }
        Field::EntryId => false,
    }
}

/// A cell without outer white space. Nearly all have none, which their first and last bytes tell.
pub(super) fn trimmed(cell: &str) -> &str {
    match cell.as_bytes() {
        [first, .., last] if first.is_ascii_graphic() && last.is_ascii_graphic() => cell,
        _ => cell.trim(),
    }
}

/// Small letters, digits and a few signs around one `@`, and none of the ends that slips and pseudonyms have.
fn is_plain_email(email: &[u8]) -> bool {
    let [first, .., last] = email else { return false };
    if email.len() > EMAIL_MAX || *first == b'@' || matches!(last, b'@' | b'.' | b'n' | b'd') {
        return false;
    }
    // Without a branch for each byte, so that many are looked at together.
    let are_usual = email.iter().fold(true, |all, byte| all & is_usual(*byte));
    let ats = email.iter().fold(0_u8, |ats, byte| ats + u8::from(*byte == b'@'));
    let pairs = email.iter().zip(&email[1..]);
    let double_dots = pairs.fold(0, |any, (one, next)| any | (is_dot(*one) & is_dot(*next)));
    are_usual && ats == 1 && double_dots == 0
}

/// As a number: of truth values the second is looked at only where the first is so.
fn is_dot(byte: u8) -> u8 {
    u8::from(byte == b'.')
}

fn is_usual(byte: u8) -> bool {
    byte.is_ascii_lowercase() | byte.is_ascii_digit() | matches!(byte, b'.' | b'_' | b'-' | b'+' | b'@')
}

/// Short enough in bytes, and no character that may be hidden or lost.
fn is_plain_name(name: &str) -> bool {
    name.len() <= PERSON_NAME_MAX && begins_as_a_word(name) && !may_have_odd_characters(name) && !is_masked_name(name)
}

/// What a spreadsheet damaged begins with a digit or `#`.
fn begins_as_a_word(value: &str) -> bool {
    value.as_bytes().first().is_some_and(|first| !first.is_ascii_digit() && *first != b'#')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::check::refusal;
    use super::super::suspicious::suspicion;
    use super::*;

    /// Values of all kinds, and what is near to the borders of the rules.
    fn values() -> impl Strategy<Value = String> {
        prop_oneof![
            "[a-c.@]{0,6}",
            "(mailto:|<|First-|Last-|Person-|ref-|p-)?[0-9a-f]{0,10}(@masked\\.invalid|@x\\.con?|\\.|;|>)?",
            "[#0-9][0-9,.E+!/A]{0,6}",
            "[12][0-9]{1,4}",
            "[a-zA-Zëß\u{ad}\u{200b}\u{fffd}\u{feff} ]{0,8}",
            "[a-zé]{95,260}",
            "\\PC{0,12}",
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]
        #[test]
        fn what_is_plain_is_refused_by_no_rule(value in values(), quotes: bool) {
            for field in Field::ALL.into_iter().chain([Field::EntryId]) {
                if is_plain(field, &value) {
                    prop_assert_eq!(suspicion(field, &value, quotes), None);
                    prop_assert_eq!(refusal(field, &value, quotes), None);
                }
            }
        }
    }

    proptest! {
        #[test]
        fn outer_white_space_is_taken_off_and_nothing_else(
            value in values(), around in ("[ \\t\u{a0}\u{85}\u{2003}\u{3000}]{0,2}", "[ \\r\u{b}\u{1c}\u{feff}]{0,2}"),
        ) {
            let cell = format!("{}{value}{}", around.0, around.1);
            prop_assert_eq!(trimmed(&cell), cell.trim());
        }
    }

    #[test]
    fn usual_values_are_plain() {
        for (field, value) in [
            (Field::Email, "person.1@example.com"),
            (Field::FirstName, "Zoë"),
            (Field::LastName, "Müller 1"),
            (Field::BirthYear, "1984"),
            (Field::ReferenceId, "EMP-000001"),
        ] {
            assert!(is_plain(field, value), "{field}");
        }
    }
}
