//! Which operation is answered with which problems.

use std::collections::BTreeMap;

use serde_json::Value;
use utoipa::openapi::example::ExampleBuilder;
use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::path::Operation;
use utoipa::openapi::response::ResponseBuilder;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{Components, ContentBuilder, Ref, RefOr};

use crate::problem::{CONTENT_TYPE, Problem, ProblemCode as P};
use crate::request_id::RequestId;

/// The header that every answer has.
const REQUEST_ID: &str = "x-request-id";

/// The headers of answers with a certain status.
const BY_STATUS: [(&str, &str, Type, &str); 3] = [
    (
        "401",
        "www-authenticate",
        Type::String,
        "What to prove oneself with (RFC 9110, section 11.6.1).",
    ),
    (
        "429",
        "retry-after",
        Type::Integer,
        "After how many seconds it is worth trying again.",
    ),
    (
        "503",
        "retry-after",
        Type::Integer,
        "After how many seconds it is worth trying again.",
    ),
];

/// Any request.
const ANY: &[P] = &[P::InternalError, P::ServiceUnavailable];
/// A request whose body is read, if only to be ignored.
const BODY: &[P] = &[P::BodyTooLarge, P::BodyTimeout, P::BodyIncomplete];
/// A request with an API key.
const KEY: &[P] = &[
    P::ApiKeyMissing,
    P::ApiKeyMalformed,
    P::ApiKeyUnknown,
    P::ApiKeyRevoked,
];
/// A request that begins something that is stored.
const ROOM: &[P] = &[P::StorageLow, P::StorageNotWritable];
/// A request that starts a session.
const START: &[P] = &[
    P::UnsupportedContentType,
    P::MalformedJson,
    P::BodyNotObject,
    P::DuplicateField,
    P::IdempotencyKeyMalformed,
    P::IdempotencyKeyReused,
    P::FieldMissing,
    P::FieldWrongType,
    P::FieldNotUnicode,
    P::CallbackUrlTooLong,
    P::CallbackUrlMalformed,
    P::CallbackUrlNotHttps,
    P::CallbackPortForbidden,
    P::CallbackAddressForbidden,
    P::CallbackOriginNotAllowed,
    P::MetadataTooLarge,
    P::MetadataTooManyKeys,
    P::MetadataTooDeep,
    P::MetadataDuplicateKey,
    P::MetadataKeyForbidden,
    P::MetadataNumberInexact,
    P::AppRateExceeded,
    P::AppOpenExceeded,
];

/// A request about a login session.
const SESSION: &[P] = &[P::TooManyMisses];
/// A request with an app key.
const APP_KEY: &[P] = &[P::AppKeyMissing, P::AppKeyMalformed, P::AppKeyUnknown];
/// A request with a session's token.
const TOKEN: &[P] = &[P::TokenMissing, P::SessionNotFound];
/// A request that a session's end forbids.
const ENDED: &[P] = &[
    P::SessionConsumed,
    P::SessionDenied,
    P::SessionBlocked,
    P::SessionCancelled,
    P::SessionExpired,
];
/// A request whose JSON is read.
const JSON: &[P] = &[
    P::UnsupportedContentType,
    P::MalformedJson,
    P::BodyNotObject,
    P::DuplicateField,
    P::FieldWrongType,
    P::FieldNotUnicode,
];
/// A request with a payload.
const PAYLOAD: &[P] = &[P::FieldMissing, P::PayloadTooLong, P::PayloadNotSealed];

/// The problems that an operation may be answered with.
fn of(operation: &str) -> Vec<&'static [P]> {
    match operation {
        "acquirePhoneNumber" => vec![ANY, BODY, KEY, START, ROOM],
        "makeConfirmation" => vec![
            ANY,
            BODY,
            KEY,
            START,
            ROOM,
            &[P::PhoneNumberNotInternational, P::PhoneNumberNotPossible],
        ],
        "getConfirmation" => vec![ANY, BODY, KEY, &[P::ConfirmationNotFound]],
        "cancelConfirmation" => vec![
            ANY,
            BODY,
            KEY,
            &[
                P::ConfirmationNotFound,
                P::ConfirmationVerified,
                P::ConfirmationExpired,
                P::ConfirmationCancelled,
            ],
        ],
        "redactConfirmation" => vec![
            ANY,
            BODY,
            KEY,
            &[P::ConfirmationNotFound, P::ConfirmationOpen, P::WebhookOwed],
        ],
        "redeliverWebhook" => vec![
            ANY,
            BODY,
            KEY,
            &[
                P::ConfirmationNotFound,
                P::ConfirmationOpen,
                P::ConfirmationExpired,
                P::ConfirmationCancelled,
                P::ConfirmationRedacted,
                P::DeliveryInFlight,
            ],
        ],
        "receiveText" => vec![
            ANY,
            BODY,
            &[
                P::NotFound,
                P::InboundNotAuthentic,
                P::InboundTooOld,
                P::InboundMalformed,
            ],
        ],
        operation => of_logins(operation),
    }
}

