//! Reading the records of apps, keys and the profile.

use countersign_domain::app::api_key::ApiKeyRecord;
use countersign_domain::app::{App, InboundProfile};
use countersign_domain::primitives::ids::AppId;

use super::checked::{self, Stored};
use super::tables::{APPS, KEYS, META, PROFILE, read_key_key};
use crate::record::{RecordError, decode_app, decode_key, decode_profile};

/// Reads a key in [`KEYS`], with its app.
pub(super) fn read_key(
    place: &[u8],
    stored: Stored<'_>,
) -> Result<(AppId, ApiKeyRecord), RecordError> {
    let record = checked::open(&KEYS, place, stored)?;
    let (app, hash) = read_key_key(place).ok_or(RecordError::Member("key"))?;
    Ok((app, decode_key(hash, record)?))
}

/// Reads an app in [`APPS`].
pub(super) fn read_app(name: &str, stored: Stored<'_>) -> Result<App, RecordError> {
    let record = checked::open(&APPS, name.as_bytes(), stored)?;
    let id = name
        .parse::<AppId>()
        .map_err(|_| RecordError::Member("app"))?;
    decode_app(id, record)
}

/// Reads the profile in [`META`].
pub(super) fn read_profile(bytes: &[u8]) -> Result<InboundProfile, RecordError> {
    decode_profile(checked::open(
        &META,
        PROFILE.as_bytes(),
        Stored::from_bytes(bytes),
    )?)
}
