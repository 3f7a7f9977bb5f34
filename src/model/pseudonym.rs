//! What `--mask` shows in place of people, and how it is known again where it must not be used.

use std::fmt::Write as _;

/// How pseudonyms of addresses begin.
const ADDRESS: &str = "p-";
/// The domain of the addresses that `--mask` shows: no mail is ever delivered there (RFC 2606).
const MASKED_DOMAIN: &str = "masked.invalid";
/// How pseudonyms of first names begin.
pub const FIRST: &str = "First-";
/// How pseudonyms of last names begin.
pub const LAST: &str = "Last-";
/// How pseudonyms of full names begin.
pub const PERSON: &str = "Person-";
/// How pseudonyms of reference ids begin.
pub const REFERENCE: &str = "ref-";
/// Hexadecimal digits that follow.
const DIGITS: usize = 10;

/// The pseudonym that begins so, of a value with this hash.
pub fn pseudonym(begin: &str, hash: &[u8]) -> String {
    let mut text = begin.to_owned();
    for byte in hash.iter().take(DIGITS / 2) {
        // Writing to a string never fails.
        _ = write!(text, "{byte:02x}");
    }
    text
}

/// The address that stands for one with this hash.
pub fn masked_address(hash: &[u8]) -> String {
    format!("{}@{MASKED_DOMAIN}", pseudonym(ADDRESS, hash))
}

/// Whether an address is one that `--mask` shows.
pub fn is_masked_address(text: &str) -> bool {
    let domain = text.len().checked_sub(MASKED_DOMAIN.len()).and_then(|at| text.get(at..));
    domain.is_some_and(|domain| domain.eq_ignore_ascii_case(MASKED_DOMAIN))
}

/// Whether a name is one that `--mask` shows. No person is called so.
pub fn is_masked_name(text: &str) -> bool {
    [FIRST, LAST, PERSON].into_iter().any(|begin| has_digits_after(text, begin))
}

/// Whether a reference id looks like one that `--mask` shows; a real one may.
pub fn is_masked_reference(text: &str) -> bool {
    has_digits_after(text, REFERENCE)
}

fn has_digits_after(text: &str, begin: &str) -> bool {
    // Asked of every value of a roster: the length tells most of them apart.
    let is_as_long = text.len() == begin.len() + DIGITS;
    is_as_long && text.strip_prefix(begin).is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pseudonyms_are_known_again_and_nothing_else_is() {
        for pseudonym in ["First-0123456789", "Last-abcdef0123", "Person-0000000000"] {
            assert!(is_masked_name(pseudonym) && !is_masked_reference(pseudonym), "{pseudonym}");
        }
        assert!(is_masked_reference("ref-00000000ff") && !is_masked_name("ref-00000000ff"));
        for other in
            ["", "First", "First-", "First-012345678", "First-01234567890", "EMP-0123456789", "first-0123456789"]
        {
            assert!(!is_masked_name(other) && !is_masked_reference(other), "{other}");
        }
        assert!(is_masked_name(&pseudonym(LAST, &[0xab; 32])) && is_masked_reference(&pseudonym(REFERENCE, &[0; 32])));
        assert_eq!(masked_address(&[1; 32]), "p-0101010101@masked.invalid");
        assert!(is_masked_address("p-1@MASKED.invalid") && !is_masked_address("a@b.org") && !is_masked_address("ä"));
    }
}
