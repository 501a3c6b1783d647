//! Reads the open items from the file, piece by piece.
//!
//! Confirmations are indexed by the time of their removal, which follows from when they were created.
//! The file also records the longest validity that a confirmation ever had, and no open confirmation
//! can be older. So only that stretch of the index is read.

use std::ops::Bound;
use std::sync::Arc;
use std::time::Duration;

use countersign_domain::confirmation::Confirmation;
use countersign_domain::delivery::DeliveryKind;
use countersign_domain::login::{KEPT, KEPT_SINCE_CREATION, Login};
use countersign_domain::primitives::idempotency::WINDOW;
use countersign_domain::primitives::time::Timestamp;
use redb::{Database, ReadTransaction, ReadableDatabase as _};

use crate::store::fault::Fault;
use crate::store::handle::Handle;
use crate::store::kept::{Kept, TableNames, read};
use crate::store::quotas::recorded_longest;
use crate::store::tables::{META, TimeKey, last_of, read_time_key};
use crate::store::usage::{Piece, Stretch, Ticket, Unread};

/// How far the caller's clock may be behind the creation of an item that the count has to find.
const LEEWAY: Duration = Duration::from_mins(1);

/// The last committed state at one moment. The file reuses no freed space until it is dropped.
pub(super) struct Snapshot {
    transaction: ReadTransaction,
    /// Makes [`Handle::reopen`] wait, and is therefore dropped after the transaction.
    _database: Arc<Database>,
}

impl Snapshot {
    pub(super) fn take(handle: &Handle) -> Result<Self, Fault> {
        let database = handle.get()?;
        Ok(Self {
            transaction: database.begin_read()?,
            _database: database,
        })
    }

    /// Returns the stretches of the indexes in which items may be open at `now`.
    pub(super) fn unread(&self, now: Timestamp) -> Result<Unread, Fault> {
        let longest = recorded_longest(&self.transaction.open_table(META)?)?;
        let stretch = |from: Duration, to: Duration| Stretch {
            after: last_of(now.plus(from)),
            to: last_of(now.plus(to).plus(LEEWAY)),
        };
        Ok(Unread {
            // An open confirmation is kept for the window of replays, counted from its creation.
            confirmations: stretch(WINDOW.saturating_sub(longest), WINDOW),
            logins: stretch(KEPT, KEPT_SINCE_CREATION),
        })
    }

    /// Reads the items of at most `limit` entries of a stretch. Returns `None` if the ticket has ended.
    pub(super) fn read(
        &self,
        (kind, stretch): (DeliveryKind, Stretch),
        limit: usize,
        now: Timestamp,
        ticket: &Ticket,
    ) -> Result<Option<Piece>, Fault> {
        match kind {
            DeliveryKind::Confirmations => {
                self.read_kind::<Confirmation>(stretch, limit, now, ticket)
            }
            DeliveryKind::Logins => self.read_kind::<Login>(stretch, limit, now, ticket),
        }
    }

    fn read_kind<T: Kept>(
        &self,
        stretch: Stretch,
        limit: usize,
        now: Timestamp,
        ticket: &Ticket,
    ) -> Result<Option<Piece>, Fault> {
        let names = TableNames::of(T::KIND);
        let records = self.transaction.open_table(names.records)?;
        let index = self.transaction.open_table(names.purge)?;
        let mut piece = Piece {
            kind: T::KIND,
            to: stretch.to,
            items: Vec::new(),
            longest: Duration::ZERO,
        };
        let bounds = (
            Bound::Excluded(&stretch.after),
            Bound::Included(&stretch.to),
        );
        let entries = index.range::<&TimeKey>(bounds)?;
        for (n, entry) in entries.enumerate() {
            if ticket.has_ended() {
                return Ok(None);
            }
            let key = *entry?.0.value();
            match read::<T>(&records, T::id(&read_time_key(&key).1)) {
                Ok(item) => piece.add(item.as_ref(), now),
                Err(fault) if fault.concerns_all() => return Err(fault),
                // A damaged record must not stop an app from starting confirmations and logins.
                Err(_) => {}
            }
            if n + 1 == limit {
                piece.to = key;
                break;
            }
        }
        Ok(Some(piece))
    }
}

impl Piece {
    /// Adds an item if it is open at `now`.
    fn add<T: Kept>(&mut self, item: Option<&T>, now: Timestamp) {
        let Some(item) = item else { return };
        if let Some(end) = item.open_until().filter(|end| *end > now) {
            self.items.push((item.app().clone(), end));
            self.longest = self.longest.max(item.open_for().unwrap_or_default());
        }
    }
}
