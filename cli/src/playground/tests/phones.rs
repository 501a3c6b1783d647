//! The simulated phone for logins.

use std::sync::Arc;

use axum::http::StatusCode;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use countersign_api::ProblemCode;
use countersign_domain::login::BrowserPublicKey;
use serde_json::{Value, json};

use super::{ApiResponse, COMMAND, Fixture, LANDING, PEER};
use crate::phone::fake_service::{APP_KEY, AnswerFate, ORIGIN};

impl Fixture {
    /// Returns the link shown by a page.
    fn link(&self) -> String {
        format!("http://localhost:8787?sessionId={}", self.api.logins.id)
    }

    async fn scan(&self, scanned: &Value) -> ApiResponse {
        self.own("POST", "/playground/phones", &scanned.to_string())
            .await
    }

    /// Scans the link and returns the phone's path.
    async fn phone(&self) -> String {
        let answer = self.scan(&json!({ "link": self.link() })).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
        let token = answer.json()["token"].as_str().unwrap().to_owned();
        format!("/playground/phones/{token}")
    }
}

#[tokio::test]
async fn phone_opens_the_link_and_shows_the_service_answer() {
    let fixture = Fixture::new();
    let scanned = json!({ "link": fixture.link(), "publicUserId": "zoe" });
    let answer = fixture.scan(&scanned).await;
    let shown = answer.json();
    let logins = &fixture.api.logins;
    assert_eq!(shown["origin"], ORIGIN);
    assert_eq!(shown["readers"], "browser");
    assert_eq!(shown["sessionId"], logins.id.to_string());
    assert_eq!(shown["session"], logins.session()["session"]);
    let [call] = &logins.calls()[..] else {
        panic!("not one call")
    };
    assert_eq!(call.route, "initiate");
    assert_eq!(call.body, json!({ "publicUserId": "zoe" }));
    assert_eq!(call.peer, Some(PEER), "it calls from the page's address");
    assert_eq!(call.token.len(), 43);
    assert!(!answer.body.contains(&call.token), "the page got its token");
}

