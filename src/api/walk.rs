//! The pure machine that walks pages: which to ask for next, which to use, and when the end is the end.
//!
//! The service pages by number and reports no total, and the list moves while it is read. A plain walk takes the first
//! page that is not full for the end. A careful walk has that end confirmed by an empty page after it, and reads the
//! page before each step again, so that a record which slipped back over the border is seen.

use std::ops::Range;

/// Most pages under way at once.
const WINDOW_MAX: u32 = 8;

/// What came back for a page.
#[derive(Clone, Debug)]
pub enum PageResult<K> {
    /// The keys of its records, in their order.
    Keys(Vec<K>),
    /// 400 or 404: there may be no such page.
    Refused,
    /// Another error: there is no knowing.
    Failed,
}

/// Why a list can't be read whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// What came at this place of the answers is an error where a page must be.
    Failed(usize),
    /// The service answers the same page for two numbers.
    Repeated(u32),
}

/// What the walk asks for next.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Next {
    /// These pages, and those of the step before once more, after them.
    Ahead { pages: Range<u32>, again: Range<u32> },
    /// The page after one that was not full, and those of the last step once more.
    Confirmation { after: u32, again: Range<u32> },
    /// The first page, because a page after a full one was refused.
    First,
    /// A page that looks like the one before, and that one.
    Difference { page: u32 },
    /// Nothing: the walk is over.
    Nothing,
}

/// How careful a walk is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mode {
    /// A page that is not full is the end only if an empty one follows it.
    pub confirm: bool,
    /// The pages of each step are read again after those of the next, because a record may have slipped back from a
    /// page that was not yet read to one that was.
    pub reread: bool,
}

impl Mode {
    /// For lists that a person looks at.
    pub const PLAIN: Self = Self { confirm: false, reread: false };
    /// For lists that must be whole.
    pub const CAREFUL: Self = Self { confirm: true, reread: true };
}

/// One walk over a list.
#[derive(Debug)]
pub struct Walk<K> {
    size: u32,
    mode: Mode,
    window: u32,
    next: Next,
    last: Vec<K>,
}

impl<K: PartialEq + Clone> Walk<K> {
    /// Begins a walk with pages of `size` records; the first page goes alone.
    pub fn new(size: u32, mode: Mode) -> Self {
        Self { size, mode, window: 1, next: Next::Ahead { pages: 1..2, again: 1..1 }, last: Vec::new() }
    }

    /// The pages to ask for now, all at once; none when the walk is over.
    pub fn asks(&self) -> Vec<u32> {
        match self.next.clone() {
            Next::Ahead { pages, again } => pages.chain(again).collect(),
            Next::Confirmation { after, again } => std::iter::once(after).chain(again).collect(),
            Next::First => vec![1],
            Next::Difference { page } => vec![page - 1, page],
            Next::Nothing => Vec::new(),
        }
    }

    /// Takes what came for the pages asked for, in that order, and says which of them to use: places in `came`.
    pub fn judge(&mut self, came: &[PageResult<K>]) -> Result<Vec<usize>, Fault> {
        match self.next.clone() {
            Next::Ahead { pages, .. } => self.judge_ahead(pages, came),
            Next::Confirmation { after, .. } => self.judge_confirmation(after, came),
            Next::First => match came {
                [PageResult::Keys(_)] => {
                    self.next = Next::Nothing;
                    Ok(vec![])
                }
                _ => Err(Fault::Failed(0)),
            },
            Next::Difference { page } => self.judge_difference(page, came),
            Next::Nothing => Ok(vec![]),
        }
    }

    fn judge_ahead(&mut self, pages: Range<u32>, came: &[PageResult<K>]) -> Result<Vec<usize>, Fault> {
        let mut used = read_again(pages.len(), came)?;
        for (place, page) in pages.clone().enumerate() {
            let keys = match &came[place] {
                PageResult::Keys(keys) => keys,
                PageResult::Refused if page > 1 => {
                    self.next = Next::First;
                    return Ok(used);
                }
                PageResult::Refused | PageResult::Failed => return Err(Fault::Failed(place)),
            };
            if !keys.is_empty() && *keys == self.last {
                self.next = Next::Difference { page };
                return Ok(used);
            }
            used.push(place);
            if !self.goes_on_after(page, pages.start, keys) {
                // Pages asked for ahead of the end are not judged.
                return Ok(used);
            }
        }
        self.window = (self.window * 2).min(WINDOW_MAX);
        self.step_from(pages);
        Ok(used)
    }

    /// Asks next for the pages after those of a step, and in a careful walk those of the step once more.
    fn step_from(&mut self, done: Range<u32>) {
        let pages = done.end..done.end + self.window;
        let again = if self.mode.reread { done } else { 1..1 };
        self.next = Next::Ahead { pages, again };
    }

