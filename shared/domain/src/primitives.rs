//! Values and ports that depend on nothing else in the domain.

pub(crate) mod base62;
pub(crate) mod base64url;
pub mod canonical_json;
pub mod clock_guard;
pub mod day;
pub mod entropy;
pub mod framing;
pub mod idempotency;
pub mod ids;
pub mod phone;
pub mod push;
pub mod spki;
pub mod storage;
pub mod time;
pub mod token;
pub(crate) mod typed_text;
pub mod unavailable;
pub(crate) mod visible_text;
pub mod watcher;
pub mod webhook_secret;

pub use visible_text::is_hidden;
