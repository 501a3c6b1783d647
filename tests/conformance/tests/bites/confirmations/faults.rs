//! The faults of confirmation stores, each with the case that must catch it.

/// A fault of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    Nothing,
    Unavailable,
    Panics,
    CreateOverwrites,
    CreateIsNotAtomic,
    CreateSeesPurgedItem,
    FindSeesPurgedItem,
    FindSeesPurgedItemForOneMilli,
    FindLosesItemOneMilliEarly,
    ExpiryIgnored,
    ExpiryOneMilliLate,
    ExpiryOneMilliEarly,
    SenderIgnored,
    VerifyIsNotAtomic,
    TextReopensCancelled,
    RepeatIsRefused,
    RepeatAlwaysHasPointer,
    RetentionIgnored,
    MissIsNotWritten,
    MissIsNotAtomic,
    SecondMissReplacesFirst,
    MissKeepsItemLonger,
    LatenessIgnored,
    RedactedIsMissed,
    CancelOfAnyApp,
    CancelAfterExpiry,
    CancelIsNotAtomic,
    RedactsWhileOwed,
    RedactionLeavesCarrier,
    RedactionLeavesExpectedNumber,
    SecondRedactionChangesTime,
    RedeliversWhileInFlight,
    RedeliveryKeepsTheRound,
    RedeliveryIsNotAtomic,
    MillisecondsLost,
    CarrierLosesNonAscii,
    MessageLost,
}

/// Each fault with the case that must catch it.
pub(super) const FAULTS: &[(Fault, &str)] = &[
    (Fault::Unavailable, "create: new confirmation"),
    (Fault::Panics, "verify: acquisition accepts"),
    (Fault::CreateOverwrites, "create: second confirmation"),
    (Fault::CreateIsNotAtomic, "race: one of 64 creations"),
    (Fault::CreateSeesPurgedItem, "create: id is free again"),
    (
        Fault::FindSeesPurgedItem,
        "find: confirmation is found until",
    ),
    (
        Fault::FindSeesPurgedItemForOneMilli,
        "find: confirmation is found until",
    ),
    (
        Fault::FindLosesItemOneMilliEarly,
        "find: confirmation is found until",
    ),
    (Fault::ExpiryIgnored, "verify: text counts until expires_at"),
    (
        Fault::ExpiryOneMilliLate,
        "verify: text counts until expires_at",
    ),
    (
        Fault::ExpiryOneMilliEarly,
        "verify: text counts until expires_at",
    ),
    (Fault::SenderIgnored, "verify: confirmation accepts only"),
    (Fault::VerifyIsNotAtomic, "race: one of 64 texts"),
    (Fault::VerifyIsNotAtomic, "race: same text 64 times"),
    (
        Fault::TextReopensCancelled,
        "verify: cancelled confirmation",
    ),
    (
        Fault::RepeatIsRefused,
        "verify: repeated text returns the pointer",
    ),
    (
        Fault::RepeatAlwaysHasPointer,
        "verify: repeated text returns the pointer",
    ),
    (
        Fault::RepeatAlwaysHasPointer,
        "verify: repeated text returns no pointer",
    ),
    (
        Fault::RetentionIgnored,
        "verify: item is kept for the retention",
    ),
    (Fault::MissIsNotWritten, "miss: first text that came close"),
    (Fault::MissIsNotAtomic, "race: one of 64 misses"),
    (Fault::MissIsNotAtomic, "race: misses never undo"),
    (
        Fault::SecondMissReplacesFirst,
        "miss: later texts do not replace",
    ),
    (Fault::MissKeepsItemLonger, "miss: item is kept no longer"),
    (Fault::LatenessIgnored, "miss: text is late from expires_at"),
    (Fault::RedactedIsMissed, "miss: redacted confirmation"),
    (Fault::CancelOfAnyApp, "cancel: apps can cancel only"),
    (Fault::CancelAfterExpiry, "cancel: open confirmation"),
    (
        Fault::CancelIsNotAtomic,
        "race: either a text or a cancellation",
    ),
    (Fault::RedactsWhileOwed, "redact: refused while the webhook"),
    (Fault::RedactionLeavesCarrier, "redact: number, carrier"),
    (
        Fault::RedactionLeavesExpectedNumber,
        "redact: cancelled confirmation",
    ),
    (
        Fault::SecondRedactionChangesTime,
        "redact: second redaction",
    ),
    (
        Fault::RedeliversWhileInFlight,
        "redeliver: refused while an attempt",
    ),
    (Fault::RedeliveryKeepsTheRound, "redeliver: ended delivery"),
    (
        Fault::RedeliveryIsNotAtomic,
        "race: redeliveries never undo",
    ),
    (Fault::MillisecondsLost, "round trip: times"),
    (Fault::CarrierLosesNonAscii, "round trip: sender, carrier"),
    (Fault::MessageLost, "round trip: callbacks, recipients"),
];
