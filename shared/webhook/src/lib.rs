//! Webhooks: the HTTP client that sends them to servers of strangers, and the guard that decides
//! which addresses it may connect to. Requests to SNS go the same way.

pub mod client;
pub mod resolver;
pub mod sns;
