use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use countersign_domain::event::{Event, LoginEvent};
use http::Method;

use super::Source;
use crate::frame::Noted;
use crate::problem::{Problem, ProblemCode};
use crate::state::ApiState;
use crate::viewer::Viewer;

/// Leaves where a request to the routes of login sessions came from for the handlers, and counts
/// it if it missed. A miss beyond the limit is answered 429. Other requests pass.
pub(crate) async fn guard(
    State(state): State<ApiState>,
    mut request: Request,
    next: Next,
) -> Response {
    if !is_about_a_session(&request) {
        return next.run(request).await;
    }
    let viewer = match state.logins() {
        Ok(_) if *request.method() == Method::OPTIONS => return next.run(request).await,
        Ok(logins) => Viewer::of(&logins.viewers, &request),
        Err(problem) => Err(problem),
    };
    let viewer = match viewer {
        Ok(viewer) => viewer,
        Err(problem) => return problem.into_response(),
    };
    let source = Source::of(&viewer, request.headers());
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
            state.metrics.count(&Event::Login(LoginEvent::MissLimited));
            refuse(&response, problem)
        }
    }
}

/// The answer of a miss beyond the limit. The log line names the same session as without it.
fn refuse(missed: &Response, problem: Problem) -> Response {
    let mut response = problem.into_response();
    if let Some(noted) = missed.extensions().get::<Noted>() {
        response.extensions_mut().insert(noted.clone());
    }
    response
}

/// Whether the request was matched to a route of login sessions.
fn is_about_a_session(request: &Request) -> bool {
    let route = request.extensions().get().map_or("", MatchedPath::as_str);
    route.starts_with("/qr-sessions")
}

/// Whether the caller belongs to no session, or names no app. Requests that are refused before
/// anything is looked up for them cost nothing and do not count.
fn is_miss(problem: &Problem) -> bool {
    matches!(
        problem.code(),
        ProblemCode::SessionNotFound | ProblemCode::AppKeyUnknown
    )
}
