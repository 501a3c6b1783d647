//! What one lane has waiting and under way.

use std::collections::{BTreeSet, HashMap, VecDeque};

use countersign_domain::delivery::{DeliveryGroup, DeliverySubject};
use tokio::time::Instant;

use super::limits::Limits;

/// When a pointer's time comes, and as which it arrived: unique, in order of time.
pub(super) type Slot = (Instant, u64);

/// A pointer that is ready, as which it arrived. What was moved or pushed out meanwhile has another
/// arrival or none, and is passed over.
pub(super) type Ready = (DeliverySubject, u64);

/// An app's webhooks of one kind.
#[derive(Default)]
pub(super) struct Lane {
    pub(super) groups: HashMap<DeliveryGroup, Group>,
    /// The groups by how much they have waiting.
    by_waiting: BTreeSet<(usize, DeliveryGroup)>,
    /// The groups that have something ready and room for it, in the order of their turns: those
    /// whose receiver is known to be well, and the others.
    well: VecDeque<DeliveryGroup>,
    unproven: VecDeque<DeliveryGroup>,
    pub(super) waiting: usize,
    pub(super) under_way: usize,
    pub(super) unproven_under_way: usize,
    /// Where it stands among the lanes' turns.
    pub(super) places: Places,
    /// When it last had a turn.
    pub(super) last_turn: u64,
    /// How much was waiting when something was left to the sweep, since the last refill.
    pub(super) overflowed_at: Option<usize>,
}

/// A lane's keys among the turns of the lanes.
#[derive(Clone, Copy, Default)]
pub(super) struct Places {
    pub(super) well: Option<(usize, u64)>,
    pub(super) unproven: Option<(usize, u64)>,
}

/// What one group has waiting and under way.
pub(super) struct Group {
    first_attempts: VecDeque<Ready>,
    retries: VecDeque<Ready>,
    /// Those whose time has not come.
    pub(super) later: BTreeSet<(Slot, DeliverySubject)>,
    /// Whose turn it is between first attempts and retries, so that neither crowds out the other.
    retry_next: bool,
    waiting: usize,
    pub(super) under_way: usize,
    pub(super) allowed: usize,
    pub(super) is_well: bool,
    /// Whether it stands among its lane's turns.
    in_line: bool,
}

impl Lane {
    /// Counts a pointer that waits from now on.
    pub(super) fn more(&mut self, name: DeliveryGroup) -> &mut Group {
        self.waiting += 1;
        let group = self.groups.entry(name).or_insert_with(Group::new);
        self.by_waiting.remove(&(group.waiting, name));
        group.waiting += 1;
        self.by_waiting.insert((group.waiting, name));
        group
    }

    /// Counts a pointer that waits no longer.
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

    /// The group that has the most waiting, and how much.
    pub(super) fn largest(&self) -> Option<(usize, DeliveryGroup)> {
        self.by_waiting.last().copied()
    }

    pub(super) fn waiting_of(&self, name: DeliveryGroup) -> usize {
        self.groups.get(&name).map_or(0, |group| group.waiting)
    }

    /// Gives a group a turn if it has something ready, room for it, and no turn yet; forgets it if
    /// there is nothing to remember.
    pub(super) fn line_up(&mut self, name: DeliveryGroup) {
        let Some(group) = self.groups.get_mut(&name) else {
            return;
        };
        if group.waiting == 0 && group.under_way == 0 {
            self.groups.remove(&name);
        } else if !group.in_line && group.has_ready() && group.under_way < group.allowed {
            group.in_line = true;
            if group.is_well {
                self.well.push_back(name);
            } else {
                self.unproven.push_back(name);
            }
        }
    }

    /// Whether a group whose receiver is well, or another, may have a turn.
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

    /// The next group among those turns, taken out of them. `None` where the first is none of those
    /// any more; then it is worth asking again.
    pub(super) fn next_group(&mut self, well: bool) -> Option<DeliveryGroup> {
        let turns = if well {
            &mut self.well
        } else {
            &mut self.unproven
        };
        let name = turns.pop_front()?;
        let group = self.groups.get_mut(&name)?;
        group.in_line = false;
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
            in_line: false,
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

    /// The next that is ready, first attempts and retries by turns.
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

    /// Of what is ready, what would come last.
    pub(super) fn last_ready(&mut self) -> Option<Ready> {
        if self.retries.len() >= self.first_attempts.len() {
            self.retries.pop_back()
        } else {
            self.first_attempts.pop_back()
        }
    }
}
