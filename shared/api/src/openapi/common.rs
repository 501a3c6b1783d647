//! The parts that all operations have in common.

use serde_json::Value;
use utoipa::openapi::example::ExampleBuilder;
use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::{ObjectBuilder, SchemaType, Type};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{Components, Ref, RefOr, Required, Schema};

use crate::problem::{Problem, ProblemCode};

/// The header of every answer.
const REQUEST_ID: &str = "x-request-id";

/// Headers of answers with a certain status: status, name, type and description.
const BY_STATUS: [(&str, &str, Type, &str); 3] = [
    (
        "401",
        "www-authenticate",
        Type::String,
        "How to authenticate (RFC 9110, section 11.6.1).",
    ),
    (
        "429",
        "retry-after",
        Type::Integer,
        "Seconds to wait before a retry.",
    ),
    (
        "503",
        "retry-after",
        Type::Integer,
        "Seconds to wait before a retry.",
    ),
];

/// Adds the headers that the operation's answers have because of their status.
pub(super) fn add_headers(operation: &mut Operation) {
    for (status, response) in &mut operation.responses.responses {
        let RefOr::T(response) = response else {
            continue;
        };
        let of_status = BY_STATUS.iter().filter(|(of, ..)| of == status);
        let names = of_status.map(|(_, name, ..)| *name).chain([REQUEST_ID]);
        for name in names {
            let header = Ref::new(format!("#/components/headers/{name}"));
            response.headers.insert(name.to_owned(), RefOr::Ref(header));
        }
    }
}

/// Marks the operation's body as optional if its schema requires no member: an empty body counts as
/// `{}`.
pub(super) fn allow_empty_body(operation: &mut Operation, components: &Components) {
    let Some(RefOr::T(body)) = &mut operation.request_body else {
        return;
    };
    let schemas = body.content.values().map(|content| match content {
        RefOr::T(content) => content.schema.as_ref(),
        RefOr::Ref(_) => None,
    });
    if schemas
        .flatten()
        .all(|schema| accepts_empty(schema, components))
    {
        body.required = Some(Required::False);
    }
}

/// Returns whether a schema, or the schema that it refers to, accepts `{}`.
fn accepts_empty(schema: &RefOr<Schema>, components: &Components) -> bool {
    match schema {
        RefOr::Ref(reference) => {
            let name = reference.ref_location.rsplit('/').next();
            let schema = name.and_then(|name| components.schemas.get(name));
            schema.is_some_and(|schema| accepts_empty(schema, components))
        }
        RefOr::T(Schema::Object(object)) => object.required.is_empty(),
        RefOr::T(_) => false,
    }
}

/// Adds the ways to authenticate.
pub(super) fn add_security(components: &mut Components) {
    for (name, header, description) in [
        ("apiKey", "x-api-key", "The secret key of your server."),
        (
            "appKey",
            "x-app-key",
            "The public key of an app, for browsers and phones.",
        ),
    ] {
        let key = ApiKeyValue::with_description(header, description);
        components.add_security_scheme(name, SecurityScheme::ApiKey(ApiKey::Header(key)));
    }
    for (name, description) in [
        (
            "clientToken",
            "`client.token` of a confirmation, for the page that shows it.",
        ),
        (
            "browserToken",
            "32 random bytes in base64url without padding, which the browser generated for the login.",
        ),
        (
            "pageToken",
            "For a page that shows a login of the app's server, and may only watch it: base64url without padding of SHA-256 over \
             `countersign/login-page-token/1`, a zero byte, and the 32 bytes of the login's `browserToken`.",
        ),
        (
            "mobileToken",
            "32 random bytes in base64url without padding, which the phone generated for the login.",
        ),
        (
            "setupPageToken",
            "`pageToken` of a phone registration, for the page where the user is logged in.",
        ),
        (
            "setupPhoneToken",
            "32 random bytes in base64url without padding, which the phone generated for the registration.",
        ),
    ] {
        let bearer = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .description(Some(description));
        components.add_security_scheme(name, SecurityScheme::Http(bearer.build()));
    }
}

/// Adds the examples and headers that answers refer to.
pub(super) fn add_examples(components: &mut Components) {
    for code in ProblemCode::ALL {
        let example = ExampleBuilder::new()
            .summary(code.title())
            .value(Some(example(*code)));
        let name = code.as_str().to_owned();
        components.examples.insert(name, example.build().into());
    }
    let by_status = BY_STATUS.map(|(_, name, kind, description)| (name, kind, description));
    let request_id = (
        REQUEST_ID,
        Type::String,
        "The request's id, which is also in the service's log.",
    );
    for (name, kind, description) in by_status.into_iter().chain([request_id]) {
        let header = HeaderBuilder::new()
            .schema(Some(
                ObjectBuilder::new().schema_type(SchemaType::Type(kind)),
            ))
            .description(Some(description));
        let name = name.to_owned();
        components.headers.insert(name, RefOr::T(header.build()));
    }
}

/// Returns an example of a problem, without a detail.
fn example(code: ProblemCode) -> Value {
    let body = Problem::new(code).body("req_5b0c8a41f2d94e6b7a13c0de");
    serde_json::from_slice(&body).unwrap_or_default()
}
