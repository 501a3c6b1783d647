//! The cases of login stores and of login histories.

mod browser;
mod check_code;
mod create;
mod history;
mod notices;
mod phone;
mod races;
mod random;
mod round_trip;
pub(super) mod steps;

use countersign_domain::login::history::RiskHistory;

use super::Case;
use crate::stores::Stores;

pub use random::against_model;

/// Returns the cases of login stores.
pub(super) fn cases() -> impl Iterator<Item = &'static Case<Stores>> {
    let groups = [
        create::CASES,
        phone::CASES,
        browser::CASES,
        check_code::CASES,
        notices::CASES,
        round_trip::CASES,
        races::CASES,
        random::CASES,
    ];
    groups.into_iter().flatten()
}

/// Returns the cases of login histories.
pub(super) fn history_cases() -> impl Iterator<Item = &'static Case<dyn RiskHistory>> {
    history::CASES.iter()
}
