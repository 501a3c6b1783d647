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
mod input;
mod logs;
mod master_secret;
mod mcp;
mod metrics;
mod own_pages;
mod panics;
mod phone;
mod places;
mod playground;
mod print;
mod progress;
mod providers;
mod published_keys;
mod schema;
mod serve;
mod server_address;
mod storage;
mod terminal;
mod web;

use std::process::ExitCode;

use clap::Parser as _;

use args::Cli;

/// Exit code for an invalid command line.
const USAGE: u8 = 2;

/// Exit codes: 0 success, 1 failure, 2 usage error (from clap), 3 login left undecided (`phone
/// open`), 4 backup without damaged documents (`backup`).
fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        // The texts for help and version are our own. Errors quote the input, which may be
        // untrusted, such as a link.
        Err(shown) if !shown.use_stderr() => shown.exit(),
        Err(error) => {
            terminal::complain(error.render().to_string().trim_end());
            return ExitCode::from(USAGE);
        }
    };
    match commands::run(cli) {
        Ok(code) => code,
        Err(failure) => {
            terminal::complain(&format!("countersign: {failure}"));
            ExitCode::FAILURE
        }
    }
}
