//! The rules for text that goes into request bodies: one bounded type per rule, used by flags, CSV cells and the sandbox.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use icu_normalizer::ComposingNormalizerBorrowed;
use serde::{Deserialize, Serialize};
use url::Host;

use super::pseudonym::{is_masked_address, is_masked_name};

/// Longest reference id, in characters (specification, Limits).
pub const REFERENCE_ID_MAX: usize = 500;
/// A project's name has at most this many characters (specification, Projects).
pub const PROJECT_NAME_MAX: usize = 50;
/// First and last names have at most this many characters each (specification, Test takers).
pub const PERSON_NAME_MAX: usize = 100;
/// What a project answers who is fit for duty has at most this many characters (specification, Projects).
pub const RESPONSE_MAX: usize = 1000;
/// Longest `filter`, in characters (specification, Limits).
pub const FILTER_MAX: usize = 500;

/// Why a text may not be sent. The message never quotes the text: it may name a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    /// An address that stands for a person in output that was masked.
    #[error("is a pseudonym of --mask, not an address")]
    Masked,
    /// A name that does.
    #[error("is a pseudonym of --mask, not a name")]
    MaskedName,
    /// Nothing, or white space alone, where something is required.
    #[error("must not be empty")]
    Empty,
    /// More characters than the specification allows.
    #[error("{actual} characters, {max} are allowed")]
    TooLong {
        /// Unicode characters counted.
        actual: usize,
        /// Unicode characters allowed.
        max: usize,
    },
    /// A reference id with a character outside the specification's pattern.
    #[error("character {position} is not a letter, a digit or one of _ - . + @")]
    ReferenceIdCharacter {
        /// Counted from 1.
        position: usize,
    },
    /// Not something on both sides of exactly one `@` without white space (our rule).
    #[error("not an e-mail address")]
    Email,
    /// Not a whole number of 32 bits (specification: int32).
    #[error("not a whole number")]
    WholeNumber,
    /// A whole number outside int32.
    #[error("too large for 32 bits")]
    NumberRange,
}

/// Reads a text of the command line without the white space around it, as the cells of a roster are read.
pub fn trimmed<T: FromStr>(text: &str) -> Result<T, T::Err> {
    text.trim().parse()
}

pub(super) fn at_most(text: &str, max: usize) -> Result<(), TextError> {
    // No text has more characters than bytes.
    if text.len() <= max {
        return Ok(());
    }
    let actual = text.chars().count();
    if actual > max { Err(TextError::TooLong { actual, max }) } else { Ok(()) }
}

/// Name of a project: 1 to 50 characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ProjectName(String);

/// First or last name of a test taker: at most 100 characters, not empty (an absent name is `None`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PersonName(String);

/// The caller's own identifier of a test taker: 1 to 500 characters out of letters, digits and `_ - . + @`.
/// Letters and digits are those of ASCII (our reading). Not unique: two test takers may share one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ReferenceId(String);

/// What to do about a high-risk result, a sentence or an address: at most 1,000 characters, may be empty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FitForDutyResponse(String);

/// An e-mail address: something on both sides of one `@`, no white space or control characters (our rule; the
/// specification says only "required").
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Email(String);

/// Year of birth as it is sent: any int32 (specification; no narrower range is shown).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BirthYear(pub i32);

/// Text of a `filter` parameter: at most 500 characters, may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter(String);

fn check_project_name(text: &str) -> Result<(), TextError> {
    if text.trim().is_empty() {
        return Err(TextError::Empty);
    }
    at_most(text, PROJECT_NAME_MAX)
}

fn check_person_name(text: &str) -> Result<(), TextError> {
    if text.is_empty() {
        return Err(TextError::Empty);
    }
    if is_masked_name(text) {
        return Err(TextError::MaskedName);
    }
    at_most(text, PERSON_NAME_MAX)
}

/// Whether a reference id may have this character.
fn is_allowed(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '+' | '@')
}

fn check_reference_id(text: &str) -> Result<(), TextError> {
    if text.is_empty() {
        return Err(TextError::Empty);
    }
    // Byte by byte first: a million of them are checked before anything is sent.
    if !text.bytes().all(|byte| is_allowed(char::from(byte))) {
        let position = text.chars().position(|c| !is_allowed(c)).map_or(1, |index| index + 1);
        return Err(TextError::ReferenceIdCharacter { position });
    }
    at_most(text, REFERENCE_ID_MAX)
}

