//! The samples of `docs/receivers`, each run as a program and driven over HTTP: the same rules for
//! every language. Languages that this machine lacks are skipped and reported.
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
