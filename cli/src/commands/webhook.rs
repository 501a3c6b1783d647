//! `countersign webhook listen` and `verify`.

mod listen;
mod verify;

use std::path::Path;

pub(super) use listen::listen;
pub(super) use verify::verify;

use crate::admin::target;
use crate::failure::Failure;
use crate::server_address::PublicUrl;

/// Returns the server that publishes the keys: the given one, or the one of the data directory.
async fn server(data: &Path, named: Option<&PublicUrl>) -> Result<String, Failure> {
    match named {
        Some(url) => Ok(url.to_string()),
        None => target::server_url(data).await,
    }
}
