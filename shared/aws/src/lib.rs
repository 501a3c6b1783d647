//! The AWS adapters: implementations of the domain's ports, and the startup of every function.
//!
//! The `main` of a function calls [`bootstrap::run`] with its wiring, which gets the settings, connects
//! the ports, and returns the event handler. All of that happens in Lambda's init phase, so that
//! connections are established before the first event.
//!
//! Modules use only the modules that come before them here: [`config`] and [`error`]; the adapters [`store`],
//! [`signer`], [`queues`], [`push`], [`secrets`], [`tags`], [`providers`], [`webhook_secrets`] and
//! [`metrics`], whose clients [`services`] creates; `key_uses`; [`handlers`]; [`bootstrap`].

pub mod bootstrap;
pub mod carrier;
pub mod config;
pub mod error;
pub mod handlers;
mod key_uses;
pub mod metrics;
pub mod providers;
pub mod push;
pub mod queues;
pub mod secrets;
pub mod services;
pub mod signer;
pub mod store;
pub mod tags;
#[cfg(test)]
mod test_endpoint;
pub mod webhook_secrets;
