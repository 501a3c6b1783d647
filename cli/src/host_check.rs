//! Rejects requests for a different host: in local mode, and for the counters.
//!
//! A page of another site can point its own name at this machine (DNS rebinding); its browser would
//! then let it read the responses. Such requests have that name in `Host`.
//!
//! The API needs no such check otherwise: it authorizes requests only by their credentials, never by an address
//! or a cookie. Browsers cannot reach the admin socket.

use std::net::IpAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use countersign_api::viewer::OwnSocket;
use countersign_api::{Problem, ProblemCode, let_page_read};

use crate::server_address::{LocalHost, LocalNames, MetricsHost};

/// Wraps the router of local mode in the check. Refusals are [`Problem`]s, which
/// [`with_middleware`](countersign_api::with_middleware) renders. Each request gets an extension with the URL of
/// the WebSocket at `socket` under the name in the request.
pub(crate) fn guard(router: Router, names: LocalNames, socket: &'static str) -> Router {
    let names = Arc::new((names, socket));
    router.layer(middleware::from_fn_with_state(names, check))
}

/// Wraps the router of the counters in the check: `Host` must be `localhost`, an address (which no other site can
/// point here) or one of `names`.
pub(crate) fn guard_metrics(router: Router, names: Vec<MetricsHost>) -> Router {
    router.layer(middleware::from_fn_with_state(
        Arc::new(names),
        check_metrics,
    ))
}

