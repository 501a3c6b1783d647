//! AWS: what stands behind the domain's ports there, and what every function is started with.
//!
//! A function's `main` is [`start::run`] with its wiring: it reads its configuration, connects what
//! it needs, and hands back what answers its events. All of that is INIT; an invocation finds every
//! connection open that could be made.

pub mod absent;
pub mod browser_socket;
pub mod configuration;
pub mod connections;
pub mod dispatcher;
pub mod http_event;
pub mod inbound_sns;
pub mod logs;
pub mod metrics;
pub mod push;
pub mod queue;
pub mod secrets;
pub mod services;
pub mod settings;
pub mod signer;
pub mod socket_event;
pub mod start;
pub mod store;
#[cfg(test)]
mod test_endpoint;
#[cfg(test)]
mod test_ports;
pub mod told;
