//! What every store and every signer must do, as cases that any implementation can be run through,
//! and a [model](model::ModelStore) that does it in the simplest way there is.
//!
//! A crate with an implementation has one test for each port:
//!
//! ```
//! use std::sync::Arc;
//! use countersign_conformance::{model::ModelStore, suite};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() {
//! suite::confirmations(async || Arc::new(ModelStore::default())).await.assert_passed();
//! # }
//! ```
//!
//! Each case gets a store of its own, says what it expects in so many words (it never asks the
//! domain's transitions), and is reported by name. Where the cases race, a runtime with several
//! threads makes them race in earnest.

pub mod all_due;
pub mod chance;
pub mod check;
pub mod model;
pub mod samples;
pub mod skip;
pub mod suite;
