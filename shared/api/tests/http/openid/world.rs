//! A client of the provider, and a browser with a person in front of it.

use std::sync::Arc;

use axum::body::Body;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use countersign_domain::app::App;
use http::Request;
use http::header::{CONTENT_TYPE, COOKIE, SET_COOKIE};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::host::{Answer, Host, PERSON, SEND_TO, TokenSigner, app, asked};

pub(super) const ISSUER: &str = "https://countersign.example";
pub(super) const CALLBACK: &str = "https://shop.example/callback";
pub(super) const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

/// A host whose app `demo` is a public client.
pub(super) struct World {
    pub(super) host: Host,
    pub(super) signer: Arc<TokenSigner>,
    pub(super) client: String,
}

impl World {
    pub(super) async fn new() -> Self {
        Self::with(|_| ()).await
    }

    /// Creates a world with a changed app.
    pub(super) async fn with(change: impl FnOnce(&mut App)) -> Self {
        let signer = Arc::new(TokenSigner::new(1));
        let of_host = Arc::clone(&signer);
        let host = Host::with(|parts| {
            if let Some(openid) = &mut parts.openid {
                openid.signer = of_host;
            }
        })
        .await;
        let mut settings = app("demo").openid;
        settings.redirect_uris = vec![CALLBACK.parse().unwrap()];
        settings.post_logout_redirect_uris = vec!["https://shop.example/bye".parse().unwrap()];
        settings.public_client = true;
        host.change_app(|app| {
            app.openid = settings;
            change(app);
        })
        .await;
        let client = app("demo").app_key.as_str().to_owned();
        Self {
            host,
            signer,
            client,
        }
    }

    /// Changes the app.
    pub(super) async fn change(&self, change: impl FnOnce(&mut App)) {
        let found = self.host.store.find_app(&app("demo").id).await;
        let mut app = App::clone(&found.unwrap().unwrap());
        change(&mut app);
        self.host.replace_app(app).await;
    }

    /// Returns the query of a correct request.
    pub(super) fn query(&self) -> String {
        let challenge = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(VERIFIER));
        format!(
            "client_id={}&redirect_uri=https%3A%2F%2Fshop.example%2Fcallback&response_type=code\
             &scope=openid+phone&state=a+state&nonce=a+nonce&code_challenge={challenge}\
             &code_challenge_method=S256",
            self.client
        )
    }

    pub(super) async fn get(&self, path: &str) -> Answer {
        self.host
            .send(Request::get(path).body(Body::empty()).unwrap())
            .await
    }

    pub(super) async fn form(&self, path: &str, form: &str) -> Answer {
        self.form_with(path, form, &[]).await
    }

    pub(super) async fn form_with(
        &self,
        path: &str,
        form: &str,
        headers: &[(&str, &str)],
    ) -> Answer {
        let mut request =
            Request::post(path).header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.host
            .send(request.body(Body::from(form.to_owned())).unwrap())
            .await
    }

    /// Opens the page for a correct request.
    pub(super) async fn open(&self) -> Browser<'_> {
        self.open_with(&self.query()).await
    }

    pub(super) async fn open_with(&self, query: &str) -> Browser<'_> {
        Browser::read(self, &self.get(&format!("/authorize?{query}")).await)
    }

    /// Logs a person in, and returns the code.
    pub(super) async fn code(&self) -> String {
        let browser = self.open().await;
        browser.send_text(PERSON).await;
        browser.code().await
    }

    /// Exchanges a code as the client does.
    pub(super) async fn exchange(&self, code: &str) -> Answer {
        self.form("/token", &self.exchange_form(code)).await
    }

    pub(super) fn exchange_form(&self, code: &str) -> String {
        format!(
            "grant_type=authorization_code&client_id={}&code={code}&code_verifier={VERIFIER}\
             &redirect_uri=https%3A%2F%2Fshop.example%2Fcallback",
            self.client
        )
    }

    /// Logs a person in, and returns the tokens.
    pub(super) async fn tokens(&self) -> Value {
        let answer = self.exchange(&self.code().await).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()
    }

    pub(super) async fn user_info(&self, token: &str) -> Answer {
        let request = Request::get("/userinfo").header("authorization", format!("Bearer {token}"));
        self.host.send(request.body(Body::empty()).unwrap()).await
    }
}

/// A browser that shows the page.
#[derive(Clone)]
pub(super) struct Browser<'a> {
    world: &'a World,
    pub(super) cookie: String,
    pub(super) request: String,
}

impl<'a> Browser<'a> {
    pub(super) fn read(world: &'a World, answer: &Answer) -> Self {
        assert_eq!(answer.status, 200, "{answer:?}");
        let cookie = answer.header(SET_COOKIE.as_str()).unwrap();
        let page = String::from_utf8(answer.body.to_vec()).unwrap();
        let request = page.split_once("data-request=\"").unwrap().1;
        Self {
            world,
            cookie: cookie.split(';').next().unwrap().to_owned(),
            request: request.split_once('"').unwrap().0.to_owned(),
        }
    }

    /// Makes a call of the page.
    pub(super) async fn call(&self, name: &str) -> Answer {
        self.call_from(name, Some("same-origin")).await
    }

    pub(super) async fn call_from(&self, name: &str, site: Option<&str>) -> Answer {
        let mut request = Request::post(format!("/authorize/{name}"))
            .header(CONTENT_TYPE, "application/json")
            .header(COOKIE, &self.cookie);
        if let Some(site) = site {
            request = request.header("sec-fetch-site", site);
        }
        let body = json!({"request": self.request}).to_string();
        self.world
            .host
            .send(request.body(Body::from(body)).unwrap())
            .await
    }

    /// Makes a call of the page with further members.
    pub(super) async fn call_with(&self, name: &str, members: Value) -> Answer {
        let mut body = json!({"request": self.request});
        let all = body.as_object_mut().unwrap();
        all.extend(members.as_object().unwrap().clone());
        let headers = [
            (COOKIE.as_str(), self.cookie.as_str()),
            ("sec-fetch-site", "same-origin"),
        ];
        let path = format!("/authorize/{name}");
        self.world
            .host
            .send(asked("POST", &path, &headers, Some(&body)))
            .await
    }

    /// Starts the text, and returns the session.
    pub(super) async fn text(&self) -> Value {
        let answer = self.call("text").await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()
    }

    /// Starts the text and sends it from this number.
    pub(super) async fn send_text(&self, from: &str) -> Value {
        let session = self.text().await;
        let message = session["confirmationMessage"].as_str().unwrap();
        let id = session["confirmationId"].as_str().unwrap();
        let answer = self.world.host.text(id, from, SEND_TO, message).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        session
    }

    /// Returns to the client, and returns the address.
    pub(super) async fn finish(&self) -> String {
        let answer = self.call("finish").await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()["location"].as_str().unwrap().to_owned()
    }

    /// Returns to the client with a code.
    pub(super) async fn code(&self) -> String {
        parameter(&self.finish().await, "code")
    }
}

/// Returns a parameter of an address's query, which contains no escapes.
pub(super) fn parameter(location: &str, name: &str) -> String {
    let query = location.split_once('?').unwrap().1;
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let (_, value) = pairs.find(|(found, _)| *found == name).unwrap();
    value.to_owned()
}

/// Returns the claims of an ID token.
pub(super) fn claims(tokens: &Value) -> Value {
    let token = tokens["id_token"].as_str().unwrap();
    let claims = token.split('.').nth(1).unwrap();
    serde_json::from_slice(&BASE64_URL_SAFE_NO_PAD.decode(claims).unwrap()).unwrap()
}
