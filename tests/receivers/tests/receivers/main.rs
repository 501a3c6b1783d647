//! Runs each sample of `docs/receivers` as a program and tests it over HTTP, with the same rules for every
//! language. Languages that are not installed on this machine are skipped and reported. Languages that
//! have a library are covered by the library's own tests.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod acceptance;
mod fake;
mod keys;
mod language;
mod login_forgeries;
mod login_phone;
mod logins;
mod process;
mod raw_bytes;
mod signatures;
mod webcrypto;
mod webhook;
