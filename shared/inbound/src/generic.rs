//! The generic provider: JSON signed by the Standard Webhooks scheme, for which every language has
//! a library.
//!
//! # Requests
//!
//! `POST` with the body `{"from","to","text","carrier"?}` and the headers of [Standard
//! Webhooks](https://www.standardwebhooks.com): `webhook-id` (the message's id, unchanged when it
//! is sent again), `webhook-timestamp` (seconds since the Unix epoch), and `webhook-signature`, a
//! space-separated list of `v1,` and the Base64 of HMAC-SHA256 over `id.timestamp.body`. The secret
//! is `whsec_` and Base64.
//!
//! Unknown members are ignored, and `carrier` may be `null`.

mod secret;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use countersign_domain::confirmation::text::InboundMessage;
use countersign_domain::primitives::canonical_json::{Members, ObjectWriter};
use countersign_domain::primitives::time::Timestamp;
use hmac::{Hmac, KeyInit, Mac};
use http::HeaderMap;
use sha2::Sha256;
use std::time::Duration;
use subtle::ConstantTimeEq;

pub use secret::{InboundSecret, MalformedSecret};

use crate::MAX_BODY;
use crate::error::{InboundError, MalformedText};
use crate::members::{optional_text, required_text};

/// The provider's name in the route.
pub const NAME: &str = "generic";
/// Name of the header with the message's id.
pub const ID_HEADER: &str = "webhook-id";
/// Name of the header with the time of sending.
pub const TIMESTAMP_HEADER: &str = "webhook-timestamp";
/// Name of the header with the signatures.
pub const SIGNATURE_HEADER: &str = "webhook-signature";

/// Maximum distance of the timestamp from now, in either direction.
pub const TOLERANCE: Duration = Duration::from_mins(5);

/// Maximum length of a message id, in bytes.
const MAX_ID: usize = 256;
/// Maximum length of a timestamp, in digits; eleven reach beyond the year 5000.
const MAX_TIMESTAMP: usize = 11;
/// Maximum number of signatures to check. Senders send more than one while a secret is being
/// replaced.
const MAX_SIGNATURES: usize = 16;

/// Authenticates a call and parses the text that it brings.
///
/// The time and the body are checked after the signature, so callers without the secret learn
/// nothing but [`InboundError::NotAuthentic`].
///
/// # Errors
///
/// Fails if no signature is right, the timestamp is too far from now, or the body is malformed.
pub fn authenticate_and_parse(
    secret: &InboundSecret,
    headers: &HeaderMap,
    body: &[u8],
    now: Timestamp,
) -> Result<InboundMessage, InboundError> {
    let (id, sent_at) = authenticate(secret, headers, body).ok_or(InboundError::NotAuthentic)?;
    if now.as_secs().abs_diff(sent_at) > TOLERANCE.as_secs() {
        return Err(InboundError::TooOld);
    }
    Ok(parse(id, body)?)
}

/// Returns the message's id and the time of sending if one of the signatures is right.
fn authenticate<'a>(
    secret: &InboundSecret,
    headers: &'a HeaderMap,
    body: &[u8],
) -> Option<(&'a str, u64)> {
    let id = only(headers, ID_HEADER)?;
    let timestamp = only(headers, TIMESTAMP_HEADER)?;
    let signatures = only(headers, SIGNATURE_HEADER)?;
    let is_id = (1..=MAX_ID).contains(&id.len());
    let is_timestamp = (1..=MAX_TIMESTAMP).contains(&timestamp.len())
        && timestamp.bytes().all(|c| c.is_ascii_digit());
    if !is_id || !is_timestamp || body.len() > MAX_BODY {
        return None;
    }
    let expected = mac(secret, id, timestamp, body);
    let authentic = signatures
        .split(' ')
        .take(MAX_SIGNATURES)
        .filter_map(|signature| signature.strip_prefix("v1,"))
        .filter_map(|encoded| BASE64_STANDARD.decode(encoded).ok())
        .any(|given| given.as_slice().ct_eq(&expected).into());
    authentic.then_some((id, timestamp.parse().ok()?))
}

/// Returns a header's value if the header occurs exactly once and is visible ASCII.
fn only<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => value.to_str().ok(),
        _ => None,
    }
}

/// Computes HMAC-SHA256 over `id.timestamp.body`.
fn mac(secret: &InboundSecret, id: &str, timestamp: &str, body: &[u8]) -> [u8; 32] {
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.bytes()) else {
        unreachable!("HMAC takes a key of any length (RFC 2104)")
    };
    for part in [id.as_bytes(), b".", timestamp.as_bytes(), b".", body] {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

/// Parses the text in the body.
fn parse(id: &str, body: &[u8]) -> Result<InboundMessage, MalformedText> {
    let members = Members::parse(body).map_err(MalformedText::Json)?;
    Ok(InboundMessage {
        provider: NAME,
        message_id: id.to_owned(),
        from: required_text(&members, "from")?,
        to: required_text(&members, "to")?,
        text: required_text(&members, "text")?,
        carrier: optional_text(&members, "carrier")?,
    })
}

/// Returns the body that brings a text, without `carrier` if it is unknown.
#[must_use]
pub fn body(from: &str, to: &str, text: &str, carrier: Option<&str>) -> String {
    let writer = ObjectWriter::new()
        .string("from", from)
        .string("to", to)
        .string("text", text);
    match carrier {
        Some(carrier) => writer.string("carrier", carrier),
        None => writer,
    }
    .finish()
    .into_string()
}

/// Returns the headers that authenticate a call with this [`body`], by name.
///
/// `id` identifies the message and must stay the same when it is sent again: 1 to 256 visible ASCII
/// characters.
#[must_use]
pub fn sign(
    secret: &InboundSecret,
    id: &str,
    now: Timestamp,
    body: &[u8],
) -> [(&'static str, String); 3] {
    let timestamp = now.as_secs().to_string();
    let signature = BASE64_STANDARD.encode(mac(secret, id, &timestamp, body));
    [
        (ID_HEADER, id.to_owned()),
        (TIMESTAMP_HEADER, timestamp),
        (SIGNATURE_HEADER, format!("v1,{signature}")),
    ]
}
