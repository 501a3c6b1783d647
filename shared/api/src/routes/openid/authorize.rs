//! `GET` and `POST /authorize`: the page on which a person proves who they are. It stores nothing.

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use countersign_domain::app::App;
use countersign_domain::app::openid::SignInMethod;
use countersign_domain::openid::parameters::Parameters;
use countersign_domain::openid::request::{
    AuthorizationRequest, MAX_REQUEST, RequestError, UnprovenRequest, client,
};
use countersign_domain::openid::sealed::PageRequest;
use countersign_domain::primitives::phone::PhoneNumber;
use http::header::SET_COOKIE;
use http::{HeaderMap, Uri};
use percent_encoding::{AsciiSet, CONTROLS, percent_encode};

use super::form::is_form;
use super::log::about;
use super::page_call::Cookie;
use super::redirect::see_other;
use crate::extract::body::WholeBody;
use crate::problem::Problem;
use crate::rate_limit::source::Source;
use crate::routes::authorize_page::{self, AuthorizePage, Method, Refusal};
use crate::state::ApiState;

pub(super) const PATH: &str = "/authorize";

/// The bytes of a form that a query cannot contain. Browsers have encoded them already.
const QUERY: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'<').add(b'>');

pub(super) fn routes() -> Router<ApiState> {
    Router::new().route(PATH, get(by_query).post(by_form))
}

async fn by_query(
    State(state): State<ApiState>,
    uri: Uri,
    headers: HeaderMap,
    source: Source,
) -> Result<Response, Problem> {
    let query = uri.query().unwrap_or_default();
    authorize(&state, query.as_bytes(), &headers, source).await
}

/// Sends a request that comes in a form (`OpenID` Connect Core, section 3.1.2.1) on to the page's address. With a form from
/// another site, browsers send no cookie; answering it with a new one would end the login in another tab.
async fn by_form(
    State(state): State<ApiState>,
    headers: HeaderMap,
    WholeBody(body): WholeBody,
    source: Source,
) -> Result<Response, Problem> {
    state.openid()?;
    if !is_form(&headers) || body.len() > MAX_REQUEST {
        return authorize(&state, b"", &headers, source).await;
    }
    let query = percent_encode(&body, QUERY);
    see_other(&format!("{PATH}?{query}"))
}

async fn authorize(
    state: &ApiState,
    text: &[u8],
    headers: &HeaderMap,
    source: Source,
) -> Result<Response, Problem> {
    let openid = state.openid()?;
    let parameters = Parameters::parse(text);
    let locales = parameters.get("ui_locales").ok().flatten();
    let texts = authorize_page::language(locales, headers);
    let app = match client(text, &parameters) {
        Ok(client) => state.store.lookup_app_key(&client).await?,
        Err(error) => return Ok(authorize_page::refusal(texts, refusal(&error))),
    };
    let unknown = UnprovenRequest::UnknownClient;
    let parsed = match &app {
        Some(app) => AuthorizationRequest::parse(&parameters, app),
        None => Err(unknown.clone().into()),
    };
    let response = match (parsed, &app) {
        (Ok(request), Some(app)) => page(state, texts, app, request, headers)?,
        (Err(RequestError::Refused(refused)), _) => see_other(&refused.location(&openid.issuer))?,
        (Err(RequestError::Unproven(error)), _) => {
            if error == unknown {
                state.rate_limiter().count_miss(source, state.clock.now())?;
            }
            authorize_page::refusal(texts, refusal(&error))
        }
        (Ok(_), None) => authorize_page::refusal(texts, refusal(&unknown)),
    };
    Ok(about(app.as_deref(), response))
}

fn refusal(error: &UnprovenRequest) -> Refusal<'static> {
    match error {
        UnprovenRequest::TooLong => Refusal::Malformed,
        UnprovenRequest::Repeated(repeated) => Refusal::Repeated(repeated.0),
        UnprovenRequest::NoClient | UnprovenRequest::UnknownClient => Refusal::UnknownClient,
        UnprovenRequest::NoRedirectUri => Refusal::RedirectUriMissing,
        UnprovenRequest::UnlistedRedirectUri => Refusal::RedirectUriNotListed,
    }
}

fn page(
    state: &ApiState,
    texts: &'static countersign_domain::login::texts::Texts,
    app: &App,
    request: AuthorizationRequest,
    headers: &HeaderMap,
) -> Result<Response, Problem> {
    let openid = state.openid()?;
    // A browser keeps its cookie, so that a second tab does not end the first.
    let cookie = Cookie::of(headers, openid);
    let cookie = cookie.unwrap_or_else(|| Cookie::generate(&*state.entropy));
    let request = PageRequest::new(request, &*state.entropy, state.clock.now());
    let sealed = request.seal(&openid.secret, &cookie.0);
    let hint = request.request.number.as_ref().map(PhoneNumber::glimpse);
    let methods = methods(&request.request);
    let socket = state.client_channel.as_ref();
    let mut response = authorize_page::page(&AuthorizePage {
        texts,
        request: &sealed,
        app_name: app.id.as_str(),
        app_key: app.app_key.as_str(),
        redirect_uri: request.request.redirect_uri.as_str(),
        methods: &methods,
        phone: request.request.phone,
        number_hint: hint.as_deref(),
        socket_url: socket.map(|channel| channel.socket_url.as_str()),
    });
    let header = cookie.header(openid)?;
    response.headers_mut().insert(SET_COOKIE, header);
    Ok(response)
}

fn methods(request: &AuthorizationRequest) -> Vec<Method> {
    let methods = request.methods.iter().map(|method| match method {
        SignInMethod::Text => Method::Text,
        SignInMethod::Code => Method::Code,
    });
    methods.collect()
}
