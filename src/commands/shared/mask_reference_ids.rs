//! Whether a reference id stays under `--mask`: what the names and the address of a record say, and whether it says it too.

use std::borrow::Cow;

use icu_normalizer::DecomposingNormalizerBorrowed;

/// Fields whose words are a person's names: both of the first two, or the third, are the whole name.
const NAMES: [&str; 3] = ["firstName", "lastName", "fullName"];
/// As many letters at the start of a name tell it: `muel01`.
const TELLING: usize = 3;
/// A mark before a number may have so many letters and digits: `EMP-00017`.
const MARK: usize = 4;

/// The words of a person's names and address.
#[derive(Debug, Default)]
pub struct PersonWords {
    /// Of the names, in lower case, in each way in which they may be written.
    names: Vec<String>,
    /// Of the address before its `@`.
    address: Vec<String>,
    /// Names and address are there, in letters that can be told in a reference id.
    is_whole: bool,
}

impl PersonWords {
    /// Of a record's fields and their values.
    pub fn of(fields: &[String], texts: &[Cow<'_, str>]) -> Self {
        let [first, last, full] = NAMES.map(|name| value((fields, texts), name));
        let email = value((fields, texts), "email");
        let (mut names, mut are_telling) = (Vec::new(), true);
        for word in [first, last, full].into_iter().flat_map(words) {
            let forms = forms(&word);
            are_telling &= forms.iter().any(|form| form.is_ascii());
            names.extend(forms);
        }
        let is_named = !full.is_empty() || !(first.is_empty() || last.is_empty());
        let user = email.split_once('@').map_or(email, |(user, _)| user);
        Self { names, address: words(user).collect(), is_whole: is_named && !email.is_empty() && are_telling }
    }

    /// Whether a reference id tells no name: it has no `@`, and nothing of the names and the address. Where the
    /// record does not say what those are, it must be a number behind a short mark.
    pub fn are_not_in(&self, id: &str) -> bool {
        let id = id.to_lowercase();
        let tells = self.names.iter().any(|name| repeats(&id, name) || shortens(&id, name))
            || self.address.iter().any(|word| repeats(&id, word));
        !id.contains('@') && !tells && (self.is_whole || is_marked_number(&id))
    }
}

/// The value of a field; empty where the record has none.
fn value<'t>((fields, texts): (&[String], &'t [Cow<'_, str>]), wanted: &str) -> &'t str {
    let found = fields.iter().zip(texts).find(|(field, _)| *field == wanted);
    found.map_or("", |(_, text)| text.trim())
}

/// The words of a text in lower case, but for numbers.
fn words(text: &str) -> impl Iterator<Item = String> {
    let lower = text.to_lowercase();
    let words: Vec<String> = lower.split(|c: char| !c.is_alphanumeric()).map(str::to_owned).collect();
    words.into_iter().filter(|word| word.chars().any(char::is_alphabetic))
}

/// A word in lower case as it is written with its accents, without them, and with two letters for each: `müller`, `muller`,
/// `mueller`.
fn forms(word: &str) -> Vec<String> {
    let composed: String = word.chars().map(|c| doubled(c).map_or_else(|| c.into(), str::to_owned)).collect();
    let mut forms = vec![word.to_owned(), bare(word), bare(&composed)];
    forms.dedup();
    forms
}

fn doubled(c: char) -> Option<&'static str> {
    Some(match c {
        'ä' | 'æ' => "ae",
        'ö' | 'ø' | 'œ' => "oe",
        'ü' => "ue",
        'å' => "aa",
        'ß' => "ss",
        'þ' => "th",
        _ => return None,
    })
}

/// Without accents, and with the nearest letter of the plain alphabet for those that have none.
fn bare(word: &str) -> String {
    let parts = DecomposingNormalizerBorrowed::new_nfd().normalize(word);
    let mut bare = String::new();
    for c in parts.chars().filter(|c| !matches!(c, '\u{300}'..='\u{36f}')) {
        match c {
            'ø' => bare.push('o'),
            'ł' => bare.push('l'),
            'đ' | 'ð' => bare.push('d'),
            'ı' => bare.push('i'),
            c => bare.push_str(doubled(c).unwrap_or(c.encode_utf8(&mut [0; 4]))),
        }
    }
    bare
}

/// Whether an id holds a word. Two letters stand in many a word: such a name counts where it is one.
fn repeats(id: &str, word: &str) -> bool {
    if word.chars().count() > 2 { id.contains(word) } else { letters(id).any(|letters| letters == word) }
}

/// Whether letters of an id are the beginning of a name.
fn shortens(id: &str, name: &str) -> bool {
    letters(id).any(|letters| letters.chars().count() >= TELLING && name.starts_with(letters))
}

fn letters(id: &str) -> impl Iterator<Item = &str> {
    id.split(|c: char| !c.is_alphabetic())
}

fn is_marked_number(id: &str) -> bool {
    let mark = id.trim_end_matches(|c: char| c.is_ascii_digit());
    mark.len() < id.len() && mark.chars().filter(|c| c.is_alphanumeric()).count() <= MARK
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_kept(person: [&str; 3], id: &str) -> bool {
        let fields = ["firstName", "lastName", "email"].map(str::to_owned);
        PersonWords::of(&fields, &person.map(Cow::Borrowed)).are_not_in(id)
    }

    #[test]
    fn a_name_is_told_in_any_spelling_and_by_its_beginning() {
        let person = ["Zoë", "Müller-Strauß", "u123@example.org"];
        for telling in ["MUELLER-17", "muller.z", "17-Müller", "STRAUSS1", "zoe-7", "MUEL01", "mul2", "U123", "a@b"] {
            assert!(!is_kept(person, telling), "{telling}");
        }
        for kept in ["EMP-00017", "north.4711", "4711", "ZM17", "staff_member"] {
            assert!(is_kept(person, kept), "{kept}");
        }
        assert!(!is_kept(["Łukasz", "Ødegård", "x@y.z"], "LUKASZ.1") && !is_kept(["A", "Ødegård", "x@y.z"], "odegard"));
        assert!(!is_kept(["A", "Ødegård", "x@y.z"], "OEDEGAARD"));
    }

    #[test]
    fn where_the_record_does_not_tell_the_names_only_a_number_behind_a_short_mark_stays() {
        for person in [["", "", ""], ["Ann", "", "u1@x"], ["Ann", "Lee", ""], ["Анна", "Иванова", "u1@x"]] {
            assert!(is_kept(person, "EMP-00017") && is_kept(person, "4711"), "{person:?}");
            for telling in ["zimmermann.karl", "ivanova-1", "karl", "a-b-karl-7"] {
                assert!(!is_kept(person, telling), "{person:?} {telling}");
            }
        }
    }
}
