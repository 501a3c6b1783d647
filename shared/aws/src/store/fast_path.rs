//! The common case of each transition as a conditional update.
//!
//! The condition holds only if the domain's function of the same name would make the same change. It may
//! fail where the domain would not refuse: module `transact` handles what an expression cannot state.

pub(super) mod confirmation;
pub(super) mod delivery;
pub(super) mod login;

use countersign_domain::primitives::time::Timestamp;

use super::attributes::common::PURGE_AT;
use super::attributes::{Key, TTL};
use super::change::Change;
use super::item::{instant, seconds};

/// Changes an item that exists and has not expired.
fn live(key: Key, now: Timestamp) -> Change {
    Change::of(key)
        .when(format!("#{PURGE_AT} > :now"))
        .given(":now", instant(now))
}

/// Keeps the item until then, or longer if it already has a later time.
fn kept_until(change: Change, until: Timestamp) -> Change {
    change
        .when(format!("#{PURGE_AT} <= :until"))
        .given(":until", instant(until))
        .set(PURGE_AT, instant(until))
        .set(TTL, seconds(until))
}

/// Requires that the item is already kept until then.
fn kept_anyway(change: Change, until: Timestamp) -> Change {
    change
        .when(format!("#{PURGE_AT} >= :until"))
        .given(":until", instant(until))
}
