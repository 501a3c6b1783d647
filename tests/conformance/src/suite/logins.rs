//! What a store of QR sessions, and a history of logins, must do.

mod browser;
mod create;
mod history;
mod notices;
mod phone;
mod races;
mod random;
mod round_trip;
mod steps;

use countersign_domain::login::history::RiskHistory;
use countersign_domain::login::store::LoginStore;

use super::Case;

pub use random::against_model;

pub(super) fn cases() -> impl Iterator<Item = &'static Case<dyn LoginStore>> {
    let groups = [
        create::CASES,
        phone::CASES,
        browser::CASES,
        notices::CASES,
        round_trip::CASES,
        races::CASES,
        random::CASES,
    ];
    groups.into_iter().flatten()
}

pub(super) fn history_cases() -> impl Iterator<Item = &'static Case<dyn RiskHistory>> {
    history::CASES.iter()
}
