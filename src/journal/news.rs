//! What is new for a reader since the last run, what is an alert, and what is to be remembered.

use std::collections::BTreeMap;

use super::told::{Told, ToldPeople};
use crate::model::people::{EntryId, TestTaker};
use crate::model::time::of_service;

/// What is reported about one person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A result to alert about that was not yet reported to this reader as an alert.
    Alert,
    Added,
    /// Another result, or a later assessment.
    Changed,
    Removed,
}

/// One person with something to report.
#[derive(Clone, Copy, Debug)]
pub struct News<'a> {
    pub kind: Kind,
    pub entry: EntryId,
    /// The person now; `None` where they are no longer in the project.
    pub person: Option<&'a TestTaker>,
    /// What was reported last.
    pub before: Option<&'a Told>,
}

/// Compares the whole list with what was reported before (`None` before the first run, which reports alerts only). Gives
/// the news, sorted by entry id, and what to remember once they are reported.
pub fn compare<'a>(
    before: Option<&'a ToldPeople>,
    now: &BTreeMap<EntryId, &'a TestTaker>,
    is_watched: impl Fn(&TestTaker) -> bool,
) -> (Vec<News<'a>>, ToldPeople) {
    let (mut news, mut after) = (Vec::new(), ToldPeople::new());
    for (&entry, &person) in now {
        let old = before.and_then(|before| before.get(&entry));
        let same = old.filter(|old| is_same(old, person));
        let was_alerted = same.is_some_and(|told| told.alerted);
        let is_alert = is_watched(person) && !was_alerted;
        let kind = match old {
            _ if is_alert => Some(Kind::Alert),
            None if before.is_some() => Some(Kind::Added),
            Some(_) if same.is_none() => Some(Kind::Changed),
            _ => None,
        };
        news.extend(kind.map(|kind| News { kind, entry, person: Some(person), before: old }));
        // A date that is missing now may come back; that is no new assessment.
        let completed = person.date_completed.clone().or_else(|| same.map(|told| told.completed.clone()));
        let result = person.outcome().unwrap_or_default().to_owned();
        let told = Told { result, completed: completed.unwrap_or_default(), alerted: was_alerted || is_alert };
        after.insert(entry, told);
    }
    let gone = before.into_iter().flatten().filter(|(entry, _)| !now.contains_key(entry));
    news.extend(gone.map(|(&entry, told)| News { kind: Kind::Removed, entry, person: None, before: Some(told) }));
    news.sort_by_key(|news| news.entry);
    (news, after)
}

