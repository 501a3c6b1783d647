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
use countersign_api::{Problem, ProblemCode};

use crate::place::LocalNames;

/// Puts the router behind the check. Refusals are [`Problem`]s, which
/// [`with_middleware`](countersign_api::with_middleware) writes out.
pub(crate) fn guard(router: Router, names: LocalNames) -> Router {
    router.layer(middleware::from_fn_with_state(Arc::new(names), check))
}

async fn check(State(names): State<Arc<LocalNames>>, request: Request, next: Next) -> Response {
    if is_for(&names, &request) {
        next.run(request).await
    } else {
        Problem::new(ProblemCode::MisdirectedRequest)
            .detail("In local mode the server answers to localhost, 127.0.0.1 and [::1], with its port.")
            .into_response()
    }
}

/// Whether every host in the request is ours. HTTP/1.1 lets a request name its host both in `Host`
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
    use crate::place::Place;
    use axum::body::Body;
    use axum::http::StatusCode;
    use axum::routing::get;
    use tower::ServiceExt as _;

    async fn ask(target: &str, hosts: &[&str]) -> StatusCode {
        let place = Place::of("127.0.0.1:8787".parse().unwrap(), None);
        let router = Router::new().route("/", get(async || "hello"));
        let router = guard(router, place.local_names().unwrap().clone());
        let mut request = Request::builder().uri(target);
        for host in hosts {
            request = request.header(header::HOST, *host);
        }
        let request = request.body(Body::empty()).unwrap();
        router.oneshot(request).await.unwrap().status()
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
}
