//! The count of open items, which begins with those in the file and follows the batches.
//!
//! The items in the file are read in pieces, each from a snapshot between two batches. A change of an
//! item that has been read counts at once. A change of one that is still to be read is remembered until
//! the piece being read is complete. If the item belonged to that piece, the snapshot was older than the
//! change, which counts now. Otherwise a later snapshot will contain the change.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use countersign_domain::app::quota::OpenCount;
use countersign_domain::delivery::DeliveryKind;
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;

use crate::store::fault::Fault;
use crate::store::tables::{OpenEntry, TimeKey};

/// The open items of all apps, counted by kind.
#[derive(Debug, Default)]
struct Opened {
    confirmations: OpenCount,
    logins: OpenCount,
}

/// A part of an index of removals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store) struct Stretch {
    /// Key before the first one of the part.
    pub(in crate::store) after: TimeKey,
    /// Last key of the part.
    pub(in crate::store) to: TimeKey,
}

/// The parts of the indexes of removals that are still to be read.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) struct Unread {
    pub(in crate::store) confirmations: Stretch,
    pub(in crate::store) logins: Stretch,
}

/// The open items in a piece of an index of removals.
#[derive(Debug)]
pub(in crate::store) struct Piece {
    pub(in crate::store) kind: DeliveryKind,
    /// Last key that the piece covers.
    pub(in crate::store) to: TimeKey,
    /// The apps of the open items, and the times until which they are open.
    pub(in crate::store) items: Vec<(AppId, Timestamp)>,
    /// Longest validity of an open confirmation in the piece.
    pub(in crate::store) longest: Duration,
}

/// A change of an item that is still to be read.
#[derive(Debug)]
struct Change {
    kind: DeliveryKind,
    app: AppId,
    entry: OpenEntry,
    direction: Direction,
}

#[derive(Clone, Copy, Debug)]
enum Direction {
    Enters,
    Leaves,
}

/// A permission to count. It ends when the count is forgotten.
#[derive(Clone, Debug, Default)]
pub(in crate::store) struct Ticket(Arc<AtomicBool>);

