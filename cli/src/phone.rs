//! The simulated phone that opens logins, built on the SDK's core. It works both over a network and
//! inside the server.

#[cfg(test)]
pub(crate) mod fake_service;
pub(crate) mod payload;
pub(crate) mod platform;
