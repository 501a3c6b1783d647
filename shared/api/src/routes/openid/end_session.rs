//! `GET` and `POST /end-session` (`OpenID` Connect RP-Initiated Logout, section 2). There is no session to end: the
//! browser only goes on to a page that the client lists.

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use countersign_domain::app::AppKey;
use countersign_domain::openid::parameters::{Parameters, Repeated};
use http::{HeaderMap, Uri};
use serde::Deserialize;

use super::form::is_form;
use super::log::about;
use super::redirect::see_other;
use crate::extract::body::WholeBody;
use crate::problem::Problem;
use crate::routes::authorize_page::{self, Refusal};
use crate::state::ApiState;

pub(super) const PATH: &str = "/end-session";

pub(super) fn routes() -> Router<ApiState> {
    Router::new().route(PATH, get(by_query).post(by_form))
}

async fn by_query(
    State(state): State<ApiState>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let query = uri.query().unwrap_or_default();
    end(&state, &Parameters::parse(query.as_bytes()), &headers).await
}

async fn by_form(
    State(state): State<ApiState>,
    headers: HeaderMap,
    WholeBody(body): WholeBody,
) -> Result<Response, Problem> {
    let form = if is_form(&headers) { &*body } else { b"" };
    end(&state, &Parameters::parse(form), &headers).await
}

async fn end(
    state: &ApiState,
    parameters: &Parameters,
    headers: &HeaderMap,
) -> Result<Response, Problem> {
    state.openid()?;
    let locales = parameters.get("ui_locales").ok().flatten();
    let texts = authorize_page::language(locales, headers);
    let wish = match Wish::read(parameters) {
        Ok(Some(wish)) => wish,
        Ok(None) => return Ok(authorize_page::logged_out(texts)),
        Err(refusal) => return Ok(authorize_page::refusal(texts, refusal)),
    };
    let app = state.store.lookup_app_key(&wish.client).await?;
    let Some(app) = app.filter(|app| app.openid.is_on()) else {
        return Ok(authorize_page::refusal(texts, Refusal::UnknownClient));
    };
    let Some(page) = app.openid.post_logout_redirect_uri(wish.page) else {
        return Ok(authorize_page::refusal(texts, Refusal::LogoutUriNotListed));
    };
    let location = match wish.state {
        Some(state) => page.with([("state", state)]),
        None => page.as_str().to_owned(),
    };
    Ok(about(Some(&app), see_other(&location)?))
}

/// Where a client wants the browser to go.
struct Wish<'a> {
    client: AppKey,
    page: &'a str,
    state: Option<&'a str>,
}

impl<'a> Wish<'a> {
    /// Returns `None` if the client names no page.
    fn read(parameters: &'a Parameters) -> Result<Option<Self>, Refusal<'static>> {
        let get = |name| {
            parameters
                .get(name)
                .map_err(|Repeated(name)| Refusal::Repeated(name))
        };
        let (named, hint) = (get("client_id")?, get("id_token_hint")?);
        let Some(page) = get("post_logout_redirect_uri")? else {
            return Ok(None);
        };
        let named = named.map(str::parse::<AppKey>);
        let named = named.transpose().map_err(|_| Refusal::UnknownClient)?;
        let hinted = hint.and_then(audience);
        let client = match (named, hinted) {
            (Some(named), Some(hinted)) if named != hinted => return Err(Refusal::UnknownClient),
            (named, hinted) => named.or(hinted).ok_or(Refusal::UnknownClient)?,
        };
        Ok(Some(Self {
            client,
            page,
            state: get("state")?,
        }))
    }
}

#[derive(Deserialize)]
struct Hint {
    aud: AppKey,
}

/// Returns the client of an ID token, which may be over. The signature does not matter: the token only names a client,
/// as `client_id` does without any signature.
fn audience(token: &str) -> Option<AppKey> {
    let claims = token.split('.').nth(1)?;
    let claims = BASE64_URL_SAFE_NO_PAD.decode(claims).ok()?;
    let hint: Hint = serde_json::from_slice(&claims).ok()?;
    Some(hint.aud)
}
