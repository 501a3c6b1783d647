//! In local mode, requests that name another host are not ours.
//!
//! A page of a stranger's site can have a name of its own point to this machine (DNS rebinding);
//! then its browser lets it read what we answer. Such requests carry the stranger's name in `Host`.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use countersign_api::{Problem, ProblemCode};

use crate::place::LocalNames;

/// The router, behind the check. What is refused is a [`Problem`], which
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

/// Whether every name in the request is ours. HTTP/1.1 lets a request name its host in `Host` and
/// in its target (RFC 9112, section 3.2.2); a name there counts as well.
fn is_for(names: &LocalNames, request: &Request) -> bool {
    let target = request.uri().authority();
    only_host(request.headers()).is_some_and(|host| names.contain(host))
        && target.is_none_or(|authority| names.contain(authority.as_str()))
}

/// The value of `Host`, if it is there exactly once.
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
    async fn our_own_names_pass() {
        assert_eq!(ask("/", &["localhost:8787"]).await, StatusCode::OK);
        assert_eq!(ask("/", &["127.0.0.1:8787"]).await, StatusCode::OK);
        assert_eq!(
            ask("http://[::1]:8787/", &["localhost:8787"]).await,
            StatusCode::OK
        );
    }

    #[tokio::test]
    async fn others_none_and_two_do_not() {
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
