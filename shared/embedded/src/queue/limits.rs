//! Bounds on the attempts waiting in memory and in flight: in total, per lane and per receiver.

/// The bounds of a queue.
///
/// A lane contains an app's webhooks of one kind, so an app has at most two lanes. Each bound per lane
/// is a quarter or a half of the total bound. An eighth is reserved for lanes with few attempts in
/// flight, so that not even several apps together can use up what the others need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of receivers with an attempt waiting in memory, in all lanes. Additional
    /// receivers evict receivers of the largest lane, which then wait only in the index.
    pub waiting: usize,
    /// Maximum number of such receivers per lane.
    pub lane_waiting: usize,
    /// Maximum number of attempts in flight in all lanes.
    pub under_way: usize,
    /// Maximum number of attempts in flight per lane.
    pub lane_under_way: usize,
    /// Maximum number of attempts in flight in all lanes that began when their receiver was unproven:
    /// its last attempt had failed, or there had been none.
    pub unproven: usize,
    /// Maximum number of such attempts per lane.
    pub lane_unproven: usize,
    /// Maximum number of attempts in flight per receiver. A receiver starts with two, and its limit
    /// doubles with each success.
    pub group: usize,
}

impl Limits {
    /// Number of concurrent attempts with which a receiver starts, and to which it falls back after a
    /// failure.
    pub(super) const INITIAL_CONCURRENCY: usize = 2;

    /// Number of attempts in flight below which a lane may use the reserve.
    pub(super) const MAX_BEFORE_RESERVE: usize = 4;

    /// Divisor of the reserve: one part in this many of a total bound is reserved.
    pub(super) const RESERVE_DIVISOR: usize = 8;

    /// Returns the default bounds, but with room for this number of waiting receivers.
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

/// The end of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptEnd {
    /// The receiver accepted the webhook.
    Well,
    /// The receiver was at fault.
    Ill,
    /// The service was at fault, and the result is stored.
    OurFault,
    /// Nothing was stored: the index may list the attempt as before.
    Unsettled,
}
