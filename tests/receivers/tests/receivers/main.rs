//! The sample receivers of `docs/receivers`, each run as a program and driven over HTTP: the same
//! rules for every language. A language that this machine lacks is skipped, loudly.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on has failed"
)]

mod acceptance;
mod fake;
mod keys;
mod language;
mod process;
mod raw_bytes;
mod signatures;
mod webcrypto;
mod webhook;
