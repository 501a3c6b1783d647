//! Limits on a JSON object.

use super::syntax::MAX_DEPTH;

/// The limits on an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum size of the canonical form, in bytes. The caller's text may be longer (whitespace,
    /// `\u0041`) or shorter (`1e20`); limit its length where it is read.
    pub bytes: usize,
    /// Maximum number of keys in the object itself. `bytes` also limits the keys of nested objects.
    pub keys: usize,
    /// Maximum nesting depth of objects and arrays, including the object itself; at most 128.
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

    /// Only the parser's own limits, for text that was within its limits when it was written.
    pub(super) const NONE: Self = Self {
        bytes: usize::MAX,
        keys: usize::MAX,
        depth: MAX_DEPTH,
    };
}
