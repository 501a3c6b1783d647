//! The playground with a fake API; the browser tests run it with the real one.

mod confirmations;
mod events;
mod fake_api;
mod phones;
mod webhooks;

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request, Response, StatusCode, header};
use axum::routing::get;
use countersign_api::viewer::PeerAddress;
use countersign_api::{Problem, ProblemCode};
use countersign_conformance::ports::SetClock;
use countersign_domain::app::AppKey;
use countersign_domain::app::api_key::PresentedApiKey;
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::webhook_secret::WebhookSecret;
use serde_json::Value;
use tokio::sync::watch;
use tower::ServiceExt as _;

use super::{Demo, Playground, router};
use crate::phone::fake_service::APP_KEY;
use crate::server_address::ServerAddress;
use fake_api::{FakeApi, NOW};

const URL: &str = "http://127.0.0.1:8787";
const LANDING: &str = "for people without the app";
const PEER: PeerAddress = PeerAddress(IpAddr::V4(Ipv4Addr::new(192, 0, 2, 7)));
const COMMAND: &str = "countersign --data 'here'";

/// Entropy that counts up, so that no two fills are equal.
#[derive(Default)]
struct Counting(AtomicU8);

impl Entropy for Counting {
    fn fill(&self, buffer: &mut [u8]) {
        buffer.fill(self.0.fetch_add(1, Ordering::Relaxed));
    }
}

/// A playground and its API.
struct Fixture {
    api: Arc<FakeApi>,
    page: Router,
    stop: watch::Sender<bool>,
}

/// A fully read response.
struct ApiResponse {
    status: StatusCode,
    headers: HeaderMap,
    /// The code of a problem, whose body the middleware has yet to render.
    problem: Option<ProblemCode>,
    body: String,
}

impl ApiResponse {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

impl Fixture {
    fn new() -> Self {
        Self::with(|_| {})
    }

    /// Creates a playground with an API modified by `change`.
    fn with(change: impl FnOnce(&mut FakeApi)) -> Self {
        let entropy = Arc::new(Counting::default());
        let api_key = PresentedApiKey::generate(entropy.as_ref());
        let inbound_secret = WebhookSecret::generate(entropy.as_ref());
        let mut api = FakeApi::new(api_key.clone(), inbound_secret.clone());
        change(Arc::get_mut(&mut api).unwrap());
        let (stop, stopping) = watch::channel(false);
        let address = ServerAddress::new("127.0.0.1:8787".parse().unwrap(), None, &[]);
        let page = router(Playground {
            names: address.local_names().cloned(),
            api: api.router(),
            landing: Router::new().route("/", get(async || LANDING)),
            socket_url: "ws://127.0.0.1:8787/qr-socket".to_owned(),
            demo: Demo {
                url: URL.to_owned(),
                nearby_url: URL.to_owned(),
                api_key,
                app_key: APP_KEY.parse::<AppKey>().unwrap(),
                command: COMMAND.to_owned(),
                inbound_secret,
            },
            clock: Arc::new(SetClock::at(NOW)),
            entropy,
            stopping,
        });
        Self { api, page, stop }
    }

    /// Sends a request with these headers and returns the head of the response.
    async fn begin(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, String)],
        body: &str,
    ) -> Response<Body> {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::HOST, "127.0.0.1:8787");
        let request = headers
            .iter()
            .fold(request, |request, (name, value)| {
                request.header(*name, value)
            })
            .extension(PEER)
            .body(Body::from(body.to_owned()))
            .unwrap();
        self.page.clone().oneshot(request).await.unwrap()
    }

    async fn ask(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, String)],
        body: &str,
    ) -> ApiResponse {
        let (parts, body) = self.begin(method, path, headers, body).await.into_parts();
        let bytes = to_bytes(body, 1 << 20).await.unwrap();
        ApiResponse {
            status: parts.status,
            problem: parts.extensions.get().map(Problem::code),
            headers: parts.headers,
            body: String::from_utf8(bytes.to_vec()).unwrap(),
        }
    }

    /// Sends a request as the page itself.
    async fn own(&self, method: &str, path: &str, body: &str) -> ApiResponse {
        let origin = [("origin", URL.to_owned())];
        self.ask(method, path, &origin, body).await
    }

    /// Starts an acquisition and returns the path of its confirmation.
    async fn acquisition(&self) -> String {
        let body = r#"{"flow":"acquisition"}"#;
        let answer = self.own("POST", "/playground/confirmations", body).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
        let token = answer.json()["token"].as_str().unwrap().to_owned();
        format!("/playground/confirmations/{token}")
    }
}