/// Whether a person's result is the one that was reported. Instants are compared, however they are written. A date may come
/// after its result.
fn is_same(told: &Told, person: &TestTaker) -> bool {
    let completed = person.date_completed.as_deref().unwrap_or_default();
    let at = |text: &str| of_service(text).ok_or_else(|| text.to_owned());
    let is_same_time = told.completed.is_empty() || completed.is_empty() || at(&told.completed) == at(completed);
    is_same_time && told.result.eq_ignore_ascii_case(person.outcome().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::results::is_flagged;

    const FIRST: &str = "2026-03-01T06:00:00Z";
    const SECOND: &str = "2026-03-02T06:00:00Z";

    /// A list of people: entry id, result, completion.
    type State = BTreeMap<i32, (&'static str, &'static str)>;

    fn people(state: &State) -> Vec<TestTaker> {
        let text = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        let person = |(id, (result, completed)): (&i32, &(&str, &str))| TestTaker {
            id: Some(*id),
            result: text(result),
            date_completed: text(completed),
            ..TestTaker::default()
        };
        state.iter().map(person).collect()
    }

    fn flagged(person: &TestTaker) -> bool {
        person.outcome().is_some_and(is_flagged)
    }

    /// What one run reports, and its memory afterwards.
    fn run(before: Option<&ToldPeople>, state: &State) -> (Vec<(Kind, i32)>, ToldPeople) {
        let people = people(state);
        let now = people.iter().filter_map(|person| Some((person.entry_id()?, person))).collect();
        let (news, after) = compare(before, &now, flagged);
        (news.iter().map(|news| (news.kind, news.entry.0)).collect(), after)
    }

    /// What the last run reports after runs over these states of one person.
    fn last(states: &[(&'static str, &'static str)]) -> Vec<Kind> {
        let (mut memory, mut told) = (None, Vec::new());
        for state in states {
            let (news, after) = run(memory.as_ref(), &[(1, *state)].into());
            (memory, told) = (Some(after), news);
        }
        told.into_iter().map(|(kind, _)| kind).collect()
    }

    #[test]
    fn a_first_look_tells_alerts_only() {
        let state = [(1, ("HighRisk", FIRST)), (2, ("Completed", FIRST)), (3, ("", "")), (4, ("Unheard", ""))].into();
        assert_eq!(run(None, &state).0, [(Kind::Alert, 1), (Kind::Alert, 4)]);
        let (news, _) = run(Some(&ToldPeople::new()), &state);
        assert_eq!(news, [(Kind::Alert, 1), (Kind::Added, 2), (Kind::Added, 3), (Kind::Alert, 4)]);
    }

    #[test]
    fn a_later_result_is_news_and_another_form_of_an_instant_is_not() {
        for same in ["2026-03-01T06:00:00.0000000Z", "2026-03-01T06:00:00", "2026-03-01T07:00:00+01:00"] {
            assert_eq!(last(&[("Completed", FIRST), ("Completed", same)]), []);
            assert_eq!(last(&[("HighRisk", FIRST), ("highRisk", same)]), []);
        }
        assert_eq!(last(&[("Completed", FIRST), ("Completed", SECOND)]), [Kind::Changed]);
        assert_eq!(last(&[("HighRisk", FIRST), ("HighRisk", SECOND)]), [Kind::Alert]);
        assert_eq!(last(&[("HighRisk", FIRST), ("Completed", SECOND)]), [Kind::Changed]);
        assert_eq!(
            last(&[("soon", "1"), ("soon", "2")]),
            [Kind::Alert],
            "times that cannot be read are compared as texts"
        );
    }

    #[test]
    fn a_date_that_comes_late_or_vanishes_is_no_second_alert_and_hides_none() {
        assert_eq!(last(&[("HighRisk", ""), ("HighRisk", FIRST)]), []);
        assert_eq!(last(&[("HighRisk", ""), ("HighRisk", FIRST), ("HighRisk", SECOND)]), [Kind::Alert]);
        assert_eq!(last(&[("HighRisk", FIRST), ("HighRisk", ""), ("HighRisk", FIRST)]), []);
        assert_eq!(last(&[("HighRisk", FIRST), ("HighRisk", ""), ("HighRisk", SECOND)]), [Kind::Alert]);
    }

    #[test]
    fn whoever_is_watched_from_now_on_is_told_though_nothing_changed() {
        let people = people(&[(1, ("Incomplete", ""))].into());
        let now = [(EntryId(1), &people[0])].into();
        let (news, memory) = compare(None, &now, flagged);
        assert!(news.is_empty());
        let (news, _) = compare(Some(&memory), &now, |_| true);
        assert_eq!(news.iter().map(|news| news.kind).collect::<Vec<_>>(), [Kind::Alert]);
    }

    fn states() -> impl Strategy<Value = State> {
        let result = prop::sample::select(vec!["", "Started", "Completed", "HighRisk", "Fatigued", "Unheard"]);
        let completed = prop::sample::select(vec!["", FIRST, SECOND]);
        prop::collection::btree_map(0..4, (result, completed), 0..4)
    }

    proptest! {
        /// Runs over any states, some of which die before their memory is written.
        #[test]
        fn each_flagged_result_is_told_as_an_alert_and_again_only_after_a_run_that_died(
            runs in prop::collection::vec((states(), any::<bool>()), 1..8),
        ) {
            let mut memory = None;
            let mut told: BTreeMap<i32, Vec<(&str, &str)>> = BTreeMap::new();
            for (state, dies) in &runs {
                let (news, after) = run(memory.as_ref(), state);
                for (kind, entry) in &news {
                    if *kind == Kind::Alert {
                        told.entry(*entry).or_default().push(state[entry]);
                    }
                }
                for (entry, (result, completed)) in state.iter().filter(|(_, (result, _))| is_flagged(result) && !result.is_empty()) {
                    let is_it = |(known, at): &(&str, &str)| known == result && (at == completed || at.is_empty() || completed.is_empty());
                    prop_assert!(told.get(entry).is_some_and(|told| told.iter().any(is_it)), "lost: {entry} {result}");
                }
                if !dies {
                    prop_assert_eq!(run(Some(&after), state).0, [], "told twice");
                    memory = Some(after);
                }
            }
        }

        #[test]
        fn in_two_runs_whoever_came_went_or_changed_is_told_and_nobody_else(first in states(), then in states()) {
            let (_, memory) = run(None, &first);
            let told: Vec<i32> = run(Some(&memory), &then).0.into_iter().map(|(_, entry)| entry).collect();
            for entry in 0..4 {
                let result = |state: &State| state.get(&entry).map(|(result, _)| *result);
                if result(&first) != result(&then) {
                    prop_assert!(told.contains(&entry));
                }
                if first.get(&entry) == then.get(&entry) {
                    prop_assert!(!told.contains(&entry));
                }
            }
        }
    }
}
