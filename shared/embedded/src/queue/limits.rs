//! Bounds on waiting pointers and on attempts under way: in all, for an app, for a receiver.

/// The bounds of a queue.
///
/// A lane is an app's webhooks of one kind, so one app has two shares at most. Each bound of a lane is a
/// quarter or a half of the total bound. An eighth is reserved for lanes with few attempts under way, so
/// that neither one app nor four together can use up what the others need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest number of waiting pointers in all lanes. Further ones push out pointers of the largest
    /// lane, which are left to the sweep.
    pub waiting: usize,
    /// The largest number of those in one lane.
    pub lane_waiting: usize,
    /// The largest number of attempts under way in all lanes.
    pub under_way: usize,
    /// The largest number of those in one lane.
    pub lane_under_way: usize,
    /// The largest number of attempts under way that began when their receiver was not known to be
    /// well: its last attempt had failed, or it had had none.
    pub unproven: usize,
    /// The largest number of those in one lane.
    pub lane_unproven: usize,
    /// The largest number of attempts under way to one receiver. A receiver starts at two, and the
    /// number doubles with each success.
    pub group: usize,
}

impl Limits {
    /// The number of attempts at once that a receiver starts with, and falls back to when it is ill.
    pub(super) const FIRST: usize = 2;

    /// The number of attempts under way below which a lane may use the reserve.
    pub(super) const FEW: usize = 4;

    /// The divisor of the reserve: one part in this many of all attempts under way.
    pub(super) const RESERVED: usize = 8;

    /// Returns the default bounds, scaled to this number of waiting pointers.
    #[must_use]
    pub fn with_waiting(waiting: usize) -> Self {
        Self {
            waiting,
            lane_waiting: waiting.div_ceil(4),
            ..Self::default()
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            waiting: 100_000,
            lane_waiting: 25_000,
            under_way: 1024,
            lane_under_way: 512,
            unproven: 512,
            lane_unproven: 256,
            group: 32,
        }
    }
}

/// A receiver's health, as an attempt found it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    /// It answered with success.
    Well,
    /// It failed.
    Ill,
    /// No attempt was made.
    Unknown,
}
