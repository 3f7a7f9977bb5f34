//! Rows against records: the table of relations.

use super::further_entries::REMEMBERED;
use super::match_rule::{Likeness, is_another_person, likeness, search_words};
use super::*;
use crate::bulk::roster::{ReadOptions, read};

pub(super) fn roster(text: &str) -> Roster {
    let options = ReadOptions { allow_doubles: true, ..ReadOptions::default() };
    let text = format!("email,referenceId,firstName,lastName,birthYear\n{text}");
    read(text.as_bytes(), "r", &options).expect("a roster")
}

pub(super) fn record(id: i32, email: &str, reference: Option<&str>) -> TestTaker {
    TestTaker {
        id,
        email: Some(email.to_owned()),
        reference_id: reference.map(str::to_owned),
        first_name: Some("A".to_owned()),
        last_name: None,
        full_name: None,
        year_of_birth: Some(1980),
        result: None,
        date_completed: None,
        last_test_sent_utc: None,
        top_performer: None,
    }
}

fn outcomes(roster: &Roster, records: &[TestTaker], allow_doubles: bool) -> Vec<Option<(Outcome, i32)>> {
    let mut comparison = Comparison::new(roster, 0..roster.row_count(), allow_doubles);
    for record in records {
        comparison.add_record(record);
    }
    comparison.judge();
    let known = |ended: RowResult| (ended.outcome, ended.entry.map_or(0, |entry| entry.0));
    (0..roster.row_count()).map(|row| comparison.result_of(row).map(known)).collect()
}

#[test]
fn a_row_is_matched_by_reference_id_and_email_ignoring_case() {
    let roster = roster("a@b,R1\nc@d,\ne@f,R2\n");
    let records = [record(1, "A@B", Some("R1")), record(2, "c@d", None), record(3, "x@y", None)];
    let expected = [Some((Outcome::Existing, 1)), Some((Outcome::Existing, 2)), None];
    assert_eq!(outcomes(&roster, &records, false), expected);
}

#[test]
fn the_reference_id_of_another_email_is_a_conflict_unless_doubles_are_allowed() {
    let roster = roster("a@b,R1\n");
    let records = [record(1, "other@b", Some("R1"))];
    assert_eq!(outcomes(&roster, &records, false), [Some((Outcome::Conflict, 1))]);
    assert_eq!(outcomes(&roster, &records, true), [None]);
}

#[test]
fn a_known_email_is_existing_without_a_reference_id_and_a_conflict_with_another_one() {
    let roster = roster("a@b,R1\nc@d,\n");
    assert_eq!(outcomes(&roster, &[record(1, "a@b", None)], false)[0], Some((Outcome::Existing, 1)));
    assert_eq!(outcomes(&roster, &[record(1, "a@b", Some("R9"))], false)[0], Some((Outcome::Conflict, 1)));
    assert_eq!(outcomes(&roster, &[record(1, "c@d", Some("R9"))], false)[1], Some((Outcome::Existing, 1)));
    let both = [record(1, "a@b", Some("R9")), record(2, "a@b", Some("R1"))];
    assert_eq!(outcomes(&roster, &both, false)[0], Some((Outcome::Existing, 2)));
}

#[test]
fn one_record_stands_for_one_of_two_equal_rows() {
    let roster = roster("a@b,R1\na@b,R1\n");
    let one = [record(1, "a@b", Some("R1")), record(1, "a@b", Some("R1"))];
    assert_eq!(outcomes(&roster, &one, true), [Some((Outcome::Existing, 1)), None]);
    let two = [record(1, "a@b", Some("R1")), record(2, "a@b", Some("R1"))];
    assert_eq!(outcomes(&roster, &two, true)[1], Some((Outcome::Existing, 2)));
}

