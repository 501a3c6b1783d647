//! Verifies that the service sent a webhook, and parses its event.

use std::collections::HashMap;
use std::fmt;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use p256::ecdsa::Signature;
use p256::ecdsa::signature::Verifier as _;
use serde_json::Value;
use subtle::ConstantTimeEq as _;

use crate::error::{Error, WebhookReason};
use crate::identity::hmac;
use crate::inner::Inner;
use crate::request::Members;
use crate::types::{LoginWebhook, PhoneRegistered, VerifiedNumber};
use crate::verification::Verification;

const TOLERANCE_SECONDS: f64 = 300.0;
const MAX_KEY_ID: usize = 128;

/// The event reported by a webhook.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Event {
    /// A number was verified.
    VerifiedNumber(VerifiedNumber),
    /// A login or an approval was decided.
    Login(LoginWebhook),
    /// A phone without an app was set up.
    PhoneRegistered(PhoneRegistered),
}

/// Verifies webhooks.
#[derive(Clone, Copy)]
pub struct Webhooks<'a>(pub(crate) &'a Inner);

impl Webhooks<'_> {
    /// Returns the event that the service sent. `body` must be the received bytes, not parsed JSON. `headers` are
    /// pairs of name and value, such as `&http::HeaderMap`.
    ///
    /// The event does not prove whose confirmation it is: accept an id only if you stored it, and only
    /// once.
    ///
    /// # Errors
    ///
    /// Fails with [`Error::Webhook`] if the service did not send it, or with [`Error::KeysUnavailable`] if its keys
    /// cannot be fetched at the moment.
    pub async fn verify<N: AsRef<str>, V: AsRef<[u8]>>(
        self,
        body: &[u8],
        headers: impl IntoIterator<Item = (N, V)>,
    ) -> Result<Event, Error> {
        self.verify_named(body, &Headers::new(headers)).await
    }

    pub(crate) async fn verify_named(self, body: &[u8], headers: &Headers) -> Result<Event, Error> {
        match &self.0.verification {
            Verification::Unset => self.0.verification.require()?,
            Verification::Secrets(secrets) => self.by_secret(secrets, body, headers).await?,
            Verification::PublishedKeys => self.by_published_key(body, headers).await?,
        }
        Ok(parse(body).ok_or(WebhookReason::NotAnEvent)?)
    }

    async fn by_secret(
        self,
        secrets: &[Vec<u8>],
        body: &[u8],
        headers: &Headers,
    ) -> Result<(), WebhookReason> {
        let id = headers.required("webhook-id")?;
        let timestamp = headers.required("webhook-timestamp")?;
        let signatures = headers.required("webhook-signature")?;
        let is_signed = secrets.iter().any(|secret| {
            let mac = hmac(
                secret,
                &[id.as_bytes(), b".", timestamp.as_bytes(), b".", body],
            );
            let expected = format!("v1,{}", BASE64_STANDARD.encode(mac));
            // Other signatures may precede or follow it, separated by a space or a comma.
            versions(signatures).any(|given| given.as_bytes().ct_eq(expected.as_bytes()).into())
        });
        if !is_signed {
            return Err(WebhookReason::SignatureWrong);
        }
        // Done after the signature check, so that only the service can make us request the time.
        let is_whole = timestamp.len() <= 12 && timestamp.bytes().all(|byte| byte.is_ascii_digit());
        let sent_at = timestamp.parse::<f64>().ok().filter(|_| is_whole);
        let sent_at = sent_at.ok_or(WebhookReason::TimestampOutOfRange)?;
        if (self.0.keys.time().await - sent_at).abs() > TOLERANCE_SECONDS {
            return Err(WebhookReason::TimestampOutOfRange);
        }
        Ok(())
    }

    async fn by_published_key(self, body: &[u8], headers: &Headers) -> Result<(), Error> {
        let key_id = headers.required("x-signature-key-id")?;
        let signature = headers.required("x-signature")?;
        // A malformed id, such as one from a duplicated header, causes no fetch.
        let is_id = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        if key_id.len() > MAX_KEY_ID || !key_id.bytes().all(is_id) {
            return Err(WebhookReason::SignatureWrong.into());
        }
        let key = self
            .0
            .keys
            .find(key_id)
            .await?
            .ok_or(WebhookReason::SignatureWrong)?;
        let signature = BASE64_STANDARD.decode(signature).ok();
        let signature = signature.and_then(|der| Signature::from_der(&der).ok());
        let verified = signature.is_some_and(|signature| key.verify(body, &signature).is_ok());
        if verified {
            Ok(())
        } else {
            Err(WebhookReason::SignatureWrong.into())
        }
    }
}

