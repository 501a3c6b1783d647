//! Reading a due index: lane by lane, whatever the others hold.

use std::ops::Bound;

use countersign_domain::delivery::DeliveryLane;
use countersign_domain::primitives::time::Timestamp;
use redb::ReadableTable;

use super::fault::Fault;
use super::tables::{DueKey, due_after, due_key, read_due_key};

/// The end of time.
pub(super) const NEVER: Timestamp = Timestamp::from_millis(u64::MAX);

/// The lanes of which something is due: one look for each lane that has anything pending.
pub(super) fn lanes(
    table: &impl ReadableTable<&'static DueKey, ()>,
    now: Timestamp,
) -> Result<Vec<DeliveryLane>, Fault> {
    let mut lanes = Vec::new();
    let mut from: Option<DueKey> = None;
    loop {
        let start = from.as_ref().map_or(Bound::Unbounded, Bound::Included);
        let mut range = table.range::<&DueKey>((start, Bound::Unbounded))?;
        let Some(first) = range.next() else {
            return Ok(lanes);
        };
        let (lane, due_at, _) = read_due_key(first?.0.value());
        if due_at <= now {
            lanes.push(lane);
        }
        let Some(next) = following(lane) else {
            return Ok(lanes);
        };
        from = Some(next);
    }
}

/// All lanes that have anything pending.
pub(super) fn all_lanes(
    table: &impl ReadableTable<&'static DueKey, ()>,
) -> Result<Vec<DeliveryLane>, Fault> {
    lanes(table, NEVER)
}

/// At most `limit` keys of a lane that are due, those after `after`.
pub(super) fn of_lane(
    table: &impl ReadableTable<&'static DueKey, ()>,
    lane: DeliveryLane,
    now: Timestamp,
    after: Option<DueKey>,
    limit: usize,
) -> Result<Vec<DueKey>, Fault> {
    let first = due_first(lane);
    let start = after
        .as_ref()
        .map_or(Bound::Included(&first), Bound::Excluded);
    let end = due_after(lane, now);
    if after.is_some_and(|after| after >= end) {
        return Ok(Vec::new());
    }
    let range = table.range::<&DueKey>((start, Bound::Excluded(&end)))?;
    range
        .take(limit)
        .map(|entry| Ok(*entry?.0.value()))
        .collect()
}

/// A lane's first possible key.
fn due_first(lane: DeliveryLane) -> DueKey {
    due_key(lane, Timestamp::from_millis(0), &[0; 16])
}

/// The first possible key of the lane after this one, unless this is the last.
fn following(lane: DeliveryLane) -> Option<DueKey> {
    let mut next = *lane.as_bytes();
    for byte in next.iter_mut().rev() {
        *byte = byte.wrapping_add(1);
        if *byte != 0 {
            return Some(due_first(DeliveryLane::from_bytes(next)));
        }
    }
    None
}
