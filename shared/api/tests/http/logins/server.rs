//! Logins that the app's server opens, reads and cancels with its API key.

use std::time::Duration;

use countersign_conformance::samples::logins::sealed;
use countersign_domain::app::login::{LoginsFrom, PayloadEncryption};
use countersign_domain::login::BrowserPublicKey;
use countersign_domain::login::Login;
use countersign_domain::login::identity::{self, IdInputs, IdentityError};
use countersign_proof::ProofClaims;
use insta::assert_json_snapshot;
use serde_json::{Value, json};

use crate::host::{Answer, BROWSER, Host, Opened, SHOP, app, asked};
use crate::routes::association_keys::{private_key, proof};

pub(super) const CONTEXT: &str = "Pay 20 EUR to Zoë\nReference 7";

/// Sends a request of an app's server with this API key.
pub(super) async fn call(host: &Host, key: &str, method: &str, path: &str) -> Answer {
    let headers = [("x-api-key", key)];
    host.send(asked(method, path, &headers, None)).await
}

/// Sends the request with which the app's server opens a login.
pub(super) async fn open(host: &Host, token: &str, body: &Value) -> Answer {
    let bearer = format!("Bearer {token}");
    let key = host.key.reveal();
    let headers = [("x-api-key", key), ("authorization", bearer.as_str())];
    host.send(asked("POST", "/qr-sessions", &headers, Some(body)))
        .await
}

pub(super) fn asking(host: &Host, context: &str) -> Value {
    let key = host.browser_key().to_string();
    json!({"browserPublicKey": key, "origin": SHOP, "context": context})
}

/// Opens a login with a context.
pub(super) async fn opened(host: &Host) -> Opened {
    let token = host.browser_token();
    let answer = open(host, &token, &asking(host, CONTEXT)).await;
    Opened::from_answer(&answer, &token)
}

/// Returns a proof for a login with the context, by a key that is not registered.
pub(super) fn proof_of(opened: &Opened) -> String {
    proof(opened, |claims| {
        let context = Some(CONTEXT);
        private_key(1).sign_proof(&ProofClaims { context, ..claims })
    })
}

async fn confirm_with_proof(host: &Host, opened: &Opened) -> Answer {
    confirm_with(host, opened, &proof_of(opened)).await
}

pub(super) async fn confirm_with(host: &Host, opened: &Opened, proof: &str) -> Answer {
    let payload = sealed().payload().as_str().to_owned();
    let body = json!({"payload": payload, "encrypted": true, "proof": proof});
    host.decide(opened, 1, "confirm", body).await
}

#[tokio::test]
async fn server_gets_an_approval() {
    let host = Host::new().await;
    let opened = opened(&host).await;
    let body = json!({"publicUserId": "zoe@shop.example"});
    let shown = host.initiate(&opened, 1, body).await.json();
    assert_eq!(shown["context"], CONTEXT);
    let bare = host.confirm_sealed(&opened, 1).await;
    let expected = ("proof_required".to_owned(), Some("/proof".to_owned()));
    assert_eq!((bare.status.as_u16(), bare.code_at()), (403, expected));
    assert_eq!(host.state_of(&opened).await, "scanned");
    assert_eq!(confirm_with_proof(&host, &opened).await.json(), json!(true));

    let seen = call(&host, host.key.reveal(), "GET", &opened.path("")).await;
    assert_eq!(seen.header("cache-control"), Some("no-store"));
    let mut seen = seen.json();
    assert_eq!(seen["sessionId"].take(), opened.id.to_string());
    assert_eq!(seen["proof"].take(), proof_of(&opened));
    assert_json_snapshot!("confirmed", seen);
    // The server that opened the login has the browser's token and redeems like a browser.
    let redeemed = host.browser("POST", &opened, "/redeem").await.json();
    assert_eq!(redeemed["proof"], proof_of(&opened));
    let seen = call(&host, host.key.reveal(), "GET", &opened.path("")).await;
    assert_eq!(seen.json()["state"], "consumed");
    assert_eq!(seen.json()["proof"], proof_of(&opened));
}

