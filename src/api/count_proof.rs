//! The pure machine that asks a list for its count, although the service reports no total: a page of one record has a
//! record exactly if there are at least as many as its number.
//!
//! These pages have other borders and other addresses than those of a walk, so that a page that was cut, empty, refused or
//! repeated there is found out here. What they show rests on a page of one being one record: where a walk did not show that
//! the service sizes pages as it is asked to, the first one is asked for as well. (Else a service that gives two records a
//! page, in another order each time, may show one of the known two as the third.)

use std::collections::BTreeMap;

use super::page_walk::{PageRequest, REFUSALS, Walk, WalkFault};
use crate::model::list_query::PAGE_SIZE_MAX;
use crate::model::max_records::TooManyRecords;

/// How often a record must stand at a higher number than its own to show that numbers beyond the end mean the last page.
const REPETITIONS: u32 = 2;

/// The result of a count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// So many records.
    Exactly(u64),
    /// At least one more than was thought.
    More,
    /// The service refuses to say.
    Unknown,
    /// The service refuses a page on which records stand that it shows on others: it does not reach the list's end.
    CutOff,
}

/// What comes next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// These pages are asked for, side by side.
    Ask(Vec<PageRequest>),
    /// The count is known.
    Counted(Count),
}

/// What is known of a page.
#[derive(Clone, Debug)]
struct Answer<K> {
    keys: Vec<K>,
    refused: u32,
    /// How often it repeated a page before it.
    repeated: u32,
    /// It has a record that no walk saw.
    strange: bool,
}

/// What is known of the page on which the last record stands with room beside it. At the end of a list such a page is short;
/// one that is refused shows that the refusals are not about the end (a service that pages no farther than so many records).
#[derive(Debug, Default)]
struct Straddling {
    is_under_way: bool,
    refused: u32,
    len: Option<u64>,
}

/// One count of a list that is thought to have `count` records.
#[derive(Debug)]
pub struct CountProof<K> {
    count: u64,
    bound: u64,
    /// Records a page should have: one, or the service's own size where it does not let itself be told.
    unit: u32,
    asked_size: u32,
    /// A walk showed that pages have the size that is asked for.
    is_sized_as_asked: bool,
    outward: bool,
    /// Pages that did not have the size they were asked for showed records that no walk saw.
    is_disproved: bool,
    answers: BTreeMap<u32, Answer<K>>,
    straddling: Straddling,
}

impl<K: PartialEq + Clone> CountProof<K> {
    /// Begins to count what `walk` found, in pages of at most `asked_size` records.
    pub fn new(count: u64, asked_size: u32, walk: &Walk) -> Self {
        let (bound, is_sized_as_asked) = (walk.bound(), walk.is_sized_as_asked());
        let (answers, straddling) = (BTreeMap::new(), Straddling::default());
        let (outward, is_disproved) = (false, false);
        Self { count, bound, unit: 1, asked_size, is_sized_as_asked, outward, is_disproved, answers, straddling }
    }

    /// Looks for the count itself, where there are more records than was thought.
    pub fn look_outward(&mut self) {
        self.outward = true;
    }

    /// What to ask for, or the count. All that was asked for must have been taken.
    pub fn next(&mut self) -> Result<Step, WalkFault> {
        let own_size = self.answers.values().map(|answer| answer.keys.len()).max().unwrap_or(0);
        if self.unit == 1 && own_size > 1 {
            self.unit = u32::try_from(own_size).unwrap_or(u32::MAX);
            // Their numbers mean other places now, but what they showed is there.
            self.is_disproved = self.answers.values().any(|answer| answer.strange);
            self.answers.clear();
        }
        // Of an empty list the second record is asked for as well: the first one's page may be the one that fails.
        let (here, beyond) = (self.count, self.count + 1);
        let is_size_open = self.unit == 1 && !self.is_sized_as_asked;
        let places: &[u64] = match here {
            0 => &[1, 2],
            _ if is_size_open => &[1, here, beyond],
            _ => &[here, beyond],
        };
        let open: Vec<u64> = places.iter().copied().filter(|at| self.is_open(*at)).collect();
        if !open.is_empty() {
            return self.ask(&open);
        }
        if here > 0 && (self.is_refused(here) || is_size_open && self.is_refused(1)) {
            return Ok(Step::Counted(Count::Unknown));
        }
        if here == 0 && self.is_refused(1) {
            return Err(WalkFault::Refused);
        }
        let repeats = self.answers.get(&self.page_of(beyond)).is_some_and(|answer| answer.repeated >= REPETITIONS);
        let strange = self.answers.get(&self.page_of(here)).is_some_and(|answer| answer.strange);
        // The size of its pages shows on the first one, and whether numbers mean anything; that all numbers beyond the end
        // mean the last page shows far beyond it.
        if (repeats || strange || !self.has(here)) && self.is_open(1) {
            return self.ask(&[1]);
        }
        if repeats && self.is_open(self.far()) {
            return self.ask(&[self.far()]);
        }
        if self.is_clamped() && self.ignores_numbers() {
            return Err(WalkFault::Repeated);
        }
        if self.unit == 1
            && self.has(here)
            && self.is_refused(beyond)
            && let Some(step) = self.straddle()
        {
            return Ok(step);
        }
        match (self.has(here), self.has(beyond)) {
            (true, false) if self.is_disproved && self.outward => Ok(Step::Counted(Count::Exactly(beyond))),
            (true, false) if self.is_disproved => Ok(Step::Counted(Count::More)),
            (true, false) if here > 0 || !self.has(2) => Ok(Step::Counted(Count::Exactly(here))),
            (_, true) if !self.outward => Ok(Step::Counted(Count::More)),
            _ if here == 0 && !self.outward => Ok(Step::Counted(Count::More)),
            _ => self.search(),
        }
    }

