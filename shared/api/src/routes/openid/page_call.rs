//! The calls of the page at `/authorize`: starting a text, opening a login, returning to the client, cancelling. Only the
//! page in the browser that has the cookie can make them.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{FromRequestParts, State};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use axum::{Json, Router};
use countersign_domain::app::App;
use countersign_domain::app::openid::SignInMethod;
use countersign_domain::login::BrowserToken;
use countersign_domain::openid::sealed::{
    BrowserCookie, PAGE_VALIDITY, PageRequest, RETURN_VALIDITY,
};
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::ids::LoginId;
use countersign_domain::use_cases::logins;
use countersign_domain::use_cases::openid::{self, CodeRequest, FinishError, Page};
use http::header::{COOKIE, HOST, ORIGIN};
use http::request::Parts;
use http::{HeaderMap, HeaderValue};
use serde::{Deserialize, Serialize};

use super::log::about;
use crate::extract::fields;
use crate::extract::json_body::JsonBody;
use crate::extract::visitor::CallingVisitor;
use crate::header::single_text;
use crate::problem::{Problem, ProblemCode};
use crate::rate_limit::source::Source;
use crate::routes::logins::create;
use crate::routes::phone_numbers::start;
use crate::state::ApiState;
use crate::state::parts::OpenIdParts;

pub(super) fn routes() -> Router<ApiState> {
    Router::new()
        .route("/authorize/text", post(text))
        .route("/authorize/code", post(code))
        .route("/authorize/finish", post(finish))
        .route("/authorize/cancel", post(cancel))
}

/// The cookie of the browser that shows the page.
pub(super) struct Cookie(pub(super) BrowserCookie);

impl Cookie {
    pub(super) fn generate(entropy: &dyn Entropy) -> Self {
        Self(BrowserCookie::generate(entropy))
    }

    /// Returns the cookie of a browser that has one.
    pub(super) fn of(headers: &HeaderMap, openid: &OpenIdParts) -> Option<Self> {
        let name = Self::name(openid);
        let lists = headers.get_all(COOKIE).iter();
        let mut pairs = lists
            .filter_map(|list| list.to_str().ok())
            .flat_map(|list| list.split(';'))
            .filter_map(|pair| pair.trim().split_once('='));
        let (_, value) = pairs.find(|(found, _)| *found == name)?;
        value.parse().ok().map(Self)
    }

    /// Returns the header that sets the cookie, for as long as the page can return to the client.
    pub(super) fn header(&self, openid: &OpenIdParts) -> Result<HeaderValue, Problem> {
        let secure = if openid.is_secure() { "; Secure" } else { "" };
        let header = format!(
            "{}={}; Path=/; Max-Age={}; HttpOnly; SameSite=Lax{secure}",
            Self::name(openid),
            self.0.reveal(),
            RETURN_VALIDITY.as_secs(),
        );
        let header = HeaderValue::try_from(header);
        let mut header =
            header.map_err(|error| Problem::ours(ProblemCode::InternalError, error))?;
        header.set_sensitive(true);
        Ok(header)
    }

    /// The prefix keeps pages of other hosts and of http from setting the cookie (RFC 6265bis, section 4.1.3.2).
    /// Browsers accept it only over https, which local mode does not have.
    fn name(openid: &OpenIdParts) -> &'static str {
        if openid.is_secure() {
            "__Host-countersign-openid"
        } else {
            "countersign-openid"
        }
    }
}

/// A call that comes from our own page, with the browser's cookie.
struct OwnPage(Cookie);

impl FromRequestParts<ApiState> for OwnPage {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> Result<Self, Problem> {
        let openid = state.openid()?;
        if !is_own_page(&parts.headers, &openid.issuer) {
            return Err(Problem::new(ProblemCode::OriginForbidden)
                .detail("Only the service's own page may make this request."));
        }
        Cookie::of(&parts.headers, openid)
            .map(Self)
            .ok_or_else(invalid)
    }
}

/// Returns whether a request comes from a page of the service. All current browsers say so.
fn is_own_page(headers: &HeaderMap, issuer: &str) -> bool {
    if let Some(site) = single_text(headers, "sec-fetch-site") {
        return site == "same-origin";
    }
    let Some(origin) = single_text(headers, ORIGIN.as_str()) else {
        return false;
    };
    let host = single_text(headers, HOST.as_str());
    origin == issuer || origin.split_once("://").map(|(_, host)| host) == host
}

/// The body of a call.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CallBody {
    /// The request that the page carries.
    request: Option<String>,
    /// The language of the text to send.
    language: Option<String>,
    /// The token of a login's browser.
    browser_token: Option<String>,
    /// The key of a login's browser.
    browser_public_key: Option<String>,
    /// The id of the login that was confirmed.
    login: Option<String>,
}

/// A call with its request, once it is found genuine.
struct Call {
    app: Arc<App>,
    request: PageRequest,
    cookie: Cookie,
    body: CallBody,
}

impl Call {
    async fn read(
        state: &ApiState,
        OwnPage(cookie): OwnPage,
        JsonBody(body): &JsonBody,
        validity: Duration,
    ) -> Result<Self, Problem> {
        let body: CallBody = fields::read(body)?;
        let (openid, now) = (state.openid()?, state.clock.now());
        let sealed = body.request.as_deref().unwrap_or_default();
        let request = PageRequest::open(sealed, &openid.secret, &cookie.0, validity, now);
        let request = request.map_err(|_| invalid())?;
        let app = state.store.lookup_app_key(&request.request.client).await?;
        let redirect_uri = request.request.redirect_uri.as_str();
        // The app may have been changed since the page was shown.
        let listed = |app: &Arc<App>| app.openid.redirect_uri(redirect_uri).is_some();
        let app = app.filter(listed).ok_or_else(invalid)?;
        Ok(Self {
            app,
            request,
            cookie,
            body,
        })
    }

