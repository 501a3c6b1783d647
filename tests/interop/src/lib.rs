//! Tests that other languages can read webhook bodies without breaking their signatures.
//!
//! The tests generate tens of thousands of webhook bodies, with metadata that is as awkward as JSON allows,
//! and pass them to real interpreters. Languages that are not installed are reported as skipped.

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
