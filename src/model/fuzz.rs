//! Fuzzing on the stable toolchain: seeded mutations of a small corpus, steered towards inputs that end in a new way.
//!
//! `cargo test` takes a few thousand inputs of each target, some seconds for all of them;
//! `FUZZ_COUNT=10000000 cargo test --release fuzz` takes ten million, and `FUZZ_SEED` begins elsewhere.

use std::collections::HashSet;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use super::long_runs::asked;

/// Each target names how many inputs show much; without `FUZZ_COUNT` one in so many is taken.
const QUICK: u64 = 10;
/// Where fuzzing begins unless `FUZZ_SEED` says otherwise, so that a change is judged by the same inputs as the last one.
const SEED: u64 = 7;
/// Inputs longer than this are cut: what goes wrong goes wrong in short ones too.
const LONGEST: usize = 2048;
/// Inputs that are kept because they ended in a new way.
const KEPT: usize = 2000;
/// Longer than any input takes, also on a busy machine: what lasts longer hangs.
const HANGS: Duration = Duration::from_secs(20);
/// Bytes that parsers stumble over.
const ODD: &[u8] = b"\0\x01\t\n\r\x1b \"'+,-./0123456789:;<=>?@[\\]^_`{|}~\x7f\x80\x9b\xbf\xc3\xe2\xed\xef\xf4\xfe\xff";

/// Feeds `check` with mutations of the seeds and with words of the target's language. Its answer says how an input
/// ended: those that end in a new way are mutated further. `check` panics where something is wrong.
pub fn fuzz<E: Hash>(many: u64, seeds: &[&[u8]], words: &[&str], check: impl Fn(&[u8]) -> E) {
    let count = asked("FUZZ_COUNT").unwrap_or(many / QUICK);
    let seed = asked("FUZZ_SEED").unwrap_or(SEED);
    let mut mutator = Mutator { random: fastrand::Rng::with_seed(seed), words };
    let mut pool: Vec<Vec<u8>> = seeds.iter().map(|seed| seed.to_vec()).collect();
    let mut ends = HashSet::new();
    for number in 0..count {
        let input = match seeds.get(usize::try_from(number).unwrap_or(usize::MAX)) {
            Some(seed) => seed.to_vec(),
            None => mutator.mutate(&pool),
        };
        let start = Instant::now();
        let Ok(end) = catch_unwind(AssertUnwindSafe(|| check(&input))) else {
            panic!("input {number} of seed {seed}: {}", input.escape_ascii());
        };
        assert!(start.elapsed() < HANGS, "input {number} of seed {seed} hangs: {}", input.escape_ascii());
        let mut hasher = DefaultHasher::new();
        end.hash(&mut hasher);
        if ends.insert(hasher.finish()) {
            if pool.len() < KEPT {
                pool.push(input);
            } else {
                let place = mutator.random.usize(seeds.len().min(KEPT - 1)..KEPT);
                pool[place] = input;
            }
        }
    }
    assert!(ends.len() > 1, "every input ended in the same way: nothing was tested");
}

struct Mutator<'w> {
    random: fastrand::Rng,
    words: &'w [&'w str],
}

impl Mutator<'_> {
    fn mutate(&mut self, pool: &[Vec<u8>]) -> Vec<u8> {
        let mut input = self.random.choice(pool).cloned().unwrap_or_default();
        for _ in 0..self.random.usize(1..6) {
            self.change(&mut input, pool);
        }
        input.truncate(LONGEST);
        input
    }

    fn change(&mut self, input: &mut Vec<u8>, pool: &[Vec<u8>]) {
        let at = self.random.usize(0..=input.len());
        let (from, to) = self.range(input.len());
        match self.random.u8(0..9) {
            0 => input.insert(at, self.random.u8(..)),
            1 => input.insert(at, *self.random.choice(ODD).unwrap_or(&0)),
            2 if at < input.len() => input[at] = self.random.u8(..),
            3 if at < input.len() => input[at] ^= 1 << self.random.u8(0..8),
            4 => drop(input.drain(from..to)),
            5 => {
                let piece = input[from..to].to_vec();
                drop(input.splice(at..at, piece));
            }
            6 => {
                let other = self.random.choice(pool).cloned().unwrap_or_default();
                let (from, to) = self.range(other.len());
                drop(input.splice(at..at, other[from..to].iter().copied()));
            }
            7 => {
                let word = self.random.choice(self.words).copied().unwrap_or_default();
                drop(input.splice(at..at, word.bytes()));
            }
            _ => input.truncate(at),
        }
    }

    /// A piece of something so long; mostly a short one.
    fn range(&mut self, length: usize) -> (usize, usize) {
        let from = self.random.usize(0..=length);
        let most = if self.random.bool() { 16 } else { length };
        (from, self.random.usize(from..=length.min(from + most)))
    }
}

/// The lines of a corpus that has one seed a line.
pub fn lines(corpus: &'static str) -> Vec<&'static [u8]> {
    corpus.lines().map(str::as_bytes).collect()
}

mod tests {
    use super::*;

    #[test]
    fn fuzzing_finds_what_is_wrong_and_says_with_which_input() {
        let check = |input: &[u8]| {
            assert!(!input.windows(2).any(|pair| pair == b"!?"), "a planted mistake");
            input.len()
        };
        let found = catch_unwind(AssertUnwindSafe(|| fuzz(1_000_000, &[b"hello"], &["!", "?"], check)));
        let said = found.expect_err("the mistake is found");
        let said = said.downcast_ref::<String>().expect("a message");
        let seed = asked("FUZZ_SEED").unwrap_or(SEED);
        assert!(said.contains("!?") && said.contains(&format!("of seed {seed}")), "{said}");
    }
}
