//! The header `Idempotency-Key`.

use axum::extract::FromRequestParts;
use countersign_domain::primitives::idempotency::IdempotencyKey;
use http::request::Parts;

use crate::header::Single;
use crate::problem::{Problem, ProblemCode};

const HEADER: &str = "idempotency-key";

/// Description of the header.
pub(crate) const DESCRIPTION: &str = "Makes the request safe to repeat: for 24 hours, the same \
    request with the same idempotency key and API key gets the same answer, with the time that is left now, and starts nothing new.";

/// Problems of a request that may carry the header.
pub(crate) const PROBLEMS: &[ProblemCode] = &[ProblemCode::IdempotencyKeyMalformed];

/// The value of `Idempotency-Key`, if the header is sent.
pub(crate) struct IdempotencyHeader(pub(crate) Option<IdempotencyKey>);

impl<S: Send + Sync> FromRequestParts<S> for IdempotencyHeader {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        let malformed = |detail| Problem::new(ProblemCode::IdempotencyKeyMalformed).detail(detail);
        match Single::find(&parts.headers, HEADER) {
            Single::Absent => Ok(Self(None)),
            Single::Once(value) => value
                .to_str()
                .ok()
                .and_then(|text| text.parse::<IdempotencyKey>().ok())
                .map(|key| Self(Some(key)))
                .ok_or_else(|| malformed("Use 1 to 255 visible ASCII characters, such as a UUID.")),
            Single::Repeated => Err(malformed("Send the header Idempotency-Key once.")),
        }
    }
}
