//! What a roster means for a project: who joins, who changes, who leaves, and whether the file is believed (docs/how-it-stays-right.md,
//! sync).
//!
//! All decisions are made here. Nothing is read, sent or written.

#[cfg(test)]
mod model;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::str::FromStr;
use std::time::Duration;

use jiff::Timestamp;
use ring::digest::{SHA256, digest};

use super::compare::{Found, Match};
use super::known::KnownPeople;
use super::outcome::{Outcome, RowEnd};
use crate::journal::database::Hash;
use crate::journal::people::Identity;
use crate::journal::rosters::{Memory, Source, entry_key};
use crate::model::people::{EntryId, NewTestTaker, TestTaker};
use crate::model::text::grouped;

/// Fewer new and changed people than this are never too many.
const FEW: usize = 20;

/// What a roster is compared with.
pub struct SyncInput<'a> {
    /// The people of the roster, each of them once.
    pub people: &'a [NewTestTaker],
    /// Their keys.
    pub rows: &'a [Identity],
    /// The whole list of the project.
    pub list: &'a [TestTaker],
    /// What it shows of each row.
    pub found: &'a [Found],
    /// The keys of people whom it may not show yet.
    pub fresh: &'a HashSet<Hash>,
    /// The keys of a record's person. Asked of people in no row only: there are few.
    pub identity: &'a dyn Fn(&TestTaker) -> Identity,
    /// Whom this machine knows by an entry, by each of their rows: they may have another reference id since.
    pub known: &'a KnownPeople,
    /// What this source's rosters said until now; `None` before its first one.
    pub before: Option<&'a Memory>,
    /// What the rosters of the project's other sources said.
    pub others: &'a [(Source, Memory)],
    /// Leavers have been missing from every roster for at least this long.
    pub absent_for: Duration,
    /// Rows with mistakes were left out: nobody leaves or is missing, because such a row may be theirs.
    pub lacks_rows: bool,
    pub now: Timestamp,
}

/// Somebody in the project who is in no row; among the leavers, somebody who is to be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaver {
    pub entry: EntryId,
    pub identity: Identity,
    /// Where the list has them.
    pub at: usize,
}

/// What a roster changes in its project.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Rows of people who are not in the project.
    pub joiners: Vec<usize>,
    /// Rows of people whom the project has with other names, or without their reference id.
    pub changed: Vec<usize>,
    pub leavers: Vec<Leaver>,
    /// People in the project who are in no row and stay.
    pub others: usize,
    /// Those of them who are missing from this source's rosters, but not for long enough.
    pub missing: usize,
    /// Those of them who are of another source alone, or would leave if it had lacked them for long enough: each other source
    /// with their number.
    pub kept: Vec<(Source, usize)>,
    /// What is to be remembered before anything is sent.
    pub memory: Memory,
    /// How many people the last roster had; `None` before the first one.
    last: Option<usize>,
    /// How many of them are in this one.
    still: usize,
    /// How many joiners are not of the last roster, and how many people have lost their reference id.
    unlike: usize,
    file: ApprovalId,
}

