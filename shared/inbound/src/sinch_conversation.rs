//! Sinch's Conversation API: JSON, signed as in its [SMS API](crate::sinch).
//!
//! An app of the Conversation API has channels, of which SMS and MMS deliver texts from numbers. The sender is
//! `channel_identity`, and the recipient is `sender_id`. On WhatsApp `sender_id` is not a number, so the
//! recipient of a WhatsApp text is unknown and the text is not accepted; neither are texts of other channels.
//!
//! The app's owner can inject messages that no phone sent. Such messages are marked, and are
//! ignored.

use std::sync::Arc;

use async_trait::async_trait;
use countersign_domain::confirmation::text::{Channel, InboundMessage};
use countersign_domain::primitives::time::Timestamp;
use serde::Deserialize;
use serde_json::json;

use crate::call::{AuthenticCall, Call, SignedCall};
use crate::error::{InboundError, MalformedText};
use crate::json::Json;
use crate::numbers::bare;
use crate::outcome::{Content, Ignored, Inbound, Outcome, ProviderResponse};
use crate::provider::InboundProvider;
use crate::secret::{Rotating, SharedSecret};
use crate::secret_list::SecretList;
use crate::sinch;
use crate::spec::{
    GeneratedSecret, PROVIDERS_SECRET, ProviderSpec, SecretSpec, USUAL, parse_settings,
};

/// The provider's name in the route.
pub const NAME: &str = "sinch-conversation";

/// The provider's facts.
pub(crate) const SPEC: ProviderSpec = ProviderSpec {
    name: NAME,
    title: "Sinch Conversation API",
    anchor: "sinch-conversation-api",
    secrets: SecretSpec {
        label: "webhook secret",
        generated: Some(GeneratedSecret::Hex(32)),
        ..PROVIDERS_SECRET
    },
    steps: STEPS,
    create: Some(|settings, _| {
        let Settings { secrets } = parse_settings(settings)?;
        Ok(Arc::new(SinchConversation::new(
            secrets.parse::<SharedSecret>()?,
        )))
    }),
    ..USUAL
};

const STEPS: &str = r"1. Sinch Build Dashboard > Conversation API > Apps > your app: the channel SMS, with your number's service plan.
2. The app > Webhooks > Add webhook: the URL, target type HTTP, trigger MESSAGE_INBOUND.
3. Secret: the one of your settings. A webhook without a secret is not signed, and its calls get 429.
4. Send a text before you give out the number. Calls that get 429 come again.
Secret: the webhook's, not the access key or an app's credentials.
Signed: body, nonce and time. Maximum age: five minutes. Not signed: the URL.";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    secrets: SecretList,
}

/// Sinch's Conversation API, with the secrets of an app's webhook.
#[derive(Clone, Debug)]
pub struct SinchConversation {
    secrets: Rotating<SharedSecret>,
}

#[derive(Deserialize)]
struct Event {
    /// A message. Events of other triggers have other members.
    message: Option<Message>,
}

#[derive(Deserialize)]
struct Message {
    id: String,
    direction: Option<String>,
    #[serde(rename = "contact_message")]
    content: Option<ContactMessage>,
    channel_identity: Option<ChannelIdentity>,
    sender_id: Option<String>,
    injected: Option<bool>,
}

/// Text written by a user.
#[derive(Deserialize)]
struct ContactMessage {
    text_message: Option<TextMessage>,
    media_card_message: Option<MediaCard>,
}

#[derive(Deserialize)]
struct TextMessage {
    text: Option<String>,
}

/// A picture or another file with text.
#[derive(Deserialize)]
struct MediaCard {
    caption: Option<String>,
}

#[derive(Deserialize)]
struct ChannelIdentity {
    channel: String,
    identity: Option<String>,
}

impl SinchConversation {
    /// Creates the provider.
    #[must_use]
    pub fn new(secrets: impl Into<Rotating<SharedSecret>>) -> Self {
        Self {
            secrets: secrets.into(),
        }
    }
}

fn event(message: Message) -> Inbound {
    let from_person = message.direction.is_none_or(|way| way == "TO_APP");
    let text = message.content.and_then(|content| {
        let text = content.text_message.and_then(|message| message.text);
        text.or_else(|| content.media_card_message?.caption)
    });
    let Some(text) = text.filter(|_| from_person && message.injected != Some(true)) else {
        return Inbound::Ignored(Ignored::NotAText);
    };
    let Some(sender) = message.channel_identity else {
        return Inbound::Ignored(Ignored::Malformed);
    };
    Inbound::text(InboundMessage {
        provider: NAME,
        channel: match sender.channel.as_str() {
            // A phone sends a long or a group text as MMS.
            "SMS" | "MMS" => Channel::Sms,
            _ => Channel::Other,
        },
        message_id: message.id,
        from: sender.identity.unwrap_or_default(),
        to: message.sender_id.unwrap_or_default(),
        text,
        carrier: None,
    })
}

#[async_trait]
impl InboundProvider for SinchConversation {
    fn name(&self) -> &'static str {
        NAME
    }

    async fn authenticate<'a>(
        &self,
        call: Call<'a>,
        now: Timestamp,
    ) -> Result<AuthenticCall<'a>, InboundError> {
        sinch::authenticate(&self.secrets, call, now)
    }

    fn parse(&self, call: &AuthenticCall<'_>) -> Result<Content, MalformedText> {
        let json = Json::from_bytes(call.call.body);
        Ok(Content::one(match json.event::<Event>()? {
            None => Inbound::Ignored(Ignored::Malformed),
            Some(Event { message: None }) => Inbound::Ignored(Ignored::NotAText),
            Some(Event {
                message: Some(message),
            }) => event(message),
        }))
    }

    fn answer(&self, outcome: Outcome) -> ProviderResponse {
        sinch::answer(outcome)
    }

    fn sign(&self, text: &InboundMessage, now: Timestamp, nonce: &str) -> Option<SignedCall> {
        let channel = match text.channel {
            Channel::Sms | Channel::Modem => "SMS",
            Channel::WhatsApp => "WHATSAPP",
            Channel::Other => "RCS",
        };
        let body = json!({
            "app_id": "countersign",
            "project_id": "countersign",
            "message": {
                "id": text.message_id,
                "direction": "TO_APP",
                "contact_message": {"text_message": {"text": text.text}},
                "channel_identity": {"channel": channel, "identity": bare(&text.from), "app_id": ""},
                "sender_id": bare(&text.to),
                "processing_mode": "DISPATCH",
                "injected": false,
            },
        });
        let body = body.to_string().into_bytes();
        Some(sinch::signed(&self.secrets, body, now, nonce))
    }
}
