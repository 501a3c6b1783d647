//! The API over HTTP: requests into its routers, over a store in memory.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test may fail where it stands"
)]

mod bodies;
mod confirmations;
mod described;
mod fields;
mod framed;
mod host;
mod idempotency;
mod keys;
mod logins;
mod problems;
mod quotas;
mod routes;
mod secrets;
mod sessions;
mod sockets;
mod storage;
mod texts;
mod well_known;
