use axum::extract::FromRequestParts;
use countersign_domain::login::token::{Holder, Token};
use http::header::AUTHORIZATION;
use http::request::Parts;

use crate::problem::{Problem, ProblemCode};

/// The scheme, in lower case.
const SCHEME: &[u8] = b"bearer ";

/// The token in `Authorization: Bearer` (RFC 6750, section 2.1). One that is malformed fits no
/// session, so that it is nothing here: whoever sends it is told what is told of an unknown one.
pub(crate) struct Bearer<H>(pub(crate) Option<Token<H>>);

impl<S: Send + Sync, H: Holder> FromRequestParts<S> for Bearer<H> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        let missing = |detail| Err(Problem::new(ProblemCode::TokenMissing).detail(detail));
        let mut values = parts.headers.get_all(AUTHORIZATION).iter();
        let value = match (values.next(), values.next()) {
            (Some(value), None) => value.as_bytes(),
            (None, _) => {
                return missing("Send the session's token: Authorization: Bearer <token>.");
            }
            (Some(_), Some(_)) => return missing("Send the header Authorization once."),
        };
        let scheme = value.get(..SCHEME.len());
        if !scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case(SCHEME)) {
            return missing("The scheme of Authorization must be Bearer.");
        }
        let token = value[SCHEME.len()..].trim_ascii();
        if token.is_empty() {
            return missing("Authorization: Bearer is followed by the token.");
        }
        let token = std::str::from_utf8(token).ok();
        Ok(Self(token.and_then(|text| text.parse::<Token<_>>().ok())))
    }
}
