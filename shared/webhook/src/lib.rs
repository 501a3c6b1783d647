//! Webhooks: the HTTP client that sends them to third-party servers, and the guard that decides
//! which addresses it may connect to. Requests to SNS and checks of link hosts use the same client.

pub mod client;
pub mod resolver;
pub mod site;
pub mod sns;
