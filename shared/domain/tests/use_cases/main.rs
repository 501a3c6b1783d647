//! The use cases with the model store and a clock that the tests control.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "these are tests"
)]

mod world;

mod association_keys;
mod carriers;
mod client_channel;
mod deliver;
mod lists;
mod logins;
mod number_types;
mod receive_text;
mod start;
mod sweep;
mod test_webhook;
