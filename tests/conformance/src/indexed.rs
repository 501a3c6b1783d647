//! Documents together with an index of their pending webhooks.

use countersign_domain::delivery::due::{DueIndex, OwedIndex};
use countersign_domain::store::Items;

/// Documents with the due index that a sweep reads.
pub trait SweptItems: Items + DueIndex {}

impl<T: Items + DueIndex> SweptItems for T {}

/// Documents with the index of owed attempts that a queue reads.
pub trait OwingItems: Items + OwedIndex {}

impl<T: Items + OwedIndex> OwingItems for T {}
