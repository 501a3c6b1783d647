//! Who is next: the queue's order, without any waiting.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashMap, VecDeque};

use countersign_domain::delivery::{DeliveryGroup, DeliveryPointer};
use tokio::time::Instant;

use super::limits::{Health, Limits};

/// Pointers, each waiting for its time, then for its group's turn.
pub(super) struct Fair {
    limits: Limits,
    closed: bool,
    /// Those whose time has not come, the earliest first.
    later: BinaryHeap<Reverse<Later>>,
    arrivals: u64,
    groups: HashMap<DeliveryGroup, Group>,
    /// The groups that have something ready and room for it, in the order of their turns.
    turns: VecDeque<DeliveryGroup>,
    /// Ill groups that had a turn while the ill had used up their share.
    parked: Vec<DeliveryGroup>,
    waiting: usize,
    under_way: usize,
    ill_under_way: usize,
}

/// A pointer whose time has not come. Ordered by time, then by arrival.
struct Later {
    at: Instant,
    arrival: u64,
    pointer: DeliveryPointer,
}

/// What one group has ready and under way.
struct Group {
    first_attempts: VecDeque<DeliveryPointer>,
    retries: VecDeque<DeliveryPointer>,
    /// Whose turn it is between the two, so that neither can crowd out the other.
    retry_next: bool,
    under_way: usize,
    allowed: usize,
    ill: bool,
    /// Whether it stands among the turns or is parked.
    in_line: bool,
}

impl Fair {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            closed: false,
            later: BinaryHeap::new(),
            arrivals: 0,
            groups: HashMap::new(),
            turns: VecDeque::new(),
            parked: Vec::new(),
            waiting: 0,
            under_way: 0,
            ill_under_way: 0,
        }
    }

    pub(super) fn close(&mut self) {
        self.closed = true;
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }

    /// How many pointers wait or are under way.
    pub(super) fn depth(&self) -> usize {
        self.waiting + self.under_way
    }

    /// Takes a pointer, unless the queue is full or closed.
    pub(super) fn put(&mut self, pointer: DeliveryPointer, at: Instant) -> bool {
        if self.closed || self.waiting >= self.limits.waiting {
            return false;
        }
        self.waiting += 1;
        self.arrivals += 1;
        self.later.push(Reverse(Later {
            at,
            arrival: self.arrivals,
            pointer,
        }));
        true
    }

    /// When the next pointer's time comes that [`Self::start`] has not looked at.
    pub(super) fn next_at(&self) -> Option<Instant> {
        self.later.peek().map(|Reverse(next)| next.at)
    }

    /// The next pointer whose time has come and whose group has room. Its room is taken until
    /// [`Self::end`].
    pub(super) fn start(&mut self, now: Instant) -> Option<DeliveryPointer> {
        self.make_ready(now);
        if self.under_way >= self.limits.under_way {
            return None;
        }
        while let Some(name) = self.turns.pop_front() {
            let Some(group) = self.groups.get_mut(&name) else {
                continue;
            };
            if group.ill && self.ill_under_way >= self.limits.ill_under_way {
                self.parked.push(name);
                continue;
            }
            group.in_line = false;
            let Some(pointer) = group.take() else {
                continue;
            };
            group.under_way += 1;
            self.ill_under_way += usize::from(group.ill);
            self.under_way += 1;
            self.waiting -= 1;
            self.line_up(name);
            return Some(pointer);
        }
        None
    }

    /// Gives the room of an attempt back, and remembers what it told about the receiver.
    pub(super) fn end(&mut self, name: DeliveryGroup, health: Health) {
        let Some(group) = self.groups.get_mut(&name) else {
            return;
        };
        if group.ill {
            self.ill_under_way -= group.under_way;
        }
        group.under_way -= 1;
        self.under_way -= 1;
        match health {
            Health::Well => {
                group.ill = false;
                group.allowed = (group.allowed * 2).min(self.limits.group);
            }
            Health::Ill => {
                group.ill = true;
                group.allowed = Limits::FIRST;
            }
            Health::Unknown => {}
        }
        if group.ill {
            self.ill_under_way += group.under_way;
        }
        if group.is_idle() {
            self.groups.remove(&name);
        } else {
            self.line_up(name);
        }
        self.turns.extend(self.parked.drain(..));
    }

    /// Moves what has become ready to its groups.
    fn make_ready(&mut self, now: Instant) {
        while self.next_at().is_some_and(|at| at <= now) {
            let Some(Reverse(Later { pointer, .. })) = self.later.pop() else {
                return;
            };
            let group = self.groups.entry(pointer.group).or_insert_with(Group::new);
            if pointer.is_first_attempt() {
                group.first_attempts.push_back(pointer);
            } else {
                group.retries.push_back(pointer);
            }
            self.line_up(pointer.group);
        }
    }

    /// Gives a group a turn if it has something ready, room for it, and no turn yet.
    fn line_up(&mut self, name: DeliveryGroup) {
        let Some(group) = self.groups.get_mut(&name) else {
            return;
        };
        if !group.in_line && group.has_ready() && group.under_way < group.allowed {
            group.in_line = true;
            self.turns.push_back(name);
        }
    }
}

impl Group {
    fn new() -> Self {
        Self {
            first_attempts: VecDeque::new(),
            retries: VecDeque::new(),
            retry_next: false,
            under_way: 0,
            allowed: Limits::FIRST,
            ill: false,
            in_line: false,
        }
    }

    fn has_ready(&self) -> bool {
        !self.first_attempts.is_empty() || !self.retries.is_empty()
    }

    fn is_idle(&self) -> bool {
        self.under_way == 0 && !self.has_ready()
    }

    /// The next of its pointers, first attempts and retries by turns.
    fn take(&mut self) -> Option<DeliveryPointer> {
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
}

impl Ord for Later {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.at, self.arrival).cmp(&(other.at, other.arrival))
    }
}

impl PartialOrd for Later {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Later {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Later {}
