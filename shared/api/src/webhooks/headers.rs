//! The headers of every webhook.

use utoipa::IntoParams;

/// The headers of every webhook.
#[derive(IntoParams)]
#[into_params(parameter_in = Header, rename_all = "kebab-case")]
#[expect(
    dead_code,
    reason = "describes the headers, which the dispatcher sends"
)]
pub(super) struct WebhookHeaders {
    /// `v1,` and the Base64 of HMAC-SHA256 over `id.timestamp.body` with the app's secret, as in Standard Webhooks. Two
    /// signatures, separated by a space, while the secret is being replaced.
    webhook_signature: String,
    /// Base64 of the DER ECDSA P-256 SHA-256 signature over the body's bytes.
    x_signature: String,
    /// `kid` of the key in /.well-known/jwks.json.
    x_signature_key_id: String,
    /// The id of the webhook, the same for every attempt and every redelivery. `x-signature` does not cover it.
    webhook_id: String,
    /// When this attempt was made, in seconds since 1970. `x-signature` does not cover it.
    webhook_timestamp: String,
}