    /// The end of the list rests on a refusal alone: asks whether a page that goes beyond it is refused as well.
    fn straddle(&mut self) -> Option<Step> {
        // Some size up to that of a page does not divide the count: no count reaches the least common multiple of all.
        let (size, rest) =
            (2..=u64::from(PAGE_SIZE_MAX)).map(|size| (size, self.count % size)).find(|(_, rest)| *rest > 0)?;
        match (self.straddling.len, self.straddling.refused) {
            (None, REFUSALS..) => Some(Step::Counted(Count::CutOff)),
            (None, refused) => {
                self.straddling.is_under_way = true;
                let [number, size] = [self.count.div_ceil(size), size].map(|it| u32::try_from(it).unwrap_or(u32::MAX));
                Some(Step::Ask(vec![PageRequest { number, size, refused }]))
            }
            (Some(len), _) if len > rest => Some(Step::Counted(if self.outward { Count::CutOff } else { Count::More })),
            (Some(_), _) => None,
        }
    }

    /// Takes what came for a page: its keys, or a refusal. `known`: the walks saw all of them.
    pub fn take(&mut self, page: u32, keys: Option<Vec<K>>, known: bool) {
        if std::mem::take(&mut self.straddling.is_under_way) {
            self.straddling.refused += u32::from(keys.is_none());
            self.straddling.len = keys.map(|keys| keys.len() as u64);
            return;
        }
        let before = self.answers.remove(&page);
        let (refused, repeated) = before.map_or((0, 0), |answer| (answer.refused, answer.repeated));
        let lowest = self.page_of(self.count.max(1));
        let answer = match keys {
            None => Answer { keys: Vec::new(), refused: refused + 1, repeated: 0, strange: false },
            Some(keys) => {
                let mut lower = self.answers.range(lowest..page.max(lowest));
                let repeats = !keys.is_empty() && lower.any(|(_, answer)| answer.keys == keys);
                Answer { keys, refused: 0, repeated: if repeats { repeated + 1 } else { 0 }, strange: !known }
            }
        };
        self.answers.insert(page, answer);
    }

    fn ask(&self, places: &[u64]) -> Result<Step, WalkFault> {
        // The place after the last record is asked for as well.
        let farthest = places.iter().copied().max().unwrap_or_default();
        TooManyRecords::check(farthest.saturating_sub(1), self.bound).map_err(WalkFault::TooMany)?;
        let mut pages: Vec<u32> = places.iter().map(|at| self.page_of(*at)).collect();
        pages.dedup();
        let refused = |page| self.answers.get(&page).map_or(0, |answer: &Answer<K>| answer.refused);
        let requests = pages.into_iter().map(|number| PageRequest {
            number,
            size: self.unit.min(self.asked_size),
            refused: refused(number),
        });
        Ok(Step::Ask(requests.collect()))
    }

    fn page_of(&self, at: u64) -> u32 {
        u32::try_from(at.div_ceil(u64::from(self.unit))).unwrap_or(u32::MAX)
    }

    /// Whether it is not known yet if there are so many records.
    fn is_open(&self, at: u64) -> bool {
        self.answers
            .get(&self.page_of(at))
            .is_none_or(|answer| (1..REFUSALS).contains(&answer.refused) || (1..REPETITIONS).contains(&answer.repeated))
    }

