//! How much waits and how much is under way: over all, of one app, of one receiver.

/// Bounds of a queue.
///
/// A lane is an app's webhooks of one kind, so one app has two shares at most. Each bound of a lane is
/// a quarter or a half of the bound over all. An eighth is reserved for lanes with few attempts under
/// way, so that neither one app nor four together can use up what the others need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Pointers that may wait, over all lanes. More push out pointers of the lane that has the
    /// most; what is pushed out is left to the sweep.
    pub waiting: usize,
    /// Of those, how many may be of one lane.
    pub lane_waiting: usize,
    /// Attempts under way, over all lanes.
    pub under_way: usize,
    /// Of those, how many may be of one lane.
    pub lane_under_way: usize,
    /// Attempts under way to receivers that were not known to be well when these began: whose last
    /// attempt had failed, or who had had none.
    pub unproven: usize,
    /// Of those, how many may be of one lane.
    pub lane_unproven: usize,
    /// Attempts under way to one receiver. A receiver begins with two and doubles with each
    /// success.
    pub group: usize,
}

impl Limits {
    /// What a receiver begins with, and falls back to when it is ill.
    pub(super) const FIRST: usize = 2;

    /// A lane with fewer attempts under way may take what is reserved.
    pub(super) const FEW: usize = 4;

    /// The share of attempts under way that is reserved for lanes with few of them: one part in
    /// this many.
    pub(super) const RESERVED: usize = 8;

    /// The same bounds for a queue in which so many pointers may wait.
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
