//! A simulated browser and phone that log in.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use countersign_domain::login::{BrowserToken, Payload, Salt};
use countersign_domain::primitives::ids::LoginId;
use countersign_domain::web::origin::WebOrigin;
use countersign_sealing::{BrowserPrivateKey, Envelope, seal};
use countersign_system::entropy::OsEntropy;
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use super::{Answer, Http, Server, unless_hung};

/// The receipt that browsers use to redeem payloads.
const RECEIPT: &str = "AAAAAAAAAAAAAAAAAAAAAA";

/// The salt that phones use to confirm logins.
const SALT: Salt = Salt::from_bytes([0x5a; 16]);

/// A browser that created a login.
pub(crate) struct Browser {
    pub(crate) id: String,
    pub(crate) token: String,
    pub(crate) url: String,
    pub(crate) socket_url: String,
    /// The browser's key; `None` for a login without one.
    key: Option<BrowserPrivateKey>,
    /// The origin of the page.
    origin: WebOrigin,
    http: Http,
}

impl Browser {
    /// Creates a login with a key from a page of the server itself.
    pub(crate) async fn open(server: &Server) -> Self {
        Self::open_with(server, Some(BrowserPrivateKey::generate(&OsEntropy))).await
    }

    /// Creates a login without a key from a page of the server itself. The app must allow that.
    pub(crate) async fn open_plain(server: &Server) -> Self {
        Self::open_with(server, None).await
    }

    async fn open_with(server: &Server, key: Option<BrowserPrivateKey>) -> Self {
        let token = BrowserToken::generate(&OsEntropy).reveal();
        let url = &server.facts.url;
        let created = Self::ask(server, url, &token, key.as_ref()).await.ok();
        let text = |name: &str| created[name].as_str().unwrap().to_owned();
        Self {
            id: text("sessionId"),
            url: text("url"),
            socket_url: text("socketUrl"),
            key,
            origin: url.parse::<WebOrigin>().unwrap(),
            http: server.anyone(),
            token,
        }
    }

    /// Creates a login with a key from the app's server, with this API key and these additional
    /// fields.
    pub(crate) async fn open_by_server(server: &Server, caller: Http, mut body: Value) -> Self {
        let token = BrowserToken::generate(&OsEntropy).reveal();
        let key = BrowserPrivateKey::generate(&OsEntropy);
        let url = &server.facts.url;
        body["browserPublicKey"] = key.public_key().unwrap().to_string().into();
        body["origin"] = url.as_str().into();
        let caller = caller.with("authorization", &format!("Bearer {token}"));
        let created = caller.post("/qr-sessions", &body).await.ok();
        let text = |name: &str| created[name].as_str().unwrap().to_owned();
        Self {
            id: text("sessionId"),
            url: text("url"),
            socket_url: text("socketUrl"),
            key: Some(key),
            origin: url.parse::<WebOrigin>().unwrap(),
            http: server.anyone(),
            token,
        }
    }

    /// Tries to create a login with a new key from a page with this origin.
    pub(crate) async fn try_open(server: &Server, origin: &str) -> Answer {
        let token = BrowserToken::generate(&OsEntropy).reveal();
        let key = BrowserPrivateKey::generate(&OsEntropy);
        Self::ask(server, origin, &token, Some(&key)).await
    }

    /// Tries to create a login from a page with this origin, through a client that reaches the
    /// server differently.
    pub(crate) async fn try_open_at(server: &Server, page: &Http, origin: &str) -> Answer {
        let token = BrowserToken::generate(&OsEntropy).reveal();
        let key = BrowserPrivateKey::generate(&OsEntropy);
        Self::ask_at(page.clone(), server, origin, &token, Some(&key)).await
    }

    /// Repeats the request that created the login, with any token.
    pub(crate) async fn open_again(&self, server: &Server, token: &str) -> Answer {
        Self::ask(server, self.origin.as_str(), token, self.key.as_ref()).await
    }

    async fn ask(
        server: &Server,
        origin: &str,
        token: &str,
        key: Option<&BrowserPrivateKey>,
    ) -> Answer {
        Self::ask_at(server.anyone(), server, origin, token, key).await
    }

    async fn ask_at(
        http: Http,
        server: &Server,
        origin: &str,
        token: &str,
        key: Option<&BrowserPrivateKey>,
    ) -> Answer {
        let key = key.map(|key| key.public_key().unwrap().to_string());
        http.with("x-app-key", &server.facts.app_key)
            .with("origin", origin)
            .with("authorization", &format!("Bearer {token}"))
            .post("/qr-sessions", &json!({"browserPublicKey": key}))
            .await
    }

    fn login_id(&self) -> LoginId {
        self.id.parse::<LoginId>().unwrap()
    }

    /// Returns a phone's confirmation with this payload. If the browser has a key, the payload is
    /// encrypted, and the ciphertext differs each time.
    pub(crate) fn confirmation(&self, text: &str) -> Value {
        let Some(key) = &self.key else {
            return json!({"payload": text});
        };
        let envelope = Envelope {
            payload: text.to_owned(),
            salt: SALT,
        };
        let key = key.public_key().unwrap();
        let sealed = seal(&key, self.login_id(), &self.origin, &envelope, &OsEntropy).unwrap();
        json!({"payload": sealed.as_str(), "encrypted": true})
    }

