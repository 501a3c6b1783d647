//! A fake service that answers phones like the real one, for one login.

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Extension, Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use countersign_api::viewer::PeerAddress;
use countersign_domain::app::AppKey;
use countersign_domain::login::identity::{IdInputs, plain_id, sealed_id};
use countersign_domain::login::{BrowserPublicKey, BrowserToken, Payload};
use countersign_domain::primitives::ids::LoginId;
use countersign_domain::web::origin::WebOrigin;
use countersign_sealing::BrowserPrivateKey;
use countersign_system::entropy::OsEntropy;
use serde_json::{Value, json};
use tokio::net::TcpListener;

pub(crate) const APP_KEY: &str = "cs_app_0123456789abcdefABCDEF";
pub(crate) const ORIGIN: &str = "https://shop.example";

/// The fate of an answer on its way to the phone.
pub(crate) enum AnswerFate {
    Arrives,
    /// The connection breaks off after the request took effect.
    Lost,
    /// A different answer is sent instead.
    Replaced(StatusCode, Value),
}

/// A received request, in full.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call {
    pub(crate) route: String,
    pub(crate) token: String,
    /// The caller's address, if the host provides it.
    pub(crate) peer: Option<PeerAddress>,
    pub(crate) body: Value,
}

pub(crate) struct FakeService {
    pub(crate) id: LoginId,
    pub(crate) browser: BrowserPrivateKey,
    /// The browser key in the service's answer.
    pub(crate) handed_out: Option<String>,
    /// The page's origin in the service's answer.
    pub(crate) origin: &'static str,
    /// The context in the service's answer.
    pub(crate) context: Option<&'static str>,
    /// The check code that the phone shows.
    pub(crate) check_code: Option<&'static str>,
    /// The page to which the phone returns.
    pub(crate) return_url: Option<String>,
    any_app: AtomicBool,
    pub(crate) calls: Mutex<Vec<Call>>,
    pub(crate) fates: Mutex<VecDeque<AnswerFate>>,
}

impl FakeService {
    /// Creates a service for a browser with a key; the login's id commits to the key.
    pub(crate) fn new() -> Self {
        let browser = BrowserPrivateKey::generate(&OsEntropy);
        let key = browser.public_key().unwrap();
        Self {
            browser,
            ..Self::with_key(&key)
        }
    }

    /// Creates a service for a browser that sent this key.
    pub(crate) fn with_key(key: &BrowserPublicKey) -> Self {
        let inputs = IdInputs {
            app_key: &APP_KEY.parse::<AppKey>().unwrap(),
            origin: &ORIGIN.parse::<WebOrigin>().unwrap(),
            context: "",
        };
        Self {
            id: sealed_id(inputs, key),
            browser: BrowserPrivateKey::generate(&OsEntropy),
            handed_out: Some(key.to_string()),
            origin: ORIGIN,
            context: None,
            check_code: None,
            return_url: None,
            any_app: AtomicBool::new(false),
            calls: Mutex::default(),
            fates: Mutex::default(),
        }
    }

    /// Creates a service for a browser without a key.
    pub(crate) fn plain() -> Self {
        Self {
            id: plain_id(&BrowserToken::generate(&OsEntropy)),
            handed_out: None,
            ..Self::new()
        }
    }

    pub(crate) fn key(&self) -> BrowserPublicKey {
        self.browser.public_key().unwrap()
    }

    /// Sets a context; the login's id commits to it.
    pub(crate) fn set_context(&mut self, context: &'static str) {
        let inputs = IdInputs {
            app_key: &APP_KEY.parse::<AppKey>().unwrap(),
            origin: &ORIGIN.parse::<WebOrigin>().unwrap(),
            context,
        };
        self.id = sealed_id(inputs, &self.key());
        self.context = Some(context);
    }

    pub(crate) fn fate(self, fate: AnswerFate) -> Self {
        self.fates.lock().unwrap().push_back(fate);
        self
    }

    /// Starts the service and returns its URL and itself.
    pub(crate) async fn start(self) -> (String, Arc<Self>) {
        let service = Arc::new(self);
        let router = service.router();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(axum::serve(listener, router).into_future());
        (format!("http://{address}"), service)
    }

    /// Returns the service's routes.
    pub(crate) fn router(self: &Arc<Self>) -> Router {
        Router::new()
            .route("/qr-sessions/{id}/{what}", post(answer))
            .with_state(Arc::clone(self))
    }