/// The same for logins, and for what needs nothing.
fn of_logins(operation: &str) -> Vec<&'static [P]> {
    match operation {
        "createSession" => vec![
            ANY,
            SESSION,
            &[P::TooManySessions, P::AppRateExceeded, P::AppOpenExceeded],
            APP_KEY,
            BODY,
            JSON,
            ROOM,
            &[
                P::OriginNotAllowed,
                P::LinkHostMissing,
                P::FieldMissing,
                P::BrowserKeyMalformed,
            ],
        ],
        "getSession" => vec![ANY, SESSION, TOKEN, BODY],
        "cancelSession" => vec![ANY, SESSION, TOKEN, BODY, ENDED],
        "redeemSession" => vec![ANY, SESSION, TOKEN, BODY, &[P::SessionNotConfirmed], ENDED],
        "initiateSession" => vec![
            ANY,
            SESSION,
            APP_KEY,
            TOKEN,
            BODY,
            JSON,
            &[
                P::PublicUserIdMalformed,
                P::SecondPhone,
                P::SessionEnded,
                P::SessionExpired,
            ],
        ],
        "confirmSession" => vec![
            ANY,
            SESSION,
            TOKEN,
            BODY,
            JSON,
            PAYLOAD,
            &[P::PayloadUnsuitable, P::RiskDenied, P::SessionConfirmed],
            ENDED,
        ],
        "denySession" => vec![
            ANY,
            SESSION,
            TOKEN,
            BODY,
            JSON,
            PAYLOAD,
            &[P::SessionConfirmed],
            ENDED,
        ],
        "getHealth" => vec![ANY, &[P::StorageNotWritable]],
        "getAssetLinks" | "getSiteAssociation" => vec![ANY, &[P::NotFound]],
        _ => vec![ANY],
    }
}

/// Adds to an operation what it may be answered with besides success, and the header that every
/// answer has.
pub(super) fn add_responses(operation: &mut Operation) {
    let name = operation.operation_id.clone().unwrap_or_default();
    let mut by_status = BTreeMap::<String, Vec<P>>::new();
    for code in of(&name).into_iter().flatten() {
        let status = code.status().as_str().to_owned();
        by_status.entry(status).or_default().push(*code);
    }
    let responses = &mut operation.responses.responses;
    for (status, codes) in by_status {
        let description: Vec<_> = codes
            .iter()
            .map(|code| format!("`{}`: {}.", code.as_str(), code.title()))
            .collect();
        let examples = codes.iter().map(|code| {
            let example = format!("#/components/examples/{}", code.as_str());
            (code.as_str(), RefOr::Ref(Ref::new(example)))
        });
        let content = ContentBuilder::new()
            .schema(Some(Ref::from_schema_name("Problem")))
            .examples_from_iter(examples);
        let response = ResponseBuilder::new()
            .description(description.join(" "))
            .content(CONTENT_TYPE, content.build());
        responses.insert(status, response.build().into());
    }
    for (status, response) in responses {
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

/// Adds what the responses refer to.
pub(super) fn add_components(components: &mut Components) {
    for code in P::ALL {
        let example = ExampleBuilder::new()
            .summary(code.title())
            .value(Some(example(*code)));
        let name = code.as_str().to_owned();
        components.examples.insert(name, example.build().into());
    }
    let of_statuses = BY_STATUS.map(|(_, name, kind, words)| (name, kind, words));
    let request_id = (
        REQUEST_ID,
        Type::String,
        "Names the request, in our log too.",
    );
    for (name, kind, words) in of_statuses.into_iter().chain([request_id]) {
        let header = HeaderBuilder::new()
            .schema(Some(ObjectBuilder::new().schema_type(kind)))
            .description(Some(words));
        let name = name.to_owned();
        components.headers.insert(name, RefOr::T(header.build()));
    }
}

/// A problem as it is answered, but for its detail.
fn example(code: P) -> Value {
    let id = RequestId::of_platform("req_5b0c8a41f2d94e6b7a13c0de");
    id.and_then(|id| serde_json::from_slice(&Problem::new(code).body(&id)).ok())
        .unwrap_or_default()
}
