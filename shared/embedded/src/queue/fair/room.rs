//! Decides whether a pointer has room to wait, and which one is pushed out for it.

use countersign_domain::delivery::queue::Room;
use countersign_domain::delivery::{DeliveryGroup, DeliveryLane, DeliverySubject};

use super::Fair;
use crate::queue::lane::Lane;

impl Fair {
    /// Returns whether a delivery that the sweep found has room.
    pub(in crate::queue) fn room_for(
        &mut self,
        lane: DeliveryLane,
        subject: DeliverySubject,
    ) -> Room {
        if self.waiting.contains_key(&subject) || self.is_under_way(subject) {
            return Room::Held;
        }
        match self.room_in(lane) {
            0 => {
                self.overflows(lane);
                let largest = self.lanes.get(&lane).and_then(Lane::largest);
                match largest {
                    Some((2.., _)) => Room::Contested,
                    _ => Room::Full,
                }
            }
            room => Room::Free(room),
        }
    }

    /// Returns the number of pointers of a lane that still fit.
    pub(super) fn room_in(&self, lane: DeliveryLane) -> usize {
        let own = self.lanes.get(&lane).map_or(0, |lane| lane.waiting);
        let of_lane = self.limits.lane_waiting.saturating_sub(own);
        let over_all = self.limits.waiting.saturating_sub(self.waiting.len());
        // A full queue accepts as many pointers as the largest lane has to give up.
        of_lane.min(over_all.max(self.largest().saturating_sub(own + 1)))
    }

    /// Makes room for another pointer of a group, by pushing one out if necessary. Returns whether there
    /// is room.
    pub(super) fn makes_room(&mut self, name: DeliveryGroup) -> bool {
        let lane = self.lanes.get(&name.lane());
        let own = lane.map_or(0, |lane| lane.waiting);
        let of_group = lane.map_or(0, |lane| lane.waiting_of(name));
        let lane_is_full = own >= self.limits.lane_waiting;
        if !lane_is_full && self.waiting.len() < self.limits.waiting {
            return true;
        }
        let gives_way = if lane_is_full || !self.is_smaller(own) {
            let largest = lane.and_then(Lane::largest);
            largest.filter(|(waiting, _)| *waiting > of_group + 1)
        } else {
            let largest = self.by_waiting.last();
            let lane = largest.and_then(|(_, lane)| self.lanes.get(lane));
            lane.and_then(Lane::largest)
        };
        match gives_way {
            Some((_, group)) => self.push_out(group),
            None => false,
        }
    }

    /// Returns whether a lane with `own` waiting pointers would still be smaller than the largest lane if
    /// it had one more.
    fn is_smaller(&self, own: usize) -> bool {
        own + 1 < self.largest()
    }

    /// Returns the number of waiting pointers in the largest lane.
    fn largest(&self) -> usize {
        self.by_waiting.last().map_or(0, |(waiting, _)| *waiting)
    }

    /// Removes the last pointer of a group, which leaves it to the sweep. Returns whether there was one.
    fn push_out(&mut self, name: DeliveryGroup) -> bool {
        let lane = name.lane();
        let mut last = None;
        while last.is_none() {
            let Some(group) = self
                .lanes
                .get_mut(&lane)
                .and_then(|lane| lane.groups.get_mut(&name))
            else {
                return false;
            };
            last = match group.later.last() {
                Some((_, subject)) => Some(*subject),
                None => match group.last_ready() {
                    None => return false,
                    Some((subject, arrival)) => {
                        let waits = self.waiting.get(&subject);
                        waits
                            .is_some_and(|waiting| waiting.arrival == arrival)
                            .then_some(subject)
                    }
                },
            };
        }
        if let Some(subject) = last {
            self.overflows(lane);
            self.remove(subject);
            self.settle_down(name);
        }
        true
    }

    /// Records that a pointer of a lane was left to the sweep.
    pub(super) fn overflows(&mut self, name: DeliveryLane) {
        if let Some(lane) = self.lanes.get_mut(&name) {
            lane.overflowed_at = Some(lane.overflowed_at.unwrap_or(0).max(lane.waiting));
        }
    }
}
