//! What the rows of the journal know, on a database of their own.

use super::*;
use crate::journal::clock::BootTime;
use crate::journal::consumers::Consumer;

fn rows(folder: &tempfile::TempDir) -> JournalRows {
    let project = "3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b690".parse().expect("a project id");
    JournalRows::open(Store::open(folder.path()).expect("a journal"), "https://a.example", project).expect("rows")
}

fn moment(wall: Millis) -> Moment {
    Moment { wall, boot: None }
}

fn writer(now: Millis) -> Writer {
    Writer { now: moment(now), patience: 1000, locked: true }
}

fn intent(rows: &JournalRows, reference: &str) -> Intent {
    Intent {
        key: rows.hasher().key(Some(reference), "a@b", &[], 0),
        email: rows.hasher().email("a@b"),
        reference: Some(rows.hasher().reference(reference)),
        before: vec![EntryId(3), EntryId(-4)],
        again: false,
        line: 2,
    }
}

#[test]
fn a_key_is_claimed_once_until_it_is_certain_that_nothing_was_done() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut rows = rows(&folder);
    let one = intent(&rows, "R-1");
    assert_eq!(rows.commit(&[], std::slice::from_ref(&one), writer(5)), Ok(vec![]));
    let contested = rows.commit(&[], std::slice::from_ref(&one), writer(6)).expect("written");
    assert_eq!(contested[0].state, KeyState::Open { given_up: None, until: 1005, locked: true, answered: false });
    assert_eq!(contested[0].before, [EntryId(3), EntryId(-4)]);
    let freed = [(one.key, Fact::Free, moment(7))];
    assert_eq!(rows.commit(&freed, std::slice::from_ref(&one), writer(8)), Ok(vec![]));
    assert_eq!(rows.known(&one.key).expect("read").expect("known").attempts, 2);
}

#[test]
fn enrolled_is_final_unless_it_is_meant_to_be_done_anew() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut rows = rows(&folder);
    let one = intent(&rows, "R-1");
    rows.commit(&[], std::slice::from_ref(&one), writer(5)).expect("written");
    let enrolled = KeyState::Enrolled { entry: EntryId(9), enrolment: None, known: 6 };
    for fact in [Fact::Enrolled(EntryId(9), None), Fact::Free, Fact::Refused, Fact::GivenUp] {
        rows.note(&[(one.key, fact, moment(6))], false).expect("written");
        assert_eq!(rows.known(&one.key).expect("read").expect("known").state, enrolled);
    }
    assert!(rows.is_claimed(EntryId(9), &[0; 32]).expect("read"));
    assert!(!rows.is_claimed(EntryId(9), &one.key).expect("read"));
    assert_eq!(rows.commit(&[], std::slice::from_ref(&one), writer(7)).expect("written").len(), 1);
    assert_eq!(rows.commit(&[], &[Intent { again: true, ..one }], writer(7)), Ok(vec![]));
}

#[test]
fn what_is_written_is_there_in_the_next_run_and_can_be_resolved_by_its_number() {
    let folder = tempfile::tempdir().expect("a folder");
    let one = {
        let mut rows = rows(&folder);
        let one = intent(&rows, "R-1");
        rows.commit(&[], std::slice::from_ref(&one), writer(5)).expect("written");
        one
    };
    let mut rows = rows(&folder);
    let doubtful = rows.all(true).expect("read");
    assert_eq!((doubtful.len(), doubtful[0].key), (1, one.key));
    assert_eq!(rows.resolve(doubtful[0].number, &[Fact::Enrolled(EntryId(7), None)], moment(9)), Ok(true));
    assert_eq!(rows.resolve(doubtful[0].number, &[Fact::Free], moment(9)), Ok(false), "it is in doubt no more");
    let summary = super::super::summaries::summaries(&rows.store).expect("read");
    assert_eq!(summary[0].counts, [1, 1, 0, 0, 0]);
    assert_eq!(rows.about_to_remove(EntryId(7), moment(10)), Ok(true));
    assert_eq!(rows.about_to_remove(EntryId(7), moment(20)), Ok(false), "it is open");
    let begun = |tables: &Connection| tables.query_row("SELECT begun FROM removing", [], |row| row.get(0));
    assert_eq!(rows.store.read(begun), Ok(20), "the last request counts");
    assert_eq!(rows.removing(), Ok(vec![EntryId(7)]));
    rows.forget_entry(EntryId(7), &[]).expect("written");
    assert_eq!(rows.removing(), Ok(vec![]));
    assert!(rows.is_empty().expect("read"));
}

