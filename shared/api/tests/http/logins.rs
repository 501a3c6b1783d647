//! Logins by QR code or app link.

mod bodies;
mod browsers;
mod checklist;
mod cors;
mod links;
mod misses;
mod phones;
mod subscriptions;
pub(crate) mod troubles;
mod viewers;
