//! The port of the random number generator.

/// A source of random bytes.
///
/// ```
/// use countersign_domain::app::code::Code;
/// use countersign_domain::primitives::entropy::Entropy;
///
/// /// Returns the same bytes each time, for tests of exact output.
/// struct Repeating(u8);
///
/// impl Entropy for Repeating {
///     fn fill(&self, buffer: &mut [u8]) {
///         buffer.fill(self.0);
///     }
/// }
///
/// let code = Code::generate(&Repeating(0xff));
/// assert_eq!(code.spell(&"CS".parse()?), "CS-ZZZZZZZZZZZZZZZZ");
/// # Ok::<(), countersign_domain::app::code::CodePrefixError>(())
/// ```
pub trait Entropy: Send + Sync {
    /// Fills the buffer with random bytes. In production they MUST come from the operating system's
    /// generator, since codes and keys are made of them.
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
