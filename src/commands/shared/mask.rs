//! `--mask`: people in the output become stable pseudonyms, so that a support case, a screenshot or an agent can have it.

use std::borrow::Cow;
use std::rc::Rc;
use std::time::Instant;

use crate::commands::shared::mask_fields::{shown_redirect, stays, stays_of_others};
use crate::commands::shared::mask_reference_ids::PersonWords;
use crate::config::Settings;
use crate::journal::keyed_hash::{Hash, KeyHasher};
use crate::journal::store::Store;
use crate::model::failure::Failure;
use crate::model::pseudonym::{FIRST, LAST, PERSON, REFERENCE, masked_address, pseudonym};
use crate::output::{Masked, RecordMask};

/// The mask of this run, where people are masked; `people` tells that its records are about people.
pub fn pseudonyms(settings: &Settings, people: bool) -> Result<Option<Rc<dyn RecordMask>>, Failure> {
    if !settings.mask.value {
        return Ok(None);
    }
    if !people {
        return Ok(Some(Rc::new(DeclaredFields)));
    }
    let until = settings.deadline.as_ref().and_then(|time| Instant::now().checked_add(time.value));
    let hasher = Store::open_until(&settings.state_dir()?, until)?.hasher();
    Ok(Some(Rc::new(Pseudonyms(hasher))))
}

/// Makes pseudonyms that are the same for the same value as long as the state folder keeps its secret, and that
/// cannot be traced back without it.
#[derive(Debug)]
struct Pseudonyms(KeyHasher);

impl Pseudonyms {
    /// The hash of a value, whatever its case.
    fn hash(&self, kind: &str, text: &str) -> Hash {
        self.0.hash("mask", &[kind, &text.trim().to_lowercase()])
    }

    fn reference(&self, text: &str, person: &PersonWords) -> Masked {
        if person.are_not_in(text) {
            Masked::Kept
        } else {
            Masked::Text(pseudonym(REFERENCE, &self.hash("referenceId", text)))
        }
    }