#[tokio::test]
async fn server_lists_the_logins_of_its_app() {
    let host = Host::new().await;
    let stranger = host.stranger().await;
    let mut ids = Vec::new();
    for _ in 0..3 {
        let opened = opened(&host).await;
        ids.push(json!(opened.id.to_string()));
        host.clock.advance(Duration::from_secs(1));
        host.initiate(&opened, 1, json!({})).await;
        confirm_with_proof(&host, &opened).await;
    }
    ids.push(json!(opened(&host).await.id.to_string()));
    ids.reverse();
    let list = async |key: &str, query: &str| {
        let path = format!("/qr-sessions{query}");
        call(&host, key, "GET", &path).await
    };
    let own = host.key.reveal();
    let found = |page: &Value| -> Vec<Value> {
        let sessions = page["sessions"].as_array().unwrap().iter();
        sessions.map(|item| item["sessionId"].clone()).collect()
    };
    let whole = list(own, "").await.json();
    assert_eq!(found(&whole), ids);
    assert_eq!(whole.get("nextCursor"), None);
    let path = format!("/qr-sessions/{}", ids[1].as_str().unwrap());
    assert_eq!(
        whole["sessions"][1],
        call(&host, own, "GET", &path).await.json()
    );
    let confirmed = list(own, "?state=confirmed&limit=2").await.json();
    assert_eq!(found(&confirmed), ids[1..3]);
    let cursor = confirmed["nextCursor"].as_str().unwrap();
    let rest = list(own, &format!("?state=confirmed&cursor={cursor}")).await;
    assert_eq!(found(&rest.json()), ids[3..]);
    assert_eq!(
        found(&list(stranger.reveal(), "").await.json()),
        [json!(null); 0]
    );

    // A cursor from one list is unknown in another.
    host.acquire().await;
    let other = call(&host, own, "GET", "/confirmations?limit=1")
        .await
        .json();
    let foreign = format!("?cursor={}", other["nextCursor"].as_str().unwrap());
    for query in [
        &*foreign,
        "?state=open",
        "?limit=0",
        "?state=denied&state=denied",
    ] {
        assert_eq!(list(own, query).await.code(), "query_malformed", "{query}");
    }
    let bare = host.send(asked("GET", "/qr-sessions", &[], None)).await;
    assert_eq!(bare.code(), "api_key_missing");
}

/// A code on a screen can be photographed, so its id may reach servers that did not open the login.
#[tokio::test]
async fn photographed_id_with_an_api_key() {
    let host = Host::new().await;
    let stranger = host.stranger().await;
    let sealed = opened(&host).await;
    host.initiate(&sealed, 1, json!({})).await;
    confirm_with_proof(&host, &sealed).await;
    let readable = host.confirmed().await;
    for opened in [&sealed, &readable] {
        // Another app's key finds nothing.
        for method in ["GET", "DELETE"] {
            let foreign = call(&host, stranger.reveal(), method, &opened.path("")).await;
            assert_eq!(foreign.status, 404);
            assert_eq!(foreign.code(), "session_not_found");
        }
        // The app's own key gets nothing that logs a user in.
        let seen = call(&host, host.key.reveal(), "GET", &opened.path("")).await;
        assert_eq!(seen.status, 200);
        let text = String::from_utf8_lossy(&seen.body).into_owned();
        let redeemed = host.browser("POST", opened, "/redeem").await.json();
        let payload = redeemed["payload"].as_str().unwrap();
        for secret in [payload, opened.token.as_str()] {
            assert!(!text.contains(&format!("\"{secret}\"")), "{text}");
        }
        assert_eq!(seen.json().get("payload"), None);
        assert_eq!(seen.json().get("salt"), None);
        // The app's key cannot redeem either.
        let path = opened.path("/redeem");
        let redeem = call(&host, host.key.reveal(), "POST", &path).await;
        assert_eq!(redeem.code(), "token_missing");
    }
}

#[tokio::test]
async fn confirmation_that_ran_out_is_answered_without_its_proof() {
    let host = Host::new().await;
    let opened = opened(&host).await;
    host.initiate(&opened, 1, json!({})).await;
    confirm_with_proof(&host, &opened).await;
    host.clock.advance(countersign_domain::login::READ_WINDOW);
    let seen = call(&host, host.key.reveal(), "GET", &opened.path("")).await;
    let seen = seen.json();
    assert_eq!(seen["state"], "expired");
    for name in ["proof", "pay", "confirmedAt"] {
        assert_eq!(seen[name], Value::Null, "{name}");
    }
}

#[tokio::test]
async fn server_reads_the_payload_of_a_denial() {
    let host = Host::new().await;
    for (reason, state) in [(Value::Null, "denied"), (json!("key_mismatch"), "blocked")] {
        let opened = host.scanned().await;
        let body = json!({"payload": "not me", "reason": reason});
        host.decide(&opened, 1, "deny", body).await;
        let seen = call(&host, host.key.reveal(), "GET", &opened.path("")).await;
        assert_eq!(seen.json()["state"], state);
        assert_eq!(seen.json()["denialPayload"], "not me");
        assert_eq!(seen.json()["denialReason"], reason);
    }
}

