//! Numbers that a store keeps of itself, each with its checksum.

use redb::{ReadableTable, Table};

use super::checked::{self, Stored};
use super::fault::Fault;
use super::tables::{MAX_OPEN, META, STEADY};

/// The name of each.
pub(super) const ALL: [&str; 2] = [STEADY, MAX_OPEN];

/// A number, as it was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    /// It was never written.
    Absent,
    /// It cannot be read.
    Damaged,
    /// What was written.
    Kept(u64),
}

/// Reads a number of the table of single things.
pub(super) fn read(
    meta: &impl ReadableTable<&'static str, &'static [u8]>,
    name: &'static str,
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

/// Writes a number.
pub(super) fn write(
    meta: &mut Table<'_, &'static str, &'static [u8]>,
    name: &'static str,
    number: u64,
) -> Result<(), Fault> {
    let sealed = checked::seal(&META, name.as_bytes(), &number.to_be_bytes());
    meta.insert(name, sealed.as_bytes())?;
    Ok(())
}