/// Compares a roster with its project and with the rosters before it (sync, rules 2, 3 and 6).
pub fn changes(input: &SyncInput<'_>) -> Changes {
    let SyncInput { rows, found, .. } = *input;
    let joiners: Vec<usize> = (0..rows.len()).filter(|row| found[*row].best.is_none()).collect();
    // Nobody leaves whom a row may be about. A list that lags does not show everybody who is known.
    let had = |row: &Identity| input.known.of(*row).and_then(|known| known.state.entry());
    let unseen = rows.iter().zip(found).filter(|(_, found)| found.best.is_none() && found.passed_on.is_none());
    let unseen = unseen.filter_map(|(row, _)| had(row));
    let of_rows: HashSet<EntryId> = found.iter().flat_map(Found::named).chain(unseen).collect();
    let entries = input.list.iter().enumerate().filter_map(|(at, record)| Some((at, record, record.entry_id()?)));
    let others = entries.filter(|(_, _, entry)| !of_rows.contains(entry));
    let others = others.map(|(at, record, entry)| Leaver { entry, identity: (input.identity)(record), at });
    let others: Vec<Leaver> = others.collect();
    let mut present: HashSet<Hash> = rows.iter().flat_map(|row| [row.key, row.email]).collect();
    present.extend(of_rows.iter().copied().map(entry_key));
    let is_changed = |best: &Match| best.is_changeable() && best.end().outcome == Outcome::Existing;
    let no_memory = Memory::default();
    let before = input.before.unwrap_or(&no_memory);
    let is_known = |entry: &EntryId| before.0.contains_key(&entry_key(*entry));
    let is_new = |row: &&usize| {
        let Identity { key, email } = rows[**row];
        let keys = [Some(key), Some(email), had(&rows[**row]).map(entry_key)];
        !keys.iter().flatten().any(|key| before.0.get(key) == Some(&None))
    };
    // An export that lost its reference ids enrols whoever has a new address as well once more.
    let has_lost_id = |row: &usize| {
        let best = found[*row].best.as_ref().filter(|_| rows[*row].reference().is_none());
        let mut known = best.into_iter().flat_map(|best| input.known.of_entry(best.entries[0])).peekable();
        known.peek().is_some() && known.all(|known| known.identity.reference().is_some())
    };
    let mut changes = Changes {
        changed: (0..rows.len()).filter(|row| found[*row].best.as_ref().is_some_and(is_changed)).collect(),
        last: input.before.map(Memory::count),
        still: before.0.iter().filter(|(key, missing)| missing.is_none() && present.contains(*key)).count(),
        unlike: joiners.iter().filter(is_new).count() + (0..rows.len()).filter(has_lost_id).count(),
        file: file_id(rows, input.people),
        kept: input.others.iter().map(|(source, _)| (source.clone(), 0)).collect(),
        ..Changes::default()
    };
    changes.divide(input, before, &others);
    // Somebody of an earlier roster whom a row contradicts is still that person, and nobody else becomes ours by it.
    let of_row = |(row, found): (&Identity, &Found)| match &found.best {
        None => vec![row.key],
        Some(best) if best.end().outcome == Outcome::Existing => vec![entry_key(best.entries[0])],
        Some(_) => found.named().filter(is_known).map(entry_key).collect(),
    };
    let roster = rows.iter().zip(found).flat_map(of_row);
    let there = others.iter().flat_map(|one| [entry_key(one.entry), one.identity.key, one.identity.email]);
    let there: HashSet<Hash> = there.chain(input.fresh.iter().copied()).collect();
    changes.memory = if input.lacks_rows {
        before.joined_by(roster, &present)
    } else {
        before.followed_by(roster, &present, &there, input.now)
    };
    changes.joiners = joiners;
    changes
}

impl SyncInput<'_> {
    /// Since when somebody is missing from the rosters of a source; the latest time there is for people of its last one. `None`
    /// for people of none.
    fn missing(&self, one: &Leaver, source: &Memory) -> Option<Timestamp> {
        let is_theirs = |known: &Identity| known.key == one.identity.key || known.email == one.identity.email;
        let mut known = self.known.of_entry(one.entry).map(|known| known.identity).peekable();
        if known.peek().is_some() && !known.any(|known| is_theirs(&known)) {
            // In the portal, the record was given to somebody else.
            return None;
        }
        let of_row = || self.known.of_entry(one.entry).find_map(|known| source.0.get(&known.identity.key));
        let missing = source.0.get(&entry_key(one.entry)).or_else(of_row).copied();
        missing.map(|since| since.unwrap_or(Timestamp::MAX))
    }
}

impl Changes {
    /// Divides people of the project who are in no row into leavers and others.
    fn divide(&mut self, input: &SyncInput<'_>, before: &Memory, people: &[Leaver]) {
        let is_long = |since: Timestamp, until| since.saturating_add(input.absent_for).is_ok_and(|due| due <= until);
        for one in people {
            let since = input.missing(one, before).map(|since| since.min(input.now));
            let is_due = !input.lacks_rows && since.is_some_and(|since| is_long(since, input.now));
            // What another source's next roster says is not known yet.
            let keeps = |(source, memory): &(Source, Memory)| {
                input.missing(one, memory).is_some_and(|gone| since.is_none() || !is_long(gone, source.at))
            };
            match input.others.iter().position(keeps) {
                None if is_due => self.leavers.push(*one),
                Some(at) if is_due || since.is_none() => self.kept[at].1 += 1,
                _ => self.missing += usize::from(since.is_some()),
            }
        }
        self.others = people.len() - self.leavers.len();
    }