#[tokio::test]
async fn server_cancels_a_login_of_its_app() {
    let host = Host::new().await;
    let opened = host.scanned().await;
    let cancelled = call(&host, host.key.reveal(), "DELETE", &opened.path("")).await;
    assert_eq!(cancelled.status, 204);
    assert_eq!(host.state_of(&opened).await, "cancelled");
    let again = call(&host, host.key.reveal(), "DELETE", &opened.path("")).await;
    assert_eq!(again.code(), "session_cancelled");
    let late = host.confirm(&opened, 1, "yes").await;
    assert_eq!(late.code(), "session_cancelled");
}

/// The user would see one text and sign another, or would not see the whole text.
#[tokio::test]
async fn context_that_screens_show_differently() {
    let host = Host::new().await;
    for bad in [
        "",
        "Pay \u{202e}02 EUR",
        "Pay\u{2066}20 EUR",
        "Pay 20 EUR\r",
        "a\tb",
        "Zoe\u{308}",
        "  ",
        "Pay 20\u{200b}0 EUR",
        "\u{ad}",
        &format!("Pay{}", "\u{301}".repeat(300)),
        &"x\n".repeat(12),
        &"x".repeat(1_025),
    ] {
        let body = asking(&host, bad);
        let refused = open(&host, &host.browser_token(), &body).await;
        let at = Some("/context".to_owned());
        assert_eq!(refused.code_at(), ("context_malformed".to_owned(), at));
        assert_eq!(refused.status, 422);
    }
    assert_eq!(host.stored::<Login>(), []);
}

/// The id covers the context that the server sent, so a phone notices any other context.
#[tokio::test]
async fn context_swapped_by_the_service() {
    let host = Host::new().await;
    let opened = opened(&host).await;
    let shown = host.initiate(&opened, 1, json!({})).await.json();
    let key = shown["browserPublicKey"].as_str().unwrap();
    let key = key.parse::<BrowserPublicKey>().unwrap();
    let (app_key, origin) = (Host::app_key(), SHOP.parse().unwrap());
    let check = |context| {
        let inputs = IdInputs {
            app_key: &app_key,
            origin: &origin,
            context,
        };
        identity::check(opened.id, inputs, Some(&key))
    };
    assert!(check(CONTEXT).is_ok());
    for other in ["", "Pay 2000 EUR to Mallory"] {
        assert_eq!(check(other), Err(IdentityError::Mismatch));
    }
}

/// App keys are public, so a context from a page could come from a stranger.
#[tokio::test]
async fn page_that_sends_a_context() {
    let host = Host::new().await;
    for (name, value) in [("context", CONTEXT), ("origin", SHOP)] {
        let mut body = json!({"browserPublicKey": host.browser_key().to_string()});
        body[name] = value.into();
        let refused = host.open_from(SHOP, BROWSER, body).await;
        assert_eq!(refused.status, 403);
        let at = Some(format!("/{name}"));
        assert_eq!(refused.code_at(), ("field_server_only".to_owned(), at));
    }
    assert_eq!(host.stored::<Login>(), []);
    let null = json!({"context": null, "origin": null});
    assert_eq!(host.open_from(SHOP, BROWSER, null).await.status, 200);
}

#[tokio::test]
async fn server_names_an_origin_and_sends_a_key_for_a_context() {
    let host = Host::new().await;
    let with = async |body: Value| open(&host, &host.browser_token(), &body).await;
    let missing = |at: &str| ("field_missing".to_owned(), Some(at.to_owned()));
    assert_eq!(with(json!({})).await.code_at(), missing("/origin"));
    let foreign = with(json!({"origin": "https://evil.example"})).await;
    assert_eq!(foreign.code(), "origin_not_allowed");
    // An id without a key would not cover the context, even if the app allows such logins.
    let bare = with(json!({"origin": SHOP, "context": CONTEXT})).await;
    assert_eq!(bare.code_at(), missing("/browserPublicKey"));
    assert_eq!(with(json!({"origin": SHOP})).await.status, 200);
    let required = PayloadEncryption::Required;
    host.change_app(|app| app.login.payload_encryption = required)
        .await;
    let plain = with(json!({"origin": SHOP})).await;
    assert_eq!(plain.code_at(), missing("/browserPublicKey"));
}

