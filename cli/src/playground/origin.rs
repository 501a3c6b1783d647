//! The check that keeps other pages in the same browser from using the playground.
//!
//! A browser says in `Origin` which page asks. A page of another site that posts here is refused by
//! it, and so is a page whose name was made to point to this machine (DNS rebinding), since only
//! the server's own URL and spellings of loopback count.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use countersign_api::{Problem, ProblemCode};

/// Lets through what changes nothing, and changes that the playground's own page asks for.
pub(super) async fn require_own(
    State(own): State<Arc<str>>,
    request: Request,
    next: Next,
) -> Response {
    if request.method().is_safe() || is_own(request.headers(), &own) {
        next.run(request).await
    } else {
        Problem::new(ProblemCode::OriginForbidden)
            .detail("The playground takes changes from its own page alone.")
            .into_response()
    }
}

/// Whether a request comes from a page of this server. `own` is the origin of the server's URL.
fn is_own(headers: &HeaderMap, own: &str) -> bool {
    let Some(origin) = only(headers, header::ORIGIN) else {
        return false;
    };
    if origin == own {
        return true;
    }
    let Some(host) = only(headers, header::HOST) else {
        return false;
    };
    is_loopback(host) && origin.strip_prefix("http://") == Some(host)
}

/// The value of a header that is there exactly once.
fn only(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

/// Whether an authority (`127.0.0.1:8787`, `[::1]:8787`, `localhost`) names this machine whatever a
/// name server says.
fn is_loopback(authority: &str) -> bool {
    let Ok(authority) = authority.parse::<Authority>() else {
        return false;
    };
    let host = authority.host();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || bare
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = "http://127.0.0.1:8787";

    fn asked(origin: &[&str], host: &str) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, host.parse().unwrap());
        for value in origin {
            headers.append(header::ORIGIN, value.parse().unwrap());
        }
        is_own(&headers, OWN)
    }

    #[test]
    fn the_servers_own_page_may() {
        assert!(asked(&[OWN], "127.0.0.1:8787"));
        assert!(asked(&["http://localhost:8787"], "localhost:8787"));
        assert!(asked(&["http://[::1]:8787"], "[::1]:8787"));
    }

    #[test]
    fn others_may_not() {
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
    fn a_rebound_name_is_not_ours_though_origin_and_host_agree() {
        for host in [
            "evil.example:8787",
            "localhost.evil.example",
            "0.0.0.0:8787",
        ] {
            assert!(!asked(&[&format!("http://{host}")], host), "{host}");
        }
    }

    #[test]
    fn without_an_origin_or_with_two_it_is_nobody() {
        assert!(!asked(&[], "127.0.0.1:8787"));
        assert!(!asked(&[OWN, OWN], "127.0.0.1:8787"));
    }
}
