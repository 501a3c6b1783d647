use std::fmt;

/// A property that must hold in every run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Promise {
    /// A confirmation or login that was returned to a caller exists, unchanged.
    SessionKept,
    /// A repeated request gets the same answer as the first.
    SameAnswerAgain,
    /// An `Idempotency-Key` creates only one confirmation within its window.
    OneConfirmationForAKey,
    /// A text that was accepted in time verifies its confirmation.
    TextKept,
    /// A confirmation is verified once, by one text.
    VerifiedOnce,
    /// No text verifies a confirmation that has ended, and a login that has expired does not change.
    NotAfterItsEnd,
    /// Only a text from the expected number verifies a confirmation.
    RightSender,
    /// A text on WhatsApp verifies a confirmation only if it was sent to the number in the
    /// confirmation's link.
    RightRecipient,
    /// A confirmation records at most one miss, which stays and does not extend its lifetime.
    OneMiss,
    /// The carrier of a confirmation is decided at most once, before any attempt is settled.
    OneCarrier,
    /// A cancelled confirmation or login stays cancelled.
    CancelKept,
    /// A settled delivery does not change.
    HistoryKept,
    /// An attempt has one claim at a time; another claim is possible only after its lease has
    /// expired.
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
    /// A delivery is given up only after a whole round of attempts, or if a retry would be
    /// pointless.
    NotGivenUpEarly,
    /// A delivery that is recorded as delivered was accepted by its receiver.
    RecordTrue,
    /// Personal data is not erased while a webhook needs it, and is erased completely when promised.
    Redaction,
    /// A pending delivery is in the due index, with a time that is not too late.
    Found,
    /// In calm weather, no attempt is later than the time that the sweep needs to find a lost
    /// pointer.
    Soon,
    /// Every pending delivery is settled eventually.
    Settled,
    /// Each verified confirmation reaches its receiver once the receiver works.
    Delivered,
    /// A promised redelivery is attempted.
    Redelivered,
    /// A login that has ended stays unchanged, and its id is not used again.
    EndKept,
    /// Only the browser that created a login gets its payload, and only it and its phone see the login.
    CreatorOnly,
    /// A login has one phone; a second one blocks it.
    OnePhone,
    /// A payload comes only from a login that its phone confirmed.
    OnlyConfirmed,
    /// Once a phone got the answer `confirmed`, its payload is kept for the browser until the
    /// payload expires.
    PayloadKept,
    /// A payload is redeemed with one receipt; an unencrypted payload is then erased.
    PayloadOnce,
    /// A denial is kept as its phone sent it, for the app's server.
    DenialKept,
    /// Each decision about a login has one pending webhook until the delivery ends, if the app has a
    /// callback.
    DecisionOwed,
    /// A connection that watches a login is notified of each change.
    Watched,
    /// Every status that a device received was the login's status.
    StatusTrue,
    /// An association key whose registration was acknowledged stays registered until its revocation is requested.
    KeyKept,
    /// An association key belongs to one user of the app forever.
    OneOwner,
    /// An association key is registered only for the user that its holder signed, if there is a signature. If
    /// the app requires proofs, there is one.
    PossessionShown,
    /// Once a server got the answer that a key is revoked, no more proofs by the key are accepted.
    RevokedAtOnce,
    /// A revoked key never returns.
    RevokedForEver,
    /// A login of an app that requires proofs is confirmed only with a proof by a registered key.
    ProofRequired,
    /// A proof by a registered key is accepted only if that key signed it for this login and payload, it is
    /// valid at the time, and it is of the user whom the phone named.
    ProofTrue,
    /// A true proof by a registered key verifies the key's owner. Nothing else verifies a user.
    VerifiedUser,
    /// In calm weather every request is answered.
    Answered,
}

/// A broken promise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    pub promise: Promise,
    /// The way in which the promise was broken.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is broken: {}", self.promise, self.what)
    }
}
