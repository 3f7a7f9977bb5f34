//! What a roster means for a project: who joins, who changes, who leaves, and whether the file is believed (docs/how-it-stays-right.md,
//! sync).
//!
//! All decisions are made here. Nothing is read, sent or written.

#[cfg(test)]
mod model;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::str::FromStr;
use std::time::Duration;

use jiff::Timestamp;
use ring::digest::{SHA256, digest};

use super::compare::{Found, Relation};
use super::outcome::Outcome;
use crate::journal::database::Hash;
use crate::journal::people::Identity;
use crate::journal::rosters::{Memory, Source};
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
    /// The keys of a record's person.
    pub identity: &'a dyn Fn(&TestTaker) -> Identity,
    /// Whom this machine knows by an entry: they may have another reference id since.
    pub known: &'a HashMap<EntryId, Identity>,
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

/// Somebody in the project; among the leavers, somebody who is to be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaver {
    pub entry: EntryId,
    pub identity: Identity,
    /// The key under which this machine knows the entry.
    known: Option<Hash>,
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
    /// Those of them who may be somebody of an earlier roster, as others may who have the same reference id or e-mail.
    pub several: usize,
    /// Those of them who would leave, but whom another source's rosters have not lacked for long enough: each other source
    /// with their number.
    pub kept: Vec<(Source, usize)>,
    /// What is to be remembered before anything is sent.
    pub memory: Memory,
    /// How many people the last roster had; `None` before the first one.
    last: Option<usize>,
    /// How many of them are in this one.
    still: usize,
    /// How many joiners are not of the last roster.
    new: usize,
    file: ApprovalId,
}

/// Compares a roster with its project and with the rosters before it (sync, rules 2, 3 and 6).
pub fn changes(input: &SyncInput<'_>) -> Changes {
    let SyncInput { rows, found, .. } = *input;
    // The entry of a conflict is its row's, so that nobody leaves because their e-mail changed.
    let best = found.iter().filter_map(|found| found.best.as_ref());
    let of_rows: HashSet<EntryId> = best.flat_map(|best| best.entries.clone()).collect();
    let listed = input.listed();
    // A row that contradicts the project may be about anybody whom it names by its reference id or its e-mail.
    let best = rows.iter().zip(found).filter_map(|(row, found)| Some((row, found.best.as_ref()?)));
    let contradicting: Vec<_> = best.filter(|(_, best)| best.relation > Relation::Same).collect();
    let entries: HashSet<EntryId> = contradicting.iter().flat_map(|(_, best)| best.entries.clone()).collect();
    let emails: HashSet<Hash> = contradicting.iter().map(|(row, _)| row.email).collect();
    let is_contradicted = |one: &&Leaver| entries.contains(&one.entry) || emails.contains(&one.identity.email);
    let is_of_row = |one: &&Leaver| of_rows.contains(&one.entry) || emails.contains(&one.identity.email);
    // All keys, so that a person who gets or loses a reference id does not look missing.
    let mut present: HashSet<Hash> = rows.iter().flat_map(|row| [row.key, row.email]).collect();
    let there = listed.iter().filter(is_of_row);
    present.extend(there.flat_map(|one| [Some(one.identity.key), one.known]).flatten());
    let no_memory = Memory::default();
    let before = input.before.unwrap_or(&no_memory);
    let is_new = |row: &Identity| !before.has_any(&[row.key, row.email]);
    let remembered = |one: &&Leaver| one.keys().find(|key| before.0.contains_key(key));
    let of_conflicts = listed.iter().filter(is_contradicted);
    let of_conflicts: HashMap<EntryId, Hash> =
        of_conflicts.filter_map(|one| Some((one.entry, remembered(&one)?))).collect();
    let joiners: Vec<usize> = (0..rows.len()).filter(|row| found[*row].best.is_none()).collect();
    let mut changes = Changes {
        changed: (0..rows.len()).filter(|row| is_changed(&found[*row])).collect(),
        last: input.before.map(Memory::count),
        still: before.0.iter().filter(|(key, missing)| missing.is_none() && present.contains(*key)).count(),
        new: joiners.iter().filter(|row| is_new(&rows[**row])).count(),
        file: file_id(rows, input.people),
        joiners,
        kept: input.others.iter().map(|(source, _)| (source.clone(), 0)).collect(),
        ..Changes::default()
    };
    let others = listed.iter().filter(|one| !is_of_row(one) && !present.contains(&one.identity.key));
    let others: Vec<&Leaver> = others.collect();
    changes.divide(input, before, &others, &listed);
    // Whose reference id is another row's now is known by the one that they have.
    let gave_up = |one: &&&Leaver| one.known.is_some_and(|key| present.contains(&key) && before.0.contains_key(&key));
    let gave_up: Vec<Hash> = others.iter().filter(gave_up).map(|one| one.identity.key).collect();
    let mut listed: HashSet<Hash> = listed.iter().flat_map(Leaver::keys).collect();
    listed.extend(input.fresh);
    let keys = rows.iter().zip(found).filter_map(|(row, found)| key(row, found, &of_conflicts));
    // Somebody of an earlier roster whom a row contradicts is still that person.
    let keys = keys.chain(of_conflicts.values().copied());
    changes.memory =
        if input.lacks_rows { before.joined_by(keys) } else { before.followed_by(keys, &present, &listed, input.now) };
    for key in gave_up {
        changes.memory.0.entry(key).or_insert(Some(input.now));
    }
    changes
}

