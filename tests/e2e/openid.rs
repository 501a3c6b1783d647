//! The `OpenID` provider as an operator runs it: from creating a client to deleting it.

use std::fs;
use std::path::Path;

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use p256::ecdsa::signature::Verifier as _;
use p256::ecdsa::{Signature, VerifyingKey};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::support::{Answer, Http, Server, countersign, data_dir};

const CALLBACK: &str = "https://shop.example/callback";
const VERIFIER: &str = "a-verifier-of-at-least-forty-three-characters";
const NUMBER: &str = "+12025550100";

/// Runs a command that succeeds, and returns its output.
fn succeed(data: &Path, words: &[&str]) -> Vec<u8> {
    let output = countersign(data, words);
    assert!(output.status.success(), "{words:?}: {output:?}");
    output.stdout
}

/// Works like [`succeed`], and returns JSON.
fn run(data: &Path, words: &[&str]) -> Value {
    let printed = succeed(data, &[words, &["--json"]].concat());
    serde_json::from_slice(&printed).unwrap()
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_else(|| panic!("{value}"))
}

/// The site of a client, with its own secret.
struct Client {
    id: String,
    secret: String,
    secret_id: String,
}

impl Client {
    fn create(server: &Server, data: &Path) -> Self {
        run(
            data,
            &["app", "create", "shop", "--sender", &server.facts.send_to],
        );
        run(
            data,
            &["app", "update", "shop", "--add-redirect-uri", CALLBACK],
        );
        let issued = run(data, &["openid", "issue-secret", "shop"]);
        let app = run(data, &["app", "show", "shop"]);
        assert_eq!(issued["clientId"], app["appKey"]);
        Self {
            id: text(&issued, "clientId").to_owned(),
            secret: text(&issued, "clientSecret").to_owned(),
            secret_id: text(&issued, "secretId").to_owned(),
        }
    }

    fn request(&self) -> String {
        let challenge = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(VERIFIER));
        format!(
            "/authorize?client_id={}&redirect_uri={CALLBACK}&response_type=code&state=xyz\
             &scope=openid+phone&code_challenge={challenge}&code_challenge_method=S256",
            self.id
        )
    }

    /// Lets a person log in with a text, and returns the code that the browser brings back.
    async fn code(&self, server: &Server) -> String {
        let page = server.anyone().get(&self.request()).await;
        assert_eq!(page.status, 200, "{page:?}");
        let cookie = page.headers["set-cookie"].to_str().unwrap();
        let browser = server
            .anyone()
            .with("cookie", cookie.split(';').next().unwrap())
            .with("origin", &server.facts.url)
            .with("sec-fetch-site", "same-origin");
        let html = String::from_utf8(page.body.to_vec()).unwrap();
        let (_, rest) = html.split_once("data-request=\"").unwrap();
        let request = json!({"request": rest.split('"').next().unwrap()});
        let open = browser.post("/authorize/finish", &request).await;
        assert_eq!(open.problem(409), "openid_not_verified");
        let started = browser.post("/authorize/text", &request).await.ok();
        server.text(
            NUMBER,
            text(&started, "sendTo"),
            text(&started, "confirmationMessage"),
        );
        let finished = browser.post("/authorize/finish", &request).await.ok();
        let location = text(&finished, "location").to_owned();
        let (page, answer) = location.split_once('?').unwrap();
        assert_eq!(page, CALLBACK);
        assert!(answer.contains("state=xyz"), "{answer}");
        let mut parameters = answer.split('&');
        let code = parameters.find_map(|parameter| parameter.strip_prefix("code="));
        code.unwrap().to_owned()
    }

    async fn exchange(&self, server: &Server, code: &str) -> Answer {
        let basic = BASE64_STANDARD.encode(format!("{}:{}", self.id, self.secret));
        let form = format!(
            "grant_type=authorization_code&code={code}&redirect_uri={CALLBACK}&code_verifier={VERIFIER}"
        );
        let site = server
            .anyone()
            .with("authorization", &format!("Basic {basic}"))
            .with("content-type", "application/x-www-form-urlencoded");
        site.call("POST", "/token", Some(form)).await
    }

    /// Logs the person in, and returns the tokens with the verified claims.
    async fn log_in(&self, server: &Server) -> LoggedIn {
        let code = self.code(server).await;
        let tokens = self.exchange(server, &code).await.ok();
        let token = text(&tokens, "id_token").to_owned();
        let claims = verify(&token, &keys(server).await).expect("signed with a published key");
        assert_eq!(claims["iss"], server.facts.url.as_str());
        assert_eq!(claims["aud"], self.id.as_str());
        assert_eq!(claims["phone_number"], NUMBER);
        LoggedIn {
            subject: text(&claims, "sub").to_owned(),
            access: text(&tokens, "access_token").to_owned(),
            token,
        }
    }
}

struct LoggedIn {
    subject: String,
    access: String,
    token: String,
}

async fn keys(server: &Server) -> Value {
    server.anyone().get("/openid/jwks.json").await.ok()["keys"].clone()
}

