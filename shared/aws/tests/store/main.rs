//! The DynamoDB store, tested against DynamoDB Local and against a failing DynamoDB.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod apps;
mod capacity;
mod conformance;
mod foreign;
mod host;
mod lost;
mod metered;
mod sweep;
mod trouble;
