//! Vonage's Messages API: JSON, with a JWT over its hash.
//!
//! `Authorization: Bearer` contains a JWT (HS256, the account's signature secret) whose
//! `payload_hash` is the hexadecimal SHA-256 of the body and whose `iat` is the time of signing.
//! JWT header members other than `alg` and `typ` are ignored; `crit` is refused (RFC 7515, section
//! 4.1.11).
//!
//! Vonage sometimes calls without a signature first. Such a call is answered with 429, and Vonage
//! repeats it with a signature. It delivers SMS, MMS and WhatsApp texts, and texts of channels
//! whose sender numbers are not verified. Numbers have no `+`. Vonage expects a 200, and otherwise
//! retries for 24 hours.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use countersign_domain::confirmation::text::{Channel, InboundMessage};
use countersign_domain::primitives::time::Timestamp;
use http::header::AUTHORIZATION;
use serde::Deserialize;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use thiserror::Error;

use crate::age;
use crate::call::{AuthenticCall, Call, SignedCall, json_type, named};
use crate::error::{InboundError, MalformedText};
use crate::json::Json;
use crate::mac::{HashAlgorithm, equal, from_hex, to_hex};
use crate::numbers::{bare, sender_on_whatsapp};
use crate::outcome::{Content, Ignored, Inbound};
use crate::provider::InboundProvider;
use crate::secret::{Rotating, SharedSecret};
use crate::secret_list::SecretList;
use crate::spec::{
    OptionKind, OptionSpec, PROVIDERS_SECRET, ProviderSpec, SecretSpec, USUAL, Wrong, mistake,
    parse_settings,
};

/// The provider's name in the route.
pub const NAME: &str = "vonage-messages";

/// The provider's facts.
pub(crate) const SPEC: ProviderSpec = ProviderSpec {
    name: NAME,
    title: "Vonage Messages",
    anchor: "vonage-messages",
    secrets: SecretSpec {
        by_key: true,
        mistaken_for: &[
            mistake("", 8, "an API key"),
            mistake("", 36, "the id of an application"),
        ],
        ..PROVIDERS_SECRET
    },
    options: &[OptionSpec {
        member: "keys",
        flag: "key",
        help: "the API key that has this secret, if there are several",
        kind: OptionKind::ApiKey,
    }],
    steps: STEPS,
    create: Some(|settings, _| {
        let Settings { secrets, keys } = parse_settings(settings)?;
        let mut provider = match secrets {
            Some(secrets) => Some(VonageMessages::new(secrets.parse::<SharedSecret>()?)),
            None => None,
        };
        for (key, list) in keys.unwrap_or_default() {
            let secrets = list.parse::<SharedSecret>()?;
            let added = match provider {
                Some(provider) => provider.and(&key, secrets),
                None => VonageMessages::named(&key, secrets),
            };
            provider = Some(added.map_err(Wrong::value)?);
        }
        let provider =
            provider.ok_or_else(|| Wrong::value("needs secrets, or keys with their secrets"))?;
        Ok(Arc::new(provider))
    }),
    ..USUAL
};

const STEPS: &str = r"1. Dashboard > Settings > API Settings. Messaging API Type: Messages API.
2. Applications > your application > Messages: Inbound URL and Status URL, both this URL.
3. The application's tab Numbers: Link beside your number.
4. WhatsApp: Messaging > External Accounts: link the account to the application.
Secret: the signature secret in API Settings, not the application's private key. Several API keys: --key.
Signed: the body. Maximum age: five minutes. Not signed: the URL.";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    secrets: Option<SecretList>,
    /// Secrets by API key.
    keys: Option<BTreeMap<String, SecretList>>,
}

/// Maximum length of a token, in bytes.
const MAX_TOKEN: usize = 4096;

/// Maximum number of API keys.
pub const MAX_KEYS: usize = 8;

/// Vonage's Messages API, with the signature secrets of one or several API keys. Vonage requires a
/// separate key for WhatsApp, and each key has its own secret.
#[derive(Clone, Debug)]
pub struct VonageMessages {
    keys: Vec<Key>,
}

