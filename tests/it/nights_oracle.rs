//! What the rules of following a file say of a night. Written from the rules alone: it knows none of the code that it judges.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::nights_site::Card;

/// People of earlier rosters, each with the rosters in a row that lacked them.
type Known = BTreeMap<String, u8>;

/// What is remembered of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Memory {
    known: Known,
    /// What the last roster said.
    rows: Vec<Card>,
    /// When the last roster was synced that counted, in hours.
    counted: u64,
}

/// The rules that a site chose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Chosen {
    pub(crate) replaces_renamed: bool,
    /// By their keys.
    pub(crate) keep: BTreeSet<String>,
}

/// The project, and what is remembered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Oracle {
    pub(crate) list: Vec<Card>,
    pub(crate) memory: BTreeMap<&'static str, Memory>,
    pub(crate) chosen: Chosen,
    /// Old entries of people who are called otherwise and whom a person let go, by reference id and e-mail.
    let_go: BTreeSet<(String, String)>,
    /// The file that a person let through.
    let_through: Option<Vec<Card>>,
}

/// What must come of a night.
#[derive(Clone, Debug)]
pub(crate) struct Expected {
    pub(crate) code: i32,
    /// What is so from then on.
    pub(crate) after: Oracle,
    pub(crate) joined: Vec<Card>,
    pub(crate) left: Vec<Card>,
    /// People who would leave, and wait for a person's approval.
    pub(crate) held: Vec<Card>,
    /// Of those, old entries that another e-mail is to take the place of.
    pub(crate) held_renamed: BTreeSet<Card>,
    /// A file that goes beyond a limit may be let through.
    pub(crate) is_over_limit: bool,
}

/// How a row stands.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Stands {
    Joins,
    Same(usize),
    Changes(usize),
    /// The reference id is these entries', and the e-mail is not; it may be another entry's.
    Renamed(Vec<usize>, bool),
    Replaces(Vec<usize>),
    /// Stands, beside the old entries of replacements that killed runs began.
    Finishes(Vec<usize>),
    Conflict,
}

impl Oracle {
    pub(crate) fn new(chosen: Chosen) -> Self {
        Self { chosen, ..Self::default() }
    }

    pub(crate) fn counts(&self, source: &str, hour: u64) -> bool {
        self.memory.get(source).is_none_or(|memory| hour >= memory.counted + 12)
    }

    pub(crate) fn refused(&self) -> Expected {
        Expected {
            code: 5,
            after: self.clone(),
            joined: Vec::new(),
            left: Vec::new(),
            held: Vec::new(),
            held_renamed: BTreeSet::new(),
            is_over_limit: false,
        }
    }

    /// The person who looks lets the refused file through once.
    pub(crate) fn lets_through(&mut self, rows: &[Card]) {
        self.let_through = Some(rows.to_vec());
    }

    /// The person who looks removes those who are held.
    pub(crate) fn lets_go(&mut self, source: &str, expected: &Expected) {
        let leave: BTreeSet<&Card> =
            expected.held.iter().filter(|held| !expected.held_renamed.contains(held)).collect();
        self.list.retain(|card| !leave.contains(card));
        let memory = self.memory.get_mut(source).expect("a roster was remembered");
        for key in leave.iter().flat_map(|card| card.keys()) {
            if memory.known.get(&key) > Some(&0) {
                memory.known.remove(&key);
            }
        }
        self.let_go.extend(expected.held_renamed.iter().map(place));
    }

