//! How much a group may have under way.

/// Bounds of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Pointers that may wait; more are refused, and left to the sweep.
    pub waiting: usize,
    /// Attempts under way over all groups.
    pub under_way: usize,
    /// Of those, how many may belong to groups whose receiver is ill.
    pub ill_under_way: usize,
    /// Attempts of one group under way, at the most. A group begins with two and
    /// doubles with each success.
    pub group: usize,
}

impl Limits {
    /// What a group begins with, and falls back to when its receiver is ill: few enough that a
    /// thousand bad receivers leave room for a good one.
    pub(super) const FIRST: usize = 2;
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            waiting: 100_000,
            under_way: 1024,
            ill_under_way: 512,
            group: 32,
        }
    }
}

/// What an attempt told about its group's receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    /// It answered as a receiver should.
    Well,
    /// It did not.
    Ill,
    /// Nothing: no attempt was made.
    Unknown,
}
