//! Inbound texts, as every provider's adapter passes them on.

pub mod received;

use std::fmt;

use super::carrier::CarrierName;
use crate::primitives::phone::PhoneNumber;

/// The network that carried a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Channel {
    /// A mobile network: the sender is a subscriber's number.
    #[default]
    Sms,
    /// A mobile network, received by a modem of the operator's own. The sender is a subscriber's number, as
    /// with [`Sms`](Self::Sms).
    Modem,
    /// WhatsApp: the sender is the number of an account, which proves the account and not a SIM.
    WhatsApp,
}

/// An inbound text from a provider whose call was authenticated. Nothing else about it has been
/// checked.
///
/// `Debug` shows neither the text nor the numbers.
#[derive(Clone, PartialEq, Eq)]
pub struct InboundMessage {
    /// Name of the provider, as in the route (`generic`, `twilio`).
    pub provider: &'static str,
    /// The network that carried the text.
    pub channel: Channel,
    /// The provider's id for the message, the same for repeated deliveries.
    pub message_id: String,
    /// Sender, as the provider wrote it.
    pub from: String,
    /// Recipient among our numbers, as the provider wrote it.
    pub to: String,
    /// Content of the text.
    pub text: String,
    /// Name of the sender's carrier, if the provider reports it.
    pub carrier: Option<String>,
}

impl InboundMessage {
    /// Returns the carrier's name as it is stored; empty if the provider reports none.
    #[must_use]
    pub fn carrier(&self) -> CarrierName {
        CarrierName::of(self.carrier.as_deref().unwrap_or_default())
    }
}

impl InboundMessage {
    /// Returns the sender in the form that logs may contain, or `None` if it is not a phone number.
    #[must_use]
    pub fn masked_sender(&self) -> Option<String> {
        let sender = PhoneNumber::parse_sender(&self.from).ok()?;
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
