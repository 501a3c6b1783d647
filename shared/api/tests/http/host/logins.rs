//! Browsers and phones of the test host.

use std::sync::Arc;

use axum::body::Body;
use countersign_api::Logins;
use countersign_api::viewer::{PeerAddress, ViewerPolicy};
use countersign_conformance::samples;
use countersign_conformance::samples::logins::{mobile_token, sealed};
use countersign_domain::app::AppKey;
use countersign_domain::app::login::{LoginSettings, PayloadEncryption, RiskPolicy};
use countersign_domain::login::{BrowserPublicKey, BrowserToken};
use countersign_domain::primitives::entropy::Entropy as _;
use countersign_domain::primitives::ids::LoginId;
use http::Request;
use serde_json::{Value, json};

use super::{Answer, Host, TestGeoIp, app};

pub(crate) const SHOP: &str = "https://shop.example";
pub(crate) const LINK_HOST: &str = "login.shop.example";
pub(crate) const BROWSER: &str = "203.0.113.7";
pub(crate) const PHONE: &str = "198.51.100.9";
/// A Tor exit.
pub(crate) const TOR: &str = "192.0.2.66";
/// An address in Sydney.
pub(crate) const ABROAD: &str = "192.0.2.77";
pub(crate) const ORIGIN_SECRET: &str = "origin-s3cr3t-0123456789";
pub(crate) const RECEIPT: &str = "AAAAAAAAAAAAAAAAAAAAAA";

/// Returns the login settings of the app `demo`.
pub(super) fn settings() -> LoginSettings {
    LoginSettings {
        risk: RiskPolicy::default(),
        payload_encryption: PayloadEncryption::Optional,
        callback: None,
        web_phone: false,
        ..samples::login()
    }
}

/// A login as seen by the browser that opened it.
#[derive(Clone, Debug)]
pub(crate) struct Opened {
    pub(crate) id: LoginId,
    pub(crate) token: String,
}

impl Opened {
    pub(crate) fn from_answer(answer: &Answer, token: &str) -> Self {
        assert_eq!(answer.status, 200, "{answer:?}");
        let session = answer.json();
        Self {
            id: session["sessionId"]
                .as_str()
                .unwrap()
                .parse::<LoginId>()
                .unwrap(),
            token: token.to_owned(),
        }
    }

    /// Returns the login's path, extended by `rest`.
    pub(crate) fn path(&self, rest: &str) -> String {
        format!("/qr-sessions/{}{rest}", self.id)
    }
}

/// Returns a request with these headers and an optional JSON body.
pub(crate) fn asked(
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: Option<&Value>,
) -> Request<Body> {
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    match body {
        Some(body) => request
            .header("content-type", "application/json")
            .body(Body::from(body.to_string())),
        None => request.body(Body::empty()),
    }
    .unwrap()
}

/// Returns the request with a sender address.
pub(crate) fn from(address: &str, mut request: Request<Body>) -> Request<Body> {
    let peer = PeerAddress(address.parse().unwrap());
    request.extensions_mut().insert(peer);
    request
}

/// A page of the app.
pub(crate) const PAGE: &str = "https://shop.example/login";

impl Host {
    /// Returns working parts for logins.
    pub(crate) fn logins(&self) -> Logins {
        Logins {
            push: self.push.clone(),
            geo: Arc::new(TestGeoIp),
            socket_url: "wss://api.shop.example/socket".to_owned(),
            viewers: ViewerPolicy {
                origin_secret: ORIGIN_SECRET.parse().ok(),
                trusted_proxies: Vec::new(),
            },
        }
    }

    /// Returns the app key of `demo`.
    pub(crate) fn app_key() -> AppKey {
        app("demo").app_key
    }

    pub(crate) fn browser_token(&self) -> String {
        BrowserToken::generate(&*self.entropy).reveal()
    }

