//! Headers that carry a webhook's identity and signature.

use countersign_domain::delivery::sender::WebhookRequest;
use http::header::InvalidHeaderValue;
use http::{HeaderMap, HeaderName, HeaderValue};

/// Returns the webhook's headers. Fails if a value is not allowed in a header, which no signer
/// produces.
pub(super) fn of(request: &WebhookRequest) -> Result<HeaderMap, InvalidHeaderValue> {
    let WebhookRequest {
        webhook_id,
        attempted_at,
        signature,
        ..
    } = request;
    let values = [
        ("webhook-id", HeaderValue::from_str(webhook_id.as_str())?),
        (
            "webhook-timestamp",
            HeaderValue::from(attempted_at.as_secs()),
        ),
        (
            "x-signature",
            HeaderValue::from_str(&signature.to_header())?,
        ),
        (
            "x-signature-key-id",
            HeaderValue::from_str(signature.key_id.as_str())?,
        ),
    ];
    Ok(values
        .into_iter()
        .map(|(name, value)| (HeaderName::from_static(name), value))
        .collect())
}
