//! Inbound texts, as every provider's adapter passes them on.

pub mod traces;

use std::fmt;

use super::carrier::CarrierName;
use super::miss::UnusableText;
use crate::primitives::phone::PhoneNumber;

/// The network that carried a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Channel {
    /// A mobile network: the sender is a subscriber's number.
    #[default]
    Sms,
    /// A mobile network, received by the operator's own modem. The sender is a subscriber's number, as with
    /// [`Sms`](Self::Sms).
    Modem,
    /// WhatsApp: the sender is the number of an account, which proves possession of the account but
    /// not of a SIM.
    WhatsApp,
    /// RCS, Messenger or another network, whose senders prove nothing for us. Texts from these
    /// networks are ignored.
    Other,
}

/// An inbound text from a provider whose call was authenticated. Nothing else about the text has
/// been checked.
///
/// `Debug` shows neither the text nor the numbers.
#[derive(Clone, PartialEq, Eq)]
pub struct InboundMessage {
    /// Name of the provider, as in the route (`generic`, `twilio`).
    pub provider: &'static str,
    /// The network that carried the text.
    pub channel: Channel,
    /// The provider's id for the message, which repeated deliveries share.
    pub message_id: String,
    /// Sender, as the provider wrote it; empty if the provider named none.
    pub from: String,
    /// Recipient (one of our numbers), as the provider wrote it.
    pub to: String,
    /// Content of the text.
    pub text: String,
    /// Name of the sender's carrier, if the provider reports it.
    pub carrier: Option<String>,
}

impl InboundMessage {
    /// Returns the carrier's name in its stored form; empty if the provider reported none.
    #[must_use]
    pub fn carrier(&self) -> CarrierName {
        CarrierName::from_text(self.carrier.as_deref().unwrap_or_default())
    }
}

impl InboundMessage {
    /// Returns the sender's number.
    ///
    /// # Errors
    ///
    /// Fails with the reason, as far as it can be determined, if the provider names no number.
    pub fn sender(&self) -> Result<PhoneNumber, UnusableText> {
        if self.channel == Channel::Other {
            return Err(UnusableText::NumberHidden);
        }
        PhoneNumber::parse_sender(&self.from).map_err(|_| {
            // Every WhatsApp user has a number, so anything else in its place is an id that hides it. An SMS can
            // also come from a name or a short code, neither of which hides a number.
            let hidden = self.channel == Channel::WhatsApp || is_withheld(&self.from);
            if hidden {
                UnusableText::NumberHidden
            } else {
                UnusableText::Sender
            }
        })
    }
}

impl fmt::Debug for InboundMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InboundMessage")
            .field("provider", &self.provider)
            .finish_non_exhaustive()
    }
}

/// Words that networks, modems and providers write in place of a withheld number.
const WITHHELD: [&str; 12] = [
    "anonymous",
    "blocked",
    "hidden",
    "no number",
    "null",
    "private",
    "private number",
    "restricted",
    "unavailable",
    "unknown",
    "unknown number",
    "withheld",
];

fn is_withheld(sender: &str) -> bool {
    let sender = sender.trim();
    sender.is_empty()
        || WITHHELD
            .iter()
            .any(|word| sender.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sender(channel: Channel, from: &str) -> Result<PhoneNumber, UnusableText> {
        let message = InboundMessage {
            provider: "generic",
            channel,
            message_id: String::new(),
            from: from.to_owned(),
            to: String::new(),
            text: String::new(),
            carrier: None,
        };
        message.sender()
    }

    #[test]
    fn sender_without_a_number_hides_it_or_never_had_one() {
        let hidden = UnusableText::NumberHidden;
        for from in [
            "",
            " ",
            "anonymous",
            "Anonymous",
            "UNKNOWN",
            "Private number",
        ] {
            for channel in [Channel::Sms, Channel::Modem, Channel::WhatsApp] {
                assert_eq!(sender(channel, from), Err(hidden), "{channel:?}: {from}");
            }
        }
        for from in [
            "ACME",
            "12345",
            "2025550100",
            "447700900123 in US",
            "US.13491208655302741918",
        ] {
            assert_eq!(
                sender(Channel::Sms, from),
                Err(UnusableText::Sender),
                "{from}"
            );
            assert_eq!(sender(Channel::WhatsApp, from), Err(hidden), "{from}");
        }
        for channel in [Channel::Sms, Channel::Modem, Channel::WhatsApp] {
            assert!(sender(channel, "+12025550100").is_ok());
        }
    }

    #[test]
    fn number_on_another_network_is_none() {
        for from in [
            "+12025550100",
            "12025550100",
            "",
            "ACME",
            "5417233561732451",
        ] {
            let hidden = Err(UnusableText::NumberHidden);
            assert_eq!(sender(Channel::Other, from), hidden, "{from}");
        }
    }
}
