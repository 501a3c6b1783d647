#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod addresses;
mod exchange;
mod fetch;
mod hostile;
mod names;
mod pool;
mod support;
mod tls;
mod unreachable;
