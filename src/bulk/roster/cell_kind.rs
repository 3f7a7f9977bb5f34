//! What a cell of a workbook holds, and what that says against a value: spreadsheets spoil ids and years by their types.

use super::fields::Field;
use super::suspicious::ALLOWED;

/// What a cell holds; a CSV has text alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum CellKind {
    /// Text, and errors such as `#REF!`, which are known by their text.
    #[default]
    Text,
    /// A number.
    Number,
    /// A number that is shown as a date or time.
    Date,
    /// A truth value.
    Flag,
    /// A formula whose last value was not saved: what it says is not known.
    Unsaved,
}

impl CellKind {
    /// What is wrong with a value of a field that stands in such a cell. `dated`: the year of birth is taken from dates.
    pub(super) fn objection(self, field: Field, dated: bool, allow_suspicious: bool) -> Option<String> {
        let text = matches!(field, Field::FirstName | Field::LastName | Field::ReferenceId);
        let suspicion = match (self, field) {
            (Self::Unsaved, _) => {
                let what = "is a formula without a value: open the workbook in a spreadsheet, save it and try again";
                return Some(what.to_owned());
            }
            (Self::Date, Field::BirthYear) if !dated => {
                let what = "is a date in the workbook, not a year: --birth-date HEADER takes the year of dates";
                return Some(what.to_owned());
            }
            (Self::Number, Field::ReferenceId) => "is a number in the workbook, which keeps no leading zeros",
            (Self::Number, _) if text => "is a number in the workbook",
            (Self::Date, _) if text => "is a date in the workbook, which a spreadsheet may have made of a text",
            (Self::Flag, _) if text => "is a truth value in the workbook, which a spreadsheet may have made of a text",
            _ => return None,
        };
        (!allow_suspicious).then(|| format!("{suspicion}{ALLOWED}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_year_may_be_a_number_and_an_id_may_not() {
        let says = |kind: CellKind, field| kind.objection(field, false, false);
        assert_eq!(says(CellKind::Number, Field::BirthYear), None);
        assert_eq!(says(CellKind::Number, Field::EntryId), None);
        assert!(says(CellKind::Number, Field::ReferenceId).is_some_and(|said| said.contains("leading zeros")));
        assert!(says(CellKind::Date, Field::LastName).is_some());
        assert!(says(CellKind::Flag, Field::FirstName).is_some());
        assert_eq!(says(CellKind::Text, Field::ReferenceId), None);
    }

    #[test]
    fn what_may_be_meant_is_accepted_when_asked_for_and_what_is_unknown_never() {
        assert_eq!(CellKind::Number.objection(Field::ReferenceId, false, true), None);
        assert_eq!(CellKind::Date.objection(Field::BirthYear, true, false), None);
        assert!(CellKind::Date.objection(Field::BirthYear, false, true).is_some());
        assert!(CellKind::Unsaved.objection(Field::ReferenceId, false, true).is_some());
    }
}
