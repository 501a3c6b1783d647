//! What the hosts of links serve: the files by which phones know whose links they are, and a page
//! for people who open a link without the app.
//!
//! Whose host it is, the request's `Host` says. Nothing here looks a session up, and nothing
//! changes: previews fetch links, and so may anybody.

mod files;
mod host;
mod landing;

use axum::Router;
use axum::response::Response;
use axum::routing::get;
use http::HeaderValue;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};

use files::{AssetLink, SiteAssociation};
use host::OfLinkHost;

use crate::problem::{Problem, ProblemCode};
use crate::state::ApiState;

/// Phones ask when the app is installed or updated; what an operator changed is to hold soon. Not
/// for caches on the way: the same path has other content at each host.
const KEPT: HeaderValue = HeaderValue::from_static("private, max-age=300");

pub(crate) fn routes() -> Router<ApiState> {
    Router::new()
        .route("/.well-known/assetlinks.json", get(asset_links))
        .route(
            "/.well-known/apple-app-site-association",
            get(site_association),
        )
}

/// The page at `/` for people without the app, apart from the other routes: a host may have a page
/// of its own there.
pub fn landing_routes() -> Router<ApiState> {
    Router::new()
        .route("/", get(landing))
        .method_not_allowed_fallback(crate::not_allowed)
}

/// Read which Android apps open the host's links
///
/// Android's Digital Asset Links for the apps whose links have the request's `Host`.
#[utoipa::path(
    get,
    path = "/.well-known/assetlinks.json",
    operation_id = "getAssetLinks",
    tag = "links",
    responses((status = 200, description = "A statement for each Android app.", body = [AssetLink])),
)]
pub(crate) async fn asset_links(OfLinkHost(apps): OfLinkHost) -> Result<Response, Problem> {
    let apps = apps.iter().flat_map(|app| &app.login.android);
    json(&apps.map(AssetLink::of).collect::<Vec<_>>())
}

/// Read which iOS apps open the host's links
///
/// Apple's site association for the apps whose links have the request's `Host`.
#[utoipa::path(
    get,
    path = "/.well-known/apple-app-site-association",
    operation_id = "getSiteAssociation",
    tag = "links",
    responses((status = 200, description = "The apps, and which links are theirs.", body = SiteAssociation)),
)]
pub(crate) async fn site_association(OfLinkHost(apps): OfLinkHost) -> Result<Response, Problem> {
    let apps = apps.iter().flat_map(|app| &app.login.ios);
    json(&SiteAssociation::of(apps))
}

async fn landing(_: OfLinkHost) -> Response {
    landing::page()
}

fn json(file: &impl serde::Serialize) -> Result<Response, Problem> {
    let body = serde_json::to_vec(file)
        .map_err(|error| Problem::ours(ProblemCode::InternalError, error))?;
    let mut response = Response::new(body.into());
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, KEPT);
    Ok(response)
}
