//! A request that causes each problem of the login routes.

use std::num::NonZeroU32;
use std::time::Duration;

use countersign_api::ProblemCode;
use countersign_conformance::samples::logins::{browser_key, sealed};
use countersign_domain::app::login::LoginsFrom;
use serde_json::{Value, json};

use crate::host::{Answer, BROWSER, Host, Opened, RECEIPT, SHOP, TOR, asked, broken, wrong_codes};
use crate::routes::association_keys::{confirmation, private_key, register};

const KEYS: &str = "/association-keys";
const SESSIONS: &str = "/qr-sessions";
const ABSENT: &str = "/qr-sessions/qrs_0123456789abcdef0123456789abcdef";

/// Sends a request that is answered with this problem.
pub(crate) async fn meet(host: &Host, code: ProblemCode) -> Answer {
    let bare = |headers: &[(&str, &str)]| host.send(asked("POST", SESSIONS, headers, None));
    let new = |body| host.open_from(SHOP, BROWSER, body);
    match code {
        ProblemCode::AppKeyMissing => bare(&[]).await,
        ProblemCode::AppKeyMalformed => bare(&[("x-app-key", "x")]).await,
        ProblemCode::AppKeyUnknown => {
            let key = format!("cs_app_{}", "0".repeat(22));
            bare(&[("x-app-key", key.as_str())]).await
        }
        ProblemCode::CredentialsAmbiguous => bare(&[("x-api-key", "x"), ("x-app-key", "x")]).await,
        ProblemCode::FieldServerOnly => new(json!({"context": "Pay 20 EUR"})).await,
        ProblemCode::ContextMalformed => open_as_server(host, json!({"context": ""})).await,
        ProblemCode::ProofRequired => {
            let key = host.browser_key().to_string();
            let body = json!({"browserPublicKey": key, "origin": SHOP, "context": "Pay 20 EUR"});
            let opened = Opened::from_answer(&open_as_server(host, body).await, &"A".repeat(43));
            host.initiate(&opened, 1, json!({})).await;
            host.confirm_sealed(&opened, 1).await
        }
        ProblemCode::TokenMissing => host.send(asked("GET", ABSENT, &[], None)).await,
        ProblemCode::TokenMalformed => host.open_as("x", (SHOP, BROWSER), json!({})).await,
        ProblemCode::TooManyMisses => {
            let token = format!("Bearer {}", "A".repeat(43));
            let headers = [("authorization", token.as_str())];
            for _ in 0..30 {
                host.send(asked("GET", ABSENT, &headers, None)).await;
            }
            host.send(asked("GET", ABSENT, &headers, None)).await
        }
        ProblemCode::TooManySessions => {
            for _ in 0..600 {
                new(json!({})).await;
            }
            new(json!({})).await
        }
        ProblemCode::OriginNotAllowed => {
            host.open_from("https://evil.example", BROWSER, json!({}))
                .await
        }
        ProblemCode::LoginServerOnly => {
            host.change_app(|app| app.login.logins_from = LoginsFrom::Server)
                .await;
            new(json!({})).await
        }
        ProblemCode::LinkHostMissing => {
            host.change_app(|app| app.login.link_host = None).await;
            new(json!({})).await
        }
        ProblemCode::BrowserKeyMalformed => new(json!({"browserPublicKey": "x"})).await,
        ProblemCode::ReturnUrlNotAllowed => {
            new(json!({"returnUrl": "https://evil.example/"})).await
        }
        ProblemCode::PublicUserIdMalformed => {
            let opened = host.open().await;
            host.initiate(&opened, 1, json!({"publicUserId": ""})).await
        }
        ProblemCode::SessionExists => {
            let body = json!({"browserPublicKey": browser_key().to_string()});
            new(body.clone()).await;
            new(body).await
        }
        ProblemCode::SessionOver => {
            let opened = host.open().await;
            host.browser("DELETE", &opened, "").await;
            host.open_as(&opened.token, (SHOP, BROWSER), json!({}))
                .await
        }
        ProblemCode::SessionNotFound => {
            let bearer = [("authorization", "Bearer x")];
            host.send(asked("GET", ABSENT, &bearer, None)).await
        }
        ProblemCode::SessionNotConfirmed => {
            let opened = host.open().await;
            host.browser("POST", &opened, "/redeem").await
        }
        ProblemCode::RiskDenied => {
            let opened = host.opened_at(TOR, json!({})).await;
            host.initiate(&opened, 1, json!({})).await;
            host.confirm(&opened, 1, "yes").await
        }
        _ => about_keys(host, code).await,
    }
}

