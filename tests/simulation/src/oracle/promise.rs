use std::fmt;

/// A property that must hold in every run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Promise {
    /// A confirmation or login that a caller was told about exists, as it was told.
    SessionKept,
    /// A repeated request gets the same answer as the first.
    SameAnswerAgain,
    /// An `Idempotency-Key` gives one confirmation within its window.
    OneConfirmationForAKey,
    /// A text that was taken in time verifies its confirmation.
    TextKept,
    /// A confirmation is verified once, by one text.
    VerifiedOnce,
    /// No text verifies a confirmation that has ended, and nothing is done with a login whose time is over.
    NotAfterItsEnd,
    /// Only a text from the expected number verifies a confirmation.
    RightSender,
    /// A text on WhatsApp verifies a confirmation only at the number in its link.
    RightRecipient,
    /// A confirmation records at most one miss, which stays and does not prolong its life.
    OneMiss,
    /// The carrier of a confirmation is decided at most once, and before an attempt was settled.
    OneCarrier,
    /// A cancelled confirmation or login stays cancelled.
    CancelKept,
    /// A settled delivery does not change.
    HistoryKept,
    /// An attempt has one claim at a time; another follows only after its lease has expired.
    OneAtATime,
    /// No attempt is made before it is due.
    NotBeforeItsTime,
    /// No webhook is posted without a claim.
    PostedIfClaimed,
    /// Every webhook of a confirmation has the same id and body, and goes to the caller's URL.
    OneIdOneBody,
    /// Each webhook is signed with a key that we publish.
    Signed,
    /// A webhook that its receiver accepted in calm weather is not posted again.
    NotAgain,
    /// A delivery is given up only after a whole round, or when a retry would be pointless.
    NotGivenUpEarly,
    /// A delivery that is recorded as delivered was accepted.
    RecordTrue,
    /// Personal data is not erased while a webhook needs it, and is erased completely when promised.
    Redaction,
    /// A pending delivery is in the due index, with a time that is early enough.
    Found,
    /// In calm weather no attempt is later than the sweep needs to find a lost pointer.
    Soon,
    /// Every pending delivery is settled eventually.
    Settled,
    /// Each verified confirmation reaches its receiver once the receiver is well.
    Delivered,
    /// A promised redelivery is attempted.
    Redelivered,
    /// A login that has ended stays as it ended, and its id is not used again.
    EndKept,
    /// Only the browser that created a login gets its payload, and only it and its phone see the login.
    CreatorOnly,
    /// A login has one phone, and a second one blocks it.
    OnePhone,
    /// A payload comes only from a login that its phone confirmed.
    OnlyConfirmed,
    /// A payload whose phone was told `confirmed` waits for its browser until its time is over.
    PayloadKept,
    /// A payload is redeemed by one receipt; a readable one is then gone.
    PayloadOnce,
    /// A denial is kept as its phone sent it, for the app's server.
    DenialKept,
    /// Each decision about a login of an app with a callback has one pending webhook until its delivery ends.
    DecisionOwed,
    /// A connection that watches a login is notified of each change.
    Watched,
    /// A status that a device was told was the login's.
    StatusTrue,
    /// An association key whose registration was acknowledged stays registered until its revocation is requested.
    KeyKept,
    /// An association key belongs to one user of the app for ever.
    OneOwner,
    /// An association key is registered only for whom its holder signed, if there is a signature, and there is
    /// one if the app requires proofs.
    PossessionShown,
    /// Once a server was told that a key is revoked, no proof by it is accepted any more.
    RevokedAtOnce,
    /// A revoked key never returns.
    RevokedForEver,
    /// A login of an app that requires proofs is confirmed only with a proof by a registered key.
    ProofRequired,
    /// A proof by a registered key is accepted only if it is that key's, about this login and payload, in time,
    /// and of the user whom the phone named.
    ProofTrue,
    /// A true proof by a registered key verifies the key's owner, and nothing else verifies a user.
    VerifiedUser,
    /// In calm weather every request is answered.
    Answered,
}

/// A promise that was broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    pub promise: Promise,
    /// Way in which it was broken.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is broken: {}", self.promise, self.what)
    }
}
