use std::time::Duration;

use axum::extract::MatchedPath;
use axum::response::Response;
use countersign_domain::primitives::ids::{AppId, ConfirmationId, LoginId};
use http::Method;
use http::request::Parts;

use crate::problem::{Problem, ProblemCode};
use crate::request_id::RequestId;

/// What a handler has to say about its request in the log, as an extension of the response. No
/// code, key, token, payload or whole number goes in here.
#[derive(Clone, Debug, Default)]
pub(crate) struct Noted {
    /// Whose request it was.
    pub(crate) app: Option<AppId>,
    /// Which confirmation it was about.
    pub(crate) confirmation: Option<ConfirmationId>,
    /// Which login session it was about. Its id is on a screen for all to see.
    pub(crate) session: Option<LoginId>,
    /// What a text did.
    pub(crate) text: Option<&'static str>,
    /// Who sent the text, masked.
    pub(crate) sender: Option<String>,
}

/// The line in the log that each request gets.
pub(super) struct Line {
    method: Method,
    route: Option<MatchedPath>,
    id: RequestId,
}

impl Line {
    pub(super) fn of(parts: &Parts, id: RequestId) -> Self {
        Self {
            method: parts.method.clone(),
            route: super::route(parts),
            id,
        }
    }

    /// Writes the line: as an error where something of ours failed, with its cause.
    pub(super) fn write(self, response: &mut Response, problem: Option<&Problem>, took: Duration) {
        let noted = response
            .extensions_mut()
            .remove::<Noted>()
            .unwrap_or_default();
        let method = self.method.as_str();
        // A path that is no route of ours may hold anything, so it is not shown.
        let route = self.route.as_ref().map_or("unmatched", MatchedPath::as_str);
        let status = response.status().as_u16();
        let took = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let id = self.id.as_str();
        let code = problem.map(|problem| problem.code().as_str());
        let app = noted.app.as_ref().map(AppId::as_str);
        let confirmation = noted.confirmation.map(tracing::field::display);
        let session = noted.session.map(tracing::field::display);
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
                session_id = session,
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
                session_id = session,
                text = noted.text,
                sender = noted.sender,
                "answered"
            );
        }
    }
}

/// Whether the server refuses on purpose, for want of room or of space. Strangers can bring that
/// about, so that it must not fill the log with errors.
fn is_refusal(problem: &Problem) -> bool {
    let for_want_of_room = matches!(
        problem.code(),
        ProblemCode::ServiceUnavailable | ProblemCode::StorageLow
    );
    for_want_of_room && problem.cause().is_none()
}
