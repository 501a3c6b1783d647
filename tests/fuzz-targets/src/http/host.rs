//! A host with deterministic ports, so that every run can be reproduced.

use std::sync::Arc;

use countersign_api::viewer::ViewerPolicy;
use countersign_api::{ApiParts, InboundParts, Logins, RateLimits};
use countersign_conformance::model::ModelItems;
use countersign_conformance::ports::{
    CountedEntropy, DigestSigner, KeptPush, KeptQueue, Uncounted,
};
use countersign_conformance::samples;
use countersign_domain::app::App;
use countersign_domain::app::api_key::{ApiKeyRecord, KeyMode, PresentedApiKey};
use countersign_domain::app::login::PayloadEncryption;
use countersign_domain::login::sighting::NoGeoIp;
use countersign_domain::primitives::storage::ManagedStorage;
use countersign_domain::primitives::time::{Clock, Timestamp};
use countersign_domain::primitives::webhook_secret::WebhookSecret;
use countersign_domain::store::Store;
use countersign_domain::use_cases::Times;
use countersign_domain::web::callback_url::CallbackPolicy;
use countersign_inbound::Settings;

const NOW: Timestamp = Timestamp::from_millis(1_795_500_000_000);
const ORIGIN_SECRET: &str = "origin-s3cr3t-0123456789";
const SECRET: &str = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
/// Every provider except SNS, which needs an HTTP client.
const PROVIDERS: &[u8] = br#"{
    "publicUrl": "https://text.example.com",
    "generic": {"secrets": "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="},
    "twilio": {"authTokens": "0123456789abcdef0123456789abcdef"},
    "vonage-sms": {"secrets": "secret-one", "algorithm": "sha512"},
    "vonage-messages": {"secrets": "secret-one"},
    "telnyx": {"publicKeys": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="},
    "plivo": {"authTokens": "secret-one", "signature": "v3"},
    "sinch": {"secrets": "secret-one"},
    "sinch-conversation": {"secrets": "secret-one"},
    "sms-gate": {"secrets": "secret-one", "number": "+12025550199", "country": "US"},
    "infobip": {"credentials": "name:0123456789abcdef"},
    "bandwidth": {"credentials": "name:0123456789abcdef"},
    "whatsapp": {"appSecrets": "0123456789abcdef0123456789abcdef", "verifyToken": "secret-two"}
}"#;

/// The time of every run.
pub(super) struct Fixed;

impl Clock for Fixed {
    fn now(&self) -> Timestamp {
        NOW
    }
}

/// A host with one app, `demo`.
pub(super) struct Host {
    store: Arc<Store>,
    entropy: Arc<CountedEntropy>,
    pub(super) clock: Fixed,
    pub(super) secret: WebhookSecret,
    pub(super) key: PresentedApiKey,
}

impl Host {
    pub(super) async fn new() -> Self {
        let entropy = Arc::new(CountedEntropy::default());
        let host = Self {
            store: Arc::new(Store::new(Arc::<ModelItems>::default(), Arc::new(Fixed))),
            clock: Fixed,
            secret: SECRET.parse().expect("a secret"),
            key: PresentedApiKey::generate(&*entropy),
            entropy,
        };
        let mut app: App = samples::app("demo");
        app.login.payload_encryption = PayloadEncryption::Optional;
        let id = app.id.clone();
        host.store.create_app(app).await.expect("an app");
        let record = ApiKeyRecord {
            hash: host.key.hash(),
            issued_at: NOW,
            revoked_at: None,
            mode: KeyMode::Live,
            label: None,
        };
        host.store.issue_key(&id, record).await.expect("a key");
        host
    }

    pub(super) fn parts(&self) -> ApiParts {
        let providers = Settings::parse(PROVIDERS).and_then(|settings| settings.providers(None));
        ApiParts {
            store: self.store.clone(),
            storage: Arc::new(ManagedStorage),
            queue: Arc::new(KeptQueue::default()),
            signer: Arc::new(DigestSigner::default()),
            clock: Arc::new(Fixed),
            entropy: self.entropy.clone(),
            metrics: Arc::new(Uncounted),
            times: Times::default(),
            callback_policy: CallbackPolicy::deployed(),
            inbound: InboundParts::fixed(providers.expect("settings")),
            client_channel: None,
            logins: Some(Logins {
                push: Arc::new(KeptPush::default()),
                geo: Arc::new(NoGeoIp),
                socket_url: "wss://socket.example".to_owned(),
                viewers: ViewerPolicy {
                    origin_secret: ORIGIN_SECRET.parse().ok(),
                    trusted_proxies: vec!["203.0.113.0/24".parse().expect("a proxy")],
                },
            }),
            openid: None,
            rate_limits: RateLimits::Enforced,
        }
    }
}
