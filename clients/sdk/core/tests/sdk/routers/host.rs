//! The service's routers in this process, with one app.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Poll;

use async_trait::async_trait;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::Request as HttpRequest;
use countersign_api::viewer::{PeerAddress, ViewerPolicy};
use countersign_api::{ApiParts, ApiState, InboundParts, Logins, RateLimits, router};
use countersign_conformance::model::ModelItems;
use countersign_conformance::ports::{DigestSigner, KeptPush, KeptQueue, SetClock, Uncounted};
use countersign_conformance::samples;
use countersign_domain::app::App;
use countersign_domain::app::api_key::{ApiKeyRecord, KeyMode, PresentedApiKey};
use countersign_domain::login::sighting::NoGeoIp;
use countersign_domain::login::{BrowserToken, Payload};
use countersign_domain::primitives::ids::LoginId;
use countersign_domain::primitives::storage::ManagedStorage;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::store::Store;
use countersign_domain::use_cases::Times;
use countersign_domain::web::callback_url::CallbackPolicy;
use countersign_inbound::Providers;
use countersign_sdk::{Header, Http, NetworkError, Request, Response};
use countersign_sealing::{BrowserPrivateKey, Envelope};
use countersign_system::entropy::OsEntropy;
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tower::ServiceExt as _;

use crate::support::{APP_KEY, SERVICE, VirtualClock, World};

/// The site of the app's pages.
pub(crate) const SITE: &str = "https://shop.example";

/// The service's time.
pub(crate) const START: Timestamp = Timestamp::from_millis(1_767_323_045_678);

/// Which messages between the phone and the service are lost.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Losses {
    None,
    EverySecondAnswer,
    EverySecondRequest,
}

pub(crate) struct Host {
    router: Router,
    runtime: Mutex<Runtime>,
    api_key: PresentedApiKey,
}

impl Host {
    pub(crate) fn new() -> Arc<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = { runtime }.enable_time().build().unwrap();
        let store = Store::new(Arc::<ModelItems>::default(), Arc::new(SetClock::default()));
        let store = Arc::new(store);
        let api_key = PresentedApiKey::generate(&OsEntropy);
        let app = App {
            app_key: APP_KEY.parse().unwrap(),
            login: samples::login(),
            ..samples::app("shop")
        };
        let record = ApiKeyRecord {
            hash: api_key.hash(),
            issued_at: START,
            revoked_at: None,
            mode: KeyMode::Live,
            label: None,
        };
        runtime.block_on(async {
            let id = app.id.clone();
            store.create_app(app).await.unwrap();
            store.issue_key(&id, record).await.unwrap();
        });
        let state = ApiState::from(parts(&store));
        Arc::new(Self {
            router: router(&state),
            runtime: Mutex::new(runtime),
            api_key,
        })
    }

    /// Opens a login in a browser; with a context, from the app's server.
    pub(crate) fn open_login(&self, context: Option<&str>) -> Browser {
        let key = BrowserPrivateKey::generate(&OsEntropy);
        let token = BrowserToken::generate(&OsEntropy).reveal();
        let mut body = json!({ "browserPublicKey": key.public_key().unwrap().to_string() });
        let mut headers = vec![bearer(&token)];
        match context {
            Some(context) => {
                body["context"] = context.into();
                body["origin"] = SITE.into();
                headers.push(header("x-api-key", self.api_key.reveal()));
            }
            None => headers.extend([header("x-app-key", APP_KEY), header("origin", SITE)]),
        }
        let (status, answer) = self.call("POST", "/qr-sessions", headers, body.to_string());
        assert_eq!(status, 200, "{answer}");
        Browser {
            id: answer["sessionId"].as_str().unwrap().parse().unwrap(),
            key,
            token,
        }
    }

    /// Returns a phone that calls this service.
    pub(crate) fn phone(self: &Arc<Self>, losses: Losses) -> World {
        let mut world = World::new();
        world.platform.http = Arc::new(Network {
            host: Arc::clone(self),
            clock: Arc::clone(&world.clock),
            losses,
            sent: AtomicUsize::new(0),
        });
        world
    }

    fn call(&self, method: &str, path: &str, headers: Vec<Header>, body: String) -> (u16, Value) {
        let mut request = HttpRequest::builder().method(method).uri(path);
        request = request.header("content-type", "application/json");
        for Header { name, value } in headers {
            if name != "content-type" {
                request = request.header(name, value);
            }
        }
        let peer = PeerAddress("203.0.113.7".parse().unwrap());
        let request = request.extension(peer).body(Body::from(body)).unwrap();
        let answered = async {
            let Ok(response) = self.router.clone().oneshot(request).await;
            let status = response.status().as_u16();
            let body = to_bytes(response.into_body(), 1 << 20).await.unwrap();
            (status, serde_json::from_slice(&body).unwrap())
        };
        self.runtime.lock().unwrap().block_on(answered)
    }
}

