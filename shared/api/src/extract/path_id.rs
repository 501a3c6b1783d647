//! The id in a path, of something that belongs to one of several parties.

use std::str::FromStr;

use axum::extract::rejection::PathRejection;
use axum::extract::{FromRequestParts, Path};
use http::request::Parts;
use utoipa::IntoParams;
use utoipa::openapi::Required;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ObjectBuilder, SchemaType, Type};

use super::bearer::Bearer;
use crate::problem::{Problem, ProblemCode};

/// An id that strangers may guess, so that malformed ones get the same answer as unknown ones.
pub(crate) trait GuessableId: FromStr {
    /// The form of the id, as a regular expression.
    const PATTERN: &'static str;
    const DESCRIPTION: &'static str;
    /// The problem of an unknown id.
    const UNKNOWN: ProblemCode;
}

/// The id in the path; `None` if it is malformed.
pub(crate) struct PathId<I>(Option<I>);

impl<I: GuessableId> PathId<I> {
    /// Returns the id. A malformed id gets the same answer as an unknown one.
    pub(crate) fn known(self) -> Result<I, Problem> {
        self.0.ok_or(Problem::new(I::UNKNOWN))
    }

    /// Returns the id and the token. If either is malformed the id counts as unknown: the answer must not
    /// distinguish a well-formed guess from any other.
    pub(crate) fn with_token<T>(self, Bearer(token): Bearer<T>) -> Result<(I, T), Problem> {
        self.0.zip(token).ok_or(Problem::new(I::UNKNOWN))
    }
}

impl<I: GuessableId, S: Send + Sync> FromRequestParts<S> for PathId<I> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let path: Result<Path<String>, PathRejection> =
            Path::from_request_parts(parts, state).await;
        Ok(Self(path.ok().and_then(|Path(text)| text.parse().ok())))
    }
}

impl<I: GuessableId> IntoParams for PathId<I> {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let schema = ObjectBuilder::new()
            .schema_type(SchemaType::Type(Type::String))
            .pattern(Some(I::PATTERN));
        let id = ParameterBuilder::new()
            .name("id")
            .parameter_in(ParameterIn::Path)
            .required(Required::True)
            .description(Some(I::DESCRIPTION))
            .schema(Some(schema));
        vec![id.build()]
    }
}
