//! Bounds on the answers of providers.

/// Maximum size of a provider's answer, in bytes. Actual answers have a few hundred.
pub const MAX_ANSWER: usize = 16 * 1024;