fn check_response(text: &str) -> Result<(), TextError> {
    at_most(text, RESPONSE_MAX)
}

fn check_email(text: &str) -> Result<(), TextError> {
    if text.is_empty() {
        return Err(TextError::Empty);
    }
    if is_masked_address(text) {
        return Err(TextError::Masked);
    }
    // A million addresses are checked before anything is sent, and nearly all of them are ASCII.
    if text.is_ascii() {
        let (graphic, ats) = text.bytes().fold((true, 0), |(graphic, ats), byte| {
            (graphic & byte.is_ascii_graphic(), ats + usize::from(byte == b'@'))
        });
        let ends = [text.as_bytes().first(), text.as_bytes().last()];
        let inside = !ends.contains(&Some(&b'@'));
        return if graphic && ats == 1 && inside { Ok(()) } else { Err(TextError::Email) };
    }
    let (user, host) = text.split_once('@').ok_or(TextError::Email)?;
    if user.is_empty() || host.is_empty() || host.contains(is_odd) || user.contains(is_odd) {
        return Err(TextError::Email);
    }
    Ok(())
}

/// What no part of an address has.
fn is_odd(c: char) -> bool {
    c.is_whitespace() || c.is_control() || c == '@'
}

fn check_filter(text: &str) -> Result<(), TextError> {
    at_most(text, FILTER_MAX)
}

/// Gives a bounded text its constructors, so that no value exists which its rule would refuse.
macro_rules! bounded {
    ($($name:ident by $check:ident),+ $(,)?) => {$(
        impl std::str::FromStr for $name {
            type Err = TextError;
            fn from_str(text: &str) -> Result<Self, TextError> {
                $check(text).map(|()| Self(text.to_owned()))
            }
        }
        impl TryFrom<String> for $name {
            type Error = TextError;
            fn try_from(text: String) -> Result<Self, TextError> {
                $check(&text).map(|()| Self(text))
            }
        }
        impl From<$name> for String {
            fn from(text: $name) -> String {
                text.0
            }
        }
        impl $name {
            /// Applies the rule without keeping the text: a roster of a million rows is checked this way.
            pub fn check(text: &str) -> Result<(), TextError> {
                $check(text)
            }

            /// The text itself.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }
    )+};
}
pub(super) use bounded;

bounded!(
    ProjectName by check_project_name,
    PersonName by check_person_name,
    ReferenceId by check_reference_id,
    FitForDutyResponse by check_response,
    Email by check_email,
    Filter by check_filter,
);

impl BirthYear {
    /// Whether test takers are born in it. A year of two digits would be enrolled as it is, and the API cannot change it.
    pub fn is_likely(self) -> bool {
        (1900..=2099).contains(&self.0)
    }
}

impl FromStr for BirthYear {
    type Err = TextError;
    fn from_str(text: &str) -> Result<Self, TextError> {
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(TextError::WholeNumber);
        }
        text.parse().map(Self).map_err(|_| TextError::NumberRange)
    }
}

impl fmt::Display for BirthYear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A text as one segment of a path or one value of a query: all but the unreserved characters of RFC 3986 is encoded.
pub fn percent_encode(text: &str) -> String {
    use std::fmt::Write as _;
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing to a string never fails.
            _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

/// Whether two e-mail addresses are the same to us: equal ignoring case.
pub fn same_email(one: &str, other: &str) -> bool {
    fold_email(one) == fold_email(other)
}

/// Empty text is none: the service may answer either.
pub fn filled(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.is_empty())
}

/// A name without what a service may store otherwise: outer and double white space, and decomposed letters.
pub fn plain_name(name: &str) -> Cow<'_, str> {
    let is_plain = |name: &str| {
        let is_single = name.as_bytes().windows(2).all(|pair| pair != b"  ");
        is_single && name.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic())
    };
    // Most names are: a list of a million people is compared without a copy of theirs.
    if is_plain(name.trim_matches(' ')) {
        return Cow::Borrowed(name.trim_matches(' '));
    }
    let words: Vec<&str> = name.split_whitespace().collect();
    Cow::Owned(ComposingNormalizerBorrowed::new_nfc().normalize(&words.join(" ")).into_owned())
}

