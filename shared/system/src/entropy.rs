//! Chance from the operating system.

use countersign_domain::primitives::entropy::Entropy;

/// The operating system's generator.
#[derive(Clone, Copy, Debug, Default)]
pub struct OsEntropy;

impl Entropy for OsEntropy {
    /// # Panics
    /// Where the operating system gives no random bytes: whatever would be made of anything else
    /// could be guessed, so there is nothing to go on with.
    fn fill(&self, buffer: &mut [u8]) {
        if let Err(error) = getrandom::fill(buffer) {
            panic!("the operating system gives no random bytes: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_draws_differ_and_fill_the_whole_buffer() {
        let (mut one, mut other) = ([0; 64], [0; 64]);
        OsEntropy.fill(&mut one);
        OsEntropy.fill(&mut other);
        assert_ne!(one, other);
        assert_ne!(one[48..], [0; 16]);
    }
}
