//! The `countersign` command: the server, and the tools around it.

mod admin;
mod args;
mod backup;
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
mod published_keys;
mod serve;
mod storage;

use std::process::ExitCode;

use clap::Parser as _;

use args::Cli;

/// Exit codes: 0 it worked, 1 it did not, 2 the command line makes no sense (clap's), 3 nobody decided
/// (`phone open`).
fn main() -> ExitCode {
    match commands::run(Cli::parse()) {
        Ok(code) => code,
        Err(failure) => {
            console::complain(&format!("countersign: {failure}"));
            ExitCode::FAILURE
        }
    }
}
