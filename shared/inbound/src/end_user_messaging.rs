//! AWS End User Messaging: a two-way number publishes each text to an SNS topic.
//!
//! The message is JSON with `originationNumber`, `destinationNumber`, `messageBody` and
//! `inboundMessageId`, and other members that the service does not need ("Two-way SMS messaging",
//! AWS End User Messaging SMS User Guide). Messages are not signed: the subscriber must ensure that
//! the message came through the topic, and that only AWS may publish there.
//!
//! SNS delivers at least once and in any order; the message's id identifies repeats.

use countersign_domain::confirmation::text::{Channel, InboundMessage};

use crate::error::MalformedText;
use crate::json::{Json, optional_text, required_text};
use crate::spec::{PROVIDERS_SECRET, ProviderSpec, SecretSpec, USUAL};

/// The provider's name in a message's fingerprint, however the topic is delivered to us. The
/// provider has no route.
pub const NAME: &str = "end-user-messaging";

/// The provider's facts.
pub(crate) const SPEC: ProviderSpec = ProviderSpec {
    name: NAME,
    title: "AWS End User Messaging, with a function",
    anchor: "aws-end-user-messaging-with-a-function",
    secrets: SecretSpec {
        label: "",
        lists: &[],
        ..PROVIDERS_SECRET
    },
    sole_signer: Some("AWS"),
    steps: STEPS,
    ..USUAL
};

const STEPS: &str = r"1. AWS End User Messaging > Phone numbers > your number > Two-way SMS > Edit settings.
2. Enable two-way message, Amazon SNS, Existing Amazon SNS topic: {TOPIC}
3. Two-way channel role: Use Amazon SNS topic policies.
4. Set the stack's parameter Sender to the number, and deploy.
Secret: none. The topic takes texts from AWS End User Messaging in your account only.";

/// Parses a message of the topic. Returns `None` if it contains no text, for example if it is a
/// receipt.
///
/// # Errors
///
/// Fails if the message is not a JSON object, or a text lacks its id or its recipient.
pub fn parse(message: &str) -> Result<Option<InboundMessage>, MalformedText> {
    let json = Json::from_bytes(message.as_bytes());
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
