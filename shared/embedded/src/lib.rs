//! shared/embedded
pub mod queue;
