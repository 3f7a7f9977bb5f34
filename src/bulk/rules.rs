//! The rules of enrolling exactly once (docs/how-it-stays-right.md, enrolling), pure: what was read of a row and what this machine did before decide what
//! is to be done. The same function judges a row at the start and after each look.

use std::time::Duration;

use jiff::Timestamp;

use super::compare::{Found, Match, Relation};
use super::outcome::{Outcome, RowEnd};
use crate::api::{Effect, Error};
use crate::journal::people::State;
use crate::model::verdict::Failure;

const FOUND: &str = "the answer was lost; found by looking for it";
const REMOVED: &str = "was removed from here a moment ago and may still be listed: try again in a few minutes";
const GONE: &str =
    "removed in the portal or by another machine: take them out of the file, or import them with --again";

/// When a reading began, and what it proves.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    pub began: Timestamp,
    /// It was the whole list, so a person who is not in it is absent. A look-up proves no absence.
    pub is_whole: bool,
    /// Our assumption: this long after an answer was given up, the request has had its effect and every read shows it.
    pub settle: Duration,
    /// People who were removed elsewhere are enrolled again (`--again`).
    pub again: bool,
}

impl Reading {
    /// Whether what was done at a time has settled before this reading began.
    pub fn is_after(&self, then: Timestamp) -> bool {
        then.saturating_add(self.settle).is_ok_and(|settled| self.began >= settled)
    }

    /// Whether a person of that time is absent if this reading does not show them.
    pub fn proves_absence(&self, then: Timestamp) -> bool {
        self.is_whole && self.is_after(then)
    }
}

/// Somebody whom the journal knows, as they are related to a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Related {
    pub relation: Relation,
    pub state: State,
}

/// What is to be done about a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// Nothing.
    End(RowEnd),
    /// The person is not enrolled: their intent is written down, then they are sent.
    Send,
    /// A creation may have taken effect, or may do so yet.
    Look,
}

/// Decides what is to be done about a row: the only place where a row is found to be sent. What was answered is final until the
/// settle time is over, for lists may lag: they lack somebody, or show an entry of before as well.
pub fn judge(found: &Found, known: &[Related], reading: &Reading) -> Next {
    let is_fresh = |one: &Related| matches!(one.state, State::Enrolled { at, .. } if !reading.is_after(at));
    if let Some(end) = found.double().filter(|_| !known.iter().any(is_fresh)) {
        return Next::End(end);
    }
    let best = found.best.as_ref();
    for Related { relation, state } in known {
        let State::Enrolled { entry, enrolment, at } = *state else { continue };
        match best {
            Some(best) if best.entries.contains(&entry) => return Next::End(best.end().enrolment(enrolment)),
            _ if !reading.is_after(at) => return Next::End(relation.end(entry).enrolment(enrolment)),
            _ => {}
        }
    }
    // An edited row is found by what its earlier self sent, and is changed like everybody else.
    let is_changeable = best.is_some_and(Match::is_changeable);
    let is_open = known.iter().any(|one| one.relation == Relation::Same && matches!(one.state, State::Open { .. }));
    match best {
        Some(Match { relation: Relation::Same, entries, .. }) if is_open && entries.len() == 1 && !is_changeable => {
            return Next::End(RowEnd::new(Outcome::Enrolled).entry(entries[0]).message(FOUND));
        }
        Some(best) => return Next::End(best.end()),
        None if found.removed.is_some() => return Next::End(RowEnd::new(Outcome::NotAttempted).message(REMOVED)),
        None => {}
    }
    let mut next = if reading.is_whole { Next::Send } else { Next::Look };
    for Related { state, .. } in known {
        match *state {
            State::Open { since, .. } if !reading.proves_absence(since) => return Next::Look,
            State::Removed { at, is_certain: false, .. } if !reading.proves_absence(at) => {
                next = Next::End(RowEnd::new(Outcome::NotAttempted).message(REMOVED));
            }
            State::Enrolled { entry, .. } if !reading.again && next == Next::Send => {
                next = Next::End(RowEnd::new(Outcome::Gone).entry(entry).message(GONE));
            }
            _ => {}
        }
    }
    next
}

/// How a row ends whose creation failed (enrolling, rules 6 and 7); where it may have had an effect, only if the person is not
/// found: a 409 counts as a refusal then.
pub fn fate(error: &Error) -> RowEnd {
    match error {
        Error::Status { status: 409, .. } if error.effect() != Effect::None => {
            RowEnd::new(Outcome::Refused).message(error.whole())
        }
        _ if error.effect() != Effect::None => RowEnd::new(Outcome::InDoubt).message(error.whole()),
        // Why the run stopped is said once.
        _ if matches!(error, Error::Stopped) || stops(error).is_some() => RowEnd::new(Outcome::NotAttempted),
        Error::Status { .. } => RowEnd::new(Outcome::Refused).message(error.whole()),
        _ => RowEnd::new(Outcome::NotAttempted).message(error.to_string()),
    }
}

