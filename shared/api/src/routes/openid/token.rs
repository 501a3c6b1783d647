//! `POST /token`: exchanges a code for tokens (RFC 6749, section 4.1.3; `OpenID` Connect Core, section 3.1.3).

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use axum::{Json, Router};
use countersign_domain::app::App;
use countersign_domain::openid::access_token;
use countersign_domain::openid::grant::{AuthorizationCode, GrantRefusal};
use countersign_domain::openid::parameters::Parameters;
use countersign_domain::use_cases::openid::{self, ExchangeError, Tokens};
use http::HeaderMap;
use serde::Serialize;

use super::client::Credentials;
use super::error::{ClientError, about_code};
use super::form::Form;
use super::log::about;
use crate::rate_limit::source::Source;
use crate::state::ApiState;

pub(super) const PATH: &str = "/token";

/// The tokens. The middleware adds `Cache-Control: no-store`.
#[derive(Serialize)]
struct TokenAnswer {
    access_token: String,
    token_type: &'static str,
    /// In seconds.
    expires_in: u64,
    id_token: String,
    scope: &'static str,
}

pub(super) fn routes() -> Router<ApiState> {
    Router::new().route(PATH, post(token))
}

async fn token(
    State(state): State<ApiState>,
    headers: HeaderMap,
    Form(form): Form,
    source: Source,
) -> Result<Response, ClientError> {
    let app = Credentials::read(&headers, &form)?;
    let app = app.authenticate(&state, source).await?;
    let answered = exchange(&state, &app, &form).await;
    Ok(about(Some(&app), answered.into_response()))
}

async fn exchange(
    state: &ApiState,
    app: &App,
    form: &Parameters,
) -> Result<Json<TokenAnswer>, ClientError> {
    match form.get("grant_type")? {
        Some("authorization_code") => {}
        Some(_) => return Err(ClientError::UnsupportedGrantType),
        None => return Err(ClientError::InvalidRequest("grant_type is missing")),
    }
    let code = form.get("code")?;
    let code = code.ok_or(ClientError::InvalidRequest("code is missing"))?;
    let redirect_uri = form.get("redirect_uri")?;
    let redirect_uri =
        redirect_uri.ok_or(ClientError::InvalidRequest("redirect_uri is missing"))?;
    let verifier = form.get("code_verifier")?;
    let unknown = || ClientError::InvalidGrant(about_code(GrantRefusal::Unknown));
    let code: AuthorizationCode = code.parse().map_err(|_| unknown())?;
    let exchanged = openid::exchange(state.openid_ports()?, app, &code, redirect_uri, verifier);
    let Tokens {
        access_token,
        id_token,
        phone,
    } = exchanged.await.map_err(|error| match error {
        ExchangeError::Refused(refusal) => ClientError::InvalidGrant(about_code(refusal)),
        ExchangeError::Unavailable(cause) => cause.into(),
    })?;
    Ok(Json(TokenAnswer {
        access_token: access_token.reveal(),
        token_type: "Bearer",
        expires_in: access_token::VALIDITY.as_secs(),
        id_token: id_token.0,
        scope: if phone { "openid phone" } else { "openid" },
    }))
}
