//! AWS End User Messaging: a two-way number publishes each text to an SNS topic.
//!
//! The message is JSON with `originationNumber`, `destinationNumber`, `messageBody` and
//! `inboundMessageId`, and other members that the service does not need ("Two-way SMS messaging",
//! AWS End User Messaging SMS User Guide). Messages are not signed: the subscriber must make sure
//! that the message came through the topic, and that only AWS may publish there.
//!
//! SNS delivers at least once and in any order; the message's id identifies repeats.

use countersign_domain::confirmation::text::{Channel, InboundMessage};
use countersign_domain::primitives::canonical_json::Members;

use crate::error::MalformedText;
use crate::json::required_text;

/// The provider's name in a message's fingerprint, however the topic reaches us. It has no route.
pub const NAME: &str = "end-user-messaging";

/// Parses a message of the topic.
///
/// # Errors
///
/// Fails if the message is not a JSON object with the required members.
pub fn parse(message: &str) -> Result<InboundMessage, MalformedText> {
    let members = Members::parse(message.as_bytes()).map_err(MalformedText::Json)?;
    Ok(InboundMessage {
        provider: NAME,
        channel: Channel::Sms,
        message_id: required_text(&members, "inboundMessageId")?,
        from: required_text(&members, "originationNumber")?,
        to: required_text(&members, "destinationNumber")?,
        text: required_text(&members, "messageBody")?,
        carrier: None,
    })
}
