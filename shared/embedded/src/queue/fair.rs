//! The order of the queue, as pure state without clock or tasks.

mod room;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use countersign_domain::delivery::queue::Enqueued;
use countersign_domain::delivery::{DeliveryGroup, DeliveryLane, DeliveryPointer, DeliverySubject};
use tokio::time::Instant;

use super::attempts::Attempts;
use super::lane::{Lane, Places, Slot};
use super::limits::{Health, Limits};

/// The pointers. Each waits until it is due, then for the turn of its lane and its group.
pub(super) struct Fair {
    limits: Limits,
    closed: bool,
    arrivals: u64,
    /// The waiting pointers, one for each delivery.
    waiting: HashMap<DeliverySubject, Waiting>,
    /// The pointers that are not due yet, earliest first.
    later: BTreeMap<Slot, DeliverySubject>,
    lanes: HashMap<DeliveryLane, Lane>,
    /// The lanes, by number of waiting pointers.
    by_waiting: BTreeSet<(usize, DeliveryLane)>,
    /// The lanes that may start an attempt to a receiver that is well: those with the fewest attempts
    /// under way first, then those that waited longest.
    well: BTreeSet<((usize, u64), DeliveryLane)>,
    /// The lanes that may start an attempt to an unproven receiver, in the same order.
    unproven: BTreeSet<((usize, u64), DeliveryLane)>,
    turns: u64,
    under_way: Attempts,
    /// True if a lane that left pointers to the sweep has room again.
    wants_refill: bool,
}

/// A waiting pointer.
struct Waiting {
    pointer: DeliveryPointer,
    at: Instant,
    arrival: u64,
    is_ready: bool,
}