#[test]
fn a_difference_that_skipping_leaves_is_said_without_the_values() {
    let roster = roster("a@b,R1,Zoe,Ng,1981\n");
    let standing = |year| {
        let mut comparison = Comparison::new(&roster, 0..1, false);
        comparison.add_record(&TestTaker { year_of_birth: year, ..record(1, "a@b", Some("R1")) });
        comparison.judge();
        let ended = comparison.result_of(0).expect("a standing");
        (ended.outcome, ended.message.expect("a message").into_string())
    };
    let left = "left as it is, with another firstName, lastName";
    assert_eq!(standing(Some(1981)), (Outcome::Existing, left.to_owned()));
    assert_eq!(standing(None), (Outcome::Existing, format!("{left}, yearOfBirth")));
    let conflict = "entry 1 has another yearOfBirth, which the API cannot change".to_owned();
    assert_eq!(standing(Some(1980)), (Outcome::Conflict, conflict));
}

#[test]
fn a_conflict_is_not_hidden_by_a_match_whatever_the_order() {
    let records = [record(1, "ann@x", Some("A-1"))];
    let (one, other) = ("ann.new@x,A-1\nann@x,\n", "ann@x,\nann.new@x,A-1\n");
    let (conflict, existing) = (Some((Outcome::Conflict, 1)), Some((Outcome::Existing, 1)));
    assert_eq!(outcomes(&roster(one), &records, false), [conflict, existing]);
    assert_eq!(outcomes(&roster(other), &records, false), [existing, conflict]);
    assert_eq!(outcomes(&roster(one), &records, true), [None, existing]);
    let two = [record(2, "b@x", None), record(1, "other@x", Some("B-1"))];
    assert_eq!(outcomes(&roster("b@x,B-1\n"), &two, false), [conflict], "the reference id is taken");
    let two = [record(1, "b@x", None), record(2, "other@x", Some("B-1"))];
    assert_eq!(outcomes(&roster("b@x,B-1\n"), &two, false), [Some((Outcome::Conflict, 2))]);
}

#[test]
fn an_entry_of_the_journal_contradicts_other_rows_too() {
    let roster = roster("ann.new@x,A-1\nann@x,\n");
    let mut comparison = Comparison::new(&roster, 0..2, false);
    comparison.reserve(1, EntryId(1));
    comparison.add_record(&record(1, "ann@x", Some("A-1")));
    comparison.judge();
    assert_eq!(comparison.result_of(0).map(|ended| ended.outcome), Some(Outcome::Conflict));
    assert_eq!(comparison.result_of(1).map(|ended| ended.outcome), Some(Outcome::Existing));
}

#[test]
fn a_person_is_known_by_the_entry_id_however_the_service_spells_it() {
    let roster = roster("ann+hr@x,EMP-1\nb@x,\n");
    let mut comparison = Comparison::new(&roster, 0..2, false);
    comparison.reserve(0, EntryId(7));
    comparison.add_record(&record(7, "ann@x", Some("emp-1")));
    comparison.judge();
    let ended = comparison.result_of(0).expect("known");
    assert_eq!((ended.outcome, ended.entry), (Outcome::Existing, Some(EntryId(7))));
    assert_eq!(ended.message.as_deref(), Some("left as it is, with another email, referenceId"));
    assert_eq!(comparison.missing(), Vec::<usize>::new());
}

#[test]
fn an_entry_of_the_journal_that_is_another_person_by_all_it_says_stands_for_no_row_or_for_theirs() {
    let roster = roster("a@x,EMP-1,Ann\nb@x,EMP-2,Bob\n");
    let mut comparison = Comparison::new(&roster, 0..2, false);
    comparison.reserve(0, EntryId(7));
    comparison.add_record(&record(7, "b@x", Some("EMP-2")));
    comparison.judge();
    assert_eq!(comparison.result_of(0), None);
    let known = RowResult::new(Outcome::Enrolled).with_entry(EntryId(7));
    let end = |is_forced| comparison.with_another_person(0, &known, is_forced).map(|ended| ended.outcome);
    assert_eq!([end(false), end(true)], [Some(Outcome::Conflict), Some(Outcome::Enrolled)]);
    assert_eq!(comparison.result_of(1).and_then(|ended| ended.entry), Some(EntryId(7)), "the second row's person");
}

