//! How items are written down: JSON with short names, one object for each item.
//!
//! Each record carries `v`, the oldest version of this format that a reader has to know. Adding a
//! member does not raise it: readers ignore members that they do not know, and a member that came
//! later has a default. Only what changes the meaning of a record does. So of two releases either
//! can read what the other wrote, or says that it cannot.

mod app;
mod confirmation;
mod delivery;
mod history;
mod qr_session;
mod qr_state;
mod sighting;
#[cfg(test)]
mod tests;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD_NO_PAD;
use countersign_domain::primitives::time::Timestamp;
use serde::{Deserialize, Serialize};
use thiserror::Error;

pub(crate) use app::{
    decode_app, decode_key, decode_profile, encode_app, encode_key, encode_profile,
};
pub(crate) use confirmation::{decode_confirmation, encode_confirmation};
pub(crate) use history::{decode_denials, decode_person, encode_denials, encode_person};
pub(crate) use qr_session::{decode_session, encode_session};

/// The version that this release writes and the newest that it reads.
const VERSION: u8 = 1;

/// Why a stored record cannot be used. No variant repeats what the record holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(crate) enum RecordError {
    /// Not JSON, or not of the shape that its kind has.
    #[error("a stored record is malformed at byte {at}")]
    Malformed {
        /// Near which byte.
        at: usize,
    },
    /// A later release wrote it.
    #[error("a stored record has version {0}, and this release knows {VERSION} at most")]
    Newer(u8),
    /// Its checksum is not that of its content and its key.
    #[error("a stored record is damaged: its checksum does not match")]
    Damaged,
    /// A member's value is none that the domain allows.
    #[error("a stored record's member `{0}` is invalid")]
    Member(&'static str),
    /// It could not be written.
    #[error("a record could not be written")]
    Unwritable,
}

/// Reads only the version, so that a record of a later one is told from a broken one.
#[derive(Deserialize)]
struct Versioned {
    v: u8,
}

fn read<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, RecordError> {
    serde_json::from_slice(bytes).map_err(|error| {
        match serde_json::from_slice::<Versioned>(bytes) {
            Ok(Versioned { v }) if v > VERSION => RecordError::Newer(v),
            // The error's text may quote the record; its place in it is enough.
            _ => RecordError::Malformed { at: error.column() },
        }
    })
}

fn check_version(v: u8) -> Result<(), RecordError> {
    if v > VERSION {
        Err(RecordError::Newer(v))
    } else {
        Ok(())
    }
}

fn write(record: &impl Serialize) -> Result<Vec<u8>, RecordError> {
    serde_json::to_vec(record).map_err(|_| RecordError::Unwritable)
}

fn from_base64(text: &str, member: &'static str) -> Result<Vec<u8>, RecordError> {
    BASE64_STANDARD_NO_PAD
        .decode(text)
        .map_err(|_| RecordError::Member(member))
}

fn to_base64(bytes: &[u8]) -> String {
    BASE64_STANDARD_NO_PAD.encode(bytes)
}

fn fixed<const N: usize>(text: &str, member: &'static str) -> Result<[u8; N], RecordError> {
    from_base64(text, member)?
        .try_into()
        .map_err(|_| RecordError::Member(member))
}

fn instant(millis: u64) -> Timestamp {
    Timestamp::from_millis(millis)
}
