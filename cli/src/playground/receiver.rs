//! The playground as a receiver of webhooks: what came, and whether to believe it.
//!
//! It does what every receiver must. It checks the signature over the body as it came, with the
//! published key, and takes only the confirmation that it began: whoever else uses the same
//! deployment gets webhooks signed with the same key.

use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode};
use serde::Serialize;
use serde_json::Value;

use crate::published_keys::{self, PublishedKeys};

/// A webhook that came.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Arrival {
    /// 1 for the first.
    pub(super) number: u32,
    /// When it came: ISO 8601 with milliseconds.
    pub(super) received_at: String,
    /// Names and values, in the order in which they came.
    pub(super) headers: Vec<(String, String)>,
    /// The body as it came.
    pub(super) body: String,
    /// Whether to believe it.
    pub(super) verdict: Verdict,
    /// The HTTP status that it was answered with.
    pub(super) answered: u16,
    /// Whether another was accepted before, so that this one tells nothing new.
    pub(super) repeat: bool,
}

/// What a receiver makes of a webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Verdict {
    /// Signed by the service, and about the confirmation that was begun here.
    Accepted,
    /// Not signed, or not in the form of a signature.
    SignatureMissing,
    /// Signed with a key that the service does not publish.
    KeyUnknown,
    /// The signature is not over this body.
    SignatureFalse,
    /// Signed by the service, but not about the confirmation that was begun here.
    NotOurs,
}

impl Verdict {
    /// What the receiver answers.
    pub(super) const fn status(self) -> StatusCode {
        match self {
            Self::Accepted => StatusCode::NO_CONTENT,
            Self::SignatureMissing | Self::KeyUnknown | Self::SignatureFalse => {
                StatusCode::FORBIDDEN
            }
            // Nobody will ever want it here, so the service need not try again.
            Self::NotOurs => StatusCode::GONE,
        }
    }
}

/// Judges a webhook by the service's published keys. `ours` is the confirmation begun here.
pub(super) fn judge(headers: &HeaderMap, body: &[u8], keys: &PublishedKeys, ours: &str) -> Verdict {
    let value = |name: &str| headers.get(name)?.to_str().ok();
    let Some(signature) = value("x-signature") else {
        return Verdict::SignatureMissing;
    };
    match keys.judge(body, signature, value("x-signature-key-id")) {
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
    /// A webhook that came just now and was judged.
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
