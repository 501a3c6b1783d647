//! JSON that survives parsing and serializing.
//!
//! The specification's receiver does not verify the bytes that were sent: it parses the webhook's
//! body, serializes the result with `JSON.stringify`, and verifies a signature over that text. Any
//! JSON library must therefore reproduce the signed text byte for byte. This module converts the
//! caller's metadata to such a form, or returns the reason why that is impossible.
//!
//! # The form
//! - No whitespace, byte-order mark or final newline.
//! - Keys are sorted in every object. *Array indices* (the canonical decimals from `0` to
//!   `4294967294`) come first, in numerical order, because ECMAScript moves them there (ECMA-262,
//!   `OrdinaryOwnPropertyKeys`). The others follow in the order of their UTF-8 bytes, which is the
//!   order of code points: the order of Go's maps and of Python's `sort_keys`. Java's
//!   `String.compareTo` differs only between the surrogate pairs and U+E000 to U+FFFF. Libraries
//!   that keep the order of the text (ECMAScript, Python's `dict`, Java's `LinkedHashMap`) agree in
//!   any case.
//! - Strings are escaped as `JSON.stringify` does: `"`, `\` and U+0000 to U+001F, in the short form
//!   if there is one, otherwise as lowercase `\u00xx`. All other characters are written unescaped.
//! - Numbers are in ECMAScript's form (ECMA-262, `Number::toString`).
//!
//! # What is refused
//! Anything that two parsers could read differently: duplicate keys, integer *literals* beyond
//! 2^53-1 (`1e20` is not an integer literal; it is written as `100000000000000000000`), numbers too
//! large for a double, lone surrogates, and deep nesting. Keys that popular receivers refuse:
//! `__proto__`, and `prototype` in an object called `constructor`.
//!
//! # Use
//! A handler reads a request with [`Members`], which does not check members it does not know. `serde_json` checks the
//! syntax of all of them; [`Pairs`] keeps repeated members, which `serde_json` would discard. [`CanonicalObject::from_body`]
//! writes a body from the struct that describes it.

mod error;
mod key;
mod limits;
mod members;
mod object;
mod pairs;
mod schema;
mod syntax;
mod write;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

pub use error::CanonicalError;
pub use limits::Limits;
pub use members::Members;
pub use object::CanonicalObject;
pub use pairs::Pairs;
