//! The use cases under every fault, on a virtual clock, from a seed.

pub mod executor;
pub mod ground;
pub mod hosts;
pub mod oracle;
pub mod people;
pub mod ports;
pub mod run;
pub mod trace;
pub mod weather;

pub use run::{Setup, Verdict, run};
pub use trace::Trace;
