//! Reads the records of apps, API keys and the profile.

use countersign_domain::app::api_key::ApiKeyRecord;
use countersign_domain::app::{App, InboundProfile};
use countersign_domain::primitives::ids::AppId;

use super::checked::{self, RecordError, Stored};
use super::tables::{APPS, KEYS, META, PROFILE, read_key_key};

/// Decodes a record of [`KEYS`]: an API key and the name of its app.
pub(super) fn read_key(
    place: &[u8],
    stored: Stored<'_>,
) -> Result<(AppId, ApiKeyRecord), RecordError> {
    let (app, hash) = read_key_key(place).ok_or(RecordError::Key)?;
    Ok((app, checked::read(&KEYS, place, hash, stored)?))
}

/// Decodes a record of [`APPS`].
pub(super) fn read_app(name: &str, stored: Stored<'_>) -> Result<App, RecordError> {
    let id = name.parse::<AppId>().map_err(|_| RecordError::Key)?;
    checked::read(&APPS, name.as_bytes(), id, stored)
}

/// Decodes the profile, a record of [`META`].
pub(super) fn read_profile(bytes: &[u8]) -> Result<InboundProfile, RecordError> {
    checked::read(&META, PROFILE.as_bytes(), (), Stored::from_bytes(bytes))
}
