//! How a service may spell what it was sent: the fault `spell`.

use clap::ValueEnum;
use icu_normalizer::ComposingNormalizerBorrowed;

use crate::model::testtakers::Enrolment;

/// One way in which the service keeps something otherwise than it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Respelling {
    /// E-mail and names in Unicode's composed form (NFC).
    Nfc,
    /// The domain of the e-mail in ASCII.
    Punycode,
    /// The e-mail without what stands between `+` and `@`.
    Plus,
    /// The e-mail in lower case.
    Lower,
    /// Names with single spaces.
    Spaces,
    /// The reference id in capitals.
    Upper,
    /// The first eight characters of the reference id.
    Cut,
    /// No reference id.
    Dropped,
    /// The answer repeats what was sent; only what is kept is spelt otherwise.
    Echo,
}

/// Spells an enrolment in each of these ways, one after the other.
pub(super) fn respell(enrolment: &mut Enrolment, ways: &[Respelling]) {
    for way in ways {
        match way {
            Respelling::Nfc => {
                for text in [&mut enrolment.email, &mut enrolment.first_name, &mut enrolment.last_name] {
                    change(text, |text| ComposingNormalizerBorrowed::new_nfc().normalize(text).into_owned());
                }
            }
            Respelling::Punycode => change(&mut enrolment.email, in_ascii),
            Respelling::Plus => change(&mut enrolment.email, without_tag),
            Respelling::Lower => change(&mut enrolment.email, str::to_lowercase),
            Respelling::Spaces => {
                change(&mut enrolment.first_name, with_single_spaces);
                change(&mut enrolment.last_name, with_single_spaces);
            }
            Respelling::Upper => change(&mut enrolment.reference_id, str::to_uppercase),
            Respelling::Cut => change(&mut enrolment.reference_id, |id| id.chars().take(8).collect()),
            Respelling::Dropped => enrolment.reference_id = None,
            Respelling::Echo => {}
        }
    }
}

fn change(text: &mut Option<String>, spell: impl Fn(&str) -> String) {
    *text = text.as_deref().map(spell);
}

/// What cannot be a host name stays as it is.
fn in_ascii(email: &str) -> String {
    let ascii = email.rsplit_once('@').and_then(|(local, domain)| Some((local, url::Host::parse(domain).ok()?)));
    ascii.map_or_else(|| email.to_owned(), |(local, domain)| format!("{local}@{domain}"))
}

fn without_tag(email: &str) -> String {
    let parts = email.rsplit_once('@').and_then(|(local, domain)| Some((local.split_once('+')?.0, domain)));
    parts.map_or_else(|| email.to_owned(), |(local, domain)| format!("{local}@{domain}"))
}

fn with_single_spaces(name: &str) -> String {
    name.split(' ').filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testtakers::EntryId;

    fn spelt(ways: &[Respelling]) -> [Option<String>; 3] {
        let mut enrolment = Enrolment {
            id: uuid::Uuid::nil(),
            project_entry_id: EntryId(1),
            email: Some("Zoe+night@mu\u{308}ller.example".to_owned()),
            first_name: Some("Zoe\u{308}  Maria ".to_owned()),
            last_name: None,
            birth_year: None,
            reference_id: Some("emp-1".to_owned()),
        };
        respell(&mut enrolment, ways);
        [enrolment.email, enrolment.first_name, enrolment.reference_id]
    }

    #[test]
    fn each_way_of_spelling_changes_its_own_part_alone() {
        let [email, name, id] = spelt(&[]);
        for (way, wanted) in [
            (
                Respelling::Nfc,
                [Some("Zoe+night@müller.example".to_owned()), Some("Zoë  Maria ".to_owned()), id.clone()],
            ),
            (Respelling::Punycode, [Some("Zoe+night@xn--mller-kva.example".to_owned()), name.clone(), id.clone()]),
            (Respelling::Plus, [Some("Zoe@mu\u{308}ller.example".to_owned()), name.clone(), id.clone()]),
            (Respelling::Lower, [Some("zoe+night@mu\u{308}ller.example".to_owned()), name.clone(), id.clone()]),
            (Respelling::Spaces, [email.clone(), Some("Zoe\u{308} Maria".to_owned()), id.clone()]),
            (Respelling::Upper, [email.clone(), name.clone(), Some("EMP-1".to_owned())]),
            (Respelling::Dropped, [email.clone(), name.clone(), None]),
            (Respelling::Echo, [email.clone(), name.clone(), id.clone()]),
        ] {
            assert_eq!(spelt(&[way]), wanted, "{way:?}");
        }
    }

    #[test]
    fn an_address_without_a_domain_or_a_tag_stays_as_it_is() {
        for email in ["nobody", "a@b c", "@"] {
            assert_eq!((in_ascii(email), without_tag(email)), (email.to_owned(), email.to_owned()));
        }
    }
}
