//! The addresses and places of callers, according to the operator's settings.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use countersign_api::viewer::{OriginSecret, ViewerPolicy};
use countersign_embedded::places::LiveCityDatabases;

use crate::args::ServeArgs;
use crate::data_dir::DataDir;
use crate::failure::Failure;
use crate::{input, places};

/// Opens the operator's files and the ones fetched into the data directory.
pub(super) fn places(files: &[PathBuf], data: &DataDir) -> Result<Arc<LiveCityDatabases>, Failure> {
    let (live, damage) = LiveCityDatabases::open(files.to_vec(), data.files().clone())?;
    if let Some(damage) = damage {
        places::complain(&damage);
    }
    if live.is_on() {
        tracing::info!(places = ?live.current(), "know places");
    }
    Ok(Arc::new(live))
}

/// Returns who is trusted to report where a request came from.
pub(super) fn policy(args: &ServeArgs) -> Result<ViewerPolicy, Failure> {
    let secret = args.origin_secret_file.as_deref().map(origin_secret);
    Ok(ViewerPolicy {
        origin_secret: secret.transpose()?,
        trusted_proxies: args.trusted_proxy.clone(),
    })
}

fn origin_secret(path: &Path) -> Result<OriginSecret, Failure> {
    let text = input::read_key(path)?;
    text.trim().parse().map_err(|error| {
        Failure::because(format!("{} holds no origin secret", path.display()), &error)
    })
}
