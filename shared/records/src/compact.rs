//! The format of the redb store: a version byte, followed by a map in MessagePack.

use serde::Serialize;

use crate::entity::{Entity, check_version};
use crate::error::RecordError;
use crate::version::VERSION;

/// Initial capacity of the buffer, in bytes. Most records fit.
const USUAL_BYTES: usize = 512;

/// Encodes an entity.
///
/// # Errors
/// Fails with [`RecordError::Unwritable`] if memory runs out.
pub fn encode<E: Entity>(entity: &E) -> Result<Vec<u8>, RecordError> {
    let mut bytes = Vec::with_capacity(USUAL_BYTES);
    bytes.push(VERSION);
    let mut serializer = rmp_serde::Serializer::new(&mut bytes).with_struct_map();
    let written = entity.record().serialize(&mut serializer);
    written.map_err(|_| RecordError::Unwritable)?;
    Ok(bytes)
}

/// Decodes the entity that is stored under an id.
///
/// # Errors
/// Fails if the bytes are not a record of such an entity, or have a version that cannot be read.
pub fn decode<E: Entity>(id: E::Id, bytes: &[u8]) -> Result<E, RecordError> {
    let (version, record) = bytes.split_first().ok_or(RecordError::Malformed)?;
    check_version(u32::from(*version))?;
    // The format's own error is dropped, because it may quote the record.
    let record = rmp_serde::from_slice(record).map_err(|_| RecordError::Malformed)?;
    E::from_record(id, record)
}
