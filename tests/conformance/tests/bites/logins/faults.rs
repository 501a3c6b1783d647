//! The faults of login stores and login histories, each with the case that must catch it.

/// A fault of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    Nothing,
    CreateOverwrites,
    CreateIsNotAtomic,
    CreateSeesPurgedItem,
    FindSeesPurgedItem,
    CityLost,
    MillisecondsLost,
    EncryptionRequirementLost,
    InitiateOfAnyApp,
    InitiateIsNotAtomic,
    InitiateOneMilliLate,
    SecondPhoneTakesOver,
    SecondPhoneDoesNotBlock,
    RepeatCountsAsSecondPhone,
    StrangersLearnOfExpiry,
    ConfirmedCanBeBlocked,
    FlagsLost,
    UserLost,
    ScanDropsWatchers,
    ConfirmByAnyPhone,
    ConfirmIsNotAtomic,
    ConfirmIgnoresExpiry,
    ConfirmOneMilliLate,
    ConfirmIgnoresRisk,
    ConfirmAfterDeny,
    ConfirmTakesAnyPayload,
    ConfirmSeesPurgedItem,
    RepeatIsRefused,
    ForbiddenIsNotBlocked,
    DenyIsNotAtomic,
    DenyAfterConfirm,
    RedeemByAnyBrowser,
    RedeemIsNotAtomic,
    RedeemOneMilliLate,
    RedeemLeavesPayload,
    CancelIgnoresExpiry,
    CancelIsNotAtomic,
    AttachIsNotAtomic,
    WatchersUnbounded,
    DetachRemovesAll,
    NoticeForgotten,
    RedeemRemovesNotice,
    NoticePurgedEarly,
    NewBrowsersAreUnknown,
    PlacesForgotten,
    DenialsCountForOtherApp,
    DenialsOneMilliTooLong,
    PersonsMixedUp,
    NewNamesAlwaysRemembered,
}

/// Each fault with the case that must catch it.
pub(super) const FAULTS: &[(Fault, &str)] = &[
    (Fault::CreateOverwrites, "login create: second login"),
    (Fault::CreateIsNotAtomic, "login race: one of 64 creations"),
    (
        Fault::CreateSeesPurgedItem,
        "login purge: login is found until",
    ),
    (
        Fault::FindSeesPurgedItem,
        "login purge: login is found until",
    ),
    (Fault::CityLost, "login round trip: sightings"),
    (Fault::MillisecondsLost, "login round trip: times"),
    (
        Fault::EncryptionRequirementLost,
        "login round trip: sightings",
    ),
    (
        Fault::InitiateOfAnyApp,
        "login initiate: other apps' logins",
    ),
    (Fault::InitiateIsNotAtomic, "login race: one of 64 phones"),
    (
        Fault::InitiateIsNotAtomic,
        "login race: same phone 64 times",
    ),
    (
        Fault::InitiateOneMilliLate,
        "login initiate: login can be opened until",
    ),
    (Fault::SecondPhoneTakesOver, "login initiate: second phone"),
    (
        Fault::SecondPhoneDoesNotBlock,
        "login initiate: second phone",
    ),
    (
        Fault::RepeatCountsAsSecondPhone,
        "login initiate: same token",
    ),
    (
        Fault::StrangersLearnOfExpiry,
        "login initiate: login can be opened until",
    ),
    (Fault::StrangersLearnOfExpiry, "login initiate: same token"),
    (
        Fault::ConfirmedCanBeBlocked,
        "login initiate: decided login",
    ),
    (Fault::FlagsLost, "login round trip: sightings"),
    (Fault::UserLost, "login round trip: sightings"),
    (Fault::ScanDropsWatchers, "login watchers: transitions keep"),
    (Fault::ConfirmByAnyPhone, "login confirm: only the phone"),
    (
        Fault::ConfirmIsNotAtomic,
        "login race: one of 64 confirmations",
    ),
    (
        Fault::ConfirmIgnoresExpiry,
        "login confirm: phone can confirm until",
    ),
    (
        Fault::ConfirmOneMilliLate,
        "login confirm: phone can confirm until",
    ),
    (Fault::ConfirmIgnoresRisk, "login confirm: login is blocked"),
    (Fault::ConfirmAfterDeny, "login confirm: same payload"),
    (
        Fault::ConfirmTakesAnyPayload,
        "login confirm: payload must suit",
    ),
    (Fault::ConfirmSeesPurgedItem, "login purge: no method"),
    (Fault::RepeatIsRefused, "login confirm: same payload"),
    (
        Fault::ForbiddenIsNotBlocked,
        "login confirm: login is blocked",
    ),
    (Fault::DenyIsNotAtomic, "login race: either a confirmation"),
    (
        Fault::DenyAfterConfirm,
        "login deny: denial can be repeated",
    ),
    (Fault::RedeemByAnyBrowser, "login browser: other browsers"),
    (
        Fault::RedeemIsNotAtomic,
        "login race: one of 64 redemptions",
    ),
    (
        Fault::RedeemOneMilliLate,
        "login redeem: payload can be redeemed until",
    ),
    (
        Fault::RedeemLeavesPayload,
        "login redeem: payload is returned once",
    ),
    (Fault::CancelIgnoresExpiry, "login cancel: live login"),
    (Fault::CancelIsNotAtomic, "login race: either a redemption"),
    (Fault::AttachIsNotAtomic, "login race: every watcher"),
    (Fault::WatchersUnbounded, "login watchers: only the latest"),
    (
        Fault::DetachRemovesAll,
        "login watchers: each can be detached",
    ),
    (Fault::NoticeForgotten, "notice: owed from"),
    (Fault::RedeemRemovesNotice, "notice: body is kept"),
    (Fault::NoticePurgedEarly, "notice: owed from"),
    (
        Fault::UserLost,
        "login random: store answers like the model, seed 1",
    ),
];

/// Each fault of a history with the case that must catch it.
pub(super) const HISTORY_FAULTS: &[(Fault, &str)] = &[
    (Fault::NewBrowsersAreUnknown, "history: starts empty"),
    (
        Fault::NewBrowsersAreUnknown,
        "history: persons have separate",
    ),
    (Fault::PlacesForgotten, "history: browsers and the last"),
    (Fault::DenialsCountForOtherApp, "history: denials count"),
    (Fault::DenialsOneMilliTooLong, "history: denials count"),
    (Fault::PersonsMixedUp, "history: persons have separate"),
    (
        Fault::NewNamesAlwaysRemembered,
        "history: new name can be left out",
    ),
];
