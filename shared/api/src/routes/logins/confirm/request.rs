//! The body of `POST /qr-sessions/{id}/confirm`.

use countersign_domain::login::payload::PayloadError;
use countersign_domain::login::phone_payload::{MAX_PROOF_BYTES, PhonePayloadError};
use countersign_domain::login::{Payload, PhonePayload, Proof, Salt};
use serde::Deserialize;
use utoipa::openapi::schema::{ObjectBuilder, SchemaType, Type};
use utoipa::openapi::{OneOfBuilder, Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::extract::fields::{self, sentence};
use crate::problem::{Problem, ProblemCode};
use crate::routes::logins::decision::{self, PAYLOAD};

const SALT: &str = "/salt";
const PROOF: &str = "/proof";

/// Problems of this body.
pub(super) const PROBLEMS: &[ProblemCode] = &[
    ProblemCode::PayloadNotSealed,
    ProblemCode::SaltMalformed,
    ProblemCode::SaltExposed,
    ProblemCode::ProofMalformed,
];

/// The body, in one of two forms.
pub(crate) struct ConfirmSessionRequest;

impl PartialSchema for ConfirmSessionRequest {
    fn schema() -> RefOr<Schema> {
        OneOfBuilder::new()
            .title(Some("ConfirmSessionRequest"))
            .description(Some("The body of `POST /qr-sessions/{id}/confirm`."))
            .item(Ref::from_schema_name("SealedConfirmation"))
            .item(Ref::from_schema_name("ReadableConfirmation"))
            .into()
    }
}

impl ToSchema for ConfirmSessionRequest {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        let sealed = SealedConfirmation::schema();
        schemas.push(("SealedConfirmation".to_owned(), sealed));
        let readable = ReadableConfirmation::schema();
        schemas.push(("ReadableConfirmation".to_owned(), readable));
    }
}

/// A payload that is encrypted for the browser's key. Required for ids that begin with `qrs_`.
#[derive(ToSchema)]
#[schema(title = "SealedConfirmation", rename_all = "camelCase")]
#[expect(dead_code, reason = "describes one form of the body")]
struct SealedConfirmation {
    /// Base64url of HPKE's `enc || ciphertext`, without padding. The plaintext is the JSON object
    /// `{"payload": …, "salt": …}`.
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
    #[schema(schema_with = proof, required = false)]
    proof: (),
}

/// A payload that the service can read. Required for ids that begin with `qrp_`.
#[derive(ToSchema)]
#[schema(title = "ReadableConfirmation", rename_all = "camelCase")]
#[expect(dead_code, reason = "describes one form of the body")]
struct ReadableConfirmation {
    /// Free-form text of at most 8,192 bytes, which may be empty.
    #[schema(max_length = 8192, examples("session-token"))]
    payload: String,
    #[schema(schema_with = false_or_null, required = false)]
    encrypted: (),
    /// The salt of the proof: 16 random bytes in base64url without padding. Required with `proof`.
    #[schema(
        pattern = "^[A-Za-z0-9_-]{21}[AQgw]$",
        examples("UUFMXVgyWm5rQ1ZKc0tXUQ")
    )]
    salt: Option<String>,
    #[schema(schema_with = proof, required = false)]
    proof: (),
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

fn proof() -> Schema {
    ObjectBuilder::new()
        .schema_type(SchemaType::from_iter([Type::String, Type::Null]))
        .description(Some(
            "The proof of who confirmed, signed with the phone's association key: a JWT in compact form of at most 2,048 \
             bytes, or five parts if the key is a passkey. The browser gets it with the payload.",
        ))
        .max_length(Some(MAX_PROOF_BYTES))
        .pattern(Some(
            r"^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+){2}((\.[A-Za-z0-9_-]+){2})?$",
        ))
        .build()
        .into()
}

/// The members of both forms.
#[derive(Deserialize)]
struct Confirmation {
    payload: Option<String>,
    encrypted: Option<bool>,
    salt: Option<String>,
    proof: Option<String>,
}

pub(super) fn parse(body: &[u8]) -> Result<PhonePayload, Problem> {
    let request: Confirmation = fields::read(body)?;
    let text = decision::payload(request.payload)?;
    let payload = if request.encrypted.unwrap_or(false) {
        Payload::encrypted(text)
    } else {
        Payload::clear(text)
    };
    let payload = payload.map_err(payload_problem)?;
    let salt = fields::parsed::<Salt>(request.salt.as_deref(), SALT, ProblemCode::SaltMalformed)?;
    let code = ProblemCode::ProofMalformed;
    let proof = fields::parsed::<Proof>(request.proof.as_deref(), PROOF, code)?;
    PhonePayload::new(payload, salt, proof).map_err(phone_payload_problem)
}

fn payload_problem(error: PayloadError) -> Problem {
    match error {
        PayloadError::TooLong => decision::too_long(),
        PayloadError::NotSealed => Problem::new(ProblemCode::PayloadNotSealed)
            .detail(sentence(&error))
            .at(PAYLOAD),
    }
}

fn phone_payload_problem(error: PhonePayloadError) -> Problem {
    let code = match error {
        PhonePayloadError::SaltMissing => ProblemCode::FieldMissing,
        PhonePayloadError::SaltExposed => ProblemCode::SaltExposed,
    };
    Problem::new(code).detail(sentence(&error)).at(SALT)
}
