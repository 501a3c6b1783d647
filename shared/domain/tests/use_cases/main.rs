//! The use cases over the model store, on a clock that the tests move.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "these are tests"
)]

mod world;

mod deliver;
mod qr;
mod receive_text;
mod send_test;
mod start;
mod sweep;