#[test]
fn an_answer_without_a_record_is_kept_and_the_row_is_not_free_until_the_user_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut rows = rows(&folder);
    let one = intent(&rows, "R-1");
    rows.commit(&[], std::slice::from_ref(&one), writer(5)).expect("written");
    rows.note(&[(one.key, Fact::Answered, moment(6)), (one.key, Fact::Free, moment(7))], true).expect("written");
    let known = rows.known(&one.key).expect("read").expect("known");
    assert_eq!(known.state, KeyState::Open { given_up: Some(6), until: 1005, locked: true, answered: true });
    assert_eq!(rows.resolve(known.number, &[Fact::Free], moment(9)), Ok(true));
    assert_eq!(rows.commit(&[], std::slice::from_ref(&one), writer(10)), Ok(vec![]));
    let known = rows.known(&one.key).expect("read").expect("known");
    assert_eq!(known.state, KeyState::Open { given_up: None, until: 1010, locked: true, answered: false });
}

#[test]
fn the_last_entries_that_were_enrolled_from_here_are_known_by_when() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut rows = rows(&folder);
    for (number, fact) in [
        (1, Fact::Enrolled(EntryId(1), Some(Uuid::from_u128(1)))),
        (2, Fact::Enrolled(EntryId(2), None)),
        (3, Fact::Refused),
    ] {
        let intent = intent(&rows, &format!("R-{number}"));
        rows.commit(&[], std::slice::from_ref(&intent), writer(5)).expect("written");
        rows.note(&[(intent.key, fact, moment(10 * number))], true).expect("written");
    }
    let last = [9, 10, 100].map(|until| rows.last_enrolled(until, 9).expect("read"));
    assert_eq!(last, [vec![], vec![EntryId(1)], vec![EntryId(2), EntryId(1)]]);
    assert_eq!(rows.last_enrolled(100, 1), Ok(vec![EntryId(2)]));
}

#[test]
fn what_was_enrolled_a_short_while_ago_is_unsettled_by_the_clock_of_the_boot() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut rows = rows(&folder);
    let one = intent(&rows, "R-1");
    let by_boot = |wall, ticks| Moment { wall, boot: Some(BootTime { boot: Uuid::from_u128(1), ticks }) };
    let writer = Writer { now: by_boot(1_000_000, 50), patience: 1000, locked: true };
    rows.commit(&[], std::slice::from_ref(&one), writer).expect("written");
    rows.note(&[(one.key, Fact::Enrolled(EntryId(1), None), by_boot(1_000_000, 100))], true).expect("written");
    let unsettled = |now| rows.unsettled(&now, 300).expect("read").len();
    assert_eq!(unsettled(by_boot(90_000_000, 200)), 1, "the wall clock was set forward");
    assert_eq!(unsettled(by_boot(1_000_100, 900)), 0, "and back");
    assert_eq!(unsettled(moment(1_000_100)), 1);
    assert_eq!(unsettled(moment(1_000_400)), 0);
}

#[test]
fn nothing_personal_stands_in_the_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut rows = rows(&folder);
    let one = intent(&rows, "R-SECRET");
    rows.commit(&[(one.key, Fact::GivenUp, moment(6))], std::slice::from_ref(&one), writer(5)).expect("written");
    for entry in std::fs::read_dir(folder.path()).expect("a folder") {
        let bytes = std::fs::read(entry.expect("an entry").path()).expect("a file");
        for secret in ["R-SECRET", "a@b"] {
            assert!(!bytes.windows(secret.len()).any(|part| part == secret.as_bytes()), "{secret}");
        }
    }
}

