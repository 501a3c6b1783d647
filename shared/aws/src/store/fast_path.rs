//! The common case of each transition as a conditional update.
//!
//! Its condition holds only if the domain's function of the same name makes the same change. It may
//! fail where the domain would not refuse: module `transact` covers what an expression cannot say.

pub(super) mod confirmation;
pub(super) mod delivery;
pub(super) mod login;

use countersign_domain::primitives::time::Timestamp;

use super::attributes::session::PURGE_AT;
use super::attributes::{Key, TTL};
use super::change::Change;
use super::item::{instant, seconds};

/// Changes an item that exists and has not expired.
fn live(key: Key, now: Timestamp) -> Change {
    Change::of(key)
        .when(format!("#{PURGE_AT} > :now"))
        .given(":now", instant(now))
}

/// Keeps the item until then, unless it is to be kept longer already.
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