#[test]
fn a_row_whose_entry_is_another_person_stands_where_its_own_person_is_whatever_the_order() {
    let roster = roster("a@x,EMP-1\n");
    let people = [record(7, "q@q", Some("Q")), record(9, "a@x", Some("EMP-1"))];
    for first in 0..2 {
        let mut comparison = Comparison::new(&roster, 0..1, false);
        comparison.reserve(0, EntryId(7));
        let _ = [first, 1 - first].map(|at| comparison.add_record(&people[at]));
        comparison.judge();
        assert_eq!(comparison.result_of(0).and_then(|ended| ended.entry), Some(EntryId(9)));
    }
}

#[test]
fn a_spelling_or_a_correction_makes_no_other_person_of_an_entry() {
    let rows = "ann+hr@x,EMP-1,Ann,One\n";
    let named = |first: &str, last: &str| TestTaker {
        first_name: Some(first.to_owned()),
        last_name: Some(last.to_owned()),
        ..record(7, "q@q", Some("Q"))
    };
    let silent = TestTaker { email: None, ..record(7, "", None) };
    for own in [record(7, "ann@x", Some("Q")), record(7, "q@q", Some("emp-1")), named("Ann ", "One"), silent] {
        assert!(!is_another_person(&roster(rows), 0, &(&own).into()), "{own:?}");
    }
    for other in [record(7, "q@q", Some("Q")), record(7, "q@q", None), named("Ann", "Two")] {
        assert!(is_another_person(&roster(rows), 0, &(&other).into()), "{other:?}");
    }
}

#[test]
fn an_entry_of_the_journal_with_another_reference_id_is_not_changed_into_what_the_row_says() {
    let roster = roster("a@x,EMP-1,Ann\nb@x,EMP-2,Bob\n");
    let mut comparison = Comparison::new(&roster, 0..2, false);
    comparison.reserve(0, EntryId(7));
    comparison.reserve(1, EntryId(8));
    comparison.add_record(&record(7, "a@x", Some("NEW-1")));
    comparison.add_record(&record(8, "b@x", Some("emp-2")));
    comparison.judge();
    assert_eq!((comparison.differs(0), comparison.differs(1)), (None, Some(EntryId(8))), "capitals are a spelling");
    let conflict = comparison.contradicted(0).map(|ended| (ended.outcome, ended.entry));
    assert_eq!(conflict, Some((Outcome::Conflict, Some(EntryId(7)))));
    assert!(comparison.contradicted(1).is_none());
}

#[test]
fn people_who_share_an_address_are_told_apart_by_their_names() {
    let roster = roster("d@x,,Ann\nd@x,,Bob\n");
    let bob = TestTaker { first_name: Some("Bob".to_owned()), year_of_birth: None, ..record(4, "d@x", None) };
    assert_eq!(outcomes(&roster, &[bob], true), [None, Some((Outcome::Existing, 4))]);
}

#[test]
fn a_person_who_stands_twice_is_a_duplicate_before_the_first_run() {
    let twice = [record(1, "a@b", Some("R1")), record(2, "a@b", Some("R1"))];
    assert_eq!(outcomes(&roster("a@b,R1\n"), &twice, false), [Some((Outcome::Duplicate, 1))]);
    let namesake = [record(1, "a@b", Some("R1")), record(2, "x@y", Some("R1"))];
    assert_eq!(outcomes(&roster("a@b,R1\n"), &namesake, false), [Some((Outcome::Existing, 1))]);
}

#[test]
fn another_person_with_the_reference_id_is_no_news_where_they_were_there_before() {
    let roster = roster("a@b,R1\n");
    let mut comparison = Comparison::new(&roster, 0..1, false);
    let _ = [record(1, "a@b", Some("R1")), record(2, "x@y", Some("R1"))].map(|record| comparison.add_record(&record));
    comparison.judge();
    assert!(comparison.joined_by(0, &[]).is_some() && comparison.joined_by(0, &[EntryId(2)]).is_none());
}

#[test]
fn what_was_there_before_a_row_was_sent_is_remembered_with_it() {
    let roster = roster("a@b,R1\na@b,R1\nc@d,\n");
    let mut comparison = Comparison::new(&roster, 0..3, true);
    for other in [record(1, "a@b", Some("R1")), record(2, "x@y", Some("R1")), record(3, "c@d", Some("R9"))] {
        comparison.add_record(&other);
    }
    comparison.judge();
    assert_eq!(comparison.foreign_matches(1), [EntryId(2), EntryId(1)]);
    assert!(comparison.was_there(EntryId(3)) && !comparison.was_there(EntryId(4)));
}