    pub(crate) fn browser_key(&self) -> BrowserPublicKey {
        let mut bytes = [4; 65];
        self.entropy.fill(&mut bytes[1..]);
        BrowserPublicKey::from_bytes(bytes).unwrap()
    }

    /// Opens a login with this token from a browser at an address, on a page of an origin.
    pub(crate) async fn open_as(
        &self,
        token: &str,
        (origin, address): (&str, &str),
        body: Value,
    ) -> Answer {
        let (key, bearer) = (Self::app_key(), format!("Bearer {token}"));
        let headers = [
            ("x-app-key", key.as_str()),
            ("authorization", bearer.as_str()),
            ("origin", origin),
        ];
        let request = asked("POST", "/qr-sessions", &headers, Some(&body));
        self.send(from(address, request)).await
    }

    /// Opens a login with a new token.
    pub(crate) async fn open_from(&self, origin: &str, address: &str, body: Value) -> Answer {
        let token = self.browser_token();
        self.open_as(&token, (origin, address), body).await
    }

    /// Returns a login that a browser at an address opened on the app's own page.
    pub(crate) async fn opened_at(&self, address: &str, body: Value) -> Opened {
        let token = self.browser_token();
        let answer = self.open_as(&token, (SHOP, address), body).await;
        Opened::from_answer(&answer, &token)
    }

    /// Returns a login whose browser has no key.
    pub(crate) async fn open(&self) -> Opened {
        self.opened_at(BROWSER, json!({})).await
    }

    /// Returns a login whose browser has a key.
    pub(crate) async fn open_sealed(&self) -> Opened {
        let body = json!({"browserPublicKey": self.browser_key().to_string()});
        self.opened_at(BROWSER, body).await
    }

    /// Sends a request of the browser, with its token and, to redeem, [`RECEIPT`].
    pub(crate) async fn browser(&self, method: &str, opened: &Opened, rest: &str) -> Answer {
        if (method, rest) == ("POST", "/redeem") {
            return self.redeem(opened, RECEIPT).await;
        }
        let bearer = format!("Bearer {}", opened.token);
        let headers = [("authorization", bearer.as_str()), ("origin", SHOP)];
        let request = asked(method, &opened.path(rest), &headers, None);
        self.send(request).await
    }

    /// Redeems the payload with this receipt.
    pub(crate) async fn redeem(&self, opened: &Opened, receipt: &str) -> Answer {
        self.redeem_with(opened, json!({"receipt": receipt})).await
    }

    /// Redeems the payload with [`RECEIPT`] and this check code.
    pub(crate) async fn redeem_checked(&self, opened: &Opened, code: &str) -> Answer {
        let body = json!({"receipt": RECEIPT, "checkCode": code});
        self.redeem_with(opened, body).await
    }

    /// Redeems the payload with this body.
    pub(crate) async fn redeem_with(&self, opened: &Opened, body: Value) -> Answer {
        let bearer = format!("Bearer {}", opened.token);
        let headers = [("authorization", bearer.as_str()), ("origin", SHOP)];
        let request = asked("POST", &opened.path("/redeem"), &headers, Some(&body));
        self.send(request).await
    }

    /// Returns the login's status, as the browser sees it.
    pub(crate) async fn state_of(&self, opened: &Opened) -> String {
        let answer = self.browser("GET", opened, "").await;
        answer.json()["state"].as_str().unwrap().to_owned()
    }

    /// Opens the code with phone `n`.
    pub(crate) async fn initiate(&self, opened: &Opened, n: u8, body: Value) -> Answer {
        self.initiate_at(PHONE, opened, n, body).await
    }

    /// Opens the code with phone `n` at this address.
    pub(crate) async fn initiate_at(
        &self,
        address: &str,
        opened: &Opened,
        n: u8,
        body: Value,
    ) -> Answer {
        let (key, bearer) = (Self::app_key(), bearer_of(n));
        let headers = [("x-app-key", key.as_str()), ("authorization", &bearer)];
        let request = asked("POST", &opened.path("/initiate"), &headers, Some(&body));
        self.send(from(address, request)).await
    }

