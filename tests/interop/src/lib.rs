//! What is signed and sent, read by other languages.
//!
//! The tests of this crate make webhook bodies by the ten thousand, out of metadata that is as
//! awkward as JSON allows, and hand them to real interpreters. A language that is not on the
//! machine is reported as skipped.

#![allow(
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "a test fails by panicking"
)]

pub mod bodies;
pub mod chance;
pub mod hostile;
pub mod notices;
pub mod peer;
pub mod seeds;
