use thiserror::Error;

/// Why a JSON text was not taken.
///
/// `at` counts bytes from the start of the text that was parsed: of the whole request where the
/// value came through [`Members`](super::Members). No variant holds a piece of the text, so an
/// error may be logged and shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CanonicalError {
    /// The bytes are not UTF-8 (RFC 8259, section 8.1).
    #[error("not UTF-8 at byte {at}")]
    NotUtf8 {
        /// Where the first wrong byte stands.
        at: usize,
    },
    /// The text is not JSON (RFC 8259). A byte-order mark counts as such.
    #[error("not JSON at byte {at}")]
    NotJson {
        /// Where the grammar was left.
        at: usize,
    },
    /// The value must be an object.
    #[error("not an object at byte {at}")]
    NotAnObject {
        /// Where the value begins.
        at: usize,
    },
    /// The value must be a string.
    #[error("not a string at byte {at}")]
    NotAString {
        /// Where the value begins.
        at: usize,
    },
    /// A key stands twice in one object, in whatever spelling.
    #[error("duplicate key at byte {at}")]
    DuplicateKey {
        /// Where the later of the two begins.
        at: usize,
    },
    /// `__proto__` anywhere, or `prototype` in an object called `constructor`: common receivers
    /// refuse a body with them, because careless code merges them into a prototype.
    #[error("the key {key} at byte {at} is not allowed")]
    ForbiddenKey {
        /// The key, one of ours and not the caller's text.
        key: &'static str,
        /// Where the key begins.
        at: usize,
    },
    /// An integer literal that a double cannot tell from its neighbours.
    #[error("the integer at byte {at} is beyond 2^53-1; send it as a string")]
    IntegerOutOfRange {
        /// Where the number begins.
        at: usize,
    },
    /// A number larger than any double, as `1e999`.
    #[error("the number at byte {at} is beyond the range of a double")]
    NumberNotFinite {
        /// Where the number begins.
        at: usize,
    },
    /// Half of a surrogate pair, as `"\ud800"`: not a Unicode string.
    #[error("the string at byte {at} holds half of a surrogate pair")]
    LoneSurrogate {
        /// Where the string begins.
        at: usize,
    },
    /// Objects and arrays stand within one another too often.
    #[error("nested deeper than {limit} at byte {at}")]
    TooDeep {
        /// Where the first object or array too deep begins.
        at: usize,
        /// The depth that would have been taken.
        limit: usize,
    },
    /// The object has too many keys of its own.
    #[error("{keys} keys are more than {limit}")]
    TooManyKeys {
        /// How many there are.
        keys: usize,
        /// How many would have been taken.
        limit: usize,
    },
    /// The canonical form is too long.
    #[error("{bytes} bytes in canonical form are more than {limit}")]
    TooLarge {
        /// How long it is.
        bytes: usize,
        /// How long it could have been.
        limit: usize,
    },
    /// A text that was said to be canonical is JSON, but another spelling of it.
    #[error("not in canonical form")]
    NotCanonical,
}
