//! The place databases of a running server.

use std::sync::Arc;

use countersign_api::Causes;
use countersign_embedded::places::{LiveCityDatabases, PlacesError};

/// Message to the operator about the missing place database. The command that fetches one is
/// appended.
pub(crate) const PLACES_ARE_OFF: &str = "Places are off: the screen on the phone says \"unknown place\" and \
    no distance is judged,\nwhich best tells people that it is not they who log in. To fetch them:";

/// Reloads the files if one was replaced. The files are large, so this runs on a separate thread.
pub(crate) async fn reread(places: Arc<LiveCityDatabases>) -> Result<(), PlacesError> {
    let read = tokio::task::spawn_blocking(move || places.reread()).await;
    let read = read.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))?;
    if let Some(places) = read {
        tracing::info!(?places, "know other places");
    }
    Ok(())
}

/// Reloads the files if one was replaced, and logs any error.
pub(crate) async fn keep_up(places: Arc<LiveCityDatabases>) {
    if let Err(error) = reread(places).await {
        complain(&error);
    }
}

/// Logs that files cannot be used.
pub(crate) fn complain(error: &PlacesError) {
    tracing::error!(
        cause = %Causes(error),
        "cannot read the files of places; what was known before stays in use"
    );
}
