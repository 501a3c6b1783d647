//! The groups of one lane, each with its next attempts.

use std::array;
use std::collections::{HashMap, VecDeque};

use countersign_domain::delivery::due::NextAttempt;
use countersign_domain::delivery::{DeliveryPointer, ReceiverGroup, ReceiverShard};
use countersign_domain::primitives::time::Timestamp;

use super::limits::Limits;

/// One app's webhooks of one kind.
#[derive(Default)]
pub(super) struct LaneQueue {
    pub(super) groups: HashMap<ReceiverGroup, GroupQueue>,
    /// The groups with a due attempt, room for it, and a receiver known to be healthy, in order of
    /// turns.
    well: VecDeque<(ReceiverGroup, Turn)>,
    /// The same for receivers that are not known to be healthy.
    unproven: VecDeque<(ReceiverGroup, Turn)>,
    /// Number of turns given to groups.
    turns: u64,
    /// Number of groups with a waiting attempt.
    pub(super) waiting: usize,
    pub(super) under_way: usize,
    pub(super) unproven_under_way: usize,
    /// The lane's position in the orders of lanes.
    pub(super) slots: Slots,
    /// Number of the lane's last turn.
    pub(super) last_turn: u64,
    /// The shard after which the index has shards that found no room, and the number of waiting groups at
    /// that time.
    pub(super) unlisted: Option<(ReceiverShard, usize)>,
}

/// A group's turn in its lane. If the group has been given another turn since, this one is skipped.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Turn {
    number: u64,
    /// True if it is among the receivers known to be healthy.
    well: bool,
}

/// A lane's keys in the two orders of lanes.
#[derive(Clone, Copy, Default)]
pub(super) struct Slots {
    pub(super) well: Option<(usize, u64)>,
    pub(super) unproven: Option<(usize, u64)>,
}

/// The deliveries of one lane to one origin.
pub(super) struct GroupQueue {
    first_attempts: ShardQueue,
    retries: ShardQueue,
    /// True if a retry is next. First attempts and retries take turns, so that neither crowds out the
    /// other.
    retry_next: bool,
    /// The time under which the group is filed.
    pub(super) waits_until: Option<Timestamp>,
    pub(super) under_way: usize,
    pub(super) allowed: usize,
    pub(super) is_well: bool,
    /// The group's turn in its lane, if it has one.
    turn: Option<Turn>,
}

/// The first attempts of a group, or its retries.
pub(super) struct ShardQueue {
    /// The earliest attempt, if it is in memory.
    next: Option<NextAttempt>,
    /// The earliest time at which an attempt may be only in the index. It is not earlier than the
    /// time of `next`.
    more_at: Option<Timestamp>,
}

impl LaneQueue {
    pub(super) fn group(&mut self, name: ReceiverGroup) -> &mut GroupQueue {
        self.groups.entry(name).or_insert_with(GroupQueue::new)
    }

    /// Returns the group that waits until the latest time.
    pub(super) fn last_group(&self) -> Option<ReceiverGroup> {
        let waiting = self.groups.iter();
        let waiting = waiting.filter_map(|(name, group)| Some((group.waits_until?, *name)));
        waiting.max().map(|(_, name)| name)
    }

