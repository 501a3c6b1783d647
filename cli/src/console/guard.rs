//! The checks of every request, before it is routed.
//!
//! A name of another site may point at this machine (DNS rebinding): then `Host` and `Origin` agree, so `Host` must be
//! one of the names of loopback. The port is not compared, because `ssh -L` changes it. A page of another site or port
//! can send requests, but not with this origin.

use axum::extract::Request;
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::Response;

use super::refusal::refuse;
use crate::own_pages::only;

/// The names of this machine that only it answers to.
const HOSTS: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

const JSON: &str = "application/json";

/// Passes on a request of the console's page, and a request for the page itself.
pub(super) async fn guard(request: Request, next: Next) -> Response {
    match check(request.method(), request.uri(), request.headers()) {
        Ok(()) => next.run(request).await,
        Err((status, message)) => refuse(status, message),
    }
}

fn check(
    method: &Method,
    uri: &Uri,
    headers: &HeaderMap,
) -> Result<(), (StatusCode, &'static str)> {
    let host = only(headers, header::HOST).filter(|host| is_loopback(host));
    let host = host.ok_or((
        StatusCode::MISDIRECTED_REQUEST,
        "the console answers to 127.0.0.1, localhost and [::1] only",
    ))?;
    if uri.authority().is_some_and(|authority| authority != host) {
        return Err((
            StatusCode::MISDIRECTED_REQUEST,
            "the request names two hosts",
        ));
    }
    if method == Method::GET || method == Method::HEAD {
        return Ok(());
    }
    let foreign = (
        StatusCode::FORBIDDEN,
        "the console accepts requests from its own page only",
    );
    let origin = only(headers, header::ORIGIN).and_then(|origin| origin.strip_prefix("http://"));
    if origin != Some(host) {
        return Err(foreign);
    }
    let sites = headers.get_all("sec-fetch-site");
    if sites.iter().any(|site| site != "same-origin") {
        return Err(foreign);
    }
    let kind = only(headers, header::CONTENT_TYPE).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case(JSON) {
        return Err((
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "the console accepts application/json only",
        ));
    }
    Ok(())
}

/// Returns whether the value of `Host` names loopback, with any port.
fn is_loopback(host: &str) -> bool {
    HOSTS.iter().any(|name| {
        host.strip_prefix(name).is_some_and(|rest| {
            rest.is_empty()
                || rest.strip_prefix(':').is_some_and(|port| {
                    port.bytes().all(|c| c.is_ascii_digit()) && port.parse::<u16>().is_ok()
                })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_loopback_are_hosts() {
        for host in [
            "127.0.0.1:8787",
            "127.0.0.1",
            "localhost:9000",
            "localhost",
            "[::1]:1",
            "[::1]",
        ] {
            assert!(is_loopback(host), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "evil.example:8787",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "127.0.0.1:8787.evil.example",
            "127.0.0.1:",
            "127.0.0.1:+1",
            "127.0.0.1:65536",
            "127.0.0.1:1:2",
            "127.0.0.2",
            "0.0.0.0:8787",
            "[::]",
            "[::1",
            "::1",
            "user@localhost",
            "LOCALHOST ",
            "192.0.2.1",
        ] {
            assert!(!is_loopback(host), "{host}");
        }
    }
}
