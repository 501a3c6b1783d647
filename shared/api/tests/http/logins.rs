//! Tests of logins that cover several routes.

pub(crate) mod approvals;
mod bodies;
mod checklist;
mod cors;
mod names;
mod passkeys;
pub(crate) mod problems;
mod proofs;
mod rate_limits;
mod server;
mod socket;
pub(crate) mod tests;
mod tokens;
mod viewers;
