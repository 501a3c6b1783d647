//! Listing the index into memory, and the room that receivers have there.

use countersign_domain::delivery::due::PendingIndex;
use countersign_domain::delivery::{ReceiverGroup, ReceiverShard, TenantLane};
use countersign_domain::primitives::time::Timestamp;

use super::{FairQueue, LOOKAHEAD};

/// Number of shards in one page of the index.
const MAX_BATCH: usize = 64;

impl FairQueue {
    /// Loads the next shards of the index, if there is room. Returns the shard after which to continue;
    /// `None` at the end.
    ///
    /// A lane without room keeps its position in the index, so that all of its receivers get their
    /// turn.
    pub(in crate::queue) fn list(
        &mut self,
        index: &dyn PendingIndex,
        now: Timestamp,
        after: Option<ReceiverShard>,
    ) -> Option<ReceiverShard> {
        if after.is_none() {
            self.resting.retain(|_, until| *until > now);
        }
        if let Some(after) = after
            && let Some(lane) = self.lanes.get_mut(&after.group.lane())
        {
            lane.unlisted.take_if(|(from, _)| *from == after);
        }
        let shards = match index.shards(after, MAX_BATCH) {
            Ok(shards) => shards,
            Err(cause) => {
                tracing::error!(%cause, "cannot list owed webhooks");
                return None;
            }
        };
        let is_end = shards.len() < MAX_BATCH;
        let mut last = after;
        for (shard, at) in shards {
            let lane = shard.group.lane();
            let unlisted = self
                .lanes
                .get_mut(&lane)
                .and_then(|lane| lane.unlisted.take());
            if let Some((from, _)) = unlisted
                && from > shard
            {
                return Some(from);
            }
            if at <= now.plus(LOOKAHEAD) {
                if !self.has_room_for(shard.group) {
                    let from = last.filter(|last| last.group.lane() == lane);
                    self.overflows(lane, from.unwrap_or(ReceiverShard::first_of(lane)));
                    return Some(ReceiverShard::last_of(lane));
                }
                let lane = self.lanes.entry(lane).or_default();
                lane.group(shard.group).shard(shard).note(at);
                self.settle_down(shard.group);
            }
            last = Some(shard);
        }
        if is_end { None } else { last }
    }

    /// Returns whether a group may have an attempt waiting. In a full queue, a group of a smaller
    /// lane evicts one of the largest lane.
    pub(super) fn has_room_for(&mut self, name: ReceiverGroup) -> bool {
        let lane = self.lanes.get(&name.lane());
        let known = lane.and_then(|lane| lane.groups.get(&name));
        if known.is_some_and(|group| group.waits_until.is_some()) {
            return true;
        }
        let own = lane.map_or(0, |lane| lane.waiting);
        if own >= self.limits.lane_waiting {
            return false;
        }
        if self.waiting.len() < self.limits.waiting {
            return true;
        }
        let largest = self.lanes.iter().max_by_key(|(_, lane)| lane.waiting);
        let gives_way = largest.filter(|(_, lane)| lane.waiting > own + 1);
        match gives_way.map(|(name, lane)| (*name, lane.last_group())) {
            Some((lane, Some(group))) => {
                self.overflows(lane, ReceiverShard::first_of(lane));
                if let Some(lane) = self.lanes.get_mut(&lane) {
                    lane.group(group).forget();
                }
                self.settle_down(group);
                true
            }
            _ => false,
        }
    }

    /// Records that a lane's shards after this one are only in the index.
    pub(super) fn overflows(&mut self, name: TenantLane, after: ReceiverShard) {
        if let Some(lane) = self.lanes.get_mut(&name) {
            lane.unlisted.get_or_insert((after, lane.waiting));
        }
    }
}