/// A browser that opened a login.
pub(crate) struct Browser {
    pub(crate) id: LoginId,
    key: BrowserPrivateKey,
    token: String,
}

impl Browser {
    pub(crate) fn state(&self, host: &Host) -> String {
        let path = format!("/qr-sessions/{}", self.id);
        let (_, answer) = host.call("GET", &path, vec![bearer(&self.token)], String::new());
        answer["state"].as_str().unwrap().to_owned()
    }

    /// Redeems the payload, which works only once.
    pub(crate) fn redeem(&self, host: &Host) -> Value {
        let path = format!("/qr-sessions/{}/redeem", self.id);
        let body = json!({ "receipt": "AAAAAAAAAAAAAAAAAAAAAA" }).to_string();
        let (status, answer) = host.call("POST", &path, vec![bearer(&self.token)], body);
        assert_eq!(status, 200, "{answer}");
        answer
    }

    pub(crate) fn open(&self, redeemed: &Value) -> Envelope {
        let payload = redeemed["payload"].as_str().unwrap().to_owned();
        let payload = Payload::encrypted(payload).unwrap();
        let origin = SITE.parse().unwrap();
        self.key.open(self.id, &origin, &payload).unwrap()
    }
}

/// The network between a phone and the service. A request takes one poll in each direction.
struct Network {
    host: Arc<Host>,
    clock: Arc<VirtualClock>,
    losses: Losses,
    sent: AtomicUsize,
}

impl Network {
    async fn travel(&self) {
        let mut arrived = false;
        std::future::poll_fn(|_| {
            if std::mem::replace(&mut arrived, true) {
                return Poll::Ready(());
            }
            self.clock.moved();
            Poll::Pending
        })
        .await;
    }
}

#[async_trait]
impl Http for Network {
    async fn send(&self, request: Request) -> Result<Response, NetworkError> {
        let lost = || NetworkError::Temporary {
            detail: "lost".to_owned(),
        };
        let falls = self.sent.fetch_add(1, Ordering::SeqCst).is_multiple_of(2);
        self.travel().await;
        if falls && matches!(self.losses, Losses::EverySecondRequest) {
            return Err(lost());
        }
        let path = request.url.strip_prefix(SERVICE).unwrap();
        let body = String::from_utf8(request.body).unwrap();
        let (status, answer) = self.host.call("POST", path, request.headers, body);
        self.travel().await;
        if falls && matches!(self.losses, Losses::EverySecondAnswer) {
            return Err(lost());
        }
        Ok(Response {
            status,
            headers: Vec::new(),
            body: answer.to_string().into_bytes(),
        })
    }
}

fn header(name: &str, value: impl Into<String>) -> Header {
    Header {
        name: name.to_owned(),
        value: value.into(),
    }
}

fn bearer(token: &str) -> Header {
    header("authorization", format!("Bearer {token}"))
}

fn parts(store: &Arc<Store>) -> ApiParts {
    ApiParts {
        store: store.clone(),
        storage: Arc::new(ManagedStorage),
        queue: Arc::new(KeptQueue::default()),
        signer: Arc::new(DigestSigner::default()),
        clock: Arc::new(SetClock::default()),
        entropy: Arc::new(OsEntropy),
        metrics: Arc::new(Uncounted),
        times: Times::default(),
        callback_policy: CallbackPolicy::deployed(),
        inbound: InboundParts::fixed(Providers::default()),
        client_channel: None,
        logins: Some(Logins {
            push: Arc::new(KeptPush::default()),
            geo: Arc::new(NoGeoIp),
            socket_url: "wss://api.shop.example/socket".to_owned(),
            viewers: ViewerPolicy {
                origin_secret: None,
                trusted_proxies: Vec::new(),
            },
        }),
        openid: None,
        rate_limits: RateLimits::Lifted,
    }
}
