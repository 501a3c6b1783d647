//! The order of the queue: decides which attempt is made next.

mod capacity;

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use countersign_domain::delivery::due::{NextAttempt, PendingIndex};
use countersign_domain::delivery::queue::Enqueued;
use countersign_domain::delivery::{
    DeliveryKind, DeliveryPointer, DeliverySubject, ReceiverGroup, ReceiverShard, TenantLane,
};
use countersign_domain::primitives::time::Timestamp;

use super::lane::{LaneQueue, Slots};
use super::limits::{AttemptEnd, Limits};

/// Attempts that are due within this time are loaded into memory; longer than the interval between
/// passes.
const LOOKAHEAD: Duration = Duration::from_mins(2);

/// The time before an unsettled attempt is repeated, or an unreadable shard is read again.
const RETRY_PAUSE: Duration = Duration::from_mins(1);

/// Number of resting attempts at which no others begin, since the store must be failing.
const MAX_RESTING: usize = 100_000;

/// Maximum number of resting attempts that one read of a shard skips.
const MAX_SKIPPED: usize = 1000;

/// An attempt of a delivery, identified by the number of attempts claimed before it.
type Attempt = (DeliverySubject, u32);

fn attempt(pointer: &DeliveryPointer) -> Attempt {
    (pointer.subject, pointer.attempts_claimed)
}

/// The next attempts of groups. Each attempt waits until it is due, then for the turn of its lane and
/// its group.
pub(super) struct FairQueue {
    limits: Limits,
    closed: bool,
    /// Time up to which due groups have received their turns.
    now: Timestamp,
    lanes: HashMap<TenantLane, LaneQueue>,
    /// The groups with a waiting attempt, by the time of their next attempt.
    waiting: BTreeSet<(Timestamp, ReceiverGroup)>,
    /// The lanes that may start an attempt to a healthy receiver: those with the fewest attempts in
    /// flight first, then those that waited longest.
    well: BTreeSet<((usize, u64), TenantLane)>,
    /// The lanes that may start an attempt to an unproven receiver, in the same order.
    unproven: BTreeSet<((usize, u64), TenantLane)>,
    turns: u64,
    /// The attempts in flight, and whether their receiver was known to be healthy when they began. An
    /// attempt keeps its class until it ends, so attempts to receivers that fail in the meantime take no
    /// room from new ones.
    under_way: HashMap<Attempt, bool>,
    unproven_under_way: usize,
    /// The unsettled attempts, and the time until which they are not repeated.
    resting: HashMap<Attempt, Timestamp>,
    /// The shard after which listing continues, if a lane with unlisted shards has room again.
    refill: Option<ReceiverShard>,
}

