//! `GET /widget.js`: the elements for web pages, in one file, and the files that it loads: texts in languages other
//! than English, and the countries for the phone number field; the element that sets a phone up; and the hashes of all.

use std::collections::HashMap;
use std::sync::LazyLock;

use axum::Router;
use axum::response::Response;
use axum::routing::get;
use http::header::{ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL};
use http::{HeaderMap, HeaderName, HeaderValue, Uri};

use crate::problem::{Problem, ProblemCode};
use crate::routes::static_file::StaticFile;
use crate::schema::problems::problems;

/// The files that `clients/widget` builds, by path.
const BUILT: [(&str, &str); 12] = [
    (
        SCRIPT,
        include_str!("../../../../clients/widget/dist/widget.js"),
    ),
    (
        LICENCES,
        include_str!("../../../../clients/widget/dist/widget/LICENSE.txt"),
    ),
    (
        "/widget/ar.js",
        include_str!("../../../../clients/widget/dist/widget/ar.js"),
    ),
    (
        "/widget/countries.js",
        include_str!("../../../../clients/widget/dist/widget/countries.js"),
    ),
    (
        "/widget/de.js",
        include_str!("../../../../clients/widget/dist/widget/de.js"),
    ),
    (
        "/widget/es.js",
        include_str!("../../../../clients/widget/dist/widget/es.js"),
    ),
    (
        "/widget/fr.js",
        include_str!("../../../../clients/widget/dist/widget/fr.js"),
    ),
    (
        INTEGRITY,
        include_str!("../../../../clients/widget/dist/widget/integrity.json"),
    ),
    (
        "/widget/it.js",
        include_str!("../../../../clients/widget/dist/widget/it.js"),
    ),
    (
        "/widget/ja.js",
        include_str!("../../../../clients/widget/dist/widget/ja.js"),
    ),
    (
        "/widget/pt.js",
        include_str!("../../../../clients/widget/dist/widget/pt.js"),
    ),
    (
        "/widget/setup.js",
        include_str!("../../../../clients/widget/dist/widget/setup.js"),
    ),
];

const SCRIPT: &str = "/widget.js";

/// The licenses of the packages in the script.
const LICENCES: &str = "/widget/LICENSE.txt";

/// The hashes of the scripts, for pages that pin them.
const INTEGRITY: &str = "/widget/integrity.json";

const JAVASCRIPT: HeaderValue = HeaderValue::from_static("text/javascript; charset=utf-8");

const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");

const JSON: HeaderValue = HeaderValue::from_static("application/json");

problems![&[]];

/// Headers that let every page load the module from another origin, and cache it for a short time,
/// since each release of the service has a new module.
const HEADERS: [(HeaderName, HeaderValue); 3] = [
    (
        CACHE_CONTROL,
        HeaderValue::from_static("public, max-age=300"),
    ),
    (ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*")),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("cross-origin"),
    ),
];

/// The files by path, prepared on first use.
static FILES: LazyLock<HashMap<&str, StaticFile>> = LazyLock::new(|| {
    BUILT
        .map(|(path, text)| (path, StaticFile::new(text)))
        .into()
});

pub(crate) fn routes<S>() -> Router<S>
where
    S: Clone + Send + Sync + 'static,
{
    Router::new()
        .route(SCRIPT, get(widget))
        .route(PART, get(part))
}

/// Get the elements
///
/// Returns a module that defines `<countersign-login>` and `<countersign-phone>`. Pages include it with
/// `<script type="module">`.
#[utoipa::path(
    get,
    path = "/widget.js",
    operation_id = "getWidget",
    tag = "links",
    params(("If-None-Match" = Option<String>, Header, nullable = false,
        description = "`ETag` of the file that the caller has. If it is still current, the answer is 304.")),
    responses(
        (status = 200, description = "The module.",
            body = String, content_type = "text/javascript",
            headers(("etag" = String, description = "Identifies this file."))),
        (status = 304, description = "The file has not changed.",
            headers(("etag" = String, description = "Identifies the file."))),
        Problems,
    ),
)]
pub(crate) async fn widget(headers: HeaderMap) -> Result<Response, Problem> {
    respond(SCRIPT, &headers)
}

const PART: &str = "/widget/{file}";

/// Returns a file that the script loads.
async fn part(uri: Uri, headers: HeaderMap) -> Result<Response, Problem> {
    respond(uri.path(), &headers)
}

fn respond(path: &str, headers: &HeaderMap) -> Result<Response, Problem> {
    let file = FILES.get(path);
    let file = file.ok_or(Problem::new(ProblemCode::NotFound))?;
    let kind = match path {
        LICENCES => TEXT,
        INTEGRITY => JSON,
        _ => JAVASCRIPT,
    };
    let mut response = file.answer(headers, kind);
    response.headers_mut().extend(HEADERS);
    Ok(response)
}
