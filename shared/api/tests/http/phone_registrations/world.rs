//! An app with the web authenticator, its page, and phones.

use std::sync::Arc;

use countersign_domain::app::App;
use countersign_domain::app::api_key::{KeyMode, PresentedApiKey};
use countersign_domain::app::login::WebPhoneKey;
use countersign_domain::primitives::ids::AppId;
use countersign_domain::store::{AppDocument, Candidates, Key};
use countersign_proof::{AssociationPrivateKey, registration};
use serde_json::{Value, json};

use crate::host::{Answer, Host, LINK_HOST, SHOP, app, asked};
use crate::routes::association_keys::private_key;

pub(crate) const PATH: &str = "/phone-registrations";
const ANDROID: &str = "Mozilla/5.0 (Linux; Android 15; K) Chrome/140.0.0.0";

/// Returns a host whose app `demo` has the web authenticator at a host of its own.
pub(crate) async fn host() -> Host {
    let host = Host::new().await;
    host.change_app(on).await;
    host
}

/// Turns the web authenticator on.
pub(crate) fn on(app: &mut App) {
    app.login.web_phone = true;
    app.login.web_phone_key = WebPhoneKey::Any;
    app.login.link_host = LINK_HOST.parse().ok();
}

/// Adds another app that has the web authenticator, and returns its key.
pub(crate) async fn stranger(host: &Host) -> PresentedApiKey {
    let key = PresentedApiKey::generate(&*host.entropy);
    let mut app = app("stranger");
    on(&mut app);
    app.login.link_host = "login.other.example".parse().ok();
    host.add_app(app, &key).await;
    key
}

/// Adds an app that has the same link host, which settings refuse.
pub(crate) fn share_link_host(host: &Host) {
    let other = AppDocument {
        app: app("other"),
        keys: Vec::new(),
        client_secrets: Vec::new(),
        deleted_at: None,
    };
    let apps = ["demo", "other"].map(|name| name.parse::<AppId>().unwrap());
    let documents = &host.items.items;
    documents.put(Key::App(other.app.id.clone()), other);
    let key = Key::LinkHost(LINK_HOST.parse().unwrap());
    documents.put(key, Candidates { apps: apps.into() });
}

/// Adds a test key to the app, and returns it.
pub(crate) async fn test_key(host: &Host) -> PresentedApiKey {
    let key = PresentedApiKey::generate_for(KeyMode::Test, &*host.entropy);
    host.add_key(&"demo".parse::<AppId>().unwrap(), &key).await;
    key
}

/// A registration as the app's server got it.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) id: String,
    pub(crate) secret: String,
    pub(crate) page_token: String,
}

impl Setup {
    pub(crate) fn from_answer(answer: &Answer) -> Self {
        assert_eq!(answer.status, 200, "{answer:?}");
        let json = answer.json();
        let text = |name: &str| json[name].as_str().unwrap().to_owned();
        let url = text("url");
        let (_, secret) = url.rsplit_once('.').unwrap();
        Self {
            id: text("registrationId"),
            secret: secret.to_owned(),
            page_token: text("pageToken"),
        }
    }

    pub(crate) fn path(&self, rest: &str) -> String {
        format!("{PATH}/{}{rest}", self.id)
    }
}

/// The token of the `n`th phone.
pub(crate) fn phone(n: u8) -> String {
    let digit = char::from(b'A' + n);
    format!("{}A", digit.to_string().repeat(42))
}

/// Returns the signature with which a key is registered.
pub(crate) fn signature(key: &AssociationPrivateKey, user: &str) -> String {
    registration::sign(key, &Host::app_key(), &user.parse().unwrap())
}

/// Returns the body with which a phone proves the `n`th key for a user.
pub(crate) fn software_key(n: u8, user: &str) -> Value {
    let key = private_key(n);
    json!({"publicKey": key.public_key().to_string(), "signature": signature(&key, user)})
}

impl Host {
    pub(crate) async fn create_with(&self, key: &PresentedApiKey, body: &Value) -> Answer {
        let headers = [("x-api-key", key.reveal())];
        self.send(asked("POST", PATH, &headers, Some(body))).await
    }

    /// Creates a registration of the user `zoe`.
    pub(crate) async fn set_up(&self) -> Setup {
        let body = json!({"publicUserId": "zoe", "label": "Zoë Example"});
        let created = self.create_with(&self.key.clone(), &body).await;
        Setup::from_answer(&created)
    }

    /// Sends a request with a bearer token, as the app's page or a phone does.
    pub(crate) async fn device(
        &self,
        token: &str,
        method: &str,
        path: &str,
        body: Option<&Value>,
    ) -> Answer {
        let bearer = format!("Bearer {token}");
        let headers = [
            ("authorization", bearer.as_str()),
            ("origin", SHOP),
            ("user-agent", ANDROID),
        ];
        self.send(asked(method, path, &headers, body)).await
    }

    pub(crate) async fn open_link(&self, setup: &Setup, n: u8) -> Answer {
        let body = json!({"secret": setup.secret});
        self.device(&phone(n), "POST", &setup.path("/open"), Some(&body))
            .await
    }

    pub(crate) async fn sign(&self, setup: &Setup, n: u8, body: &Value) -> Answer {
        self.device(&phone(n), "POST", &setup.path("/sign"), Some(body))
            .await
    }

    pub(crate) async fn type_digits(&self, setup: &Setup, digits: &str) -> Answer {
        let (token, body) = (setup.page_token.clone(), json!({"digits": digits}));
        self.device(&token, "POST", &setup.path("/digits"), Some(&body))
            .await
    }

    /// Returns what the app's server sees.
    pub(crate) async fn seen(&self, setup: &Setup) -> Value {
        self.call("GET", &setup.path(""), None).await.json()
    }

    /// Opens the link and proves the `n`th key on the first phone. Returns the digits.
    pub(crate) async fn digits_of(&self, setup: &Setup, n: u8) -> String {
        assert_eq!(self.open_link(setup, 1).await.status, 200);
        let signed = self.sign(setup, 1, &software_key(n, "zoe")).await;
        assert_eq!(signed.status, 200, "{signed:?}");
        signed.json()["digits"].as_str().unwrap().to_owned()
    }

    /// Returns the ids of a user's keys.
    pub(crate) async fn keys_of(&self, user: &str) -> Vec<Value> {
        let path = format!("/association-keys?publicUserId={user}");
        let listed = self.call("GET", &path, None).await.json();
        listed["keys"].as_array().unwrap().clone()
    }
}

/// Returns digits that are not these: the `n`th of three.
pub(crate) fn wrong(digits: &str, n: u8) -> String {
    let right: u8 = digits.parse().unwrap();
    format!("{:02}", (right + 1 + n) % 100)
}

/// Shares a host among tasks.
pub(crate) async fn shared() -> Arc<Host> {
    Arc::new(host().await)
}
