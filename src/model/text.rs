//! The rules for text that is sent: one bounded type for each, used by options, cells of a roster and the sandbox.

use std::borrow::Cow;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use unicode_normalization::char::is_combining_mark;
use unicode_normalization::{UnicodeNormalization as _, is_nfc};
use unicode_script::{Script, UnicodeScript as _};
use url::Host;

use super::show::is_hidden;

/// Why a text may not be sent. Never quotes the text: it may name a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    #[error("must not be empty")]
    Empty,
    #[error("has {0} characters; {1} are allowed")]
    TooLong(usize, usize),
    #[error("has a character at position {0} that is not a letter, a digit or one of _ - . + @")]
    ReferenceId(usize),
    #[error("has an invisible character at position {0} (U+{1:04X})")]
    Hidden(usize, u32),
    #[error("is not an e-mail address: {0}")]
    Email(&'static str),
}

fn at_most(text: &str, max: usize) -> Result<(), TextError> {
    // A text has at least as many bytes as characters.
    let count = if text.len() <= max { 0 } else { text.chars().count() };
    if count > max { Err(TextError::TooLong(count, max)) } else { Ok(()) }
}

/// Blanks only are nothing.
fn within(text: &str, max: usize) -> Result<(), TextError> {
    if text.chars().all(char::is_whitespace) { Err(TextError::Empty) } else { at_most(text, max) }
}

/// What is allowed in a reference id, and what nearly all addresses are made of.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b'+' | b'@')
}

fn reference_id(text: &str) -> Result<(), TextError> {
    let odd = text.bytes().position(|byte| !is_plain(byte));
    odd.map_or_else(|| within(text, 500), |at| Err(TextError::ReferenceId(at + 1)))
}

/// Our rule: the specification only requires an address. An address that mail systems refuse is a typing error, and a
/// person enrolled under it never gets a link.
fn email(text: &str) -> Result<(), TextError> {
    let because = |why| Err(TextError::Email(why));
    // Without a branch for each byte, as below: a file has a hundred thousand.
    if !text.bytes().fold(true, |plain, byte| plain & is_plain(byte)) {
        odd_email(text)?;
    }
    match text.split_once('@') {
        _ if text.is_empty() => Err(TextError::Empty),
        None => because("it has no @"),
        Some((_, domain)) if domain.contains('@') => because("it has more than one @"),
        Some((user, domain)) if user.is_empty() || domain.is_empty() => because("one side of the @ is empty"),
        Some((_, domain))
            if !domain.contains('.') || domain.as_bytes().split(|byte| *byte == b'.').any(<[u8]>::is_empty) =>
        {
            because("its domain has no dot, or one in the wrong place")
        }
        Some(_) => Ok(()),
    }
}

/// The rules for other characters than letters and digits of ASCII and `. - _ + @`.
fn odd_email(text: &str) -> Result<(), TextError> {
    // Joiners, which names need, are in no address.
    let is_unseen = |c: char| is_hidden(c) || matches!(c, '\u{200c}' | '\u{200d}');
    if let Some((at, c)) = text.chars().enumerate().find(|(_, c)| is_unseen(*c)) {
        return Err(TextError::Hidden(at + 1, c.into()));
    }
    let because = |why| Err(TextError::Email(why));
    let (user, domain) = text.split_once('@').unwrap_or((text, ""));
    // Quotes, symbols and format characters of all alphabets.
    let is_letter = |c: char| c.is_alphanumeric() || is_combining_mark(c) || c == '·';
    let none_has = |c: char| ",;<>()[]/\\:\"`".contains(c) || !(c.is_ascii() || is_letter(c));
    match () {
        () if text.contains(char::is_whitespace) => because("it has white space in it"),
        () if text.contains(none_has) => because("it has a character that no address has"),
        () if user.starts_with(['=', '#', '*']) => because("it begins with =, # or *"),
        () if user.starts_with('\'') || user.ends_with('\'') => because("it is in quotes"),
        () if domain.contains(|c: char| !is_letter(c) && !".-_@".contains(c)) => because("its domain has a symbol"),
        () if !domain.split('.').all(is_of_one_script) => because("its domain mixes letters of several alphabets"),
        () => Ok(()),
    }
}

