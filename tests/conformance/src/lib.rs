//! The conformance suite: what everything that keeps documents, and every signer, must do; and
//! [documents in memory](model::ModelItems), which do it with the simplest possible code.
//!
//! A crate that keeps documents runs the suite in one test: `suite::items(make).await.assert_passed()`.
//! The rules of the domain are not repeated here. `tests/store.rs` checks what the domain's store
//! makes of documents, once for all that keep them.
//!
//! Each case gets its own documents and is reported by name. Run the suite on a multi-threaded
//! runtime, otherwise the races are not real.

pub mod all_due;
pub mod chance;
pub mod check;
pub mod failing;
pub mod indexed;
pub mod model;
pub mod samples;
pub mod skip;
pub mod suite;