#[tokio::test]
async fn request_names_one_sender() {
    let host = Host::new().await;
    let opened = host.open().await;
    let (key, app_key) = (host.key.reveal(), Host::app_key());
    let bearer = format!("Bearer {}", opened.token);
    let device = [("x-api-key", key), ("authorization", bearer.as_str())];
    for method in ["GET", "DELETE"] {
        let both = host.send(asked(method, &opened.path(""), &device, None));
        let both = both.await;
        assert_eq!(both.status, 400);
        assert_eq!(both.code(), "credentials_ambiguous");
    }
    let page = [
        ("x-api-key", key),
        ("x-app-key", app_key.as_str()),
        ("authorization", bearer.as_str()),
        ("origin", SHOP),
    ];
    let body = json!({"origin": SHOP});
    let both = host.send(asked("POST", "/qr-sessions", &page, Some(&body)));
    assert_eq!(both.await.code(), "credentials_ambiguous");
    assert_eq!(host.state_of(&opened).await, "created");
    // An invalid key must not make the service try another credential.
    let unknown = format!("cs_live_{}", "0".repeat(49));
    for (key, code) in [("x", "api_key_malformed"), (&unknown, "api_key_malformed")] {
        let refused = call(&host, key, "GET", &opened.path("")).await;
        assert_eq!(
            (refused.status.as_u16(), refused.code().as_str()),
            (401, code)
        );
    }
}

#[tokio::test]
async fn server_opens_more_logins_than_an_address_may() {
    let host = Host::new().await;
    let body = json!({"origin": SHOP});
    for _ in 0..601 {
        let answer = open(&host, &host.browser_token(), &body).await;
        assert_eq!(answer.status, 200);
    }
}

#[tokio::test]
async fn repeated_request_of_a_server_repeats_the_answer() {
    let host = Host::new().await;
    let (token, body) = (host.browser_token(), asking(&host, CONTEXT));
    let first = open(&host, &token, &body).await;
    assert_eq!(open(&host, &token, &body).await.json(), first.json());
    assert_eq!(app("demo").id, host.stored::<Login>()[0].app);
    assert_eq!(host.stored::<Login>().len(), 1);
}

/// The app key is on the page, so any program can pretend to be a page that the app lists.
#[tokio::test]
async fn page_opens_nothing_of_an_app_whose_logins_come_from_its_server() {
    let host = Host::new().await;
    let before = host.open().await;
    host.change_app(|app| app.login.logins_from = LoginsFrom::Server)
        .await;
    host.metrics.take();
    let sealed = || json!({"browserPublicKey": host.browser_key().to_string()});
    let own_token = host.open_as(&before.token, (SHOP, BROWSER), json!({}));
    for refused in [
        host.open_from(SHOP, BROWSER, json!({})).await,
        host.open_from(SHOP, BROWSER, sealed()).await,
        own_token.await,
    ] {
        assert_eq!(refused.status, 403);
        assert_eq!(refused.code_at(), ("login_server_only".to_owned(), None));
        assert!(refused.header("access-control-allow-origin").is_some());
    }
    assert_eq!(host.metrics.take(), ["qr_page_refused"; 3]);
    assert_eq!(host.stored::<Login>().len(), 1);
    // Logins that pages opened earlier end, as they do when any setting becomes stricter.
    let ended = host.initiate(&before, 1, json!({})).await;
    assert_eq!(ended.code(), "session_ended");

    // The page has a key and a token as before. The app's server opens the login with the page's key and
    // token, and the page joins it.
    let (token, page) = (host.browser_token(), sealed());
    let mut body = page.clone();
    body["origin"] = SHOP.into();
    let opened = Opened::from_answer(&open(&host, &token, &body).await, &token);
    let stranger = host.open_from(SHOP, BROWSER, page.clone()).await;
    assert_eq!(stranger.code(), "login_server_only");
    let joined = host.open_as(&token, (SHOP, BROWSER), page.clone()).await;
    assert_eq!(joined.json()["sessionId"], opened.id.to_string());
    let shown = host.initiate(&opened, 1, json!({})).await.json();
    assert_eq!(shown["session"]["iPAddressWidget"], BROWSER);
    let screen = &shown["session"]["mobileTemplateResponse"];
    assert_eq!(screen["widget"]["location"], "Berlin, DE");
    assert_eq!(host.confirm_sealed(&opened, 1).await.json(), json!(true));
    let redeemed = host.browser("POST", &opened, "/redeem").await;
    assert_eq!(redeemed.json()["encrypted"], json!(true));

    host.change_app(|app| app.login.logins_from = LoginsFrom::Pages)
        .await;
    assert_eq!(host.open_from(SHOP, BROWSER, json!({})).await.status, 200);
}
