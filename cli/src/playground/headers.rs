//! Headers that keep what the playground serves to itself.

use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::Response;
use url::Url;

/// Everything comes from here, no code or style stands in a page, and nobody may frame it. Code
/// cannot make markup out of text either. What may be connected to comes after this.
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

/// The headers that an answer gets.
#[derive(Clone)]
pub(super) struct Hardening {
    policy: HeaderValue,
}

impl Hardening {
    /// Besides the server itself, pages may connect to the socket at this URL: they may have been
    /// opened by another of the server's names than the one that the socket goes by.
    pub(super) fn with_socket(url: &str) -> Self {
        let origin = socket_origin(url).unwrap_or_default();
        let policy = HeaderValue::try_from(format!("{POLICY} {origin}"));
        Self {
            policy: policy.unwrap_or(HeaderValue::from_static(POLICY)),
        }
    }
}

/// Scheme, host and port of a socket's URL.
fn socket_origin(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    let host = url.host_str()?;
    let port = url.port().map_or(String::new(), |port| format!(":{port}"));
    matches!(url.scheme(), "ws" | "wss").then(|| format!("{}://{host}{port}", url.scheme()))
}

/// Adds them to an answer, and `no-store` where the answer says nothing of caching: all but the
/// page's own files hold somebody's data.
pub(super) async fn harden(
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
    fn the_policy_names_the_socket_and_nothing_else_of_its_url() {
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
