mod requests;

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode, header};
use axum::response::Response;
use countersign_system::clock::SystemClock;
use countersign_system::entropy::OsEntropy;
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::OnceCell;
use tower::ServiceExt as _;

use super::session::{CODE_VALIDITY, IDLE, Session};
use super::{Console, Place, routes};
use crate::data_dir::DataDir;
use crate::storage::{self, IfMissing};

const HOST: &str = "127.0.0.1:9000";
const ORIGIN: &str = "http://127.0.0.1:9000";

/// A console of a stopped server's data.
struct Run {
    console: Arc<Console>,
    _folder: TempDir,
}

fn run(read_only: bool) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let dir = DataDir::create(folder.path()).unwrap();
    let lock = dir.lock(Duration::ZERO).unwrap();
    drop(storage::open(&dir, &lock, IfMissing::Refused, Arc::new(SystemClock)).unwrap());
    drop(lock);
    Run {
        console: Arc::new(Console {
            place: Place::Data(folder.path().to_owned()),
            read_only,
            session: Session::begin(&OsEntropy),
            operator: OnceCell::new(),
        }),
        _folder: folder,
    }
}

/// The headers of the console's own page.
fn own(method: &str, path: &str, headers: &HeaderMap, body: &Value) -> Request<Body> {
    let mut request = Request::builder()
        .method(method)
        .uri(path)
        .header(header::HOST, HOST)
        .header(header::ORIGIN, ORIGIN)
        .header("sec-fetch-site", "same-origin")
        .header(header::CONTENT_TYPE, "application/json")
        .body(Body::from(body.to_string()))
        .unwrap();
    request.headers_mut().extend(headers.clone());
    request
}

impl Run {
    async fn send(&self, request: Request<Body>) -> Response {
        let router = routes::router(Arc::clone(&self.console));
        router.oneshot(request).await.unwrap()
    }

    /// Exchanges the code of the link, as the page does, and returns the headers of its requests.
    async fn open(&self) -> HeaderMap {
        let code = json!({ "code": self.console.session.code() });
        let response = self
            .send(own("POST", "/session", &HeaderMap::new(), &code))
            .await;
        assert_eq!(response.status(), StatusCode::OK);
        let cookie = response.headers()[header::SET_COOKIE].to_str().unwrap();
        let cookie = cookie.split(';').next().unwrap().to_owned();
        let opened = body(response).await;
        let mut headers = HeaderMap::new();
        headers.insert(header::COOKIE, cookie.parse().unwrap());
        let secret = opened["secret"].as_str().unwrap().parse().unwrap();
        headers.insert("countersign-console", secret);
        headers
    }

    async fn ask(&self, headers: &HeaderMap, name: &str, body: &Value) -> Response {
        self.send(own("POST", &format!("/api/{name}"), headers, body))
            .await
    }
}

async fn body(response: Response) -> Value {
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    serde_json::from_slice(&bytes).unwrap()
}

async fn refusal(response: Response) -> (StatusCode, String) {
    let status = response.status();
    let message = body(response).await["message"].as_str().unwrap().to_owned();
    (status, message)
}

#[tokio::test]
async fn foreign_hosts_are_refused_before_routing() {
    let run = run(false);
    for path in [
        "/",
        "/console.js",
        "/no/such/page",
        "/session",
        "/api/list_apps",
    ] {
        for hosts in [
            &["evil.example:9000"] as &[&str],
            &["localhost.evil.example"],
            &["0.0.0.0:9000"],
            &[],
            &[HOST, HOST],
            &[HOST, "evil.example"],
        ] {
            let mut request = Request::get(path);
            for host in hosts {
                request = request.header(header::HOST, *host);
            }
            let response = run.send(request.body(Body::empty()).unwrap()).await;
            let status = response.status();
            assert_eq!(status, StatusCode::MISDIRECTED_REQUEST, "{path} {hosts:?}");
        }
    }
    let request = Request::get("http://evil.example/").header(header::HOST, HOST);
    let response = run.send(request.body(Body::empty()).unwrap()).await;
    assert_eq!(response.status(), StatusCode::MISDIRECTED_REQUEST);
}

/// The name points at this machine, so the browser sends an origin that agrees with it.
#[tokio::test]
async fn rebound_name_cannot_use_a_session() {
    let run = run(false);
    let headers = run.open().await;
    let mut request = own("POST", "/api/list_apps", &headers, &json!({}));
    let of_request = request.headers_mut();
    of_request.insert(header::HOST, "evil.example:9000".parse().unwrap());
    of_request.insert(header::ORIGIN, "http://evil.example:9000".parse().unwrap());
    let response = run.send(request).await;
    assert_eq!(response.status(), StatusCode::MISDIRECTED_REQUEST);
}

