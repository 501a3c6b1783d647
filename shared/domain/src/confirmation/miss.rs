//! Texts that contained a confirmation's code but could not complete it.

use serde::{Deserialize, Serialize};

use crate::primitives::time::Timestamp;

/// The first text with a confirmation's code that could not complete it. It contains neither the
/// sender nor the recipient of the text.
///
/// A confirmation records at most one, so a stranger who knows the code causes at most one write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastMiss {
    reason: MissReason,
    at: Timestamp,
}

impl LastMiss {
    /// Creates a miss at the time when the text was processed.
    #[must_use]
    pub const fn new(reason: MissReason, at: Timestamp) -> Self {
        Self { reason, at }
    }

    /// Returns the reason why the text could not complete the confirmation.
    #[must_use]
    pub const fn reason(self) -> MissReason {
        self.reason
    }

    /// Returns the time when the text was processed.
    #[must_use]
    pub const fn at(self) -> Timestamp {
        self.at
    }
}

/// The reason why a text with a confirmation's code could not complete it.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum MissReason {
    /// The confirmation expects a different number, or the sender is a name, a short code or digits
    /// that are not a number of any country.
    WrongSender,
    /// The confirmation had expired. This reason takes precedence over all others.
    Late,
    /// The text was sent to a number that no app uses, or on WhatsApp to a number other than the
    /// confirmation's own.
    WrongRecipient,
    /// The sender is a number of a type that the app refuses.
    NumberTypeRefused,
    /// The text came without the sender's number: hidden, or with an id in its place.
    NumberHidden,
}

/// The part of a text that makes it unusable for any confirmation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnusableText {
    /// The sender is a name, a short code or digits that are not a number of any country.
    Sender,
    /// The text does not include the sender's number.
    NumberHidden,
    /// The recipient is not one of our numbers for the text's channel.
    Recipient,
}

impl UnusableText {
    /// Returns the reason to record if the confirmation has not expired.
    #[must_use]
    pub const fn reason(self) -> MissReason {
        match self {
            Self::Sender => MissReason::WrongSender,
            Self::NumberHidden => MissReason::NumberHidden,
            Self::Recipient => MissReason::WrongRecipient,
        }
    }
}