async fn check(
    State(own): State<Arc<(LocalNames, &'static str)>>,
    mut request: Request,
    next: Next,
) -> Response {
    let (names, socket) = &*own;
    if let Some(host) = asked(&request, |host| names.contain(host)) {
        if let Some(url) = names.socket_url(host, socket) {
            request.extensions_mut().insert(OwnSocket(url.into()));
        }
        return next.run(request).await;
    }
    let mut response = Problem::new(ProblemCode::MisdirectedRequest)
        .detail(detail(&request))
        .into_response();
    if is_for_pages(request.uri().path()) {
        let origin = request.headers().get(header::ORIGIN).cloned();
        let_page_read(&mut response, origin);
    }
    response
}

async fn check_metrics(
    State(names): State<Arc<Vec<MetricsHost>>>,
    request: Request,
    next: Next,
) -> Response {
    let is_listed = |host: &str| names.iter().any(|name| name.is_asked_by(host));
    let is_ours = |host: &str| is_address(host) || is_listed(host);
    if asked(&request, is_ours).is_some() {
        return next.run(request).await;
    }
    let host = only_host(request.headers()).and_then(|host| host.parse::<MetricsHost>().ok());
    let remedy = host.map_or(String::new(), |host| {
        format!(" Start the server with --metrics-host {host} if the name is yours.")
    });
    let detail = format!("The counters are at addresses and at localhost.{remedy}");
    Problem::new(ProblemCode::MisdirectedRequest)
        .detail(detail)
        .into_response()
}

/// Returns whether a `Host` is an address or `localhost`, with any port.
fn is_address(host: &str) -> bool {
    let Ok(authority) = host.parse::<Authority>() else {
        return false;
    };
    let name = authority.host();
    let bare = name
        .strip_prefix('[')
        .and_then(|name| name.strip_suffix(']'));
    !host.contains('@')
        && (name.eq_ignore_ascii_case("localhost")
            || bare.unwrap_or(name).parse::<IpAddr>().is_ok())
}

/// Explains how to start the server so that it answers to the requested host. Does not quote text that is
/// not a host.
fn detail(request: &Request) -> String {
    let asked = only_host(request.headers()).and_then(|host| host.parse::<LocalHost>().ok());
    let named = match asked {
        Some(host) => format!(
            "If you trust everybody who can reach it as {host}, start it with --local-host {host}."
        ),
        None => "--local-host names others.".to_owned(),
    };
    format!(
        "In local mode the server answers to localhost, 127.0.0.1 and [::1], with its port. {named} Behind a \
         tunnel, start it with --public-url and the tunnel's URL."
    )
}

/// Returns whether pages of any origin may read the answers to this path.
fn is_for_pages(path: &str) -> bool {
    let rest = path.strip_prefix("/qr-sessions");
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns the request's `Host` if every host in the request is ours. In HTTP/1.1 a request can specify its host
/// both in `Host` and in its target (RFC 9112, section 3.2.2).
fn asked(request: &Request, is_ours: impl Fn(&str) -> bool) -> Option<&str> {
    let target = request.uri().authority();
    only_host(request.headers())
        .filter(|host| is_ours(host))
        .filter(|_| target.is_none_or(|authority| is_ours(authority.as_str())))
}

/// Returns the value of `Host` if the header occurs exactly once.
fn only_host(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(header::HOST).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server_address::ServerAddress;
    use axum::body::Body;
    use axum::http::StatusCode;
    use axum::routing::get;
    use tower::ServiceExt as _;

    async fn ask(target: &str, hosts: &[&str]) -> StatusCode {
        answer(target, hosts).await.status()
    }

    async fn answer(target: &str, hosts: &[&str]) -> Response {
        let place = ServerAddress::new("127.0.0.1:8787".parse().unwrap(), None, &[]);
        let router = Router::new().route("/", get(async || "hello"));
        let router = guard(router, place.local_names().unwrap().clone(), "/socket");
        let origin = (header::ORIGIN, "http://localhost:3000");
        let mut request = Request::builder().uri(target).header(origin.0, origin.1);
        for host in hosts {
            request = request.header(header::HOST, *host);
        }
        let request = request.body(Body::empty()).unwrap();
        router.oneshot(request).await.unwrap()
    }

    #[tokio::test]
    async fn own_names_pass() {
        assert_eq!(ask("/", &["localhost:8787"]).await, StatusCode::OK);
        assert_eq!(ask("/", &["127.0.0.1:8787"]).await, StatusCode::OK);
        assert_eq!(
            ask("http://[::1]:8787/", &["localhost:8787"]).await,
            StatusCode::OK
        );
    }

    #[tokio::test]
    async fn other_missing_and_repeated_hosts_are_refused() {
        let refused = StatusCode::MISDIRECTED_REQUEST;
        assert_eq!(ask("/", &["evil.example:8787"]).await, refused);
        assert_eq!(ask("/", &[]).await, refused);
        assert_eq!(
            ask("/", &["localhost:8787", "localhost:8787"]).await,
            refused
        );
        assert_eq!(
            ask("http://evil.example:8787/", &["localhost:8787"]).await,
            refused
        );
        assert_eq!(ask("/unknown", &["evil.example:8787"]).await, refused);
    }

    #[tokio::test]
    async fn request_tells_the_socket_under_the_name_by_which_it_came() {
        let told = async |request: Request| {
            let socket = request.extensions().get::<OwnSocket>();
            socket.map_or_else(String::new, |socket| socket.0.to_string())
        };
        let place = ServerAddress::new("127.0.0.1:8787".parse().unwrap(), None, &[]);
        let router = Router::new().route("/", get(told));
        let router = guard(router, place.local_names().unwrap().clone(), "/socket");
        let request = Request::get("/").header(header::HOST, "LOCALHOST:8787");
        let answer = router.oneshot(request.body(Body::empty()).unwrap()).await;
        let body = axum::body::to_bytes(answer.unwrap().into_body(), 99).await;
        assert_eq!(body.unwrap(), "ws://localhost:8787/socket");
    }

    #[tokio::test]
    async fn counters_are_at_addresses_and_names_that_were_given() {
        let names = ["Metrics", "scrape.example"].map(|name| name.parse().unwrap());
        let router = Router::new().route("/metrics", get(async || "counters"));
        let router = guard_metrics(router, names.to_vec());
        let ask = async |host: &str| {
            let request = Request::get("/metrics").header(header::HOST, host);
            let request = request.body(Body::empty()).unwrap();
            router.clone().oneshot(request).await.unwrap()
        };
        for own in [
            "127.0.0.1:9100",
            "192.168.1.2",
            "203.0.113.7:80",
            "[::1]:9100",
            "[2001:db8::1]",
            "localhost:9100",
            "LocalHost",
            "metrics:9100",
            "METRICS",
            "scrape.example:443",
        ] {
            assert_eq!(ask(own).await.status(), StatusCode::OK, "{own}");
        }
        for foreign in [
            "evil.example:9100",
            "127.0.0.1.evil.example",
            "localhost.evil.example:9100",
            "a.metrics:9100",
            "a@127.0.0.1:9100",
            "127.1:9100",
            "0x7f000001:9100",
            "2130706433",
            "",
        ] {
            let refused = ask(foreign).await.status();
            assert_eq!(refused, StatusCode::MISDIRECTED_REQUEST, "{foreign}");
        }
    }

    #[test]
    fn refusal_names_the_option_and_only_what_is_a_host() {
        let told = |host: &'static str| {
            let request = Request::get("/").header(header::HOST, host);
            detail(&request.body(Body::empty()).unwrap())
        };
        let named = told("Devbox.lan:8787");
        assert!(
            named.contains("start it with --local-host devbox.lan:8787."),
            "{named}"
        );
        for odd in ["<b>x</b>", "a@b", "a; rm -rf", ""] {
            let told = told(odd);
            assert!(told.contains(" --local-host names others. "), "{told}");
        }
    }

    #[tokio::test]
    async fn pages_can_read_why_a_login_request_is_refused() {
        for (path, readable) in [
            ("/qr-sessions", true),
            ("/qr-sessions/unknown/redeem", true),
            ("/qr-sessions-of-another-kind", false),
            ("/acquire-phone-number", false),
        ] {
            let answer = answer(path, &["evil.example:8787"]).await;
            assert_eq!(answer.status(), StatusCode::MISDIRECTED_REQUEST);
            let allowed = answer.headers().get(header::ACCESS_CONTROL_ALLOW_ORIGIN);
            let expected = readable.then_some("http://localhost:3000");
            assert_eq!(
                allowed.and_then(|value| value.to_str().ok()),
                expected,
                "{path}"
            );
        }
    }
}
