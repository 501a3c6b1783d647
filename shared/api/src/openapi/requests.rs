//! Bodies of requests, for the description: what is read is read field by field, so that each can
//! be answered for.
#![expect(dead_code, reason = "these types describe, and are never made")]

use utoipa::ToSchema;

/// The body of `POST /acquire-phone-number`. `null` counts as absent.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct AcquireRequest {
    /// Where the webhook goes: https, on port 443 or 8443, to a public address. May be left out
    /// where the app has a default.
    #[schema(
        format = "uri",
        max_length = 2048,
        examples("https://example.com/webhooks/countersign")
    )]
    callback_url: Option<String>,
    /// What you want back in the webhook: at most 50 keys, 16 levels, and 4,096 bytes in canonical
    /// form.
    #[schema(value_type = Option<Object>, examples(json!({"orderId": "17"})))]
    metadata: Option<()>,
}

/// The body of `POST /make-confirmation`. `null` counts as absent.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct ConfirmRequest {
    /// The number to confirm, in international form. Spaces, dots, hyphens and brackets are
    /// dropped.
    #[schema(
        max_length = 64,
        pattern = r"^\+[0-9 ().-]+$",
        examples("+12025550100", "+1 (202) 555-0100")
    )]
    phone_number: String,
    /// Where the webhook goes: https, on port 443 or 8443, to a public address. May be left out
    /// where the app has a default.
    #[schema(
        format = "uri",
        max_length = 2048,
        examples("https://example.com/webhooks/countersign")
    )]
    callback_url: Option<String>,
    /// What you want back in the webhook: at most 50 keys, 16 levels, and 4,096 bytes in canonical
    /// form.
    #[schema(value_type = Option<Object>, examples(json!({"orderId": "17"})))]
    metadata: Option<()>,
}

/// A text that arrived.
#[derive(ToSchema)]
pub(crate) struct GenericText {
    /// The sender, in E.164.
    #[schema(examples("+12025550100"))]
    from: String,
    /// The number that it came to, as sessions have it in `sendTo`.
    #[schema(examples("+12025550199"))]
    to: String,
    /// What it says.
    #[schema(examples("CS-7Q2M0XK4V9T1BHNE"))]
    text: String,
    /// The sender's carrier, where you know it.
    #[schema(examples("Example Wireless"))]
    carrier: Option<String>,
}

/// The body of `POST /qr-sessions`. `null` counts as absent.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct CreateSessionRequest {
    /// The key to encrypt the payload for: an uncompressed P-256 point, 65 bytes in base64url
    /// without padding. An app may require it.
    #[schema(
        min_length = 87,
        max_length = 87,
        examples(
            "BAswVXqfxOkOM1h9osfsETZbgKXK7xQ5XoOozfIXPGGGq9D1Gj9kia7T-B1CZ4yx1vsgRWqPtNn-I0htkrfcASY"
        )
    )]
    browser_public_key: Option<String>,
}

/// The body of `POST /qr-sessions/{id}/initiate`. `null` counts as absent.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct InitiateSessionRequest {
    /// Who the person says that they are: a claim, which the history of their logins is kept by.
    /// At most 256 bytes, without control characters.
    #[schema(min_length = 1, max_length = 256, examples("person@example.com"))]
    public_user_id: Option<String>,
}

/// The body of `POST /qr-sessions/{id}/confirm` and `/deny`.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct DecisionRequest {
    /// What the app has to say: free-form text of at most 8,192 bytes, which may be empty. Where
    /// `encrypted` is true, base64url of HPKE's `enc || ciphertext`.
    #[schema(max_length = 8192, examples("session-token"))]
    payload: String,
    /// Whether the payload is encrypted for the browser's key.
    #[schema(default = false)]
    encrypted: Option<bool>,
}
