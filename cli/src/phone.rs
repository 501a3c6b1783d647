//! What a phone does that opens a login: what it asks, what it makes of the answer, what it sends.
//! Over a network or within the server, it is the same.

pub(crate) mod calls;
#[cfg(test)]
pub(crate) mod fake_service;
pub(crate) mod payload;
pub(crate) mod session;
