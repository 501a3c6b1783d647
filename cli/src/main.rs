//! The `countersign` command: the server and its tools.

mod admin;
mod args;
mod backup;
mod carriers;
mod commands;
mod console;
mod data_dir;
mod demo;
mod failure;
mod host_check;
mod inbound_secret;
mod logs;
mod metrics;
mod panics;
mod phone;
mod place;
mod playground;
mod providers;
mod published_keys;
mod serve;
mod storage;

use std::process::ExitCode;

use clap::Parser as _;

use args::Cli;

/// Exit codes: 0 success, 1 failure, 2 usage error (from clap), 3 login left undecided (`phone
/// open`).
fn main() -> ExitCode {
    match commands::run(Cli::parse()) {
        Ok(code) => code,
        Err(failure) => {
            console::complain(&format!("countersign: {failure}"));
            ExitCode::FAILURE
        }
    }
}
