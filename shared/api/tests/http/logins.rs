//! Tests of logins that are about more than one route.

pub(crate) mod approvals;
mod bodies;
mod checklist;
mod cors;
mod names;
pub(crate) mod problems;
mod proofs;
mod rate_limits;
mod server;
mod socket;
pub(crate) mod tests;
mod tokens;
mod viewers;