impl FairQueue {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            closed: false,
            now: Timestamp::from_millis(0),
            lanes: HashMap::new(),
            waiting: BTreeSet::new(),
            well: BTreeSet::new(),
            unproven: BTreeSet::new(),
            turns: 0,
            under_way: HashMap::new(),
            unproven_under_way: 0,
            resting: HashMap::new(),
            refill: None,
        }
    }

    pub(super) fn close(&mut self) {
        self.closed = true;
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }

    /// Returns whether nothing is waiting in memory or in flight.
    #[cfg(test)]
    pub(super) fn is_idle(&self) -> bool {
        self.waiting.is_empty() && self.under_way.is_empty()
    }

    /// Returns the shard after which to continue listing, if a lane has gained room since the last
    /// call.
    pub(super) fn takes_refill(&mut self) -> Option<ReceiverShard> {
        self.refill.take()
    }

    /// Adds an attempt that is in the index. An attempt far in the future is listed later.
    pub(super) fn put(&mut self, next: NextAttempt, now: Timestamp) -> Enqueued {
        let pointer = &next.pointer;
        if self.closed {
            return Enqueued::LeftToSweep;
        }
        if next.at > now.plus(LOOKAHEAD) || self.under_way.contains_key(&attempt(pointer)) {
            return Enqueued::Waiting;
        }
        if !self.has_room_for(pointer.group) {
            let lane = pointer.group.lane();
            self.overflows(lane, ReceiverShard::first_of(lane));
            return Enqueued::LeftToSweep;
        }
        let lane = self.lanes.entry(pointer.group.lane()).or_default();
        lane.group(pointer.group).shard(pointer.into()).offer(next);
        self.settle_down(pointer.group);
        Enqueued::Waiting
    }

    /// Returns the time at which the next group becomes due that [`Self::start`] has not yet
    /// processed.
    pub(super) fn next_at(&self) -> Option<Timestamp> {
        let later = self.waiting.range(just_after(self.now)..).next();
        later.map(|(at, _)| *at)
    }

    /// Returns the next attempt that is due and whose lane and group have room. The attempt occupies
    /// that room until [`Self::end`].
    pub(super) fn start(
        &mut self,
        index: &dyn PendingIndex,
        now: Timestamp,
    ) -> Option<DeliveryPointer> {
        self.line_up_due(now);
        if self.resting.len() >= MAX_RESTING {
            return None;
        }
        loop {
            let (well, name) = self.next_lane()?;
            self.turns += 1;
            let turn = self.turns;
            let lane = self.lanes.get_mut(&name)?;
            let Some(group_name) = lane.next_group(well, now) else {
                self.place(name);
                continue;
            };
            let taken = self.take(index, group_name);
            if let Some(pointer) = &taken
                && let Some(lane) = self.lanes.get_mut(&name)
            {
                lane.last_turn = turn;
                lane.under_way += 1;
                lane.unproven_under_way += usize::from(!well);
                lane.group(group_name).under_way += 1;
                self.under_way.insert(attempt(pointer), well);
                self.unproven_under_way += usize::from(!well);
            }
            self.settle_down(group_name);
            if taken.is_some() {
                return taken;
            }
        }
    }

    /// Frees the room of an attempt.
    pub(super) fn end(&mut self, pointer: &DeliveryPointer, ended: AttemptEnd, now: Timestamp) {
        let Some(well) = self.under_way.remove(&attempt(pointer)) else {
            return;
        };
        self.unproven_under_way -= usize::from(!well);
        if ended == AttemptEnd::Unsettled {
            self.resting.insert(attempt(pointer), now.plus(RETRY_PAUSE));
        }
        let Some(lane) = self.lanes.get_mut(&pointer.group.lane()) else {
            return;
        };
        lane.under_way -= 1;
        lane.unproven_under_way -= usize::from(!well);
        let group = lane.group(pointer.group);
        group.under_way -= 1;
        match ended {
            AttemptEnd::Well => {
                group.is_well = true;
                group.allowed = (group.allowed * 2).min(self.limits.group);
            }
            AttemptEnd::Ill => {
                group.is_well = false;
                group.allowed = Limits::INITIAL_CONCURRENCY;
            }
            AttemptEnd::OurFault | AttemptEnd::Unsettled => {}
        }
        self.settle_down(pointer.group);
    }

    /// Returns the lane whose turn it is, and whether the turn is for a healthy receiver.
    fn next_lane(&self) -> Option<(bool, TenantLane)> {
        let limits = &self.limits;
        let open = |taken: usize, bound: usize, own: usize| {
            taken < bound - bound / Limits::RESERVE_DIVISOR
                || (taken < bound && own < Limits::MAX_BEFORE_RESERVE)
        };
        let under_way = self.under_way.len();
        if under_way >= limits.under_way {
            return None;
        }
        let well = self
            .well
            .first()
            .filter(|((own, _), _)| open(under_way, limits.under_way, *own));
        let unproven = self.unproven.first().filter(|((own, _), _)| {
            open(under_way, limits.under_way, *own)
                && open(self.unproven_under_way, limits.unproven, *own)
        });
        match (well, unproven) {
            // Healthy and unproven receivers of a lane take turns, so that new receivers get
            // theirs.
            (Some(well), Some(unproven)) if unproven.1 == well.1 => {
                Some((self.turns.is_multiple_of(2), well.1))
            }
            (Some(well), Some(unproven)) if unproven < well => Some((false, unproven.1)),
            (Some(well), _) => Some((true, well.1)),
            (None, Some(unproven)) => Some((false, unproven.1)),
            (None, None) => None,
        }
    }

    /// Takes the next due attempt of a group, from memory or from the index.
    fn take(&mut self, index: &dyn PendingIndex, name: ReceiverGroup) -> Option<DeliveryPointer> {
        let group = self.lanes.get_mut(&name.lane())?.groups.get_mut(&name)?;
        let limit = group.under_way + self.resting.len().min(MAX_SKIPPED) + 2;
        for line_name in group.next_lines(name) {
            let shard = group.shard(line_name);
            if shard.must_be_looked_up(self.now) {
                match index.attempts(line_name, limit) {
                    Ok(found) => {
                        let is_end = found.len() < limit;
                        let waits = found.into_iter().filter(|next| {
                            let attempt = attempt(&next.pointer);
                            !self.under_way.contains_key(&attempt)
                                && !self.resting.contains_key(&attempt)
                        });
                        if !shard.fill(waits) && !is_end {
                            shard.note(self.now.plus(RETRY_PAUSE));
                        }
                    }
                    Err(cause) => {
                        tracing::error!(%cause, "cannot look up owed webhooks");
                        shard.fill(std::iter::empty());
                        shard.note(self.now.plus(RETRY_PAUSE));
                    }
                }
            }
            if let Some(pointer) = shard.take(self.now) {
                return Some(pointer);
            }
        }
        None
    }

    /// Gives turns to the groups that have become due.
    fn line_up_due(&mut self, now: Timestamp) {
        let before = std::mem::replace(&mut self.now, now);
        if now <= before {
            return;
        }
        let since = just_after(before)..just_after(now);
        let due: Vec<ReceiverGroup> = self.waiting.range(since).map(|(_, name)| *name).collect();
        for name in due {
            self.settle_down(name);
        }
    }

    /// Files a changed group under its next attempt, gives it a turn if that attempt is due, and updates
    /// its lane. Removes empty groups and lanes.
    fn settle_down(&mut self, name: ReceiverGroup) {
        let Some(lane) = self.lanes.get_mut(&name.lane()) else {
            return;
        };
        if let Some(group) = lane.groups.get_mut(&name) {
            let at = group.next_at();
            let before = std::mem::replace(&mut group.waits_until, at);
            if before != at {
                before.map(|before| self.waiting.remove(&(before, name)));
                at.map(|at| self.waiting.insert((at, name)));
                lane.waiting -= usize::from(before.is_some());
                lane.waiting += usize::from(at.is_some());
            }
        }
        lane.line_up(name, self.now);
        // Half of the listed groups are gone, so the rest should be listed now and not a minute
        // later.
        if let Some((after, waiting)) = lane.unlisted
            && lane.waiting <= waiting / 2
        {
            self.refill = Some(after);
        }
        self.place(name.lane());
    }

    /// Updates a lane's position in the orders of lanes. Removes the lane if it is empty.
    fn place(&mut self, name: TenantLane) {
        let Some(lane) = self.lanes.get_mut(&name) else {
            return;
        };
        let before = lane.slots;
        // An empty lane may have turns left that its groups no longer need.
        let has_turn = |well| !lane.groups.is_empty() && lane.has_turn(well, &self.limits);
        lane.slots = Slots {
            well: has_turn(true).then_some((lane.under_way, lane.last_turn)),
            unproven: has_turn(false).then_some((lane.unproven_under_way, lane.last_turn)),
        };
        let after = lane.slots;
        for (set, before, after) in [
            (&mut self.well, before.well, after.well),
            (&mut self.unproven, before.unproven, after.unproven),
        ] {
            if before != after {
                before.map(|place| set.remove(&(place, name)));
                after.map(|place| set.insert((place, name)));
            }
        }
        if lane.groups.is_empty() {
            self.lanes.remove(&name);
        }
    }
}

/// Returns a key after the keys of all groups that wait until `at`, and before all later ones.
fn just_after(at: Timestamp) -> (Timestamp, ReceiverGroup) {
    let first = ReceiverGroup::from_bytes(DeliveryKind::Confirmations, [0; 16]);
    (at.plus(Duration::from_millis(1)), first)
}
