//! Whether all is as it was when a plan was made: the precondition of each of its lines, read again.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::api::VerifiedList;
use crate::bulk::outcome::{Outcome, RowResult};
use crate::bulk::roster::Roster;
use crate::bulk::sync::classes::Leaver;
use crate::bulk::sync::known_people::KnownPeople;
use crate::bulk::sync::person_keys::PersonKeys;
use crate::bulk::sync::plan_change::{PlanPerson, PlannedChange};
use crate::commands::testtakers::sync_journaled::Journaled;
use crate::journal::synced_rosters::{SyncJournal, SyncedRoster};
use crate::model::projects::ProjectId;
use crate::model::testtakers::{EntryId, TestTaker};

/// What is said of a line whose person was changed.
pub const CHANGED: &str = "is not as it was when the plan was made";

/// How the entry stands that a line removes; there is none for one that is gone.
pub enum Leaving {
    /// As it was.
    Stands(Box<Leaver>),
    /// The entry has changed since the plan, or the person is wanted again; the text says which.
    Changed(&'static str),
}

/// Lines that enrol or change people of one project, as a roster.
pub struct PlannedRows {
    pub roster: Roster,
    /// The places of the lines in the plan, each with its row: two old entries of one person make place for the same row.
    pub lines: Vec<(usize, usize)>,
}

impl PlannedRows {
    /// The people of these lines.
    pub fn new(lines: impl Iterator<Item = usize>, changes: &[PlannedChange]) -> Self {
        let (mut people, mut placed, mut rows) = (Vec::<&PlanPerson>::new(), Vec::new(), HashMap::new());
        for line in lines {
            let Some((_, person)) = changes[line].joins() else { continue };
            let is_pair = changes[line].leaves().is_some();
            let row = if is_pair { *rows.entry(person).or_insert(people.len()) } else { people.len() };
            if row == people.len() {
                people.push(person);
            }
            placed.push((line, row));
        }
        let years: Vec<Option<String>> =
            people.iter().map(|person| person.birth_year.map(|year| year.to_string())).collect();
        let cells = people.iter().zip(&years).map(|(person, year)| {
            let PlanPerson { email, first_name, last_name, birth_year: _, reference_id } = person;
            [email, first_name, last_name, year, reference_id].map(Option::as_deref)
        });
        Self { roster: Roster::of_cells("the plan", cells), lines: placed }
    }

    /// Each line with what belongs to its row.
    pub fn of_lines<'t, T>(&self, of_rows: &'t [T]) -> impl Iterator<Item = (usize, &'t T)> {
        self.lines.iter().map(move |(line, row)| (*line, &of_rows[*row]))
    }

    /// The lines whose row an earlier line has.
    pub fn sharing(&self) -> impl Iterator<Item = usize> {
        let mut seen = HashSet::new();
        self.lines.iter().filter(move |(_, row)| !seen.insert(*row)).map(|(line, _)| *line)
    }
}

/// The people of a project that newer rosters decide about.
struct Newer {
    /// Of the same source, since the plan was made; `None` where there is no such roster.
    here: Option<KnownPeople>,
    /// Of other sources.
    elsewhere: KnownPeople,
}

/// Whether a roster was remembered since a plan of this number was made.
pub fn is_newer(roster: &SyncedRoster, plan: Option<i64>) -> bool {
    roster.number >= plan
}

