//! Payloads that only the browser can open: HPKE (RFC 9180) in base mode with DHKEM(P-256,
//! HKDF-SHA256), HKDF-SHA256 and AES-256-GCM, without additional data.
//!
//! What is sealed is bound to one session and to the page that opened it (`info`), so that it opens
//! nowhere else. It says nothing about who sealed it: base mode knows no sender.

mod browser;
mod hybrid;
mod info;
mod phone;

pub use browser::{BrowserPrivateKey, MalformedPrivateKey, OpenError};
pub use phone::{MAX_PAYLOAD, SealError, seal};