#[tokio::test]
async fn page_needs_no_session_and_keeps_others_out() {
    let run = run(false);
    for (path, kind) in [
        ("/", "text/html; charset=utf-8"),
        (
            "/confirmations/cfm_5f0c8a41f2d94e6b7a13c0de9b81d2a4",
            "text/html; charset=utf-8",
        ),
        ("/console.js", "text/javascript; charset=utf-8"),
        ("/console.css", "text/css; charset=utf-8"),
        ("/icon.svg", "image/svg+xml"),
    ] {
        let request = Request::get(path).header(header::HOST, "localhost:1");
        let response = run.send(request.body(Body::empty()).unwrap()).await;
        assert_eq!(response.status(), StatusCode::OK, "{path}");
        let headers = response.headers();
        assert_eq!(headers[header::CONTENT_TYPE], kind);
        assert_eq!(headers[header::CACHE_CONTROL], "no-cache");
        assert_eq!(headers["referrer-policy"], "no-referrer");
        assert_eq!(headers["cross-origin-opener-policy"], "same-origin");
        assert_eq!(headers["cross-origin-resource-policy"], "same-origin");
        assert_eq!(headers["x-content-type-options"], "nosniff");
        assert!(!headers.contains_key("access-control-allow-origin"));
        let policy = headers[header::CONTENT_SECURITY_POLICY].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'; "), "{policy}");
        assert!(policy.ends_with("connect-src 'self'"), "{policy}");
    }
    for path in ["/app.map", "/favicon.ico", "/../console.rs"] {
        let request = Request::get(path).header(header::HOST, HOST);
        let response = run.send(request.body(Body::empty()).unwrap()).await;
        assert_eq!(response.status(), StatusCode::NOT_FOUND, "{path}");
    }
}

#[tokio::test]
async fn code_works_once() {
    let run = run(false);
    let code = json!({ "code": run.console.session.code() });
    let open = async || {
        run.send(own("POST", "/session", &HeaderMap::new(), &code))
            .await
    };
    let opened = open().await;
    assert_eq!(opened.status(), StatusCode::OK);
    assert_eq!(opened.headers()[header::CACHE_CONTROL], "no-store");
    let cookie = opened.headers()[header::SET_COOKIE]
        .to_str()
        .unwrap()
        .to_owned();
    let run_id = body(opened).await["run"].as_str().unwrap().to_owned();
    let rest = cookie
        .strip_prefix(&format!("countersign-console-{run_id}="))
        .unwrap();
    let (value, attributes) = rest.split_once("; ").unwrap();
    assert_eq!(value.len(), 43);
    assert_eq!(attributes, "HttpOnly; SameSite=Strict; Path=/");
    let (status, message) = refusal(open().await).await;
    assert_eq!(status, StatusCode::FORBIDDEN);
    assert!(message.contains("`countersign console`"), "{message}");
}

#[tokio::test(start_paused = true)]
async fn code_works_for_two_minutes() {
    for (wait, status) in [
        (Duration::from_secs(119), StatusCode::OK),
        (CODE_VALIDITY, StatusCode::FORBIDDEN),
    ] {
        let run = run(false);
        tokio::time::advance(wait).await;
        let code = json!({ "code": run.console.session.code() });
        let response = run
            .send(own("POST", "/session", &HeaderMap::new(), &code))
            .await;
        assert_eq!(response.status(), status);
    }
}

/// Otherwise, any user of the machine could keep others out of their consoles.
#[tokio::test]
async fn wrong_codes_open_nothing_and_do_not_spend_the_right_one() {
    let run = run(false);
    let wrong = Session::begin(&OsEntropy).code();
    for code in ["", "x", &wrong].into_iter().cycle().take(1000) {
        let code = json!({ "code": code });
        let response = run
            .send(own("POST", "/session", &HeaderMap::new(), &code))
            .await;
        assert!(!response.headers().contains_key(header::SET_COOKIE));
        assert_eq!(response.status(), StatusCode::FORBIDDEN);
        assert!(
            !body(response)
                .await
                .as_object()
                .unwrap()
                .contains_key("secret")
        );
    }
    let headers = run.open().await;
    let served = run.ask(&headers, "list_apps", &json!({})).await;
    assert_eq!(served.status(), StatusCode::OK);
}

/// A code that is used again ends nothing.
#[tokio::test]
async fn open_session_outlives_wrong_codes() {
    let run = run(false);
    let headers = run.open().await;
    for code in [run.console.session.code(), String::new()]
        .iter()
        .cycle()
        .take(30)
    {
        let code = json!({ "code": code });
        let response = run
            .send(own("POST", "/session", &HeaderMap::new(), &code))
            .await;
        assert!(response.status().is_client_error());
    }
    let served = run.ask(&headers, "list_apps", &json!({})).await;
    assert_eq!(served.status(), StatusCode::OK);
}