/// How the entries stand that the lines remove, by the lines' places. `source` and `number` are the plan's.
pub fn leaving(
    (changes, source, number): (&[PlannedChange], &str, Option<i64>),
    journal: &SyncJournal,
    lists: &BTreeMap<ProjectId, VerifiedList>,
    journaled: &BTreeMap<ProjectId, Journaled>,
) -> anyhow::Result<HashMap<usize, Leaving>> {
    let mut newer = HashMap::new();
    for project in lists.keys() {
        let known = journal.recall(*project, source)?.filter(|known| is_newer(known, number));
        let here = known.map(|known| KnownPeople::new(known.people));
        let elsewhere = KnownPeople::new(journal.others(*project, source)?);
        newer.insert(*project, Newer { here, elsewhere });
    }
    let (hasher, mut found) = (journal.hasher(), HashMap::new());
    for (project, list) in lists {
        let planned = changes.iter().enumerate().filter_map(|(line, change)| {
            let (from, entry, was) = change.leaves()?;
            (from == *project).then_some((entry, (line, change, was)))
        });
        let mut planned: HashMap<EntryId, (usize, &PlannedChange, &PlanPerson)> = planned.collect();
        list.each_record(|person: TestTaker| {
            let Some((line, change, was)) = planned.remove(&person.entry_id()) else { return };
            let keys = journaled
                .get(project)
                .map_or_else(|| PersonKeys::of_record(&hasher, &person), |of| of.keys_of(&hasher, &person));
            let stands = match objection(change, (&newer, *project), keys) {
                _ if PlanPerson::of_record(&person) != *was => Leaving::Changed(CHANGED),
                Some(words) => Leaving::Changed(words),
                None => Leaving::Stands(Box::new(Leaver { person, keys })),
            };
            found.insert(line, stands);
        })?;
    }
    Ok(found)
}

/// What newer rosters say against a removal. Of a pair they may want something else altogether: it is planned anew.
fn objection(
    change: &PlannedChange,
    (newer, project): (&HashMap<ProjectId, Newer>, ProjectId),
    keys: PersonKeys,
) -> Option<&'static str> {
    let here = newer.get(&project)?;
    let is_newer = |project: ProjectId| newer.get(&project).is_some_and(|newer| newer.here.is_some());
    match change.joins() {
        _ if here.elsewhere.has_in_last(keys) => Some("is in a newer roster"),
        Some((to, _)) if is_newer(project) || is_newer(to) => Some("a newer roster was synced since"),
        None if here.here.as_ref().is_some_and(|people| people.has_in_last(keys)) => Some("is in a newer roster"),
        _ => None,
    }
}

/// The entries of the plan as a list has them now.
pub fn entries(changes: &[PlannedChange], list: &VerifiedList) -> anyhow::Result<HashMap<EntryId, PlanPerson>> {
    let wanted: HashSet<EntryId> = changes.iter().filter_map(PlannedChange::updated).collect();
    let mut now = HashMap::new();
    list.each_record(|record: TestTaker| {
        if wanted.contains(&record.entry_id()) {
            now.insert(record.entry_id(), PlanPerson::of_record(&record));
        }
    })?;
    Ok(now)
}

/// Whether a person may be enrolled or changed, or was by an earlier run of this plan. `old` is the entry that a pair
/// removes after that.
pub fn holds(
    (change, old): (&PlannedChange, Option<&Leaving>),
    end: &RowResult,
    now: &HashMap<EntryId, PlanPerson>,
) -> bool {
    let joins = matches!(end.outcome, Outcome::WouldEnrol | Outcome::InDoubt | Outcome::NotAttempted);
    let was_enrolled = end.outcome == Outcome::Enrolled;
    match change {
        PlannedChange::Enrol { .. } => joins || was_enrolled,
        PlannedChange::Move { .. } | PlannedChange::Replace { .. } => match old {
            Some(Leaving::Stands(_)) => joins || was_enrolled,
            Some(Leaving::Changed(_)) => false,
            // The old entry is gone: by an earlier run, or the person has left altogether.
            None => was_enrolled,
        },
        PlannedChange::Update { entry, was, .. } => {
            let is_done = end.outcome == Outcome::Existing || was_enrolled;
            (is_done && end.entry == Some(*entry))
                || (end.outcome == Outcome::WouldUpdate && now.get(entry) == Some(was))
        }
        PlannedChange::Remove { .. } => false,
    }
}