impl Ticket {
    /// Returns whether the count was forgotten.
    pub(in crate::store) fn has_ended(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

#[derive(Debug, Default)]
enum Progress {
    /// Nobody counts yet.
    #[default]
    NotBegun,
    /// A count was requested and has read nothing yet.
    Requested,
    /// The rest is being read.
    Reading(Unread),
    Complete,
    /// The file cannot be read.
    Failed(Fault),
}

/// The open items of all apps. The number of an app is too small until the count is complete.
#[derive(Debug, Default)]
pub(in crate::store) struct Tally {
    opened: Opened,
    progress: Progress,
    ticket: Ticket,
    /// Changes of items that are still to be read, since the snapshot that is being read. Before the
    /// first snapshot, all changes of the batch that is being made.
    changes: Vec<Change>,
    /// Number of these changes that are on disk.
    committed: usize,
    /// Longest validity of an open confirmation that was read.
    longest: Duration,
    /// Whether [`Self::longest`] was taken.
    is_taken: bool,
}

impl Opened {
    const fn of(&mut self, kind: DeliveryKind) -> &mut OpenCount {
        match kind {
            DeliveryKind::Confirmations => &mut self.confirmations,
            DeliveryKind::Logins => &mut self.logins,
        }
    }

    fn apply(&mut self, change: &Change) {
        let count = self.of(change.kind);
        match change.direction {
            Direction::Enters => count.enter(&change.app, change.entry.end),
            Direction::Leaves => count.leave(&change.app, change.entry.end),
        }
    }
}

impl Stretch {
    fn contains(&self, key: &TimeKey) -> bool {
        self.after < *key && *key <= self.to
    }

    fn is_empty(&self) -> bool {
        self.to <= self.after
    }
}

impl Unread {
    const fn of(&mut self, kind: DeliveryKind) -> &mut Stretch {
        match kind {
            DeliveryKind::Confirmations => &mut self.confirmations,
            DeliveryKind::Logins => &mut self.logins,
        }
    }

    fn contains(&self, change: &Change) -> bool {
        let mut unread = *self;
        unread.of(change.kind).contains(&change.entry.key)
    }

    /// Returns the part to read next, or `None` if everything was read.
    fn first(mut self) -> Option<(DeliveryKind, Stretch)> {
        let all = DeliveryKind::ALL.map(|kind| (kind, *self.of(kind)));
        all.into_iter().find(|(_, stretch)| !stretch.is_empty())
    }
}

impl Tally {
    /// Returns the number of open items of each app, as far as they are counted.
    pub(in crate::store) const fn counted(&mut self, kind: DeliveryKind) -> &mut OpenCount {
        self.opened.of(kind)
    }

    /// Returns the reason why the items cannot be counted, if they cannot.
    pub(in crate::store) fn fault(&self) -> Option<Fault> {
        match &self.progress {
            Progress::Failed(fault) => Some(fault.clone()),
            _ => None,
        }
    }

    /// Returns whether all open items are counted.
    pub(in crate::store) const fn is_complete(&self) -> bool {
        matches!(self.progress, Progress::Complete)
    }

    /// Requests the count for the caller, unless somebody has.
    pub(in crate::store) fn request(&mut self) -> Option<Ticket> {
        let Progress::NotBegun = self.progress else {
            return None;
        };
        self.progress = Progress::Requested;
        Some(self.ticket.clone())
    }

    /// Begins to count at a snapshot that the caller has just taken.
    pub(in crate::store) fn begin(&mut self, unread: Unread) {
        self.progress = Progress::Reading(unread);
        self.sort_changes();
    }

    /// Returns the part of an index to read next, or `None` if there is none.
    pub(in crate::store) fn next_unread(&self) -> Option<(DeliveryKind, Stretch)> {
        match &self.progress {
            Progress::Reading(unread) => unread.first(),
            _ => None,
        }
    }

    /// Adds a piece. The next one must be read from a snapshot that is taken under the same lock.
    pub(in crate::store) fn add(&mut self, piece: Piece) {
        let Progress::Reading(unread) = &mut self.progress else {
            return;
        };
        unread.of(piece.kind).after = piece.to;
        for (app, end) in piece.items {
            self.opened.of(piece.kind).enter(&app, end);
        }
        self.longest = self.longest.max(piece.longest);
        self.sort_changes();
    }

    /// Applies the remembered changes of items that have been read. Forgets those that the next
    /// snapshot contains.
    fn sort_changes(&mut self) {
        let Progress::Reading(unread) = &self.progress else {
            return;
        };
        let committed = std::mem::take(&mut self.committed);
        let changes = std::mem::take(&mut self.changes);
        for (n, change) in changes.into_iter().enumerate() {
            if !unread.contains(&change) {
                self.opened.apply(&change);
            } else if n >= committed {
                self.changes.push(change);
            }
        }
        if unread.first().is_none() {
            self.progress = Progress::Complete;
        }
    }

    /// Records that the file cannot be read.
    pub(in crate::store) fn fail(&mut self, fault: Fault) {
        self.forget();
        self.progress = Progress::Failed(fault);
    }

    /// Discards the count, and ends the one under way.
    pub(in crate::store) fn forget(&mut self) {
        self.ticket.0.store(true, Ordering::Relaxed);
        *self = Self::default();
    }

    /// Updates the count for an item that a batch has written.
    pub(super) fn moved(
        &mut self,
        kind: DeliveryKind,
        app: &AppId,
        before: Option<OpenEntry>,
        after: Option<OpenEntry>,
    ) {
        if before == after {
            return;
        }
        let leaves = before.map(|entry| (entry, Direction::Leaves));
        let enters = after.map(|entry| (entry, Direction::Enters));
        for (entry, direction) in [leaves, enters].into_iter().flatten() {
            let change = Change {
                kind,
                app: app.clone(),
                entry,
                direction,
            };
            match &self.progress {
                Progress::NotBegun | Progress::Requested => self.changes.push(change),
                Progress::Reading(unread) if unread.contains(&change) => self.changes.push(change),
                Progress::Reading(_) | Progress::Complete => self.opened.apply(&change),
                Progress::Failed(_) => {}
            }
        }
    }

    /// Records that the batch is on disk. The lock must be held since before its commit, so that no
    /// snapshot comes in between.
    pub(in crate::store) fn committed(&mut self) {
        if let Progress::Reading(_) = self.progress {
            self.committed = self.changes.len();
        } else {
            // The first snapshot will contain them.
            self.changes.clear();
        }
    }

    /// Returns the longest validity of the open confirmations that were read, once, when the count is
    /// complete.
    pub(super) fn take_longest(&mut self) -> Option<Duration> {
        if !self.is_complete() {
            return None;
        }
        let is_taken = std::mem::replace(&mut self.is_taken, true);
        (!is_taken).then_some(self.longest)
    }
}