/// An API key, whose name is not secret.
#[derive(Clone, Debug)]
struct Key {
    /// The API key that a token must not contradict; `None` to accept any.
    name: Option<String>,
    secrets: Rotating<SharedSecret>,
}

/// The text is not the name of an API key, or there are too many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("an API key has 1 to 64 letters and digits, and there are at most {MAX_KEYS}")]
pub struct UnusableApiKey;

#[derive(Deserialize)]
struct Header {
    alg: String,
    crit: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct Claims {
    payload_hash: String,
    api_key: Option<String>,
    iat: u64,
    exp: Option<u64>,
    nbf: Option<u64>,
}

#[derive(Deserialize)]
struct Event {
    channel: Option<String>,
    #[serde(rename = "message_type")]
    kind: Option<String>,
}

#[derive(Deserialize)]
struct InboundBody {
    message_uuid: Option<String>,
    from: Option<String>,
    to: Option<String>,
    text: Option<String>,
    image: Option<Media>,
    video: Option<Media>,
    file: Option<Media>,
    whatsapp: Option<OnWhatsApp>,
}

/// A picture or another file.
#[derive(Deserialize)]
struct Media {
    caption: Option<String>,
}

#[derive(Deserialize)]
struct OnWhatsApp {
    sender: Option<Account>,
}

/// An account on WhatsApp, as in the statuses of texts that it gets.
#[derive(Deserialize)]
struct Account {
    wa_id: Option<String>,
}

impl VonageMessages {
    /// Creates the provider for one API key with any name.
    #[must_use]
    pub fn new(secrets: impl Into<Rotating<SharedSecret>>) -> Self {
        let (name, secrets) = (None, secrets.into());
        Self {
            keys: vec![Key { name, secrets }],
        }
    }

    /// Creates the provider for an API key with this name.
    ///
    /// # Errors
    ///
    /// Fails if the name is not an API key.
    pub fn named(
        name: &str,
        secrets: impl Into<Rotating<SharedSecret>>,
    ) -> Result<Self, UnusableApiKey> {
        Self { keys: Vec::new() }.and(name, secrets)
    }

    /// Adds an API key.
    ///
    /// # Errors
    ///
    /// Fails if the name is not an API key, or there are already [`MAX_KEYS`].
    pub fn and(
        mut self,
        name: &str,
        secrets: impl Into<Rotating<SharedSecret>>,
    ) -> Result<Self, UnusableApiKey> {
        let plain = name.bytes().all(|c| c.is_ascii_alphanumeric());
        if !plain || !(1..=64).contains(&name.len()) || self.keys.len() >= MAX_KEYS {
            return Err(UnusableApiKey);
        }
        self.keys.push(Key {
            name: Some(name.to_owned()),
            secrets: secrets.into(),
        });
        Ok(self)
    }

    /// Returns the claims of a token that signs this body.
    fn claims(&self, token: &str, body: &[u8]) -> Option<Claims> {
        let (signed, signature) = token.rsplit_once('.')?;
        let (header, claims) = signed.split_once('.')?;
        if token.len() > MAX_TOKEN || claims.contains('.') {
            return None;
        }
        let given = BASE64_URL_SAFE_NO_PAD.decode(signature).ok()?;
        let mac =
            |secret: &SharedSecret| HashAlgorithm::Sha256.mac(secret.bytes(), &[signed.as_bytes()]);
        let fits = |key: &&Key| key.secrets.any(|secret| equal(&mac(secret), &given));
        let key = self.keys.iter().find(fits)?;
        let header: Header = part(header)?;
        let claims: Claims = part(claims)?;
        if let (Some(known), Some(named)) = (&key.name, &claims.api_key)
            && known != named
        {
            return None;
        }
        let hash = from_hex(&claims.payload_hash)?;
        let plain = header.alg == "HS256" && header.crit.is_none();
        (plain && equal(&Sha256::digest(body), &hash)).then_some(claims)
    }
}

/// Decodes one part of a token.
fn part<T: for<'de> Deserialize<'de>>(encoded: &str) -> Option<T> {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(encoded).ok()?;
    serde_json::from_slice(&bytes).ok()
}

#[async_trait]
impl InboundProvider for VonageMessages {
    fn name(&self) -> &'static str {
        NAME
    }