    /// What the user asked for, with a prefix.
    fn asked(&self, text: &str, person: &PersonWords) -> Masked {
        match text.split_once(':') {
            Some(("id", number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => Masked::Kept,
            _ => self.reference(text.strip_prefix("ref:").unwrap_or(text), person),
        }
    }

    fn field(&self, field: &str, text: &str, person: &PersonWords) -> Masked {
        if text.is_empty() {
            return Masked::Kept;
        }
        match stays(field, text) {
            Some(true) => return Masked::Kept,
            Some(false) => return hidden(),
            None => {}
        }
        let begins = match field {
            "firstName" => FIRST,
            "lastName" => LAST,
            "fullName" => PERSON,
            "email" => return Masked::Text(masked_address(&self.hash(field, text))),
            "referenceId" => return self.reference(text, person),
            "asked" => return self.asked(text, person),
            // Of a row that was refused, anything may stand there.
            "projectEntryId" | "yearOfBirth" | "birthYear" if text.trim().bytes().all(|b| b.is_ascii_digit()) => {
                return Masked::Kept;
            }
            _ => return Masked::Gone,
        };
        Masked::Text(pseudonym(begins, &self.hash(field, text)))
    }
}

impl RecordMask for Pseudonyms {
    fn mask(&self, fields: &[String], texts: &[Cow<'_, str>]) -> Vec<Masked> {
        let person = PersonWords::of(fields, texts);
        fields.iter().zip(texts).map(|(field, text)| self.field(field, text, &person)).collect()
    }
}

/// What stands where there is something that is not shown.
fn hidden() -> Masked {
    Masked::Text("…".to_owned())
}

/// Of records that are about no person, the declared fields stay, but for free text and for addresses in any of them.
#[derive(Debug)]
struct DeclaredFields;

impl RecordMask for DeclaredFields {
    fn mask(&self, fields: &[String], texts: &[Cow<'_, str>]) -> Vec<Masked> {
        let each = fields.iter().zip(texts).map(|(field, text)| {
            match field.as_str() {
                _ if text.is_empty() => Masked::Kept,
                // Its path may name a person.
                "redirectUri" => Masked::Text(shown_redirect(text)),
                // A number to call about a result, and the account of the person who works here.
                "fitForDutyResponse" | "account" | "accounts" => hidden(),
                _ if text.contains('@') || !stays_of_others(field, text) => hidden(),
                _ => Masked::Kept,
            }
        });
        each.collect()
    }
}

/// A mask for records whose columns are called otherwise: a roster's.
#[derive(Debug)]
pub struct Renamed {
    /// What decides.
    pub mask: Rc<dyn RecordMask>,
    /// What the columns are, in their order; empty for what is not known.
    pub fields: Vec<String>,
}

impl RecordMask for Renamed {
    fn mask(&self, _: &[String], texts: &[Cow<'_, str>]) -> Vec<Masked> {
        self.mask.mask(&self.fields, texts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(fields: &[&str], texts: &[&str]) -> Vec<String> {
        let fields: Vec<String> = fields.iter().map(ToString::to_string).collect();
        let texts: Vec<Cow<'_, str>> = texts.iter().map(|text| Cow::Borrowed(*text)).collect();
        let masked = Pseudonyms(KeyHasher::new(b"key")).mask(&fields, &texts);
        let shown = masked.into_iter().zip(&texts).map(|(masked, text)| match masked {
            Masked::Kept => text.clone().into_owned(),
            Masked::Gone => "-".to_owned(),
            Masked::Text(text) => text,
        });
        shown.collect()
    }

    #[test]
    fn the_same_person_has_the_same_pseudonym_whatever_the_case() {
        let first = masked(&["email", "firstName"], &["Ann@example.com", "Ann"]);
        assert_eq!(first, masked(&["email", "firstName"], &["ann@EXAMPLE.com", "ANN"]));
        assert!(first[0].starts_with("p-") && first[0].ends_with("@masked.invalid"), "{first:?}");
        assert_ne!(first[0], masked(&["email"], &["bob@example.com"])[0]);
        assert_eq!(masked(&["email", "result"], &["", "HighRisk"]), ["", "HighRisk"]);
        assert_eq!(masked(&["result", "dateCompleted"], &["Ann is ill", "Ann"]), ["…", "…"]);
        assert_eq!(masked(&["birthYear", "birthYear"], &["1984", "Lee1984"]), ["1984", "-"]);
    }

    #[test]
    fn a_reference_id_stays_unless_it_tells_a_name() {
        let id = |id: &str| {
            masked(&["firstName", "lastName", "email", "referenceId"], &["Zoë", "Müller", "zm@x.org", id])[3].clone()
        };
        assert_eq!(id("EMP-00017"), "EMP-00017");
        assert_eq!(id("north.4711"), "north.4711");
        for telling in ["a@b", "zoë.1", "4711-MÜLLER"] {
            assert!(id(telling).starts_with("ref-"), "{telling}");
        }
        let alone = |id: &str| masked(&["referenceId"], &[id])[0].clone();
        assert_eq!((alone("EMP-00017").as_str(), alone("4711").as_str()), ("EMP-00017", "4711"));
        assert!(alone("mueller-1").starts_with("ref-"));
        assert_eq!(masked(&["asked", "asked"], &["id:7", "ref:EMP-1"]), ["id:7", "ref:EMP-1"]);
        for asked in ["email:ann@x.org", "id:ann.lee"] {
            assert!(masked(&["asked"], &[asked])[0].starts_with("ref-"), "{asked}");
        }
    }

    #[test]
    fn what_is_not_known_does_not_appear() {
        assert_eq!(
            masked(&["Notes", "message", "url", "nickname"], &["Ann", "Ann is busy", "https://x", "A"]),
            ["-"; 4]
        );
    }
}
