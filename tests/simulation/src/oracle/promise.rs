use std::fmt;

/// A property that must hold in every run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Promise {
    /// A confirmation that a caller was told about exists, as it was told.
    SessionKept,
    /// A repeated request gets the same answer as the first.
    SameAnswerAgain,
    /// An `Idempotency-Key` gives one confirmation within its window.
    OneConfirmationForAKey,
    /// A text that was taken in time verifies its confirmation.
    TextKept,
    /// A confirmation is verified once, by one text.
    VerifiedOnce,
    /// No text verifies a confirmation that has ended.
    NotAfterItsEnd,
    /// Only a text from the expected number verifies a confirmation.
    RightSender,
    /// A cancelled confirmation stays cancelled.
    CancelKept,
    /// What was settled does not change.
    HistoryKept,
    /// An attempt has one claim at a time; another follows only after its lease has expired.
    OneAtATime,
    /// A pointer leads only to the attempt that it names.
    OneForAPointer,
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
    /// An owed delivery is in the due index, with a time that is early enough.
    Found,
    /// In calm weather no attempt is later than the sweep needs to find a lost pointer.
    Soon,
    /// Every owed delivery is settled eventually.
    Settled,
    /// Each verified confirmation reaches its receiver once the receiver is well.
    Delivered,
    /// A promised redelivery is attempted.
    Redelivered,
}

/// A promise that was broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The promise.
    pub promise: Promise,
    /// How it was broken.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is broken: {}", self.promise, self.what)
    }
}
