//! Which fields a record has, which of them are shown, and what `--fields` may name.

use super::Error;
use crate::model::did_you_mean::{folded, holding, nearest};

/// The fields that no table cuts, whatever record they are of: ids and links, because half of one is of no use, and the words
/// that say how something ended.
const WHOLE: [&str; 10] =
    ["id", "projectId", "projectEntryId", "referenceId", "asked", "url", "link", "redirectUri", "outcome", "change"];

/// The fields of a record, declared once: they give the table's columns, the CSV header and `--fields`. Names are the
/// specification's JSON names.
#[derive(Clone, Copy, Debug)]
pub struct Columns<'a> {
    all: &'a [&'a str],
    table: &'a [&'a str],
    no_truncate: &'a [&'a str],
    highlight: (&'a str, fn(&str) -> bool),
    noun: (&'a str, &'a str),
    pub(super) times: &'a [&'a str],
    pub(super) prose: &'a [&'a str],
}

impl<'a> Columns<'a> {
    /// All fields in the order of the CSV header; a table shows all of them and may cut each.
    pub const fn of(all: &'a [&'a str]) -> Self {
        Self {
            all,
            table: all,
            no_truncate: &[],
            highlight: ("", |_| false),
            noun: ("record", "records"),
            times: &[],
            prose: &[],
        }
    }

    /// The fields that a table of many records shows where `--fields` does not say.
    #[must_use]
    pub const fn in_table(self, table: &'a [&'a str]) -> Self {
        Self { table, ..self }
    }

    /// Further fields that a table never cuts.
    #[must_use]
    pub const fn no_truncate(self, fields: &'a [&'a str]) -> Self {
        Self { no_truncate: fields, ..self }
    }

    /// The field of which some values must catch the eye: a table shows those in colour too, where colour is wanted.
    #[must_use]
    pub const fn highlight(self, field: &'a str, catches_the_eye: fn(&str) -> bool) -> Self {
        Self { highlight: (field, catches_the_eye), ..self }
    }

    /// What one record and several are called where it is said how many there are.
    #[must_use]
    pub const fn called(self, one: &'a str, many: &'a str) -> Self {
        Self { noun: (one, many), ..self }
    }

    /// What one record and several are called.
    pub(super) fn noun(&self) -> (String, String) {
        (self.noun.0.to_owned(), self.noun.1.to_owned())
    }

    /// The fields that are times of the service: a table on a terminal shows them to the minute, in local time.
    #[must_use]
    pub const fn times(self, fields: &'a [&'a str]) -> Self {
        Self { times: fields, ..self }
    }

    /// The fields that hold sentences: a table on a terminal breaks them into lines instead of cutting them.
    #[must_use]
    pub const fn prose(self, fields: &'a [&'a str]) -> Self {
        Self { prose: fields, ..self }
    }

    /// Whether a table never cuts a field.
    pub(super) fn is_whole(&self, field: &str) -> bool {
        WHOLE.contains(&field) || self.no_truncate.contains(&field)
    }

    /// Which values of a field must catch the eye.
    pub(super) fn highlighted(&self, field: &str) -> Option<fn(&str) -> bool> {
        let (highlighted, catches_the_eye) = self.highlight;
        (field == highlighted).then_some(catches_the_eye)
    }

    /// All fields: what `--fields` may name.
    pub const fn names(&self) -> &'a [&'a str] {
        self.all
    }

    /// The default fields of a table.
    pub(super) fn of_table(&self) -> Vec<String> {
        self.table.iter().map(ToString::to_string).collect()
    }

    /// All fields.
    pub(super) fn every(&self) -> Vec<String> {
        self.all.iter().map(ToString::to_string).collect()
    }

    /// Checks what `--fields` names: each known, none twice (a JSON object could not carry it), at least one.
    pub(super) fn check(&self, fields: &[String]) -> Result<Vec<String>, Error> {
        let mut chosen: Vec<String> = Vec::with_capacity(fields.len());
        for field in fields.iter().map(|field| field.trim()) {
            let Some(field) = same_field(field, self.all) else { return Err(self.unknown(field, fields)) };
            if chosen.iter().any(|earlier| earlier == field) {
                return Err(Error::DoubledField(field.to_owned()));
            }
            chosen.push(field.to_owned());
        }
        if chosen.is_empty() { Err(self.unknown("", &[])) } else { Ok(chosen) }
    }

    fn unknown(&self, field: &str, asked: &[String]) -> Error {
        let near = match our_fields(asked.iter().map(String::as_str), self.all) {
            // All slips at once.
            Some(ours) if !ours.is_empty() => vec![format!("`--fields {}`", ours.join(","))],
            _ => meant_fields(field, self.all).into_iter().map(str::to_owned).collect(),
        };
        Error::UnknownField { field: field.to_owned(), known: self.all.join(", "), near }
    }
}