    fn page(&self) -> Page<'_> {
        Page {
            app: &self.app,
            request: &self.request,
            browser: &self.cookie.0,
        }
    }

    /// Refuses a way to log in that the page does not offer, or that the app no longer allows.
    fn check_method(&self, method: SignInMethod) -> Result<(), Problem> {
        let is_offered = self.request.request.methods.contains(&method);
        if is_offered && self.app.openid.methods.contains(method) {
            Ok(())
        } else {
            Err(invalid())
        }
    }

    fn answer(&self, location: String) -> Response {
        about(Some(&self.app), Json(Location { location }).into_response())
    }
}

/// Where the page goes.
#[derive(Serialize)]
struct Location {
    location: String,
}

/// Starts the text, or returns it again.
async fn text(
    State(state): State<ApiState>,
    own: OwnPage,
    body: JsonBody,
    source: Source,
) -> Result<Response, Problem> {
    let call = Call::read(&state, own, &body, PAGE_VALIDITY).await?;
    call.check_method(SignInMethod::Text)?;
    let language = fields::language(call.body.language.as_deref())?;
    state.check_room()?;
    create::count_opening(&state, source, &call.app.id)?;
    let quota = call.app.quotas.for_confirmations().for_strangers();
    let allowance = state.allowance(quota);
    let (ports, times) = (state.openid_ports()?, state.times);
    let started = openid::start_text(ports, times, call.page(), language, allowance).await;
    let started = started.map_err(start::problem)?;
    start::respond(&state, call.request.request.number.as_ref(), &started)
}

/// Opens a login that only this page can finish. The page's element joins it, as a login of the app's server.
async fn code(
    State(state): State<ApiState>,
    own: OwnPage,
    body: JsonBody,
    CallingVisitor(browser): CallingVisitor,
    source: Source,
) -> Result<Response, Problem> {
    let call = Call::read(&state, own, &body, PAGE_VALIDITY).await?;
    call.check_method(SignInMethod::Code)?;
    let (at, malformed) = ("/browserToken", ProblemCode::TokenMalformed);
    let token = call.body.browser_token.as_deref();
    let token = fields::parsed::<BrowserToken>(token, at, malformed)?;
    let token = fields::required(token, at, "Send the token of the login's browser.")?;
    let (at, malformed) = ("/browserPublicKey", ProblemCode::BrowserKeyMalformed);
    let browser_key = call.body.browser_public_key.as_deref();
    let request = CodeRequest {
        browser,
        token: &token,
        browser_key: fields::parsed(browser_key, at, malformed)?,
        allowance: state.allowance(call.app.quotas.for_logins()),
    };
    let (ports, logins) = (state.openid_ports()?, state.login_ports()?);
    let request = openid::approve_code(ports, logins, call.page(), request);
    let request = request.map_err(create::problem)?;
    state.check_room()?;
    create::count_opening(&state, source, &call.app.id)?;
    let created = logins::create(logins, request).await;
    let created = created.map_err(create::problem)?;
    let socket_url = &state.logins()?.socket_url;
    Ok(create::respond(created, socket_url, state.clock.now()))
}

/// Returns to the client with a code.
async fn finish(
    State(state): State<ApiState>,
    own: OwnPage,
    body: JsonBody,
) -> Result<Response, Problem> {
    let call = Call::read(&state, own, &body, RETURN_VALIDITY).await?;
    // An id that cannot be one is an unknown one.
    let login = call.body.login.as_deref().map(str::parse::<LoginId>);
    let login = login.transpose().map_err(|_| not_verified())?;
    let finished = openid::finish(state.openid_ports()?, call.page(), login).await;
    Ok(call.answer(finished.map_err(finish_problem)?))
}

/// Returns to the client without a code.
async fn cancel(
    State(state): State<ApiState>,
    own: OwnPage,
    body: JsonBody,
) -> Result<Response, Problem> {
    let call = Call::read(&state, own, &body, RETURN_VALIDITY).await?;
    let refusal = call.request.request.clone().cancelled();
    Ok(call.answer(refusal.location(&state.openid()?.issuer)))
}

fn finish_problem(error: FinishError) -> Problem {
    match error {
        FinishError::NotVerified => not_verified(),
        FinishError::UnknownPhone => Problem::new(ProblemCode::OpenIdPhoneUnknown)
            .detail("Have the app's server register the phone's key (POST /association-keys)."),
        FinishError::Unfit(unfit) => Problem::new(ProblemCode::OpenIdPhoneUnknown).detail(format!(
            "The key's publicUserId cannot be a subject: {unfit}."
        )),
        FinishError::Answered => Problem::new(ProblemCode::OpenIdAnswered)
            .detail("Go back to the site and log in again."),
        FinishError::Unavailable(cause) => cause.into(),
    }
}

fn not_verified() -> Problem {
    Problem::new(ProblemCode::OpenIdNotVerified)
        .detail("Wait until the text has arrived, or the phone has confirmed the page's login.")
}

fn invalid() -> Problem {
    Problem::new(ProblemCode::OpenIdRequestInvalid)
        .detail("Load the page again: its request is damaged, too old, or another browser's.")
}