/// Whether the letters of a label are of one alphabet: a Cyrillic `а` in a Latin name is a lookalike. The scripts that
/// Japanese, Chinese and Korean mix count as one.
fn is_of_one_script(label: &str) -> bool {
    let scripts = label.chars().map(|c| match c.script() {
        Script::Hiragana | Script::Katakana | Script::Bopomofo | Script::Hangul => Script::Han,
        script => script,
    });
    let mut letters = scripts.filter(|script| !matches!(script, Script::Common | Script::Inherited));
    let first = letters.next();
    letters.all(|script| Some(script) == first)
}

/// Declares a type of text that keeps a rule.
macro_rules! bounded {
    ($($(#[$doc:meta])* $name:ident by $check:expr),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// Whether a text keeps the rule.
            pub fn check(text: &str) -> Result<(), TextError> {
                let check: fn(&str) -> Result<(), TextError> = $check;
                check(text)
            }
        }

        impl FromStr for $name {
            type Err = TextError;

            fn from_str(text: &str) -> Result<Self, TextError> {
                text.to_owned().try_into()
            }
        }

        impl TryFrom<String> for $name {
            type Error = TextError;

            fn try_from(text: String) -> Result<Self, TextError> {
                Self::check(&text).map(|()| Self(text))
            }
        }

        impl From<$name> for String {
            fn from(text: $name) -> String {
                text.0
            }
        }

        impl std::ops::Deref for $name {
            type Target = str;

            fn deref(&self) -> &str {
                &self.0
            }
        }
    )+};
}

bounded! {
    /// A project's name: 1 to 50 characters (specification, Limits).
    ProjectName by |text| within(text, 50),
    /// What a manager should do on a high risk: at most 1000 characters (specification, Limits).
    Response by |text| at_most(text, 1000),
    /// A text that a list is searched for: 1 to 500 characters (specification, Limits).
    Filter by |text| within(text, 500),
    /// A first or last name: 1 to 100 characters (specification, Limits).
    PersonName by |text| within(text, 100),
    /// The caller's own identifier: 1 to 500 letters, digits and `_ - . + @` (specification, Limits). Not unique.
    ReferenceId by reference_id,
    /// An e-mail address by our own rule, which is stricter than the specification's "required".
    Email by email,
}

/// An e-mail address in the form in which addresses are compared: NFC, without outer white space, case folded, the domain by
/// IDNA. Two spellings of one mailbox come out the same.
pub fn fold_email(email: &str) -> Cow<'_, str> {
    let email = email.trim();
    if email.is_ascii() {
        let has_capitals = email.bytes().fold(false, |has, byte| has | byte.is_ascii_uppercase());
        return if has_capitals { email.to_ascii_lowercase().into() } else { email.into() };
    }
    // Turkish capitals of `i`, and small letters of `I`.
    let folded = email.replace(['İ', 'ı'], "i").to_lowercase().nfc().collect::<String>();
    match folded.split_once('@').map(|(user, domain)| (user, Host::parse(domain))) {
        Some((user, Ok(Host::Domain(domain)))) => format!("{user}@{domain}").into(),
        _ => folded.into(),
    }
}

/// A name in the form in which names are compared: NFC and single spaces. Services store names so.
pub fn plain_name(name: &str) -> Cow<'_, str> {
    let is_plain = !name.starts_with(' ') && !name.ends_with(' ') && !name.contains("  ");
    if is_plain && (name.is_ascii() || is_nfc(name)) && !name.contains(|c: char| c.is_whitespace() && c != ' ') {
        return Cow::Borrowed(name);
    }
    Cow::Owned(name.split_whitespace().collect::<Vec<_>>().join(" ").nfc().collect())
}

/// A count with its noun: `1 row`, `2,000 rows`.
pub fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{} {}", grouped(count), if count == 1 { one } else { many })
}

/// A number with a comma between thousands.
pub fn grouped(number: usize) -> String {
    if number < 1000 { number.to_string() } else { format!("{},{:03}", grouped(number / 1000), number % 1000) }
}

/// What follows "there is no such word": the one of `known` that was probably meant, else all of them.
pub fn or_known(text: &str, known: &[&str]) -> String {
    match nearest(text, known.iter().copied()) {
        Some(near) => format!("; did you mean {near}?"),
        None => format!(" (known: {})", known.join(", ")),
    }
}

