//! Rows against records in any order: what is taken at once is judged as anything else, and order does not count.

use proptest::prelude::*;

use super::tests::{record, roster};
use super::*;

/// People of few values, so that they have some in common: e-mail, reference id, first name and year of birth.
fn people() -> impl Strategy<Value = Vec<(u8, u8, u8)>> {
    prop::collection::vec((0..4_u8, 0..4_u8, 0..6_u8), 0..6)
}

fn row_of((email, reference, content): (u8, u8, u8)) -> String {
    let (email, reference) = email_and_reference((email, reference));
    let (name, year) = (["Ann", "Bob", ""][usize::from(content % 3)], ["1980", ""][usize::from(content / 3)]);
    format!("{email},{},{name},,{year}", reference.unwrap_or_default())
}

fn record_of(id: i32, (email, reference, content): (u8, u8, u8)) -> TestTaker {
    let (email, reference) = email_and_reference((email, reference));
    let name = [Some("Ann"), Some(" Bob"), None][usize::from(content % 3)].map(str::to_owned);
    let year_of_birth = [Some(1980), None][usize::from(content / 3)];
    TestTaker { first_name: name, year_of_birth, ..record(id, &email, reference.as_deref()) }
}

fn email_and_reference((email, reference): (u8, u8)) -> (String, Option<String>) {
    let reference = reference.checked_sub(1).map(|number| format!("R{number}"));
    (format!("{}@x", ["a", "A", "b", "c"][usize::from(email)]), reference)
}

/// Whether two comparisons tell the same of every row.
fn tell_the_same(one: &Comparison<'_>, other: &Comparison<'_>) -> Result<(), TestCaseError> {
    for row in 0..one.index.roster.row_count() {
        prop_assert_eq!(one.known(row), other.known(row));
        prop_assert_eq!(one.result_of(row), other.result_of(row));
        prop_assert_eq!(one.foreign_matches(row), other.foreign_matches(row));
        prop_assert_eq!(one.differs(row), other.differs(row));
        prop_assert_eq!(one.contradicted(row), other.contradicted(row));
        prop_assert!(one.further_entries(row).eq(other.further_entries(row)));
    }
    prop_assert_eq!(one.missing(), other.missing());
    Ok(())
}

/// Shows a comparison records, each of which waits for the judgement.
fn note_all(comparison: &mut Comparison<'_>, records: &[TestTaker]) {
    for record in records {
        if comparison.baseline.add(i64::from(record.id)) {
            comparison.note(&record.into());
        }
    }
    comparison.judge();
}

fn see_all(comparison: &mut Comparison<'_>, records: &[TestTaker]) {
    for record in records {
        comparison.add_record(record);
    }
    comparison.judge();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn what_is_taken_at_once_is_judged_as_anything_else_and_the_order_of_the_records_does_not_count(
        rows in people(), list in people(), same in prop::collection::vec(0..6_usize, 0..5), allow_doubles: bool,
        own in prop::option::of((0..6_usize, 0..9_i32)), turns in (0..9_usize, any::<bool>()), later in 0..9_usize,
    ) {
        prop_assume!(!rows.is_empty());
        let text: Vec<String> = rows.iter().map(|row| row_of(*row)).collect();
        let roster = roster(&text.join("\n"));
        // Of the records, some are just those of a row.
        let list: Vec<_> = same.iter().filter_map(|row| rows.get(*row)).chain(&list).copied().collect();
        let mut records: Vec<TestTaker> = (0..).zip(list).map(|(id, person)| record_of(id, person)).collect();
        let last = records.split_off(later.min(records.len()));
        let mut slow = Comparison::new(&roster, 0..roster.row_count(), allow_doubles);
        let mut quick = slow.fresh_copy();
        if let Some((row, entry)) = own.filter(|(row, _)| *row < rows.len()) {
            quick.reserve(row, EntryId(entry));
            slow.reserve(row, EntryId(entry));
        }
        note_all(&mut slow, &records);
        if !records.is_empty() {
            let len = records.len();
            records.rotate_left(turns.0 % len);
        }
        if turns.1 {
            records.reverse();
        }
        see_all(&mut quick, &records);
        tell_the_same(&quick, &slow)?;
        // What was judged stays so, whatever comes later.
        note_all(&mut slow, &last);
        see_all(&mut quick, &last);
        tell_the_same(&quick, &slow)?;
    }
}

#[test]
fn most_records_are_taken_at_once_and_one_with_the_same_email_gives_the_first_back() {
    let roster = roster("a@x,R0,Ann,,1980\nb@x,,Bob,,\nc@x,R3\n");
    let mut comparison = Comparison::new(&roster, 0..3, false);
    for record in [record_of(5, (2, 0, 4)), record(7, "c@x", Some("R3")), record_of(6, (1, 1, 0))] {
        comparison.add_record(&record);
    }
    assert!(comparison.notes.is_empty(), "{:?}", comparison.notes);
    comparison.add_record(&record_of(3, (0, 1, 0)));
    assert_eq!(comparison.notes.len(), 2, "it may be the row's as well");
    comparison.judge();
    let entries = [0, 1, 2].map(|row| comparison.result_of(row).and_then(|ended| ended.entry).map(|entry| entry.0));
    assert_eq!(entries, [Some(3), Some(5), Some(7)], "the entry that came first, whichever was listed first");
}
