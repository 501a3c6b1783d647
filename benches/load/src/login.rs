//! Time from a phone's confirmation of a login to its arrival in the browser.

use std::time::{Duration, Instant};

use countersign_domain::login::{BrowserToken, Salt};
use countersign_sealing::{BrowserPrivateKey, Envelope, seal};
use countersign_system::entropy::OsEntropy;
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;

use crate::client::Client;
use crate::figures::Times;
use crate::pace;
use crate::server::Server;

/// Durations for one login, counted from the phone's confirmation.
struct Took {
    /// Time until the browser receives the signal over the WebSocket.
    poke: Duration,
    /// Time until the browser has fetched the status and the payload. The element then decrypts it and
    /// dispatches `confirmed`.
    payload: Duration,
}

/// Starts `rate` logins per second at even intervals, each with a browser, its WebSocket and a
/// phone.
pub(crate) async fn measure(server: &Server, rate: u32, duration: Duration) {
    let count = pace::within(rate, duration);
    let mut ticks = tokio::time::interval(Duration::from_secs(1) / rate);
    let mut logins = JoinSet::new();
    for _ in 0..count {
        ticks.tick().await;
        let (authority, app_key) = (server.authority.clone(), server.app_key.clone());
        logins.spawn(async move { login(&authority, &app_key).await });
    }
    let (mut pokes, mut payloads) = (Vec::new(), Vec::new());
    while let Some(took) = logins.join_next().await {
        let took = took.unwrap();
        pokes.push(took.poke);
        payloads.push(took.payload);
    }
    println!("confirmation to browser, {rate} logins a second:");
    println!("  until the poke:    {}", Times::new(pokes));
    println!("  until the payload: {}", Times::new(payloads));
}

async fn login(authority: &str, app_key: &str) -> Took {
    let mut browser = Client::connect(authority).await;
    let origin = format!("http://{authority}");
    let token = BrowserToken::generate(&OsEntropy).reveal();
    let own = format!("Bearer {token}");
    let headers = [
        ("x-app-key", app_key),
        ("origin", &origin),
        ("authorization", &own),
    ];
    let key = BrowserPrivateKey::generate(&OsEntropy)
        .public_key()
        .unwrap();
    let body = json!({"browserPublicKey": key.to_string()}).to_string();
    let created = browser.post("/qr-sessions", &headers, body).await;
    assert_eq!(created.status, 200);
    let created: Value = serde_json::from_slice(&created.body).unwrap();
    let field = |name: &str| created[name].as_str().unwrap().to_owned();
    let id = field("sessionId");
    let (mut socket, _) = connect_async(field("socketUrl")).await.unwrap();
    let first = json!({"sessionId": id, "token": token}).to_string();
    socket.send(Message::text(first)).await.unwrap();
    poke(&mut socket).await;

    let mut phone = Client::connect(authority).await;
    let bearer = format!("Bearer {}", "A".repeat(43));
    let headers = [("x-app-key", app_key), ("authorization", bearer.as_str())];
    let path = format!("/qr-sessions/{id}/initiate");
    let answer = phone.post(&path, &headers, "{}".to_owned()).await;
    assert_eq!(answer.status, 200);
    poke(&mut socket).await;

    let envelope = Envelope {
        payload: "a token".to_owned(),
        salt: Salt::from_bytes([0x5a; 16]),
    };
    let (login_id, page) = (id.parse().unwrap(), origin.parse().unwrap());
    let sealed = seal(&key, login_id, &page, &envelope, &OsEntropy).unwrap();
    let confirmation = json!({"payload": sealed.as_str(), "encrypted": true}).to_string();
    let confirmed = Instant::now();
    let confirm = async {
        let path = format!("/qr-sessions/{id}/confirm");
        let headers = [("authorization", bearer.as_str())];
        let answer = phone.post(&path, &headers, confirmation).await;
        assert_eq!(answer.status, 200);
    };
    let take = async {
        poke(&mut socket).await;
        let poke = confirmed.elapsed();
        let bearer = format!("Bearer {token}");
        let headers = [("authorization", bearer.as_str())];
        let path = format!("/qr-sessions/{id}");
        let answer = browser.get(&path, &headers).await;
        assert_eq!(answer.status, 200);
        let receipt = json!({"receipt": "A".repeat(22)}).to_string();
        let path = format!("{path}/redeem");
        let answer = browser.post(&path, &headers, receipt).await;
        assert_eq!(answer.status, 200);
        let payload = confirmed.elapsed();
        Took { poke, payload }
    };
    tokio::join!(confirm, take).1
}

async fn poke(
    socket: &mut tokio_tungstenite::WebSocketStream<
        tokio_tungstenite::MaybeTlsStream<tokio::net::TcpStream>,
    >,
) {
    let message = socket.next().await.unwrap().unwrap();
    assert_eq!(message, Message::text(r#"{"changed":true}"#));
}