    /// Whether a used page of a step is full, so that the walk goes on; else wants nothing, or a confirmation.
    fn goes_on_after(&mut self, page: u32, step: u32, keys: &[K]) -> bool {
        self.last = keys.to_vec();
        if keys.len() as u64 >= u64::from(self.size) {
            return true;
        }
        self.next = match self.mode.confirm {
            true if self.mode.reread => Next::Confirmation { after: page + 1, again: step..page + 1 },
            true => Next::Confirmation { after: page + 1, again: 1..1 },
            false => Next::Nothing,
        };
        false
    }

    fn judge_confirmation(&mut self, after: u32, came: &[PageResult<K>]) -> Result<Vec<usize>, Fault> {
        let mut used = read_again(1, came)?;
        match came.first() {
            // A service that ignores the page's number would confirm the same page for ever.
            Some(PageResult::Keys(keys)) if !keys.is_empty() && *keys == self.last => {
                self.next = Next::Difference { page: after };
            }
            Some(PageResult::Keys(keys)) if !keys.is_empty() => {
                used.push(0);
                self.window = 1;
                if self.goes_on_after(after, after, keys) {
                    self.step_from(after..after + 1);
                }
            }
            Some(PageResult::Failed) => return Err(Fault::Failed(0)),
            _ => self.next = Next::Nothing,
        }
        Ok(used)
    }

    fn judge_difference(&mut self, page: u32, came: &[PageResult<K>]) -> Result<Vec<usize>, Fault> {
        match came {
            [PageResult::Keys(before), PageResult::Keys(keys)] if before == keys && !keys.is_empty() => {
                Err(Fault::Repeated(page))
            }
            [PageResult::Keys(_), PageResult::Keys(keys)] => {
                self.window = 1;
                if self.goes_on_after(page, page - 1, keys) {
                    self.step_from(page - 1..page + 1);
                }
                Ok(vec![0, 1])
            }
            [PageResult::Keys(_), PageResult::Refused] => {
                self.next = Next::First;
                Ok(vec![0])
            }
            [PageResult::Keys(_), _] => Err(Fault::Failed(1)),
            _ => Err(Fault::Failed(0)),
        }
    }
}

/// Which of the pages that were read once more, from place `from` on, to use. One that is refused now has no records
/// any more.
fn read_again<K>(from: usize, came: &[PageResult<K>]) -> Result<Vec<usize>, Fault> {
    let mut used = Vec::new();
    for (place, came) in came.iter().enumerate().skip(from) {
        match came {
            PageResult::Keys(_) => used.push(place),
            PageResult::Refused => {}
            PageResult::Failed => return Err(Fault::Failed(place)),
        }
    }
    Ok(used)
}

/// Most walks of one verified list.
pub const WALKS_MAX: u32 = 5;

/// What follows a walk of a verified list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    /// It added records that must have been there before: walk again.
    Again,
    /// It added nothing that was there before: the list is whole.
    Whole,
    /// Too many walks, and each added something.
    Unverified,
}

/// Judges repeated walks of one list. `A` tells a record's age: what grows with time. That ids grow with time is our
/// reading; where it is wrong it costs a walk, not a row.
#[derive(Debug)]
pub struct Convergence<A> {
    walks: u32,
    newest: Option<A>,
    added_old: bool,
}

impl<A: Ord> Convergence<A> {
    /// Before the first walk.
    pub fn new() -> Self {
        Self { walks: 0, newest: None, added_old: false }
    }

    /// A walk saw a record. `new`: no walk had seen it yet. A record without an age always counts.
    pub fn saw(&mut self, new: bool, age: Option<A>) {
        if self.walks == 0 {
            self.newest = age.max(self.newest.take());
        } else if new {
            let newcomer = age.is_some() && age > self.newest;
            self.added_old |= !newcomer;
        }
    }

