//! The link host that a request is for.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use countersign_domain::app::App;
use countersign_domain::web::link_host::LinkHost;
use http::header::HOST;
use http::request::Parts;

use crate::header::single_text;
use crate::problem::{Problem, ProblemCode};
use crate::state::ApiState;
use crate::viewer::{ViewerPolicy, came_through_cloudfront};

const VIEWER_HOST: &str = "x-countersign-viewer-host";

/// The apps whose links have the request's host, sorted by name; at least one.
pub(crate) struct LinkHostApps(pub(super) Vec<Arc<App>>);

impl FromRequestParts<ApiState> for LinkHostApps {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> Result<Self, Problem> {
        let policy = &state.logins()?.viewers;
        let not_found = || {
            Problem::new(ProblemCode::NotFound)
                .detail("No app has links with the host of this request.")
        };
        let host = requested(policy, parts).ok_or_else(not_found)?;
        let apps = state.store.apps_of_link_host(&host).await?;
        if apps.is_empty() {
            Err(not_found())
        } else {
            Ok(Self(apps))
        }
    }
}

/// Returns the host that a request is for: the host of the target, or `Host` (RFC 9112, section
/// 3.2.2). CloudFront sends the origin's own name as `Host`, so if its secret is present,
/// `x-countersign-viewer-host` takes precedence over both: a CloudFront function sets it and
/// overwrites any value from the viewer (`docs/operations.md`). `X-Forwarded-Host` cannot be used,
/// since the viewer's own value is passed on. A trailing dot marks a fully qualified name and is
/// ignored.
fn requested(policy: &ViewerPolicy, parts: &Parts) -> Option<LinkHost> {
    let headers = &parts.headers;
    let forwarded = headers.contains_key(VIEWER_HOST) && came_through_cloudfront(policy, headers);
    let named = match parts.uri.authority() {
        _ if forwarded => single_text(headers, VIEWER_HOST)?,
        Some(authority) => authority.as_str(),
        None => single_text(headers, HOST.as_str())?,
    };
    let (name, port) = match named.rsplit_once(':') {
        // A colon within an IPv6 address does not start a port.
        Some((name, port)) if !port.contains(']') => (name, Some(port)),
        _ => (named, None),
    };
    let name = name.strip_suffix('.').unwrap_or(name);
    let host = match port {
        Some(port) => format!("{name}:{port}").parse::<LinkHost>(),
        None => name.parse::<LinkHost>(),
    };
    host.ok()
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    fn asked_with(uri: &str, headers: &[(&str, &str)]) -> Option<String> {
        let policy = ViewerPolicy {
            origin_secret: "0123456789abcdef".parse().ok(),
            trusted_proxies: Vec::new(),
        };
        let mut request = Request::get(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (parts, ()) = request.body(()).unwrap().into_parts();
        requested(&policy, &parts).map(|host| host.to_string())
    }

    fn asked(uri: &str, hosts: &[&str]) -> Option<String> {
        let headers: Vec<_> = hosts.iter().map(|host| ("host", *host)).collect();
        asked_with(uri, &headers)
    }

    #[test]
    fn cloudfront_names_the_viewers_host() {
        let host = ("host", "origin.example");
        let forwarded = ("x-countersign-viewer-host", "login.shop.example");
        let secret = ("x-countersign-origin-secret", "0123456789abcdef");
        for (headers, expected) in [
            (&[host, forwarded, secret][..], Some("login.shop.example")),
            (&[host, forwarded, forwarded, secret], None),
            (&[host, secret], Some("origin.example")),
            (&[host, forwarded], Some("origin.example")),
        ] {
            assert_eq!(asked_with("/", headers).as_deref(), expected);
        }
    }

    #[test]
    fn spellings_of_a_host_are_equal() {
        for (host, expected) in [
            ("login.shop.example", Some("login.shop.example")),
            ("LOGIN.shop.Example", Some("login.shop.example")),
            ("login.shop.example.", Some("login.shop.example")),
            ("login.shop.example:443", Some("login.shop.example")),
            ("login.shop.example.:443", Some("login.shop.example")),
            ("localhost:8787", Some("localhost:8787")),
            ("[::1]:8787", Some("[::1]:8787")),
            ("[::1]", Some("[::1]")),
            ("login.shop.example..", None),
            ("203.0.113.7", None),
            ("[2001:db8::1]:443", None),
            ("a@login.shop.example", None),
            ("login.shop.example:", None),
            ("login.shop.example:x", None),
            ("", None),
        ] {
            assert_eq!(asked("/", &[host]).as_deref(), expected, "{host}");
        }
    }

    #[test]
    fn target_goes_before_the_header_and_repeated_headers_are_ignored() {
        let host = "login.shop.example";
        assert_eq!(
            asked("https://a.example/", &[host]).as_deref(),
            Some("a.example")
        );
        assert_eq!(asked("/", &[host, host]), None);
        assert_eq!(asked("/", &[]), None);
    }
}
