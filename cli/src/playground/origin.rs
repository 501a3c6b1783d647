//! The check that keeps other pages in the same browser from using the playground.
//!
//! A browser states the requesting page's origin in `Origin`. The check refuses pages of other sites,
//! including those whose name points at this machine (DNS rebinding): only the server's own URL and its
//! names in local mode are allowed.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use countersign_api::{Problem, ProblemCode};

use crate::own_pages::only;
use crate::server_address::LocalNames;

/// The server, whose pages may make changes.
pub(super) struct OwnServer {
    /// The origin of the server's URL.
    pub(super) url: Arc<str>,
    /// The hosts that the server answers to.
    pub(super) names: Option<LocalNames>,
}

/// Passes on safe requests, and other requests only from the playground's own page.
pub(super) async fn require_own(
    State(own): State<Arc<OwnServer>>,
    request: Request,
    next: Next,
) -> Response {
    if request.method().is_safe() || is_own(request.headers(), &own) {
        next.run(request).await
    } else {
        Problem::new(ProblemCode::OriginForbidden)
            .detail("The playground accepts changes from its own page only.")
            .into_response()
    }
}

/// Returns whether a request comes from a page of this server.
fn is_own(headers: &HeaderMap, own: &OwnServer) -> bool {
    let Some(origin) = only(headers, header::ORIGIN) else {
        return false;
    };
    if origin == &*own.url {
        return true;
    }
    let Some(host) = only(headers, header::HOST) else {
        return false;
    };
    let is_name = own.names.as_ref().is_some_and(|names| names.contain(host));
    is_name && origin.strip_prefix("http://") == Some(host)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server_address::ServerAddress;

    const OWN: &str = "http://127.0.0.1:8787";

    fn asked(origin: &[&str], host: &str) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, host.parse().unwrap());
        for value in origin {
            headers.append(header::ORIGIN, value.parse().unwrap());
        }
        let devbox = ["devbox".parse().unwrap()];
        let address = ServerAddress::new("127.0.0.1:8787".parse().unwrap(), None, &devbox);
        let names = address.local_names().cloned();
        let url = OWN.into();
        is_own(&headers, &OwnServer { url, names })
    }

    #[test]
    fn own_page_is_accepted() {
        assert!(asked(&[OWN], "127.0.0.1:8787"));
        assert!(asked(&["http://localhost:8787"], "localhost:8787"));
        assert!(asked(&["http://[::1]:8787"], "[::1]:8787"));
        assert!(asked(&["http://devbox:8787"], "devbox:8787"));
    }

    #[test]
    fn other_pages_are_refused() {
        for origin in [
            "https://127.0.0.1:8787",
            "http://127.0.0.1:8788",
            "http://127.0.0.1",
            "http://evil.example",
            "http://127.0.0.1:8787.evil.example",
            "null",
            "",
        ] {
            assert!(!asked(&[origin], "127.0.0.1:8787"), "{origin}");
        }
    }

    #[test]
    fn rebound_name_is_refused_even_if_origin_and_host_agree() {
        for host in [
            "evil.example:8787",
            "localhost.evil.example",
            "0.0.0.0:8787",
        ] {
            assert!(!asked(&[&format!("http://{host}")], host), "{host}");
        }
    }

    #[test]
    fn missing_and_repeated_origins_are_refused() {
        assert!(!asked(&[], "127.0.0.1:8787"));
        assert!(!asked(&[OWN, OWN], "127.0.0.1:8787"));
    }
}
