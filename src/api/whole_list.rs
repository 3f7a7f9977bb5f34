//! The pure machine that decides when the walks over a list, and its count ([`super::count_proof`]), show it whole.
//!
//! Why this suffices, and is the cheapest of what was modelled, is told by [`super::page_walk_model`].

use super::count_proof::Count;
use super::page_walk::Walk;

/// What is said of a list that was not shown to be whole.
pub const UNPROVEN: &str = "the list could not be read whole: what was read and the list's count do not agree";
/// Most walks of one list.
pub const WALKS_MAX: u32 = 5;
/// So many records that a walk lacks are looked up one by one, however short the list is.
const LOOK_UPS_MAX: u64 = 16;
/// The sizes of the walks' pages, in hundredths of the first one's: their borders fall elsewhere each time.
const SIZES: [u32; WALKS_MAX as usize] = [100, 97, 91, 83, 71];

/// How thoroughly a list is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Walked until it is shown to be whole.
    #[default]
    Verified,
    /// Walked a single time; its count must agree to the record.
    Once,
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextStep {
    /// Another walk.
    Walk,
    /// The walk goes on: there are more records than it took for all.
    Resume,
    /// The records that the walk lacked are looked up one by one, then the list is counted.
    LookUp,
    /// The list is counted.
    Count,
    /// The list is whole.
    Whole,
    /// Too many walks, or the one that was wanted, and they do not agree.
    Unverified,
}

/// What the walks over one list have found so far. `A` is a record's age: what grows with time. That ids grow with time is
/// our reading; where it is wrong it costs a walk, not a record.
#[derive(Debug, Default)]
pub struct Convergence<A> {
    mode: Mode,
    /// Records a page that were asked for, and at most in the whole list.
    size: u32,
    bound: u64,
    /// The size that the service gives instead, where it caps pages.
    cap: Option<u32>,
    walks: u32,
    /// Different records of all walks, without those that are gone.
    known: u64,
    /// How many of them the running walk saw.
    own: u64,
    /// The running walk missed none of the known ones.
    complete: bool,
    added_old: u64,
    /// Newer than all of the first walk.
    newcomers: u64,
    newest_of_first: Option<A>,
    comings: u64,
    goings: u64,
    /// A count agreed: from then on newcomers are news, and no hole in the walks before.
    agreed: bool,
    /// What the first count came to, and the latest.
    first_count: Option<u64>,
    floor: u64,
}

impl<A: Ord + Default> Convergence<A> {
    /// Before the first walk.
    pub fn new(mode: Mode, size: u32, bound: u64) -> Self {
        Self { mode, size, bound, complete: true, ..Self::default() }
    }

    /// The next walk over the list.
    pub fn walk(&self) -> Walk {
        let size = match self.cap {
            None => page_size(self.size, self.walks),
            Some(cap) => capped_page_size(cap, self.walks),
        };
        Walk::new(size, self.floor.max(self.known), self.bound)
    }

    /// A walk saw a record. `fresh`: for the first time; `new`: no walk had seen it. A record without an age is old.
    pub fn saw(&mut self, fresh: bool, new: bool, age: Option<A>) {
        self.own += u64::from(fresh);
        self.known += u64::from(new);
        if self.walks == 0 {
            self.newest_of_first = age.max(self.newest_of_first.take());
        } else if new && self.newest_of_first.is_some() && age > self.newest_of_first {
            self.newcomers += 1;
        } else if new {
            self.added_old += 1;
        }
    }

    /// How many different records are known.
    pub fn known(&self) -> u64 {
        self.known
    }

    /// How many records earlier walks saw and the running one did not.
    pub fn lacked(&self) -> u64 {
        self.known.saturating_sub(self.own)
    }

    /// A walk is over.
    pub fn end_walk(&mut self, walk: &Walk) -> NextStep {
        self.walks += 1;
        self.complete = self.lacked() == 0;
        if self.walks == 1 {
            self.cap = Some(walk.longest()).filter(|longest| *longest < self.size && self.known > u64::from(*longest));
            let is_one_page = walk.pages() == 1;
            return if is_one_page || self.mode == Mode::Once { NextStep::Count } else { self.again() };
        }
        // So many newcomers may as well be a page that the walks before did not get.
        if !self.agreed && self.newcomers * 2 >= u64::from(walk.longest()) {
            self.added_old += std::mem::take(&mut self.newcomers);
        }
        self.comings += self.newcomers;
        match self.lacked() {
            0 => NextStep::Count,
            lacked if lacked <= u64::from(walk.pages()).saturating_mul(2).max(LOOK_UPS_MAX) => NextStep::LookUp,
            _ => self.again(),
        }
    }

    /// Of the records that the last walk lacked, so many are gone; of `unsure` more that can't be said.
    pub fn looked_up(&mut self, gone: u64, unsure: u64) {
        self.known -= gone;
        self.goings += gone + unsure;
    }

    /// The list was counted after the walk; [`Count::More`] is no count.
    pub fn counted(&mut self, count: Count, walk: &Walk) -> NextStep {
        let is_still = self.added_old + self.newcomers == 0 && self.complete;
        let (is_explained, is_settled) = match count {
            Count::More | Count::CutOff => (false, false),
            Count::Unknown => (!walk.has_gaps, self.walks > 1 && is_still),
            Count::Exactly(count) => {
                self.floor = count;
                let growth = count.saturating_sub(*self.first_count.get_or_insert(count));
                // Newcomers are believed as far as the list grew from count to count, or others went.
                let comings = self.comings.min(growth + self.goings);
                let is_explained = count <= self.known + comings && self.known <= count + self.goings;
                (is_explained, self.walks == 1 || is_still || (self.walks > 2 && self.added_old == 0))
            }
        };
        self.agreed |= is_explained;
        match self.mode {
            _ if is_explained && is_settled => NextStep::Whole,
            Mode::Once => NextStep::Unverified,
            Mode::Verified => self.again(),
        }
    }

    /// Goes on with a walk that ended, where the count shows more records than it took for all. `false` where they should
    /// have stood on pages that it read, or where it is not the first walk.
    pub fn resume(&mut self, walk: &mut Walk) -> bool {
        let resumed = self.walks == 1 && walk.resume(self.known + 1);
        self.walks -= u32::from(resumed);
        resumed
    }

    /// The size of its pages, where the service gives smaller ones than were asked for.
    pub fn cap(&self) -> Option<u32> {
        self.cap
    }

    fn again(&mut self) -> NextStep {
        (self.own, self.added_old, self.newcomers) = (0, 0, 0);
        if self.walks < WALKS_MAX { NextStep::Walk } else { NextStep::Unverified }
    }
}

/// The size of a walk's pages: that of the first one at first, then such that the borders fall elsewhere.
fn page_size(first: u32, walks: u32) -> u32 {
    if first <= 4 * WALKS_MAX { first + walks } else { first * hundredths(walks) / 100 }
}

/// The same where larger pages than `cap` are not to be had.
fn capped_page_size(cap: u32, walks: u32) -> u32 {
    if cap <= 4 * WALKS_MAX { cap.saturating_sub(walks).max(1) } else { cap * hundredths(walks) / 100 }
}

fn hundredths(walks: u32) -> u32 {
    SIZES.get(walks as usize).copied().unwrap_or(100)
}
