//! Revealing a number. The record is written before the number is read.

use countersign_domain::primitives::ids::{AppId, ConfirmationId};
use serde::{Deserialize, Serialize};
use serde_with::{DeserializeFromStr, DisplayFromStr, SerializeDisplay, serde_as};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

use crate::admin::request::{Answer, Request};
use crate::admin::started_refusal::StartedRefusal;
use crate::admin::{Admin, AdminError};
use crate::terminal::is_obeyed;

/// Maximum length of a reason, in characters.
const MAX_REASON: usize = 200;

/// Shows the whole number of a confirmation.
#[serde_as]
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RevealNumber {
    #[serde_as(as = "DisplayFromStr")]
    pub(crate) id: ConfirmationId,
    /// The reason, for the record.
    pub(crate) reason: Reason,
}

/// A reason in a few words.
#[derive(Clone, Debug, PartialEq, Eq, SerializeDisplay, DeserializeFromStr)]
pub(crate) struct Reason(String);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a reason is 1 to {MAX_REASON} visible characters")]
pub(crate) struct MalformedReason;

impl FromStr for Reason {
    type Err = MalformedReason;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        let fits = (1..=MAX_REASON).contains(&text.chars().count());
        if fits && !text.chars().any(is_obeyed) {
            Ok(Self(text.to_owned()))
        } else {
            Err(MalformedReason)
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A number in E.164. `Debug` hides it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RevealedNumber {
    phone_number: String,
}

impl fmt::Debug for RevealedNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RevealedNumber(…)")
    }
}

impl Answer for RevealedNumber {
    fn text(&self) -> String {
        self.phone_number.clone()
    }
}

impl Request for RevealNumber {
    const NAME: &'static str = "reveal_number";
    /// It changes nothing but is recorded, and no reader may send it.
    const CHANGES: bool = true;
    type Answer = RevealedNumber;

    async fn app(&self, admin: &Admin) -> Option<AppId> {
        admin.app_of_confirmation(self.id).await
    }

    async fn execute(self, admin: &Admin) -> Result<RevealedNumber, AdminError> {
        let item = admin.find_confirmation(self.id).await?;
        let number = item.number().ok_or(StartedRefusal::NoNumber)?;
        Ok(RevealedNumber {
            phone_number: number.as_str().to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reason_is_short_and_visible() {
        let longest = "ä".repeat(MAX_REASON);
        for (text, fits) in [
            ("The customer asked for help", true),
            (&longest, true),
            ("", false),
            ("  ", false),
            (&format!("{longest}x"), false),
            ("a\nb", false),
            ("a\u{202e}b", false),
        ] {
            assert_eq!(text.parse::<Reason>().is_ok(), fits, "{text:?}");
        }
    }
}
