//! The pointers of one lane, waiting and under way.

use std::collections::{BTreeSet, HashMap, VecDeque};

use countersign_domain::delivery::{DeliveryGroup, DeliverySubject};
use tokio::time::Instant;

use super::limits::Limits;

/// A unique key that sorts by time: the time when a pointer is due, and its arrival number.
pub(super) type Slot = (Instant, u64);

/// A ready pointer and its arrival number. If the pointer was moved or pushed out since, its number
/// differs, and this entry is skipped.
pub(super) type Ready = (DeliverySubject, u64);

/// The pointers to one app's webhooks of one kind.
#[derive(Default)]
pub(super) struct Lane {
    pub(super) groups: HashMap<DeliveryGroup, Group>,
    /// The groups, by number of waiting pointers.
    by_waiting: BTreeSet<(usize, DeliveryGroup)>,
    /// The groups with a ready pointer, room for it, and a receiver known to be well, in order of turns.
    well: VecDeque<(DeliveryGroup, Turn)>,
    /// The same, with a receiver that is not known to be well.
    unproven: VecDeque<(DeliveryGroup, Turn)>,
    /// Number of turns that groups were given.
    turns: u64,
    pub(super) waiting: usize,
    pub(super) under_way: usize,
    pub(super) unproven_under_way: usize,
    /// The lane's place in the order of lanes.
    pub(super) places: Places,
    /// Number of the lane's last turn.
    pub(super) last_turn: u64,
    /// Number of waiting pointers when one was left to the sweep; `None` if none was since the last refill.
    pub(super) overflowed_at: Option<usize>,
}

/// A group's turn in its lane. If the group was given another turn since, this one is skipped.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Turn {
    number: u64,
    /// True if it is among the receivers known to be well.
    well: bool,
}

/// A lane's keys in the two orders of lanes.
#[derive(Clone, Copy, Default)]
pub(super) struct Places {
    pub(super) well: Option<(usize, u64)>,
    pub(super) unproven: Option<(usize, u64)>,
}

/// The pointers of one group, waiting and under way.
pub(super) struct Group {
    first_attempts: VecDeque<Ready>,
    retries: VecDeque<Ready>,
    /// The pointers that are not due yet.
    pub(super) later: BTreeSet<(Slot, DeliverySubject)>,
    /// True if a retry is next. First attempts and retries take turns, so that neither crowds out the
    /// other.
    retry_next: bool,
    waiting: usize,
    pub(super) under_way: usize,
    pub(super) allowed: usize,
    pub(super) is_well: bool,
    /// The group's turn in its lane, if it has one.
    turn: Option<Turn>,
}

impl Lane {
    /// Counts one more waiting pointer.
    pub(super) fn more(&mut self, name: DeliveryGroup) -> &mut Group {
        self.waiting += 1;
        let group = self.groups.entry(name).or_insert_with(Group::new);
        self.by_waiting.remove(&(group.waiting, name));
        group.waiting += 1;
        self.by_waiting.insert((group.waiting, name));
        group
    }

    /// Counts one fewer waiting pointer.
    pub(super) fn fewer(&mut self, name: DeliveryGroup) {
        let Some(group) = self.groups.get_mut(&name) else {
            return;
        };
        self.waiting -= 1;
        self.by_waiting.remove(&(group.waiting, name));
        group.waiting -= 1;
        if group.waiting > 0 {
            self.by_waiting.insert((group.waiting, name));
        }
    }

    /// Returns the group with the most waiting pointers, and their number.
    pub(super) fn largest(&self) -> Option<(usize, DeliveryGroup)> {
        self.by_waiting.last().copied()
    }

    pub(super) fn waiting_of(&self, name: DeliveryGroup) -> usize {
        self.groups.get(&name).map_or(0, |group| group.waiting)
    }

    /// Gives a group a turn if it has a ready pointer, room for it and no turn yet, or one among receivers
    /// of the other health. Removes the group if it is empty.
    pub(super) fn line_up(&mut self, name: DeliveryGroup) {
        let Some(group) = self.groups.get_mut(&name) else {
            return;
        };
        if group.waiting == 0 && group.under_way == 0 {
            self.groups.remove(&name);
            return;
        }
        let has_turn = group.turn.is_some_and(|turn| turn.well == group.is_well);
        if !has_turn && group.has_ready() && group.under_way < group.allowed {
            self.turns += 1;
            let turn = Turn {
                number: self.turns,
                well: group.is_well,
            };
            group.turn = Some(turn);
            if turn.well {
                self.well.push_back((name, turn));
            } else {
                self.unproven.push_back((name, turn));
            }
        }
    }

    /// Returns whether a group may have a turn whose receiver is well, or unproven if `well` is false.
    pub(super) fn has_turn(&self, well: bool, limits: &Limits) -> bool {
        if self.under_way >= limits.lane_under_way {
            return false;
        }
        if well {
            !self.well.is_empty()
        } else {
            !self.unproven.is_empty() && self.unproven_under_way < limits.lane_unproven
        }
    }

    /// Takes the group with the next turn. `None` means that the first entry was stale; call again.
    pub(super) fn next_group(&mut self, well: bool) -> Option<DeliveryGroup> {
        let turns = if well {
            &mut self.well
        } else {
            &mut self.unproven
        };
        let (name, turn) = turns.pop_front()?;
        let group = self.groups.get_mut(&name)?;
        if group.turn != Some(turn) {
            return None;
        }
        group.turn = None;
        if group.is_well == well && group.under_way < group.allowed {
            return Some(name);
        }
        self.line_up(name);
        None
    }
}

impl Group {
    fn new() -> Self {
        Self {
            first_attempts: VecDeque::new(),
            retries: VecDeque::new(),
            later: BTreeSet::new(),
            retry_next: false,
            waiting: 0,
            under_way: 0,
            allowed: Limits::FIRST,
            is_well: false,
            turn: None,
        }
    }

    fn has_ready(&self) -> bool {
        !self.first_attempts.is_empty() || !self.retries.is_empty()
    }

    pub(super) fn make_ready(&mut self, ready: Ready, is_first_attempt: bool) {
        if is_first_attempt {
            self.first_attempts.push_back(ready);
        } else {
            self.retries.push_back(ready);
        }
    }

    /// Takes the next ready pointer. First attempts and retries take turns.
    pub(super) fn next_ready(&mut self) -> Option<Ready> {
        self.retry_next = !self.retry_next;
        if self.retry_next {
            self.first_attempts
                .pop_front()
                .or_else(|| self.retries.pop_front())
        } else {
            self.retries
                .pop_front()
                .or_else(|| self.first_attempts.pop_front())
        }
    }

    /// Takes the ready pointer that would come last.
    pub(super) fn last_ready(&mut self) -> Option<Ready> {
        if self.retries.len() >= self.first_attempts.len() {
            self.retries.pop_back()
        } else {
            self.first_attempts.pop_back()
        }
    }
}
