//! `GET /widget.js`: the elements for web pages, in one file, and their texts in other languages than English.

use std::collections::HashMap;
use std::io::{self, Write as _};
use std::sync::LazyLock;

use axum::Router;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::header::{
    ACCEPT_ENCODING, ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE,
    ETAG, VARY,
};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
use sha2::{Digest as _, Sha256};

use crate::extract::if_none_match;
use crate::problem::{Problem, ProblemCode};
use crate::schema::problems::problems;

/// What `clients/widget` builds, by path.
const BUILT: [(&str, &str); 9] = [
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
];

const SCRIPT: &str = "/widget.js";

/// The licences of the packages in the script.
const LICENCES: &str = "/widget/LICENSE.txt";

const JAVASCRIPT: HeaderValue = HeaderValue::from_static("text/javascript; charset=utf-8");

const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");

problems![&[]];

/// Headers that let every page load the module from another origin, and cache it for a short time: a
/// new release of the service has a new one.
const HEADERS: [(HeaderName, HeaderValue); 4] = [
    (
        CACHE_CONTROL,
        HeaderValue::from_static("public, max-age=300"),
    ),
    (VARY, HeaderValue::from_static("Accept-Encoding")),
    (ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*")),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("cross-origin"),
    ),
];

/// A file in both forms. Each needs a tag of its own (RFC 9110, section 8.8.1).
struct File {
    text: &'static str,
    tag: String,
    /// A third as long; nearly every browser takes it. Neither API Gateway nor the local server compresses. `None` if
    /// compression fails.
    compressed: Option<Vec<u8>>,
    compressed_tag: String,
}

impl File {
    fn new(text: &'static str) -> Self {
        let hash = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(text));
        Self {
            text,
            tag: format!("\"{hash}\""),
            compressed: compress(text.as_bytes()).ok(),
            compressed_tag: format!("\"{hash}-gzip\""),
        }
    }
}

/// The files by path, made when they are first asked for.
static FILES: LazyLock<HashMap<&str, File>> =
    LazyLock::new(|| BUILT.map(|(path, text)| (path, File::new(text))).into());

fn compress(file: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(file)?;
    encoder.finish()
}

/// Returns whether the caller accepts gzip by name (RFC 9110, section 12.5.3).
fn accepts_gzip(headers: &HeaderMap) -> bool {
    let values = headers.get_all(ACCEPT_ENCODING).iter();
    let members = values.filter_map(|value| value.to_str().ok());
    members.flat_map(|value| value.split(',')).any(|member| {
        let mut parts = member.split(';').map(str::trim);
        let named = parts.next().unwrap_or_default();
        let refused = parts.any(|part| {
            let weight = part.strip_prefix("q=").or(part.strip_prefix("Q="));
            weight.is_some_and(|weight| weight.parse() == Ok(0.0_f32))
        });
        named.eq_ignore_ascii_case("gzip") && !refused
    })
}

pub(crate) fn routes<S>() -> Router<S>
where
    S: Clone + Send + Sync + 'static,
{
    Router::new()
        .route(SCRIPT, get(widget))
        .route(LANGUAGE, get(language))
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

const LANGUAGE: &str = "/widget/{file}";

/// Returns the texts of the elements in a language, which the script loads.
async fn language(uri: Uri, headers: HeaderMap) -> Result<Response, Problem> {
    respond(uri.path(), &headers)
}

fn respond(path: &str, headers: &HeaderMap) -> Result<Response, Problem> {
    let file = FILES.get(path);
    let file = file.ok_or(Problem::new(ProblemCode::NotFound))?;
    let kind = if path == LICENCES { TEXT } else { JAVASCRIPT };
    let compressed = file.compressed.as_deref().filter(|_| accepts_gzip(headers));
    let tag = match compressed {
        Some(_) => &file.compressed_tag,
        None => &file.tag,
    };
    let mut response = match compressed {
        _ if if_none_match::matches(headers, tag) => StatusCode::NOT_MODIFIED.into_response(),
        Some(bytes) => {
            let gzip = HeaderValue::from_static("gzip");
            ([(CONTENT_TYPE, kind), (CONTENT_ENCODING, gzip)], bytes).into_response()
        }
        None => ([(CONTENT_TYPE, kind)], file.text).into_response(),
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, value);
    }
    if let Ok(tag) = HeaderValue::from_str(tag) {
        headers.insert(ETAG, tag);
    }
    Ok(response)
}
