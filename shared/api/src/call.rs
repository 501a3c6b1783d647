//! What handlers take out of a request: who calls, with what.

mod app_key;
mod bearer;
mod caller;
mod fields;
mod idempotency;
mod json;

use axum::extract::FromRequestParts;
use bytes::Bytes;
use http::request::Parts;

pub(crate) use app_key::OfApp;
pub(crate) use bearer::Bearer;
pub(crate) use caller::Caller;
pub(crate) use fields::{Fields, sentence};
pub(crate) use idempotency::IdempotencyHeader;
pub(crate) use json::JsonBody;

use crate::body::Arrived;
use crate::problem::{Problem, ProblemCode};

/// The body, byte for byte as it came.
pub(crate) struct WholeBody(pub(crate) Bytes);

impl<S: Send + Sync> FromRequestParts<S> for WholeBody {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        match parts.extensions.get::<Arrived>() {
            Some(arrived) => Ok(Self(arrived.body.clone()?)),
            None => Err(Problem::ours(
                ProblemCode::InternalError,
                "a handler is mounted without the frame around it",
            )),
        }
    }
}