impl Fair {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            closed: false,
            arrivals: 0,
            waiting: HashMap::new(),
            later: BTreeMap::new(),
            lanes: HashMap::new(),
            by_waiting: BTreeSet::new(),
            well: BTreeSet::new(),
            unproven: BTreeSet::new(),
            turns: 0,
            under_way: Attempts::default(),
            wants_refill: false,
        }
    }

    pub(super) fn close(&mut self) {
        self.closed = true;
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }

    /// Returns the number of pointers that are waiting or under way.
    pub(super) fn depth(&self) -> usize {
        self.waiting.len() + self.under_way.all()
    }

    pub(super) fn is_under_way(&self, subject: DeliverySubject) -> bool {
        self.under_way.contains(subject)
    }

    /// Returns whether a lane that left pointers to the sweep has got room since the last call.
    pub(super) fn takes_refill(&mut self) -> bool {
        std::mem::take(&mut self.wants_refill)
    }

    /// Adds a pointer. If there is no room, pushes out a pointer of a lane or group with more waiting
    /// ones. A delivery has only one waiting pointer: the one for the later attempt, or else the earlier
    /// one.
    pub(super) fn put(&mut self, pointer: DeliveryPointer, at: Instant) -> Enqueued {
        if self.closed {
            return Enqueued::LeftToSweep;
        }
        if let Some(known) = self.waiting.get(&pointer.subject) {
            let (old, new) = (known.pointer.attempts_claimed, pointer.attempts_claimed);
            if new < old || (new == old && known.at <= at) {
                return Enqueued::Waiting;
            }
            self.remove(pointer.subject);
        } else if !self.makes_room(pointer.group) {
            self.overflows(pointer.group.lane());
            return Enqueued::LeftToSweep;
        }
        self.arrivals += 1;
        let slot = (at, self.arrivals);
        let subject = pointer.subject;
        self.later.insert(slot, subject);
        self.changes_waiting(pointer.group.lane(), |lane| {
            lane.more(pointer.group).later.insert((slot, subject));
        });
        let waiting = Waiting {
            pointer,
            at,
            arrival: self.arrivals,
            is_ready: false,
        };
        self.waiting.insert(subject, waiting);
        let lane = pointer.group.lane();
        if self.room_in(lane) == 0 {
            // The sweep stops at a full lane, so it has to be woken once there is room.
            self.overflows(lane);
        }
        Enqueued::Waiting
    }

    /// Returns the time at which the next pointer becomes due that [`Self::start`] has not seen.
    pub(super) fn next_at(&self) -> Option<Instant> {
        self.later.first_key_value().map(|((at, _), _)| *at)
    }

    /// Returns the next pointer that is due and whose lane and group have room. It occupies that room
    /// until [`Self::end`].
    pub(super) fn start(&mut self, now: Instant) -> Option<DeliveryPointer> {
        self.make_ready(now);
        loop {
            let (well, name) = self.next_lane()?;
            self.turns += 1;
            let turn = self.turns;
            let lane = self.lanes.get_mut(&name)?;
            let Some(group_name) = lane.next_group(well) else {
                self.place(name);
                continue;
            };
            let Some(pointer) = self.take(group_name) else {
                self.settle_down(group_name);
                continue;
            };
            if let Some(lane) = self.lanes.get_mut(&name) {
                lane.last_turn = turn;
                lane.under_way += 1;
                lane.unproven_under_way += usize::from(!well);
                if let Some(group) = lane.groups.get_mut(&group_name) {
                    group.under_way += 1;
                }
            }
            self.under_way.begin(pointer.subject, well);
            self.settle_down(group_name);
            return Some(pointer);
        }
    }

    /// Frees the room of an attempt and records the receiver's health.
    pub(super) fn end(&mut self, pointer: &DeliveryPointer, health: Health) {
        let Some(well) = self.under_way.end(pointer.subject) else {
            return;
        };
        let Some(lane) = self.lanes.get_mut(&pointer.group.lane()) else {
            return;
        };
        let Some(group) = lane.groups.get_mut(&pointer.group) else {
            return;
        };
        group.under_way -= 1;
        match health {
            Health::Well => {
                group.is_well = true;
                group.allowed = (group.allowed * 2).min(self.limits.group);
            }
            Health::Ill => {
                group.is_well = false;
                group.allowed = Limits::FIRST;
            }
            Health::Unknown => {}
        }
        lane.under_way -= 1;
        lane.unproven_under_way -= usize::from(!well);
        self.settle_down(pointer.group);
    }

    /// Returns the lane whose turn it is, and whether the turn is for a receiver that is well.
    fn next_lane(&self) -> Option<(bool, DeliveryLane)> {
        let limits = &self.limits;
        let open = |taken: usize, bound: usize, own: usize| {
            taken < bound - bound / Limits::RESERVED || (taken < bound && own < Limits::FEW)
        };
        let under_way = self.under_way.all();
        if under_way >= limits.under_way {
            return None;
        }
        let well = self
            .well
            .first()
            .filter(|((own, _), _)| open(under_way, limits.under_way, *own));
        let unproven = self.unproven.first().filter(|((own, _), _)| {
            open(under_way, limits.under_way, *own)
                && open(self.under_way.unproven(), limits.unproven, *own)
        });
        match (well, unproven) {
            // Well and unproven receivers of a lane take turns, so that new receivers get theirs.
            (Some(well), Some(unproven)) if unproven.1 == well.1 => {
                Some((self.turns.is_multiple_of(2), well.1))
            }
            (Some(well), Some(unproven)) if unproven < well => Some((false, unproven.1)),
            (Some(well), _) => Some((true, well.1)),
            (None, Some(unproven)) => Some((false, unproven.1)),
            (None, None) => None,
        }
    }

    /// Takes the next ready pointer of a group.
    fn take(&mut self, name: DeliveryGroup) -> Option<DeliveryPointer> {
        let lane = self.lanes.get_mut(&name.lane())?;
        loop {
            let (subject, arrival) = lane.groups.get_mut(&name)?.next_ready()?;
            let waits = self.waiting.get(&subject);
            if waits.is_some_and(|waiting| waiting.arrival == arrival) {
                return self.remove(subject);
            }
        }
    }

    /// Moves the pointers that became due to their groups.
    fn make_ready(&mut self, now: Instant) {
        while let Some(entry) = self.later.first_entry() {
            if entry.key().0 > now {
                return;
            }
            let (slot, subject) = entry.remove_entry();
            let Some(waiting) = self.waiting.get_mut(&subject) else {
                continue;
            };
            waiting.is_ready = true;
            let pointer = waiting.pointer;
            let lane = self.lanes.entry(pointer.group.lane()).or_default();
            if let Some(group) = lane.groups.get_mut(&pointer.group) {
                group.later.remove(&(slot, subject));
                group.make_ready((subject, slot.1), pointer.is_first_attempt());
            }
            self.settle_down(pointer.group);
        }
    }

    /// Removes the waiting pointer of a delivery.
    fn remove(&mut self, subject: DeliverySubject) -> Option<DeliveryPointer> {
        let Waiting {
            pointer,
            at,
            arrival,
            is_ready,
        } = self.waiting.remove(&subject)?;
        let slot = (at, arrival);
        if !is_ready {
            self.later.remove(&slot);
        }
        self.changes_waiting(pointer.group.lane(), |lane| {
            if let Some(group) = lane.groups.get_mut(&pointer.group) {
                group.later.remove(&(slot, subject));
            }
            lane.fewer(pointer.group);
        });
        Some(pointer)
    }

    /// Changes a lane's number of waiting pointers, and updates the lane's place by that number.
    fn changes_waiting(&mut self, name: DeliveryLane, change: impl FnOnce(&mut Lane)) {
        let lane = self.lanes.entry(name).or_default();
        self.by_waiting.remove(&(lane.waiting, name));
        change(lane);
        if lane.waiting > 0 {
            self.by_waiting.insert((lane.waiting, name));
        }
        // The lane is half empty, so the sweep should refill it now and not a minute later.
        if lane.overflowed_at.is_some_and(|at| lane.waiting <= at / 2) {
            lane.overflowed_at = None;
            self.wants_refill = true;
        }
    }

    /// Updates the turns of a changed group and of its lane, and removes them if they are empty.
    fn settle_down(&mut self, group: DeliveryGroup) {
        let name = group.lane();
        if let Some(lane) = self.lanes.get_mut(&name) {
            lane.line_up(group);
        }
        self.place(name);
    }

    /// Updates a lane's place in the orders of lanes. Removes the lane if it is empty.
    fn place(&mut self, name: DeliveryLane) {
        let Some(lane) = self.lanes.get_mut(&name) else {
            return;
        };
        let before = lane.places;
        lane.places = Places {
            well: lane
                .has_turn(true, &self.limits)
                .then_some((lane.under_way, lane.last_turn)),
            unproven: lane
                .has_turn(false, &self.limits)
                .then_some((lane.unproven_under_way, lane.last_turn)),
        };
        let after = lane.places;
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
