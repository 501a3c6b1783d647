//! The body of a decision: confirm or deny.

use countersign_domain::login::Payload;
use countersign_domain::login::payload::{MAX_BYTES, PayloadError};
use utoipa::openapi::schema::{ObjectBuilder, SchemaType, Type};
use utoipa::openapi::{OneOfBuilder, Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::extract::fields::{Fields, sentence};
use crate::problem::{Problem, ProblemCode};

/// Problems of a body with a payload.
pub(super) const PROBLEMS: &[ProblemCode] = &[
    ProblemCode::FieldMissing,
    ProblemCode::PayloadTooLong,
    ProblemCode::PayloadNotSealed,
];

/// The body of `POST /qr-sessions/{id}/confirm` and `/deny`: one of two forms.
pub(crate) struct DecisionRequest;

impl PartialSchema for DecisionRequest {
    fn schema() -> RefOr<Schema> {
        OneOfBuilder::new()
            .title(Some("DecisionRequest"))
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

/// A payload that is encrypted for the browser's key.
#[derive(ToSchema)]
#[schema(title = "SealedDecision")]
#[expect(
    dead_code,
    reason = "describes the body, whose members are parsed one by one"
)]
struct SealedDecision {
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
    #[schema(schema_with = always_true)]
    encrypted: (),
}

/// A payload that the service can read.
#[derive(ToSchema)]
#[schema(title = "ClearDecision")]
#[expect(
    dead_code,
    reason = "describes the body, whose members are parsed one by one"
)]
struct ClearDecision {
    /// Free-form text of at most 8,192 bytes, which may be empty.
    #[schema(max_length = 8192, examples("session-token"))]
    payload: String,
    #[schema(schema_with = false_or_null, required = false)]
    encrypted: (),
}

fn exactly(value: bool) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(SchemaType::Type(Type::Boolean))
        .enum_values(Some([value]))
}

fn always_true() -> Schema {
    let description = "The payload is encrypted.";
    exactly(true).description(Some(description)).build().into()
}

fn false_or_null() -> Schema {
    OneOfBuilder::new()
        .description(Some("The payload is not encrypted. May be absent."))
        .item(exactly(false))
        .item(ObjectBuilder::new().schema_type(SchemaType::Type(Type::Null)))
        .build()
        .into()
}

/// Parses `payload`, which is required, in the form that `encrypted` announces.
pub(super) fn payload(body: &[u8]) -> Result<Payload, Problem> {
    let at = "/payload";
    let fields = Fields::read(body)?;
    let text = fields.text("payload", at)?.ok_or_else(|| {
        Problem::new(ProblemCode::FieldMissing)
            .detail("Send payload, the string for the browser. It may be empty.")
            .at(at)
    })?;
    let encrypted = fields.boolean("encrypted", "/encrypted")?;
    let payload = if encrypted.unwrap_or(false) {
        Payload::encrypted(text.into_owned())
    } else {
        Payload::clear(text.into_owned())
    };
    payload.map_err(|error| problem(error).at(at))
}

fn problem(error: PayloadError) -> Problem {
    match error {
        PayloadError::TooLong => Problem::new(ProblemCode::PayloadTooLong)
            .detail(format!("Send at most {MAX_BYTES} bytes.")),
        PayloadError::NotSealed => {
            Problem::new(ProblemCode::PayloadNotSealed).detail(sentence(&error))
        }
    }
}
