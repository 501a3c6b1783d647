//! The core with a scripted service, a virtual clock, stores that outlive the process, and the real
//! routers.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod answering;
mod death;
mod files;
mod keys;
mod links;
mod opening;
mod patience;
mod routers;
mod support;