#[tokio::test]
async fn confirmation_is_encrypted_for_the_browser() {
    let fixture = Fixture::new();
    let path = format!("{}/confirm", fixture.phone().await);
    let answer = fixture.own("POST", &path, r#"{"payload":"a word"}"#).await;
    let expected = json!({ "decision": "confirmed", "encrypted": true });
    assert_eq!(answer.json(), expected);
    let calls = fixture.api.logins.calls();
    assert_eq!(fixture.api.logins.routes(), ["initiate", "confirm"]);
    assert_eq!(calls[1].token, calls[0].token);
    assert_eq!(calls[1].peer, Some(PEER));
    assert_eq!(fixture.api.logins.opened(&calls[1].body), "a word");
}

#[tokio::test]
async fn confirmation_has_a_proof_of_the_page_the_login_and_the_user() {
    let fixture = Fixture::new();
    let scanned = json!({ "link": fixture.link(), "publicUserId": "zoe" });
    let phone = fixture.scan(&scanned).await.json()["token"].clone();
    let path = format!("/playground/phones/{}/confirm", phone.as_str().unwrap());
    fixture.own("POST", &path, "{}").await;
    let calls = fixture.api.logins.calls();
    let proof = calls[1].body["proof"].as_str().unwrap();
    let claims = BASE64_URL_SAFE_NO_PAD.decode(proof.split('.').nth(1).unwrap());
    let claims: Value = serde_json::from_slice(&claims.unwrap()).unwrap();
    let id = fixture.api.logins.id.to_string();
    assert_eq!(
        [
            &claims["app"],
            &claims["aud"],
            &claims["jti"],
            &claims["sub"]
        ],
        [APP_KEY, ORIGIN, id.as_str(), "zoe"]
    );
}

#[tokio::test]
async fn phone_shows_what_the_person_approves() {
    let fixture = Fixture::with(|api| {
        let logins = Arc::get_mut(&mut api.logins).unwrap();
        logins.set_context("Pay 20 EUR\nto Bücher GmbH");
    });
    let shown = fixture.scan(&json!({ "link": fixture.link() })).await;
    assert_eq!(shown.json()["context"], "Pay 20 EUR\nto Bücher GmbH");
}

#[tokio::test]
async fn denial_is_readable_and_empty_by_default() {
    for (sent, payload) in [("{}", ""), (r#"{"payload":"a word"}"#, "a word")] {
        let fixture = Fixture::new();
        let path = format!("{}/deny", fixture.phone().await);
        let answer = fixture.own("POST", &path, sent).await;
        let expected = json!({ "decision": "denied", "encrypted": false });
        assert_eq!(answer.json(), expected);
        let calls = fixture.api.logins.calls();
        assert_eq!(calls[1].body, json!({ "payload": payload }));
        assert_eq!(calls[1].token, calls[0].token);
    }
}

#[tokio::test]
async fn payload_defaults_to_time_and_user_id() {
    let fixture = Fixture::new();
    let phone = fixture.phone().await;
    fixture.own("POST", &format!("{phone}/confirm"), "{}").await;
    let calls = fixture.api.logins.calls();
    let payload: Value = serde_json::from_str(&fixture.api.logins.opened(&calls[1].body)).unwrap();
    assert_eq!(payload, json!({ "timestamp": "2026-01-02T03:04:05.678Z" }));
}

#[tokio::test]
async fn answer_that_the_id_does_not_vouch_for_blocks_the_login() {
    let fixture = Fixture::new();
    let session = fixture.api.logins.session();
    let other = BrowserPublicKey::from_bytes([4; 65]).unwrap();
    let mut swapped = session.clone();
    swapped["browserPublicKey"] = other.to_string().into();
    let fate = AnswerFate::Replaced(StatusCode::OK, swapped);
    fixture.api.logins.fates.lock().unwrap().push_back(fate);
    let answer = fixture.scan(&json!({ "link": fixture.link() })).await;
    assert_eq!(answer.problem, Some(ProblemCode::PayloadUnsuitable));
    assert_eq!(fixture.api.logins.routes(), ["initiate", "deny"]);
    let denial = json!({ "payload": "", "reason": "key_mismatch" });
    assert_eq!(fixture.api.logins.calls()[1].body, denial);
}

#[tokio::test]
async fn malformed_link_is_refused() {
    let fixture = Fixture::new();
    for (scanned, code) in [
        (json!({}), ProblemCode::MalformedJson),
        (json!({ "link": "" }), ProblemCode::FieldWrongType),
        (
            json!({ "link": "http://localhost:8787?sessionId=qrs_1" }),
            ProblemCode::FieldWrongType,
        ),
        (
            json!({ "link": fixture.link(), "publicUserId": "" }),
            ProblemCode::PublicUserIdMalformed,
        ),
    ] {
        let answer = fixture.scan(&scanned).await;
        assert_eq!(answer.problem, Some(code), "{scanned}");
    }
    assert!(fixture.api.logins.calls().is_empty());
}

#[tokio::test]
async fn refusal_of_the_service_is_passed_on() {
    let fixture = Fixture::new();
    let id = "qrs_00112233445566778899aabbccddeeff";
    let link = format!("http://localhost:8787?sessionId={id}");
    let answer = fixture.scan(&json!({ "link": link })).await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
    assert_eq!(answer.json()["code"], "session_not_found");

    let phone = fixture.phone().await;
    let long = json!({ "payload": "x".repeat(9_000) }).to_string();
    let answer = fixture
        .own("POST", &format!("{phone}/confirm"), &long)
        .await;
    assert_eq!(answer.problem, Some(ProblemCode::PayloadTooLong));
}

#[tokio::test]
async fn other_pages_cannot_use_the_phone() {
    let fixture = Fixture::new();
    let phone = fixture.phone().await;
    let link = json!({ "link": fixture.link() }).to_string();
    for (path, body) in [
        ("/playground/phones", link.as_str()),
        (&format!("{phone}/confirm"), "{}"),
        (&format!("{phone}/deny"), "{}"),
    ] {
        let evil = [("origin", "http://evil.example".to_owned())];
        let answer = fixture.ask("POST", path, &evil, body).await;
        assert_eq!(answer.problem, Some(ProblemCode::OriginForbidden), "{path}");
    }
    assert_eq!(fixture.api.logins.routes(), ["initiate"]);
    let answer = fixture
        .own("POST", "/playground/phones/unknown/confirm", "{}")
        .await;
    assert_eq!(answer.problem, Some(ProblemCode::NotFound));
}

#[tokio::test]
async fn facts_hold_the_app_key_and_the_command() {
    let fixture = Fixture::new();
    let answer = fixture.ask("GET", "/playground/facts", &[], "").await;
    let facts = json!({ "appKey": APP_KEY, "command": COMMAND });
    assert_eq!(answer.json(), facts);
}

#[tokio::test]
async fn link_opened_in_a_browser_is_explained() {
    let fixture = Fixture::new();
    for (path, is_landing) in [
        ("/?sessionId=qrs_00112233445566778899aabbccddeeff", true),
        ("/?utm=x&sessionId=", true),
        ("/?session=1", false),
        ("/", false),
        ("/playground.css?sessionId=1", false),
    ] {
        let answer = fixture.ask("GET", path, &[], "").await;
        assert_eq!(answer.status, StatusCode::OK, "{path}");
        assert_eq!(answer.body == LANDING, is_landing, "{path}");
        let hardened = answer.headers.contains_key("content-security-policy");
        assert_eq!(hardened, !is_landing, "{path}");
    }
}

#[tokio::test]
async fn pages_may_connect_to_the_socket() {
    let fixture = Fixture::new();
    let answer = fixture.ask("GET", "/", &[], "").await;
    let policy = answer.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.ends_with("connect-src 'self' ws://127.0.0.1:8787"));
}
