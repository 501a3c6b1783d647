//! The operating system's random numbers.

use countersign_domain::primitives::entropy::Entropy;

/// The operating system's random number generator.
#[derive(Clone, Copy, Debug, Default)]
pub struct OsEntropy;

impl Entropy for OsEntropy {
    /// # Panics
    ///
    /// Panics if the operating system returns no random bytes: anything else could be guessed.
    fn fill(&self, buffer: &mut [u8]) {
        if let Err(error) = getrandom::fill(buffer) {
            panic!("the operating system returned no random bytes: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_differ_and_fill_the_buffer() {
        let (mut one, mut other) = ([0; 64], [0; 64]);
        OsEntropy.fill(&mut one);
        OsEntropy.fill(&mut other);
        assert_ne!(one, other);
        assert_ne!(one[48..], [0; 16]);
    }
}
