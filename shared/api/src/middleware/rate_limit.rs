//! The rate limit of the routes that browsers and phones call.

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use countersign_domain::event::{Event, Labels, LoginEvent};
use http::Method;

use super::log::LogFields;
use crate::problem::{Problem, ProblemCode};
use crate::rate_limit::source::Source;
use crate::state::ApiState;
use crate::viewer::Viewer;

/// Problems of a request behind the limit.
pub(crate) const PROBLEMS: &[ProblemCode] = &[ProblemCode::TooManyMisses];

/// Adds the [`Viewer`] and the [`Source`] to a request, and counts the request if it is a miss. A
/// miss beyond the limit is answered with 429 instead.
pub(crate) async fn limit_misses(
    State(state): State<ApiState>,
    mut request: Request,
    next: Next,
) -> Response {
    let viewer = match state.logins() {
        Ok(_) if *request.method() == Method::OPTIONS => return next.run(request).await,
        Ok(logins) => Viewer::of_request(&logins.viewers, &request),
        Err(problem) => Err(problem),
    };
    let viewer = match viewer {
        Ok(viewer) => viewer,
        Err(problem) => return problem.into_response(),
    };
    let source = Source::new(&viewer, request.headers());
    request.extensions_mut().insert(viewer);
    request.extensions_mut().insert(source);
    let response = next.run(request).await;
    if !response.extensions().get().is_some_and(is_miss) {
        return response;
    }
    let counted = state.rate_limiter().count_miss(source, state.clock.now());
    match counted {
        Ok(()) => response,
        Err(problem) => {
            state
                .metrics
                .count(&Event::Login(LoginEvent::MissLimited), Labels::default());
            refuse(&response, problem)
        }
    }
}

/// Replaces the answer of a miss beyond the limit. The log line keeps the login's id.
fn refuse(missed: &Response, problem: Problem) -> Response {
    let mut response = problem.into_response();
    if let Some(fields) = missed.extensions().get::<LogFields>() {
        response.extensions_mut().insert(fields.clone());
    }
    response
}

/// Returns whether the caller could not prove that a login, a confirmation or a phone registration is its own, named an unknown app, or
/// guessed the user of a login. Requests that are refused before any lookup are cheap and not counted.
fn is_miss(problem: &Problem) -> bool {
    matches!(
        problem.code(),
        ProblemCode::SessionNotFound
            | ProblemCode::ConfirmationNotFound
            | ProblemCode::RegistrationNotFound
            | ProblemCode::PasskeyUnknown
            | ProblemCode::AppKeyUnknown
            | ProblemCode::UserMismatch
    )
}
