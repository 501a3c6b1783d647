#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test stops where its premise fails"
)]

mod addresses;
mod exchange;
mod hostile;
mod names;
mod pool;
mod support;
mod tls;
mod unreachable;
