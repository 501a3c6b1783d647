//! The usual case of each transition as a conditional update.
//!
//! Each is made only where the domain's function of the same name would make it, and then does the
//! same. It may be refused where the domain would not refuse: what an expression cannot say is
//! left to the slower way.

pub(super) mod confirmation;
pub(super) mod delivery;
pub(super) mod login;

use countersign_domain::primitives::time::Timestamp;

use super::attributes::session::PURGE_AT;
use super::attributes::{Key, TTL};
use super::change::Change;
use super::item::{instant, seconds};

/// Of an item that is there and has not had its time.
fn live(key: Key, now: Timestamp) -> Change {
    Change::of(key)
        .when(format!("#{PURGE_AT} > :now"))
        .given(":now", instant(now))
}

/// The item is kept until then. Not where it is to be kept for longer already.
fn kept_until(change: Change, until: Timestamp) -> Change {
    change
        .when(format!("#{PURGE_AT} <= :until"))
        .given(":until", instant(until))
        .set(PURGE_AT, instant(until))
        .set(TTL, seconds(until))
}

/// The item is kept until then already.
fn kept_anyway(change: Change, until: Timestamp) -> Change {
    change
        .when(format!("#{PURGE_AT} >= :until"))
        .given(":until", instant(until))
}
