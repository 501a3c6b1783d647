//! A host for the API, whose ports the test controls.

mod answer;
pub(crate) mod broken;
pub(crate) mod log;
mod logins;
mod world;

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use countersign_api::viewer::PeerAddress;
use countersign_api::{
    ApiParts, ApiState, ClientChannel, InboundParts, OpenIdParts, RateLimits, router,
};
use countersign_conformance::failing::{Access, FailingItems};
use countersign_conformance::ports::{CountedEntropy, KeptMetrics, KeptPush, KeptQueue, SetClock};
pub(crate) use countersign_conformance::samples::NOW as START;
use countersign_domain::app::api_key::{ApiKeyRecord, PresentedApiKey};
use countersign_domain::app::senders::{Recipient, SenderPool};
use countersign_domain::app::{App, AppKey};
use countersign_domain::confirmation::Confirmation;
use countersign_domain::delivery::transitions::HasDelivery as _;
use countersign_domain::delivery::{
    Attempt, AttemptResult, ClaimOutcome, SettledAttempt, Settlement,
};
use countersign_domain::openid::secret::OpenIdSecret;
use countersign_domain::primitives::entropy::Entropy as _;
use countersign_domain::primitives::ids::{AppId, ConfirmationId};
use countersign_domain::primitives::phone::Country;
use countersign_domain::primitives::storage::ManagedStorage;
use countersign_domain::primitives::webhook_secret::WebhookSecret;
use countersign_domain::store::{ChangeAppOutcome, CreateAppOutcome, Entity, Store};
use countersign_domain::use_cases::Times;
use countersign_domain::web::callback_url::CallbackPolicy;
use countersign_inbound::generic::Generic;
use countersign_inbound::{Providers, generic};
use http::Request;
use http::header::CONTENT_TYPE;
use serde_json::{Value, json};
use tower::ServiceExt as _;

pub(crate) use answer::Answer;
pub(crate) use logins::{
    ABROAD, BROWSER, LINK_HOST, ORIGIN_SECRET, Opened, PAGE, PHONE, RECEIPT, SHOP, TOR, asked,
    from, wrong_codes,
};
pub(crate) use world::{FixedSigner, PanickingGeoIp, TestGeoIp, TokenSigner};

pub(crate) const CALLBACK: &str = "https://example.com/hook";
pub(crate) const PERSON: &str = "+12025550100";
pub(crate) const SEND_TO: &str = "+12025550199";
/// A number on WhatsApp that an app may use.
pub(crate) const WHATSAPP: &str = "+12025550177";
pub(crate) const SEND_TO_GB: &str = "+447700900001";

/// The API together with its ports.
pub(crate) struct Host {
    pub(crate) items: Arc<FailingItems>,
    pub(crate) store: Arc<Store>,
    pub(crate) push: Arc<KeptPush>,
    pub(crate) clock: Arc<SetClock>,
    pub(crate) entropy: Arc<CountedEntropy>,
    pub(crate) metrics: Arc<KeptMetrics>,
    pub(crate) queue: Arc<KeptQueue>,
    pub(crate) secret: WebhookSecret,
    /// The API key of the app `demo`.
    pub(crate) key: PresentedApiKey,
    router: Router,
}

impl Host {
    /// Creates a host with one app, `demo`, which has one key and no default callback.
    pub(crate) async fn new() -> Self {
        Self::with(|_| ()).await
    }

    /// Creates a host with modified parts.
    pub(crate) async fn with(change: impl FnOnce(&mut ApiParts)) -> Self {
        log::keep();
        let push = Arc::new(KeptPush::default());
        let clock = Arc::new(SetClock::default());
        let items = Arc::<FailingItems>::default();
        let store = Arc::new(Store::new(items.clone(), clock.clone()));
        let entropy = Arc::new(CountedEntropy::default());
        let metrics = Arc::new(KeptMetrics::default());
        let queue = Arc::new(KeptQueue::default());
        let secret = WebhookSecret::generate(&*entropy);
        let key = PresentedApiKey::generate(&*entropy);
        let mut host = Self {
            items,
            store,
            push,
            clock,
            entropy,
            metrics,
            queue,
            secret,
            key: key.clone(),
            router: Router::new(),
        };
        let mut parts = host.parts();
        change(&mut parts);
        host.router = router(&ApiState::from(parts));
        host.add_app(app("demo"), &key).await;
        host
    }

