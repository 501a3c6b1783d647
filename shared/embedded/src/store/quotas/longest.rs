//! The longest validity that a confirmation ever had, which bounds the part of the index that is read
//! to count the open ones.

use std::time::Duration;

use countersign_domain::primitives::idempotency::WINDOW;
use redb::ReadableTable;

use crate::store::batch::Batch;
use crate::store::fault::Fault;
use crate::store::numbers::{self, Number};
use crate::store::tables::{MAX_OPEN, META};

/// Reads the longest validity from [`META`]. If it is missing or damaged, returns the longest possible.
pub(in crate::store) fn recorded_longest(
    meta: &impl ReadableTable<&'static str, &'static [u8]>,
) -> Result<Duration, Fault> {
    Ok(match numbers::read(meta, MAX_OPEN)? {
        Number::Kept(millis) => Duration::from_millis(millis),
        Number::Absent | Number::Damaged => WINDOW,
    })
}

impl Batch<'_> {
    /// Raises the longest validity to that of a new confirmation.
    pub(super) fn raise_longest(&mut self, open_for: Duration) -> Result<(), Fault> {
        self.usage().locked().add_validity(open_for);
        let known = self.usage().locked().longest;
        let longest = match known {
            Some(longest) => longest,
            None => self.read_longest()?,
        };
        if open_for > longest {
            self.write_longest(open_for)?;
        }
        Ok(())
    }

    /// Lowers the longest validity to that of the open confirmations, once after each count.
    pub(super) fn lower_longest(&mut self) -> Result<(), Fault> {
        let found = self.usage().locked().take_longest_open();
        found.map_or(Ok(()), |longest| self.write_longest(longest))
    }

    fn read_longest(&self) -> Result<Duration, Fault> {
        let longest = recorded_longest(&self.transaction.open_table(META)?)?;
        self.usage().locked().longest = Some(longest);
        Ok(longest)
    }

    fn write_longest(&mut self, longest: Duration) -> Result<(), Fault> {
        let millis = u64::try_from(longest.as_millis()).unwrap_or(u64::MAX);
        let mut meta = self.transaction.open_table(META)?;
        numbers::write(&mut meta, MAX_OPEN, millis)?;
        drop(meta);
        self.usage().locked().longest = Some(longest);
        self.mark_changed();
        Ok(())
    }
}
