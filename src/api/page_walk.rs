//! The pure machine that walks the pages of a list once: which to ask for next, and where the list may end.
//!
//! The service pages by number and reports no total. A page that is not full is a candidate for the end, no more: whatever
//! arrives after it is used, and shows that the list goes on. Whether the candidate is the end is for the count to say
//! (see [`super::count_proof`]). A refused page (400, 404, 410) is asked again; only a refusal that is given three times, and
//! after which no page has records, is an answer.

use std::collections::BTreeMap;

use crate::model::max_records::TooManyRecords;

/// Most pages under way at once.
const WINDOW_MAX: u32 = 8;
/// From how many pages on how many may be under way: a short list is asked for few pages beyond its end.
const WINDOWS: [(u32, u32); 4] = [(25, WINDOW_MAX), (5, 4), (1, 2), (0, 1)];
/// How often a refusal must be given to be an answer.
pub const REFUSALS: u32 = 3;

/// A page to ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageRequest {
    /// Counted from 1.
    pub number: u32,
    /// How many records it should have.
    pub size: u32,
    /// How often it was refused before: a repetition waits.
    pub refused: u32,
}

/// What came back for a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageResult {
    /// Its records.
    Records {
        /// How many.
        len: u32,
        /// How many of them this walk had not seen yet.
        fresh: u32,
    },
    /// 400, 404 or 410: there may be no such page.
    Refused,
}

impl PageResult {
    /// A page of `len` records, `fresh` of them new to the walk.
    pub fn records(len: usize, fresh: usize) -> Self {
        let number = |count| u32::try_from(count).unwrap_or(u32::MAX);
        Self::Records { len: number(len), fresh: number(fresh) }
    }
}

/// Why a list can't be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WalkFault {
    /// A page that must be there is refused again and again.
    Refused,
    /// The service answers the same page for every number.
    Repeated,
    /// The list has more records than are allowed.
    TooMany(TooManyRecords),
}

/// One walk over a list.
#[derive(Debug, Default)]
pub struct Walk {
    size: u32,
    /// So many records there are at least, as is known from before.
    floor: u64,
    bound: u64,
    /// From how many records on a page is full.
    full: u32,
    longest: u32,
    launched: u32,
    under_way: u32,
    taken: u32,
    /// The last page that had records of its own, and whether it was full.
    last: (u32, bool),
    ended: bool,
    /// Whether records came after a page that was not full, or that had none.
    pub has_gaps: bool,
    refused: BTreeMap<u32, u32>,
    records: u64,
}

impl Walk {
    /// Begins a walk with pages of `size` records over a list of at least `floor` and at most `bound` records. The first
    /// page goes alone where nothing is known of the list.
    pub fn new(size: u32, floor: u64, bound: u64) -> Self {
        Self { size, floor, bound, full: size, last: (0, true), ..Self::default() }
    }

    /// The pages to ask for now, beside those under way. The walk is over when there are neither.
    pub fn requests(&mut self) -> Vec<PageRequest> {
        let (size, first) = (self.size, self.launched + 1);
        while self.under_way < self.window() {
            self.launched += 1;
            self.under_way += 1;
        }
        let ahead = (first..=self.launched).map(|number| PageRequest { number, size, refused: 0 }).collect();
        if self.under_way > 0 {
            return ahead;
        }
        let again: Vec<PageRequest> = self.refused_pages_that_matter();
        self.under_way = u32::try_from(again.len()).unwrap_or(u32::MAX);
        again
    }

    /// How many pages may be under way now.
    fn window(&self) -> u32 {
        let known = self.pages_known();
        if self.launched < known {
            return WINDOW_MAX;
        }
        if self.ended || self.taken < known {
            return 0;
        }
        let beyond = self.taken - known;
        WINDOWS.iter().find(|(from, _)| beyond >= *from).map_or(1, |(_, window)| *window)
    }

    /// How many pages the records that are known to be there fill.
    fn pages_known(&self) -> u32 {
        let unit = if self.longest == 0 { self.size } else { self.longest };
        u32::try_from(self.floor.div_ceil(u64::from(unit.max(1)))).unwrap_or(u32::MAX)
    }

    /// Refused pages before the last one that had records, and the one after it where the end rests on its refusal alone.
    fn refused_pages_that_matter(&self) -> Vec<PageRequest> {
        let (last, full) = self.last;
        let matters = |(number, refused): (&u32, &u32)| {
            let open = *refused < REFUSALS && (*number < last || (full && *number == last + 1));
            open.then_some(PageRequest { number: *number, size: self.size, refused: *refused })
        };
        self.refused.iter().filter_map(matters).collect()
    }