    async fn authenticate<'a>(
        &self,
        call: Call<'a>,
        now: Timestamp,
    ) -> Result<AuthenticCall<'a>, InboundError> {
        if !call.headers.contains_key(AUTHORIZATION) {
            return Err(InboundError::Unsigned);
        }
        let claims = call
            .header(AUTHORIZATION.as_str())
            .and_then(|value| value.strip_prefix("Bearer "))
            .and_then(|token| self.claims(token, call.body))
            .ok_or(InboundError::NotAuthentic)?;
        age::check(claims.iat, now)?;
        let ended = claims.exp.is_some_and(|end| end <= now.as_secs());
        let early = claims
            .nbf
            .is_some_and(|start| start > now.as_secs() + age::TOLERANCE.as_secs());
        if ended || early {
            return Err(InboundError::TooOld);
        }
        Ok(AuthenticCall::new(call))
    }

    fn parse(&self, call: &AuthenticCall<'_>) -> Result<Content, MalformedText> {
        let json = Json::from_bytes(call.call.body);
        let ignored = |why| Ok(Content::one(Inbound::Ignored(why)));
        let Some(event) = json.event::<Event>()? else {
            return ignored(Ignored::Malformed);
        };
        let kind = event.kind.unwrap_or_default();
        if !matches!(kind.as_str(), "text" | "image" | "video" | "file") {
            return ignored(Ignored::NotAText);
        }
        let channel = match event.channel.as_deref() {
            // A phone sends a long or a group text as MMS.
            Some("sms" | "mms") => Channel::Sms,
            Some("whatsapp") => Channel::WhatsApp,
            _ => Channel::Other,
        };
        let Some(received) = json.event::<InboundBody>()? else {
            return ignored(Ignored::Malformed);
        };
        let text = match kind.as_str() {
            "text" => received.text,
            "image" => received.image.and_then(|media| media.caption),
            "video" => received.video.and_then(|media| media.caption),
            _ => received.file.and_then(|media| media.caption),
        };
        let Some(text) = text else {
            return ignored(Ignored::NotAText);
        };
        let (Some(id), Some(to)) = (received.message_uuid, received.to) else {
            return ignored(Ignored::Malformed);
        };
        let from = received.from.unwrap_or_default();
        let account = received.whatsapp.and_then(|it| it.sender?.wa_id);
        let from = match channel {
            Channel::WhatsApp => sender_on_whatsapp(&from, account.as_deref()).to_owned(),
            Channel::Sms | Channel::Modem | Channel::Other => from,
        };
        Ok(Content::one(Inbound::text(InboundMessage {
            provider: NAME,
            channel,
            message_id: id,
            from,
            to,
            text,
            carrier: None,
        })))
    }

    fn sign(&self, text: &InboundMessage, now: Timestamp, nonce: &str) -> Option<SignedCall> {
        let channel = match text.channel {
            Channel::Sms | Channel::Modem => "sms",
            Channel::WhatsApp => "whatsapp",
            Channel::Other => "rcs",
        };
        let body = json!({
            "channel": channel,
            "message_uuid": text.message_id,
            "from": bare(&text.from),
            "to": bare(&text.to),
            "message_type": "text",
            "text": text.text,
        });
        let body = body.to_string().into_bytes();
        let key = self.keys.first()?;
        let mut claims = json!({
            "iss": "Vonage",
            "iat": now.as_secs(),
            "jti": nonce,
            "payload_hash": to_hex(&Sha256::digest(&body)),
        });
        if let Some(name) = &key.name {
            claims["api_key"] = json!(name);
        }
        let encode = |json: serde_json::Value| BASE64_URL_SAFE_NO_PAD.encode(json.to_string());
        let signed = format!(
            "{}.{}",
            encode(json!({"alg": "HS256", "typ": "JWT"})),
            encode(claims)
        );
        let secret = key.secrets.first().bytes();
        let signature = HashAlgorithm::Sha256.mac(secret, &[signed.as_bytes()]);
        let signature = BASE64_URL_SAFE_NO_PAD.encode(signature);
        Some(SignedCall {
            headers: vec![
                json_type(),
                named("authorization", format!("Bearer {signed}.{signature}")),
            ],
            body,
        })
    }
}
