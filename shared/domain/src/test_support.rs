//! What the domain's own tests share.

use crate::ports::Entropy;

/// Entropy that has none: every byte is the same.
pub(crate) struct FixedEntropy(pub(crate) u8);

impl Entropy for FixedEntropy {
    fn fill(&self, buffer: &mut [u8]) {
        buffer.fill(self.0);
    }
}