impl fmt::Debug for Webhooks<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Webhooks")
    }
}

/// Returns the signatures in a header, each starting with its version. The Base64 after `v1,` may begin like a
/// version, but a comma cannot follow there.
fn versions(signatures: &str) -> impl Iterator<Item = &str> {
    let starts = signatures.char_indices().filter_map(|(at, _)| {
        let before = signatures[..at].chars().next_back();
        let is_break = before.is_none_or(|before| matches!(before, ' ' | ','));
        (is_break && is_version(&signatures[at..])).then_some(at)
    });
    let starts: Vec<usize> = starts.collect();
    let ends = starts
        .iter()
        .skip(1)
        .copied()
        .chain([signatures.len()])
        .collect::<Vec<_>>();
    let pairs = starts.into_iter().zip(ends);
    pairs.map(move |(start, end)| signatures[start..end].trim_end_matches([' ', ',']))
}

/// Returns whether a text begins with a version, such as `v1,` or `v1a,`.
fn is_version(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('v') else {
        return false;
    };
    let letters = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    letters.len() < rest.len()
        && letters
            .trim_start_matches(|c: char| c.is_ascii_lowercase())
            .starts_with(',')
}

/// Headers by their lower-case names. Several values are joined with commas, as HTTP specifies.
pub(crate) struct Headers(HashMap<String, String>);

impl Headers {
    pub(crate) fn new<N: AsRef<str>, V: AsRef<[u8]>>(
        pairs: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        let mut named: HashMap<String, String> = HashMap::new();
        for (name, value) in pairs {
            let value = String::from_utf8_lossy(value.as_ref());
            let joined = named.entry(name.as_ref().to_ascii_lowercase());
            let joined = joined
                .and_modify(|before| before.push_str(", "))
                .or_default();
            joined.push_str(value.trim());
        }
        Self(named)
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    fn required(&self, name: &str) -> Result<&str, WebhookReason> {
        self.get(name)
            .filter(|value| !value.is_empty())
            .ok_or(WebhookReason::SignatureMissing)
    }
}

fn parse(body: &[u8]) -> Option<Event> {
    let event: Members = serde_json::from_slice(body).ok()?;
    let text = |name: &str| {
        event
            .get(name)
            .and_then(Value::as_str)
            .filter(|text| !text.is_empty())
    };
    if matches!(text("event"), Some("login.confirmed" | "login.denied")) {
        text("sessionId")?;
        matches!(text("result"), Some("confirmed" | "denied")).then_some(())?;
        return serde_json::from_value(Value::Object(event))
            .ok()
            .map(Event::Login);
    }
    if text("event") == Some("phone.registered") {
        for member in ["registrationId", "publicUserId", "keyId"] {
            text(member)?;
        }
        return serde_json::from_value(Value::Object(event))
            .ok()
            .map(Event::PhoneRegistered);
    }
    let (_, _) = text("confirmationId").zip(text("phoneNumber"))?;
    (text("validationStatus") == Some("valid")).then_some(())?;
    serde_json::from_value(Value::Object(event))
        .ok()
        .map(Event::VerifiedNumber)
}
