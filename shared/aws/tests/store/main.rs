//! The DynamoDB store against DynamoDB as two others make it, and against one that is in trouble.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod apps;
mod capacity;
mod conformance;
mod foreign;
mod host;
mod lost;
mod trouble;
