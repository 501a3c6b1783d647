use std::fmt;

/// What is promised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Promise {
    /// A session that a caller was told of is there, as it was told.
    SessionKept,
    /// A repeated request is answered as the first time.
    SameAnswerAgain,
    /// An `Idempotency-Key` stands for one session within its window.
    OneSessionForAKey,
    /// A text that was taken in time completes its session.
    TextKept,
    /// A session is completed by one text, once and for all.
    VerifiedOnce,
    /// No text completes a session that has ended.
    NotAfterItsEnd,
    /// Only the expected number's text completes a confirmation.
    RightSender,
    /// A session that was cancelled stays so.
    CancelKept,
    /// What is settled once does not change.
    HistoryKept,
    /// An attempt is claimed by one, and by another only when its lease ran out.
    OneAtATime,
    /// A pointer leads to the attempt that it names, and to no other.
    OneForAPointer,
    /// No attempt before its time.
    NotBeforeItsTime,
    /// No webhook without a claim.
    PostedIfClaimed,
    /// One id and one body for each confirmation, to where the caller said.
    OneIdOneBody,
    /// Each webhook is signed with a key that we publish.
    Signed,
    /// Nothing is posted again that its receiver took, and said so in calm weather.
    NotAgain,
    /// A delivery is given up only after a whole round, or where trying again is pointless.
    NotGivenUpEarly,
    /// What is recorded as delivered was.
    RecordTrue,
    /// No personal data is erased while a webhook owes it, and all of it where that was promised.
    Redaction,
    /// A delivery that is owed is in the due index, soon enough.
    Found,
    /// In calm weather no attempt is late by more than the sweep takes to find what was lost.
    Soon,
    /// What is owed is settled sooner or later.
    Settled,
    /// Each verified confirmation reaches its receiver once that is well.
    Delivered,
    /// A promised redelivery is attempted.
    Redelivered,
}

/// A promise that was broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Which.
    pub promise: Promise,
    /// How.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is broken: {}", self.promise, self.what)
    }
}
