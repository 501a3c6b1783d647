//! Logins by QR code or app link.

mod bodies;
mod browsers;
mod checklist;
mod cors;
mod links;
mod phones;
mod rate_limits;
mod subscriptions;
pub(crate) mod troubles;
mod viewers;
