//! The seeds of the documents that a test checks.

use std::hash::{BuildHasher, RandomState};

use crate::notices::announce;

/// Seed for the documents that every run checks.
pub const FIXED: u64 = 0x00c0_0725_1649;

/// Environment variable that replays the fresh documents of an earlier run.
const VARIABLE: &str = "COUNTERSIGN_INTEROP_SEED";

/// Returns a new seed and prints it to standard error, or returns the seed in
/// `COUNTERSIGN_INTEROP_SEED`.
#[must_use]
pub fn fresh(test: &str) -> u64 {
    let seed = match std::env::var(VARIABLE) {
        Ok(decimal) => decimal
            .parse()
            .expect("COUNTERSIGN_INTEROP_SEED must be a decimal number"),
        Err(_) => RandomState::new().hash_one(test),
    };
    announce(&format!(
        "{test}: replay the fresh documents with {VARIABLE}={seed}"
    ));
    seed
}
