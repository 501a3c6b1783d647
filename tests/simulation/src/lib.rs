//! The use cases under every fault, on a virtual clock, from a seed: deterministic simulation, as
//! `FoundationDB` and `TigerBeetle` test themselves.
//!
//! A run is small: some callers, persons and providers, two processes that answer, two that
//! deliver and sweep, a queue, three receivers, one store. Everything that chance decides is drawn
//! from one generator, so a seed is a run, and the same one each time. A run lasts hours or days of
//! virtual time and some milliseconds of ours.
//!
//! # To run
//! - `cargo test -p countersign-simulation` runs 10,000 seeds, and shows that the simulation bites;
//! - `SIMULATION_SEEDS=1000000 cargo test -p countersign-simulation every_promise` runs more;
//! - `SIMULATION_SEED=17 cargo test -p countersign-simulation replay -- --nocapture` replays one
//!   and prints every step. A failure prints this line with its seed.
//!
//! # What is real
//! `start`, `receive_text`, `deliver`, `sweep` and `wake_dispatcher` of `countersign_domain`, word
//! for word, and its transitions, by way of the model store of `countersign_conformance`.
//!
//! # What goes wrong
//! | Where | What |
//! |---|---|
//! | every call to the store, the queue, the signer | fails before its effect, or after it; fails and has its effect later; takes up to a minute and a half |
//! | every such call | the process dies before the effect, or between effect and answer; what it had in memory is gone |
//! | requests and answers on the wire | lost; callers and providers ask again, at times both at once |
//! | the queue | loses, doubles, holds back and reorders; hands out again what was not deleted; sets aside what was handed out too often |
//! | the due index | lags: leaves entries out, or has them as they were |
//! | the schedule | leaves a sweep out, or starts two |
//! | receivers | 4xx, 5xx, 429 and 503 with `Retry-After`, 410, no connection, a refused address; take a webhook and answer too late, or break off |
//! | clocks | those of two processes differ by up to 400 ms |
//! | people | text late, twice, from a wrong number, to a wrong one, nonsense; cancel, redact and redeliver at any time; use a key twice |
//!
//! Each seed has its own [weather]: which of these happen, and how often. After a time the storm is
//! over, nothing fails any more and receivers heal; the run goes on until nothing is left to do.
//! What was given up is redelivered then.
//!
//! # What must hold
//! Each [`oracle::Promise`]. The [`oracle`] knows what callers and providers were told and what
//! receivers got, looks at what is really stored after each call, and judges all of it at the end.
//!
//! # What is not simulated
//! HTTP, signatures of providers, real signatures (a hash stands for them), the conditions of the
//! stores for AWS and for one machine (the conformance suite holds those to the model), removal of
//! old items, claims that a store may lose with its process, administration of apps.
//!
//! # Where things are
//! [`executor`]: tasks, processes, time. [`ground`]: the way from a process to a port, on which
//! things go wrong. [`ports`]: what is at its end. [`hosts`]: our processes. [`people`]: everybody
//! else. [`run()`]: how it is put together. `tests/bites`: what is caught.

pub mod executor;
pub mod ground;
pub mod hosts;
pub mod oracle;
pub mod people;
pub mod ports;
pub mod run;
pub mod trace;
pub mod weather;
pub mod wire;

pub use run::{Setup, Verdict, run};
pub use trace::Trace;
