//! Bandwidth: a JSON array of events under Basic authentication.
//!
//! Bandwidth signs nothing, so the only authentication is a name and a password. An attacker could
//! replay a recorded call, but the codes in its texts have been used or have expired.
//!
//! Bandwidth waits 10 seconds for a 2xx and otherwise retries for 24 hours. Deliveries may be
//! duplicated.

use std::sync::Arc;

use async_trait::async_trait;
use countersign_domain::confirmation::text::{Channel, InboundMessage};
use countersign_domain::primitives::time::Timestamp;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use crate::basic::BasicCredentials;
use crate::call::{AuthenticCall, Call, SignedCall, json_type};
use crate::error::{InboundError, MalformedText};
use crate::json::{self, Json};
use crate::outcome::{Content, Ignored, Inbound};
use crate::provider::InboundProvider;
use crate::secret::Rotating;
use crate::secret_list::SecretList;
use crate::spec::{
    GeneratedSecret, PROVIDERS_SECRET, ProviderSpec, SecretSpec, USUAL, parse_settings,
};
use crate::{MAX_EVENTS, MAX_GROUP_BODY};

/// The provider's name in the route.
pub const NAME: &str = "bandwidth";

/// The provider's facts.
pub(crate) const SPEC: ProviderSpec = ProviderSpec {
    name: NAME,
    title: "Bandwidth",
    anchor: "bandwidth",
    secrets: SecretSpec {
        label: "NAME:PASSWORD",
        lists: &["credentials"],
        generated: Some(GeneratedSecret::Credentials(32)),
        ..PROVIDERS_SECRET
    },
    steps: STEPS,
    create: Some(|settings, _| {
        let Settings { credentials } = parse_settings(settings)?;
        Ok(Arc::new(Bandwidth::new(
            credentials.parse::<BasicCredentials>()?,
        )))
    }),
    ..USUAL
};

const STEPS: &str = r#"1. App > Applications > Applications: a new one, type Messaging.
2. Callback URL, or Inbound Callback URL: the URL.
3. Check "Use a username/password for callbacks": name and password of your choice.
4. The location of your number: choose the application.
Secret: NAME:PASSWORD, at least 16 characters of password.
NOTHING IS SIGNED: anyone who sees one call can send any text. Use https."#;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    credentials: SecretList,
}

/// Maximum number of recipients of a text, which is larger than any group.
const MAX_RECIPIENTS: usize = 16;

/// Bandwidth, with the credentials of an application's callback URL.
#[derive(Clone, Debug)]
pub struct Bandwidth {
    credentials: Rotating<BasicCredentials>,
}

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(borrow)]
    message: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Message {
    id: String,
    from: Option<String>,
    to: Vec<String>,
    text: Option<String>,
    channel: Option<String>,
}

impl Bandwidth {
    /// Creates the provider.
    #[must_use]
    pub fn new(credentials: impl Into<Rotating<BasicCredentials>>) -> Self {
        Self {
            credentials: credentials.into(),
        }
    }
}

/// Returns the text in an event.
fn text(event: &RawValue) -> Result<(Message, Channel, String), Ignored> {
    let event: Event<'_> = json::event(event).ok_or(Ignored::Malformed)?;
    if event.kind.as_deref() != Some("message-received") {
        return Err(Ignored::NotAText);
    }
    let message: Message = event
        .message
        .and_then(json::event)
        .ok_or(Ignored::Malformed)?;
    let channel = match message.channel.as_deref() {
        None | Some("SMS" | "MMS") => Channel::Sms,
        Some(_) => Channel::Other,
    };
    if message.to.is_empty() || message.to.len() > MAX_RECIPIENTS {
        return Err(Ignored::Malformed);
    }
    let text = message.text.clone().ok_or(Ignored::NotAText)?;
    Ok((message, channel, text))
}

/// Adds the texts of an event: one per recipient, of which a group has several.
fn add(event: &RawValue, events: &mut Vec<Inbound>) {
    let (message, channel, text) = match text(event) {
        Ok(text) => text,
        Err(why) => return events.push(Inbound::Ignored(why)),
    };
    events.extend(message.to.into_iter().map(|to| {
        Inbound::text(InboundMessage {
            provider: NAME,
            channel,
            message_id: message.id.clone(),
            from: message.from.clone().unwrap_or_default(),
            to,
            text: text.clone(),
            carrier: None,
        })
    }));
}

#[async_trait]
impl InboundProvider for Bandwidth {
    fn name(&self) -> &'static str {
        NAME
    }

    fn max_body(&self) -> usize {
        MAX_GROUP_BODY
    }

    async fn authenticate<'a>(
        &self,
        call: Call<'a>,
        _now: Timestamp,
    ) -> Result<AuthenticCall<'a>, InboundError> {
        if self.credentials.any(|known| known.are_in(&call)) {
            Ok(AuthenticCall::new(call))
        } else {
            Err(InboundError::NotAuthentic)
        }
    }

    fn parse(&self, call: &AuthenticCall<'_>) -> Result<Content, MalformedText> {
        let json = Json::from_bytes(call.call.body);
        let Some(list) = json.event::<Vec<&RawValue>>()? else {
            return Ok(Content::one(Inbound::Ignored(Ignored::Malformed)));
        };
        let mut events = Vec::new();
        for event in list {
            add(event, &mut events);
            if events.len() > MAX_EVENTS {
                return Err(MalformedText::TooMany);
            }
        }
        Ok(Content::Events(events))
    }

    fn sign(&self, text: &InboundMessage, _now: Timestamp, _nonce: &str) -> Option<SignedCall> {
        let body = json!([{
            "type": "message-received",
            "to": text.to,
            "message": {
                "id": text.message_id,
                "owner": text.to,
                "from": text.from,
                "to": [text.to],
                "text": text.text,
                "direction": "in",
            },
        }]);
        Some(SignedCall {
            headers: vec![json_type(), self.credentials.first().header()],
            body: body.to_string().into_bytes(),
        })
    }
}
