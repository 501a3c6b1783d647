//! Reproducible randomness: the same seed gives the same documents on every machine.

/// The `SplitMix64` generator, which scrambles a counter.
#[derive(Clone, Debug)]
pub struct Chance(u64);

impl Chance {
    /// Creates the generator for document `number` of a `seed`.
    #[must_use]
    pub fn new(seed: u64, number: u64) -> Self {
        let mut of_seed = Self(seed);
        Self(of_seed.any().wrapping_add(Self(number).any()))
    }

    /// Returns any number.
    pub fn any(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number less than `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        // All bits are random, so it does not matter which of them `usize` drops.
        #[allow(clippy::cast_possible_truncation, reason = "see above")]
        let any = self.any() as usize;
        any % bound
    }

    /// Returns a number from `least` to `most`, both included.
    pub fn between(&mut self, least: usize, most: usize) -> usize {
        least + self.below(most - least + 1)
    }

    /// Returns true once in `times`, on average.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// Returns one of `choices`.
    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}
