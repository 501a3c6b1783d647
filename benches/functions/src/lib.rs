//! Measures the Lambda functions: times, memory and sizes.
//!
//! A function runs as its own process, as on Lambda. [`runtime_api`] stands in for Lambda, and
//! [`services`] for the AWS services, over TLS on loopback.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "a measurement that cannot be made fails by panicking, as a test does"
)]

pub mod bench;
pub mod events;
pub mod function;
pub mod http;
pub mod runtime_api;
pub mod samples;
pub mod services;
