//! What the rules say of people who move between the projects of a file, whatever run was killed. Written from the rules alone.

use std::collections::{BTreeMap, BTreeSet};

use crate::nights_site::Card;

/// A person in a project: the reference id, and the project's number.
pub(crate) type Place = (String, usize);

/// A night's file: where each person stands in it, and how they are called.
pub(crate) type File = BTreeMap<Place, Card>;

/// The lists of all projects.
pub(crate) type Lists = Vec<Vec<Card>>;

/// So many people may leave a project at once, at least.
const FEW: usize = 5;

/// What may be remembered. Of runs that were killed it is not certain, and what lets more people leave counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Remembered {
    /// Known people of the projects, each with the most rosters in a row that may have lacked them.
    absent: BTreeMap<Place, u8>,
    /// Of those, the ones who are known for certain. Whom a killed run enrolled is in no roster: a stray, who is left alone.
    certain: BTreeSet<Place>,
    /// Moves that may have been begun and not ended: the person, from where, and where to.
    begun: BTreeSet<(String, usize, usize)>,
    /// The last file, where it is certain that it was followed to its end.
    last: Option<File>,
}

/// A night: its file, the lists at its beginning, and who may leave.
#[derive(Clone, Debug)]
pub(crate) struct Expected {
    pub(crate) file: File,
    pub(crate) before: Lists,
    known: Remembered,
    /// What is remembered once the file was followed to its end.
    after: BTreeMap<Place, u8>,
}

/// The people of the lists, but for those without a reference id, who are nobody's of the file.
fn places(lists: &Lists) -> BTreeMap<Place, Vec<&Card>> {
    let mut places: BTreeMap<Place, Vec<&Card>> = BTreeMap::new();
    for (project, list) in lists.iter().enumerate() {
        for card in list.iter().filter(|card| !card.reference.is_empty()) {
            places.entry((card.reference.clone(), project)).or_default().push(card);
        }
    }
    places
}

impl Remembered {
    /// Whether the last file was followed to its end, so that nothing of it is under way.
    pub(crate) fn is_certain(&self) -> bool {
        self.last.is_some() && self.begun.is_empty()
    }

    /// The next night. `counts`: its gaps are absences, unless it says what the last one said.
    pub(crate) fn night(&self, file: File, before: Lists, counts: bool) -> Expected {
        let counts = counts && self.last.as_ref() != Some(&file);
        let lacking = self.absent.iter().filter(|(place, _)| !file.contains_key(*place));
        let after = lacking.map(|(place, absences)| (place.clone(), absences.saturating_add(u8::from(counts))));
        let after = after.chain(file.keys().map(|place| (place.clone(), 0))).collect();
        Expected { file, before, known: self.clone(), after }
    }

    /// After a night whose file was followed to its end: what is remembered is certain, and who is off the list and out of
    /// the file is forgotten.
    pub(crate) fn follow(&mut self, night: &Expected, now: &Lists) {
        let now = places(now);
        self.absent.clone_from(&night.after);
        self.absent.retain(|place, _| night.file.contains_key(place) || now.contains_key(place));
        self.certain.retain(|place| now.contains_key(place));
        self.certain.extend(night.file.keys().cloned());
        self.begun.clear();
        self.last = Some(night.file.clone());
    }

    /// After a night of which no run came to its end: its roster may be remembered or not.
    pub(crate) fn give_up(&mut self, night: &Expected) {
        for (place, absences) in &night.after {
            let known = self.absent.entry(place.clone()).or_insert(*absences);
            *known = (*known).max(*absences);
        }
        let moves: Vec<(String, usize, usize)> = night.moves().collect();
        let brought = moves.iter().filter(|(who, from, _)| self.certain.contains(&(who.clone(), *from)));
        let brought: Vec<Place> = brought.map(|(who, _, to)| (who.clone(), *to)).collect();
        self.certain.extend(brought);
        self.begun.extend(moves);
        self.last = None;
    }
}

impl Expected {
    /// Everyone who stands in one project, and in the file in another one.
    fn moves(&self) -> impl Iterator<Item = (String, usize, usize)> {
        places(&self.before).into_keys().filter(|place| !self.file.contains_key(place)).flat_map(|(who, from)| {
            let there = self.file.keys().filter(|(other, _)| *other == who).map(|(_, to)| *to);
            there.map(|to| (who.clone(), from, to)).collect::<Vec<_>>()
        })
    }

    fn is_in_file(&self, who: &str) -> bool {
        self.file.keys().any(|(other, _)| other == who)
    }

    /// Whether a person may leave a project for another one, where the lists are `now` so.
    fn may_move(&self, (who, from): &Place, now: &BTreeMap<Place, Vec<&Card>>) -> bool {
        let before = places(&self.before);
        self.file.keys().filter(|(other, _)| other == who).any(|(_, to)| {
            let there = (who.clone(), *to);
            let joins = !before.contains_key(&there) || self.known.begun.contains(&(who.clone(), *from, *to));
            to != from && now.contains_key(&there) && joins
        })
    }

    /// Whether a person may leave a project for being absent from it.
    fn may_leave(&self, place: &Place) -> bool {
        self.known.absent.contains_key(place) && self.after.get(place) >= Some(&2) && !self.file.contains_key(place)
    }