/// Why a run stops at an error about a creation: the next row would end in the same way.
pub fn stops(error: &Error) -> Option<Failure> {
    match error {
        _ if error.asks_too_long() || error.is_not_the_service() => Some(error.into()),
        Error::Status { status: 404, .. } => Some((&Error::UnknownProject).into()),
        Error::Status { status: 401 | 403 | 429, .. }
        | Error::NeverSent { is_setup: true, .. }
        | Error::Setup(_)
        | Error::Away => Some(error.into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::people::EntryId;
    use crate::model::verdict::Verdict;

    fn second(second: i64) -> Timestamp {
        Timestamp::from_second(second).expect("a time")
    }

    /// Whole and after the settle time of second 0, unless a case changes it.
    const SETTLED: Reading =
        Reading { began: Timestamp::constant(300, 0), is_whole: true, settle: Duration::from_mins(5), again: false };

    fn shown(relation: Relation, entries: &[i32]) -> Found {
        let entries: Vec<EntryId> = entries.iter().copied().map(EntryId).collect();
        Found {
            best: Some(Match { relation, entries, differences: Vec::new(), is_spelled_alike: true }),
            ..Found::default()
        }
    }

    fn known(relation: Relation, state: State) -> [Related; 1] {
        [Related { relation, state }]
    }

    fn outcome(next: Next) -> Option<Outcome> {
        if let Next::End(end) = next { Some(end.outcome) } else { None }
    }

    #[test]
    fn only_a_whole_list_after_the_settle_time_sends_somebody_who_is_open() {
        let open = known(Relation::Same, State::Open { since: second(0), before: None });
        let early = Reading { began: Timestamp::constant(299, 0), ..SETTLED };
        let look_up = Reading { is_whole: false, ..SETTLED };
        let absent = Found::default();
        assert_eq!(judge(&absent, &open, &SETTLED), Next::Send);
        assert_eq!([judge(&absent, &open, &early), judge(&absent, &open, &look_up)], [Next::Look, Next::Look]);
        assert_eq!((judge(&absent, &[], &SETTLED), judge(&absent, &[], &look_up)), (Next::Send, Next::Look));
        let edited = known(Relation::OtherReference, State::Open { since: second(1), before: None });
        assert_eq!(judge(&absent, &[open, edited].concat(), &SETTLED), Next::Look, "each of them counts");
    }

    #[test]
    fn who_is_shown_is_never_sent() {
        use Relation::{OtherEmail, OtherReference, Own, Same, SameEmail, SharedEmail};
        let states = [
            State::Open { since: second(0), before: None },
            State::Enrolled { entry: EntryId(9), enrolment: None, at: second(0) },
            State::Removed { entry: EntryId(9), enrolment: None, at: second(0), is_certain: true },
        ];
        for relation in [Own, Same, OtherEmail, OtherReference, SameEmail, SharedEmail] {
            for state in states {
                for again in [false, true] {
                    let next = judge(&shown(relation, &[1]), &known(Same, state), &Reading { again, ..SETTLED });
                    assert!(outcome(next).is_some(), "{relation:?} {state:?}");
                }
            }
        }
    }

    #[test]
    fn an_open_row_that_is_shown_is_enrolled_unless_something_else_is_shown() {
        let open = known(Relation::Same, State::Open { since: second(299), before: None });
        assert_eq!(outcome(judge(&shown(Relation::Same, &[1]), &open, &SETTLED)), Some(Outcome::Enrolled));
        assert_eq!(outcome(judge(&shown(Relation::Same, &[1, 2]), &open, &SETTLED)), Some(Outcome::Conflict));
        assert_eq!(outcome(judge(&shown(Relation::OtherEmail, &[1]), &open, &SETTLED)), Some(Outcome::Conflict));
        let edited = known(Relation::SameEmail, State::Open { since: second(299), before: None });
        assert_eq!(outcome(judge(&shown(Relation::Same, &[1]), &edited, &SETTLED)), Some(Outcome::Existing));
    }

    #[test]
    fn an_answer_is_final_and_later_its_absence_is_told() {
        let enrolled = |at| State::Enrolled { entry: EntryId(9), enrolment: None, at: second(at) };
        let absent = Found::default();
        let end = |relation, at, reading| outcome(judge(&absent, &known(relation, enrolled(at)), &reading));
        assert_eq!(end(Relation::Same, 1, SETTLED), Some(Outcome::Existing));
        assert_eq!(end(Relation::OtherEmail, 1, SETTLED), Some(Outcome::Conflict));
        assert_eq!(end(Relation::SameEmail, 0, SETTLED), Some(Outcome::Gone));
        assert_eq!(end(Relation::Same, 0, Reading { again: true, ..SETTLED }), None, "sent");
        let twice = Found { same: vec![EntryId(9), EntryId(10)], ..shown(Relation::Own, &[9]) };
        let next = judge(&twice, &known(Relation::Same, enrolled(0)), &SETTLED);
        assert_eq!(outcome(next), Some(Outcome::Conflict), "a gateway repeated the request");
        let next = judge(&twice, &known(Relation::Same, enrolled(1)), &SETTLED);
        assert_eq!(outcome(next), Some(Outcome::Existing), "a list that lags may show an entry of before");
        let enrolment = Some(uuid::Uuid::nil());
        let answered = State::Enrolled { entry: EntryId(9), enrolment, at: second(0) };
        let still = judge(&shown(Relation::Same, &[9]), &known(Relation::Same, answered), &SETTLED);
        assert_eq!(still, Next::End(Relation::Same.end(EntryId(9)).enrolment(enrolment)), "the answer's own id");
        let older = judge(&shown(Relation::Same, &[4]), &known(Relation::Same, enrolled(1)), &SETTLED);
        assert_eq!(older, Next::End(Relation::Own.end(EntryId(9))), "a list that lags shows who was there before");
    }

    #[test]
    fn who_was_removed_from_here_comes_back_when_that_is_certain() {
        let removed =
            |at, is_certain| State::Removed { entry: EntryId(9), enrolment: None, at: second(at), is_certain };
        let next = |found: &Found, state| judge(found, &known(Relation::Same, state), &SETTLED);
        let absent = Found::default();
        assert_eq!([next(&absent, removed(299, true)), next(&absent, removed(0, false))], [Next::Send, Next::Send]);
        assert_eq!(outcome(next(&absent, removed(1, false))), Some(Outcome::NotAttempted));
        let still_shown = Found { removed: Some(EntryId(9)), ..Found::default() };
        assert_eq!(outcome(next(&still_shown, removed(299, true))), Some(Outcome::NotAttempted));
        assert_eq!(outcome(next(&shown(Relation::Own, &[9]), removed(0, true))), Some(Outcome::Existing));
    }

    fn status(status: u16, is_page: bool, wait: Option<u64>) -> Error {
        let (said, whole, retry_after) = (String::new(), "words".to_owned(), wait.map(Duration::from_secs));
        Error::Status { status, said, whole, code: None, retry_after, is_page }
    }

    #[test]
    fn what_a_failed_creation_proves_decides_its_row() {
        use Outcome::{InDoubt, Refused};
        for (code, outcome) in [(302, InDoubt), (408, InDoubt), (409, Refused), (500, InDoubt), (503, InDoubt)] {
            let error = status(code, false, None);
            assert_ne!(error.effect(), Effect::None, "{code}");
            assert_eq!(fate(&error), RowEnd::new(outcome).message(format!("{code}: words")));
        }
        for (code, outcome) in [(400, Outcome::Refused), (422, Outcome::Refused), (429, Outcome::NotAttempted)] {
            let (error, end) = (status(code, false, None), fate(&status(code, false, None)));
            assert_eq!(error.effect(), Effect::None, "{code}");
            assert_eq!((end.outcome, end.message.is_empty()), (outcome, code == 429), "{code}");
        }
        assert_eq!(fate(&Error::Stopped), RowEnd::new(Outcome::NotAttempted));
        let cut = Error::Unreadable { why: "it broke off".into(), is_cut: true };
        assert_eq!((fate(&cut).outcome, cut.effect() == Effect::None), (InDoubt, false));
    }

    #[test]
    fn a_run_stops_at_what_the_next_row_would_meet_as_well() {
        let verdict = |error| stops(&error).map(|failure| failure.verdict);
        assert_eq!([401, 403].map(|code| verdict(status(code, false, None))), [Some(Verdict::Key); 2]);
        assert_eq!([302, 404].map(|code| verdict(status(code, false, None))), [Some(Verdict::Usage); 2]);
        assert_eq!(verdict(status(400, true, None)), Some(Verdict::Usage), "a page of a proxy");
        assert_eq!([400, 409, 500, 503].map(|code| verdict(status(code, false, Some(300)))), [None; 4]);
        assert_eq!(verdict(status(503, false, Some(301))), Some(Verdict::NothingDone));
        assert_eq!([Error::Away, status(429, false, None)].map(verdict), [Some(Verdict::NothingDone); 2]);
        assert_eq!(verdict(Error::Stopped), None, "why is known already");
    }
}