    /// Gives a group a turn if it has a due attempt, room for it and no turn yet, or a turn among
    /// receivers of the other health. Removes the group if it is empty.
    pub(super) fn line_up(&mut self, name: ReceiverGroup, now: Timestamp) {
        let Some(group) = self.groups.get_mut(&name) else {
            return;
        };
        if group.waits_until.is_none() && group.under_way == 0 {
            self.groups.remove(&name);
            return;
        }
        let is_due = group.waits_until.is_some_and(|at| at <= now);
        let has_turn = group.turn.is_some_and(|turn| turn.well == group.is_well);
        if !has_turn && is_due && group.under_way < group.allowed {
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

    /// Returns whether a group may take a turn for a healthy receiver, or an unproven one if `well` is
    /// false.
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

    /// Takes the group with the next turn. Returns `None` if the first entry was stale; call again.
    pub(super) fn next_group(&mut self, well: bool, now: Timestamp) -> Option<ReceiverGroup> {
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
        self.line_up(name, now);
        None
    }
}

impl GroupQueue {
    const fn new() -> Self {
        Self {
            first_attempts: ShardQueue::EMPTY,
            retries: ShardQueue::EMPTY,
            retry_next: false,
            waits_until: None,
            under_way: 0,
            allowed: Limits::INITIAL_CONCURRENCY,
            is_well: false,
            turn: None,
        }
    }

    /// Returns the time of the next attempt, if known.
    pub(super) fn next_at(&self) -> Option<Timestamp> {
        let shards = [&self.first_attempts, &self.retries];
        shards.into_iter().filter_map(ShardQueue::at).min()
    }

    pub(super) const fn shard(&mut self, name: ReceiverShard) -> &mut ShardQueue {
        if name.retries {
            &mut self.retries
        } else {
            &mut self.first_attempts
        }
    }

    /// Returns the group's shards, the one with the next turn first.
    pub(super) fn next_lines(&mut self, name: ReceiverGroup) -> [ReceiverShard; 2] {
        let retries_first = self.retry_next;
        self.retry_next = !retries_first;
        array::from_fn(|place| ReceiverShard {
            group: name,
            retries: retries_first == (place == 0),
        })
    }

    /// Removes the waiting attempts from memory; they stay in the index.
    pub(super) fn forget(&mut self) {
        (self.first_attempts, self.retries) = (ShardQueue::EMPTY, ShardQueue::EMPTY);
    }
}

impl ShardQueue {
    const EMPTY: Self = Self {
        next: None,
        more_at: None,
    };

    fn at(&self) -> Option<Timestamp> {
        self.next.map(|next| next.at).or(self.more_at)
    }

    /// Adds an attempt that is in the index. Only one attempt per delivery waits: the later attempt, or
    /// for the same attempt the earlier time.
    pub(super) fn offer(&mut self, new: NextAttempt) {
        let attempt = new.pointer.attempts_claimed;
        if let Some(known) = self.next
            && known.pointer.subject == new.pointer.subject
        {
            let old = known.pointer.attempts_claimed;
            if attempt < old || (attempt == old && known.at <= new.at) {
                return;
            }
            self.next = None;
        }
        match self.next {
            Some(next) if next.at <= new.at => self.has_more(new.at),
            Some(next) => {
                self.has_more(next.at);
                self.next = Some(new);
            }
            None if self.more_at.is_none_or(|more_at| new.at < more_at) => self.next = Some(new),
            // The attempt will be looked up.
            None => {}
        }
    }

    /// Records that the index has an attempt at this time.
    pub(super) fn note(&mut self, at: Timestamp) {
        if self.at().is_none_or(|known| at < known) {
            self.next = None;
            self.has_more(at);
        }
    }

    fn has_more(&mut self, at: Timestamp) {
        self.more_at = Some(self.more_at.map_or(at, |more_at| more_at.min(at)));
    }

    pub(super) fn must_be_looked_up(&self, now: Timestamp) -> bool {
        self.next.is_none() && self.more_at.is_some_and(|more_at| more_at <= now)
    }

    /// Replaces the known attempts by those in the index, earliest first. Returns whether there are
    /// any.
    pub(super) fn fill(&mut self, found: impl IntoIterator<Item = NextAttempt>) -> bool {
        let mut found = found.into_iter();
        self.next = found.next();
        self.more_at = found.next().map(|next| next.at);
        self.next.is_some()
    }

    /// Takes the next attempt if it is due.
    pub(super) fn take(&mut self, now: Timestamp) -> Option<DeliveryPointer> {
        let next = self.next.take_if(|next| next.at <= now)?;
        Some(next.pointer)
    }
}
