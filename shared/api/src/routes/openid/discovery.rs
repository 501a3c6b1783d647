//! `GET /.well-known/openid-configuration` (`OpenID` Connect Discovery, section 4) and `GET /openid/jwks.json`: the
//! provider's own keys, which sign no webhooks.

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use axum::{Json, Router};
use countersign_domain::login::texts::Language;
use countersign_domain::openid::{Method, pkce};
use http::HeaderValue;
use http::header::CACHE_CONTROL;
use serde::Serialize;
use strum::VariantArray as _;

use crate::problem::Problem;
use crate::routes::well_known::Jwks;
use crate::state::ApiState;

pub(super) const CONFIGURATION: &str = "/.well-known/openid-configuration";
pub(super) const KEYS: &str = "/openid/jwks.json";

/// A new key is published ten minutes before it signs.
const CACHING: HeaderValue = HeaderValue::from_static("public, max-age=300");

#[derive(Serialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the standard's members are booleans"
)]
struct Configuration<'a> {
    issuer: &'a str,
    authorization_endpoint: String,
    token_endpoint: String,
    userinfo_endpoint: String,
    jwks_uri: String,
    end_session_endpoint: String,
    scopes_supported: [&'static str; 2],
    response_types_supported: [&'static str; 1],
    response_modes_supported: [&'static str; 1],
    grant_types_supported: [&'static str; 1],
    subject_types_supported: [&'static str; 1],
    id_token_signing_alg_values_supported: [&'static str; 1],
    token_endpoint_auth_methods_supported: [&'static str; 3],
    code_challenge_methods_supported: [&'static str; 1],
    claims_supported: [&'static str; 11],
    acr_values_supported: Vec<&'static str>,
    ui_locales_supported: Vec<&'static str>,
    /// Not `none`: there is no session at the provider, so each request shows its page.
    prompt_values_supported: [&'static str; 3],
    authorization_response_iss_parameter_supported: bool,
    claims_parameter_supported: bool,
    request_parameter_supported: bool,
    request_uri_parameter_supported: bool,
}

impl<'a> Configuration<'a> {
    fn new(issuer: &'a str) -> Self {
        let at = |path: &str| format!("{issuer}{path}");
        Self {
            issuer,
            authorization_endpoint: at(super::authorize::PATH),
            token_endpoint: at(super::token::PATH),
            userinfo_endpoint: at(super::user_info::PATH),
            jwks_uri: at(KEYS),
            end_session_endpoint: at(super::end_session::PATH),
            scopes_supported: ["openid", "phone"],
            response_types_supported: ["code"],
            response_modes_supported: ["query"],
            grant_types_supported: ["authorization_code"],
            subject_types_supported: ["pairwise"],
            id_token_signing_alg_values_supported: ["ES256"],
            token_endpoint_auth_methods_supported: [
                "client_secret_basic",
                "client_secret_post",
                "none",
            ],
            code_challenge_methods_supported: [pkce::METHOD],
            claims_supported: [
                "iss",
                "sub",
                "aud",
                "exp",
                "iat",
                "auth_time",
                "nonce",
                "acr",
                "amr",
                "phone_number",
                "phone_number_verified",
            ],
            acr_values_supported: Method::VARIANTS.iter().map(|it| it.acr()).collect(),
            ui_locales_supported: Language::VARIANTS.iter().map(|it| it.tag()).collect(),
            prompt_values_supported: ["login", "consent", "select_account"],
            authorization_response_iss_parameter_supported: true,
            claims_parameter_supported: false,
            request_parameter_supported: false,
            request_uri_parameter_supported: false,
        }
    }
}

pub(super) fn routes() -> Router<ApiState> {
    Router::new()
        .route(CONFIGURATION, get(configuration))
        .route(KEYS, get(keys))
}

async fn configuration(State(state): State<ApiState>) -> Result<Response, Problem> {
    let configuration = Configuration::new(&state.openid()?.issuer);
    Ok(cached(Json(configuration).into_response()))
}

async fn keys(State(state): State<ApiState>) -> Result<Response, Problem> {
    let keys = state.openid()?.signer.public_keys().await?;
    Ok(cached(Json(Jwks::new(&keys)).into_response()))
}

fn cached(mut response: Response) -> Response {
    response.headers_mut().insert(CACHE_CONTROL, CACHING);
    response
}
