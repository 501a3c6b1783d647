//! Callers' addresses and places, according to the operator's settings.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use countersign_api::viewer::{OriginSecret, ViewerPolicy};
use countersign_domain::login::sighting::{GeoIp, NoGeoIp};
use countersign_embedded::places::Places;

use crate::args::ServeArgs;
use crate::failure::Failure;
use crate::input;

/// Opens the operator's files of places; without files no place is known.
pub(super) fn places(files: &[PathBuf]) -> Result<Arc<dyn GeoIp>, Failure> {
    if files.is_empty() {
        return Ok(Arc::new(NoGeoIp));
    }
    let places = Places::open(files)?;
    tracing::info!(?places, "know places");
    Ok(Arc::new(places))
}

/// Returns whose word counts on where a request came from.
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
