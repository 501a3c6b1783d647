//! AWS End User Messaging: a two-way number publishes each text to an SNS topic.
//!
//! The message is JSON with `originationNumber`, `destinationNumber`, `messageBody` and
//! `inboundMessageId`, and other members that the service does not need ("Two-way SMS messaging",
//! AWS End User Messaging SMS User Guide). Messages are not signed: the subscriber must make sure
//! that the message came through the topic, and that only AWS may publish there.
//!
//! SNS delivers at least once and in any order; the message's id identifies repeats.

use countersign_domain::confirmation::text::{Channel, InboundMessage};

use crate::error::MalformedText;
use crate::json::{Json, optional_text, required_text};

/// The provider's name in a message's fingerprint, however the topic reaches us. It has no route.
pub const NAME: &str = "end-user-messaging";

/// Parses a message of the topic. `None` if it brings no text, such as a receipt.
///
/// # Errors
///
/// Fails if the message is not a JSON object, or a text lacks its id or its recipient.
pub fn parse(message: &str) -> Result<Option<InboundMessage>, MalformedText> {
    let json = Json::of(message.as_bytes());
    let members = json.members()?;
    let Some(text) = optional_text(&members, "messageBody")? else {
        return Ok(None);
    };
    Ok(Some(InboundMessage {
        provider: NAME,
        channel: Channel::Sms,
        message_id: required_text(&members, "inboundMessageId")?,
        from: optional_text(&members, "originationNumber")?.unwrap_or_default(),
        to: required_text(&members, "destinationNumber")?,
        text,
        carrier: None,
    }))
}
