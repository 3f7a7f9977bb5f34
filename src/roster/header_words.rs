//! What a header of a roster means, by the words of `header_words.txt`.

use std::str::FromStr;
use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;
use unicode_script::{Script, UnicodeScript as _};

use super::Field;

/// Each word of `header_words.txt`, after what it means.
static WORDS: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let lines = include_str!("header_words.txt").lines().filter(|line| !line.starts_with('#'));
    let meanings = lines.filter_map(|line| line.split_once(": "));
    meanings.flat_map(|(meaning, words)| words.split(' ').map(move |word| (meaning, word))).collect()
});

/// Words that may come before a field's word without changing its meaning: `Employee e-mail`.
const WHOSE: [&str; 7] = ["employee", "worker", "staff", "person", "user", "work", "testtaker"];

fn named(name: &str) -> Option<Field> {
    Field::ALL.into_iter().find(|field| field.name() == name)
}

impl FromStr for Field {
    type Err = &'static str;

    /// The field that a header is, or that an option names by any word that is understood in a header.
    fn from_str(header: &str) -> Result<Self, &'static str> {
        // The error of a formula is not `ref` or `name`. Where a separator is left, cells are together that should not be.
        let is_odd = header.ends_with([',', ';']) || (header.starts_with('#') && header.ends_with(['!', '?']));
        let folded = folded(if is_odd { "" } else { header });
        let known = |word: &str| WORDS.iter().find_map(|(meaning, known)| (*known == word).then(|| named(meaning))?);
        let field = known(&folded).or_else(|| WHOSE.iter().find_map(|whose| known(folded.strip_prefix(whose)?)));
        field.ok_or("must name email, firstName, lastName, birthYear or referenceId")
    }
}

/// The field that a word for a whole name is (`Name`, `Nombre`), beside a column that `has` the other part.
pub(super) fn field_beside(header: &str, has: impl Fn(Field) -> bool) -> Option<Field> {
    let folded = folded(header);
    let mut meanings = WORDS.iter().filter(|(_, word)| *word == folded);
    let (field, beside) = meanings.find_map(|(meaning, _)| meaning.split_once(" beside "))?;
    let (field, beside) = (named(field)?, named(beside)?);
    (has(beside) && !has(field)).then_some(field)
}

/// Whether a header is nearly a word of a field: one typing error away, two in a long one, none at its beginning.
pub(super) fn is_nearly(header: &str, field: Field) -> bool {
    let folded = folded(header);
    let is_near = |word: &str| strsim::osa_distance(&folded, word) <= (word.len() / 5).min(2);
    let mut words = WORDS.iter().filter(|(meaning, _)| *meaning == field.name());
    words.any(|(_, word)| folded.chars().next() == word.chars().next() && is_near(word))
}

/// Whether a header has a word that a field may be about, or is in an alphabet of which the list has no words.
pub(super) fn shares_word(header: &str, field: Field) -> bool {
    let mut spaced = String::new();
    for c in header.nfc() {
        // `Staff name`, `staff_name` and `staffName` have two words.
        if c.is_uppercase() && spaced.ends_with(char::is_lowercase) {
            spaced.push(' ');
        }
        spaced.push(c);
    }
    let parts: Vec<String> = spaced.split(|c: char| !c.is_alphanumeric()).chain([header]).map(folded).collect();
    let mut words = WORDS.iter().filter(|(meaning, _)| meaning.trim_end_matches('?') == field.name());
    let is_foreign = |c: char| !matches!(c.script(), Script::Latin | Script::Common | Script::Inherited);
    header.contains(is_foreign) || words.any(|(_, word)| parts.iter().any(|part| part == word))
}

/// Whether a text in brackets is decoration, which a date (`YYYY`) or a number is too.
fn is_decoration(text: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase).all(|word| {
        let is_of_date = word.len() > 1 && word.chars().all(|c| word.starts_with(c));
        let is_number = word.chars().all(|c| c.is_ascii_digit());
        is_of_date || is_number || WORDS.contains(&("decoration", word.as_str()))
    })
}

