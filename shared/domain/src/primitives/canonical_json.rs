//! JSON that survives being parsed and written again.
//!
//! The specification's receiver does not verify the bytes it was sent: it parses the webhook's
//! body, serialises the result with `JSON.stringify`, and verifies a signature over that. So what
//! is signed has to come back byte for byte from a stranger's JSON library. This module turns the
//! metadata a caller sent into that form, or says why it cannot be done.
//!
//! # The form
//! - No whitespace, byte-order mark or final newline.
//! - Keys are sorted in every object. First the *array indices* (the canonical decimals from `0`
//!   to `4294967294`), ascending by number, because ECMAScript moves them there (ECMA-262,
//!   `OrdinaryOwnPropertyKeys`). Then all others by the bytes of their UTF-8, which is the order of
//!   code points: the order of Go's maps and of Python's `sort_keys`. Java's `String.compareTo`
//!   differs from it only between the surrogate pairs and U+E000 to U+FFFF. Whoever keeps the order
//!   of the text (ECMAScript, Python's `dict`, Java's `LinkedHashMap`) agrees in any case.
//! - Strings are escaped as `JSON.stringify` does: `"`, `\` and U+0000 to U+001F, in the short
//!   form where there is one, else as lowercase `\u00xx`. Everything else stands raw.
//! - Numbers are in ECMAScript's form (ECMA-262, `Number::toString`).
//!
//! # What is refused
//! What two parsers could read differently: duplicate keys, integer *literals* beyond 2^53-1
//! (`1e20` is not an integer literal; it is printed as `100000000000000000000`), numbers beyond a
//! double, lone surrogates, and depth. Also what a popular receiver refuses: `__proto__`, and
//! `prototype` in an object called `constructor`.
//!
//! # Use
//! A handler reads a request with [`Members`], which leaves alone the members it does not know:
//!
//! ```
//! use countersign_domain::primitives::canonical_json::{CanonicalError, Limits, Members};
//!
//! # fn main() -> Result<(), CanonicalError> {
//! let body = br#"{"callbackUrl":"https://example.com", "metadata":{"b":1.0,"10":2,"9":3}}"#;
//! let request = Members::parse(body)?;
//! let callback = request.text("callbackUrl")?;
//! let metadata = request.object("metadata", Limits::METADATA)?.unwrap_or_default();
//! assert_eq!(callback.as_deref(), Some("https://example.com"));
//! assert_eq!(metadata.as_str(), r#"{"9":3,"10":2,"b":1}"#);
//! # Ok(())
//! # }
//! ```
//!
//! [`ObjectWriter`] writes a body around it.

mod error;
mod key;
mod limits;
mod members;
mod object;
mod syntax;
mod write;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

pub use error::CanonicalError;
pub use limits::Limits;
pub use members::{JsonKind, Members, RawJson};
pub use object::{CanonicalObject, ObjectWriter};
