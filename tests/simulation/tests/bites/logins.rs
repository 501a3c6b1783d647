//! The faults of stores of logins: which promises each breaks, and within how many seeds.

use countersign_simulation::oracle::Promise::{self, *};

/// A fault of a store of logins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    CreateOverwrites,
    CreateForgetsTheToken,
    /// A login that has ended is created again by its browser.
    CreateReopens,
    CreateIsNotRepeated,
    InitiateLetsASecondPhoneIn,
    /// A second phone is refused, and the first one goes on.
    InitiateBlocksNobody,
    InitiateForgetsExpiry,
    InitiateForgetsTheBody,
    ConfirmForgetsExpiry,
    ConfirmForgetsThePhone,
    ConfirmForgetsTheRisk,
    ConfirmForgetsTheKind,
    /// A login of an app that requires proofs does not require one.
    CreateForgetsTheProof,
    ConfirmForgetsTheProof,
    ConfirmForgetsWhoIsVerified,
    /// The user whom the phone names counts as verified.
    ConfirmVerifiesTheClaim,
    RedeemForgetsWhoIsVerified,
    /// The owner of the key is not compared with the user whom the phone names.
    FindForgetsTheClaim,
    ConfirmIsNotWritten,
    ConfirmIsNotOwed,
    /// A second confirmation replaces the payload.
    ConfirmTakesAnotherPayload,
    DenyIsNotWritten,
    DenyIsNotOwed,
    DenyForgetsThePayload,
    DenyForgetsTheReason,
    /// Any receipt gets a sealed payload again.
    RedeemForgetsTheReceipt,
    /// No receipt gets a sealed payload again.
    RedeemIsNotRepeated,
    RedeemForgetsTheBrowser,
    RedeemForgetsExpiry,
    RedeemIsNotWritten,
    RedeemKeepsAReadablePayload,
    /// The webhook that is owed goes away with the payload.
    RedeemForgetsWhatIsOwed,
    /// The webhook that is owed loses the payload.
    RedeemForgetsTheBody,
    CancelIsNotWritten,
    CancelForgetsThatItEnded,
    CancelForgetsTheBrowser,
    AttachDropsTheOthers,
    AttachIsNotWritten,
    DetachDropsTheOthers,
}

/// Each fault, the promises that it may break first, and the number of seeds within which it must.
pub(super) const FAULTS: &[(Fault, &[Promise], u64)] = &[
    (Fault::CreateOverwrites, &[EndKept, CreatorOnly], 50),
    (Fault::CreateForgetsTheToken, &[CreatorOnly], 100),
    (Fault::CreateReopens, &[EndKept], 100),
    (Fault::CreateIsNotRepeated, &[SameAnswerAgain], 50),
    (Fault::InitiateLetsASecondPhoneIn, &[OnePhone], 100),
    (Fault::InitiateBlocksNobody, &[SameAnswerAgain], 100),
    (Fault::InitiateForgetsExpiry, &[NotAfterItsEnd], 200),
    (Fault::InitiateForgetsTheBody, &[OnePhone], 100),
    (
        Fault::ConfirmForgetsExpiry,
        &[NotAfterItsEnd, ProofTrue],
        500,
    ),
    (Fault::ConfirmForgetsThePhone, &[OnePhone], 200),
    (
        Fault::ConfirmForgetsTheRisk,
        &[OnePhone, OnlyConfirmed],
        200,
    ),
    (
        Fault::ConfirmForgetsTheKind,
        &[OnlyConfirmed, SameAnswerAgain],
        200,
    ),
    (Fault::CreateForgetsTheProof, &[ProofRequired], 50),
    (Fault::ConfirmForgetsTheProof, &[ProofRequired], 200),
    (Fault::ConfirmForgetsWhoIsVerified, &[VerifiedUser], 100),
    (Fault::ConfirmVerifiesTheClaim, &[VerifiedUser], 100),
    (Fault::RedeemForgetsWhoIsVerified, &[VerifiedUser], 200),
    (Fault::FindForgetsTheClaim, &[ProofTrue], 1_000),
    (Fault::ConfirmIsNotWritten, &[PayloadKept], 50),
    (Fault::ConfirmIsNotOwed, &[DecisionOwed], 50),
    (Fault::ConfirmTakesAnotherPayload, &[PayloadOnce], 200),
    (Fault::DenyIsNotWritten, &[DenialKept], 100),
    (Fault::DenyIsNotOwed, &[DecisionOwed], 100),
    (Fault::DenyForgetsThePayload, &[DenialKept], 100),
    (Fault::DenyForgetsTheReason, &[DenialKept], 100),
    (Fault::RedeemForgetsTheReceipt, &[PayloadOnce], 100),
    (Fault::RedeemIsNotRepeated, &[PayloadKept], 100),
    (Fault::RedeemForgetsTheBrowser, &[CreatorOnly], 100),
    (Fault::RedeemForgetsExpiry, &[NotAfterItsEnd], 1_000),
    (Fault::RedeemIsNotWritten, &[PayloadOnce], 50),
    (Fault::RedeemKeepsAReadablePayload, &[PayloadOnce], 100),
    (Fault::RedeemForgetsWhatIsOwed, &[DecisionOwed], 100),
    (Fault::RedeemForgetsTheBody, &[OneIdOneBody], 200),
    (Fault::CancelIsNotWritten, &[CancelKept], 100),
    (
        Fault::CancelForgetsThatItEnded,
        &[EndKept, PayloadOnce, CancelKept, NotAfterItsEnd],
        100,
    ),
    (Fault::CancelForgetsTheBrowser, &[CreatorOnly], 100),
    (Fault::AttachDropsTheOthers, &[Watched], 100),
    (Fault::AttachIsNotWritten, &[Watched], 50),
    (Fault::DetachDropsTheOthers, &[Watched], 200),
];