/// The word of `known` that a text was probably meant to be: one typing error away, not equal.
pub fn nearest<'a>(text: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = text.to_lowercase();
    let closeness = |word: &str| strsim::jaro_winkler(&lower, &word.to_lowercase());
    let best = known.into_iter().map(|word| (closeness(word), word)).max_by(|a, b| a.0.total_cmp(&b.0));
    best.filter(|(closeness, _)| *closeness > 0.85).map(|(_, word)| word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_no_mail_reaches_is_refused() {
        for good in
            ["a@b.example", "o'brien@x.example", "zoë@müller.example", "a+b@x.co", "Ä@пример.рф", "あ@ひらカタ漢.jp"]
        {
            assert_eq!(good.parse::<Email>().map(String::from).as_deref(), Ok(good));
        }
        for bad in [
            "",
            "a",
            "a@",
            "@b.c",
            "a@b",
            "a@b.",
            "a@.b",
            "a@b@c.d",
            "a b@c.d",
            "a@b.c,d@e.f",
            "<a@b.c>",
            "'a@b.c'",
            "=a@b.c",
            "#a@b.c",
            "“a@b.c”",
            "(a@b.c",
            "a@b.c!",
            "a@b.c*",
            "a\u{600}@b.c",
            "a@b\u{1d173}.c",
        ] {
            assert!(bad.parse::<Email>().is_err(), "{bad}");
        }
        assert_eq!(
            "a@exаmple.com".parse::<Email>().map(String::from),
            Err(TextError::Email("its domain mixes letters of several alphabets"))
        );
        for hidden in ['\u{200e}', '\u{200d}', '\u{7}'] {
            assert_eq!(Email::check(&format!("a{hidden}@b.c")), Err(TextError::Hidden(2, hidden.into())));
        }
    }

    #[test]
    fn spellings_of_one_mailbox_are_compared_as_one() {
        let same = ["Zoë@Müller.example", "zoe\u{308}@mu\u{308}ller.example", " ZOË@xn--mller-kva.EXAMPLE "];
        assert!(
            same.iter().all(|email| fold_email(email) == "zoë@xn--mller-kva.example"),
            "{:?}",
            same.map(fold_email)
        );
        assert_eq!(fold_email("A@B.Example"), "a@b.example");
        assert_eq!(fold_email("İPEK.ISIK@FİRMA.COM.TR"), "ipek.isik@firma.com.tr");
        assert_eq!(fold_email("zoe@XN--mller-kva.example"), fold_email("zoe@Müller.example"));
        assert_ne!(fold_email("ann@x.example"), fold_email("ann+1@x.example"));
    }

    #[test]
    fn limits_are_those_of_the_specification() {
        assert!("x".repeat(500).parse::<ReferenceId>().is_ok());
        assert_eq!("x".repeat(501).parse::<ReferenceId>().map(String::from), Err(TextError::TooLong(501, 500)));
        assert_eq!("E 1".parse::<ReferenceId>().map(String::from), Err(TextError::ReferenceId(2)));
        assert!("ü".repeat(100).parse::<PersonName>().is_ok() && "ü".repeat(101).parse::<PersonName>().is_err());
        assert!("x".repeat(50).parse::<ProjectName>().is_ok() && "x".repeat(51).parse::<ProjectName>().is_err());
        assert!("".parse::<Response>().is_ok() && "x".repeat(1001).parse::<Response>().is_err());
    }

    #[test]
    fn numbers_in_sentences_are_grouped() {
        let shown = [0, 1, 999, 1000, 1_234_567].map(|count| counted(count, "row", "rows"));
        assert_eq!(shown, ["0 rows", "1 row", "999 rows", "1,000 rows", "1,234,567 rows"]);
    }

    #[test]
    fn names_are_compared_by_what_is_read() {
        assert_eq!(plain_name(" Anna\u{a0} Mu\u{308}ller "), "Anna Müller");
        assert!(matches!(plain_name("Anna Müller"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_slip_is_near_and_another_word_is_not() {
        assert_eq!(nearest("HighRsik", ["HighRisk", "Completed"]), Some("HighRisk"));
        assert_eq!(nearest("Priority", ["HighRisk", "Completed"]), None);
    }
}
