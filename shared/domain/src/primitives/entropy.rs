//! The port of the random number generator.

/// A source of random bytes.
pub trait Entropy: Send + Sync {
    /// Fills the buffer with random bytes. In production, the bytes MUST come from the operating
    /// system's generator, because codes and keys are generated from them.
    fn fill(&self, buffer: &mut [u8]);
}

/// Entropy for tests that fills every byte with the same value.
#[cfg(test)]
pub(crate) struct FixedEntropy(pub(crate) u8);

#[cfg(test)]
impl Entropy for FixedEntropy {
    fn fill(&self, buffer: &mut [u8]) {
        buffer.fill(self.0);
    }
}
