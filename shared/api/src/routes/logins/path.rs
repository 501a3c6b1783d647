//! The id in the paths of logins, and the credential that shows whose login it is.

use axum::extract::rejection::PathRejection;
use axum::extract::{FromRequestParts, Path};
use countersign_domain::login::Refusal;
use countersign_domain::primitives::ids::LoginId;
use http::request::Parts;
use utoipa::IntoParams;
use utoipa::openapi::Required;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ObjectBuilder, SchemaType, Type};

use crate::extract::bearer::Bearer;
use crate::problem::Problem;

/// The form of a login's id: `qrs_` if its browser has a key, `qrp_` if not.
pub(crate) const ID_PATTERN: &str = "^qr[sp]_[0-9a-f]{32}$";

/// The id in the path; `None` if it is malformed.
pub(crate) struct PathId(Option<LoginId>);

impl PathId {
    /// Returns the id. A malformed id gets the same answer as an unknown one.
    pub(super) fn known(self) -> Result<LoginId, Problem> {
        self.0.ok_or_else(|| Refusal::Unknown.into())
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
            .description(Some("`sessionId` of the login."))
            .schema(Some(schema));
        vec![id.build()]
    }
}

/// Returns the id and the token. If either is malformed the login counts as not found: the answer
/// must not distinguish a well-formed guess from any other.
pub(super) fn identify<T>(
    PathId(id): PathId,
    Bearer(token): Bearer<T>,
) -> Result<(LoginId, T), Problem> {
    id.zip(token).ok_or_else(|| Refusal::Unknown.into())
}
