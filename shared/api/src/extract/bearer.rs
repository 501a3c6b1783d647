//! The token by which a browser or a phone proves that a login belongs to it.

use std::str::FromStr;

use axum::extract::FromRequestParts;
use http::header::AUTHORIZATION;
use http::request::Parts;

use crate::header::Single;
use crate::problem::{Problem, ProblemCode};

/// The scheme, in lower case.
const SCHEME: &[u8] = b"bearer ";

/// Problems of a request that needs a bearer token.
pub(crate) const PROBLEMS: &[ProblemCode] = &[ProblemCode::TokenMissing];

/// The token in `Authorization: Bearer` (RFC 6750, section 2.1). `None` where it is malformed. For
/// an existing login, a malformed token gets the same answer as any wrong token.
pub(crate) struct Bearer<T>(pub(crate) Option<T>);

impl<S: Send + Sync, T: FromStr> FromRequestParts<S> for Bearer<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        let missing = |detail| Err(Problem::new(ProblemCode::TokenMissing).detail(detail));
        let value = match Single::find(&parts.headers, AUTHORIZATION.as_str()) {
            Single::Absent => {
                return missing("Send the session's token: Authorization: Bearer <token>.");
            }
            Single::Once(value) => value.as_bytes(),
            Single::Repeated => return missing("Send the header Authorization once."),
        };
        let scheme = value.get(..SCHEME.len());
        if !scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case(SCHEME)) {
            return missing("Use the scheme Bearer: Authorization: Bearer <token>.");
        }
        let token = value[SCHEME.len()..].trim_ascii();
        if token.is_empty() {
            return missing("Send the token after the word Bearer.");
        }
        let token = std::str::from_utf8(token).ok();
        Ok(Self(token.and_then(|text| text.parse::<T>().ok())))
    }
}
