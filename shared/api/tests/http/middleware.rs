//! The middleware that wraps every route, including a host's own routes.

use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Extension;
use axum::routing::get;
use countersign_api::{Problem, ProblemCode, RequestId, with_middleware};
use http::header::CACHE_CONTROL;
use http::{Request, StatusCode};
use http_body_util::BodyExt as _;

use crate::host::{Answer, Host, send_to};

fn around(host: &Host, router: Router) -> Router {
    with_middleware(router, host.entropy.clone())
}

fn ask(path: &str) -> Request<Body> {
    Request::get(path).body(Body::empty()).unwrap()
}

#[tokio::test]
async fn every_request_has_its_own_id() {
    let host = Host::new().await;
    let one = host.send(ask("/healthz")).await;
    let other = host.send(ask("/healthz")).await;
    assert_ne!(one.header("x-request-id"), other.header("x-request-id"));
    assert_eq!(one.header("x-request-id").unwrap().len(), 28);
}

#[tokio::test]
async fn id_sent_by_the_caller_is_ignored() {
    let host = Host::new().await;
    let mut request = ask("/nothing");
    let claimed = "req_mine".parse().unwrap();
    request.headers_mut().insert("x-request-id", claimed);
    let answer = host.send(request).await;
    assert_ne!(answer.header("x-request-id"), Some("req_mine"));
}

#[tokio::test]
async fn id_set_by_the_platform_is_used() {
    let host = Host::new().await;
    let mut request = ask("/nothing");
    let id = RequestId::of_platform("req_platform").unwrap();
    request.extensions_mut().insert(id);
    let answer = host.send(request).await;
    assert_eq!(answer.header("x-request-id"), Some("req_platform"));
    assert_eq!(answer.json()["requestId"], "req_platform");
}

#[tokio::test]
async fn handlers_can_read_the_id() {
    let host = Host::new().await;
    let echo = async |Extension(id): Extension<RequestId>| id.to_string();
    let router = around(&host, Router::new().route("/", get(echo)));
    let response = send_to(router, ask("/")).await;
    let name = response.headers()["x-request-id"].clone();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(body, name.as_bytes());
}

async fn panics() -> StatusCode {
    panic!("a secret")
}

#[tokio::test]
async fn panic_returns_500() {
    let host = Host::new().await;
    let router = around(&host, Router::new().route("/", get(panics)));
    let answer = Answer::from_router(router, ask("/")).await;
    assert_eq!(answer.code(), "internal_error");
    assert!(!String::from_utf8_lossy(&answer.body).contains("secret"));
}

#[tokio::test(start_paused = true)]
async fn hanging_handler_returns_503() {
    let host = Host::new().await;
    let stuck = async || std::future::pending::<StatusCode>().await;
    let router = around(&host, Router::new().route("/", get(stuck)));
    let began = tokio::time::Instant::now();
    let answer = Answer::from_router(router, ask("/")).await;
    assert_eq!(answer.code(), "service_unavailable");
    // A function is killed after ten seconds.
    assert_eq!(began.elapsed().as_secs(), Duration::from_secs(9).as_secs());
}

#[tokio::test]
async fn route_may_set_its_caching() {
    let host = Host::new().await;
    let page = async || ([(CACHE_CONTROL, "public, max-age=60")], "page");
    let router = around(&host, Router::new().route("/", get(page)));
    let response = send_to(router, ask("/")).await;
    assert_eq!(response.headers()[CACHE_CONTROL], "public, max-age=60");
    assert_eq!(response.headers()["x-content-type-options"], "nosniff");
}

#[tokio::test]
async fn internal_problem_shows_no_detail() {
    let host = Host::new().await;
    let problem = Problem::ours(ProblemCode::InternalError, "the cause")
        .detail("a detail")
        .at("/field");
    assert_eq!(format!("{problem:?}"), "Problem(internal_error)");
    let router = Router::new().route("/", get(async move || problem));
    let answer = Answer::from_router(around(&host, router), ask("/")).await;
    let members: Vec<_> = answer.json().as_object().unwrap().keys().cloned().collect();
    assert_eq!(members, ["code", "requestId", "status", "title", "type"]);
}