    fn is_refused(&self, at: u64) -> bool {
        self.answers.get(&self.page_of(at)).is_some_and(|answer| answer.refused >= REFUSALS)
    }

    /// A place that no list of about so many records reaches.
    fn far(&self) -> u64 {
        2 * self.count + 101
    }

    /// Whether numbers beyond the end mean the last page.
    fn is_clamped(&self) -> bool {
        self.answers.get(&self.page_of(self.far())).is_some_and(|answer| answer.repeated > 0)
    }

    /// Whether so many records are known to be there.
    fn has(&self, at: u64) -> bool {
        let page = self.page_of(at);
        let on_page = at.saturating_sub(u64::from(page.saturating_sub(1)) * u64::from(self.unit));
        at == 0 || self.answers.get(&page).is_some_and(|answer| self.length(answer) >= on_page)
    }

    /// How many records a page has of its own.
    fn length(&self, answer: &Answer<K>) -> u64 {
        if answer.repeated > 0 && self.is_clamped() { 0 } else { answer.keys.len() as u64 }
    }

    /// Whether the page after the last repeats it because any number means the first page.
    fn ignores_numbers(&self) -> bool {
        let last = self.page_of(self.count.max(1));
        match (self.answers.get(&1), self.answers.get(&last)) {
            // A list that is one short page looks the same where numbers mean nothing and where they are clamped.
            _ if last == 1 => self.unit >= self.asked_size.max(2),
            (Some(first), Some(answer)) => first.keys == answer.keys,
            _ => false,
        }
    }

    /// Closes in on the count between what is known to be there and what is known not to be.
    fn search(&self) -> Result<Step, WalkFault> {
        let at_start = |page: &u32| u64::from(page - 1) * u64::from(self.unit) + 1;
        let there = self.answers.iter().rev().find(|(_, answer)| self.length(answer) > 0);
        let low = there.map_or(0, |(page, answer)| at_start(page) + self.length(answer) - 1);
        if there.is_some_and(|(_, answer)| self.length(answer) < u64::from(self.unit)) {
            return Ok(Step::Counted(Count::Exactly(low)));
        }
        let none = self.answers.iter().find(|(page, answer)| at_start(page) > low && self.length(answer) == 0);
        let next = match none.map(|(page, _)| at_start(page)) {
            Some(high) if high <= low + u64::from(self.unit) => return Ok(Step::Counted(Count::Exactly(low))),
            // Coming from above, in growing strides as well.
            Some(high) if low + 1 < self.count && low <= 1 && high <= self.count => {
                high.saturating_sub(2 * (self.count - high) + 1).max(low + 1)
            }
            Some(high) => low + (high - low) / 2,
            None => low + (low - self.count).max(1) * u64::from(self.unit),
        };
        // Where a page of the search is refused or repeated at first, it is asked again.
        let open = self.answers.keys().map(at_start).find(|at| self.is_open(*at));
        self.ask(&[open.unwrap_or(next)])
    }
}

#[cfg(test)]
mod tests {
    use super::super::page_walk::PageResult;
    use super::*;

    /// A walk whose first page had so many records.
    fn walked(len: u32) -> Walk {
        let mut walk = Walk::new(100, 0, 10_000);
        let asked = walk.requests();
        assert_eq!((asked.len(), walk.take(1, PageResult::Records { len, fresh: len })), (1, Ok(())));
        walk
    }

    /// Counts a list that is thought to have `count` records; `page` answers for a number and a size.
    fn count(count: u64, page: impl Fn(u32, u32) -> Option<Vec<u32>>) -> (Result<Count, WalkFault>, Vec<(u32, u32)>) {
        let (mut proof, mut asked) = (CountProof::new(count, 100, &walked(100)), Vec::new());
        loop {
            match proof.next() {
                Ok(Step::Counted(count)) => return (Ok(count), asked),
                Err(fault) => return (Err(fault), asked),
                Ok(Step::Ask(requests)) => {
                    for request in requests {
                        asked.push((request.number, request.size));
                        proof.take(request.number, page(request.number, request.size), true);
                    }
                }
            }
        }
    }

    /// Pages of a list of `people`.
    fn list(people: u32) -> impl Fn(u32, u32) -> Option<Vec<u32>> {
        move |number, size| Some(((number - 1) * size + 1..=(number * size).min(people)).collect())
    }

    #[test]
    fn two_requests_side_by_side_prove_a_count() {
        assert_eq!(count(250, list(250)), (Ok(Count::Exactly(250)), vec![(250, 1), (251, 1)]));
        assert_eq!(count(0, list(0)), (Ok(Count::Exactly(0)), vec![(1, 1), (2, 1)]));
    }

