//! Modelled services: lists that move while they are read, and pages that are not what they should be.

use fastrand::Rng;

/// How a list moves, per request.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mix {
    pub inserts: f64,
    pub deletes: f64,
    pub reranks: f64,
    /// How many of the reads show the list as it was up to sixteen requests before.
    pub stale: f64,
    /// People with equal ranks come in another order each time.
    pub unstable: bool,
}

/// What the issue of moving pages is about: that much of each per page.
pub const USUAL: Mix = Mix { inserts: 0.05, deletes: 0.05, reranks: 0.05, stale: 0.0, unstable: false };
/// Each of them alone, all of them, and the same with what makes it worse.
pub const MIXES: [Mix; 8] = [
    USUAL,
    Mix { deletes: 0.0, reranks: 0.0, ..USUAL },
    Mix { inserts: 0.0, reranks: 0.0, ..USUAL },
    Mix { inserts: 0.0, deletes: 0.0, ..USUAL },
    Mix { stale: 0.3, ..USUAL },
    Mix { unstable: true, ..USUAL },
    Mix { inserts: 0.0, deletes: 0.0, reranks: 0.0, stale: 0.0, unstable: true },
    Mix { inserts: 0.3, deletes: 0.3, reranks: 0.3, stale: 0.0, unstable: false },
];

/// What a service does to its pages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Paging {
    Proper,
    /// So many of all requests are refused.
    StrayRefusals(f64),
    /// This page is refused so many times.
    Refused {
        page: u32,
        times: u32,
    },
    /// Pages beyond the end are refused.
    RefusesBeyond,
    /// Pages that begin behind this many records are refused; so are those that end behind them, where that counts.
    Window {
        records: u32,
        to_the_end: bool,
    },
    /// Pages have this many records at most, and begin where the one before ended.
    Capped(u32),
    /// Pages are cut to this many records, and begin where they would without.
    Cut(u32),
    /// Pages have this many records whatever is asked for.
    OwnSize(u32),
    /// This page lacks its last record, so many times.
    Short {
        page: u32,
        times: u32,
    },
    /// This page is empty, so many times.
    Empty {
        page: u32,
        times: u32,
    },
    /// This page repeats that one.
    Repeats {
        page: u32,
        other: u32,
    },
    /// A number beyond the end means the last page.
    Clamped,
    /// Any number means the first page.
    Ignored,
}

/// A list ordered by rank.
pub struct Service {
    pub rng: Rng,
    mix: Mix,
    paging: Paging,
    people: Vec<(u32, u32)>,
    before: Vec<(u32, u32)>,
    ranks: u32,
    next_id: u32,
    pub there_throughout: Vec<bool>,
    pub requests: u32,
    faults: u32,
}

impl Service {
    pub fn new(seed: u64, people: u32, mix: Mix, paging: Paging) -> Self {
        let mut rng = Rng::with_seed(seed);
        let ranks = (people / 4).max(1);
        let mut list: Vec<(u32, u32)> = (0..people).map(|id| (rng.u32(0..ranks), id)).collect();
        list.sort_unstable();
        Self {
            rng,
            mix,
            paging,
            before: list.clone(),
            people: list,
            ranks,
            next_id: people,
            there_throughout: vec![true; people as usize],
            requests: 0,
            faults: 0,
        }
    }

    fn insert(&mut self, id: u32) {
        let person = (self.rng.u32(0..self.ranks), id);
        let place = self.people.partition_point(|other| *other < person);
        self.people.insert(place, person);
    }

    /// Time goes on by a request.
    fn move_on(&mut self) {
        self.requests += 1;
        if self.mix.stale > 0.0 && self.requests.is_multiple_of(16) {
            self.before.clone_from(&self.people);
        }
        if self.rng.f64() < self.mix.inserts {
            self.insert(self.next_id);
            self.next_id += 1;
        }
        if self.rng.f64() < self.mix.deletes && !self.people.is_empty() {
            let place = self.rng.usize(0..self.people.len());
            let (_, id) = self.people.remove(place);
            if let Some(there) = self.there_throughout.get_mut(id as usize) {
                *there = false;
            }
        }
        if self.rng.f64() < self.mix.reranks && !self.people.is_empty() {
            let place = self.rng.usize(0..self.people.len());
            let (_, id) = self.people.remove(place);
            self.insert(id);
        }
    }

    /// Those from one place to another, as a request sees them.
    fn cut(&mut self, from: usize, to: usize) -> Vec<u32> {
        let is_stale = self.rng.f64() < self.mix.stale;
        let people = if is_stale { &mut self.before } else { &mut self.people };
        let (from, to) = (from.min(people.len()), to.min(people.len()));
        for border in [from, to] {
            if self.mix.unstable
                && let Some((rank, _)) = people.get(border).copied()
            {
                let group = people.partition_point(|(other, _)| *other < rank)
                    ..people.partition_point(|(other, _)| *other <= rank);
                self.rng.shuffle(&mut people[group]);
            }
        }
        people[from..to].iter().map(|(_, id)| *id).collect()
    }

    /// One page is one query: a consistent snapshot. `None` where it is refused.
    pub fn page(&mut self, number: u32, size: u32) -> Option<Vec<u32>> {
        self.move_on();
        let again = |service: &mut Self, times: u32| {
            service.faults += 1;
            service.faults <= times
        };
        let (mut number, mut size, mut step) = (number, size, size);
        let paging = self.paging;
        match paging {
            Paging::StrayRefusals(rate) if self.rng.f64() < rate => return None,
            Paging::Refused { page, times } if page == number && again(self, times) => return None,
            Paging::RefusesBeyond if u64::from(number - 1) * u64::from(size) >= self.people.len().max(1) as u64 => {
                return None;
            }
            Paging::Window { records, to_the_end }
                if u64::from(number - u32::from(!to_the_end)) * u64::from(size)
                    >= u64::from(records) + u64::from(to_the_end) =>
            {
                return None;
            }
            Paging::Capped(cap) => (size, step) = (size.min(cap), step.min(cap)),
            Paging::Cut(cap) => size = size.min(cap),
            Paging::OwnSize(own) => (size, step) = (own, own),
            Paging::Empty { page, times } if page == number && again(self, times) => return Some(Vec::new()),
            Paging::Repeats { page, other } if page == number => number = other,
            Paging::Clamped => {
                let last = u32::try_from(self.people.len().div_ceil(size as usize)).expect("few pages");
                number = number.min(last.max(1));
            }
            Paging::Ignored => number = 1,
            _ => {}
        }
        let from = (number - 1) as usize * step as usize;
        let mut page = self.cut(from, from + size as usize);
        if let Paging::Short { page: short, times } = self.paging
            && short == number
            && again(self, times)
        {
            page.pop();
        }
        Some(page)
    }

    pub fn is_there(&mut self, id: u32) -> bool {
        self.move_on();
        self.people.iter().any(|(_, other)| *other == id)
    }
}
