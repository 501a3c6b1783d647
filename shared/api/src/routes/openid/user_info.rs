//! `GET` and `POST /userinfo`: the claims that an access token reads (`OpenID` Connect Core, section 5.3).

use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use countersign_domain::openid::access_token::AccessToken;
use countersign_domain::openid::grant::GrantRefusal;
use countersign_domain::openid::id_token::PhoneClaims;
use countersign_domain::openid::parameters::Parameters;
use countersign_domain::use_cases::openid::{self, UserInfoError};
use http::HeaderMap;
use http::header::AUTHORIZATION;
use serde::Serialize;

use super::error::{ClientError, about_token};
use super::form::Form;
use crate::header::Single;
use crate::state::ApiState;

pub(super) const PATH: &str = "/userinfo";

/// The scheme, in lower case.
const BEARER: &str = "bearer ";

#[derive(Serialize)]
pub(super) struct Claims {
    sub: String,
    #[serde(flatten)]
    phone: serde_json::Value,
}

pub(super) fn routes() -> Router<ApiState> {
    Router::new().route(PATH, get(by_header).post(by_form))
}

async fn by_header(
    State(state): State<ApiState>,
    headers: HeaderMap,
) -> Result<Json<Claims>, ClientError> {
    claims(&state, &headers, &Parameters::parse(b"")).await
}

async fn by_form(
    State(state): State<ApiState>,
    headers: HeaderMap,
    Form(form): Form,
) -> Result<Json<Claims>, ClientError> {
    claims(&state, &headers, &form).await
}

async fn claims(
    state: &ApiState,
    headers: &HeaderMap,
    form: &Parameters,
) -> Result<Json<Claims>, ClientError> {
    let ports = state.openid_ports()?;
    let token = match (in_header(headers)?, form.get("access_token")?) {
        (Some(token), None) | (None, Some(token)) => token,
        (None, None) => return Err(ClientError::NoToken),
        (Some(_), Some(_)) => {
            return Err(ClientError::InvalidRequest(
                "send the access token in the header or in the body, not in both",
            ));
        }
    };
    let unknown = || ClientError::InvalidToken(about_token(GrantRefusal::Unknown));
    let token: AccessToken = token.parse().map_err(|_| unknown())?;
    let found = openid::user_info(ports, &token).await;
    let found = found.map_err(|error| match error {
        UserInfoError::Refused(refusal) => ClientError::InvalidToken(about_token(refusal)),
        UserInfoError::Unavailable(cause) => cause.into(),
    })?;
    Ok(Json(Claims {
        sub: found.sub.as_str().to_owned(),
        phone: serde_json::to_value(PhoneClaims::new(found.number.as_ref())).unwrap_or_default(),
    }))
}

/// Returns the token in `Authorization: Bearer` (RFC 6750, section 2.1).
fn in_header(headers: &HeaderMap) -> Result<Option<&str>, ClientError> {
    let value = match Single::find(headers, AUTHORIZATION.as_str()) {
        Single::Absent => return Ok(None),
        Single::Once(value) => value.to_str().unwrap_or_default(),
        Single::Repeated => return Err(ClientError::InvalidRequest("Authorization is repeated")),
    };
    match value.split_at_checked(BEARER.len()) {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case(BEARER) => Ok(Some(token.trim())),
        _ => Err(ClientError::NoToken),
    }
}
