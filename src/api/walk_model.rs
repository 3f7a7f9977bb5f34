//! A model of a list that moves while it is read, against the walk that ships.

use fastrand::Rng;

use super::walk::{After, Convergence, Mode, PageResult, Walk};

/// People at the beginning.
const PEOPLE: u32 = 2_000;
/// Ranks by which the list is ordered: few, so that there are ties.
const RANKS: u32 = 500;
const PAGE: u32 = 100;

/// How the list behaves.
#[derive(Clone, Copy, Debug)]
struct Mix {
    /// How often, per page asked for, somebody is inserted, somebody deleted, and somebody ranked anew.
    rate: f64,
    /// The service cuts a page first and leaves out deleted people then: pages in the middle are not full.
    gaps: bool,
}

/// What the issue of moving pages is about: 0.05 inserts, deletes and re-ranks each per page.
const USUAL: Mix = Mix { rate: 0.05, gaps: false };
const WITH_GAPS: Mix = Mix { rate: 0.05, gaps: true };

/// A list ordered by rank; ties go by id.
struct Moving {
    rng: Rng,
    mix: Mix,
    people: Vec<(u32, u32)>,
    next_id: u32,
    deleted: Vec<bool>,
}

impl Moving {
    fn new(seed: u64, mix: Mix) -> Self {
        let mut rng = Rng::with_seed(seed);
        let mut people: Vec<(u32, u32)> = (0..PEOPLE).map(|id| (rng.u32(0..RANKS), id)).collect();
        people.sort_unstable();
        Self { rng, mix, people, next_id: PEOPLE, deleted: vec![false; PEOPLE as usize] }
    }

    fn happens(&mut self) -> bool {
        self.rng.f64() < self.mix.rate
    }

    fn insert(&mut self, id: u32) {
        let person = (self.rng.u32(0..RANKS), id);
        let place = self.people.partition_point(|other| *other < person);
        self.people.insert(place, person);
    }

    fn move_on(&mut self) {
        if self.happens() {
            self.insert(self.next_id);
            self.next_id += 1;
            self.deleted.push(false);
        }
        if self.happens() {
            let place = self.rng.usize(0..self.people.len());
            self.deleted[self.people[place].1 as usize] = true;
            if !self.mix.gaps {
                self.people.remove(place);
            }
        }
        if self.happens() {
            let place = self.rng.usize(0..self.people.len());
            let (_, id) = self.people.remove(place);
            self.insert(id);
        }
    }

    /// One page is one query: a consistent snapshot.
    fn page(&mut self, number: u32) -> Vec<u32> {
        self.move_on();
        let cut = self.people.iter().skip(((number - 1) * PAGE) as usize).take(PAGE as usize);
        cut.map(|(_, id)| *id).filter(|id| !self.deleted[*id as usize]).collect()
    }
}

/// How many exports of a series ended how.
#[derive(Debug, Default)]
struct Series {
    exports: u32,
    requests: u32,
    unverified: u32,
    /// Rows that were there throughout and are missing in an export that calls itself whole.
    missing: usize,
}

fn export(number: u64, mix: Mix, mode: Mode, repeated: bool, series: &mut Series) {
    let mut list = Moving::new(number, mix);
    let mut found = vec![false; 2 * PEOPLE as usize];
    let mut convergence = Convergence::new();
    let whole = loop {
        let mut walk = Walk::new(PAGE, mode);
        while let pages = walk.asks()
            && !pages.is_empty()
        {
            series.requests += u32::try_from(pages.len()).expect("few pages");
            let answers: Vec<PageResult<u32>> = pages.iter().map(|page| PageResult::Keys(list.page(*page))).collect();
            for place in walk.judge(&answers).expect("no page fails") {
                let PageResult::Keys(keys) = &answers[place] else { continue };
                for id in keys {
                    convergence.saw(!std::mem::replace(&mut found[*id as usize], true), Some(*id));
                }
            }
        }
        match convergence.end_walk() {
            After::Again if repeated => {}
            After::Unverified => break false,
            After::Again | After::Whole => break true,
        }
    };
    series.exports += 1;
    series.unverified += u32::from(!whole);
    if whole {
        let missing = (0..PEOPLE as usize).filter(|id| !list.deleted[*id] && !found[*id]);
        series.missing += missing.count();
    }
}

fn series(exports: u64, mix: Mix, mode: Mode, repeated: bool) -> Series {
    let mut series = Series::default();
    (0..exports).for_each(|number| export(number, mix, mode, repeated, &mut series));
    series
}

const EXPORTS: u64 = 300;

#[test]
fn no_verified_export_of_a_moving_list_lacks_somebody_who_was_there_throughout() {
    for mix in [USUAL, WITH_GAPS] {
        let shipped = series(EXPORTS, mix, Mode::CAREFUL, true);
        assert_eq!(shipped.missing, 0, "{mix:?} {shipped:?}");
        assert!(shipped.unverified * 20 <= shipped.exports, "{mix:?} {shipped:?}");
    }
}

#[test]
fn without_walking_again_the_model_finds_missing_rows() {
    let once = series(EXPORTS, USUAL, Mode::CAREFUL, false);
    assert!(once.missing > 0, "{once:?}");
    let plain = series(EXPORTS, USUAL, Mode::PLAIN, false);
    assert!(plain.missing > once.missing, "{plain:?} {once:?}");
}

#[test]
fn without_reading_the_page_before_again_the_model_finds_missing_rows() {
    let busy = Mix { rate: 0.8, gaps: false };
    let without = series(EXPORTS, busy, Mode { reread: false, ..Mode::CAREFUL }, true);
    assert!(without.missing > 0, "{without:?}");
    let shipped = series(EXPORTS, busy, Mode::CAREFUL, true);
    assert_eq!(shipped.missing, 0, "{shipped:?}");
}

#[test]
fn without_confirming_the_end_the_model_finds_missing_rows() {
    let series = series(EXPORTS, WITH_GAPS, Mode { confirm: false, ..Mode::CAREFUL }, true);
    assert!(series.missing > 0, "{series:?}");
}
