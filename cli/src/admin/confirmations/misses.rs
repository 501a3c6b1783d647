//! The words for a text that did not complete its confirmation.

use countersign_domain::confirmation::miss::{LastMiss, MissReason};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::schema::{Ours, Time};

/// A text that did not complete its confirmation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Miss {
    /// A stable name.
    #[schemars(with = "Ours")]
    code: String,
    #[schemars(with = "Time")]
    at: String,
    #[schemars(with = "Ours")]
    pub(super) sentence: String,
    /// The advice for the person.
    #[schemars(with = "Ours")]
    advice: String,
}

impl Miss {
    pub(super) fn of(miss: LastMiss) -> Self {
        let reason = miss.reason();
        let (sentence, advice) = words(reason);
        Self {
            code: reason.into_str().to_owned(),
            at: miss.at().to_string(),
            sentence: sentence.to_owned(),
            advice: advice.to_owned(),
        }
    }
}

/// Returns a sentence about what happened, and one about what to tell the person.
pub(super) const fn words(reason: MissReason) -> (&'static str, &'static str) {
    match reason {
        MissReason::WrongSender => (
            "The text came from another number than the one to confirm.",
            "Ask the person to send it from the number that they entered. A phone with two SIMs may have used the other one.",
        ),
        MissReason::Late => (
            "The text came after the confirmation had expired.",
            "Ask the person to start again, and to send the text immediately.",
        ),
        MissReason::WrongRecipient => (
            "The text went to another number than the one that was shown.",
            "Ask the person to send it to the number on the page, without changing it.",
        ),
        MissReason::NumberTypeRefused => (
            "The sender's number is of a type that the app refuses.",
            "Ask the person to use a mobile number, or let the app accept this type.",
        ),
        MissReason::NumberHidden => (
            "The text came without the sender's number.",
            "Ask the person to send a text message (SMS) and to show their number, which a messenger or a setting may hide.",
        ),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use strum::VariantArray as _;

    use super::*;

    #[test]
    fn each_reason_has_words_that_no_other_has() {
        let all = MissReason::VARIANTS.iter().map(|reason| words(*reason));
        let (sentences, advice): (BTreeSet<_>, BTreeSet<_>) = all.unzip();
        assert_eq!(sentences.len(), MissReason::VARIANTS.len());
        assert_eq!(advice.len(), MissReason::VARIANTS.len());
    }
}
