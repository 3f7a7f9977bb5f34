//! How the fields of a kind of record are declared, and which of them are shown. Each command has its own `COLUMNS`.

use crate::model::text::or_known;
use crate::model::verdict::Failure;

/// The fields of a kind of record, declared once as a constant. Names are the specification's JSON names, with blanks between
/// them.
#[derive(Clone, Copy, Debug)]
pub struct Columns {
    /// All fields in the order of the CSV header: the ones of our own cells first, then those the service sends.
    pub all: &'static str,
    /// The fields that a table of several records shows unless `--fields` says others.
    pub table: &'static str,
    /// How `-q` prints one record: prefixes and fields, of which the first that has a value counts. Empty: as ever.
    pub quiet: &'static [(&'static str, &'static str)],
    /// One record and several: "test taker", "test takers".
    pub noun: (&'static str, &'static str),
}

/// Fields that a table never shortens, beside `projectId` and the like.
const WHOLE: [&str; 7] = ["id", "url", "redirectUri", "setting", "value", "origin", "message"];

/// Fields that are times: a table on a terminal shows them in local time with the offset.
const TIMES: [&str; 7] =
    ["dateCompleted", "lastTestSentUtc", "dateCreated", "lastModified", "expiresAtUtc", "since", "latest"];

impl Columns {
    /// How a person is named with `-q`; the older shape of results has no id.
    pub const PERSON: &'static [(&'static str, &'static str)] =
        &[("id:", "id"), ("ref:", "referenceId"), ("email:", "email")];

    /// The fields that `--fields` names, in its order; case does not matter.
    pub(super) fn choose(&self, names: &[String]) -> Result<Vec<Field>, Failure> {
        let known: Vec<&str> = self.all.split(' ').collect();
        let unknown = |name| Failure::usage(format!("--fields has an unknown field{}", or_known(name, &known)));
        names.iter().map(|name| self.find(name.trim()).ok_or_else(|| unknown(name))).collect()
    }

    /// Fields of this kind of record by the names of a constant.
    pub(super) fn fields(&self, names: &str) -> Vec<Field> {
        names.split(' ').filter_map(|name| self.find(name)).collect()
    }

    pub(super) fn find(&self, name: &str) -> Option<Field> {
        let mut fields = self.all.split(' ').enumerate().map(|(at, name)| Field { at, name });
        fields.find(|field| field.name.eq_ignore_ascii_case(name))
    }
}

/// One field: its place among all of its kind of record, and its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) at: usize,
    pub(super) name: &'static str,
}

impl Field {
    /// Half an id or an address is of no use.
    pub(super) fn is_whole(self) -> bool {
        self.name.ends_with("Id") || WHOLE.contains(&self.name)
    }

    pub(super) fn is_time(self) -> bool {
        TIMES.contains(&self.name)
    }

    /// Whether flagged values are red on a terminal.
    pub(super) fn is_result(self) -> bool {
        self.name == "result"
    }
}

/// What a command prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One record: a JSON object, a block of lines.
    One,
    /// A list of records: a JSON array, a line each.
    Many,
    /// One text, such as a link: a JSON string, else the text without a header.
    Text,
    /// A list of texts under the one column.
    Texts,
}

impl Shape {
    pub(super) fn is_list(self) -> bool {
        matches!(self, Self::Many | Self::Texts)
    }

    pub(super) fn is_text(self) -> bool {
        matches!(self, Self::Text | Self::Texts)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::COLUMNS;

    #[test]
    fn fields_are_chosen_in_the_order_typed_and_an_unknown_one_is_refused() {
        let choose = |names: &[&str]| COLUMNS.choose(&names.iter().map(ToString::to_string).collect::<Vec<_>>());
        let names = |fields: Vec<super::Field>| fields.iter().map(|field| field.name).collect::<Vec<_>>();
        assert_eq!(choose(&["email", " ID"]).map(names), Ok(vec!["email", "id"]));
        let refused = choose(&["id", "refrenceId"]).expect_err("unknown");
        assert_eq!(refused.cause, "--fields has an unknown field; did you mean referenceId?");
        assert!(choose(&["department"]).expect_err("unknown").cause.contains("(known: id, email, referenceId, "));
    }
}
