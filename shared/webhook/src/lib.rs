//! Webhooks: the HTTP client that sends them to strangers' servers, and what decides which
//! addresses it may reach.

pub mod client;
pub mod resolver;