    /// A walk has ended.
    pub fn end_walk(&mut self) -> After {
        self.walks += 1;
        let added = std::mem::take(&mut self.added_old);
        match self.walks {
            1 => After::Again,
            _ if !added => After::Whole,
            WALKS_MAX.. => After::Unverified,
            _ => After::Again,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(keys: &[u32]) -> PageResult<u32> {
        PageResult::Keys(keys.to_vec())
    }

    #[test]
    fn the_first_page_goes_alone_and_the_window_grows_to_eight() {
        let mut walk = Walk::new(1, Mode::PLAIN);
        let mut asked = Vec::new();
        for _ in 0..6 {
            let pages = walk.asks();
            asked.push(pages.len());
            let came: Vec<PageResult<u32>> = pages.iter().map(|page| keys(&[*page])).collect();
            assert_eq!(walk.judge(&came), Ok((0..came.len()).collect()));
        }
        assert_eq!(asked, [1, 2, 4, 8, 8, 8]);
        assert_eq!(walk.asks(), (32..40).collect::<Vec<u32>>());
    }

    #[test]
    fn a_page_that_is_not_full_ends_a_plain_walk_and_pages_beyond_it_are_not_judged() {
        let mut walk = Walk::new(2, Mode::PLAIN);
        walk.judge(&[keys(&[1, 2])]).expect("a page");
        assert_eq!(walk.judge(&[keys(&[3]), PageResult::Refused]), Ok(vec![0]));
        assert!(walk.asks().is_empty());
    }

    #[test]
    fn a_careful_walk_has_the_end_confirmed_and_reads_the_pages_of_each_step_again() {
        let mut walk = Walk::new(2, Mode::CAREFUL);
        walk.judge(&[keys(&[1, 2])]).expect("a page");
        assert_eq!(walk.asks(), [2, 3, 1]);
        assert_eq!(walk.judge(&[keys(&[3]), keys(&[]), keys(&[1, 2])]), Ok(vec![2, 0]));
        assert_eq!(walk.asks(), [3, 2]);
        assert_eq!(walk.judge(&[keys(&[5, 6]), keys(&[3, 4])]), Ok(vec![1, 0]));
        assert_eq!(walk.asks(), [4, 3]);
        assert_eq!(walk.judge(&[keys(&[]), keys(&[5, 6])]), Ok(vec![1, 0]));
        assert_eq!(walk.asks(), [5, 4]);
        walk.judge(&[keys(&[]), keys(&[])]).expect("the end");
        assert!(walk.asks().is_empty());
    }

    #[test]
    fn a_refused_page_is_the_end_right_after_a_short_one_and_a_failure_in_its_stead() {
        let mut walk = Walk::new(2, Mode::CAREFUL);
        walk.judge(&[keys(&[1])]).expect("a page");
        assert_eq!(walk.judge(&[PageResult::Refused, keys(&[1])]), Ok(vec![1]));
        assert!(walk.asks().is_empty());
        let mut walk: Walk<u32> = Walk::new(2, Mode::PLAIN);
        assert_eq!(walk.judge(&[PageResult::Refused]), Err(Fault::Failed(0)));
    }

    #[test]
    fn a_refused_page_after_a_full_one_is_the_end_only_if_the_first_page_still_answers() {
        let after_full = || {
            let mut walk = Walk::new(1, Mode::PLAIN);
            walk.judge(&[keys(&[1])]).expect("a page");
            walk.judge(&[PageResult::Refused, PageResult::Refused]).expect("a doubt");
            assert_eq!(walk.asks(), [1]);
            walk
        };
        let mut walk = after_full();
        assert_eq!(walk.judge(&[keys(&[1])]), Ok(vec![]));
        assert!(walk.asks().is_empty());
        assert_eq!(after_full().judge(&[PageResult::Refused]), Err(Fault::Failed(0)));
    }

    #[test]
    fn a_page_that_repeats_the_one_before_is_asked_again_and_then_an_error() {
        let mut walk = Walk::new(2, Mode::PLAIN);
        walk.judge(&[keys(&[1, 2])]).expect("a page");
        assert_eq!(walk.judge(&[keys(&[1, 2]), keys(&[1, 2])]), Ok(vec![]));
        assert_eq!(walk.asks(), [1, 2]);
        assert_eq!(walk.judge(&[keys(&[1, 2]), keys(&[1, 2])]), Err(Fault::Repeated(2)));
    }

    #[test]
    fn a_page_that_only_seemed_to_repeat_because_the_list_moved_goes_on() {
        let mut walk = Walk::new(1, Mode::PLAIN);
        walk.judge(&[keys(&[1])]).expect("a page");
        walk.judge(&[keys(&[1]), keys(&[2])]).expect("a doubt");
        assert_eq!(walk.judge(&[keys(&[0]), keys(&[1])]), Ok(vec![0, 1]));
        assert_eq!(walk.asks(), [3]);
    }

    #[test]
    fn rounds_end_when_a_walk_adds_nothing_old_and_newcomers_do_not_count() {
        let mut convergence = Convergence::new();
        for id in [1, 5, 3] {
            convergence.saw(true, Some(id));
        }
        assert_eq!(convergence.end_walk(), After::Again);
        convergence.saw(true, Some(4));
        assert_eq!(convergence.end_walk(), After::Again);
        convergence.saw(true, Some(6));
        convergence.saw(false, Some(1));
        assert_eq!(convergence.end_walk(), After::Whole);
    }

    #[test]
    fn five_walks_that_each_add_something_old_leave_the_list_unverified() {
        let mut convergence: Convergence<u32> = Convergence::new();
        let ends: Vec<After> = (0..5)
            .map(|_| {
                convergence.saw(true, None);
                convergence.end_walk()
            })
            .collect();
        assert_eq!(ends, [After::Again, After::Again, After::Again, After::Again, After::Unverified]);
    }
}
