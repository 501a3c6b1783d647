//! Counting open items from the file.
//!
//! No open confirmation is older than the longest time that one was ever opened for, which the file
//! remembers, and its place in the index of purges follows from when it was created. So only that
//! stretch of the index is read.

use std::time::Duration;

use countersign_domain::confirmation::Confirmation;
use countersign_domain::login::{KEPT, KEPT_SINCE_CREATION, Login};
use countersign_domain::primitives::idempotency::WINDOW;
use countersign_domain::primitives::time::Timestamp;
use redb::ReadableTable;

use crate::store::batch::Batch;
use crate::store::fault::Fault;
use crate::store::kept::Kept;
use crate::store::numbers::{self, Number};
use crate::store::tables::{MAX_OPEN, META, TimeKey, after, read_time_key};
use crate::store::usage::Opened;

/// Counts the open items, and returns the longest time that any of them was opened for.
pub(super) fn open(batch: &Batch<'_>, now: Timestamp) -> Result<(Opened, Duration), Fault> {
    let mut open = Opened::default();
    let longest = batch.read_longest()?;
    // A confirmation is kept for the window of replays, from when it was created.
    let (from, to) = (now.plus(WINDOW.saturating_sub(longest)), now.plus(WINDOW));
    let mut found = Duration::ZERO;
    each_open::<Confirmation>(batch, from, to, now, |item, end| {
        open.confirmations.enter(&item.app, end);
        found = found.max(item.expires_at.since(item.created_at));
    })?;
    let (from, to) = (now.plus(KEPT), now.plus(KEPT_SINCE_CREATION));
    each_open::<Login>(batch, from, to, now, |item, end| {
        open.logins.enter(&item.app, end);
    })?;
    Ok((open, found))
}

/// Visits the items that are open at `now`, among those that are purged between two instants.
fn each_open<T: Kept>(
    batch: &Batch<'_>,
    from: Timestamp,
    to: Timestamp,
    now: Timestamp,
    mut visit: impl FnMut(&T, Timestamp),
) -> Result<(), Fault> {
    let purge = &batch.tables(T::KIND).purge;
    for entry in purge.range::<&TimeKey>(&after(from)..&after(to))? {
        let id = T::id(&read_time_key(entry?.0.value()).1);
        let item = match batch.stored::<T>(id) {
            Ok(item) => item,
            Err(fault) if fault.concerns_all() => return Err(fault),
            // One bad record must not keep an app from beginning anything.
            Err(_) => None,
        };
        let Some(item) = item else { continue };
        if let Some(end) = item.open_until().filter(|end| *end > now) {
            visit(&item, end);
        }
    }
    Ok(())
}

impl Batch<'_> {
    /// Reads the longest time that a confirmation was opened for; if it is unreadable, returns the
    /// longest possible.
    pub(super) fn read_longest(&self) -> Result<Duration, Fault> {
        let meta = self.transaction.open_table(META)?;
        let longest = match numbers::read(&meta, MAX_OPEN)? {
            Number::Kept(millis) => Duration::from_millis(millis),
            Number::Absent | Number::Damaged => WINDOW,
        };
        self.usage().locked().longest = Some(longest);
        Ok(longest)
    }

    pub(super) fn write_longest(&mut self, longest: Duration) -> Result<(), Fault> {
        let millis = u64::try_from(longest.as_millis()).unwrap_or(u64::MAX);
        let mut meta = self.transaction.open_table(META)?;
        numbers::write(&mut meta, MAX_OPEN, millis)?;
        drop(meta);
        self.usage().locked().longest = Some(longest);
        self.mark_changed();
        Ok(())
    }
}
