//! Documents together with an index of their pending webhooks.

use countersign_domain::delivery::due::{DueIndex, PendingIndex};
use countersign_domain::store::Items;

/// Documents with the due index that a sweep reads.
pub trait DueIndexedItems: Items + DueIndex {}

impl<T: Items + DueIndex> DueIndexedItems for T {}

/// Documents with the index of pending attempts that a queue reads.
pub trait PendingIndexedItems: Items + PendingIndex {}

impl<T: Items + PendingIndex> PendingIndexedItems for T {}
