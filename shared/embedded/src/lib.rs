//! The domain's ports on one machine: confirmations, logins, apps and API keys in one SQLite file, the
//! signing key in a PEM file, and the delivery queue in memory.

pub mod keys;
pub mod places;
pub mod push;
pub mod queue;
pub mod space;
pub mod store;
