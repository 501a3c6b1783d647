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
pub(crate) mod support;
pub(crate) mod tls;
mod unreachable;
