//! Refuses requests in local mode that name another host.
//!
//! A page of another site can point a name of its own at this machine (DNS rebinding); its browser
//! would then let it read the answers. Such requests carry that name in `Host`.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use countersign_api::{Problem, ProblemCode, let_page_read};

use crate::server_address::{LocalHost, LocalNames};

/// Puts the router behind the check. Refusals are [`Problem`]s, which
/// [`with_middleware`](countersign_api::with_middleware) writes out.
pub(crate) fn guard(router: Router, names: LocalNames) -> Router {
    router.layer(middleware::from_fn_with_state(Arc::new(names), check))
}

async fn check(State(names): State<Arc<LocalNames>>, request: Request, next: Next) -> Response {
    if is_for(&names, &request) {
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

/// Says how the server is started so that it answers to the host that was asked for. Text that is no host is not
/// repeated.
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

/// Returns whether every host in the request is ours. HTTP/1.1 lets a request name its host both in `Host`
/// and in its target (RFC 9112, section 3.2.2).
fn is_for(names: &LocalNames, request: &Request) -> bool {
    let target = request.uri().authority();
    only_host(request.headers()).is_some_and(|host| names.contain(host))
        && target.is_none_or(|authority| names.contain(authority.as_str()))
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
        let place = ServerAddress::of("127.0.0.1:8787".parse().unwrap(), None, &[]);
        let router = Router::new().route("/", get(async || "hello"));
        let router = guard(router, place.local_names().unwrap().clone());
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
