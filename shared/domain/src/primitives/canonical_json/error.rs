use thiserror::Error;

/// The reason why a JSON text is refused.
///
/// `at` counts bytes from the start of the parsed text, which is the whole request for values read
/// through [`Members`](super::Members). No variant contains any of the caller's text, so errors may
/// be logged and shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CanonicalError {
    /// The bytes are not UTF-8 (RFC 8259, section 8.1).
    #[error("not UTF-8 at byte {at}")]
    NotUtf8 {
        /// Offset of the first invalid byte.
        at: usize,
    },
    /// The text is not JSON (RFC 8259). A byte-order mark is not JSON either.
    #[error("not JSON at byte {at}")]
    NotJson {
        /// Offset near the first byte that breaks the grammar.
        at: usize,
    },
    /// The value must be an object.
    #[error("not an object at byte {at}")]
    NotAnObject {
        /// Offset of the value.
        at: usize,
    },
    /// The value must be a string.
    #[error("not a string at byte {at}")]
    NotAString {
        /// Offset of the value.
        at: usize,
    },
    /// A key appears twice in one object, even if escaped differently.
    #[error("duplicate key at byte {at}")]
    DuplicateKey {
        /// Offset of the second occurrence.
        at: usize,
    },
    /// `__proto__` anywhere, or `prototype` in an object called `constructor`. Common receivers
    /// refuse a body with these keys, because careless code merges them into a prototype.
    #[error("the key {key} at byte {at} is not allowed")]
    ForbiddenKey {
        /// The forbidden key, taken from our list and not from the caller's text.
        key: &'static str,
        /// Offset of the key.
        at: usize,
    },
    /// An integer literal that a double cannot distinguish from its neighbors.
    #[error("the integer at byte {at} is beyond 2^53-1; send it as a string")]
    IntegerOutOfRange {
        /// Offset of the number.
        at: usize,
    },
    /// A number larger than any double, such as `1e999`.
    #[error("the number at byte {at} is beyond the range of a double")]
    NumberNotFinite {
        /// Offset of the number.
        at: usize,
    },
    /// Half of a surrogate pair, such as `"\ud800"`: not a Unicode string.
    #[error("the string at byte {at} contains half of a surrogate pair")]
    LoneSurrogate {
        /// Offset of the string.
        at: usize,
    },
    /// Objects and arrays are nested too deeply.
    #[error("nested deeper than {limit} at byte {at}")]
    TooDeep {
        /// Offset of the first object or array that is too deep.
        at: usize,
        /// Maximum depth.
        limit: usize,
    },
    /// The object has too many top-level keys.
    #[error("{keys} keys exceed the limit of {limit}")]
    TooManyKeys {
        /// Number of keys found.
        keys: usize,
        /// Maximum number of keys.
        limit: usize,
    },
    #[error("{bytes} bytes in canonical form exceed the limit of {limit}")]
    TooLarge {
        /// Size of the canonical form in bytes.
        bytes: usize,
        /// Maximum size in bytes.
        limit: usize,
    },
    /// The text is JSON but not in canonical form.
    #[error("not in canonical form")]
    NotCanonical,
}
