//! The faults of delivery stores, each with the case that must catch it.

/// A fault of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    Nothing,
    ClaimSeesPurgedItem,
    ClaimOfAnyNumber,
    ClaimIgnoresLease,
    ClaimIgnoresDueTime,
    ClaimNeverExpires,
    ClaimOneMilliEarly,
    ClaimMovesDueEntry,
    ClaimIsNotAtomic,
    ClaimIsForgotten,
    SettlesAnyNumber,
    SettlesTwice,
    KeepsAllAttempts,
    DropsSignature,
    SettleIsNotAtomic,
    SettleIsForgotten,
    SettleForgetsPurge,
    RetryBecomesFailure,
    FailureDropsSignature,
    DueUnsorted,
    DueUnlimited,
    DueOneMilliEarly,
    DueOneMilliLate,
    DueIsEmpty,
    DueLanesStopsAfterOne,
    DueIgnoresStart,
    DueOfAnyLane,
    DueOfAnyKind,
    DueKeepsEnded,
    DueIsNotMoved,
    PostponeIgnoresSeenTime,
    PostponeIsNotAtomic,
    PostponeDropsClaim,
    FailureReasonsLost,
    SignatureTruncated,
}

/// Each fault with the case that must catch it, for both kinds of deliveries.
pub(super) const FAULTS: &[(Fault, &str)] = &[
    (Fault::ClaimSeesPurgedItem, "purge: delivery is gone"),
    (Fault::ClaimOfAnyNumber, "claim: any other attempt number"),
    (
        Fault::ClaimIgnoresLease,
        "claim: another dispatcher can take over",
    ),
    (
        Fault::ClaimIgnoresDueTime,
        "claim: stale until the due time",
    ),
    (
        Fault::ClaimNeverExpires,
        "claim: another dispatcher can take over",
    ),
    (Fault::ClaimOneMilliEarly, "claim: stale until the due time"),
    (Fault::ClaimMovesDueEntry, "claim: due index is unchanged"),
    (Fault::ClaimIsNotAtomic, "race: one of 64 claims"),
    (
        Fault::ClaimIsForgotten,
        "claim: attempt that the pointer names",
    ),
    (Fault::SettlesAnyNumber, "settle: only the claimed attempt"),
    (Fault::SettlesTwice, "settle: attempt can be settled once"),
    (Fault::KeepsAllAttempts, "settle: only the latest attempts"),
    (Fault::DropsSignature, "settle: signature is kept"),
    (Fault::SettleIsNotAtomic, "race: one of 64 settlements"),
    (Fault::SettleIsForgotten, "settle: success ends"),
    (Fault::SettleIsForgotten, "settle: final failure ends"),
    (Fault::SettleForgetsPurge, "settle: distant retry"),
    (Fault::RetryBecomesFailure, "settle: retry is scheduled"),
    (
        Fault::DueUnsorted,
        "due: deliveries are listed longest due first",
    ),
    (
        Fault::DueUnlimited,
        "due: deliveries are listed longest due first",
    ),
    (Fault::DueOneMilliEarly, "due: delivery is listed from"),
    (Fault::DueOneMilliLate, "due: delivery is listed from"),
    (Fault::DueIsEmpty, "due: delivery is listed from"),
    (Fault::DueLanesStopsAfterOne, "due: lanes are separate"),
    (
        Fault::DueIgnoresStart,
        "due: deliveries are listed longest due first",
    ),
    (Fault::DueOfAnyLane, "due: lanes are separate"),
    (Fault::DueKeepsEnded, "due: ended delivery is removed"),
    (Fault::DueIsNotMoved, "due: retry moves the entry"),
    (
        Fault::PostponeIgnoresSeenTime,
        "postpone: refused if the entry has changed",
    ),
    (Fault::PostponeIsNotAtomic, "race: one of 64 sweeps"),
    (Fault::PostponeDropsClaim, "postpone: attempt under way"),
];

/// Faults with a case that exists for one kind only, with the beginning of the case's full name.
pub(super) const FAULTS_OF_ONE_KIND: &[(Fault, &str)] = &[
    (
        Fault::DueOfAnyKind,
        "due: confirmations and logins of one app",
    ),
    (
        Fault::FailureDropsSignature,
        "confirmation settle: final failure",
    ),
    (Fault::DropsSignature, "redeliver: signature is kept"),
    (
        Fault::FailureDropsSignature,
        "random: store answers like the model, seed 1",
    ),
    (
        Fault::FailureReasonsLost,
        "round trip: every result of an attempt",
    ),
    (Fault::SignatureTruncated, "round trip: arbitrary bytes"),
];
