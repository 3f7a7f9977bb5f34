//! The rules of a sync, one by one.

use proptest::prelude::*;

use super::*;
use crate::bulk::compare::Comparison;
use crate::journal::people::{Known, People, State};
use crate::journal::{Journal, scratch};

const NOBODY: [i32; 0] = [];

/// A project, its journal's hashes and what its source said before.
struct Place {
    journal: Journal,
    list: Vec<TestTaker>,
    before: Option<Memory>,
    others: Vec<(Source, Memory)>,
    lacks_rows: bool,
    shared_mailboxes: bool,
    /// The reference ids under which the journal knows entries.
    known: Vec<(i32, &'static str)>,
}

fn hour(hour: i64) -> Timestamp {
    Timestamp::from_second(hour * 3600).expect("a time")
}

/// `R1/a` is a reference id and the local part of an address; `/a` has no reference id.
fn parts(text: &str) -> (Option<&str>, String) {
    let (reference, local) = text.split_once('/').expect("REFERENCE/LOCAL");
    (Some(reference).filter(|id| !id.is_empty()), format!("{local}@x.example"))
}

fn people(rows: &[&str]) -> Vec<NewTestTaker> {
    let person = |row: &&str| {
        let (reference, email) = parts(row);
        NewTestTaker {
            email: email.parse().expect("an address"),
            first_name: None,
            last_name: None,
            birth_year: None,
            reference_id: reference.map(|id| id.parse().expect("a reference id")),
        }
    };
    rows.iter().map(person).collect()
}

/// The keys of these people, and what a list shows of each of them.
pub(super) fn read(
    journal: &People<'_>,
    people: &[NewTestTaker],
    list: &[TestTaker],
    shared_mailboxes: bool,
    own: impl Fn(usize) -> Option<(EntryId, bool)>,
) -> (Vec<Identity>, Vec<Found>) {
    let rows = people.iter().map(|person| journal.identity(person.reference_id.as_deref(), &person.email)).collect();
    let mut comparison = Comparison::new(people, 0..people.len(), own, shared_mailboxes);
    for record in list {
        comparison.add(record, record.entry_id().expect("an id"), false);
    }
    (rows, (0..people.len()).map(|row| comparison.found(row)).collect())
}

fn record_of(text: &str) -> TestTaker {
    let (reference, email) = parts(text);
    TestTaker { email: Some(email), reference_id: reference.map(str::to_owned), ..TestTaker::default() }
}

impl Place {
    fn new(list: &[&str]) -> Self {
        let record = |(id, text): (i32, &&str)| TestTaker { id: Some(id), ..record_of(text) };
        let journal = Journal::open_to_read(&scratch().path().join("none")).expect("an empty journal");
        let list = (1..).zip(list).map(record).collect();
        let (before, others, known) = Default::default();
        Self { journal, list, before, others, lacks_rows: false, shared_mailboxes: false, known }
    }

    fn changes(&self, rows: &[&str], now: i64) -> Changes {
        self.changes_of(&people(rows), now)
    }

    fn changes_of(&self, people: &[NewTestTaker], now: i64) -> Changes {
        let journal = self.journal.people(uuid::Uuid::nil());
        let email =
            |entry: i32| self.list.iter().find(|one| one.id == Some(entry)).and_then(|one| one.email.as_deref());
        let own = |row: usize| {
            let (entry, _) = self.known.iter().find(|(_, id)| people[row].reference_id.as_deref() == Some(*id))?;
            Some((EntryId(*entry), email(*entry) == Some(&*people[row].email)))
        };
        let (rows, found) = read(&journal, people, &self.list, self.shared_mailboxes, own);
        let known = |(entry, id): &(i32, &str)| Known {
            identity: journal.identity(Some(id), email(*entry).unwrap_or_default()),
            state: State::Enrolled { entry: EntryId(*entry), enrolment: None, at: hour(0) },
        };
        changes(&SyncInput {
            people,
            rows: &rows,
            list: &self.list,
            found: &found,
            fresh: &HashSet::new(),
            identity: &|record| journal.of_record(record),
            known: &KnownPeople::new(self.known.iter().map(known).collect()),
            before: self.before.as_ref(),
            others: &self.others,
            absent_for: Duration::from_hours(20),
            lacks_rows: self.lacks_rows,
            now: hour(now),
        })
    }

