//! Twilio: a form, signed together with the address.
//!
//! `X-Twilio-Signature` is the Base64 of an HMAC over the public address with its query, followed
//! by each parameter's name and value without separators, sorted by name. The account's auth token
//! signs with SHA-1; a shared key signs with SHA-256 and adds
//! `X-Twilio-Webhooks-Signature-Settings`. That header is not read: each configured key has its own
//! algorithm, so no caller can choose the weaker one. Twilio signs the address sometimes with and
//! sometimes without the port, so both are tried, as its libraries do.
//!
//! The signature covers no timestamp, and leaves the ends of parameters ambiguous: a text may look
//! like the parameters after it. It is therefore accepted for one content only, see [`SingleUse`].
//!
//! A WhatsApp text has the prefix `whatsapp:` on both numbers, and an RCS or Messenger text has a prefix with
//! their name. If the number is hidden, an id follows `whatsapp:` in its place. Twilio waits 15 seconds and
//! retries only a failed connection, unless the address in its console ends with `#rp=all`. It expects
//! `TwiML`.

use std::borrow::Cow;
use std::sync::Arc;

use async_trait::async_trait;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use countersign_domain::confirmation::text::{Channel, InboundMessage};
use countersign_domain::primitives::time::Timestamp;
use serde::Deserialize;

use crate::call::{AuthenticCall, Call, SignedCall, SingleUse, named};
use crate::error::{InboundError, MalformedText};
use crate::form::{self, Form, Pairs};
use crate::mac::{HashAlgorithm, equal};
use crate::numbers::sender_on_whatsapp;
use crate::outcome::{Content, Ignored, Inbound, Outcome, ProviderResponse};
use crate::provider::InboundProvider;
use crate::public_url::{PublicUrl, without_and_with_port};
use crate::secret::{HexSecret, Rotating, SharedSecret};
use crate::secret_list::{SecretList, rotating};
use crate::spec::{
    OptionKind, OptionSpec, PROVIDERS_SECRET, ProviderSpec, SecretSpec, USUAL, mistake,
    parse_settings,
};

/// The provider's name in the route.
pub const NAME: &str = "twilio";

/// The provider's facts.
pub(crate) const SPEC: ProviderSpec = ProviderSpec {
    name: NAME,
    title: "Twilio",
    anchor: "twilio",
    secrets: SecretSpec {
        label: "auth token",
        lists: &["authTokens", "sharedKeys"],
        mistaken_for: &[
            mistake("AC", 34, "an account SID"),
            mistake("SK", 34, "the SID of an API key"),
            mistake("MG", 34, "the SID of a messaging service"),
            mistake("PN", 34, "the SID of a phone number"),
        ],
        ..PROVIDERS_SECRET
    },
    options: &[OptionSpec {
        member: "sharedKeys",
        flag: "shared-key",
        help: "the secret is a shared key for webhooks, not the auth token",
        kind: OptionKind::List("sharedKeys"),
    }],
    signs_url: true,
    steps: STEPS,
    create: Some(|settings, surroundings| {
        let settings: Settings = parse_settings(settings)?;
        let mut keys = Vec::new();
        if let Some(shared) = settings.shared_keys {
            keys.extend(shared.each(TwilioKey::SharedKey)?);
        }
        if let Some(tokens) = settings.auth_tokens {
            keys.extend(tokens.each(|HexSecret(token)| TwilioKey::AuthToken(token))?);
        }
        let keys = rotating(keys)?;
        Ok(Arc::new(Twilio::new(surroundings.public_url()?, keys)))
    }),
    ..USUAL
};

const STEPS: &str = r#"1. Console > Phone Numbers > your number > Messaging.
2. "A message comes in": Webhook, the URL, HTTP POST. Not GET.
3. "Primary handler fails": the same URL, so that a failed call is tried again.
4. A number in a Messaging Service: set the URL in the service, and not "Autocreate a Conversation". Texts that
   Twilio Conversations or Flex takes never come here.
5. WhatsApp: Messaging > Senders > WhatsApp senders > your sender: the same URL, POST.
Secret: Auth Token of the number's account, in the region that processes its texts (authTokens), or a shared
  key for webhooks (sharedKeys). A shared key signs only once a webhook Setting names it and a webhook Rule
  matches the URL: until then each text gets 401, so keep the auth token beside it.
Signed: URL and all parameters; no time. The URL must match publicUrl to the letter."#;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Settings {
    auth_tokens: Option<SecretList>,
    shared_keys: Option<SecretList>,
}

/// Name of the header with the signature.
pub const SIGNATURE_HEADER: &str = "x-twilio-signature";

const FORM: &str = "application/x-www-form-urlencoded";
const WHATSAPP: &str = "whatsapp";
const TWIML: &str = r#"<?xml version="1.0" encoding="UTF-8"?><Response/>"#;

/// A key with which Twilio signs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TwilioKey {
    /// The account's auth token, which signs with SHA-1.
    AuthToken(SharedSecret),
    /// A shared key for webhooks, which signs with SHA-256.
    SharedKey(SharedSecret),
}

impl TwilioKey {
    const fn parts(&self) -> (HashAlgorithm, &SharedSecret) {
        match self {
            Self::AuthToken(secret) => (HashAlgorithm::Sha1, secret),
            Self::SharedKey(secret) => (HashAlgorithm::Sha256, secret),
        }
    }
}

/// Twilio, with the keys of an account.
#[derive(Clone, Debug)]
pub struct Twilio {
    url: String,
    keys: Rotating<TwilioKey>,
}

