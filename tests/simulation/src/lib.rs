//! Deterministic, seeded simulation of the use cases with every fault, on a virtual clock. The
//! method comes from `FoundationDB` and `TigerBeetle`.
//!
//! A run is small: a few callers, users and providers; up to two logins with their browsers, phones and
//! strangers; an app's server that registers up to four keys; two processes that serve requests; two that
//! deliver and sweep; a queue, three receivers and one store. All randomness comes from one generator, so
//! the same seed always gives the same run. A run covers hours or days of virtual time in a few
//! milliseconds of real time.
//!
//! # To run
//! - `cargo test -p countersign-simulation` runs two thousand seeds;
//! - `SIMULATION_SEEDS=1000000 cargo test -p countersign-simulation every_promise` runs more;
//! - `SIMULATION_SEED=17 cargo test -p countersign-simulation replay -- --nocapture` replays one
//!   and prints every step. A failure prints this line with its seed.
//!
//! # What is real
//! `start`, `receive_text`, the use cases of logins and association keys, `deliver`, `sweep` and
//! `wake_dispatcher` of `countersign_domain`, unchanged, and its transitions, through the model store of
//! `countersign_conformance`; proofs and their verification by `countersign_proof`.
//!
//! # What goes wrong
//! | Where | What |
//! |---|---|
//! | every call to a store, the queue, the signer, the push service or the history of logins | fails before or after its effect; fails and has its effect later; takes up to a minute and a half |
//! | every such call | the process dies before the effect, or between effect and answer, and loses its memory |
//! | requests and answers on the network | are lost; callers and providers retry, sometimes two at the same time |
//! | the queue | loses, duplicates, delays and reorders messages; hands out undeleted messages again; sets aside messages that were handed out too often |
//! | the due index | lags: omits entries, or has outdated ones |
//! | the schedule | skips a sweep, or starts two |
//! | receivers | answer 4xx, 5xx, 410, or 429 and 503 with `Retry-After`; are unreachable or have a refused address; take a webhook and answer too late or break the connection |
//! | clocks | two processes' clocks differ by up to 400 ms |
//! | browsers | load twice, lose the connection they watch with, redeem again with the same receipt and with another, cancel, close, ask after the end |
//! | phones | open a code twice, late or with another body; die and come back with the same token; confirm with the wrong encryption; decide twice |
//! | proofs | are missing, late, early or about to lapse; are for another login, page or payload; are by another user's key, or forged under its name; name keys that are unknown or revoked |
//! | servers of apps | register keys for another user, without a signature, or with one for another user; list and revoke them during logins; do so twice at the same time |
//! | strangers | know the id, and try it with their own tokens |
//! | people | text late, twice, nonsense, from a wrong number or to a wrong one; cancel, redact and redeliver at any time; use a key twice |
//!
//! Each seed has its own [weather]: which of these faults happen, and how often. After some time the storm
//! ends: nothing fails any more and receivers heal. The run continues until nothing is left to do. Then
//! deliveries that had been given up are redelivered.
//!
//! # What must hold
//! Each [`oracle::Promise`]. The [`oracle`] records the answers to callers and providers, and what
//! receivers got. It inspects the stored item after each call, and checks everything at the end.
//!
//! # What is not simulated
//! HTTP, signatures of providers, real signatures of webhooks (hashes replace them), the limit on a user's
//! keys, the conditions of the stores for AWS and for one machine (the conformance suite compares those with
//! the model), removal of old items, claims that a store may lose with its process, administration of apps,
//! encryption of payloads, quotas.
//!
//! # Where things are
//! [`sim`]: tasks, processes, time. [`mod@env`]: the links from processes to ports, on which faults
//! happen. [`ports`]: the services behind the links. [`hosts`]: our processes. [`people`]: everyone else.
//! [`run()`]: assembles and runs all of it. That it notices a rule that
//! The weekly workflow shows that it notices a missing rule: `cargo mutants` removes the rules of the
//! domain one by one.

pub mod association_keys;
pub mod env;
pub mod hosts;
pub mod logins;
pub mod oracle;
pub mod people;
pub mod ports;
pub mod run;
pub mod sim;
pub mod trace;
pub mod weather;
pub mod wire;

pub use run::{Verdict, run};
pub use trace::Trace;
