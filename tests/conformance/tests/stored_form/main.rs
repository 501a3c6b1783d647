//! Tests of the stored form of documents: golden files, round trips and refusals.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod golden;
mod refusals;
