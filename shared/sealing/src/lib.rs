//! Payloads that only the browser can open: HPKE (RFC 9180) in base mode with DHKEM(P-256,
//! HKDF-SHA256), HKDF-SHA256 and AES-256-GCM, without additional data.
//!
//! The plaintext is an [`Envelope`]: the payload and the salt of its proof.
//!
//! A sealed payload is bound to one login and to the page that opened it (`info`), and cannot be
//! opened for any other. It does not reveal who sealed it: base mode does not authenticate the
//! sender.

mod browser;
mod envelope;
mod hybrid;
mod info;
mod phone;

pub use browser::{BrowserPrivateKey, MalformedPrivateKey, OpenError};
pub use envelope::Envelope;
pub use phone::{MAX_PLAINTEXT, SealError, seal};