    /// Takes what came for a page. Pages that are under way side by side are taken in the order of their numbers.
    pub fn take(&mut self, number: u32, result: PageResult) -> Result<(), WalkFault> {
        self.under_way = self.under_way.saturating_sub(1);
        match result {
            PageResult::Records { len, fresh } => self.take_records(number, len, fresh),
            PageResult::Refused => self.take_refusal(number),
        }
    }

    fn take_refusal(&mut self, number: u32) -> Result<(), WalkFault> {
        let refused = self.refused.entry(number).or_default();
        *refused += 1;
        let is_final = *refused >= REFUSALS;
        if number > self.taken {
            self.taken = number;
            self.ended = true;
        }
        // Without its first page there is no list.
        if is_final && (number < self.last.0 || number == 1) { Err(WalkFault::Refused) } else { Ok(()) }
    }

    fn take_records(&mut self, number: u32, len: u32, fresh: u32) -> Result<(), WalkFault> {
        self.refused.remove(&number);
        self.records += u64::from(len);
        TooManyRecords::check(self.records, self.bound).map_err(WalkFault::TooMany)?;
        self.longest = self.longest.max(len);
        // A page of known records alone says nothing of what comes after it.
        let is_full = len >= self.full && fresh > 0;
        if fresh > 0 && number > self.last.0 {
            self.has_gaps |= number > self.last.0 + 1 || !self.last.1;
            self.last = (number, is_full);
        }
        if number > self.taken || number == self.last.0 {
            self.taken = self.taken.max(number);
            self.ended = self.taken > number || !is_full || self.is_known_end(number, len);
        }
        Ok(())
    }

    /// Whether a page is full only because the list, as it is known, ends with it.
    fn is_known_end(&self, number: u32, len: u32) -> bool {
        self.floor > 0 && u64::from(number - 1) * u64::from(self.longest) + u64::from(len) == self.floor
    }

    /// Goes on although the walk was over, because there are at least `floor` records: pages are taken for full that are as
    /// long as the longest so far. `false` where those records should have stood on pages that were read.
    pub fn resume(&mut self, floor: u64) -> bool {
        self.floor = self.floor.max(floor);
        self.full = self.full.min(self.longest.max(1));
        self.last.1 = true;
        self.pages_known() > self.launched
    }

    /// How many pages were asked for.
    pub fn pages(&self) -> u32 {
        self.launched
    }

    /// The length of the longest page: the size that the service really gives.
    pub fn longest(&self) -> u32 {
        self.longest
    }

    /// Whether the longest page has the size that was asked for.
    pub fn is_sized_as_asked(&self) -> bool {
        self.longest == self.size
    }

