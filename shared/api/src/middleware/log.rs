//! The log line of each request.

use std::time::Duration;

use axum::extract::MatchedPath;
use axum::response::Response;
use countersign_domain::primitives::ids::{AppId, ConfirmationId, LoginId, PhoneRegistrationId};
use http::Method;
use http::request::Parts;

use super::request_id::RequestId;
use crate::problem::{Problem, ProblemCode};

/// Fields that a handler adds to its request's log line: an extension of the response. Never put
/// codes, keys, tokens, payloads or unmasked phone numbers in here.
#[derive(Clone, Debug, Default)]
pub(crate) struct LogFields {
    /// The app that called, or that the request was about.
    pub(crate) app: Option<AppId>,
    /// The confirmation that the request was about.
    pub(crate) confirmation: Option<ConfirmationId>,
    /// The login that the request was about. Its id is not secret: it is shown on a screen.
    pub(crate) login: Option<LoginId>,
    /// The phone registration that the request was about. Its id is no secret either.
    pub(crate) registration: Option<PhoneRegistrationId>,
    /// The name of the event that a text caused.
    pub(crate) text: Option<&'static str>,
    /// Why a provider's event was ignored.
    pub(crate) ignored: Option<&'static str>,
    /// The sender of a text, masked.
    pub(crate) sender: Option<String>,
    /// The provider that called.
    pub(crate) provider: Option<&'static str>,
    /// The problem, for providers that do not get it in our format.
    pub(crate) problem: Option<Problem>,
}

/// The log line of a request.
pub(super) struct Line {
    method: Method,
    route: Option<MatchedPath>,
    id: RequestId,
}

impl Line {
    /// Starts the log line of a request.
    pub(super) fn new(parts: &Parts, id: RequestId) -> Self {
        Self {
            method: parts.method.clone(),
            route: parts.extensions.get().cloned(),
            id,
        }
    }

    /// Writes the line: as an error with its cause if the service is at fault.
    pub(super) fn write(self, response: &mut Response, problem: Option<&Problem>, took: Duration) {
        let fields = response
            .extensions_mut()
            .remove::<LogFields>()
            .unwrap_or_default();
        let problem = problem.or(fields.problem.as_ref());
        let method = self.method.as_str();
        // An unknown path may contain anything, so it is not logged.
        let route = self.route.as_ref().map_or("unmatched", MatchedPath::as_str);
        let status = response.status().as_u16();
        let took = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let id = self.id.as_str();
        let code = problem.map(|problem| problem.code().as_str());
        let app = fields.app.as_ref().map(AppId::as_str);
        let confirmation = fields.confirmation.map(tracing::field::display);
        let login = fields.login.map(tracing::field::display);
        let registration = fields.registration.map(tracing::field::display);
        if response.status().is_server_error() && !problem.is_some_and(is_refusal) {
            let cause = problem.and_then(Problem::cause);
            tracing::error!(
                request_id = id,
                method,
                route,
                status,
                duration_us = took,
                code,
                app,
                confirmation_id = confirmation,
                session_id = login,
                registration_id = registration,
                provider = fields.provider,
                cause = cause.map(tracing::field::display),
                "failed"
            );
        } else {
            tracing::info!(
                request_id = id,
                method,
                route,
                status,
                duration_us = took,
                code,
                app,
                confirmation_id = confirmation,
                session_id = login,
                registration_id = registration,
                provider = fields.provider,
                text = fields.text,
                ignored = fields.ignored,
                sender = fields.sender,
                "answered"
            );
        }
    }
}

/// Returns whether the server refuses a request because it is full. Unauthenticated callers can
/// cause that, so it must not fill the log with errors.
fn is_refusal(problem: &Problem) -> bool {
    let is_full = matches!(
        problem.code(),
        ProblemCode::ServiceUnavailable | ProblemCode::StorageLow
    );
    is_full && problem.cause().is_none()
}
