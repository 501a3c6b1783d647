//! A text that arrived, as every provider's adapter hands it on.

use std::fmt;

use crate::primitives::phone::PhoneNumber;

/// The longest carrier name that is kept, in characters.
const MAX_CARRIER: usize = 64;

/// A text that arrived through a provider whose call was authenticated. Nothing else about it has
/// been judged.
///
/// `Debug` shows no text and no number.
#[derive(Clone, PartialEq, Eq)]
pub struct InboundMessage {
    /// Which provider brought it: the name in the route (`generic`, `twilio`).
    pub provider: &'static str,
    /// The provider's id for the message, the same when it is delivered again.
    pub message_id: String,
    /// The sender, as the provider wrote it.
    pub from: String,
    /// Which of our numbers it came to, as the provider wrote it.
    pub to: String,
    /// What it says.
    pub text: String,
    /// The sender's carrier, where the provider says.
    pub carrier: Option<String>,
}

impl InboundMessage {
    /// The carrier as it is kept: no control characters, at most 64 characters, empty where
    /// nobody said.
    #[must_use]
    pub fn carrier(&self) -> String {
        let carrier = self.carrier.as_deref().unwrap_or_default();
        carrier
            .chars()
            .filter(|c| !c.is_control())
            .take(MAX_CARRIER)
            .collect::<String>()
            .trim()
            .to_owned()
    }
}

impl InboundMessage {
    /// The sender as logs may show it, where it is a phone number in E.164.
    #[must_use]
    pub fn masked_sender(&self) -> Option<String> {
        let sender = PhoneNumber::parse_e164(&self.from).ok()?;
        Some(sender.masked())
    }
}

impl fmt::Debug for InboundMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InboundMessage")
            .field("provider", &self.provider)
            .finish_non_exhaustive()
    }
}