    /// How many records a list may have.
    pub fn bound(&self) -> u64 {
        self.bound
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes for a page, each time it is asked for: so many records, none of which repeats one. `None` is a refusal.
    type Page<'a> = &'a [Option<u32>];

    /// Walks over pages of these lengths. Says which were asked for.
    fn walk(walk: &mut Walk, pages: &[Option<u32>]) -> (Vec<u32>, Result<(), WalkFault>) {
        let pages: Vec<Page<'_>> = pages.iter().map(std::slice::from_ref).collect();
        walk_repeated(walk, &pages)
    }

    /// Walks over pages of which some come otherwise when they are asked for again. Says which were asked for.
    fn walk_repeated(walk: &mut Walk, pages: &[Page<'_>]) -> (Vec<u32>, Result<(), WalkFault>) {
        let mut asked = Vec::new();
        loop {
            let requests = walk.requests();
            if requests.is_empty() && walk.under_way == 0 {
                return (asked, Ok(()));
            }
            for request in requests {
                asked.push(request.number);
                let page = pages.get(request.number as usize - 1).copied().unwrap_or(&[Some(0)]);
                let result = match page.get(request.refused as usize).or(page.last()).copied().flatten() {
                    None => PageResult::Refused,
                    Some(len) => PageResult::Records { len, fresh: len },
                };
                if let Err(fault) = walk.take(request.number, result) {
                    return (asked, Err(fault));
                }
            }
        }
    }

    #[test]
    fn the_first_page_goes_alone_and_pages_after_a_short_one_show_that_the_list_goes_on() {
        let mut short = Walk::new(100, 0, 10_000);
        assert_eq!(short.requests().len(), 1);
        let mut gapped = Walk::new(100, 0, 10_000);
        let (asked, ended) = walk(&mut gapped, &[Some(100), Some(99), Some(100), Some(7)]);
        assert_eq!((asked, ended), (vec![1, 2, 3, 4, 5], Ok(())));
        assert!(gapped.has_gaps);
    }

    #[test]
    fn a_refusal_at_the_end_is_given_three_times_and_one_in_the_middle_fails() {
        let (asked, ended) = walk(&mut Walk::new(100, 0, 10_000), &[Some(100), None, None]);
        assert_eq!((asked, ended), (vec![1, 2, 3, 2, 2], Ok(())));
        let (_, ended) = walk(&mut Walk::new(100, 0, 10_000), &[Some(100), None, Some(100)]);
        assert_eq!(ended, Err(WalkFault::Refused));
        let (_, ended) = walk(&mut Walk::new(100, 0, 10_000), &[None]);
        assert_eq!(ended, Err(WalkFault::Refused));
    }

    #[test]
    fn a_walk_that_knows_how_many_there_are_asks_for_no_page_more_and_goes_on_with_a_cap() {
        let (asked, _) = walk(&mut Walk::new(100, 300, 10_000), &[Some(100), Some(100), Some(100)]);
        assert_eq!(asked, [1, 2, 3]);
        let mut capped = Walk::new(100, 0, 10_000);
        assert_eq!(walk(&mut capped, &[Some(50), Some(50), Some(20)]).0, [1]);
        assert!(capped.resume(51));
        assert_eq!(walk(&mut capped, &[Some(50), Some(50), Some(20)]).0[..2], [2, 3]);
    }

    #[test]
    fn a_walk_has_a_bound() {
        let endless = vec![Some(100); 50];
        assert_eq!(
            walk(&mut Walk::new(100, 0, 1_000), &endless).1,
            Err(WalkFault::TooMany(TooManyRecords { most: 1_000 }))
        );
    }
    #[test]
    fn a_short_list_is_over_with_its_first_page_and_has_no_gaps() {
        let mut short = Walk::new(100, 0, 10_000);
        assert_eq!(walk(&mut short, &[Some(7)]), (vec![1], Ok(())));
        let mut whole = Walk::new(100, 0, 10_000);
        assert_eq!(walk(&mut whole, &[Some(100), Some(100), Some(7)]), (vec![1, 2, 3], Ok(())));
        assert!(!short.has_gaps && !whole.has_gaps);
    }

    #[test]
    fn records_after_a_page_without_any_are_records_after_a_gap() {
        let mut gapped = Walk::new(100, 400, 10_000);
        assert_eq!(walk(&mut gapped, &[Some(100), Some(0), Some(100), Some(100)]).1, Ok(()));
        assert!(gapped.has_gaps);
    }

    #[test]
    fn a_page_that_is_refused_once_is_read_and_the_list_goes_on_behind_it() {
        const FULL: Page<'static> = &[Some(100)];
        const LATE: Page<'static> = &[None, Some(100)];
        let mut first = Walk::new(100, 0, 10_000);
        assert_eq!(walk_repeated(&mut first, &[&[None, Some(7)]]), (vec![1, 1], Ok(())));
        // Both pages that are under way are refused: the second one waits for what the first one is.
        let mut late = Walk::new(100, 0, 10_000);
        let pages = [FULL, LATE, LATE, FULL, &[Some(7)]];
        assert_eq!(walk_repeated(&mut late, &pages), (vec![1, 2, 3, 2, 3, 4, 5], Ok(())));
        assert!(!late.has_gaps);
        let mut middle = Walk::new(100, 0, 10_000);
        let pages = [FULL, FULL, &[None, None, Some(100)], FULL, &[Some(7)]];
        assert_eq!(walk_repeated(&mut middle, &pages).1, Ok(()));
        assert_eq!(middle.records, 407);
    }

    #[test]
    fn a_page_of_known_records_ends_the_list_and_moves_no_end() {
        let mut repeated = Walk::new(100, 0, 10_000);
        for fresh in [100, 0] {
            for request in repeated.requests() {
                assert_eq!(repeated.take(request.number, PageResult::Records { len: 100, fresh }), Ok(()));
            }
        }
        assert_eq!(repeated.requests(), []);
        // The page behind the refused one has nothing that is new: the refusal stays an answer.
        let mut refused = Walk::new(100, 0, 10_000);
        assert_eq!(walk(&mut refused, &[Some(100), None, Some(0)]), (vec![1, 2, 3, 2, 2], Ok(())));
    }

    #[test]
    fn behind_what_was_known_pages_are_asked_for_one_by_one_again() {
        let mut longer = Walk::new(100, 250, 10_000);
        let known = longer.requests();
        assert_eq!(known.len(), 3);
        for request in known {
            assert_eq!(longer.take(request.number, PageResult::Records { len: 100, fresh: 100 }), Ok(()));
        }
        assert_eq!(longer.requests().len(), 1);
    }
}
