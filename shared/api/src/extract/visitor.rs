//! The browser or phone that calls, as the use cases of logins record it.

use axum::extract::FromRequestParts;
use countersign_domain::login::sighting::UserAgent;
use countersign_domain::use_cases::logins::Visitor;
use http::header::USER_AGENT;
use http::request::Parts;

use crate::problem::{Problem, ProblemCode};
use crate::viewer::Viewer;

/// The browser or phone that calls. Available only on routes behind the rate limit of logins.
pub(crate) struct CallingVisitor(pub(crate) Visitor);

impl<S: Send + Sync> FromRequestParts<S> for CallingVisitor {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        let Some(Viewer { address, located }) = parts.extensions.get().cloned() else {
            return Err(Problem::ours(
                ProblemCode::InternalError,
                "the route is not behind the rate limit of logins",
            ));
        };
        let user_agent = parts.headers.get(USER_AGENT);
        let user_agent = user_agent.map_or_else(UserAgent::default, |value| {
            UserAgent::new(&String::from_utf8_lossy(value.as_bytes()))
        });
        Ok(Self(Visitor {
            address,
            user_agent,
            located,
        }))
    }
}
