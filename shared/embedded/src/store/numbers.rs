//! The numbers that a store keeps about itself, each with a checksum.

use redb::{ReadableTable, Table};

use super::checked::{self, Stored};
use super::fault::Fault;
use super::tables::{MAX_OPEN, META, STEADY};

/// The names of all numbers.
pub(super) const ALL: [&str; 2] = [STEADY, MAX_OPEN];

/// The result of reading a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    /// The number was never written.
    Absent,
    /// The number cannot be read.
    Damaged,
    /// The number, as it was written.
    Kept(u64),
}

/// Reads a number from [`META`].
pub(super) fn read(
    meta: &impl ReadableTable<&'static str, &'static [u8]>,
    name: &str,
) -> Result<Number, Fault> {
    let Some(stored) = meta.get(name)? else {
        return Ok(Number::Absent);
    };
    let opened = checked::open(&META, name.as_bytes(), Stored::from_bytes(stored.value()));
    let number = opened.ok().and_then(|bytes| bytes.try_into().ok());
    Ok(number.map_or(Number::Damaged, |bytes| {
        Number::Kept(u64::from_be_bytes(bytes))
    }))
}

/// Writes a number to [`META`].
pub(super) fn write(
    meta: &mut Table<'_, &'static str, &'static [u8]>,
    name: &str,
    number: u64,
) -> Result<(), Fault> {
    let sealed = checked::seal(&META, name.as_bytes(), &number.to_be_bytes());
    meta.insert(name, sealed.as_bytes())?;
    Ok(())
}