    /// Points the browser to the server's current address.
    pub(crate) fn at(mut self, server: &Server) -> Self {
        self.http = server.anyone();
        let (_, authority) = server.facts.url.split_once("://").unwrap();
        self.socket_url = format!("ws://{authority}/qr-socket");
        self
    }

    fn own(&self) -> Http {
        let token = format!("Bearer {}", self.token);
        self.http.clone().with("authorization", &token)
    }

    pub(crate) async fn state(&self) -> String {
        let path = format!("/qr-sessions/{}", self.id);
        let status = self.own().get(&path).await.ok();
        status["state"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn redeem(&self) -> Answer {
        self.redeem_with(RECEIPT).await
    }

    pub(crate) async fn redeem_with(&self, receipt: &str) -> Answer {
        let path = format!("/qr-sessions/{}/redeem", self.id);
        self.own().post(&path, &json!({"receipt": receipt})).await
    }

    pub(crate) async fn cancel(&self) {
        let path = format!("/qr-sessions/{}", self.id);
        let answer = self.own().call("DELETE", &path, None).await;
        assert_eq!(answer.status, 204, "{answer:?}");
    }

    /// Redeems the payload and decrypts it.
    pub(crate) async fn payload(&self) -> String {
        let redeemed = self.redeem().await.ok();
        assert_eq!(redeemed["encrypted"], self.key.is_some());
        if self.key.is_none() {
            return redeemed["payload"].as_str().unwrap().to_owned();
        }
        self.envelope(&redeemed).payload
    }

    /// Redeems an encrypted payload, and returns the payload with its salt, and the proof.
    pub(crate) async fn proven(&self) -> (Envelope, String) {
        let redeemed = self.redeem().await.ok();
        let proof = redeemed["proof"].as_str().unwrap().to_owned();
        (self.envelope(&redeemed), proof)
    }

    fn envelope(&self, redeemed: &Value) -> Envelope {
        let text = redeemed["payload"].as_str().unwrap().to_owned();
        let sealed = Payload::encrypted(text).unwrap();
        let key = self.key.as_ref().unwrap();
        key.open(self.login_id(), &self.origin, &sealed).unwrap()
    }

    /// Opens a WebSocket and subscribes with any token.
    pub(crate) async fn watch_with(&self, token: &str) -> Socket {
        let (mut socket, _) = connect_async(&self.socket_url).await.unwrap();
        let first = json!({"sessionId": self.id, "token": token}).to_string();
        socket.send(Message::text(first)).await.unwrap();
        Socket(socket)
    }

    /// Opens a WebSocket and waits for the signal that confirms the subscription.
    pub(crate) async fn watch(&self) -> Socket {
        let mut socket = self.watch_with(&self.token).await;
        socket.notified().await;
        socket
    }
}

/// An open WebSocket.
pub(crate) struct Socket(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Socket {
    async fn next(&mut self) -> Message {
        loop {
            let next = unless_hung("a message over the socket", self.0.next()).await;
            match next.expect("the socket was closed").unwrap() {
                Message::Ping(_) | Message::Pong(_) => {}
                message => return message,
            }
        }
    }

    /// Waits for a signal.
    pub(crate) async fn notified(&mut self) {
        assert_eq!(self.next().await, Message::text(r#"{"changed":true}"#));
    }

    /// Waits until the server closes the socket, and returns the close code.
    pub(crate) async fn closed(&mut self) -> u16 {
        match self.next().await {
            Message::Close(Some(CloseFrame { code, .. })) => code.into(),
            other => panic!("not closed: {other:?}"),
        }
    }

    pub(crate) async fn send_text(&mut self, text: &str) {
        self.0.send(Message::text(text)).await.unwrap();
    }
}

/// A phone, identified by the token that it generated.
pub(crate) struct Phone {
    pub(crate) token: String,
    http: Http,
    app_key: String,
}

impl Phone {
    pub(crate) fn new(server: &Server, seed: u8) -> Self {
        let token = BASE64_URL_SAFE_NO_PAD.encode([seed; 32]);
        let bearer = format!("Bearer {token}");
        Self {
            token,
            http: server.anyone().with("authorization", &bearer),
            app_key: server.facts.app_key.clone(),
        }
    }

    /// Puts the phone behind a proxy that reports this address.
    pub(crate) fn from(mut self, address: &str) -> Self {
        self.http = self.http.with("x-forwarded-for", address);
        self
    }

    pub(crate) async fn initiate(&self, id: &str, user: Option<&str>) -> Answer {
        let body = user.map_or_else(|| json!({}), |user| json!({"publicUserId": user}));
        let http = self.http.clone().with("x-app-key", &self.app_key);
        http.post(&format!("/qr-sessions/{id}/initiate"), &body)
            .await
    }

    pub(crate) async fn decide(&self, id: &str, decision: &str, body: &Value) -> Answer {
        let path = format!("/qr-sessions/{id}/{decision}");
        self.http.post(&path, body).await
    }

    pub(crate) async fn confirm(&self, browser: &Browser, payload: &str) -> Value {
        let body = browser.confirmation(payload);
        self.decide(&browser.id, "confirm", &body).await.ok()
    }

    /// Returns the state of a login that the phone opened.
    pub(crate) async fn state(&self, id: &str) -> String {
        let status = self.http.get(&format!("/qr-sessions/{id}")).await.ok();
        status["state"].as_str().unwrap().to_owned()
    }
}
