//! Numbers that a store keeps of itself.

use redb::{ReadableTable, Table};

use super::fault::Fault;

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
    let number = stored.value().try_into().map(u64::from_be_bytes);
    Ok(number.map_or(Number::Damaged, Number::Kept))
}

/// Writes a number.
pub(super) fn write(
    meta: &mut Table<'_, &'static str, &'static [u8]>,
    name: &'static str,
    number: u64,
) -> Result<(), Fault> {
    meta.insert(name, number.to_be_bytes().as_slice())?;
    Ok(())
}
