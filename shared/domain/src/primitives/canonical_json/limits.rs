//! Bounds on a JSON object.

use super::syntax::DEEPEST;

/// The most that an object may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the canonical form. What the caller sent may be longer (whitespace, `\u0041`) or
    /// shorter (`1e20`); bound that where it is read.
    pub bytes: usize,
    /// Keys of the object itself. Those of objects within it are bounded by `bytes`.
    pub keys: usize,
    /// Objects and arrays within one another, the object itself counted; at most 128.
    pub depth: usize,
}

impl Limits {
    /// What a caller may attach to a session: 4 KiB, 50 keys, 16 levels.
    pub const METADATA: Self = Self {
        bytes: 4096,
        keys: 50,
        depth: 16,
    };

    /// For text that was within its limits when it was made.
    pub(super) const NONE: Self = Self {
        bytes: usize::MAX,
        keys: usize::MAX,
        depth: DEEPEST,
    };
}
