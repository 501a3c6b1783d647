//! The body of `POST /qr-sessions`.

use std::borrow::Cow;

use countersign_domain::login::{BrowserPublicKey, Context};
use utoipa::ToSchema;

use crate::extract::fields::{Fields, sentence};
use crate::problem::{Problem, ProblemCode};

const ORIGIN: &str = "/origin";
const CONTEXT: &str = "/context";

/// Problems of this body.
pub(super) const PROBLEMS: &[ProblemCode] = &[
    ProblemCode::FieldMissing,
    ProblemCode::FieldServerOnly,
    ProblemCode::BrowserKeyMalformed,
    ProblemCode::ContextMalformed,
];

/// The body of `POST /qr-sessions`. `null` counts as absent.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(
    dead_code,
    reason = "describes the body, whose members are parsed one by one"
)]
pub(crate) struct CreateSessionRequest {
    /// The key to encrypt the payload for: an uncompressed P-256 point, 65 bytes in base64url without
    /// padding. Required, unless the app allows logins without a key and there is no `context`.
    #[schema(
        min_length = 87,
        max_length = 87,
        pattern = "^B[A-P][A-Za-z0-9_-]{84}[AEIMQUYcgkosw048]$",
        examples(
            "BAswVXqfxOkOM1h9osfsETZbgKXK7xQ5XoOozfIXPGGGq9D1Gj9kia7T-B1CZ4yx1vsgRWqPtNn-I0htkrfcASY"
        )
    )]
    browser_public_key: Option<String>,
    /// From the app's server only, which must send it: the origin that the phone shows, one of those
    /// that the app lists. Browsers send theirs as the header `Origin`.
    #[schema(examples("https://shop.example"))]
    origin: Option<String>,
    /// From the app's server only: the text that the person approves. At most 1,024 bytes and 12
    /// lines, in normalization form C, without characters that nobody sees or that reorder others, other
    /// than the line feed. A login with a context can only be confirmed with a proof.
    #[schema(min_length = 1, max_length = 1024, examples("Pay 20 EUR to Zoë"))]
    context: Option<String>,
}

/// Parses `browserPublicKey`, if present.
pub(super) fn browser_key(fields: &Fields<'_>) -> Result<Option<BrowserPublicKey>, Problem> {
    let at = "/browserPublicKey";
    let text = fields.text("browserPublicKey", at)?;
    text.map(|text| text.parse::<BrowserPublicKey>())
        .transpose()
        .map_err(|error| {
            Problem::new(ProblemCode::BrowserKeyMalformed)
                .detail(sentence(&error))
                .at(at)
        })
}

/// Returns `origin` of a server's request.
pub(super) fn origin<'a>(fields: &Fields<'a>) -> Result<Cow<'a, str>, Problem> {
    fields.text("origin", ORIGIN)?.ok_or_else(|| {
        Problem::new(ProblemCode::FieldMissing)
            .detail("Name the origin that the phone shows, one of those that the app lists.")
            .at(ORIGIN)
    })
}

/// Parses `context` of a server's request, if present.
pub(super) fn context(fields: &Fields<'_>) -> Result<Option<Context>, Problem> {
    let text = fields.text("context", CONTEXT)?;
    text.map(|text| text.parse::<Context>())
        .transpose()
        .map_err(|error| {
            Problem::new(ProblemCode::ContextMalformed)
                .detail(sentence(&error))
                .at(CONTEXT)
        })
}

/// Refuses a page's request with a field that only the app's server may send.
pub(super) fn refuse_server_fields(fields: &Fields<'_>) -> Result<(), Problem> {
    for (name, at) in [("origin", ORIGIN), ("context", CONTEXT)] {
        if fields.text(name, at)?.is_some() {
            return Err(Problem::new(ProblemCode::FieldServerOnly)
                .detail("Have the app's server open the login with its API key.")
                .at(at));
        }
    }
    Ok(())
}