    /// Sends the decision of phone `n`: `confirm` or `deny`.
    pub(crate) async fn decide(&self, opened: &Opened, n: u8, what: &str, body: Value) -> Answer {
        let path = opened.path(&format!("/{what}"));
        let request = asked(
            "POST",
            &path,
            &[("authorization", &bearer_of(n))],
            Some(&body),
        );
        self.send(from(PHONE, request)).await
    }

    /// Confirms with phone `n` and an unencrypted payload.
    pub(crate) async fn confirm(&self, opened: &Opened, n: u8, text: &str) -> Answer {
        self.decide(opened, n, "confirm", json!({"payload": text}))
            .await
    }

    /// Confirms with phone `n` and the sample of an encrypted payload.
    pub(crate) async fn confirm_sealed(&self, opened: &Opened, n: u8) -> Answer {
        let payload = sealed().payload().as_str().to_owned();
        let body = json!({"payload": payload, "encrypted": true});
        self.decide(opened, n, "confirm", body).await
    }

    /// Denies with phone `n`.
    pub(crate) async fn deny(&self, opened: &Opened, n: u8) -> Answer {
        self.decide(opened, n, "deny", json!({"payload": ""})).await
    }

    /// Returns a login that phone 1 opened.
    pub(crate) async fn scanned(&self) -> Opened {
        let opened = self.open().await;
        let answer = self.initiate(&opened, 1, json!({})).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        opened
    }

    /// Returns a login that phone 1 confirmed.
    pub(crate) async fn confirmed(&self) -> Opened {
        let opened = self.scanned().await;
        let answer = self.confirm(&opened, 1, "yes").await;
        assert_eq!(answer.status, 200, "{answer:?}");
        opened
    }

    /// Returns a login whose browser has a key, and that phone 1 confirmed with the sample payload.
    pub(crate) async fn confirmed_sealed(&self) -> Opened {
        let opened = self.open_sealed().await;
        self.initiate(&opened, 1, json!({})).await;
        let answer = self.confirm_sealed(&opened, 1).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        opened
    }

    /// Returns a login that requires a check code and that phone 1 confirmed, with the digits that the
    /// phone shows. Its browser has a key.
    pub(crate) async fn confirmed_checked(&self) -> (Opened, String) {
        self.change_app(|app| app.login.check_code = true).await;
        let opened = self.open_sealed().await;
        let session = self.initiate(&opened, 1, json!({})).await.json();
        let digits = session["checkCode"].as_str().unwrap().to_owned();
        let answer = self.confirm_sealed(&opened, 1).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        (opened, digits)
    }
}

impl Host {
    /// Returns a login whose link was opened on the phone that shows it and that phone 1 confirmed, with the token that
    /// the phone's app passed to the page.
    pub(crate) async fn confirmed_returning(&self) -> (Opened, String) {
        let opened = self.opened_at(BROWSER, json!({"returnUrl": PAGE})).await;
        let body = json!({"canReturn": true});
        let session = self.initiate(&opened, 1, body).await.json();
        let before = format!("{PAGE}#countersign={}.", opened.id);
        let back = session["returnUrl"].as_str().unwrap();
        let token = back.strip_prefix(&before).unwrap().to_owned();
        assert_eq!(self.confirm(&opened, 1, "yes").await.status, 200);
        (opened, token)
    }
}

/// Returns three wrong codes, all different.
pub(crate) fn wrong_codes(digits: &str) -> [&'static str; 3] {
    if ["00", "01", "02"].contains(&digits) {
        ["03", "04", "05"]
    } else {
        ["00", "01", "02"]
    }
}

/// Returns the `Authorization` value of phone `n`.
fn bearer_of(n: u8) -> String {
    format!("Bearer {}", mobile_token(n).reveal())
}