/// Returns the claims of an ID token that one of these keys has signed.
fn verify(token: &str, keys: &Value) -> Option<Value> {
    let decode = |part| BASE64_URL_SAFE_NO_PAD.decode(part).unwrap();
    let (content, signature) = token.rsplit_once('.').unwrap();
    let (header, claims) = content.split_once('.').unwrap();
    let header: Value = serde_json::from_slice(&decode(header)).unwrap();
    let mut keys = keys.as_array().unwrap().iter();
    let key = keys.find(|key| key["kid"] == header["kid"])?;
    let point = [vec![4], decode(text(key, "x")), decode(text(key, "y"))].concat();
    let signature = Signature::from_slice(&decode(signature)).unwrap();
    VerifyingKey::from_sec1_bytes(&point)
        .unwrap()
        .verify(content.as_bytes(), &signature)
        .ok()?;
    Some(serde_json::from_slice(&decode(claims)).unwrap())
}

async fn user_info(server: &Server, access: &str) -> Answer {
    let site = Http::new(&server.facts.url).with("authorization", &format!("Bearer {access}"));
    site.get("/userinfo").await
}

#[tokio::test(flavor = "multi_thread")]
async fn subjects_and_keys_outlive_restarts_and_restores() {
    let folder = data_dir();
    let data = folder.path().join("data");
    let server = Server::start(&data);
    let client = Client::create(&server, &data);
    let first = client.log_in(&server).await;
    assert_eq!(
        user_info(&server, &first.access).await.ok(),
        json!({"sub": first.subject, "phone_number": NUMBER, "phone_number_verified": true})
    );
    let published = keys(&server).await;
    let file = folder.path().join("backup");
    succeed(&data, &["backup", file.to_str().unwrap()]);
    assert!(server.terminate().success());

    let server = Server::start(&data);
    assert_eq!(keys(&server).await, published);
    assert_eq!(user_info(&server, &first.access).await.status, 200);
    assert_eq!(client.log_in(&server).await.subject, first.subject);
    let log = fs::read_to_string(Server::log_of(&data)).unwrap();
    assert!(server.terminate().success());

    let elsewhere = folder.path().join("elsewhere");
    succeed(&elsewhere, &["restore", file.to_str().unwrap()]);
    let server = Server::start(&elsewhere);
    assert_eq!(keys(&server).await, published);
    assert_eq!(client.log_in(&server).await.subject, first.subject);

    for secret in [&client.secret, &first.access, &first.token, &first.subject] {
        assert!(!log.contains(secret.as_str()), "{secret} in the log");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn next_key_is_published_before_it_signs() {
    let data = data_dir();
    let server = Server::start(data.path());
    let client = Client::create(&server, data.path());
    let before = client.log_in(&server).await;
    run(data.path(), &["openid", "rotate-key"]);
    let published = keys(&server).await;
    assert_eq!(published.as_array().unwrap().len(), 2, "{published}");
    let waits = countersign(data.path(), &["openid", "rotate-key"]);
    assert!(!waits.status.success());
    let said = String::from_utf8(waits.stderr).unwrap();
    assert!(said.contains("signs from"), "{said}");

    // The former key still signs, and what it has signed is still good.
    let after = client.log_in(&server).await;
    let header = |token: &str| token.split('.').next().unwrap().to_owned();
    assert_eq!(header(&before.token), header(&after.token));
    assert!(verify(&before.token, &published).is_some());
    let listed = run(data.path(), &["openid", "list-keys"]);
    let current: Vec<_> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|key| &key["current"])
        .collect();
    assert_eq!(current, [true, false]);
    assert!(server.terminate().success());
    let server = Server::start(data.path());
    assert_eq!(keys(&server).await, published);
}

#[tokio::test(flavor = "multi_thread")]
async fn revoked_secret_and_deleted_app_end_logins() {
    let data = data_dir();
    let server = Server::start(data.path());
    let client = Client::create(&server, data.path());
    let first = client.log_in(&server).await;

    // The secret is replaced while both are valid.
    let second = run(data.path(), &["openid", "issue-secret", "shop"]);
    let refused = countersign(data.path(), &["openid", "issue-secret", "shop"]);
    assert!(!refused.status.success(), "a third active secret");
    let rotated = Client {
        id: client.id.clone(),
        secret: text(&second, "clientSecret").to_owned(),
        secret_id: text(&second, "secretId").to_owned(),
    };
    client.log_in(&server).await;
    rotated.log_in(&server).await;
    run(
        data.path(),
        &["openid", "revoke-secret", "shop", &client.secret_id],
    );
    let code = client.code(&server).await;
    let refused = client.exchange(&server, &code).await;
    assert_eq!(
        (refused.status, refused.json()["error"].as_str()),
        (401, Some("invalid_client"))
    );
    // The attempt has not used the code up.
    let tokens = rotated.exchange(&server, &code).await.ok();
    let listed = run(data.path(), &["openid", "list-secrets", "shop"]);
    for secret in listed.as_array().unwrap() {
        let revoked = secret["secretId"] == client.secret_id.as_str();
        assert_eq!(secret["revokedAt"].is_string(), revoked, "{secret}");
    }

    let code = rotated.code(&server).await;
    run(data.path(), &["app", "delete", "shop", "--yes"]);
    let page = server.anyone().get(&client.request()).await;
    assert_eq!(page.status, 400);
    assert!(!page.headers.contains_key("location"));
    let refused = rotated.exchange(&server, &code).await;
    assert_eq!(
        (refused.status, refused.json()["error"].as_str()),
        (401, Some("invalid_client"))
    );
    for access in [first.access.as_str(), text(&tokens, "access_token")] {
        assert_eq!(user_info(&server, access).await.status, 401);
    }
}
