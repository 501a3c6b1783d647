//! Tests of the built `countersign` binary with real HTTP and real receivers.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod support;

mod approvals;
mod association_keys;
mod backups;
mod bad_receivers;
mod carriers;
mod clock;
mod commands;
mod console;
mod console_access;
mod console_operations;
mod crash;
mod damage;
mod data_directory;
mod disk;
mod documented_commands;
mod files;
mod full_flow;
mod hygiene;
mod local_names;
mod logging;
mod login_servers;
mod logins;
mod long_texts;
mod metrics;
mod modem;
mod number_types;
mod openid;
mod operators;
mod phone;
mod places;
mod proofs;
mod providers;
mod quotas;
mod races;
mod rate_limits;
mod restart;
mod slow_clients;
mod tenants;
mod test_keys;