/// Sends a request about association keys or their proofs that is answered with this problem.
async fn about_keys(host: &Host, code: ProblemCode) -> Answer {
    match code {
        ProblemCode::PublicUserIdAnonymous => register(host, "ANON", 1).await,
        ProblemCode::AssociationKeyMalformed => {
            let body = json!({"publicUserId": "zoe", "publicKey": "x"});
            host.post(KEYS, body).await
        }
        ProblemCode::KeySignatureMissing => {
            host.change_app(|app| app.login.require_proof = true).await;
            register(host, "zoe", 1).await
        }
        ProblemCode::KeySignatureFalse => {
            let key = private_key(1).public_key().to_string();
            let body = json!({"publicUserId": "zoe", "publicKey": key, "signature": "AAAA"});
            host.post(KEYS, body).await
        }
        ProblemCode::AssociationKeyTaken => {
            register(host, "zoe", 1).await;
            register(host, "max", 1).await
        }
        ProblemCode::AssociationKeyRevoked => {
            register(host, "zoe", 1).await;
            let path = format!("{KEYS}/{}", private_key(1).public_key().key_id());
            host.call("DELETE", &path, None).await;
            register(host, "zoe", 1).await
        }
        ProblemCode::TooManyAssociationKeys => {
            for n in 1..=16 {
                register(host, "zoe", n).await;
            }
            register(host, "zoe", 17).await
        }
        ProblemCode::AppAssociationKeysExceeded => {
            host.change_app(|app| app.quotas.association_keys.max_open = Some(NonZeroU32::MIN))
                .await;
            register(host, "zoe", 1).await;
            register(host, "zoe", 2).await
        }
        ProblemCode::AssociationKeyNotFound => {
            host.call("DELETE", "/association-keys/x", None).await
        }
        _ => once_scanned(host, code).await,
    }
}

async fn open_as_server(host: &Host, body: Value) -> Answer {
    let bearer = format!("Bearer {}", "A".repeat(43));
    let headers = [("x-api-key", host.key.reveal()), ("authorization", &bearer)];
    host.send(asked("POST", SESSIONS, &headers, Some(&body)))
        .await
}