/// A header in small letters without white space, punctuation, accents and decoration (`[Required]`, `(optional)`, `*`).
pub(super) fn folded(header: &str) -> String {
    let (bare, rest) = header.split_once(['[', '(']).unwrap_or((header, ""));
    let bare = if !bare.trim().is_empty() && is_decoration(rest) { bare } else { header };
    let letters = bare.nfkd().filter(|c| c.is_alphanumeric() && !is_combining_mark(*c)).flat_map(char::to_lowercase);
    // Letters that Unicode does not take apart.
    letters.collect::<String>().replace('ł', "l").replace('ø', "o").replace('ı', "i")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_is_folded_and_means_one_thing() {
        let headers = || WORDS.iter().filter(|(meaning, _)| *meaning != "decoration");
        assert!(headers().all(|(_, word)| folded(word) == *word));
        let certain = headers().filter(|(meaning, _)| !meaning.ends_with('?'));
        let mut words: Vec<&str> = certain.map(|(_, word)| *word).collect();
        let count = words.len();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), count, "no word is there twice");
        let parts = |(meaning, _): &(&str, &str)| {
            meaning.trim_end_matches('?').split(" beside ").all(|part| named(part).is_some())
        };
        assert!(headers().all(parts), "each meaning is a field");
        assert!(Field::ALL.into_iter().all(|field| field.name().parse() == Ok(field)));
        let languages: Vec<&str> = include_str!("header_words.txt").split("\n\n").skip(1).take(18).collect();
        let has_all = |part: &&str| Field::ALL[..5].iter().all(|field| part.contains(&format!("\n{}: ", field.name())));
        assert!(languages.iter().all(has_all));
    }

    #[test]
    fn a_word_for_a_whole_name_needs_the_other_part_beside_it() {
        let beside = |header, other| field_beside(header, |field| field == other);
        assert_eq!(beside("Nom", Field::FirstName), Some(Field::LastName));
        assert_eq!(beside("Nome", Field::LastName), Some(Field::FirstName));
        assert_eq!(field_beside("name", |_| false), None);
        assert_eq!(field_beside("name", |_| true), None);
    }

    #[test]
    fn near_is_one_slip_and_not_another_word() {
        let near = |header| Field::ALL.into_iter().find(|field| is_nearly(header, *field));
        assert_eq!(near("E-mial"), Some(Field::Email));
        assert_eq!(near("Emial adress"), Some(Field::Email));
        assert_eq!(near("Frist name"), Some(Field::FirstName));
        assert_eq!([near("Username"), near("Phone"), near("Job"), near("")], [None; 4]);
    }

    #[test]
    fn brackets_are_decoration_unless_they_say_whom_a_column_is_about() {
        let birth_years = ["Date of birth (DD/MM/YYYY)", "Geburtsdatum (TT.MM.JJJJ)", "Birth year (4 digits)"];
        assert!(birth_years.iter().all(|header| header.parse() == Ok(Field::BirthYear)));
        assert!(
            ["E-Mail (geschäftlich)", "Email [Required] *"].iter().all(|header| header.parse() == Ok(Field::Email))
        );
        for other in [
            "E-Mail (Vorgesetzter)",
            "Employee ID (Manager)",
            "Last name (at birth)",
            "Sicil No (amir)",
            "Matricule (N+1)",
            "lastName,",
        ] {
            assert!(other.parse::<Field>().is_err(), "{other}");
            assert!(Field::ALL.into_iter().any(|field| shares_word(other, field)), "{other}");
        }
    }

    #[test]
    fn words_of_a_header_are_told_apart() {
        let shares = |header| Field::ALL.into_iter().filter(|field| shares_word(header, *field)).collect::<Vec<_>>();
        assert_eq!(shares("hireYear"), [Field::BirthYear]);
        assert_eq!(shares("Mail stop"), [Field::Email]);
        assert_eq!(shares("Pre\u{301}nom usuel"), [Field::FirstName]);
        assert_eq!(shares("Full name"), [Field::FirstName, Field::LastName]);
        assert!(shares("Username").is_empty() && shares("[]").is_empty());
    }
}