#[tokio::test(start_paused = true)]
async fn session_ends_after_idle_hours() {
    let run = run(false);
    let headers = run.open().await;
    for _ in 0..3 {
        tokio::time::advance(Duration::from_secs(4 * 3600 - 1)).await;
        assert!(run.console.session.admits(&headers));
    }
    tokio::time::advance(IDLE).await;
    let (status, _) = refusal(run.ask(&headers, "list_apps", &json!({})).await).await;
    assert_eq!(status, StatusCode::UNAUTHORIZED);
    assert_eq!(run.console.session.ended().await, super::Ended::Idle);
}

#[tokio::test]
async fn cookie_and_secret_open_nothing_without_each_other() {
    let run = run(false);
    let other = super::tests::run(false);
    let (headers, others) = (run.open().await, other.open().await);
    let served = run.ask(&headers, "list_apps", &json!({})).await;
    assert_eq!(served.status(), StatusCode::OK);
    let mut with_noise = headers.clone();
    let cookie = format!("a=b; {}; c=d", headers[header::COOKIE].to_str().unwrap());
    with_noise.insert(header::COOKIE, cookie.parse().unwrap());
    let served = run.ask(&with_noise, "list_apps", &json!({})).await;
    assert_eq!(served.status(), StatusCode::OK);

    let mut only_cookie = headers.clone();
    only_cookie.remove("countersign-console");
    let mut only_secret = headers.clone();
    only_secret.remove(header::COOKIE);
    let mut two_secrets = headers.clone();
    two_secrets.append(
        "countersign-console",
        headers["countersign-console"].clone(),
    );
    let mut swapped = headers.clone();
    let cookie = headers[header::COOKIE].to_str().unwrap();
    swapped.insert(
        "countersign-console",
        cookie.split_once('=').unwrap().1.parse().unwrap(),
    );
    for headers in [
        HeaderMap::new(),
        only_cookie,
        only_secret,
        two_secrets,
        swapped,
        others,
    ] {
        for name in ["list_apps", "show_console", "no_such_request"] {
            let (status, message) = refusal(run.ask(&headers, name, &json!({})).await).await;
            assert_eq!(status, StatusCode::UNAUTHORIZED, "{name} {headers:?}");
            assert!(message.contains("`countersign console`"), "{message}");
        }
    }
}

#[tokio::test]
async fn pages_of_other_origins_are_refused() {
    let run = run(false);
    let headers = run.open().await;
    for path in ["/api/list_apps", "/session", "/", "/no/such/page"] {
        for (name, values) in [
            ("origin", &[] as &[&str]),
            ("origin", &["null"]),
            ("origin", &["https://127.0.0.1:9000"]),
            ("origin", &["http://127.0.0.1:9001"]),
            ("origin", &["http://localhost:9000"]),
            ("origin", &["http://evil.example"]),
            ("origin", &[ORIGIN, ORIGIN]),
            ("sec-fetch-site", &["cross-site"]),
            ("sec-fetch-site", &["same-site"]),
            ("sec-fetch-site", &["none"]),
            ("sec-fetch-site", &["same-origin", "cross-site"]),
        ] {
            for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
                let mut request = own(method, path, &headers, &json!({}));
                request.headers_mut().remove(name);
                for value in values {
                    let value = value.parse().unwrap();
                    request.headers_mut().append(name, value);
                }
                let (status, _) = refusal(run.send(request).await).await;
                assert_eq!(
                    status,
                    StatusCode::FORBIDDEN,
                    "{method} {path} {name} {values:?}"
                );
            }
        }
    }
}

#[tokio::test]
async fn forms_and_scripts_cannot_send_what_is_accepted() {
    let run = run(false);
    let headers = run.open().await;
    for kind in [
        "",
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "text/plain; application/json",
        "application/jsonp",
    ] {
        let mut request = own("POST", "/api/list_apps", &headers, &json!({}));
        request
            .headers_mut()
            .insert(header::CONTENT_TYPE, kind.parse().unwrap());
        let (status, _) = refusal(run.send(request).await).await;
        assert_eq!(status, StatusCode::UNSUPPORTED_MEDIA_TYPE, "{kind}");
    }
    let mut request = own("POST", "/api/list_apps", &headers, &json!({}));
    request.headers_mut().remove("sec-fetch-site");
    let kind = "application/json; charset=utf-8".parse().unwrap();
    request.headers_mut().insert(header::CONTENT_TYPE, kind);
    assert_eq!(run.send(request).await.status(), StatusCode::OK);
}
