//! The link hosts: files that tell phones which app opens the links, and a page for users who open
//! a link without the app: advice, or the web authenticator.
//!
//! The request's `Host` selects the apps. These routes look up no login and change nothing, since
//! link previews and strangers may fetch them.

mod files;
mod host;
mod landing;

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use http::HeaderValue;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};

use files::{AssetLink, SiteAssociation};
use host::LinkHostApps;

use crate::extract::accept_language::{AskedTexts, answer_in};
use crate::problem::{Problem, ProblemCode};
use crate::routes::phone_page;
use crate::schema::problems::problems;
use crate::state::ApiState;

/// Phones fetch the files when the app is installed or updated, and an operator's change must take
/// effect soon. Shared caches may not store the files: the same path differs between hosts.
const CACHING: HeaderValue = HeaderValue::from_static("private, max-age=300");

problems![&[ProblemCode::NotFound]];

/// Returns the routes of the files, and of the page that sets a phone up.
pub(crate) fn routes() -> Router<ApiState> {
    Router::new()
        .route("/.well-known/assetlinks.json", get(asset_links))
        .route(
            "/.well-known/apple-app-site-association",
            get(site_association),
        )
        .route("/phone-setup", get(phone_setup))
}

/// The page that sets a phone up.
async fn phone_setup(
    State(state): State<ApiState>,
    LinkHostApps(apps): LinkHostApps,
    AskedTexts(texts): AskedTexts,
) -> Result<Response, Problem> {
    let page = phone_page::setup(&apps, texts, state.clock.now());
    page.ok_or(Problem::new(ProblemCode::NotFound))
}

/// Returns the route of the page at `/` for users without the app. This route is separate because a
/// host may serve its own page there.
pub fn landing_routes() -> Router<ApiState> {
    Router::new()
        .route("/", get(landing))
        .method_not_allowed_fallback(async || Problem::new(ProblemCode::MethodNotAllowed))
}

/// Get the Android apps that open a host's links
///
/// Returns Digital Asset Links for the apps whose links have the request's `Host`.
#[utoipa::path(
    get,
    path = "/.well-known/assetlinks.json",
    operation_id = "getAssetLinks",
    tag = "links",
    responses(
        (status = 200, description = "A statement for each Android app.", body = [AssetLink]),
        Problems,
    ),
)]
pub(crate) async fn asset_links(LinkHostApps(apps): LinkHostApps) -> Result<Response, Problem> {
    let apps = apps.iter().flat_map(|app| &app.login.android);
    json(&apps.map(AssetLink::new).collect::<Vec<_>>())
}

/// Get the iOS apps that open a host's links
///
/// Returns Apple's site association for the apps whose links have the request's `Host`.
#[utoipa::path(
    get,
    path = "/.well-known/apple-app-site-association",
    operation_id = "getSiteAssociation",
    tag = "links",
    responses(
        (status = 200, description = "The apps, and the links that they open.", body = SiteAssociation),
        Problems,
    ),
)]
pub(crate) async fn site_association(
    LinkHostApps(apps): LinkHostApps,
) -> Result<Response, Problem> {
    let apps = apps.iter().flat_map(|app| &app.login.ios);
    json(&SiteAssociation::new(apps))
}

async fn landing(
    State(state): State<ApiState>,
    LinkHostApps(apps): LinkHostApps,
    AskedTexts(texts): AskedTexts,
) -> Response {
    if let Some(page) = phone_page::confirmation(&apps, texts, state.clock.now()) {
        return page;
    }
    // With several apps, only a lookup could tell which one a link belongs to.
    let app = match apps.as_slice() {
        [app] => Some(app.id.as_str()),
        _ => None,
    };
    cached(answer_in(texts, landing::page(texts, app)))
}

fn json(file: &impl serde::Serialize) -> Result<Response, Problem> {
    let body = serde_json::to_vec(file)
        .map_err(|error| Problem::ours(ProblemCode::InternalError, error))?;
    let mut response = Response::new(body.into());
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Ok(cached(response))
}

fn cached(mut response: Response) -> Response {
    response.headers_mut().insert(CACHE_CONTROL, CACHING);
    response
}