    /// Creates a host whose store fails on these calls.
    pub(crate) async fn failing(fails: fn(Access<'_>) -> bool) -> Self {
        let host = Self::new().await;
        host.items.fail(fails);
        host
    }

    /// Returns all stored documents of one kind.
    pub(crate) fn stored<T: Entity>(&self) -> Vec<T> {
        self.items.items.every()
    }

    /// Returns the parts of a working host.
    pub(crate) fn parts(&self) -> ApiParts {
        ApiParts {
            store: self.store.clone(),
            storage: Arc::new(ManagedStorage),
            queue: self.queue.clone(),
            signer: Arc::new(FixedSigner),
            clock: self.clock.clone(),
            entropy: self.entropy.clone(),
            metrics: self.metrics.clone(),
            times: Times::default(),
            callback_policy: CallbackPolicy::deployed(),
            inbound: InboundParts::fixed(
                Providers::default().with(Arc::new(Generic::new(self.secret.clone()))),
            ),
            client_channel: Some(ClientChannel {
                service_url: "https://countersign.example".to_owned(),
                socket_url: "wss://countersign.example/socket".to_owned(),
            }),
            logins: Some(self.logins()),
            openid: Some(OpenIdParts {
                issuer: "https://countersign.example".to_owned(),
                signer: Arc::new(TokenSigner::new(1)),
                secret: Arc::new(OpenIdSecret::generate(&CountedEntropy::default())),
            }),
            rate_limits: RateLimits::Enforced,
        }
    }

    pub(crate) async fn add_app(&self, app: App, key: &PresentedApiKey) {
        let id = app.id.clone();
        let created = self.store.create_app(app).await.unwrap();
        assert_eq!(created, CreateAppOutcome::Created);
        self.add_key(&id, key).await;
    }

    pub(crate) async fn add_key(&self, app: &AppId, key: &PresentedApiKey) {
        let record = ApiKeyRecord {
            hash: key.hash(),
            issued_at: START,
            revoked_at: None,
            mode: key.mode(),
            label: None,
        };
        self.store.issue_key(app, record).await.unwrap();
    }

    /// Adds another app and returns its key.
    pub(crate) async fn stranger(&self) -> PresentedApiKey {
        let key = PresentedApiKey::generate(&*self.entropy);
        self.add_app(app("stranger"), &key).await;
        key
    }

    /// Changes the app `demo`.
    pub(crate) async fn change_app(&self, change: impl FnOnce(&mut App)) {
        let mut app = app("demo");
        change(&mut app);
        self.replace_app(app).await;
    }

    /// Replaces an app, whatever its current state.
    pub(crate) async fn replace_app(&self, app: App) {
        let decide = |_| Ok::<_, Infallible>(app.clone());
        let changed = self.store.change_app(&app.id, decide).await.unwrap();
        assert!(matches!(changed, ChangeAppOutcome::Changed(_)));
    }

    /// Sends a request, from [`BROWSER`] unless it has a peer address.
    pub(crate) async fn send(&self, mut request: Request<Body>) -> Answer {
        let extensions = request.extensions_mut();
        if extensions.get::<PeerAddress>().is_none() {
            extensions.insert(PeerAddress(BROWSER.parse().unwrap()));
        }
        self.send_bare(request).await
    }

    /// Sends a request without adding a peer address.
    pub(crate) async fn send_bare(&self, request: Request<Body>) -> Answer {
        Answer::from_router(self.router.clone(), request).await
    }

    /// Sends a request with the app's key and an optional JSON body.
    pub(crate) async fn call(&self, method: &str, path: &str, body: Option<Value>) -> Answer {
        let body = body.map_or_else(Vec::new, |body| body.to_string().into_bytes());
        self.send(self.request(method, path, body)).await
    }

    /// Returns a request with the app's key and a JSON body.
    pub(crate) fn request(&self, method: &str, path: &str, body: impl Into<Body>) -> Request<Body> {
        keyed(&self.key, method, path, body)
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Answer {
        self.call("POST", path, Some(body)).await
    }

    /// Starts an acquisition and returns the answer.
    pub(crate) async fn acquire(&self) -> Value {
        let body = json!({"callbackUrl": CALLBACK, "metadata": {"b": 1, "a": "x"}});
        let answer = self.post("/acquire-phone-number", body).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()
    }

    /// Delivers a text.
    pub(crate) async fn text(&self, id: &str, from: &str, to: &str, text: &str) -> Answer {
        let body = generic::body(from, to, text, Some("Example Wireless"));
        self.send(self.signed(id, &body)).await
    }

    /// Returns a signed call of the generic provider.
    pub(crate) fn signed(&self, id: &str, body: &str) -> Request<Body> {
        let mut request = Request::post("/inbound-sms/generic");
        for (name, value) in generic::sign(&self.secret, id, self.clock.get(), body.as_bytes()) {
            request = request.header(name, value);
        }
        request.body(Body::from(body.to_owned())).unwrap()
    }

    /// Returns the id of a confirmation that a text from [`PERSON`] verified.
    pub(crate) async fn verified(&self) -> ConfirmationId {
        let session = self.acquire().await;
        let message = session["confirmationMessage"].as_str().unwrap();
        let answer = self.text("text-1", PERSON, SEND_TO, message).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        id_of(&session)
    }

    /// Claims the next attempt of a delivery.
    pub(crate) async fn claim(&self, id: ConfirmationId) -> u32 {
        let item = self.store.find::<Confirmation>(id, self.clock.get()).await;
        let item = item.unwrap().unwrap();
        let claimed = item.delivery().unwrap().attempts_claimed;
        let outcome = self
            .store
            .claim(id.into(), claimed, self.clock.get())
            .await
            .unwrap();
        assert!(matches!(outcome, ClaimOutcome::Claimed(_)));
        claimed + 1
    }

    /// Makes a delivery attempt that ends with this result.
    pub(crate) async fn attempt(
        &self,
        id: ConfirmationId,
        result: AttemptResult,
        settlement: Settlement,
    ) {
        let number = self.claim(id).await;
        let settled = SettledAttempt {
            attempt: Attempt {
                number,
                at: self.clock.get(),
                duration: Duration::from_millis(84),
                result,
            },
            signature: None,
            refusal: None,
            settlement,
        };
        let retention = Times::default().retention;
        let now = self.clock.get();
        self.store
            .settle(id.into(), settled, now, retention)
            .await
            .unwrap();
    }

    /// Delivers the webhook.
    pub(crate) async fn deliver(&self, id: ConfirmationId) {
        self.attempt(id, AttemptResult::Answered(204), Settlement::Delivered)
            .await;
    }
}

/// Returns a request with a key and a JSON body.
pub(crate) fn keyed(
    key: &PresentedApiKey,
    method: &str,
    path: &str,
    body: impl Into<Body>,
) -> Request<Body> {
    Request::builder()
        .method(method)
        .uri(path)
        .header("x-api-key", key.reveal())
        .header(CONTENT_TYPE, "application/json")
        .body(body.into())
        .unwrap()
}

/// Returns an app with a separate number for British phones.
pub(crate) fn app(name: &str) -> App {
    let gb = "GB".parse::<Country>().ok();
    let number = |text: &str| text.parse::<Recipient>().unwrap();
    let entropy = CountedEntropy::default();
    for _ in name.bytes() {
        entropy.fill(&mut [0; 8]);
    }
    let senders = SenderPool::new([(None, number(SEND_TO)), (gb, number(SEND_TO_GB))]).unwrap();
    let (id, key) = (name.parse::<AppId>().unwrap(), AppKey::generate(&entropy));
    App {
        login: logins::settings(),
        ..App::new(id, key, START, senders)
    }
}

/// Returns the id in the answer that started a confirmation.
pub(crate) fn id_of(session: &Value) -> ConfirmationId {
    session["confirmationId"]
        .as_str()
        .unwrap()
        .parse::<ConfirmationId>()
        .unwrap()
}

pub(crate) async fn send_to(router: Router, request: Request<Body>) -> axum::response::Response {
    router.oneshot(request).await.unwrap()
}
