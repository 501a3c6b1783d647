//! The faults, and the cases that must catch each.

/// A mistake of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    Nothing,
    ClaimSeesThePurged,
    ClaimOfAnyNumber,
    ClaimIgnoresTheLease,
    ClaimIgnoresTheTime,
    ClaimNeverExpires,
    ClaimAMilliEarly,
    ClaimMovesTheIndex,
    ClaimIsNotAtomic,
    ClaimIsForgotten,
    SettlesAnyNumber,
    SettlesTwice,
    KeepsAllAttempts,
    DropsTheSignature,
    SettleIsNotAtomic,
    SettleIsForgotten,
    SettleForgetsPurge,
    RetryForgotten,
    FailureDropsTheSignature,
    DueUnsorted,
    DueUnlimited,
    DueAMilliEarly,
    DueAMilliLate,
    DueForgets,
    DueLanesForgets,
    DueBeginsAnew,
    DueOfAnyLane,
    DueOfAnyKind,
    DueKeepsWhatEnded,
    DueIsNotMoved,
    PostponesUnseen,
    PostponeIsNotAtomic,
    PostponeDropsTheClaim,
    ReasonsLost,
    SignatureCut,
}

/// Each fault with the case that must catch it for either kind.
pub(super) const FAULTS: &[(Fault, &str)] = &[
    (Fault::ClaimSeesThePurged, "purge: no attempt"),
    (Fault::ClaimOfAnyNumber, "claim: no other number"),
    (Fault::ClaimIgnoresTheLease, "claim: another may take over"),
    (Fault::ClaimIgnoresTheTime, "claim: not before its time"),
    (Fault::ClaimNeverExpires, "claim: another may take over"),
    (Fault::ClaimAMilliEarly, "claim: not before its time"),
    (Fault::ClaimMovesTheIndex, "claim: the due index stays"),
    (Fault::ClaimIsNotAtomic, "race: of 64 claims"),
    (
        Fault::ClaimIsForgotten,
        "claim: the attempt that the pointer names",
    ),
    (
        Fault::SettlesAnyNumber,
        "settle: the attempt that was claimed",
    ),
    (Fault::SettlesTwice, "settle: once"),
    (Fault::KeepsAllAttempts, "settle: the latest attempts"),
    (Fault::DropsTheSignature, "settle: the signature is kept"),
    (Fault::SettleIsNotAtomic, "race: of 64 settlements"),
    (Fault::SettleIsForgotten, "settle: delivered"),
    (Fault::SettleIsForgotten, "settle: failed"),
    (Fault::SettleForgetsPurge, "settle: a retry that is far off"),
    (Fault::RetryForgotten, "settle: another attempt follows"),
    (Fault::DueUnsorted, "due: the longest due first"),
    (Fault::DueUnlimited, "due: the longest due first"),
    (Fault::DueAMilliEarly, "due: what is owed, from"),
    (Fault::DueAMilliLate, "due: what is owed, from"),
    (Fault::DueForgets, "due: what is owed, from"),
    (Fault::DueLanesForgets, "due: each lane by itself"),
    (Fault::DueBeginsAnew, "due: the longest due first"),
    (Fault::DueOfAnyLane, "due: each lane by itself"),
    (Fault::DueKeepsWhatEnded, "due: what has ended"),
    (Fault::DueIsNotMoved, "due: a retry moves it"),
    (Fault::PostponesUnseen, "postpone: not from another instant"),
    (Fault::PostponeIsNotAtomic, "race: of 64 sweeps"),
    (
        Fault::PostponeDropsTheClaim,
        "postpone: an attempt under way",
    ),
];

/// Faults with a case that is there for one kind alone, by its whole beginning.
pub(super) const FAULTS_OF_ONE_KIND: &[(Fault, &str)] = &[
    (Fault::DueOfAnyKind, "due: an app's confirmations"),
    (
        Fault::FailureDropsTheSignature,
        "confirmation settle: failed",
    ),
    (Fault::DropsTheSignature, "redeliver: the signature is kept"),
    (
        Fault::FailureDropsTheSignature,
        "random: as the model does, seed 1",
    ),
    (
        Fault::ReasonsLost,
        "round trip: every way that an attempt ends",
    ),
    (Fault::SignatureCut, "round trip: bytes of every value"),
];
