//! Tests of the stored form of every entity: golden files, round trips, and refused records.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod golden;
mod refusals;
