//! The domain's ports on one machine: confirmations, logins, apps and API keys in one SQLite file, the
//! signing keys in files, and the delivery queue in memory.

pub mod keys;
pub mod openid;
pub mod places;
pub mod push;
pub mod queue;
pub mod space;
pub mod store;
