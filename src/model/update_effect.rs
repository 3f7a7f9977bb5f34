//! What a person's record says of an update that was sent: that it was done, that it was not, or that another change came.

use super::field_rules::{PersonName, ReferenceId, plain_name};
use super::testtakers::{Change, TestTaker, TestTakerUpdate};

/// What a record shows after an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpdateEffect {
    /// Each field that was to change has changed so, however the service spells it.
    Done,
    /// All fields are as they were before.
    NotDone,
    /// Neither: the record was changed by another update.
    ChangedOtherwise,
}

/// A field of an update: what it was, what it is to be (`None` where it is left out), and what it is now. An empty text is
/// none.
struct Field<'a> {
    name: &'static str,
    before: &'a str,
    wanted: Option<&'a str>,
    now: &'a str,
}

impl<'a> Field<'a> {
    fn new<T>(
        name: &'static str,
        change: &'a Change<T>,
        text: fn(&T) -> &str,
        [before, now]: [&'a Option<String>; 2],
    ) -> Self {
        let wanted = match change {
            Change::Leave => None,
            Change::Clear => Some(""),
            Change::Set(value) => Some(text(value)),
        };
        let [before, now] = [before, now].map(|text| text.as_deref().unwrap_or_default());
        Self { name, before, wanted, now }
    }

    fn of<'r>(before: &'r TestTaker, update: &'r TestTakerUpdate, now: &'r TestTaker) -> [Field<'r>; 3] {
        [
            Field::new(
                "referenceId",
                &update.reference_id,
                ReferenceId::as_str,
                [&before.reference_id, &now.reference_id],
            ),
            Field::new("firstName", &update.first_name, PersonName::as_str, [&before.first_name, &now.first_name]),
            Field::new("lastName", &update.last_name, PersonName::as_str, [&before.last_name, &now.last_name]),
        ]
    }

    fn was_to_change(&self) -> bool {
        self.wanted.is_some_and(|wanted| wanted != self.before)
    }

    /// Whether it has the wanted value, as far as case, white space and Unicode form go.
    fn has_arrived(&self) -> bool {
        let now = plain_name(self.now).to_lowercase();
        self.wanted.is_none_or(|wanted| plain_name(wanted).to_lowercase() == now)
    }
}

/// What the record `now` says of an update that was sent when it was `before`. Fields that keep the value they had were
/// sent too: that another update has changed one of those does not hide that this one was done.
pub fn effect(before: &TestTaker, update: &TestTakerUpdate, now: &TestTaker) -> UpdateEffect {
    let fields = Field::of(before, update, now);
    let mut to_change = fields.iter().filter(|field| field.was_to_change()).peekable();
    if to_change.peek().is_some() && fields.iter().all(|field| field.now == field.before) {
        UpdateEffect::NotDone
    } else if to_change.all(Field::has_arrived) {
        UpdateEffect::Done
    } else {
        UpdateEffect::ChangedOtherwise
    }
}

/// Whether the record that the service answered with shows that it did not do the update. One that spells a value otherwise
/// each time has done it.
pub fn was_ignored(before: &TestTaker, update: &TestTakerUpdate, answered: &TestTaker) -> bool {
    let fields = Field::of(before, update, answered);
    effect(before, update, answered) == UpdateEffect::NotDone && !fields.iter().all(Field::has_arrived)
}

/// The names of the fields that were sent, and that the service stored otherwise: also of those that were to stay.
pub fn stored_otherwise(before: &TestTaker, update: &TestTakerUpdate, now: &TestTaker) -> Vec<&'static str> {
    let fields = Field::of(before, update, now);
    let otherwise = fields.iter().filter(|field| field.wanted.is_some_and(|wanted| wanted != field.now));
    otherwise.map(|field| field.name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(first: &str, last: &str, reference: &str) -> TestTaker {
        let json = format!(r#"{{"id":7,"firstName":"{first}","lastName":"{last}","referenceId":"{reference}"}}"#);
        serde_json::from_str(&json).expect("a record")
    }

    fn update(first: &str, last: &str, reference: &str) -> TestTakerUpdate {
        fn set<T: std::str::FromStr>(text: &str) -> Change<T> {
            text.parse().map_or(Change::Clear, Change::Set)
        }
        TestTakerUpdate { reference_id: set(reference), first_name: set(first), last_name: set(last) }
    }

    #[test]
    fn a_record_says_whether_an_update_was_done_and_by_whom() {
        use UpdateEffect::{ChangedOtherwise, Done, NotDone};
        let before = person("Ann", "One", "r-1");
        for (now, said) in [
            (person("Anna", "One", "r-1"), Done),
            (person("ANNA", "One", "R-1"), Done),
            (person("Anna", "Married", "r-1"), Done),
            (person("Ann", "One", "r-1"), NotDone),
            (person("Ann", "Married", "r-1"), ChangedOtherwise),
            (person("Anne", "One", "r-1"), ChangedOtherwise),
        ] {
            assert_eq!(effect(&before, &update("Anna", "One", "r-1"), &now), said, "{now:?}");
        }
        assert_eq!(effect(&before, &update("Ann", "One", "r-1"), &before), Done, "nothing was to change");
        assert_eq!(effect(&before, &update("Ann", "", "r-1"), &person("Ann", "", "r-1")), Done);
        assert_eq!(effect(&before, &update("Ann", "", "r-1"), &before), NotDone);
    }

    #[test]
    fn an_answer_as_before_is_a_change_ignored_unless_the_service_spells_so() {
        let ignored = |first: &str, wanted: &str| {
            let record = person(first, "One", "r-1");
            was_ignored(&record, &update(wanted, "One", "r-1"), &record)
        };
        assert!(ignored("Ann", "Anna") && ignored("Ann", ""));
        assert!(!ignored("ANNA", "Anna") && !ignored("Anna Maria", "Anna  Maria") && !ignored("Ann", "Ann"));
    }

    #[test]
    fn what_is_stored_otherwise_is_named_by_its_fields() {
        let (before, sent) = (person("Ann", "One", "r-0"), update("Ann  Maria", "One", "r-1"));
        let told = |first: &str, last: &str, reference: &str| {
            stored_otherwise(&before, &sent, &person(first, last, reference)).join(", ")
        };
        assert_eq!(told("Ann  Maria", "One", "r-1"), "");
        assert_eq!(told("Ann Maria", "One", "R-1"), "referenceId, firstName");
        assert_eq!(told("Ann  Maria", "", "r-1"), "lastName", "it was to stay");
    }
}
