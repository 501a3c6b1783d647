//! `countersign places`: the databases that map IP addresses to places.

mod check;
mod fetch;
mod package;
mod registry;
mod summary;

use std::path::Path;
use std::process::ExitCode;

use crate::args::{PlacesArgs, PlacesCommand};
use crate::failure::Failure;

/// Runs a command of `countersign places`.
pub(super) async fn run(data: &Path, args: &PlacesArgs) -> Result<ExitCode, Failure> {
    match &args.command {
        PlacesCommand::Fetch(fetch) => fetch::fetch(data, fetch, args.output).await,
        PlacesCommand::Check(check) => check::check(data, &check.files, args.output),
    }
}
