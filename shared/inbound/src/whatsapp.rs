//! WhatsApp directly from Meta's Cloud API: JSON signed with HMAC-SHA256.
//!
//! `X-Hub-Signature-256` is `sha256=` and the hexadecimal HMAC of the raw body with the app's secret. Before
//! it sends anything, Meta verifies the address with a GET whose `hub.verify_token` we chose, and expects
//! `hub.challenge` in the answer. One call may contain the messages of many users, and statuses and
//! reactions, which are ignored. The recipient is the number that WhatsApp displays, without a `+`.
//!
//! Users may hide their number behind a user name. Their messages have `from_user_id`, the user's id for this
//! business, and neither `from` nor, in `contacts`, `wa_id`. If either of the two is present, it is the sender's
//! number. An edited message has the new text and a new id.
//!
//! Meta expects a 200, and otherwise retries for days, with growing intervals. The signature covers
//! no timestamp.

use std::borrow::Cow;
use std::sync::Arc;

use async_trait::async_trait;
use countersign_domain::confirmation::text::{Channel, InboundMessage};
use countersign_domain::primitives::time::Timestamp;
use http::Method;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};

use crate::call::{AuthenticCall, Call, SignedCall, json_type, named};
use crate::error::{InboundError, MalformedText};
use crate::form::Form;
use crate::json::{self, Json};
use crate::mac::{HashAlgorithm, equal, from_hex, to_hex};
use crate::numbers::{bare, sender_on_whatsapp};
use crate::outcome::{Content, Ignored, Inbound, ProviderResponse};
use crate::provider::InboundProvider;
use crate::secret::{HexSecret, Rotating, SharedSecret};
use crate::secret_list::{Secret, SecretList, rotating};
use crate::spec::{PROVIDERS_SECRET, ProviderSpec, SecretSpec, USUAL, parse_settings};
use crate::{MAX_BATCH_BODY, MAX_EVENTS};

/// The provider's name in the route.
pub const NAME: &str = "whatsapp";

/// The provider's facts.
pub(crate) const SPEC: ProviderSpec = ProviderSpec {
    name: NAME,
    title: "WhatsApp",
    anchor: "whatsapp",
    channel: Channel::WhatsApp,
    secrets: SecretSpec {
        label: "app secret",
        lists: &["appSecrets"],
        token: Some("verifyToken"),
        ..PROVIDERS_SECRET
    },
    steps: STEPS,
    create: Some(|settings, _| {
        let settings: Settings = parse_settings(settings)?;
        let secrets = settings.app_secrets.each(|HexSecret(secret)| secret)?;
        let secrets = rotating(secrets)?;
        let token = settings.verify_token.parse()?;
        Ok(Arc::new(WhatsApp::new(secrets, token)))
    }),
    ..USUAL
};

const STEPS: &str = r"1. developers.facebook.com > your app > WhatsApp > Configuration.
2. Callback URL: the URL. Verify token: {TOKEN}
   Meta checks both immediately, so the server must run.
3. Subscribe the field messages.
4. The app must be subscribed to the WhatsApp Business Account.
People who hide their number behind a user name verify nothing; they are told to send an SMS.
Secret: App settings > Basic > App secret (appSecrets): 32 hexadecimal digits.
Signed: the body; no time, no URL. Proves an account, not a SIM. An app must name the number.";

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Settings {
    app_secrets: SecretList,
    verify_token: Secret,
}

/// Name of the header with the signature.
pub const SIGNATURE_HEADER: &str = "x-hub-signature-256";

/// Maximum length of a challenge, in bytes.
const MAX_CHALLENGE: usize = 128;

/// Meta's Cloud API, with the secrets of an app.
#[derive(Clone, Debug)]
pub struct WhatsApp {
    app_secrets: Rotating<SharedSecret>,
    verify_token: SharedSecret,
}

#[derive(Deserialize)]
struct Body<'a> {
    object: String,
    #[serde(borrow)]
    entry: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct Entry<'a> {
    #[serde(borrow, default)]
    changes: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct Change<'a> {
    field: String,
    #[serde(borrow)]
    value: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Value<'a> {
    #[serde(borrow, default)]
    messages: Vec<&'a RawValue>,
    #[serde(borrow)]
    contacts: Option<&'a RawValue>,
    #[serde(borrow)]
    metadata: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Metadata {
    display_phone_number: String,
}

