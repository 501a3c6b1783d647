//! Bounds on a JSON object.

use super::syntax::MAX_DEPTH;

/// The bounds of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Greatest size of the canonical form, in bytes. The text the caller sent may be longer
    /// (whitespace, `\u0041`) or shorter (`1e20`); bound it where it is read.
    pub bytes: usize,
    /// Greatest number of keys in the object itself. `bytes` bounds the keys of nested objects.
    pub keys: usize,
    /// Greatest nesting depth of objects and arrays, including the object itself; at most 128.
    pub depth: usize,
}

impl Limits {
    /// Limits for the metadata that a caller attaches to a confirmation or a login: 4 KiB, 50 keys,
    /// 16 levels.
    pub const METADATA: Self = Self {
        bytes: 4096,
        keys: 50,
        depth: 16,
    };

    /// No limits but the parser's own, for text that was within its limits when it was written.
    pub(super) const NONE: Self = Self {
        bytes: usize::MAX,
        keys: usize::MAX,
        depth: MAX_DEPTH,
    };
}