#[test]
fn a_reference_id_is_compared_byte_for_byte_and_a_spelling_otherwise_is_perhaps_the_same() {
    let roster = roster("a@b,r1\nc@d,,ann  maria,,1980\n");
    let person = roster.person(0).expect("a person");
    assert_eq!(likeness(&person, &record(1, "A@B", Some("r1"))), Likeness::Same);
    assert_eq!(likeness(&person, &record(1, "a@b", Some("R1"))), Likeness::Perhaps);
    assert_eq!(likeness(&person, &record(1, "x@b", Some("r1"))), Likeness::Perhaps);
    let alike = TestTaker { first_name: None, year_of_birth: None, ..record(1, "a@b", Some("r2")) };
    assert_eq!(likeness(&person, &alike), Likeness::PerhapsByName);
    let other = TestTaker { first_name: Some("Ann".to_owned()), ..alike };
    assert_eq!(likeness(&person, &other), Likeness::Other, "many may share an address");
    let person = roster.person(1).expect("a person");
    let named = |name: &str| TestTaker { first_name: Some(name.to_owned()), ..record(1, "c@d", None) };
    assert_eq!(likeness(&person, &named("ann maria")), Likeness::Same, "white space does not count");
    assert_eq!(likeness(&person, &named("Bob")), Likeness::Perhaps);
    assert_eq!(likeness(&person, &TestTaker { email: Some("x@d".to_owned()), ..named("ann maria") }), Likeness::Other);
}

#[test]
fn a_row_without_a_reference_id_says_nothing_of_a_records_reference_id() {
    let roster = roster("c@d,,A,,1980\n");
    let mut comparison = Comparison::new(&roster, 0..1, false);
    comparison.add_record(&record(1, "c@d", Some("R9")));
    comparison.judge();
    let ended = comparison.result_of(0).expect("a standing");
    let message = "entry 1 has this e-mail and a reference id";
    assert_eq!((ended.outcome, ended.message.as_deref()), (Outcome::Existing, Some(message)));
    assert_eq!(comparison.differs(0), None);
}

#[test]
fn of_several_records_with_a_rows_reference_id_the_first_entry_is_named_whatever_their_order() {
    let roster = roster("a@b,R1\n");
    let two = [record(1, "x@y", Some("R1")), record(2, "z@y", Some("R1"))];
    assert_eq!(outcomes(&roster, &two, false), [Some((Outcome::Conflict, 1))]);
    let [one, other] = two;
    assert_eq!(outcomes(&roster, &[other, one], false), [Some((Outcome::Conflict, 1))]);
}

#[test]
fn a_person_without_a_reference_id_who_stands_twice_is_a_duplicate_and_one_with_a_row_of_that_kind_is_not() {
    let twice = [record(1, "a@b", None), record(2, "a@b", None)];
    assert_eq!(outcomes(&roster("a@b,,A,,1980\n"), &twice, false), [Some((Outcome::Duplicate, 1))]);
    let beside = [record(1, "a@b", Some("R1")), record(2, "a@b", None)];
    assert_eq!(outcomes(&roster("a@b,R1,A,,1980\n"), &beside, false), [Some((Outcome::Existing, 1))]);
}

#[test]
fn a_row_that_contradicts_its_record_is_a_conflict_also_where_it_stands_twice() {
    let twice = [record(1, "a@b", Some("R1")), record(2, "a@b", Some("R1"))];
    assert_eq!(outcomes(&roster("a@b,R1,A,,1981\n"), &twice, false), [Some((Outcome::Conflict, 1))]);
}

