//! The route of every provider except the generic one. Each provider gets the answer that it
//! expects, and the log records the answer in our format.

use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, State};
use axum::response::{IntoResponse as _, Response};
use countersign_inbound::{
    Call, CallResult, InboundError, Outcome, ProviderResponse, SPECS, generic,
};
use http::header::{ALLOW, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use super::handle_call::{CallError, CallOutcome, handle_call, remember};
use super::problem;
use crate::extract::body::{self, WholeBody};
use crate::middleware::log::LogFields;
use crate::problem::{Problem, ProblemCode};
use crate::schema::problems::problems;
use crate::state::ApiState;

problems![
    body::PROBLEMS,
    &[ProblemCode::NotFound, ProblemCode::MethodNotAllowed]
];

/// Receive a provider's call
///
/// The SMS provider calls this address with texts, in its own format and with its own credential:
/// `docs/providers.md` describes both. A disabled provider answers 404. Each provider gets the answer
/// that it expects, mostly without a body, whatever its texts caused. Refusals are 401 for a wrong
/// credential, and 400 for an authentic call of a different format; 503 asks the provider to retry.
#[utoipa::path(
    post,
    path = "/inbound-sms/{provider}",
    operation_id = "receiveTextsOfProvider",
    tag = "texts",
    params(("provider" = ProviderName, Path, description = "The provider.")),
    responses(
        (status = 200, description = "The call was taken."),
        (status = 400, description = "The call is authentic, and not of the provider's form. Without a body."),
        (status = 401, description = "The call is not the provider's, or too old. Without a body."),
        Problems,
    ),
)]
pub(crate) async fn receive(
    State(state): State<ApiState>,
    name: Result<Path<String>, PathRejection>,
    method: Method,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Result<WholeBody, Problem>,
) -> Response {
    let providers = state.inbound.providers.current().await;
    let name = name.map_or(String::new(), |Path(name)| name);
    let refused = |provider, why: InboundError| {
        remember(&state, provider, CallResult::Refused(why.code()));
    };
    let Some(provider) = providers.get(&name) else {
        if let Some(spec) = SPECS.iter().find(|spec| spec.name == name) {
            refused(spec.name, InboundError::NotConfigured);
        }
        return Problem::new(ProblemCode::NotFound).into_response();
    };
    if !provider.uses(&method) {
        refused(provider.name(), InboundError::Method);
        let mut response = Problem::new(ProblemCode::MethodNotAllowed).into_response();
        let allowed = if provider.uses(&Method::GET) {
            "GET,POST"
        } else {
            "POST"
        };
        let headers = response.headers_mut();
        headers.insert(ALLOW, HeaderValue::from_static(allowed));
        return response;
    }
    let body = match body {
        Ok(WholeBody(body)) => body,
        Err(problem) => {
            if problem.code() == ProblemCode::BodyTooLarge {
                refused(provider.name(), InboundError::TooLarge);
            }
            return problem.into_response();
        }
    };
    let call = Call {
        method: &method,
        query: query.as_deref(),
        headers: &headers,
        body: &body,
    };
    let (outcome, failed) = match handle_call(&state, provider, call).await {
        Ok(CallOutcome { answer, fields, .. }) => {
            let answer = answer.unwrap_or_else(|| provider.answer(Outcome::Taken));
            return write(answer, fields);
        }
        Err(CallError::Refused(error)) => (Outcome::Refused(error), CallError::Refused(error)),
        Err(unavailable) => (Outcome::Unavailable, unavailable),
    };
    let problem = problem(failed);
    let mut added = HeaderMap::new();
    problem.add_headers(&mut added);
    let fields = LogFields {
        provider: Some(provider.name()),
        problem: Some(problem),
        ..LogFields::default()
    };
    let mut response = write(provider.answer(outcome), fields);
    response.headers_mut().extend(added);
    response
}

/// Answer a provider's check of the address
///
/// Meta checks that the address is yours before it sends texts of WhatsApp, and Vonage may be set to send
/// texts in the query.
#[utoipa::path(
    get,
    path = "/inbound-sms/{provider}",
    operation_id = "checkAddressOfProvider",
    tag = "texts",
    params(("provider" = ProviderName, Path, description = "The provider.")),
    responses(
        (status = 200, description = "The call was taken. Meta gets its challenge back."),
        (status = 400, description = "The call is authentic, and not of the provider's form. Without a body."),
        (status = 401, description = "The call is not the provider's, or too old. Without a body."),
        Problems,
    ),
)]
#[expect(dead_code, reason = "describes what `receive` does with a GET")]
pub(crate) fn check_address() {}

/// Path parameter: the providers with an address, except the generic one. The settings decide which
/// providers are enabled.
pub(crate) struct ProviderName;

impl PartialSchema for ProviderName {
    fn schema() -> RefOr<Schema> {
        let routes = SPECS.iter().filter(|spec| spec.has_settings());
        let names = routes
            .map(|spec| spec.name)
            .filter(|name| *name != generic::NAME);
        ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some(
                "The providers with an address, besides the generic one.",
            ))
            .enum_values(Some(names.collect::<Vec<_>>()))
            .into()
    }
}

impl ToSchema for ProviderName {}

fn write(answer: ProviderResponse, fields: LogFields) -> Response {
    let mut response = Response::new(Body::from(answer.body));
    // Statuses are constants of the providers' modules, covered by tests.
    let status = StatusCode::from_u16(answer.status);
    *response.status_mut() = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    if let Some(kind) = answer.content_type {
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    }
    response.extensions_mut().insert(fields);
    response
}
