//! Webhooks as the service sends them.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use p256::ecdsa::Signature;
use p256::ecdsa::signature::Signer as _;
use serde_json::{Value, json};

use crate::fake::Key;

/// A request to a receiver.
#[derive(Clone)]
pub(crate) struct Webhook {
    pub(crate) body: Vec<u8>,
    pub(crate) headers: Vec<(&'static str, String)>,
}

impl Webhook {
    /// Creates an ordinary webhook.
    pub(crate) fn new(confirmation_id: &str, key: &Key) -> Self {
        Self::signed(body(confirmation_id, &json!({"order": "17"})), key)
    }

    /// Signs a webhook with this body.
    pub(crate) fn signed(body: impl Into<Vec<u8>>, key: &Key) -> Self {
        let body = body.into();
        let signature: Signature = key.secret.sign(&body);
        let headers = vec![
            ("content-type", "application/json".to_owned()),
            (
                "webhook-id",
                "msg_00000000000000000000000000000001".to_owned(),
            ),
            ("webhook-timestamp", "1767323045".to_owned()),
            ("x-signature-key-id", key.id.to_owned()),
            ("x-signature", BASE64_STANDARD.encode(signature.to_der())),
        ];
        Self { body, headers }
    }

    /// Replaces the value of a header, or removes the header.
    pub(crate) fn with(&self, name: &'static str, value: Option<&str>) -> Self {
        let mut changed = self.clone();
        changed.headers.retain(|(there, _)| *there != name);
        changed
            .headers
            .extend(value.map(|value| (name, value.to_owned())));
        changed
    }

    /// Returns the webhook with another body and the same headers.
    pub(crate) fn over(&self, body: impl Into<Vec<u8>>) -> Self {
        Self {
            body: body.into(),
            headers: self.headers.clone(),
        }
    }
}

/// Returns a body in the service's format: no whitespace, sorted keys.
pub(crate) fn body(confirmation_id: &str, metadata: &Value) -> String {
    json!({
        "carrier": "",
        "confirmationId": confirmation_id,
        "metadata": metadata,
        "phoneNumber": "+12025550100",
        "timestamp": "2026-01-02T03:04:05.678Z",
        "validationStatus": "valid",
    })
    .to_string()
}
