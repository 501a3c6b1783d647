//! The conformance suite: cases that every store and every signer must pass, and a
//! [model](model::ModelStore) that passes them in the simplest way there is.
//!
//! A crate with an implementation has one test for each port:
//!
//! ```
//! use std::sync::Arc;
//! use countersign_conformance::{model::ModelStore, suite};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() {
//! let make = async || Arc::new(ModelStore::default()).stores();
//! suite::confirmations(make).await.assert_passed();
//! suite::deliveries(make).await.assert_passed();
//! # }
//! ```
//!
//! Each case gets a store of its own, spells out what it expects (it never asks the domain's
//! transitions), and is reported by name. Run the suite on a runtime with several threads, so that
//! the races are real.

pub mod all_due;
pub mod chance;
pub mod check;
pub mod model;
pub mod samples;
pub mod skip;
pub mod stores;
pub mod suite;
