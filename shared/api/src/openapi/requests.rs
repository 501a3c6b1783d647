//! Bodies of requests, for the description: what is read is read field by field, so that each can
//! be answered for.
#![expect(dead_code, reason = "these types describe, and are never made")]

use serde_json::json;
use utoipa::openapi::schema::{ObjectBuilder, SchemaType, Type};
use utoipa::openapi::{OneOfBuilder, Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// Metadata as callers send it.
fn metadata() -> Schema {
    let words = "What you want back in the webhook: at most 50 keys, 16 levels, and 4,096 bytes in \
        canonical form.";
    ObjectBuilder::new()
        .schema_type(SchemaType::Array(vec![Type::Object, Type::Null]))
        .description(Some(words))
        .max_properties(Some(50))
        .examples([json!({"orderId": "17"})])
        .build()
        .into()
}

/// The one boolean that is allowed.
fn exactly(value: bool) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::Boolean)
        .enum_values(Some([value]))
}

/// The body of `POST /acquire-phone-number`. `null` counts as absent.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct AcquireRequest {
    /// Where the webhook goes: https, on port 443 or 8443, to a public address. May be left out
    /// where the app has a default.
    #[schema(
        format = "uri",
        max_length = 2048,
        pattern = r"^https?://[^\s\\#]+$",
        examples("https://example.com/webhooks/countersign")
    )]
    callback_url: Option<String>,
    #[schema(schema_with = metadata, required = false)]
    metadata: Option<()>,
}

/// The body of `POST /make-confirmation`. `null` counts as absent.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct ConfirmRequest {
    /// The number to confirm, in international form. Spaces, dots, hyphens and brackets are
    /// dropped.
    #[schema(
        format = "phone",
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
        pattern = r"^https?://[^\s\\#]+$",
        examples("https://example.com/webhooks/countersign")
    )]
    callback_url: Option<String>,
    #[schema(schema_with = metadata, required = false)]
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
        pattern = "^B[A-P][A-Za-z0-9_-]{84}[AEIMQUYcgkosw048]$",
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
    /// At most 256 characters, none of them a control character.
    #[schema(
        min_length = 1,
        max_length = 256,
        pattern = r"^[^\x00-\x1f\x7f-\x9f]+$",
        examples("person@example.com")
    )]
    public_user_id: Option<String>,
}

/// A payload that was encrypted for the browser's key.
#[derive(ToSchema)]
pub(crate) struct SealedDecision {
    /// Base64url of HPKE's `enc || ciphertext`, without padding.
    #[schema(
        min_length = 108,
        max_length = 8192,
        pattern = "^B[A-P][A-Za-z0-9_-]{2}([A-Za-z0-9_-]{4}){26,}([A-Za-z0-9_-][AQgw]|[A-Za-z0-9_-]{2}[AEIMQUYcgkosw048])?$",
        examples(
            "BAswVXqfxOkOM1h9osfsETZbgKXK7xQ5XoOozfIXPGGGq9D1Gj9kia7T-B1CZ4yx1vsgRWqPtNn-I0htkrfcASYk0pD-qv8QZ1m6F0cWvT3uYw2nJc5kRaLh"
        )
    )]
    payload: String,
    #[schema(schema_with = is_encrypted)]
    encrypted: (),
}

fn is_encrypted() -> Schema {
    let words = "That it is encrypted.";
    exactly(true).description(Some(words)).build().into()
}

/// A payload that the service can read.
#[derive(ToSchema)]
pub(crate) struct ClearDecision {
    /// What the app has to say: free-form text of at most 8,192 bytes, which may be empty.
    #[schema(max_length = 8192, examples("session-token"))]
    payload: String,
    #[schema(schema_with = is_clear, required = false)]
    encrypted: (),
}

fn is_clear() -> Schema {
    OneOfBuilder::new()
        .description(Some("That it is not encrypted. May be left out."))
        .item(exactly(false))
        .item(ObjectBuilder::new().schema_type(Type::Null))
        .build()
        .into()
}

/// The body of `POST /qr-sessions/{id}/confirm` and `/deny`: one of two forms.
pub(crate) struct DecisionRequest;

impl PartialSchema for DecisionRequest {
    fn schema() -> RefOr<Schema> {
        OneOfBuilder::new()
            .description(Some(
                "The body of `POST /qr-sessions/{id}/confirm` and `/deny`.",
            ))
            .item(Ref::from_schema_name("SealedDecision"))
            .item(Ref::from_schema_name("ClearDecision"))
            .into()
    }
}

impl ToSchema for DecisionRequest {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push(("SealedDecision".to_owned(), SealedDecision::schema()));
        schemas.push(("ClearDecision".to_owned(), ClearDecision::schema()));
    }
}
