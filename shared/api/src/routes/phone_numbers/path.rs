//! The id in the paths of confirmations.

use axum::extract::rejection::PathRejection;
use axum::extract::{FromRequestParts, Path};
use countersign_domain::confirmation::Status;
use countersign_domain::primitives::ids::ConfirmationId;
use http::request::Parts;
use utoipa::IntoParams;
use utoipa::openapi::Required;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ObjectBuilder, SchemaType, Type};

use crate::problem::{Problem, ProblemCode};

/// Problems of a request whose path has an id.
pub(crate) const PROBLEMS: &[ProblemCode] = &[ProblemCode::ConfirmationNotFound];

/// The id in the path. A malformed id gets the same answer as an unknown one.
pub(crate) struct PathId(pub(super) ConfirmationId);

impl<S: Send + Sync> FromRequestParts<S> for PathId {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let path: Result<Path<String>, PathRejection> =
            Path::from_request_parts(parts, state).await;
        path.ok()
            .and_then(|Path(text)| text.parse().ok())
            .map(Self)
            .ok_or_else(not_found)
    }
}

impl IntoParams for PathId {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let schema = ObjectBuilder::new()
            .schema_type(SchemaType::Type(Type::String))
            .pattern(Some("^cfm_[0-9a-f]{32}$"));
        let id = ParameterBuilder::new()
            .name("id")
            .parameter_in(ParameterIn::Path)
            .required(Required::True)
            .description(Some(
                "`confirmationId` of one of the app's own confirmations.",
            ))
            .schema(Some(schema));
        vec![id.build()]
    }
}

/// Returns the answer for a confirmation that does not exist or belongs to another app.
pub(super) fn not_found() -> Problem {
    Problem::new(ProblemCode::ConfirmationNotFound)
}

/// Returns the problem of a confirmation whose status does not allow the request.
pub(super) fn wrong_status(status: Status) -> Problem {
    Problem::new(match status {
        Status::Open => ProblemCode::ConfirmationOpen,
        Status::Verified => ProblemCode::ConfirmationVerified,
        Status::Expired => ProblemCode::ConfirmationExpired,
        Status::Cancelled => ProblemCode::ConfirmationCancelled,
    })
}