/// An e-mail address without what a service may store otherwise: capitals, decomposed letters, a tag behind `+`, and the form
/// of the domain. Two people may have alike ones.
pub fn loose_email(email: &str) -> String {
    let email = ComposingNormalizerBorrowed::new_nfc().normalize(email).to_lowercase();
    let (name, domain) = email.rsplit_once('@').unwrap_or((&email, ""));
    let name = name.split_once('+').map_or(name, |(name, _)| name);
    let domain = Host::parse(domain).map_or_else(|_| domain.to_owned(), |host| host.to_string());
    format!("{name}@{domain}")
}

/// An e-mail address in the form by which we compare it.
pub fn fold_email(email: &str) -> Cow<'_, str> {
    // Nearly all are written so already, and a roster has a million of them.
    let is_folded = email.bytes().fold(true, |all, byte| all & byte.is_ascii() & !byte.is_ascii_uppercase());
    if is_folded { Cow::Borrowed(email) } else { Cow::Owned(email.to_lowercase()) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn addresses_are_alike_however_a_service_spells_them() {
        let plain = "zo\u{eb}@xn--mller-kva.example";
        for email in ["Zo\u{eb}+hr@M\u{fc}ller.example", "zoe\u{308}@mu\u{308}ller.example", plain] {
            assert_eq!(loose_email(email), plain, "{email}");
        }
        assert_ne!(loose_email("zoe@a.example"), loose_email("zoe@b.example"));
        assert_eq!([loose_email("a b"), loose_email("")], ["a b@", "@"]);
    }

    proptest! {
        #[test]
        fn an_address_is_folded_as_its_small_letters(text in "([a-zA-Z@.é\u{212a}\u{130}ß]{0,8}|\\PC{0,8})") {
            let small = text.to_lowercase();
            let folded = fold_email(&text);
            prop_assert_eq!(folded, small);
        }

        #[test]
        fn an_ascii_address_is_judged_as_any_other(text in "[ab@ \\t\\x00\\x7f.]{0,6}") {
            // A letter beyond ASCII on either side takes the general way.
            let (ascii, general) = (text.parse::<Email>(), format!("é{text}").parse::<Email>());
            let same = !text.starts_with('@') && !text.is_empty();
            prop_assert!(!same || ascii.is_ok() == general.is_ok(), "{text:?}");
        }
    }

    #[test]
    fn lengths_count_characters_and_not_bytes() {
        assert!("é".repeat(100).parse::<PersonName>().is_ok());
        let long = "é".repeat(101).parse::<PersonName>();
        assert_eq!(long, Err(TextError::TooLong { actual: 101, max: 100 }));
        assert!("n".repeat(50).parse::<ProjectName>().is_ok());
        assert!("n".repeat(51).parse::<ProjectName>().is_err());
    }

    #[test]
    fn a_reference_id_has_only_the_characters_of_the_specification() {
        for good in ["EMP-00017", ".", "..", "-x", "+x", "@x", "a_b.c+d@e", "0"] {
            assert!(good.parse::<ReferenceId>().is_ok(), "{good}");
        }
        for bad in ["", "a b", "a/b", "é", "a%2e", "a\n"] {
            assert!(bad.parse::<ReferenceId>().is_err(), "{bad}");
        }
        let error = "ab c".parse::<ReferenceId>();
        assert_eq!(error, Err(TextError::ReferenceIdCharacter { position: 3 }));
    }

    #[test]
    fn an_email_has_something_on_both_sides_of_one_at_sign() {
        for good in ["a@b", "zoe.mueller@example.com", "ü@ö.example"] {
            assert!(good.parse::<Email>().is_ok(), "{good}");
        }
        for bad in ["", "a", "@b", "a@", "a@b@c", "a b@c", "a@b c", "a@b\u{0}"] {
            assert!(bad.parse::<Email>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_birth_year_is_an_int32() {
        assert_eq!("1984".parse(), Ok(BirthYear(1984)));
        assert_eq!("19x4".parse::<BirthYear>(), Err(TextError::WholeNumber));
        assert_eq!("".parse::<BirthYear>(), Err(TextError::WholeNumber));
        assert_eq!("99999999999".parse::<BirthYear>(), Err(TextError::NumberRange));
    }
}
