//! Records with a checksum over their table, key and content.
//!
//! redb verifies its pages only when it repairs a file, not when it reads. Without a checksum, a phone
//! number with a flipped bit on disk would be served as another number. CRC-32 finds every error burst
//! of up to 32 bits, and all but one in four billion others, in well under a microsecond. It protects
//! against accidents only: anyone who can write to the file can write a matching checksum.

use countersign_records::{Entity, compact};
use redb::{TableHandle, TypeName, Value};
use thiserror::Error;

/// Number of bytes of the checksum in a stored value.
const CHECKSUM_BYTES: usize = 4;

/// The reason why a stored record cannot be used. No variant contains data from the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(crate) enum RecordError {
    /// The checksum does not match the content and the key.
    #[error("a stored record is damaged: its checksum does not match")]
    Damaged,
    /// The key is not valid in its table.
    #[error("a stored record's key is invalid")]
    Key,
    /// The content cannot be encoded or decoded.
    #[error(transparent)]
    Content(#[from] countersign_records::RecordError),
}

/// A value in a table: the checksum, then the record. Only [`open`] gives access to the record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stored<'a>(&'a [u8]);

/// A record with its checksum, ready to be stored.
#[derive(Debug)]
pub(super) struct Sealed(Vec<u8>);

impl Sealed {
    /// Returns the value to insert into the table that it was sealed for.
    pub(super) fn stored(&self) -> Stored<'_> {
        Stored(&self.0)
    }

    /// Returns the bytes, for a table with values of several types.
    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl<'a> Stored<'a> {
    /// Wraps bytes from a backup, or from a table with values of several types.
    pub(super) const fn from_bytes(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// Returns the checksum and the record as bytes.
    pub(super) const fn bytes(self) -> &'a [u8] {
        self.0
    }
}

/// Prepends the checksum to a record.
pub(super) fn seal(table: &impl TableHandle, key: &[u8], record: &[u8]) -> Sealed {
    let checksum = checksum(table.name(), key, record).to_be_bytes();
    Sealed([checksum.as_slice(), record].concat())
}

/// Verifies the checksum and returns the record. Fails if the record was changed, or was sealed for
/// another table or key.
pub(super) fn open<'a>(
    table: &impl TableHandle,
    key: &[u8],
    stored: Stored<'a>,
) -> Result<&'a [u8], RecordError> {
    let (found, record) = stored
        .0
        .split_first_chunk::<CHECKSUM_BYTES>()
        .ok_or(RecordError::Damaged)?;
    if u32::from_be_bytes(*found) == checksum(table.name(), key, record) {
        Ok(record)
    } else {
        Err(RecordError::Damaged)
    }
}

/// Encodes and seals an entity for a key of a table.
pub(super) fn write<E: Entity>(
    table: &impl TableHandle,
    key: &[u8],
    entity: &E,
) -> Result<Sealed, RecordError> {
    Ok(seal(table, key, &compact::encode(entity)?))
}

/// Verifies and decodes the entity that is stored under a key of a table.
pub(super) fn read<E: Entity>(
    table: &impl TableHandle,
    key: &[u8],
    id: E::Id,
    stored: Stored<'_>,
) -> Result<E, RecordError> {
    Ok(compact::decode(id, open(table, key, stored)?)?)
}

fn checksum(table: &str, key: &[u8], record: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    // Table names contain no zero byte, and the length marks the end of the key.
    hasher.update(table.as_bytes());
    hasher.update(&[0]);
    hasher.update(&(key.len() as u64).to_be_bytes());
    hasher.update(key);
    hasher.update(record);
    hasher.finalize()
}

impl Value for Stored<'_> {
    type SelfType<'a>
        = Stored<'a>
    where
        Self: 'a;
    type AsBytes<'a>
        = &'a [u8]
    where
        Self: 'a;

    fn fixed_width() -> Option<usize> {
        None
    }

    fn from_bytes<'a>(data: &'a [u8]) -> Stored<'a>
    where
        Self: 'a,
    {
        Stored(data)
    }

    fn as_bytes<'a, 'b: 'a>(value: &'a Stored<'b>) -> &'a [u8]
    where
        Self: 'b,
    {
        value.0
    }

    fn type_name() -> TypeName {
        TypeName::new("countersign::Stored")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::tables::{CONFIRMATIONS, LOGINS};

    const RECORD: &[u8] = br#"{"v":1,"n":"+12025550100"}"#;

    #[test]
    fn every_flipped_bit_is_found() {
        let key = [7; 16];
        let sealed = seal(&CONFIRMATIONS, &key, RECORD);
        assert_eq!(open(&CONFIRMATIONS, &key, sealed.stored()), Ok(RECORD));
        for bit in 0..sealed.0.len() * 8 {
            let mut changed = sealed.0.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            let opened = open(&CONFIRMATIONS, &key, Stored(&changed));
            assert_eq!(opened, Err(RecordError::Damaged), "bit {bit}");
        }
        for bit in 0..key.len() * 8 {
            let mut other = key;
            other[bit / 8] ^= 1 << (bit % 8);
            let opened = open(&CONFIRMATIONS, &other, sealed.stored());
            assert_eq!(opened, Err(RecordError::Damaged), "bit {bit} of the key");
        }
    }

    #[test]
    fn record_of_another_table_or_cut_short_is_damaged() {
        let sealed = seal(&CONFIRMATIONS, b"key", RECORD);
        let elsewhere = open(&LOGINS, b"key", sealed.stored());
        assert_eq!(elsewhere, Err(RecordError::Damaged));
        for end in 0..sealed.0.len() {
            let opened = open(&CONFIRMATIONS, b"key", Stored(&sealed.0[..end]));
            assert_eq!(opened, Err(RecordError::Damaged), "{end} bytes");
        }
    }
}
