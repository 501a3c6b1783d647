//! The AWS adapters: what implements the domain's ports there, and what starts every function.
//!
//! The `main` of a function is a call of [`start::run`] with its wiring: it gets its settings,
//! connects its ports, and returns the handler of its events. All of that happens in Lambda's init
//! phase, so that connections stand when the first event comes.
//!
//! Modules use only the modules that come before them here: [`config`] and [`error`]; the adapters [`store`],
//! [`signer`], [`queues`], [`push`], [`secrets`], [`tags`], [`providers`], [`webhook_secrets`] and
//! [`metrics`], whose clients
//! [`services`] makes; [`handlers`]; [`start`].

pub mod carrier;
pub mod config;
pub mod error;
pub mod handlers;
pub mod metrics;
pub mod providers;
pub mod push;
pub mod queues;
pub mod secrets;
pub mod services;
pub mod signer;
pub mod start;
pub mod store;
pub mod tags;
#[cfg(test)]
mod test_endpoint;
#[cfg(test)]
mod test_ports;
pub mod webhook_secrets;
