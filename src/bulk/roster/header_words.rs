//! How HR systems spell the headers of a roster, language by language.

use std::sync::LazyLock;

use super::fields::Field;

/// What a header means, and a word for it in the form of [`folded`]: the lines of `header_words.txt`.
static WORDS: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let lines = include_str!("header_words.txt").lines().filter(|line| !line.starts_with('#'));
    let meanings = lines.filter_map(|line| line.split_once(": "));
    meanings.flat_map(|(meaning, words)| words.split(' ').map(move |word| (meaning, word))).collect()
});

/// The words that mean this.
fn words(meaning: &'static str) -> impl Iterator<Item = &'static str> {
    WORDS.iter().filter(move |(known, _)| *known == meaning).map(|(_, word)| *word)
}

/// Words that mean one part of a name beside a header of the other part, and by themselves may be the whole name: French
/// `Nom`, Spanish `Nombre`, Italian and Portuguese `Nome`, Czech `Jméno`.
const BESIDE: [(&str, Field, Field); 4] = [
    ("nom", Field::LastName, Field::FirstName),
    ("nombre", Field::FirstName, Field::LastName),
    ("nome", Field::FirstName, Field::LastName),
    ("jmeno", Field::FirstName, Field::LastName),
];

/// What a header is about that no field holds as it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unmapped {
    /// A name as a whole.
    WholeName,
    /// A number that a state gives.
    NationalId,
    /// A whole date of birth.
    BirthDate,
}

/// Every spelling of a field.
pub(super) fn spellings(field: Field) -> impl Iterator<Item = &'static str> {
    words(field.name())
}

/// What a header in the form of [`folded`] means by itself.
pub(super) fn field_of(header: &str) -> Option<Field> {
    Field::ALL.into_iter().find(|field| spellings(*field).any(|word| word == header))
}

/// What a header means beside a header of the other part of a name.
pub(super) fn field_beside(header: &str, others: impl Fn(Field) -> bool) -> Option<Field> {
    let (_, field, beside) = BESIDE.into_iter().find(|(word, ..)| *word == header)?;
    others(beside).then_some(field)
}

/// What a header in the form of [`folded`] is about, if it is one of those that are never mapped by themselves.
pub(super) fn unmapped(header: &str) -> Option<Unmapped> {
    let kinds =
        [("wholeName", Unmapped::WholeName), ("nationalId", Unmapped::NationalId), ("birthDate", Unmapped::BirthDate)];
    kinds.into_iter().find_map(|(name, kind)| words(name).any(|word| word == header).then_some(kind))
}

/// A header in small letters without white space, punctuation and accents, however those are encoded.
pub(super) fn folded(header: &str) -> String {
    header.chars().flat_map(char::to_lowercase).filter(|c| c.is_alphanumeric()).map(without_accent).collect()
}

fn without_accent(c: char) -> char {
    match c {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' | 'ą' => 'a',
        'ç' | 'ć' | 'č' => 'c',
        'ď' => 'd',
        'è' | 'é' | 'ê' | 'ë' | 'ę' | 'ě' => 'e',
        'ì' | 'í' | 'î' | 'ï' => 'i',
        'ł' => 'l',
        'ñ' | 'ń' | 'ň' => 'n',
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ø' => 'o',
        'ř' => 'r',
        'ś' | 'š' => 's',
        'ť' => 't',
        'ù' | 'ú' | 'û' | 'ü' | 'ů' => 'u',
        'ý' => 'y',
        'ź' | 'ż' | 'ž' => 'z',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn no_word_means_two_fields_and_none_that_is_never_mapped_means_one() {
        let mut meanings: HashMap<&str, Field> = HashMap::new();
        for field in Field::ALL {
            for word in spellings(field) {
                assert_eq!(folded(word), word, "stands in the table as headers are compared");
                assert_eq!(*meanings.entry(word).or_insert(field), field, "{word}");
                assert_eq!(unmapped(word), None, "{word}");
            }
        }
        for (_, word) in WORDS.iter() {
            assert_eq!(folded(word), *word, "stands in the table as headers are compared");
        }
    }

    #[test]
    fn every_language_has_words_for_all_five_fields() {
        let languages: Vec<&str> = include_str!("header_words.txt").split("\n\n").skip(1).take(12).collect();
        for language in languages {
            for field in Field::ALL {
                assert!(language.contains(&format!("\n{field}: ")), "no word for {field}: {language}");
            }
        }
    }

    #[test]
    fn headers_of_thirteen_languages_are_understood_with_accents_and_without() {
        let headers = [
            ("E-Mail-Adresse", Field::Email),
            ("Personalnummer", Field::ReferenceId),
            ("Geburtsjahr", Field::BirthYear),
            ("Courriel", Field::Email),
            ("PRÉNOM", Field::FirstName),
            ("Pre\u{301}nom", Field::FirstName),
            ("Année de naissance", Field::BirthYear),
            ("Correo electrónico", Field::Email),
            ("Año de nacimiento", Field::BirthYear),
            ("Cognome", Field::LastName),
            ("Matrícula", Field::ReferenceId),
            ("Achternaam", Field::LastName),
            ("Imię", Field::FirstName),
            ("Förnamn", Field::FirstName),
            ("Fødselsår", Field::BirthYear),
            ("Sähköposti", Field::Email),
            ("Příjmení", Field::LastName),
            ("Osobní číslo", Field::ReferenceId),
        ];
        for (header, field) in headers {
            assert_eq!(field_of(&folded(header)), Some(field), "{header}");
        }
    }

    #[test]
    fn a_word_for_a_part_of_a_name_counts_beside_the_other_part_alone() {
        assert_eq!(field_beside("nom", |field| field == Field::FirstName), Some(Field::LastName));
        assert_eq!(field_beside("nome", |field| field == Field::LastName), Some(Field::FirstName));
        assert_eq!(field_beside("nome", |_| false), None);
        assert_eq!(field_beside("name", |_| true), None);
        assert_eq!(unmapped("nome"), Some(Unmapped::WholeName));
    }
}
