//! Which documents a test looks at.

use std::hash::{BuildHasher, RandomState};

use crate::notices::announce;

/// The documents that every run looks at.
pub const FIXED: u64 = 0x00c0_0725_1649;

/// The variable that replays the fresh documents of an earlier run.
const VARIABLE: &str = "COUNTERSIGN_INTEROP_SEED";

/// Another seed in each run, told on standard error, or the one in `COUNTERSIGN_INTEROP_SEED`.
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
