//! Errors of the endpoints that clients call (RFC 6749, section 5.2; RFC 6750, section 3.1).

use axum::Json;
use axum::response::{IntoResponse, Response};
use countersign_domain::openid::grant::GrantRefusal;
use countersign_domain::openid::parameters::Repeated;
use countersign_domain::primitives::unavailable::Unavailable;
use http::header::WWW_AUTHENTICATE;
use http::{HeaderValue, StatusCode};
use serde::Serialize;

use crate::problem::Problem;

/// Why a client gets nothing.
#[derive(Debug)]
pub(super) enum ClientError {
    InvalidRequest(&'static str),
    /// The client is not authenticated.
    InvalidClient(&'static str),
    InvalidGrant(&'static str),
    UnsupportedGrantType,
    /// The access token is missing.
    NoToken,
    InvalidToken(&'static str),
    /// The service is at fault, or the caller asks too often.
    Problem(Box<Problem>),
}

#[derive(Serialize)]
struct Body {
    error: &'static str,
    error_description: &'static str,
}

impl ClientError {
    fn parts(&self) -> Option<(StatusCode, &'static str, &'static str)> {
        let bad = StatusCode::BAD_REQUEST;
        Some(match self {
            Self::InvalidRequest(about) => (bad, "invalid_request", about),
            Self::InvalidClient(about) => (StatusCode::UNAUTHORIZED, "invalid_client", about),
            Self::InvalidGrant(about) => (bad, "invalid_grant", about),
            Self::UnsupportedGrantType => (
                bad,
                "unsupported_grant_type",
                "grant_type must be authorization_code",
            ),
            Self::NoToken => (
                StatusCode::UNAUTHORIZED,
                "invalid_request",
                "send the access token: Authorization: Bearer",
            ),
            Self::InvalidToken(about) => (StatusCode::UNAUTHORIZED, "invalid_token", about),
            Self::Problem(_) => return None,
        })
    }

    fn challenge(&self) -> Option<HeaderValue> {
        Some(HeaderValue::from_static(match self {
            Self::InvalidClient(_) => "Basic realm=\"countersign\"",
            // A request without a token gets no error code (RFC 6750, section 3.1).
            Self::NoToken => "Bearer",
            Self::InvalidToken(_) => "Bearer error=\"invalid_token\"",
            _ => return None,
        }))
    }
}

impl IntoResponse for ClientError {
    fn into_response(self) -> Response {
        let Some((status, error, error_description)) = self.parts() else {
            let Self::Problem(problem) = self else {
                unreachable!("only a problem has no parts")
            };
            return problem.into_response();
        };
        let body = Body {
            error,
            error_description,
        };
        let mut response = (status, Json(body)).into_response();
        if let Some(challenge) = self.challenge() {
            response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
        }
        response
    }
}

impl From<Problem> for ClientError {
    fn from(problem: Problem) -> Self {
        Self::Problem(Box::new(problem))
    }
}

impl From<Unavailable> for ClientError {
    fn from(cause: Unavailable) -> Self {
        Problem::from(cause).into()
    }
}

impl From<Repeated> for ClientError {
    fn from(_: Repeated) -> Self {
        Self::InvalidRequest("a parameter is repeated")
    }
}

/// Describes why a code has no effect. Whether another client's code exists, the answer does not say.
pub(super) const fn about_code(refusal: GrantRefusal) -> &'static str {
    match refusal {
        GrantRefusal::Unknown | GrantRefusal::OtherClient => {
            "there is no such code, or it is another client's"
        }
        GrantRefusal::Expired => "the code is more than a minute old",
        GrantRefusal::Used => "the code was used before, so its tokens have ended",
        GrantRefusal::OtherRedirectUri => "redirect_uri is not the one that the code was sent to",
        GrantRefusal::WrongVerifier => "code_verifier does not fit the request's code_challenge",
        GrantRefusal::Erased => "the phone number was erased",
    }
}

/// Describes why an access token has no effect.
pub(super) const fn about_token(refusal: GrantRefusal) -> &'static str {
    match refusal {
        GrantRefusal::Expired => "the access token is more than ten minutes old",
        GrantRefusal::Erased => "the phone number was erased",
        _ => "there is no such access token, or it has ended",
    }
}