    /// Accepts every app key from now on.
    pub(crate) fn takes_any_app(&self) {
        self.any_app.store(true, Ordering::SeqCst);
    }

    pub(crate) fn calls(&self) -> Vec<Call> {
        self.calls.lock().unwrap().clone()
    }

    pub(crate) fn routes(&self) -> Vec<String> {
        self.calls().into_iter().map(|call| call.route).collect()
    }

    /// Decrypts the payload of a decision, as the browser does.
    pub(crate) fn opened(&self, body: &Value) -> String {
        assert_eq!(body["encrypted"], true);
        let payload = Payload::encrypted(body["payload"].as_str().unwrap().to_owned()).unwrap();
        let origin = ORIGIN.parse::<WebOrigin>().unwrap();
        let envelope = self.browser.open(self.id, &origin, &payload);
        envelope.unwrap().payload
    }

    /// Returns the answer to a phone that opens the login.
    pub(crate) fn session(&self) -> Value {
        let mut answer = json!({
            "session": {
                "iPAddressMobile": "198.51.100.9",
                "iPAddressWidget": "203.0.113.7",
                "riskAnalytics": {
                    "riskStatus": "warn",
                    "riskFlagString": "The browser is in another country than this phone.",
                    "geoData": {
                        "mobile": { "city": "Köln", "country_code": "DE" },
                        "browser": { "country_code": "FR" },
                    },
                },
                "mobileTemplateResponse": {
                    "title": "Log in to shop.example?",
                    "message": "Firefox on Linux in France wants to log in.\u{1b}[2J\u{202e}",
                    "widget": { "location": "Paris, FR", "issue": "In another country." },
                    "mobile": { "location": "Köln, DE" },
                    "userAgent": { "name": "Firefox on Linux", "issue": "A new browser." },
                    "flags": [
                        {
                            "code": "countries_differ",
                            "severity": "warn",
                            "text": "The browser is in another country than this phone.",
                        },
                        {
                            "code": "same_network",
                            "severity": "info",
                            "text": "Both use the same network.",
                        },
                    ],
                    "attributions": [
                        { "text": "Places by Somebody\u{1b}[2J", "url": "https://places.example" },
                    ],
                },
            },
            "app": { "name": "shop" },
            "origin": self.origin,
            "expiresAt": "2026-01-02T03:07:05.678Z",
            "serverTime": "2026-01-02T03:04:05.678Z",
        });
        if let Some(context) = self.context {
            answer["context"] = context.into();
        }
        if let Some(digits) = self.check_code {
            answer["checkCode"] = digits.into();
        }
        if let Some(page) = &self.return_url {
            answer["returnUrl"] = page.as_str().into();
        }
        if let Some(key) = &self.handed_out {
            answer["browserPublicKey"] = key.as_str().into();
        }
        answer
    }
}

async fn answer(
    State(service): State<Arc<FakeService>>,
    Path((id, route)): Path<(String, String)>,
    peer: Option<Extension<PeerAddress>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let token = headers[header::AUTHORIZATION].to_str().unwrap();
    assert_eq!(headers[header::CONTENT_TYPE], "application/json");
    service.calls.lock().unwrap().push(Call {
        route: route.clone(),
        token: token.strip_prefix("Bearer ").unwrap().to_owned(),
        peer: peer.map(|Extension(peer)| peer),
        body: serde_json::from_slice(&body).unwrap(),
    });
    match service.fates.lock().unwrap().pop_front() {
        Some(AnswerFate::Lost) => {
            let broken = futures_util::stream::iter([Err::<Bytes, _>(io::Error::other("cut"))]);
            return Body::from_stream(broken).into_response();
        }
        Some(AnswerFate::Replaced(status, body)) => {
            return (status, body.to_string()).into_response();
        }
        Some(AnswerFate::Arrives) | None => {}
    }
    if id != service.id.to_string() {
        return problem(
            StatusCode::NOT_FOUND,
            "There is no such session",
            "session_not_found",
        );
    }
    match route.as_str() {
        "initiate" if headers["x-app-key"] == APP_KEY || service.any_app.load(Ordering::SeqCst) => {
            axum::Json(service.session()).into_response()
        }
        "confirm" | "deny" => axum::Json(true).into_response(),
        _ => problem(
            StatusCode::UNAUTHORIZED,
            "The app key is unknown",
            "app_key_unknown",
        ),
    }
}

fn problem(status: StatusCode, title: &str, code: &str) -> Response {
    (status, json!({ "title": title, "code": code }).to_string()).into_response()
}