    /// A night with a file that can be read.
    pub(crate) fn night(&self, source: &'static str, rows: &[Card], hour: u64) -> Expected {
        if rows.is_empty() {
            return self.refused();
        }
        let memory = self.memory.get(source);
        let before = memory.map(|memory| memory.known.clone()).unwrap_or_default();
        let file: BTreeSet<String> = rows.iter().flat_map(Card::keys).collect();
        let counts = memory.is_some_and(|memory| memory.rows != rows) && self.counts(source, hour);
        let mut known: Known = before
            .iter()
            .filter(|(key, _)| !file.contains(*key))
            .map(|(key, absences)| (key.clone(), absences.saturating_add(u8::from(counts))))
            .collect();
        known.extend(rows.iter().map(|row| (row.key(), 0)));

        let mut stands = self.stand(rows);
        let (mut leavers, staying) = self.absent(source, rows, &known);
        leave_alike(rows, &mut stands, (&mut leavers, staying));
        if self.chosen.replaces_renamed {
            for row in &mut stands {
                if let Stands::Renamed(old, false) = row
                    && old.iter().all(|at| self.may_replace(source, *at, &before))
                {
                    *row = Stands::Replaces(std::mem::take(old));
                }
            }
        }
        let is_let_through = self.let_through.as_deref() == Some(rows);
        // A file that says what the last one said has not shrunk.
        let last = before.values().filter(|absences| **absences == 0).count();
        let last = if memory.is_some_and(|memory| memory.rows == rows) { rows.len() } else { last };
        let changes = stands.iter().filter(|stands| self.changes(stands)).count();
        if is_beyond_limits((rows, &stands, changes), (&before, last), &file) && !is_let_through {
            return Expected { is_over_limit: true, ..self.refused() };
        }
        let mut done = self.carry_out(rows, &stands, &leavers, before.len());
        done.after.let_through = None;
        let there: BTreeSet<String> =
            self.list.iter().filter(|card| !done.left.contains(card)).flat_map(Card::keys).collect();
        known.retain(|key, absences| *absences == 0 || there.contains(key));
        let counted = if counts || memory.is_none() { hour } else { memory.map_or(hour, |memory| memory.counted) };
        done.after.memory.insert(source, Memory { known, rows: rows.to_vec(), counted });
        done
    }

    /// How each row stands in the list.
    fn stand(&self, rows: &[Card]) -> Vec<Stands> {
        let (mut by_reference, mut by_email) =
            (HashMap::<&str, Vec<usize>>::new(), HashMap::<String, Vec<usize>>::new());
        for (at, card) in self.list.iter().enumerate() {
            if !card.reference.is_empty() {
                by_reference.entry(card.reference.as_str()).or_default().push(at);
            }
            by_email.entry(card.email_key()).or_default().push(at);
        }
        let stand = |row: &Card| {
            let same_email = by_email.get(&row.email_key()).cloned().unwrap_or_default();
            let same_id = by_reference.get(row.reference.as_str()).map_or(&[][..], Vec::as_slice);
            let both = same_id.iter().copied().find(|at| same_email.contains(at));
            let old: Vec<usize> = same_id.iter().copied().filter(|at| !same_email.contains(at)).collect();
            if both.is_some() && !old.is_empty() && self.chosen.replaces_renamed {
                return Stands::Finishes(old);
            }
            let own = match both {
                Some(at) => at,
                None if !old.is_empty() => return Stands::Renamed(old, !same_email.is_empty()),
                None => match same_email.first() {
                    Some(at) if row.reference.is_empty() || self.list[*at].reference.is_empty() => *at,
                    Some(_) => return Stands::Conflict,
                    None => return Stands::Joins,
                },
            };
            let entry = &self.list[own];
            if differs(&row.year, &entry.year) && !entry.year.is_empty() {
                return Stands::Conflict;
            }
            let changes = [(&row.first, &entry.first), (&row.last, &entry.last), (&row.reference, &entry.reference)];
            if changes.into_iter().any(|(row, entry)| differs(row, entry)) {
                Stands::Changes(own)
            } else {
                Stands::Same(own)
            }
        };
        rows.iter().map(stand).collect()
    }

    /// People of the list who have nothing to do with any row: those who leave, and the known ones who stay for now.
    fn absent(&self, source: &str, rows: &[Card], known: &Known) -> (Vec<Card>, Vec<Card>) {
        let file: BTreeSet<String> = rows.iter().flat_map(Card::keys).collect();
        let is_first = !self.memory.contains_key(source);
        let absent = self.list.iter().filter(|card| !card.keys().iter().any(|key| file.contains(key)));
        let known_ones =
            absent.filter_map(|card| Some((card, card.keys().iter().filter_map(|key| known.get(key)).min().copied()?)));
        let (leave, stay): (Vec<_>, Vec<_>) = known_ones.partition(|(card, absences)| {
            *absences >= 2 && !is_first && !self.is_kept(card) && !self.is_elsewhere(source, card)
        });
        let cards = |people: Vec<(&Card, u8)>| people.into_iter().map(|(card, _)| card.clone()).collect();
        (cards(leave), cards(stay))
    }

    fn is_kept(&self, card: &Card) -> bool {
        card.keys().iter().any(|key| self.chosen.keep.contains(key))
    }

    /// Whether another source's last roster has the person.
    fn is_elsewhere(&self, source: &str, card: &Card) -> bool {
        let others = self.memory.iter().filter(|(other, _)| **other != source);
        others.into_iter().any(|(_, memory)| card.keys().iter().any(|key| memory.known.get(key) == Some(&0)))
    }

    fn may_replace(&self, source: &str, at: usize, before: &Known) -> bool {
        let entry = &self.list[at];
        before.contains_key(&entry.key()) && !self.is_kept(entry) && !self.is_elsewhere(source, entry)
    }