#[test]
fn a_row_is_changed_for_its_names_or_a_reference_id_that_its_record_lacks() {
    let differs = |row: &str, reference| {
        let roster = roster(row);
        let mut comparison = Comparison::new(&roster, 0..1, false);
        comparison.add_record(&record(1, "a@b", reference));
        comparison.judge();
        comparison.differs(0)
    };
    assert_eq!(differs("a@b,R1,A,,1980\n", Some("R1")), None, "it says the same");
    assert_eq!(differs("a@b,R1,A,,1980\n", None), Some(EntryId(1)));
    assert_eq!(differs("a@b,,B,,1980\n", None), Some(EntryId(1)));
    assert_eq!(differs("a@b,,A,,1980\n", None), None);
}

#[test]
fn a_name_that_the_service_stores_with_other_spaces_or_letters_of_another_form_is_no_change() {
    let stored = |row: &str, stored: &str| {
        let roster = roster(row);
        let mut comparison = Comparison::new(&roster, 0..1, false);
        let mut record = record(1, "a@b", Some("R1"));
        record.first_name = Some(stored.to_owned());
        comparison.add_record(&record);
        comparison.judge();
        comparison.differs(0)
    };
    assert_eq!(stored("a@b,R1,Ann  Lee,,1980\n", "Ann Lee"), None);
    assert_eq!(stored("a@b,R1,Ann Lee,,1980\n", " Ann\u{a0}Lee "), None);
    assert_eq!(stored("a@b,R1,Zoe\u{308},,1980\n", "Zo\u{eb}"), None);
    assert_eq!(stored("a@b,R1,Zoe,,1980\n", "Zo\u{eb}"), Some(EntryId(1)));
    assert_eq!(stored("a@b,R1,ANN,,1980\n", "Ann"), Some(EntryId(1)), "capitals are told");
}

#[test]
fn what_a_comparison_was_told_it_tells() {
    let roster = roster("a@b,R1\n");
    for allow_doubles in [false, true] {
        let mut comparison = Comparison::new(&roster, 0..1, allow_doubles);
        assert_eq!((comparison.allows_duplicates(), comparison.is_list_complete()), (allow_doubles, false));
        comparison.mark_list_complete();
        assert!(comparison.is_list_complete());
    }
}

#[test]
fn so_many_earlier_entries_are_remembered_with_a_row_and_no_more() {
    let roster = roster("a@b,R1\n");
    let mut comparison = Comparison::new(&roster, 0..1, true);
    for id in 1..=1010 {
        comparison.add_record(&record(id, &format!("{id}@x"), Some("R1")));
    }
    comparison.judge();
    assert_eq!(comparison.foreign_matches(0).len(), REMEMBERED);
}

#[test]
fn rows_of_one_address_however_written_or_of_one_reference_id_as_written_are_not_under_way_beside_each_other() {
    let groups = |rows: &str| {
        let roster = roster(rows);
        Comparison::new(&roster, 0..roster.row_count(), true).groups().len()
    };
    assert_eq!(groups("A@b,\na@B,\n"), 2);
    assert_eq!(groups("a@b,R1\nc@d,R1\n"), 2);
    assert_eq!(groups("a@b,R1\nc@d,r1\ne@f,\n"), 0);
    assert_eq!(groups("a@b,R1\na@b,R2\n"), 0, "their reference ids tell them apart");
}

#[test]
fn a_service_that_spells_all_that_is_looked_up_otherwise_is_searched_and_found_by_what_is_alike() {
    let roster = roster("Zoë+hr@müller.example,R1,Ann  Ma,Ö,1980\n");
    let person = roster.person(0).expect("a person");
    assert_eq!(search_words(&person), ["Zo", "Ann"]);
    let named = |email: &str, year| TestTaker {
        first_name: Some("Ann Ma".to_owned()),
        last_name: Some("O\u{308}".to_owned()),
        year_of_birth: Some(year),
        ..record(1, email, Some("CUT"))
    };
    assert_eq!(likeness(&person, &record(1, "zoe\u{308}@xn--mller-kva.example", None)), Likeness::Perhaps);
    assert_eq!(likeness(&person, &named("zoë@müller.example", 1980)), Likeness::PerhapsByName);
    assert_eq!(likeness(&person, &named("q@q", 1980)), Likeness::PerhapsByName);
    assert_eq!(likeness(&person, &named("q@q", 1981)), Likeness::Other);
}
