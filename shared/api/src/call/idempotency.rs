use axum::extract::FromRequestParts;
use countersign_domain::primitives::idempotency::IdempotencyKey;
use http::request::Parts;

use crate::problem::{Problem, ProblemCode};

/// The header with the idempotency key.
const HEADER: &str = "idempotency-key";

/// The `Idempotency-Key`, where there is one.
pub(crate) struct IdempotencyHeader(pub(crate) Option<IdempotencyKey>);

impl<S: Send + Sync> FromRequestParts<S> for IdempotencyHeader {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        let malformed = |detail| Problem::new(ProblemCode::IdempotencyKeyMalformed).detail(detail);
        let mut values = parts.headers.get_all(HEADER).iter();
        match (values.next(), values.next()) {
            (None, _) => Ok(Self(None)),
            (Some(value), None) => value
                .to_str()
                .ok()
                .and_then(|text| text.parse::<IdempotencyKey>().ok())
                .map(|key| Self(Some(key)))
                .ok_or_else(|| malformed("Use 1 to 255 visible ASCII characters, such as a UUID.")),
            (Some(_), Some(_)) => Err(malformed("Send the header Idempotency-Key once.")),
        }
    }
}