    /// The memory after the joiners were enrolled, who are remembered by their entries then: their reference ids may change.
    pub fn memory_after(&self, rows: &[Identity], ends: &[RowEnd]) -> Memory {
        let mut memory = self.memory.clone();
        let enrolled = self.joiners.iter().filter(|row| ends[**row].outcome == Outcome::Enrolled);
        for (row, entry) in enrolled.filter_map(|row| Some((*row, ends[*row].entry?))) {
            if memory.0.remove(&rows[row].key).is_some() {
                memory.0.insert(entry_key(entry), None);
            }
        }
        memory
    }

    /// Why this is probably another file than it should be (sync, rule 4).
    fn doubt(&self) -> Option<String> {
        let (last, new) = (self.last?, self.unlike + self.changed.len());
        let [few, all, many] = [self.still, last, new].map(grouped);
        if self.still * 2 < last {
            return Some(format!(
                "has only {few} of the {all} people synced last time (if it is a different list, add --source NAME)"
            ));
        }
        let is_other = new >= FEW && new * 10 > last * 3;
        is_other
            .then(|| format!("has {many} people who are new, changed or without their id; last time {all} were synced"))
    }
}

/// What is to be done with the changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    Follow,
    /// Everything is followed, but nobody is removed: they are too many (sync, rule 5).
    LeaversHeld(ApprovalId),
    /// Nothing is done, and nothing remembered, because of this.
    NotBelieved(ApprovalId, String),
}

/// Decides whether changes are made. What was approved is let through, and nothing else (sync, rules 4, 5 and 8).
pub fn judge(changes: &Changes, limit: LeaverLimit, approved: Option<ApprovalId>) -> Judgement {
    let leavers = leavers_id(&changes.leavers);
    match changes.doubt() {
        Some(why) if approved != Some(changes.file) => Judgement::NotBelieved(changes.file, why),
        _ if changes.leavers.len() > limit.people(changes.last.unwrap_or(0)) && approved != Some(leavers) => {
            Judgement::LeaversHeld(leavers)
        }
        _ => Judgement::Follow,
    }
}

/// `--max-leavers`: how many people may leave in one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LeaverLimit {
    /// The larger of 5 and 5 % of the last roster.
    #[default]
    Usual,
    People(usize),
    /// Of the last roster, rounded down.
    Percent(usize),
}

impl LeaverLimit {
    fn people(self, last: usize) -> usize {
        match self {
            Self::Usual => (last / 20).max(5),
            Self::People(people) => people,
            Self::Percent(percent) => last * percent / 100,
        }
    }
}

impl FromStr for LeaverLimit {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = "must be a number of people such as 20, or a share of the last file such as 10%";
        match text.strip_suffix('%') {
            Some(percent) => percent.parse().ok().filter(|percent| *percent <= 100).map(Self::Percent).ok_or(wrong),
            None => text.parse().map(Self::People).map_err(|_| wrong),
        }
    }
}

/// Names exactly these people of a file, or exactly these leavers; printed as ten hexadecimal digits. Made of keyed hashes,
/// so it reveals nothing about them.
pub type ApprovalId = u64;

/// Reads an id as it is printed.
pub fn approval_id(text: &str) -> Result<ApprovalId, &'static str> {
    let id = u64::from_str_radix(text, 16).ok().filter(|_| text.len() == 10);
    id.ok_or("must be the ID of 10 characters that sync printed")
}

/// An id of these parts, whatever their order.
fn id_of(mut parts: Vec<Vec<u8>>) -> ApprovalId {
    parts.sort_unstable();
    let first = digest(&SHA256, &parts.concat()).as_ref().first_chunk().copied().unwrap_or_default();
    u64::from_be_bytes(first) >> 24
}

fn file_id(rows: &[Identity], people: &[NewTestTaker]) -> ApprovalId {
    let part = |(row, person): (&Identity, &NewTestTaker)| {
        let [first, last] = [&person.first_name, &person.last_name].map(|name| name.as_deref().unwrap_or_default());
        let year = person.birth_year.unwrap_or_default().to_be_bytes();
        [&row.key[..], &row.email, first.as_bytes(), b"\0", last.as_bytes(), b"\0", &year].concat()
    };
    id_of(rows.iter().zip(people).map(part).collect())
}

fn leavers_id(leavers: &[Leaver]) -> ApprovalId {
    let part = |one: &Leaver| [&one.entry.0.to_be_bytes()[..], &one.identity.key, &one.identity.email].concat();
    id_of(leavers.iter().map(part).collect())
}
