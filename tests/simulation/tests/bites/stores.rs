//! The faults of stores: which promises each breaks, and within how many seeds.

use countersign_simulation::oracle::Promise::{self, *};

/// A fault of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    Nothing,
    /// An idempotent start overwrites the existing item.
    CreateOverwrites,
    VerifyForgetsExpiry,
    VerifyForgetsSingleUse,
    VerifyForgetsTheSender,
    VerifyForgetsTheRecipient,
    VerifyRevivesTheCancelled,
    /// The provider gets its answer, but nothing is written.
    VerifyIsNotWritten,
    /// Other tasks run between the read and the write.
    VerifyIsNotAtomic,
    MissReplacesTheFirst,
    CarrierReplacesTheFirst,
    /// A verified confirmation is not in the index before its first attempt.
    VerifySetsNoDue,
    CancelForgetsThatItEnded,
    RedactForgetsWhatIsOwed,
    RedeliverForgetsTheRound,
    ClaimForgetsTheNumber,
    ClaimForgetsTheLease,
    ClaimForgetsTheTime,
    /// A dispatcher that does not claim.
    ClaimIsNotWritten,
    SettleForgetsTheNumber,
    SettleGivesUp,
    SettleGivesUpOnLogins,
    /// A dispatcher that does not settle.
    SettleIsNotWritten,
    SettleIsNotWrittenForLogins,
    /// A sweep that never runs.
    DueFindsNothing,
    DueFindsNoLogins,
    PostponeForgetsThatItEnded,
    /// The sweep removes the deliveries that it finds from the index.
    PostponeForever,
}

/// Each fault, the promises that it may break first, and the number of seeds within which it must.
pub(super) const FAULTS: &[(Fault, &[Promise], u64)] = &[
    (
        Fault::CreateOverwrites,
        &[HistoryKept, SameAnswerAgain, VerifiedOnce, CancelKept],
        50,
    ),
    (Fault::VerifyForgetsExpiry, &[NotAfterItsEnd], 100),
    (Fault::VerifyForgetsSingleUse, &[VerifiedOnce], 50),
    (Fault::VerifyForgetsTheSender, &[RightSender], 50),
    (Fault::VerifyForgetsTheRecipient, &[RightRecipient], 50),
    (Fault::VerifyRevivesTheCancelled, &[CancelKept], 100),
    (Fault::VerifyIsNotWritten, &[TextKept], 50),
    (
        Fault::VerifyIsNotAtomic,
        &[VerifiedOnce, CancelKept, HistoryKept, OneMiss],
        100,
    ),
    (Fault::MissReplacesTheFirst, &[OneMiss], 200),
    (
        Fault::CarrierReplacesTheFirst,
        &[OneCarrier, OneIdOneBody],
        500,
    ),
    (Fault::VerifySetsNoDue, &[Found, Redelivered], 200),
    (
        Fault::CancelForgetsThatItEnded,
        &[VerifiedOnce, HistoryKept, CancelKept],
        100,
    ),
    (Fault::RedactForgetsWhatIsOwed, &[Redaction], 200),
    (
        Fault::RedeliverForgetsTheRound,
        &[HistoryKept, NotGivenUpEarly],
        100,
    ),
    (Fault::ClaimForgetsTheNumber, &[OneForAPointer], 200),
    (Fault::ClaimForgetsTheLease, &[OneAtATime], 500),
    (Fault::ClaimForgetsTheTime, &[NotBeforeItsTime], 2_000),
    (Fault::ClaimIsNotWritten, &[PostedIfClaimed], 50),
    (
        Fault::SettleForgetsTheNumber,
        &[HistoryKept, OneAtATime],
        1_000,
    ),
    (Fault::SettleGivesUp, &[NotGivenUpEarly, DecisionOwed], 50),
    (Fault::SettleIsNotWritten, &[NotAgain, Soon], 50),
    (Fault::SettleGivesUpOnLogins, &[DecisionOwed], 50),
    (
        Fault::SettleIsNotWrittenForLogins,
        &[NotAgain, Soon, OneAtATime],
        100,
    ),
    (Fault::DueFindsNoLogins, &[Found], 200),
    (Fault::DueFindsNothing, &[Found, Redelivered], 200),
    (Fault::PostponeForgetsThatItEnded, &[HistoryKept], 2_000),
    (Fault::PostponeForever, &[Found], 200),
];