/// The fields that these names mean, each once; `None` where one of them means none or several.
pub fn our_fields<'n, 'f>(names: impl IntoIterator<Item = &'n str>, known: &[&'f str]) -> Option<Vec<&'f str>> {
    let mut ours = Vec::new();
    for name in names {
        let [field] = meant_fields(name.trim(), known)[..] else { return None };
        if !ours.contains(&field) {
            ours.push(field);
        }
    }
    Some(ours)
}

/// A field in another spelling, such as `reference_id`.
fn same_field<'f>(field: &str, known: &[&'f str]) -> Option<&'f str> {
    let same = known.iter().copied().find(|known| *known == field);
    same.or_else(|| known.iter().copied().find(|known| folded(known).eq(folded(field))))
}

/// The fields that a name which is none of them may mean: none, one, or several that hold it.
pub(super) fn meant_fields<'f>(field: &str, known: &[&'f str]) -> Vec<&'f str> {
    // What others call them.
    let ours: &[&str] = match folded(field).collect::<String>().as_str() {
        "status" => &["result", "state"],
        "outcome" | "score" | "risk" | "flagged" | "flag" | "grade" => &["result"],
        "completed" | "completedat" | "completedon" | "completiondate" | "finished" | "finishedat" => {
            &["dateCompleted"]
        }
        "date" => &["dateCompleted", "dateCreated"],
        "created" | "createdat" | "createdon" => &["dateCreated"],
        "modified" | "updated" | "updatedat" | "modifiedat" => &["lastModified"],
        "uuid" => &["id"],
        "mail" | "address" => &["email"],
        "externalid" | "employeeid" | "employeeno" | "personnelnumber" => &["referenceId"],
        "first" | "given" | "givenname" => &["firstName"],
        "last" | "surname" | "familyname" => &["lastName"],
        "displayname" | "name" => &["fullName"],
        "year" | "birthyear" | "dob" => &["yearOfBirth"],
        _ => &[],
    };
    let same = ours.iter().find_map(|ours| known.iter().copied().find(|known| known == ours));
    match same_field(field, known).or(same).or_else(|| nearest(field, known.iter().copied())) {
        Some(near) => vec![near],
        None => holding(field, known.iter().copied()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: Columns<'static> = Columns::of(&["id", "email", "referenceId"]).in_table(&["id"]);

    fn check(fields: &[&str]) -> Result<Vec<String>, Error> {
        COLUMNS.check(&fields.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn fields_keep_the_order_in_which_they_are_named() {
        assert_eq!(check(&["referenceId", " id"]).expect("known fields"), ["referenceId", "id"]);
        assert_eq!(check(&["reference_id", "Email"]).expect("other spellings"), ["referenceId", "email"]);
    }

    #[test]
    fn an_unknown_field_lists_the_known_ones_and_suggests_the_nearest() {
        let error = check(&["id", "refrenceId"]).expect_err("a slip of the hand");
        assert_eq!(error.to_string(), "there is no field \"refrenceId\" here: the fields are id, email, referenceId");
        assert_eq!(error.hint().as_deref(), Some("did you mean `--fields id,referenceId`?"));
        let several = Columns::of(&["id", "firstName", "lastName"]);
        let error = several.check(&["name".to_owned()]).expect_err("a part of two");
        assert_eq!(error.hint().as_deref(), Some("did you mean firstName or lastName?"));
        assert_eq!(check(&["department"]).expect_err("unknown").hint(), None);
        let error = check(&["reference", "mail"]).expect_err("two slips");
        assert_eq!(error.hint().as_deref(), Some("did you mean `--fields referenceId,email`?"));
    }

    #[test]
    fn a_field_named_twice_or_none_at_all_is_refused() {
        assert!(matches!(check(&["id", "id"]), Err(Error::DoubledField(_))));
        assert!(matches!(check(&[]), Err(Error::UnknownField { .. })));
        assert!(matches!(check(&[""]), Err(Error::UnknownField { .. })));
    }
}
