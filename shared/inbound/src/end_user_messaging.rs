//! AWS End User Messaging: a two-way number publishes each text to an SNS topic.
//!
//! The message is JSON with `originationNumber`, `destinationNumber`, `messageBody` and
//! `inboundMessageId`; there are others, which say nothing that we need ("Two-way SMS messaging",
//! AWS End User Messaging SMS User Guide). Nothing in it is signed: who subscribes to the topic must
//! see to it that the message came by the topic, and that only the service may publish there.
//!
//! SNS delivers at least once and in no order; the message's id tells repeats.

use countersign_domain::confirmation::text::InboundMessage;
use countersign_domain::primitives::canonical_json::Members;

use crate::error::MalformedText;
use crate::members::required_text;

/// The provider's name, as far as a message's fingerprint goes. It has no route.
pub const NAME: &str = "end-user-messaging";

/// Reads the text that a message of the topic brings.
pub fn parse(message: &str) -> Result<InboundMessage, MalformedText> {
    let members = Members::parse(message.as_bytes()).map_err(MalformedText::Json)?;
    Ok(InboundMessage {
        provider: NAME,
        message_id: required_text(&members, "inboundMessageId")?,
        from: required_text(&members, "originationNumber")?,
        to: required_text(&members, "destinationNumber")?,
        text: required_text(&members, "messageBody")?,
        carrier: None,
    })
}