    /// Old entries that are gone.
    fn gone<'a>(&'a self, now: &BTreeMap<Place, Vec<&Card>>) -> Vec<(Place, &'a Card)> {
        let before = places(&self.before).into_iter();
        let gone = before.flat_map(|(place, cards)| {
            let there = now.get(&place).map_or(&[][..], Vec::as_slice);
            let gone = cards.into_iter().filter(|card| there.iter().all(|other| other.email_key() != card.email_key()));
            gone.map(|card| (place.clone(), card)).collect::<Vec<_>>()
        });
        gone.collect()
    }

    /// Whether the lists can be what some part of the night's work made of them; else which rule was broken.
    pub(crate) fn may_stand(&self, now: &Lists, is_approved: bool) -> Result<(), String> {
        let (before, stand) = (places(&self.before), places(now));
        for ((who, project), cards) in &stand {
            let was = before.get(&(who.clone(), *project)).map_or(&[][..], Vec::as_slice);
            for card in cards {
                let count =
                    |cards: &[&Card]| cards.iter().filter(|other| other.email_key() == card.email_key()).count();
                if count(cards) > 1 && count(cards) > count(was) {
                    return Err(format!("enrolled twice: {who} in project {project}"));
                }
                let wanted = self.file.get(&(who.clone(), *project));
                if count(was) == 0 && wanted.is_none_or(|wanted| wanted.email_key() != card.email_key()) {
                    return Err(format!("enrolled, and not so in the file: {who} in project {project}"));
                }
            }
        }
        let gone = self.gone(&stand);
        for (place, _) in &gone {
            let is_replaced = self.file.contains_key(place) && stand.contains_key(place);
            if !(is_replaced || self.may_move(place, &stand) || self.may_leave(place)) {
                return Err(format!("removed outside the rules: {place:?}"));
            }
        }
        let lost = before.keys().find(|(who, _)| self.is_in_file(who) && stand.keys().all(|(other, _)| other != who));
        if let Some((who, _)) = lost {
            return Err(format!("in no project: {who}"));
        }
        let strays = |lists: &Lists| {
            lists.iter().map(|list| list.iter().filter(|card| card.reference.is_empty()).count()).sum::<usize>()
        };
        if strays(now) != strays(&self.before) {
            return Err("a stray is gone, or twice there".to_owned());
        }
        for project in 0..now.len() {
            let left = gone.iter().filter(|((_, from), _)| *from == project).count();
            if left > self.limit(project) && !is_approved {
                return Err(format!("{left} left project {project} without a person's approval"));
            }
        }
        Ok(())
    }

    /// How many people may leave a project without a person's approval, at most.
    fn limit(&self, project: usize) -> usize {
        let known = self.known.absent.keys().filter(|(_, of)| *of == project).count();
        (known / 20).max(FEW)
    }

    /// People who stand in a project where they are known, and do not stand in the file.
    fn left_behind(&self, now: &BTreeMap<Place, Vec<&Card>>) -> Vec<Place> {
        let absent = now.keys().filter(|place| !self.file.contains_key(*place) && self.known.certain.contains(*place));
        absent.cloned().collect()
    }

    /// Holds the lists against the file once a run came to its end: everyone stands where the file says, and whoever moved
    /// nowhere else. The run left so many people `alone`, because their enrolment is in doubt and in no file any more: only a
    /// person can settle that.
    pub(crate) fn is_followed(&self, now: &Lists, alone: usize) -> Result<(), String> {
        let (before, stand) = (places(&self.before), places(now));
        let missing = self.file.iter().find(|(place, card)| stand.get(*place).map(Vec::as_slice) != Some(&[*card][..]));
        if let Some((place, card)) = missing {
            return Err(format!("{place:?} stands as {:?}, and in the file as {card:?}", stand.get(place)));
        }
        let mut twice = self.left_behind(&stand);
        twice.retain(|(who, _)| {
            let there = self.file.keys().filter(|(other, _)| other == who);
            there.into_iter().any(|place| !before.contains_key(place))
        });
        if twice.len() > alone { Err(format!("moved, and still there: {twice:?}")) } else { Ok(()) }
    }

    /// Holds the lists against the file once nothing of earlier nights is left.
    pub(crate) fn is_in_step(&self, now: &Lists, alone: usize) -> Result<(), String> {
        self.is_followed(now, alone)?;
        let odd = self.left_behind(&places(now));
        if odd.len() > alone { Err(format!("still there: {odd:?}")) } else { Ok(()) }
    }

    /// Holds the lists against those at the beginning, where more people would leave than may: nobody left, and there may
    /// be so many.
    pub(crate) fn is_held(&self, now: &Lists) -> Result<(), String> {
        let stand = places(now);
        if let Some((place, _)) = self.gone(&stand).first() {
            return Err(format!("left, though the night is held: {place:?}"));
        }
        let moves: BTreeSet<Place> = self.moves().map(|(who, from, _)| (who, from)).collect();
        let before = places(&self.before);
        let is_over = (0..now.len()).any(|project| {
            let would_leave = before.iter().filter(|(place, cards)| {
                let is_renamed = self
                    .file
                    .get(*place)
                    .is_some_and(|card| cards.iter().any(|old| old.email_key() != card.email_key()));
                place.1 == project && (moves.contains(*place) || self.may_leave(place) || is_renamed)
            });
            would_leave.count() > FEW
        });
        if is_over { Ok(()) } else { Err("held, and no more people would leave than may".to_owned()) }
    }
}
