//! The simulated phone that opens logins: the calls it makes, how it reads the answers, and what it
//! sends. It works the same over a network and inside the server.

pub(crate) mod association_keys;
pub(crate) mod calls;
#[cfg(test)]
pub(crate) mod fake_service;
pub(crate) mod opened;
pub(crate) mod payload;
pub(crate) mod proof;
