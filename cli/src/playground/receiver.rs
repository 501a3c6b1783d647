//! The playground as a receiver of webhooks.
//!
//! It does what every receiver must do: it checks the signature over the raw body with the
//! published key, and accepts only confirmations that it started. Other users of the same
//! deployment get webhooks signed with the same key.

use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode};
use serde::Serialize;
use serde_json::Value;

use crate::published_keys::{self, PublishedKeys};

/// A received webhook.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Arrival {
    /// Sequence number; 1 for the first.
    pub(super) number: u32,
    /// Time of arrival: ISO 8601 with milliseconds.
    pub(super) received_at: String,
    /// Header names and values in their original order.
    pub(super) headers: Vec<(String, String)>,
    /// The raw body.
    pub(super) body: String,
    /// The verdict on the webhook.
    pub(super) verdict: Verdict,
    /// The HTTP status of the receiver's response.
    pub(super) answered: u16,
    /// True if an earlier webhook was accepted, so that this one contains nothing new.
    pub(super) repeat: bool,
}

/// The receiver's verdict on a webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Verdict {
    /// Signed by the service, and for the confirmation started here.
    Accepted,
    /// The signature is missing or malformed.
    SignatureMissing,
    /// Signed with a key not published by the service.
    KeyUnknown,
    /// The signature does not match this body.
    SignatureFalse,
    /// Signed by the service, but for another confirmation.
    NotOurs,
}

impl Verdict {
    /// Returns the status that the receiver answers with.
    pub(super) const fn status(self) -> StatusCode {
        match self {
            Self::Accepted => StatusCode::NO_CONTENT,
            Self::SignatureMissing | Self::KeyUnknown | Self::SignatureFalse => {
                StatusCode::FORBIDDEN
            }
            // The webhook will never be wanted here, so the service need not retry.
            Self::NotOurs => StatusCode::GONE,
        }
    }
}

/// Checks a webhook with the service's published keys. `ours` is the id of the confirmation started
/// here.
pub(super) fn verify(
    headers: &HeaderMap,
    body: &[u8],
    keys: &PublishedKeys,
    ours: &str,
) -> Verdict {
    let value = |name: &str| headers.get(name)?.to_str().ok();
    let Some(signature) = value("x-signature") else {
        return Verdict::SignatureMissing;
    };
    match keys.verify(body, signature, value("x-signature-key-id")) {
        published_keys::Verdict::Malformed => Verdict::SignatureMissing,
        published_keys::Verdict::UnknownKey => Verdict::KeyUnknown,
        published_keys::Verdict::Invalid => Verdict::SignatureFalse,
        published_keys::Verdict::Valid { .. } if is_about(body, ours) => Verdict::Accepted,
        published_keys::Verdict::Valid { .. } => Verdict::NotOurs,
    }
}

fn is_about(body: &[u8], confirmation_id: &str) -> bool {
    serde_json::from_slice::<Value>(body)
        .is_ok_and(|body| body["confirmationId"] == confirmation_id)
}

impl Arrival {
    /// Creates a record of a webhook that just arrived.
    pub(super) fn new(
        headers: &HeaderMap,
        body: &Bytes,
        received_at: String,
        verdict: Verdict,
    ) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let headers = headers
            .iter()
            .map(|(name, value)| (name.to_string(), text(value.as_bytes())));
        Self {
            number: 0,
            received_at,
            headers: headers.collect(),
            body: text(body),
            verdict,
            answered: verdict.status().as_u16(),
            repeat: false,
        }
    }
}