    #[test]
    fn more_records_are_told_at_once_and_fewer_are_counted() {
        assert_eq!(count(200, list(450)).0, Ok(Count::More));
        assert_eq!(count(0, list(1)).0, Ok(Count::More));
        for people in [0, 1, 100, 199] {
            assert_eq!(count(200, list(people)).0, Ok(Count::Exactly(people.into())), "{people}");
        }
    }

    #[test]
    fn what_lies_beyond_is_counted_when_it_is_asked_for() {
        let mut proof: CountProof<u32> = CountProof::new(200, 100, &walked(100));
        proof.look_outward();
        let page = list(450);
        loop {
            match proof.next() {
                Ok(Step::Ask(requests)) => {
                    for it in requests {
                        proof.take(it.number, page(it.number, it.size), true);
                    }
                }
                counted => {
                    assert_eq!(counted, Ok(Step::Counted(Count::Exactly(450))));
                    break;
                }
            }
        }
    }

    #[test]
    fn a_service_that_sizes_pages_itself_clamps_numbers_or_refuses_beyond_the_end_is_counted() {
        let own_size = |number: u32, _: u32| list(450)(number, 30);
        assert_eq!(count(450, own_size).0, Ok(Count::Exactly(450)));
        let clamped = |number: u32, size: u32| list(150)(number.min(150_u32.div_ceil(size)), size);
        assert_eq!(count(150, clamped).0, Ok(Count::Exactly(150)));
        let refusing = |number: u32, size: u32| list(150)(number, size).filter(|page| !page.is_empty());
        let (counted, asked) = count(150, refusing);
        assert_eq!(counted, Ok(Count::Exactly(150)));
        assert_eq!(asked.iter().filter(|(number, _)| *number == 151).count(), 3, "a refusal is given three times");
        assert_eq!(asked.last(), Some(&(38, 4)), "and a page that goes beyond the end is none");
    }

    #[test]
    fn a_service_that_pages_no_farther_than_so_many_records_has_shown_no_end() {
        let within = |window: u32, far: fn(u32, u32) -> u32| {
            move |number: u32, size: u32| (far(number, size) <= window).then(|| list(450)(number, size)).flatten()
        };
        // Whole pages are refused that end beyond it, or those that begin there.
        assert_eq!(count(200, within(200, |number, size| number * size)).0, Ok(Count::CutOff));
        assert_eq!(count(200, within(199, |number, size| (number - 1) * size)).0, Ok(Count::More));
        assert_eq!(count(450, within(450, |number, size| (number - 1) * size)).0, Ok(Count::Exactly(450)));
    }

    #[test]
    fn a_service_that_sizes_pages_itself_and_orders_them_anew_each_time_is_found_out() {
        // Three people in pages of two: the third page of one would show a person that is known, and the fourth none.
        let pages = |number: u32, _: u32| Some([vec![1, 2], vec![2], vec![]][(number - 1).min(2) as usize].clone());
        let mut proof = CountProof::new(2, 100, &walked(2));
        let mut asked = Vec::new();
        while let Step::Ask(requests) = proof.next().expect("no fault") {
            for it in requests {
                asked.push(it.number);
                proof.take(it.number, pages(it.number, it.size), true);
            }
        }
        assert_eq!((proof.next(), &asked[..3]), (Ok(Step::Counted(Count::More)), &[1, 2, 3][..]));
    }

    #[test]
    fn records_that_no_walk_saw_count_although_pages_of_another_size_do_not_show_them() {
        // A cache goes by the number alone: the first page has one record, the second those that a larger size gave it.
        for known in [0, 1] {
            let page = |number: u32| if number == 2 { (42..=82).collect() } else { (1..=known).collect::<Vec<u32>>() };
            let mut proof = CountProof::new(known.into(), 100, &walked(known));
            let mut counts = Vec::new();
            while counts.len() < 2 {
                match proof.next().expect("no fault") {
                    Step::Counted(count) => {
                        counts.push(count);
                        proof.look_outward();
                    }
                    Step::Ask(requests) => {
                        for it in requests {
                            proof.take(it.number, Some(page(it.number)), it.number != 2);
                        }
                    }
                }
            }
            assert_eq!(counts, [Count::More, Count::Exactly(u64::from(known) + 1)]);
        }
    }

    #[test]
    fn a_count_that_is_refused_is_unknown_and_numbers_that_mean_nothing_are_a_fault() {
        assert_eq!(count(150, |_, _| None).0, Ok(Count::Unknown));
        assert_eq!(count(100, |_, size| list(450)(1, size)).0, Err(WalkFault::Repeated));
    }
}
