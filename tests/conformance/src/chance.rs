//! Reproducible randomness: a failed case can be repeated from its seed.

use std::hash::{BuildHasher, RandomState};

/// A pseudorandom number generator (`SplitMix64`), unsuitable for secrets.
#[derive(Clone, Debug)]
pub struct Chance(u64);

impl Chance {
    /// Returns a generator that starts from a seed.
    #[must_use]
    pub const fn from_seed(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns a seed that differs from run to run.
    #[must_use]
    pub fn fresh_seed() -> u64 {
        RandomState::new().hash_one("seed") >> 32
    }

    /// Draws any 64-bit number.
    pub const fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Draws a number below `end`, or returns 0 if `end` is 0.
    pub const fn below(&mut self, end: u64) -> u64 {
        match self.number().checked_rem(end) {
            Some(number) => number,
            None => 0,
        }
    }

    /// Returns true with a probability of one in `times`.
    pub const fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// Draws one of the given values.
    ///
    /// # Panics
    /// If `choices` is empty.
    pub fn one_of<T: Clone>(&mut self, choices: &[T]) -> T {
        let count = u64::try_from(choices.len()).unwrap_or(u64::MAX);
        let index = usize::try_from(self.below(count)).unwrap_or(0);
        choices[index].clone()
    }

    /// Draws an array of bytes.
    pub fn bytes<const N: usize>(&mut self) -> [u8; N] {
        std::array::from_fn(|_| self.number().to_le_bytes()[3])
    }
}