/// A contact in the same value as the messages.
#[derive(Deserialize)]
struct Contact {
    wa_id: Option<String>,
    user_id: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    id: String,
    from: Option<String>,
    from_user_id: Option<String>,
    #[serde(flatten)]
    content: Written,
    edit: Option<Edit>,
}

#[derive(Deserialize)]
struct Edit {
    /// The current version of an edited message.
    message: Option<Written>,
}

/// The text content of a message.
#[derive(Deserialize)]
struct Written {
    #[serde(rename = "type")]
    kind: String,
    text: Option<Text>,
    image: Option<Media>,
    video: Option<Media>,
    document: Option<Media>,
}

#[derive(Deserialize)]
struct Text {
    body: Option<String>,
}

#[derive(Deserialize)]
struct Media {
    caption: Option<String>,
}

impl Written {
    fn text(self) -> Option<String> {
        match self.kind.as_str() {
            "text" => self.text?.body,
            "image" => self.image?.caption,
            "video" => self.video?.caption,
            "document" => self.document?.caption,
            _ => None,
        }
    }
}

impl Message {
    /// Returns the sender's number, the id that replaces it, or an empty string.
    fn sender(&self, contacts: &[Contact]) -> String {
        let from = self.from.as_deref().unwrap_or_default();
        let user = self.from_user_id.as_deref().unwrap_or(from);
        let own = match (user, contacts) {
            // The only contact is the sender of all messages in the value.
            ("", [only]) => Some(only),
            ("", _) => None,
            (user, _) => contacts
                .iter()
                .find(|contact| contact.user_id.as_deref() == Some(user)),
        };
        let account = own.and_then(|contact| contact.wa_id.as_deref());
        sender_on_whatsapp(from, account).to_owned()
    }
}

impl WhatsApp {
    /// Creates the provider. `verify_token` is a secret that the operator chooses and types into
    /// Meta's console.
    #[must_use]
    pub fn new(app_secrets: impl Into<Rotating<SharedSecret>>, verify_token: SharedSecret) -> Self {
        Self {
            app_secrets: app_secrets.into(),
            verify_token,
        }
    }

    fn is_signed(&self, call: &Call<'_>) -> Option<()> {
        let digits = call.header(SIGNATURE_HEADER)?.strip_prefix("sha256=")?;
        let given = from_hex(digits)?;
        let mac = |secret: &SharedSecret| HashAlgorithm::Sha256.mac(secret.bytes(), &[call.body]);
        self.app_secrets
            .any(|secret| equal(&mac(secret), &given))
            .then_some(())
    }

    fn is_handshake(&self, call: &Call<'_>) -> Option<()> {
        let query = Form::parse(call.query?.as_bytes()).ok()?;
        let subscribes = query.optional("hub.mode").ok()? == Some("subscribe");
        let token = query.optional("hub.verify_token").ok()??;
        let hash = |bytes: &[u8]| Sha256::digest(bytes);
        let fits = equal(&hash(self.verify_token.bytes()), &hash(token.as_bytes()));
        (subscribes && fits).then_some(())
    }
}

/// Returns only the digits of a number formatted for display.
fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

/// Adds the messages of an entry: a malformed change or message does not affect the others.
fn add(entry: &RawValue, is_ours: bool, events: &mut Vec<Inbound>) {
    let Some(Entry { changes }) = json::event(entry) else {
        return events.push(Inbound::Ignored(Ignored::Malformed));
    };
    for change in changes {
        let Some(Change { field, value }) = json::event(change) else {
            events.push(Inbound::Ignored(Ignored::Malformed));
            continue;
        };
        if !is_ours || field != "messages" {
            events.push(Inbound::Ignored(Ignored::NotAText));
            continue;
        }
        match value.and_then(json::event::<Value<'_>>) {
            None => events.push(Inbound::Ignored(Ignored::Malformed)),
            Some(value) if value.messages.is_empty() => {
                events.push(Inbound::Ignored(Ignored::NotAText));
            }
            Some(Value {
                messages,
                contacts,
                metadata,
            }) => {
                let metadata: Option<Metadata> = metadata.and_then(json::event);
                let to = metadata.map(|metadata| metadata.display_phone_number);
                let contacts: Vec<Contact> = contacts.and_then(json::event).unwrap_or_default();
                let messages = messages.into_iter();
                events.extend(messages.map(|message| event(message, to.as_deref(), &contacts)));
            }
        }
    }
}

