//! Sends HTTP requests to the API's routers, over a store in memory.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test may fail where it stands"
)]

mod api_keys;
mod bodies;
mod connections;
mod fields;
mod host;
mod idempotency;
mod log;
mod logins;
mod middleware;
mod openapi;
mod openid;
mod paths;
mod phone_registrations;
mod problems;
mod quotas;
mod routes;
mod storage;
