//! Reads a due index lane by lane. Reading a lane takes the same time however full the others are.

use std::ops::Bound;

use countersign_domain::delivery::store::Due;
use countersign_domain::delivery::{DeliveryKind, DeliveryLane};
use countersign_domain::primitives::time::Timestamp;
use redb::ReadableTable;

use super::fault::Fault;
use super::tables::{DueKey, due_after, due_key, due_of, key_of};

/// The latest instant. As the present time, it makes every pending delivery due.
pub(super) const NEVER: Timestamp = Timestamp::from_millis(u64::MAX);

/// Lists the lanes in which a delivery is due. Reads one entry per lane with pending deliveries.
pub(super) fn lanes(
    table: &impl ReadableTable<&'static DueKey, ()>,
    kind: DeliveryKind,
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
        let Due { lane, due_at, .. } = due_of(kind, first?.0.value());
        if due_at <= now {
            lanes.push(lane);
        }
        let Some(next) = following(lane) else {
            return Ok(lanes);
        };
        from = Some(next);
    }
}

/// Lists at most `limit` due entries of a lane that come after `after`.
pub(super) fn of_lane(
    table: &impl ReadableTable<&'static DueKey, ()>,
    lane: DeliveryLane,
    now: Timestamp,
    after: Option<Due>,
    limit: usize,
) -> Result<Vec<Due>, Fault> {
    let (first, after) = (due_first(lane), after.as_ref().map(key_of));
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
        .map(|entry| Ok(due_of(lane.kind(), entry?.0.value())))
        .collect()
}

/// Returns the first possible key of a lane.
fn due_first(lane: DeliveryLane) -> DueKey {
    due_key(lane, Timestamp::from_millis(0), &[0; 17])
}

/// Returns the first possible key of the next lane, or `None` after the last lane.
fn following(lane: DeliveryLane) -> Option<DueKey> {
    let mut next = *lane.as_bytes();
    for byte in next.iter_mut().rev() {
        *byte = byte.wrapping_add(1);
        if *byte != 0 {
            return Some(due_first(DeliveryLane::from_bytes(lane.kind(), next)));
        }
    }
    None
}
