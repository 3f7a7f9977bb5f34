//! What `--mask` shows in place of people, and how it is known again where it must not be used.

/// The domain of the addresses that `--mask` shows: no mail is ever delivered there (RFC 2606).
pub const MASKED_DOMAIN: &str = "masked.invalid";
/// How pseudonyms of first names begin.
pub const FIRST: &str = "First-";
/// How pseudonyms of last names begin.
pub const LAST: &str = "Last-";
/// How pseudonyms of full names begin.
pub const PERSON: &str = "Person-";
/// How pseudonyms of reference ids begin.
pub const REFERENCE: &str = "ref-";
/// Hexadecimal digits that follow.
pub const DIGITS: usize = 10;

/// Whether an address is one that `--mask` shows.
pub fn is_masked_address(text: &str) -> bool {
    let domain = text.len().checked_sub(MASKED_DOMAIN.len()).and_then(|at| text.get(at..));
    domain.is_some_and(|domain| domain.eq_ignore_ascii_case(MASKED_DOMAIN))
}

/// Whether a name or a reference id looks like one that `--mask` shows.
pub fn is_pseudonym(text: &str) -> bool {
    // Asked of every value of a roster: most end with something else than a digit.
    if !text.as_bytes().last().is_some_and(u8::is_ascii_hexdigit) {
        return false;
    }
    let digits = [FIRST, LAST, PERSON, REFERENCE].into_iter().find_map(|begin| text.strip_prefix(begin));
    digits.is_some_and(|digits| digits.len() == DIGITS && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pseudonyms_are_known_again_and_nothing_else_is() {
        for pseudonym in ["First-0123456789", "Last-abcdef0123", "Person-0000000000", "ref-00000000ff"] {
            assert!(is_pseudonym(pseudonym), "{pseudonym}");
        }
        for other in
            ["", "First", "First-", "First-012345678", "First-01234567890", "EMP-0123456789", "first-0123456789"]
        {
            assert!(!is_pseudonym(other), "{other}");
        }
        assert!(is_masked_address("p-1@MASKED.invalid") && !is_masked_address("a@b.org") && !is_masked_address("ä"));
    }
}