    /// Whether a row counts for the limit of changes: where changed e-mails are replaced, each of them does.
    fn changes(&self, stands: &Stands) -> bool {
        match stands {
            Stands::Changes(_) | Stands::Replaces(_) | Stands::Finishes(_) => true,
            Stands::Renamed(..) => self.chosen.replaces_renamed,
            Stands::Joins | Stands::Same(_) | Stands::Conflict => false,
        }
    }

    fn carry_out(&self, rows: &[Card], stands: &[Stands], leavers: &[Card], known: usize) -> Expected {
        let mut done = Expected { code: 0, ..self.refused() };
        let mut going: Vec<Card> = leavers.to_vec();
        let replaced: Vec<Card> = stands
            .iter()
            .flat_map(|stands| match stands {
                Stands::Replaces(old) | Stands::Finishes(old) => old.as_slice(),
                _ => &[],
            })
            .map(|at| self.list[*at].clone())
            .collect();
        going.extend(replaced.iter().filter(|card| !self.let_go.contains(&place(card))).cloned());
        let is_held = going.len() > (known / 20).max(5);
        let waits = |card: &Card| is_held && !self.let_go.contains(&place(card));
        done.held_renamed = replaced.iter().filter(|card| waits(card)).cloned().collect();
        done.left = if is_held { Vec::new() } else { leavers.to_vec() };
        done.left.extend(replaced.iter().filter(|card| !waits(card)).cloned());
        if is_held {
            done.held = going;
        }
        let list = &mut done.after.list;
        for (row, stands) in rows.iter().zip(stands) {
            match stands {
                Stands::Joins => done.joined.push(row.clone()),
                Stands::Changes(at) => {
                    let entry = &mut list[*at];
                    for (row, entry) in [
                        (&row.first, &mut entry.first),
                        (&row.last, &mut entry.last),
                        (&row.reference, &mut entry.reference),
                    ] {
                        if !row.is_empty() {
                            entry.clone_from(row);
                        }
                    }
                }
                Stands::Replaces(old) if !old.iter().any(|at| waits(&self.list[*at])) => done.joined.push(row.clone()),
                Stands::Renamed(..) | Stands::Conflict => done.code = 10,
                Stands::Same(_) | Stands::Replaces(_) | Stands::Finishes(_) => {}
            }
        }
        list.retain(|card| !done.left.contains(card));
        list.extend(done.joined.iter().cloned());
        if is_held {
            done.code = 11;
        }
        done
    }
}

/// An entry by what a person who let it go saw of it; names may be set since.
fn place(card: &Card) -> (String, String) {
    (card.reference.clone(), card.email_key())
}

/// Whether a row says otherwise than an entry; an empty cell says nothing.
fn differs(row: &str, entry: &str) -> bool {
    !row.is_empty() && row != entry
}

/// A joiner and a known person who is absent may be one, where nothing but the names can tell: both are left alone.
fn leave_alike(rows: &[Card], stands: &mut [Stands], (leavers, staying): (&mut Vec<Card>, Vec<Card>)) {
    let absent: Vec<Card> = leavers.iter().cloned().chain(staying).collect();
    for (row, stands) in rows.iter().zip(stands).filter(|(_, stands)| **stands == Stands::Joins) {
        let is_alike = |card: &Card| {
            let names = |card: &Card| (card.first.to_lowercase(), card.last.to_lowercase());
            let has_name = !row.first.is_empty() || !row.last.is_empty();
            let years = row.year.is_empty() || card.year.is_empty() || row.year == card.year;
            has_name && names(row) == names(card) && years && (row.reference.is_empty() || card.reference.is_empty())
        };
        if absent.iter().any(is_alike) {
            *stands = Stands::Conflict;
            leavers.retain(|card| !is_alike(card));
        }
    }
}

/// The limits of a file, from ten known people on.
fn is_beyond_limits(
    (rows, stands, changes): (&[Card], &[Stands], usize),
    (before, last): (&Known, usize),
    file: &BTreeSet<String>,
) -> bool {
    let known = before.len();
    if known < 10 {
        return false;
    }
    let joiners = stands.iter().filter(|stands| **stands == Stands::Joins).count();
    let is_many = |people: usize| people >= 10 && people * 10 > known * 3;
    let has_others = before.keys().filter(|key| file.contains(*key)).count() * 2 < known;
    let has_shrunk = rows.len() * 5 < last * 4;
    has_others || has_shrunk || is_many(joiners) || is_many(changes)
}
