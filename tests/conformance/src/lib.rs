//! The conformance suite: test cases that every store and every signer must pass, and a
//! [model](model::ModelStore) that passes them with the simplest possible code.
//!
//! A crate that implements a port runs each suite in one test, such as
//! `suite::confirmations(make).await.assert_passed()`; `tests/model.rs` does this for the model.
//!
//! Each case gets its own store, spells out what it expects instead of asking the domain's
//! transitions, and is reported by name. Run the suite on a multi-threaded runtime, otherwise the
//! races are not real.

pub mod all_due;
pub mod chance;
pub mod check;
pub mod model;
pub mod samples;
pub mod skip;
pub mod stores;
pub mod suite;