impl Twilio {
    /// Creates the provider.
    #[must_use]
    pub fn new(url: &PublicUrl, keys: impl Into<Rotating<TwilioKey>>) -> Self {
        Self {
            url: url.provider_url(NAME),
            keys: keys.into(),
        }
    }

    /// Returns the content for which the signature is accepted, if the signature is valid.
    fn single_use(&self, call: &Call<'_>) -> Option<SingleUse> {
        let given = BASE64_STANDARD
            .decode(call.header(SIGNATURE_HEADER)?)
            .ok()?;
        let url = match call.query {
            Some(query) => Cow::Owned(format!("{}?{query}", self.url)),
            None => Cow::Borrowed(&self.url),
        };
        let urls = without_and_with_port(&url);
        let forms = form::signed(call.body).ok()?.into_iter().map(in_order);
        let signed = forms.into_iter().find(|form| {
            self.keys.any(|key| {
                urls.iter()
                    .any(|url| equal(&signature(key, url, form), &given))
            })
        })?;
        let query = call.query.into_iter().flat_map(|query| ["?", query]);
        let parameters = signed.iter().flat_map(|(n, v)| [&n[..], v]);
        let parts: Vec<_> = query.map(str::as_bytes).chain(parameters).collect();
        Some(SingleUse::of_signed(NAME, &parts.concat(), &parts))
    }
}

/// Sorts the parameters in the order in which they are signed. A repeated value is included once.
fn in_order(mut form: Pairs) -> Pairs {
    form.sort_unstable();
    form.dedup();
    form
}

/// Returns the channel of a sender or a recipient, and the address after its prefix.
fn channel(address: &str) -> (Channel, &str) {
    match address.split_once(':') {
        None => (Channel::Sms, address),
        Some((WHATSAPP, address)) => (Channel::WhatsApp, address),
        Some((_, address)) => (Channel::Other, address),
    }
}

fn signature(key: &TwilioKey, url: &str, form: &Pairs) -> Vec<u8> {
    let (algorithm, secret) = key.parts();
    let mut parts = vec![url.as_bytes()];
    for (name, value) in form {
        parts.extend([&name[..], value]);
    }
    algorithm.mac(secret.bytes(), &parts)
}

#[async_trait]
impl InboundProvider for Twilio {
    fn name(&self) -> &'static str {
        NAME
    }

    async fn authenticate<'a>(
        &self,
        call: Call<'a>,
        _now: Timestamp,
    ) -> Result<AuthenticCall<'a>, InboundError> {
        let single_use = call.is(FORM).then(|| self.single_use(&call)).flatten();
        let single_use = single_use.ok_or(InboundError::NotAuthentic)?;
        Ok(AuthenticCall::new(call).once(single_use))
    }

    fn parse(&self, call: &AuthenticCall<'_>) -> Result<Content, MalformedText> {
        let form = Form::parse(call.call.body)?;
        let ignored = |why| Ok(Content::one(Inbound::Ignored(why)));
        let Some(text) = form.optional("Body")? else {
            return ignored(Ignored::NotAText);
        };
        // The status of a text sent by the account may repeat its body.
        let status = match form.optional("MessageStatus")? {
            Some(status) => Some(status),
            None => form.optional("SmsStatus")?,
        };
        if status.is_some_and(|status| !matches!(status, "received" | "receiving")) {
            return ignored(Ignored::NotAText);
        }
        let (Some(id), Some(to)) = (form.optional("MessageSid")?, form.optional("To")?) else {
            return ignored(Ignored::Malformed);
        };
        let from = form.optional("From")?.unwrap_or_default();
        let (channel, to) = channel(to);
        let (senders, from) = match from {
            "" => (channel, from),
            _ => self::channel(from),
        };
        let channel = if senders == channel {
            channel
        } else {
            Channel::Other
        };
        let from = match channel {
            Channel::WhatsApp => sender_on_whatsapp(from, form.optional("WaId")?),
            Channel::Sms | Channel::Modem | Channel::Other => from,
        };
        Ok(Content::one(Inbound::text(InboundMessage {
            provider: NAME,
            channel,
            message_id: id.to_owned(),
            from: from.to_owned(),
            to: to.to_owned(),
            text: text.to_owned(),
            carrier: None,
        })))
    }

    fn answer(&self, outcome: Outcome) -> ProviderResponse {
        match outcome {
            Outcome::Taken => ProviderResponse {
                status: 200,
                content_type: Some("text/xml; charset=utf-8"),
                body: Cow::Borrowed(TWIML),
            },
            Outcome::Refused(_) | Outcome::Unavailable => ProviderResponse::plain(outcome),
        }
    }

    fn sign(&self, text: &InboundMessage, _now: Timestamp, _nonce: &str) -> Option<SignedCall> {
        let prefix = match text.channel {
            Channel::Sms | Channel::Modem => "",
            Channel::WhatsApp => "whatsapp:",
            Channel::Other => "rcs:",
        };
        let (from, to) = (
            format!("{prefix}{}", text.from),
            format!("{prefix}{}", text.to),
        );
        let body = form::encode(&[
            ("MessageSid", &text.message_id),
            ("SmsStatus", "received"),
            ("From", &from),
            ("To", &to),
            ("Body", &text.text),
            ("NumMedia", "0"),
        ]);
        let form = in_order(form::signed(body.as_bytes()).ok()?.pop()?);
        let signature = signature(self.keys.first(), &self.url, &form);
        Some(SignedCall {
            headers: vec![
                named("content-type", FORM.to_owned()),
                named(SIGNATURE_HEADER, BASE64_STANDARD.encode(signature)),
            ],
            body: body.into_bytes(),
        })
    }
}
