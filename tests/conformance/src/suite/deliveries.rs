//! The cases of delivery stores. Most run twice, for a confirmation's webhook and for a login's.

mod claim;
mod due;
mod item;
mod postpone;
mod purge;
mod races;
mod settle;
mod steps;

use super::Case;
use crate::stores::Stores;

/// Lists each case for both kinds of deliveries.
macro_rules! for_both_kinds {
    ($($name:literal => $case:path,)*) => {
        &[$(
            $crate::suite::Case {
                name: concat!("confirmation ", $name),
                run: |stores| Box::pin($case(
                    stores,
                    countersign_domain::delivery::DeliveryKind::Confirmations,
                )),
            },
            $crate::suite::Case {
                name: concat!("login ", $name),
                run: |stores| Box::pin($case(
                    stores,
                    countersign_domain::delivery::DeliveryKind::Logins,
                )),
            },
        )*]
    };
}
use for_both_kinds;

/// Returns the cases of delivery stores.
pub(super) fn cases() -> impl Iterator<Item = &'static Case<Stores>> {
    let groups = [
        claim::CASES,
        settle::CASES,
        due::CASES,
        due::MIXED_CASES,
        postpone::CASES,
        purge::CASES,
        races::CASES,
    ];
    groups.into_iter().flatten()
}
