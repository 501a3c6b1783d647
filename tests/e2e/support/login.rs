//! A browser and a phone that log in.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use super::{Answer, Http, Server, unless_hung};

/// A browser that created a login.
pub(crate) struct Browser {
    pub(crate) id: String,
    pub(crate) token: String,
    pub(crate) url: String,
    pub(crate) socket_url: String,
    http: Http,
}

impl Browser {
    /// Creates a login from a page of the server itself.
    pub(crate) async fn open(server: &Server) -> Self {
        Self::open_with(server, &json!({})).await
    }

    /// Creates a login with this body.
    pub(crate) async fn open_with(server: &Server, body: &Value) -> Self {
        let created = Self::ask(server, &server.facts.url, body).await.ok();
        let text = |name: &str| created[name].as_str().unwrap().to_owned();
        Self {
            id: text("sessionId"),
            token: text("browserToken"),
            url: text("url"),
            socket_url: text("socketUrl"),
            http: server.anyone(),
        }
    }

    /// Tries to create a login from a page of this origin.
    pub(crate) async fn try_open(server: &Server, origin: &str) -> Answer {
        Self::ask(server, origin, &json!({})).await
    }

    async fn ask(server: &Server, origin: &str, body: &Value) -> Answer {
        server
            .anyone()
            .with("x-app-key", &server.facts.app_key)
            .with("origin", origin)
            .post("/qr-sessions", body)
            .await
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
        let path = format!("/qr-sessions/{}/redeem", self.id);
        self.own().call("POST", &path, None).await
    }

    /// Opens a WebSocket and subscribes with any token.
    pub(crate) async fn watch_with(&self, token: &str) -> Socket {
        let (mut socket, _) = connect_async(&self.socket_url).await.unwrap();
        let first = json!({"sessionId": self.id, "browserToken": token}).to_string();
        socket.send(Message::text(first)).await.unwrap();
        Socket(socket)
    }

    /// Opens a WebSocket and waits for the signal that confirms the subscription.
    pub(crate) async fn watch(&self) -> Socket {
        let mut socket = self.watch_with(&self.token).await;
        socket.poked().await;
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
    pub(crate) async fn poked(&mut self) {
        assert_eq!(self.next().await, Message::text(r#"{"changed":true}"#));
    }

    /// Waits for the close and returns its code.
    pub(crate) async fn closed(&mut self) -> u16 {
        match self.next().await {
            Message::Close(Some(CloseFrame { code, .. })) => code.into(),
            other => panic!("not closed: {other:?}"),
        }
    }

    pub(crate) async fn say(&mut self, text: &str) {
        self.0.send(Message::text(text)).await.unwrap();
    }
}

/// A phone, identified by the token that it generated.
pub(crate) struct Phone {
    http: Http,
    app_key: String,
}

impl Phone {
    pub(crate) fn new(server: &Server, seed: u8) -> Self {
        let token = BASE64_URL_SAFE_NO_PAD.encode([seed; 32]);
        let token = format!("Bearer {token}");
        Self {
            http: server.anyone().with("authorization", &token),
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

    pub(crate) async fn decide(&self, id: &str, decision: &str, payload: &str) -> Answer {
        let path = format!("/qr-sessions/{id}/{decision}");
        self.http.post(&path, &json!({"payload": payload})).await
    }

    pub(crate) async fn confirm(&self, id: &str, payload: &str) -> Value {
        self.decide(id, "confirm", payload).await.ok()
    }
}
