//! The id in the paths of phone registrations.

use axum::extract::rejection::PathRejection;
use axum::extract::{FromRequestParts, Path};
use countersign_domain::primitives::ids::PhoneRegistrationId;
use http::request::Parts;
use utoipa::IntoParams;
use utoipa::openapi::Required;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ObjectBuilder, SchemaType, Type};

use crate::extract::bearer::Bearer;
use crate::problem::{Problem, ProblemCode};

/// The form of a registration's id.
const ID_PATTERN: &str = "^phr_[0-9a-f]{32}$";

/// The id in the path; `None` if it is malformed.
pub(crate) struct PathId(Option<PhoneRegistrationId>);

impl PathId {
    /// Returns the id. A malformed id gets the same answer as an unknown one.
    pub(super) fn known(self) -> Result<PhoneRegistrationId, Problem> {
        self.0
            .ok_or(Problem::new(ProblemCode::RegistrationNotFound))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for PathId {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let path: Result<Path<String>, PathRejection> =
            Path::from_request_parts(parts, state).await;
        Ok(Self(path.ok().and_then(|Path(text)| text.parse().ok())))
    }
}

impl IntoParams for PathId {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let schema = ObjectBuilder::new()
            .schema_type(SchemaType::Type(Type::String))
            .pattern(Some(ID_PATTERN));
        let id = ParameterBuilder::new()
            .name("id")
            .parameter_in(ParameterIn::Path)
            .required(Required::True)
            .description(Some("`registrationId` of the phone registration."))
            .schema(Some(schema));
        vec![id.build()]
    }
}

/// Returns the id and the token. If either is malformed the registration counts as not found: the answer must not
/// distinguish a well-formed guess from any other.
pub(super) fn identify<T>(
    PathId(id): PathId,
    Bearer(token): Bearer<T>,
) -> Result<(PhoneRegistrationId, T), Problem> {
    id.zip(token)
        .ok_or(Problem::new(ProblemCode::RegistrationNotFound))
}