/// Sends a request about a scanned login that is answered with this problem.
async fn once_scanned(host: &Host, code: ProblemCode) -> Answer {
    let opened = host.scanned().await;
    let confirm = |body| host.decide(&opened, 1, "confirm", body);
    let again = || host.confirm(&opened, 1, "again");
    match code {
        ProblemCode::PayloadTooLong => confirm(json!({"payload": "x".repeat(8_193)})).await,
        ProblemCode::PayloadNotSealed => confirm(json!({"payload": "", "encrypted": true})).await,
        ProblemCode::PayloadUnsuitable => {
            confirm(json!({"payload": sealed().payload().as_str(), "encrypted": true})).await
        }
        ProblemCode::SaltMalformed => confirm(json!({"payload": "", "salt": "x"})).await,
        ProblemCode::SaltExposed => {
            let payload = sealed().payload().as_str().to_owned();
            confirm(json!({"payload": payload, "encrypted": true, "salt": "A".repeat(22)})).await
        }
        ProblemCode::ProofMalformed => confirm(json!({"payload": "", "proof": "x"})).await,
        ProblemCode::ProofInvalid => {
            register(host, "zoe", 1).await;
            let other = host.open().await;
            confirm(confirmation(&private_key(1), &other)).await
        }
        ProblemCode::UserMismatch => {
            let body = json!({"origin": SHOP, "publicUserId": "zoe"});
            let token = "A".repeat(43);
            let opened = Opened::from_answer(&open_as_server(host, body).await, &token);
            let body = json!({"publicUserId": "max"});
            host.initiate(&opened, 1, body).await
        }
        ProblemCode::ProofMismatch => {
            register(host, "zoe", 1).await;
            let opened = host.open().await;
            host.initiate(&opened, 1, json!({"publicUserId": "max"}))
                .await;
            let body = confirmation(&private_key(1), &opened);
            host.decide(&opened, 1, "confirm", body).await
        }
        ProblemCode::ReasonUnknown => {
            let body = json!({"payload": "", "reason": "x"});
            host.decide(&opened, 1, "deny", body).await
        }
        ProblemCode::ReceiptMalformed => host.redeem(&opened, "x").await,
        ProblemCode::CheckCodeMalformed => host.redeem_checked(&opened, "x").await,
        ProblemCode::CheckCodeRequired => {
            let (opened, _) = host.confirmed_checked().await;
            host.redeem(&opened, RECEIPT).await
        }
        ProblemCode::CheckCodeWrong => {
            let (opened, digits) = host.confirmed_checked().await;
            host.redeem_checked(&opened, wrong_codes(&digits)[0]).await
        }
        ProblemCode::ReturnTokenMalformed => {
            let body = json!({"receipt": RECEIPT, "returnToken": "x"});
            host.redeem_with(&opened, body).await
        }
        ProblemCode::ReturnTokenRequired => {
            let (opened, _) = host.confirmed_returning().await;
            host.redeem(&opened, RECEIPT).await
        }
        ProblemCode::SessionInitiatedDifferently => {
            let body = json!({"publicUserId": "another"});
            host.initiate(&opened, 1, body).await
        }
        ProblemCode::SessionRedeemed => {
            host.confirm(&opened, 1, "yes").await;
            host.browser("POST", &opened, "/redeem").await;
            host.browser("POST", &opened, "/redeem").await
        }
        ProblemCode::SecondPhone => host.initiate(&opened, 2, json!({})).await,
        ProblemCode::SessionEnded => {
            host.deny(&opened, 1).await;
            host.initiate(&opened, 1, json!({})).await
        }
        ProblemCode::SessionConfirmed => {
            host.confirm(&opened, 1, "yes").await;
            again().await
        }
        ProblemCode::SessionConsumed => {
            host.confirm(&opened, 1, "yes").await;
            host.browser("POST", &opened, "/redeem").await;
            again().await
        }
        ProblemCode::SessionDenied => {
            host.deny(&opened, 1).await;
            again().await
        }
        ProblemCode::SessionBlocked => {
            host.initiate(&opened, 2, json!({})).await;
            again().await
        }
        ProblemCode::SessionCancelled => {
            host.browser("DELETE", &opened, "").await;
            again().await
        }
        ProblemCode::SessionExpired => {
            host.clock.advance(Duration::from_mins(3));
            again().await
        }
        _ => panic!("nothing meets {code:?}"),
    }
}

#[tokio::test]
async fn failed_store_returns_503() {
    let host = Host::new().await;
    let opened = host.scanned().await;
    let broken = Host::failing(broken::logins).await;
    for answer in [
        broken.open_from(SHOP, BROWSER, json!({})).await,
        broken.browser("GET", &opened, "").await,
        broken.browser("POST", &opened, "/redeem").await,
        broken.browser("DELETE", &opened, "").await,
        broken.initiate(&opened, 1, json!({})).await,
        broken.confirm(&opened, 1, "yes").await,
        broken.deny(&opened, 1).await,
    ] {
        assert_eq!(answer.code(), "service_unavailable");
        assert_eq!(answer.header("retry-after"), Some("1"));
        assert_eq!(answer.header("www-authenticate"), None);
    }
    let without_apps = Host::failing(broken::apps).await;
    let answer = without_apps.open_from(SHOP, BROWSER, json!({})).await;
    assert_eq!(answer.code(), "service_unavailable");
    assert_eq!(answer.header("access-control-allow-origin"), Some(SHOP));
}
