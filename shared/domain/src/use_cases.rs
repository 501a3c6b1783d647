//! What Countersign does for its callers, over the ports. Hosts differ in what they put behind the
//! ports and in nothing else.

pub mod deliver;
pub mod receive_text;
pub mod send_test;
pub mod start;
pub mod sweep;

use std::time::Duration;

use crate::confirmation::{RETENTION, VALIDITY};

/// The times that an operator may set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// How long a session is open.
    pub validity: Duration,
    /// How long a verified confirmation is kept once its webhook can no longer be retried.
    pub retention: Duration,
}

impl Default for Times {
    fn default() -> Self {
        Self {
            validity: VALIDITY,
            retention: RETENTION,
        }
    }
}