#[test]
fn what_is_open_or_respelt_is_unsettled_however_old_and_what_was_enrolled_until_it_has_settled() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut rows = rows(&folder);
    let by_boot = |wall, ticks| Moment { wall, boot: Some(BootTime { boot: Uuid::from_u128(1), ticks }) };
    // The wall clock was set back by a second after all of it.
    let (then, now) = (by_boot(1_001_000, 700), by_boot(1_000_300, 1_000));
    let enrolled = |entry| Fact::Enrolled(EntryId(entry), None);
    let facts: [&[Fact]; 5] = [&[], &[enrolled(2)], &[enrolled(3), Fact::Respelt], &[Fact::Refused], &[Fact::Free]];
    for (number, facts) in (1..).zip(facts) {
        let intent = intent(&rows, &format!("R-{number}"));
        rows.commit(&[], std::slice::from_ref(&intent), Writer { now: then, patience: 1000, locked: true })
            .expect("written");
        let facts: Vec<_> = facts.iter().map(|fact| (intent.key, *fact, then)).collect();
        rows.note(&facts, true).expect("written");
    }
    let unsettled =
        |settle| -> Vec<i64> { rows.unsettled(&now, settle).expect("read").iter().map(|row| row.number).collect() };
    assert_eq!(unsettled(301), [1, 2, 3], "300 ms ago");
    assert_eq!(unsettled(300), [1, 3]);
    let states = rows.all(false).expect("read").into_iter().map(|row| row.state);
    let over: Vec<KeyState> = states.skip(3).collect();
    assert_eq!(over, [KeyState::Refused, KeyState::Free]);
}

#[test]
fn what_another_run_holds_open_is_not_said_to_be_erased() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut here, another) = (rows(&folder), rows(&folder));
    another.store.read(|tables| tables.execute_batch("BEGIN; SELECT count(*) FROM rows")).expect("a look");
    here.store.read(|tables| tables.busy_timeout(std::time::Duration::ZERO)).expect("does not wait");
    assert_eq!(here.erase(), Ok(false));
    another.store.read(|tables| tables.execute_batch("COMMIT")).expect("its end");
    assert_eq!(here.erase(), Ok(true));
}

#[test]
fn a_person_who_was_removed_is_forgotten_by_consumers_too() {
    use crate::journal::consumers::enter;
    let folder = tempfile::tempdir().expect("a folder");
    let mut rows = rows(&folder);
    let hashes = [["R-1", "zoe@example.com"], ["R-2", "kim@example.com"]].map(|texts| person_hash(&rows.store, &texts));
    let consumer = Consumer {
        service: "https://a.example",
        project: "3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b690".parse().expect("a project id"),
        shape: "current",
        name: "hr",
    };
    let told = rows.store.transact(|tables| {
        let seq = enter(tables, consumer)?;
        let keys: [&dyn rusqlite::ToSql; 4] = [&7, &8, &hashes[0], &hashes[1]];
        keys.iter().try_for_each(|key| {
            let sql = "INSERT INTO told_results VALUES (?1, ?2, 0, x'01', x'02', x'03', 4)";
            tables.execute(sql, params![seq, key]).map(|_| ())
        })
    });
    told.expect("written");
    rows.forget_entry(EntryId(7), &[["R-1", "zoe@example.com"]]).expect("written");
    let left = rows.store.read(|tables| {
        let mut select =
            tables.prepare("SELECT hex(result) FROM told_results ORDER BY typeof(key) DESC, key = ?1, key")?;
        select.query_map([hashes[0]], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()
    });
    assert_eq!(left.expect("read"), ["", "01", "01", ""]);
}
