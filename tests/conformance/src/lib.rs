//! The conformance suite, which states the requirements for every document store and every signer,
//! and [in-memory documents](model::ModelItems), which meet them with the simplest possible code.
//!
//! A crate with a document store runs the suite in one test:
//! `suite::items(make).await.assert_passed()`. The suite does not repeat the rules of the domain.
//! `tests/store.rs` checks how the domain's store uses documents, once for all document stores.
//!
//! Each case gets its own documents and is reported by name. Run the suite on a multi-threaded
//! runtime, otherwise the races are not real.

pub mod all_due;
pub mod chance;
pub mod check;
pub mod failing;
pub mod indexed;
pub mod model;
pub mod passkey;
pub mod ports;
pub mod samples;
pub mod skip;
pub mod suite;
