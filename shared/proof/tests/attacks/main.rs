//! Attacks on proofs: each must be refused because of the stated rule.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod claims;
mod form;
mod passkey_phone;
mod passkeys;
mod ports;
mod properties;
mod support;
