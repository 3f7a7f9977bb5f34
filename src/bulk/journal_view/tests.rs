//! What a run makes of rows that the journal knows, against a journal in memory.

use super::*;
use crate::bulk::on_existing::OnExisting;
use crate::bulk::roster::{ReadOptions, read};
use crate::journal::row_store::Writer;
use crate::model::exit_ranks::Verdict;
use crate::model::testtakers::TestTaker;

/// The run began then, in seconds since 1970.
pub(in crate::bulk) const BEGAN: u64 = 1000;
pub(in crate::bulk) const SETTLE: u64 = 300;
const WHOLE: bool = true;
const LOOK_UPS: bool = false;

pub(in crate::bulk) fn at(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

pub(in crate::bulk) fn moment(seconds: u64) -> Moment {
    Moment { wall: millis(at(seconds)), boot: None }
}

pub(in crate::bulk) fn hasher() -> RowHasher {
    RowHasher::new(b"secret")
}

pub(in crate::bulk) fn roster(rows: &str) -> Roster {
    let options = ReadOptions { allow_doubles: true, ..ReadOptions::default() };
    read(format!("email,referenceId\n{rows}\n").as_bytes(), "r", &options).expect("a roster")
}

pub(in crate::bulk) fn record(id: i32, email: &str) -> TestTaker {
    serde_json::from_str(&format!(r#"{{"id":{id},"email":"{email}"}}"#)).expect("a record")
}

pub(in crate::bulk) fn enrolled(entry: i32) -> KeyState {
    KeyState::Enrolled { entry: EntryId(entry), enrolment: None, known: 0 }
}

/// An attempt whose answer was waited for until then.
fn open(until: u64) -> KeyState {
    KeyState::Open { given_up: None, until: millis(at(until)), locked: true, answered: false }
}

/// What the journal knows of a row of another roster since then.
pub(in crate::bulk) fn other(email: &str, reference: Option<&str>, state: KeyState, since: u64) -> KnownRow {
    KnownRow {
        number: 1,
        key: hasher().key(reference, email, &["another roster"], 1),
        email: hasher().email(email),
        reference: reference.map(|id| hasher().reference(id)),
        state,
        before: Vec::new(),
        attempts: 1,
        intended: millis(at(since)),
        line: 2,
        noted: moment(since),
        respelt: false,
    }
}

/// The same of a row of this roster.
pub(in crate::bulk) fn own(roster: &Roster, row: usize, state: KeyState, since: u64) -> KnownRow {
    let email = roster.value(row, Field::Email).unwrap_or_default();
    let key = key_of(&hasher(), roster, row, 0);
    KnownRow { key, ..other(email, roster.value(row, Field::ReferenceId), state, since) }
}

/// A journal in memory, to which nothing is written.
#[derive(Clone, Default)]
pub(in crate::bulk) struct Rows {
    pub(in crate::bulk) known: Vec<KnownRow>,
    pub(in crate::bulk) removing: Vec<EntryId>,
    /// Whose entry it is can't be read.
    pub(in crate::bulk) broken: bool,
}

impl RowStore for Rows {
    fn is_empty(&self) -> Result<bool, Failure> {
        Ok(self.known.is_empty())
    }

    fn known(&self, key: &Hash) -> Result<Option<KnownRow>, Failure> {
        Ok(self.known.iter().find(|row| row.key == *key).cloned())
    }

    fn unsettled(&self, now: &Moment, settle: Millis) -> Result<Vec<KnownRow>, Failure> {
        let is_unsettled = |row: &&KnownRow| match row.state {
            KeyState::Open { .. } => true,
            KeyState::Enrolled { .. } => row.respelt || row.since(now) > now.wall - settle,
            KeyState::Free | KeyState::Refused => false,
        };
        Ok(self.known.iter().filter(is_unsettled).cloned().collect())
    }

    fn is_claimed(&self, entry: EntryId, by_other_than: &Hash) -> Result<bool, Failure> {
        if self.broken {
            return Err(Failure::new(Verdict::Unforeseen, "the journal can't be read"));
        }
        Ok(self.known.iter().any(|row| row.state == enrolled(entry.0) && row.key != *by_other_than))
    }

    fn removing(&self) -> Result<Vec<EntryId>, Failure> {
        Ok(self.removing.clone())
    }

    fn removed_within(&self, _: &Moment, _: Millis) -> Result<HashMap<EntryId, Millis>, Failure> {
        Ok(HashMap::new())
    }

    fn enrolled(&self, wanted: &dyn Fn(EntryId, &Hash, Option<&Hash>) -> bool) -> Result<Vec<KnownRow>, Failure> {
        let is_wanted = |row: &&KnownRow| match row.state {
            KeyState::Enrolled { entry, .. } => wanted(entry, &row.email, row.reference.as_ref()),
            _ => false,
        };
        Ok(self.known.iter().filter(is_wanted).cloned().collect())
    }

    fn last_enrolled(&self, until: Millis, most: u32) -> Result<Vec<EntryId>, Failure> {
        let rows = self.known.iter().rev().filter(|row| row.noted.wall <= until);
        let entries = rows.filter_map(|row| match row.state {
            KeyState::Enrolled { entry, .. } => Some(entry),
            _ => None,
        });
        Ok(entries.take(most as usize).collect())
    }

    fn note(&mut self, _: &[(Hash, Fact, Moment)], _: bool) -> Result<(), Failure> {
        Ok(())
    }

    fn commit(&mut self, _: &[(Hash, Fact, Moment)], _: &[Intent], _: Writer) -> Result<Vec<KnownRow>, Failure> {
        Ok(Vec::new())
    }
}

pub(in crate::bulk) fn policy() -> JournalPolicy {
    let on_existing = OnExisting::Skip;
    JournalPolicy { again: false, on_existing, settle: at(SETTLE), patience: at(60), locked: true }
}

/// A run over a roster: what its journal knows, and the records that were seen.
struct Run<'r> {
    view: JournalView<'r, Rows>,
    comparison: Comparison<'r>,
}

impl<'r> Run<'r> {
    fn new(roster: &'r Roster, known: &[KnownRow]) -> Self {
        Self::with(roster, Rows { known: known.to_vec(), ..Rows::default() }, policy(), false)
    }

    fn with(roster: &'r Roster, rows: Rows, policy: JournalPolicy, allow_doubles: bool) -> Self {
        let beginning = Beginning { at: at(BEGAN), moment: moment(BEGAN) };
        let mut comparison = Comparison::new(roster, 0..roster.row_count(), allow_doubles);
        let groups = comparison.groups();
        let mut view = JournalView::new(roster, rows, hasher(), policy, &groups, beginning).expect("a view");
        view.prepare(&mut comparison, 0..roster.row_count()).expect("the journal is read");
        Self { view, comparison }
    }

    /// Sees these records, which are all of the list or were looked up.
    fn see(mut self, records: &[TestTaker], whole: bool) -> Self {
        for record in records {
            self.comparison.add_record(record);
        }
        if whole {
            self.comparison.mark_list_complete();
        }
        self.comparison.judge();
        self.view.forget_seen(&self.comparison);
        self.view.find_vanished(&self.comparison).expect("the journal is read");
        self
    }

    fn start(&mut self, row: usize) -> RowState {
        self.view.start(row, &self.comparison, at(BEGAN)).expect("the journal is read")
    }

    /// How a row ended before anything was sent, and as which entry.
    fn end(&mut self, row: usize) -> Option<(Outcome, i32, String)> {
        let RowState::Ended(end) = self.start(row) else { return None };
        Some((end.outcome, end.entry?.0, end.message.unwrap_or_default().into_string()))
    }
}

#[test]
fn a_row_of_another_roster_that_was_enrolled_just_now_holds_up_one_like_it_until_its_entry_is_seen() {
    let roster = roster("a@b,R1");
    let fresh = other("x@y", Some("R1"), enrolled(5), BEGAN - 1);
    let held = RowState::Held { since: at(BEGAN - 1), answered: false };
    let mut run = Run::new(&roster, std::slice::from_ref(&fresh)).see(&[record(6, "q@q")], WHOLE);
    assert_eq!(run.start(0), held);
    assert!(run.view.is_held(0) && !run.view.is_held(1));
    let found = |entry| {
        let mut found = run.comparison.fresh_copy();
        found.add_record(&record(entry, "q@q"));
        found
    };
    assert!(run.view.sees_all(0, &found(5)) && !run.view.sees_all(0, &found(6)));
    let mut run = Run::new(&roster, &[fresh]).see(&[record(5, "q@q")], WHOLE);
    assert_eq!(run.start(0), RowState::New, "its entry is another person's by now");
    let answered = KeyState::Open { given_up: Some(0), until: 0, locked: true, answered: true };
    let mut run = Run::new(&roster, &[other("a@b", None, answered, BEGAN - 1)]).see(&[], WHOLE);
    assert_eq!(run.start(0), RowState::Held { since: at(BEGAN - 1), answered: true });
    assert!(!run.view.sees_all(0, &run.comparison), "it is not known as which entry");
}

#[test]
fn what_holds_a_row_up_by_its_email_and_by_its_reference_id_is_released_once() {
    let roster = roster("a@b,R1");
    let doubtful = other("a@b", Some("R1"), open(BEGAN), BEGAN - 1);
    let mut run = Run::new(&roster, std::slice::from_ref(&doubtful)).see(&[], WHOLE);
    run.view.pending.clear();
    run.start(0);
    run.view.release(0, at(BEGAN));
    assert_eq!(
        run.view.pending.iter().map(|(key, fact, _)| (*key, *fact)).collect::<Vec<_>>(),
        [(doubtful.key, Fact::Free)]
    );
    assert!(!run.view.is_held(0));
    let two = [other("a@b", Some("R8"), open(BEGAN), BEGAN - 1), other("x@y", Some("R1"), open(BEGAN), BEGAN - 1)];
    let mut run = Run::new(&roster, &two).see(&[], WHOLE);
    run.view.pending.clear();
    run.start(0);
    run.view.release(0, at(BEGAN));
    assert_eq!(run.view.pending(), 2);
}

#[test]
fn the_entry_that_a_row_waited_for_is_remembered_where_it_can_be_but_one_rows() {
    let roster = roster("a@b,R1");
    let found = |known: &[KnownRow], entry: Option<i32>| {
        let mut run = Run::new(&roster, known).see(&[], WHOLE);
        run.view.pending.clear();
        run.start(0);
        run.view.other_found(0, entry.map(EntryId), at(BEGAN));
        assert!(!run.view.is_held(0));
        run.view.pending.iter().map(|(_, fact, _)| *fact).collect::<Vec<_>>()
    };
    let doubtful = other("a@b", Some("R1"), open(BEGAN), BEGAN - 1);
    assert_eq!(found(std::slice::from_ref(&doubtful), Some(5)), [Fact::Enrolled(EntryId(5), None)]);
    assert_eq!(found(std::slice::from_ref(&doubtful), None), []);
    let fresh = other("x@y", Some("R1"), enrolled(5), BEGAN - 1);
    assert_eq!(found(std::slice::from_ref(&fresh), Some(6)), [], "that one has its entry");
    assert_eq!(found(&[doubtful, fresh], Some(6)), [], "it is not known whose it is");
}

#[test]
fn somebody_whom_the_service_spells_otherwise_is_known_by_what_was_sent() {
    let ends = |row: &str, reference: Option<&str>, since, allow_doubles| {
        let roster = roster(row);
        let known = vec![KnownRow { respelt: true, ..other("a@b", reference, enrolled(5), since) }];
        let rows = Rows { known, ..Rows::default() };
        let seen = if since == BEGAN - SETTLE { vec![] } else { vec![record(5, "other@spelling")] };
        Run::with(&roster, rows, policy(), allow_doubles).see(&seen, WHOLE).end(0)
    };
    let told = |outcome, field| Some((outcome, 5, format!("entry 5 was enrolled from here with this {field}")));
    let (existing, conflict) = (Outcome::Existing, Outcome::Conflict);
    assert_eq!(ends("a@b,R1", Some("R1"), 1, false), told(existing, "referenceId"));
    assert_eq!(ends("n@b,R1", Some("R1"), 1, false), told(conflict, "referenceId"));
    assert_eq!(ends("n@b,R1", Some("R1"), 1, true), None, "another person");
    assert_eq!(ends("a@b,R2", Some("R1"), 1, false), told(conflict, "email"));
    assert_eq!(ends("a@b,", Some("R1"), 1, false), told(existing, "email"));
    assert_eq!(ends("a@b,R1", None, 1, false), told(existing, "email"));
    assert_eq!(ends("a@b,", None, 1, false), told(existing, "email"));
    assert_ne!(ends("a@b,R1", Some("R1"), BEGAN - SETTLE, false), told(existing, "referenceId"), "it is gone");
    assert_eq!(ends("a@b,R1", Some("R1"), BEGAN - SETTLE + 1, false), told(existing, "referenceId"));
}

#[test]
fn an_enrolled_row_that_is_not_listed_is_late_within_the_settle_time_and_missing_after_it() {
    let roster = roster("a@b,R1");
    let start = |since| Run::new(&roster, &[own(&roster, 0, enrolled(5), since)]).see(&[], WHOLE).start(0);
    assert!(matches!(start(BEGAN - SETTLE + 1), RowState::Unseen { .. }));
    assert!(matches!(start(BEGAN - SETTLE), RowState::Missing { again: false, .. }));
}

#[test]
fn an_attempt_whose_end_was_not_written_down_may_take_effect_until_its_patience_ends_or_its_run_is_gone() {
    let roster = roster("a@b,R1");
    let start = |locked| {
        let rows = Rows { known: vec![own(&roster, 0, open(BEGAN + 50), BEGAN - 10)], ..Rows::default() };
        let mut run = Run::with(&roster, rows, JournalPolicy { locked, ..policy() }, false).see(&[], WHOLE);
        let RowState::Doubt { since, .. } = run.start(0) else { panic!("in doubt") };
        (since, run.view.pending())
    };
    assert_eq!(start(true), (at(BEGAN), 1), "who waited for it is gone, which is written down");
    assert_eq!(start(false), (at(BEGAN + 50), 0));
}

#[test]
fn an_entry_is_anothers_if_it_was_there_before_or_is_another_rows() {
    let roster = roster("a@b,R1\nc@d,R2");
    let known = [own(&roster, 1, enrolled(5), 1), other("x@y", None, enrolled(6), 1)];
    let run = Run::new(&roster, &known).see(&[record(7, "q@q")], WHOLE);
    let anothers = |row, entry| run.view.is_anothers(row, EntryId(entry), &run.comparison).expect("an answer");
    assert_eq!([5, 6, 7, 8].map(|entry| anothers(0, entry)), [true, true, true, false]);
    assert!(!run.view.is_claimed(1, EntryId(5)).expect("an answer"), "its own");
}

#[test]
fn what_no_look_up_would_find_out_again_is_written_at_once() {
    let roster = roster("a@b,R1\nc@d,R2");
    let mut run = Run::new(&roster, &[own(&roster, 0, open(BEGAN), BEGAN - 1)]);
    assert_eq!((run.view.is_urgent, run.view.pending()), (false, 0));
    assert_eq!(run.view.doubtful().iter().copied().collect::<Vec<_>>(), [0]);
    for (row, fact, urgent) in [(1, Fact::GivenUp, false), (1, Fact::Respelt, true), (0, Fact::Free, true)] {
        run.view.note(row, fact, at(BEGAN));
        assert_eq!(run.view.is_urgent, urgent, "{fact:?}");
    }
    assert_eq!(run.view.pending(), 3);
    assert!(run.view.doubtful().is_empty());
    run.view.flush().expect("it is written");
    assert_eq!((run.view.is_urgent, run.view.pending()), (false, 0));
}

#[test]
fn reads_lack_the_last_who_was_enrolled_from_here_and_is_in_no_row_unless_somebody_later_was_seen() {
    let roster = roster("a@b,R1");
    let known = [other("x@y", None, enrolled(5), 1), other("z@y", None, enrolled(9), 2)];
    let lacking = |records: &[TestTaker], of_roster: i32| {
        let run = Run::new(&roster, &known).see(records, WHOLE);
        run.view.lacking(at(BEGAN), &run.comparison, |entry| entry == EntryId(of_roster)).expect("an answer")
    };
    assert_eq!(lacking(&[], 0), Some(EntryId(9)));
    assert_eq!(lacking(&[], 9), Some(EntryId(5)));
    assert_eq!(lacking(&[record(5, "q@q")], 0), Some(EntryId(9)));
    assert_eq!(lacking(&[record(9, "q@q")], 0), None, "a list that shows the later one is as new as that");
    let has_enrolled = |known: &[KnownRow]| Run::new(&roster, known).view.has_enrolled().expect("an answer");
    assert!(has_enrolled(&known) && !has_enrolled(&[]) && !has_enrolled(&[other("x@y", None, open(1), 1)]));
}

#[test]
fn a_list_that_shows_none_of_many_who_were_enrolled_before_the_settle_time_is_blind() {
    let roster = roster("a@b,R1");
    let lacks_with = |again, count: i32, since, records: &[TestTaker]| {
        let known = (0..count).map(|n| other(&format!("{n}@y"), None, enrolled(n), since)).collect();
        let rows = Rows { known, ..Rows::default() };
        let run = Run::with(&roster, rows, JournalPolicy { again, ..policy() }, false).see(records, WHOLE);
        run.view.lacks_all(&run.comparison).expect("an answer")
    };
    for again in [false, true] {
        let lacks = |count, since, records: &[TestTaker]| lacks_with(again, count, since, records);
        assert_eq!(lacks(5, BEGAN - SETTLE, &[]), Some(5));
        assert_eq!(lacks(4, BEGAN - SETTLE, &[]), None);
        assert_eq!(lacks(5, BEGAN - SETTLE + 1, &[]), None, "they may only be late");
        assert_eq!(lacks(5, BEGAN - SETTLE, &[record(3, "q@q")]), None);
    }
}

/// Whether a row is taken for a person who was enrolled from here long ago by `a@b` and `R1`, and is gone.
fn is_gone(row: &str, allow_doubles: bool, whole: bool) -> bool {
    let roster = roster(row);
    let rows = Rows { known: vec![other("a@b", Some("R1"), enrolled(5), 1)], ..Rows::default() };
    let end = Run::with(&roster, rows, policy(), allow_doubles).see(&[], whole).end(0);
    end.is_some_and(|(outcome, entry, _)| (outcome, entry) == (Outcome::Gone, 5))
}

#[test]
fn a_row_that_was_edited_is_gone_with_its_person_whether_the_list_was_read_or_people_looked_up() {
    for whole in [WHOLE, LOOK_UPS] {
        assert!(is_gone("a@b,R1,", false, whole) && is_gone("n@b,R1", false, whole) && is_gone("a@b,", false, whole));
        assert!(!is_gone("a@b,R2", false, whole), "two reference ids are two people");
        assert!(!is_gone("n@b,", false, whole));
        assert!(!is_gone("n@b,R1", true, whole), "another e-mail may be another person");
        assert!(is_gone("a@b,R1", true, whole) && is_gone("a@b,", true, whole));
    }
}

#[test]
fn who_is_there_or_was_removed_from_here_or_is_to_be_enrolled_anew_is_not_gone() {
    let roster = roster("n@b,R1");
    let end = |removing: &[EntryId], again, records: &[TestTaker]| {
        let rows = Rows {
            known: vec![other("a@b", Some("R1"), enrolled(5), 1)],
            removing: removing.to_vec(),
            ..Rows::default()
        };
        Run::with(&roster, rows, JournalPolicy { again, ..policy() }, false).see(records, WHOLE).start(0)
    };
    assert!(matches!(end(&[], false, &[]), RowState::Ended(_)));
    assert_eq!(end(&[EntryId(5)], false, &[]), RowState::New);
    assert_eq!(end(&[], true, &[]), RowState::New);
    assert_eq!(end(&[], false, &[record(5, "q@q")]), RowState::New);
}

#[test]
fn a_missing_row_of_this_roster_makes_no_other_row_of_it_gone() {
    let roster = roster("a@b,R1\na@b,");
    let mut run = Run::new(&roster, &[own(&roster, 0, enrolled(5), 1)]).see(&[], WHOLE);
    assert!(matches!(run.start(0), RowState::Missing { .. }));
    assert_eq!(run.start(1), RowState::New);
}
