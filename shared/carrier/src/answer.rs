//! Bounds on what providers answer.

/// Maximum size of a provider's answer, in bytes. Answers have a few hundred.
pub const MAX_ANSWER: usize = 16 * 1024;