    /// Follows a roster without changing the project; the entries that would leave.
    fn follow(&mut self, rows: &[&str], now: i64) -> Vec<i32> {
        let changes = self.changes(rows, now);
        self.before = Some(changes.memory);
        changes.leavers.iter().map(|leaver| leaver.entry.0).collect()
    }
}

#[test]
fn whoever_leaves_was_in_a_roster_and_has_been_missing_long_enough() {
    let mut place = Place::new(&["R1/a", "R2/b", "/c", "S9/stray"]);
    assert_eq!(place.follow(&["R1/a", "R2/b", "/c"], 0), NOBODY);
    assert_eq!(place.follow(&["R1/a"], 24), NOBODY, "their time begins now");
    assert_eq!(place.follow(&["R1/a"], 43), NOBODY);
    let changes = place.changes(&["R1/a"], 43);
    assert_eq!((changes.others, changes.missing), (3, 2));
    assert_eq!(place.follow(&["R1/a"], 44), [2, 3]);
    assert_eq!(place.follow(&["R1/a", "/c"], 48), [2]);
    assert_eq!(place.follow(&["R1/a"], 72), [2], "the time of the third began again");
}

#[test]
fn nobody_leaves_who_is_in_another_sources_last_roster() {
    let mut place = Place::new(&["R1/a", "R2/b", "R3/c"]);
    place.follow(&["R1/a", "R2/b", "R3/c"], 0);
    place.follow(&["R1/a"], 24);
    let elsewhere = place.changes(&["R2/b", "R3/c"], 24).memory;
    place.others = vec![(Source { name: "extra".into(), at: hour(24) }, elsewhere)];
    let changes = place.changes(&["R1/a"], 48);
    assert_eq!((changes.leavers.len(), changes.others, changes.missing), (0, 2, 0));
    assert_eq!(changes.kept, [(place.others[0].0.clone(), 2)]);
    let early = place.changes(&["R1/a"], 43);
    assert_eq!((early.missing, early.kept[0].1), (2, 0), "their time is not over");
    // One bad night of the other source, and its next file comes after this one.
    place.others[0] = (Source { name: "extra".into(), at: hour(47) }, lacking(&place.others[0].1, 47));
    assert_eq!(place.changes(&["R1/a"], 71).kept[0].1, 2);
    place.others[0].0.at = hour(67);
    assert_eq!(place.changes(&["R1/a"], 71).leavers.len(), 2);
    place.others.clear();
    assert_eq!(place.changes(&["R1/a"], 48).leavers.len(), 2);
}

#[test]
fn whoever_only_another_source_had_is_its_own_however_long_it_has_lacked_them() {
    let mut place = Place::new(&["R1/a", "R2/b", "R3/c"]);
    let theirs = lacking(&place.changes(&["R2/b"], 0).memory, 0);
    place.follow(&["R1/a"], 0);
    place.others = vec![(Source { name: "extra".into(), at: hour(72) }, theirs)];
    let changes = place.changes(&["R1/a"], 72);
    assert_eq!((changes.others, changes.missing, changes.kept[0].1), (2, 0, 1));
}

/// The memory of a source whose people are all missing since then.
fn lacking(memory: &Memory, since: i64) -> Memory {
    Memory(memory.0.keys().map(|key| (*key, Some(hour(since)))).collect())
}

#[test]
fn where_rows_are_left_out_nobody_leaves_or_is_missing_and_who_is_there_is_remembered() {
    let mut place = Place::new(&["R1/a", "R2/b", "R3/c"]);
    place.follow(&["R1/a", "R2/b"], 0);
    place.follow(&["R1/a"], 24);
    place.lacks_rows = true;
    let changes = place.changes(&["R1/a"], 48);
    assert_eq!((changes.leavers.len(), changes.missing), (0, 1));
    assert_eq!(place.follow(&["R1/a", "R3/c"], 48), NOBODY);
    assert_eq!(place.follow(&["R1/a"], 72), NOBODY);
    place.lacks_rows = false;
    assert_eq!(place.follow(&["R1/a"], 96), [2]);
    assert_eq!(place.follow(&["R1/a"], 120), [2, 3], "the time of the third began with a whole file");
    place.lacks_rows = true;
    place.follow(&["R1/a", "R2/b"], 121);
    place.lacks_rows = false;
    assert_eq!(place.follow(&["R1/a"], 122), [3], "the second was there again");
}

#[test]
fn whoever_has_a_row_in_conflict_stays_remembered_and_a_stranger_does_not_become_ours() {
    let mut place = Place::new(&["R1/a", "R2/b", "S9/stray"]);
    place.follow(&["R1/a", "R2/b"], 0);
    assert_eq!(place.follow(&["N1/a", "R2/b", "R9/stray"], 24), NOBODY, "two conflicts");
    assert_eq!(place.follow(&["R2/b"], 48), NOBODY);
    assert_eq!(place.follow(&["R2/b"], 72), [1], "the stranger stays");
    // All ids of one file are damaged.
    place.follow(&["R1/a", "R2/b"], 96);
    place.follow(&["1/a", "2/b"], 120);
    let right = place.changes(&["R1/a", "R2/b"], 144);
    assert_eq!(judge(&right, LeaverLimit::Usual, None), Judgement::Follow);
}

#[test]
fn whoever_has_somebody_elses_number_in_the_file_stays() {
    let mut place = Place::new(&["R1/a", "R2/b", "R3/c"]);
    place.follow(&["R1/a", "R2/b", "R3/c"], 0);
    for night in [24, 48, 72] {
        assert_eq!(place.follow(&["R1/a", "R2/c"], night), NOBODY, "the row is in conflict with the second");
    }
    assert_eq!(place.changes(&["R1/a", "R2/c"], 96).others, 0);
    place.follow(&["R1/a"], 96);
    assert_eq!(place.follow(&["R1/a"], 115), NOBODY, "their time begins when no row names them");
    assert_eq!(place.follow(&["R1/a"], 120), [2, 3]);
}

#[test]
fn a_leaver_takes_nobody_along_and_a_row_in_conflict_makes_nobody_known() {
    // The visitors were in no file: one has the mailbox of the first, one the number of the second.
    let mut place = Place::new(&["/a", "R2/b", "V1/a", "R2/visitor"]);
    place.known = vec![(2, "R2")];
    place.follow(&["/a", "R2/b"], 0);
    place.follow(&["/z"], 24);
    assert_eq!(place.follow(&["/z"], 48), [1, 2]);
    let mut place = Place::new(&["R1/a", "V1/visitor"]);
    place.follow(&["R1/a", "V1/c"], 0);
    place.follow(&["R1/a"], 24);
    assert_eq!(place.follow(&["R1/a"], 48), NOBODY);
}

#[test]
fn only_who_was_enrolled_is_remembered_by_their_entry_then() {
    let place = Place::new(&["R1/a"]);
    let (rows, _) = read(&place.journal.people(uuid::Uuid::nil()), &people(&["R2/b", "R3/c"]), &[], false, |_| None);
    let changes = place.changes(&["R2/b", "R3/c"], 0);
    let ends = [(Outcome::Enrolled, 7), (Outcome::Gone, 1)].map(|(end, entry)| RowEnd::new(end).entry(EntryId(entry)));
    let expected = Memory([(entry_key(EntryId(7)), None), (rows[1].key, None)].into());
    assert_eq!(changes.memory_after(&rows, &ends), expected);
}

#[test]
fn whoever_gave_up_their_number_is_known_by_the_one_that_they_have() {
    let mut place = Place::new(&["R1/a", "R9/b"]);
    place.known = vec![(2, "R2")];
    place.before = Some(Memory([(entry_key(EntryId(2)), None)].into()));
    for night in [24, 48] {
        assert_eq!(place.follow(&["R1/a", "R2/c"], night), NOBODY, "a conflict: the row may be about them");
        assert_eq!(place.changes(&["R1/a", "R2/c"], night).joiners, [0; 0]);
    }
    assert_eq!(place.changes(&["R1/a", "R9/b", "R2/c"], 49).joiners, [2]);
    // The joiner is enrolled, and known by it.
    place.list.push(TestTaker { id: Some(3), ..record_of("R2/c") });
    place.known = vec![(3, "R2")];
    place.follow(&["R1/a", "R2/c"], 50);
    assert_eq!(place.follow(&["R1/a", "R2/c"], 74), [2]);
}

#[test]
fn an_id_that_was_passed_on_keeps_nobody_who_had_it_before() {
    let mut place = Place::new(&["R1/a", "R9/b", "R2/c"]);
    place.known = vec![(2, "R2"), (3, "R3")];
    place.follow(&["R1/a", "R9/b", "R2/c"], 0);
    place.follow(&["R1/a", "R2/c"], 24);
    assert_eq!(place.follow(&["R1/a", "R2/c"], 48), [2]);
}

#[test]
fn whoever_has_another_address_or_gets_a_reference_id_does_not_leave() {
    let mut place = Place::new(&["R1/a", "/b", "R3/c"]);
    place.follow(&["R1/a", "/b", "R3/c"], 0);
    let rows = ["R1/new", "R2/b", "Q3/c"];
    for night in [24, 48, 72] {
        assert_eq!(place.follow(&rows, night), NOBODY, "the first and the third are conflicts");
    }
    let changes = place.changes(&rows, 96);
    assert_eq!((changes.joiners.len(), changes.changed, changes.others), (0, vec![1], 0));
}

#[test]
fn whoever_leaves_before_their_reference_id_was_set_leaves() {
    let mut place = Place::new(&["R1/a", "/b"]);
    place.follow(&["R1/a", "/b"], 0);
    place.follow(&["R1/a", "R2/b"], 24);
    place.follow(&["R1/a"], 48);
    assert_eq!(place.follow(&["R1/a"], 72), [2]);
}

#[test]
fn a_shared_address_keeps_nobody() {
    let mut place = Place::new(&["R1/team", "R2/team", "/team"]);
    place.shared_mailboxes = true;
    place.follow(&["R1/team", "R2/team"], 0);
    place.follow(&["R1/team"], 24);
    assert_eq!(place.follow(&["R1/team"], 48), [2], "who has no reference id may be the first");
    place.shared_mailboxes = false;
    assert_eq!(place.follow(&["R1/team"], 72), [2], "without the option, too: the row is the first one's");
}

#[test]
fn a_file_is_believed_with_half_of_the_last_people_and_not_too_many_new_ones() {
    let names: Vec<String> = (0..200).map(|n| format!("R{n}/p{n}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut place = Place::new(&names[..60]);
    let judged = |place: &Place, rows: &[&str]| judge(&place.changes(rows, 24), LeaverLimit::Usual, None);
    assert_eq!(judged(&place, &names[100..]), Judgement::Follow, "the first roster of a source");
    place.follow(&names[..60], 0);
    assert_eq!(judged(&place, &names[..30]), Judgement::Follow);
    assert!(matches!(judged(&place, &names[..29]), Judgement::NotBelieved(..)));
    assert_eq!(judged(&place, &names[..79]), Judgement::Follow, "19 are few");
    let Judgement::NotBelieved(id, why) = judged(&place, &names[..80]) else { panic!("20 of 60 are too many") };
    assert!(why.starts_with("has 20 people who are new, changed or"), "{why}");
    assert_eq!(approval_id(&format!("{id:010x}")), Ok(id), "as it is printed");
    let approved = |rows: &[&str]| judge(&place.changes(rows, 24), LeaverLimit::Usual, Some(id));
    assert_eq!(approved(&names[..80]), Judgement::Follow);
    let mut turned = names[..80].to_vec();
    turned.reverse();
    assert_eq!(approved(&turned), Judgement::Follow, "the order does not count");
    assert!(matches!(approved(&names[..81]), Judgement::NotBelieved(..)), "another file");
    assert_eq!(approved(&names[..60]), Judgement::Follow, "where nothing is held it is no error");
    let mut large = Place::new(&names[..100]);
    large.follow(&names[..100], 0);
    assert_eq!(judged(&large, &names[..130]), Judgement::Follow, "30 % are not too many");
    assert!(matches!(judged(&large, &names[..131]), Judgement::NotBelieved(..)));
}

#[test]
fn changed_names_make_another_file_of_it() {
    let rows: Vec<String> = (0..40).map(|n| format!("R{n}/p{n}")).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let mut place = Place::new(&rows);
    place.follow(&rows, 0);
    let mut moved = people(&rows);
    for person in &mut moved {
        person.first_name = "Depot".parse().ok();
    }
    let moved = place.changes_of(&moved, 24);
    assert_eq!(moved.changed.len(), 40);
    assert!(matches!(judge(&moved, LeaverLimit::Usual, None), Judgement::NotBelieved(..)));
    assert_ne!(moved.file, place.changes(&rows, 24).file);
}

#[test]
fn too_many_leavers_are_held_until_exactly_they_are_approved() {
    let rows: Vec<String> = (0..20).map(|n| format!("R{n}/p{n}")).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let mut place = Place::new(&rows);
    place.follow(&rows, 0);
    place.follow(&rows[6..], 24);
    let (six, five) = (place.changes(&rows[6..], 48), place.changes(&rows[5..], 48));
    assert_eq!(judge(&five, LeaverLimit::Usual, None), Judgement::Follow);
    let Judgement::LeaversHeld(id) = judge(&six, LeaverLimit::Usual, None) else { panic!("6 are too many") };
    assert_eq!(judge(&six, LeaverLimit::Usual, Some(id)), Judgement::Follow);
    assert_eq!(judge(&six, LeaverLimit::People(6), None), Judgement::Follow);
    let Judgement::LeaversHeld(other) = judge(&five, LeaverLimit::Percent(0), Some(id)) else { panic!("others") };
    assert_ne!(id, other);
}

#[test]
fn limits_and_ids_are_read_as_they_are_written() {
    let limits = ["20", "10%", "0", "100%"].map(|text| text.parse::<LeaverLimit>().map(|limit| limit.people(50)));
    assert_eq!(limits, [Ok(20), Ok(5), Ok(0), Ok(50)]);
    assert_eq!([0, 100, 139, 140].map(|last| LeaverLimit::Usual.people(last)), [5, 5, 6, 7]);
    assert!(["", "%", "-1", "101%", "5 %", "x"].iter().all(|bad| bad.parse::<LeaverLimit>().is_err()));
    let id: ApprovalId = 0xab;
    assert_eq!((format!("{id:010x}").as_str(), approval_id("00000000ab")), ("00000000ab", Ok(id)));
    assert!(["", "ab", "00000000abc", "00000000ag"].iter().all(|bad| approval_id(bad).is_err()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Each person in the project has a row, leaves, or is one of the others.
    #[test]
    fn the_people_of_a_project_add_up(listed in 0_usize..12, first in 0_usize..12, from in 0_usize..12) {
        let rows: Vec<String> = (0..12).map(|n| format!("R{n}/p{n}")).collect();
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        let mut place = Place::new(&rows[..listed]);
        place.follow(&rows[..first], 0);
        place.follow(&rows[from..], 24);
        let last = place.changes(&rows[from..], 48);
        let in_file = rows.len() - from - last.joiners.len();
        prop_assert_eq!(in_file + last.leavers.len() + last.others, listed);
        prop_assert!(last.leavers.iter().all(|leaver| usize::try_from(leaver.entry.0).is_ok_and(|entry| entry <= first.min(from))));
    }
}