fn event(message: &RawValue, to: Option<&str>, contacts: &[Contact]) -> Inbound {
    let (Some(message), Some(to)) = (json::event::<Message>(message), to) else {
        return Inbound::Ignored(Ignored::Malformed);
    };
    let from = message.sender(contacts);
    let written = if message.content.kind == "edit" {
        message.edit.and_then(|edit| edit.message)
    } else {
        Some(message.content)
    };
    let Some(text) = written.and_then(Written::text) else {
        return Inbound::Ignored(Ignored::NotAText);
    };
    Inbound::text(InboundMessage {
        provider: NAME,
        channel: Channel::WhatsApp,
        message_id: message.id,
        from,
        to: digits(to),
        text,
        carrier: None,
    })
}

/// Returns the answer to Meta's verification of the address. Only harmless characters are echoed.
fn handshake(query: &str) -> Result<Content, MalformedText> {
    let challenge = Form::parse(query.as_bytes())?.required("hub.challenge")?;
    let harmless = |c: u8| c.is_ascii_alphanumeric() || b"-_.".contains(&c);
    if challenge.len() > MAX_CHALLENGE || !challenge.bytes().all(harmless) {
        return Err(MalformedText::Invalid("hub.challenge"));
    }
    Ok(Content::Handshake(ProviderResponse {
        status: 200,
        content_type: Some("text/plain; charset=utf-8"),
        body: Cow::Owned(challenge),
    }))
}

#[async_trait]
impl InboundProvider for WhatsApp {
    fn name(&self) -> &'static str {
        NAME
    }

    fn uses(&self, method: &Method) -> bool {
        method == Method::POST || method == Method::GET
    }

    fn max_body(&self) -> usize {
        MAX_BATCH_BODY
    }

    async fn authenticate<'a>(
        &self,
        call: Call<'a>,
        _now: Timestamp,
    ) -> Result<AuthenticCall<'a>, InboundError> {
        let proven = if call.method == Method::GET {
            self.is_handshake(&call)
        } else {
            self.is_signed(&call)
        };
        proven.ok_or(InboundError::NotAuthentic)?;
        Ok(AuthenticCall::new(call))
    }

    fn parse(&self, call: &AuthenticCall<'_>) -> Result<Content, MalformedText> {
        let call = &call.call;
        if call.method == Method::GET {
            return handshake(call.query.unwrap_or_default());
        }
        let json = Json::from_bytes(call.body);
        let mut events = Vec::new();
        let Some(body) = json.event::<Body<'_>>()? else {
            return Ok(Content::one(Inbound::Ignored(Ignored::Malformed)));
        };
        let is_ours = body.object == "whatsapp_business_account";
        for entry in body.entry {
            add(entry, is_ours, &mut events);
        }
        if events.len() > MAX_EVENTS {
            return Err(MalformedText::TooMany);
        }
        Ok(Content::Events(events))
    }

    fn sign(&self, text: &InboundMessage, now: Timestamp, _nonce: &str) -> Option<SignedCall> {
        let body = json!({
            "object": "whatsapp_business_account",
            "entry": [{
                "id": "0",
                "changes": [{
                    "field": "messages",
                    "value": {
                        "messaging_product": "whatsapp",
                        "metadata": {"display_phone_number": bare(&text.to)},
                        "messages": [{
                            "id": text.message_id,
                            "from": bare(&text.from),
                            "timestamp": now.as_secs().to_string(),
                            "type": "text",
                            "text": {"body": text.text},
                        }],
                    },
                }],
            }],
        });
        let body = body.to_string().into_bytes();
        let mac = HashAlgorithm::Sha256.mac(self.app_secrets.first().bytes(), &[&body]);
        let signature = format!("sha256={}", to_hex(&mac));
        Some(SignedCall {
            headers: vec![json_type(), named(SIGNATURE_HEADER, signature)],
            body,
        })
    }
}