/// The key under which a row's person is remembered. It is made as the project knows them, so that they can be found
/// missing even while their reference id is not set yet, or contradicts the project's. A row that contradicts somebody who
/// was in no roster makes nobody known.
fn key(row: &Identity, found: &Found, of_conflicts: &HashMap<EntryId, Hash>) -> Option<Hash> {
    let Some(best) = &found.best else { return Some(row.key) };
    let remembered = best.entries.iter().find_map(|entry| of_conflicts.get(entry)).copied();
    remembered.or(match best.relation {
        Relation::SameEmail => Some(row.email),
        Relation::Own | Relation::Same => Some(row.key),
        _ => None,
    })
}

fn is_changed(found: &Found) -> bool {
    found.best.as_ref().is_some_and(|best| best.is_changeable() && best.end().outcome == Outcome::Existing)
}

impl Leaver {
    /// The keys under which rosters may have had them, the surest first, each with its place.
    fn ranked(&self) -> impl Iterator<Item = (Hash, usize)> {
        let Identity { key, email } = self.identity;
        [self.known, Some(key), Some(email)].into_iter().zip(0..).filter_map(|(key, place)| Some((key?, place)))
    }

    /// The same without places.
    pub fn keys(&self) -> impl Iterator<Item = Hash> {
        self.ranked().map(|(key, _)| key)
    }
}

impl SyncInput<'_> {
    fn listed(&self) -> Vec<Leaver> {
        let leaver = |(at, record): (usize, &TestTaker)| {
            let (entry, identity) = (record.entry_id()?, (self.identity)(record));
            // Whoever has neither id nor e-mail of the one before is somebody else.
            let is_same = |known: &&Identity| known.key == identity.key || known.email == identity.email;
            Some(Leaver { entry, identity, known: self.known.get(&entry).filter(is_same).map(|known| known.key), at })
        };
        let mut listed: Vec<Leaver> = self.list.iter().enumerate().filter_map(leaver).collect();
        // A reference id that somebody had before may be another one's now.
        let before = listed.iter().filter_map(|one| one.known.filter(|known| *known != one.identity.key));
        let before: HashSet<Hash> = before.collect();
        let taken = listed.iter().map(|one| one.identity.key).filter(|key| before.contains(key));
        let taken: HashSet<Hash> = taken.collect();
        for one in &mut listed {
            one.known = one.known.filter(|known| *known == one.identity.key || !taken.contains(known));
        }
        listed
    }
}

impl Changes {
    /// Divides people of the project who are in no row into leavers and others. Of several people whom a remembered key fits,
    /// it means the one whom it fits most surely, and nobody where there are two of them.
    fn divide(&mut self, input: &SyncInput<'_>, before: &Memory, people: &[&Leaver], listed: &[Leaver]) {
        let asked: HashSet<Hash> = people.iter().flat_map(|one| one.keys()).collect();
        let mut surest: HashMap<Hash, (usize, usize)> = HashMap::new();
        for (key, place) in listed.iter().flat_map(Leaver::ranked).filter(|(key, _)| asked.contains(key)) {
            let (best, count) = surest.entry(key).or_insert((place, 0));
            match place.cmp(best) {
                Ordering::Less => (*best, *count) = (place, 1),
                Ordering::Equal => *count += 1,
                Ordering::Greater => {}
            }
        }
        let is_long = |since: Timestamp, until| since.saturating_add(input.absent_for).is_ok_and(|due| due <= until);
        for one in people {
            let of_few = |is_one: bool| {
                let few = one.ranked().filter(|(key, place)| surest[key].0 == *place && (surest[key].1 == 1) == is_one);
                few.map(|(key, _)| key).collect::<Vec<_>>()
            };
            let own = of_few(true);
            let since = before.missing_since(&own).or_else(|| before.has_any(&own).then_some(input.now));
            let is_due = !input.lacks_rows && since.is_some_and(|since| is_long(since, input.now));
            // What another source's next roster says is not known yet.
            let keys: Vec<Hash> = one.keys().collect();
            let keeps = |(source, memory): &(Source, Memory)| {
                memory.has_any(&keys) || memory.missing_since(&keys).is_some_and(|since| !is_long(since, source.at))
            };
            match input.others.iter().position(keeps) {
                None if is_due => self.leavers.push(**one),
                Some(at) if is_due => self.kept[at].1 += 1,
                _ if since.is_some() => self.missing += 1,
                _ => self.several += usize::from(of_few(false).iter().any(|key| before.0.contains_key(key))),
            }
        }
        self.others = people.len() - self.leavers.len();
    }

    /// Why this is probably another file than it should be (sync, rule 4).
    fn doubt(&self) -> Option<String> {
        let last = self.last?;
        if self.still * 2 < last {
            return Some(format!(
                "the last file had {} people, and this one has only {} of them",
                grouped(last),
                grouped(self.still)
            ));
        }
        let other = self.new + self.changed.len();
        (other >= FEW && other * 10 > last * 3).then(|| {
            format!("{} of its people are new or changed, and the last file had {}", grouped(other), grouped(last))
        })
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
    id.ok_or("must be the id (10 letters and digits) that the held sync printed")
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
