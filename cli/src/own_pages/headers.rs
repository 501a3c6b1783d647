//! Response headers that isolate pages from other pages.

use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::Response;
use url::Url;

/// Everything is loaded from this server, pages contain no inline code or styles, and no site may
/// frame them. Scripts cannot create markup from text, either. The allowed connection targets are
/// appended.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
                      require-trusted-types-for 'script'; trusted-types 'none'; \
                      connect-src 'self'";

const ALWAYS: [(HeaderName, &str); 4] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
];

/// Security headers added to every response.
#[derive(Clone)]
pub(crate) struct Hardening {
    policy: HeaderValue,
}

impl Hardening {
    /// Allows pages to connect to the server itself only.
    pub(crate) const fn without_socket() -> Self {
        Self {
            policy: HeaderValue::from_static(POLICY),
        }
    }

    /// Allows pages to connect to the server itself and to the WebSocket at this URL: the page's
    /// name for the server may differ from the WebSocket's.
    pub(crate) fn with_socket(url: &str) -> Self {
        let origin = socket_origin(url).unwrap_or_default();
        let policy = HeaderValue::try_from(format!("{POLICY} {origin}"));
        Self {
            policy: policy.unwrap_or(HeaderValue::from_static(POLICY)),
        }
    }
}

/// Returns scheme, host and port of a WebSocket URL.
fn socket_origin(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    let host = url.host_str()?;
    let port = url.port().map_or(String::new(), |port| format!(":{port}"));
    matches!(url.scheme(), "ws" | "wss").then(|| format!("{}://{host}{port}", url.scheme()))
}

/// Adds the headers to a response, and `no-store` if it has no caching directive: everything except
/// the page's own files contains personal data.
pub(crate) async fn harden(
    State(Hardening { policy }): State<Hardening>,
    mut response: Response,
) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    for (name, value) in ALWAYS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policy_allows_the_socket_origin_only() {
        let connects = |url: &str| {
            let Hardening { policy } = Hardening::with_socket(url);
            let policy = policy.to_str().unwrap();
            policy.split("connect-src ").nth(1).unwrap().to_owned()
        };
        for (url, allowed) in [
            (
                "ws://127.0.0.1:8787/qr-socket",
                "'self' ws://127.0.0.1:8787",
            ),
            ("wss://localhost/qr-socket", "'self' wss://localhost"),
            ("ws://[::1]:8787/qr-socket", "'self' ws://[::1]:8787"),
            ("https://evil.example/; script-src *", "'self'"),
            ("", "'self'"),
        ] {
            assert_eq!(connects(url).trim_end(), allowed, "{url}");
        }
    }
}
