//! The login samples: which users they log in, how often, and what they refuse.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::language::{self, Language};
use crate::login_forgeries;
use crate::login_phone::{APP, LINK_HOST, LINK_ORIGIN, ORIGIN, Phone, ZOE};
use crate::process::{Receiver, sample};

static KEY_FILES: AtomicU32 = AtomicU32::new(0);

/// Starts a sample that knows Zoe's key (7), Mallory's (8), and Zoe's passkey (9).
async fn start(language: &Language) -> Receiver {
    let number = KEY_FILES.fetch_add(1, Ordering::Relaxed);
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("login-keys-{number}.json"));
    let keys = json!([
        { "publicUserId": ZOE, "publicKey": Phone::new(7).public_key() },
        { "publicUserId": "mallory", "publicKey": Phone::new(8).public_key(), "kind": "browser" },
        {
            "publicUserId": ZOE, "publicKey": Phone::new(9).public_key(), "kind": "passkey",
            "rpId": LINK_HOST, "origin": LINK_ORIGIN,
        },
    ]);
    std::fs::write(&file, keys.to_string()).unwrap();
    let mut command = sample(language);
    command
        .env("COUNTERSIGN_API_KEY", "cs_live_unused")
        .env("APP_KEY", APP)
        .env("ORIGIN", ORIGIN)
        .env("KEYS", file);
    Receiver::spawn(language.name, command).await
}

/// Posts a detail from the right page and returns the status.
async fn log_in(server: &Receiver, detail: &Value) -> (u16, String) {
    let (status, text) = server
        .log_in(Some(ORIGIN), detail.to_string().into_bytes())
        .await;
    (status.as_u16(), text)
}

fn logged_in() -> (u16, String) {
    (200, "logged in".to_owned())
}

fn refused() -> (u16, String) {
    (403, "not logged in".to_owned())
}

#[tokio::test]
async fn proof_logs_its_user_in_once() {
    for language in language::logins() {
        let name = language.name;
        let server = start(language).await;
        let zoe = Phone::new(7);
        let detail = zoe.detail(&zoe.proof());
        assert_eq!(log_in(&server, &detail).await, logged_in(), "{name}");
        assert_eq!(
            log_in(&server, &detail).await,
            refused(),
            "{name}: replayed"
        );
        // A second confirmation of the same session.
        let again = Phone {
            after: 1,
            ..Phone::new(7)
        };
        assert_eq!(
            log_in(&server, &again.detail(&again.proof())).await,
            refused(),
            "{name}"
        );
        assert_eq!(server.stop().await, [format!("logged in {ZOE}")], "{name}");
    }
}

#[tokio::test]
async fn passkey_logs_its_user_in_once() {
    for language in language::logins() {
        let name = language.name;
        let server = start(language).await;
        let zoe = Phone::new(9);
        for (what, proof) in [
            (
                "in a frame",
                zoe.proof_by_passkey(|client| {
                    *client = client.replace(r#""crossOrigin":false"#, r#""crossOrigin":true"#);
                }),
            ),
            (
                "on another page",
                zoe.proof_by_passkey(|client| *client = client.replace("login.", "evil.")),
            ),
            ("a JWT by the passkey's key", zoe.proof()),
            (
                "the form of a passkey by an app's key",
                Phone::new(7).proof_by_passkey(|_| ()),
            ),
        ] {
            let answer = log_in(&server, &zoe.detail(&proof)).await;
            assert_eq!(answer, refused(), "{name}: {what}");
        }
        let detail = zoe.detail(&zoe.proof_by_passkey(|_| ()));
        assert_eq!(log_in(&server, &detail).await, logged_in(), "{name}");
        assert_eq!(
            log_in(&server, &detail).await,
            refused(),
            "{name}: replayed"
        );
        assert_eq!(server.stop().await, [format!("logged in {ZOE}")], "{name}");
    }
}

/// Contexts are not the sample's subject, and it is used with the page's payload.
#[tokio::test]
async fn vectors_of_passkeys_are_judged_as_by_the_libraries() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../clients/vectors.json");
    let vectors: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let expected: Vec<String> = vectors["passkeys"]["cases"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|case| case["context"].is_null() && case["openedByServer"] == false)
        .map(|case| {
            let user = case["userId"].as_str().unwrap_or("refused");
            format!("{}\t{user}", case["name"].as_str().unwrap())
        })
        .collect();
    assert!(expected.len() > 90, "{expected:?}");
    for language in language::vectors() {
        let keys = Path::new(env!("CARGO_TARGET_TMPDIR")).join("vector-keys.json");
        let output = language
            .command()
            .args([&file, &keys])
            .output()
            .await
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        let found = String::from_utf8(output.stdout).unwrap();
        assert_eq!(
            found.lines().collect::<Vec<_>>(),
            expected,
            "{}",
            language.name
        );
    }
}

#[tokio::test]
async fn concurrent_logins_of_one_session_succeed_once() {
    for language in language::logins() {
        let server = Arc::new(start(language).await);
        let zoe = Phone::new(7);
        let detail = zoe.detail(&zoe.proof());
        let mut logins = JoinSet::new();
        for _ in 0..32 {
            let (server, detail) = (Arc::clone(&server), detail.clone());
            logins.spawn(async move { log_in(&server, &detail).await.0 });
        }
        let mut answers = logins.join_all().await;
        answers.sort_unstable();
        let expected: Vec<u16> = [200].into_iter().chain([403; 31]).collect();
        assert_eq!(answers, expected, "{}", language.name);
    }
}

#[tokio::test]
async fn valid_proofs_of_every_form_log_in() {
    for language in language::logins() {
        let name = language.name;
        let server = start(language).await;
        let long = "Länge ✓ ".repeat(800);
        let phones = [
            Phone {
                user: None,
                ..Phone::new(7)
            },
            Phone {
                user: Some("mallory".to_owned()),
                ..Phone::new(8)
            },
            Phone {
                payload: String::new(),
                ..Phone::new(7)
            },
            Phone {
                payload: "✓ \u{0} \u{1f512} \r\n\t\"\\\u{2028}".to_owned(),
                ..Phone::new(7)
            },
            Phone {
                payload: long,
                ..Phone::new(7)
            },
            // Clocks differ, and users are slow. This proof will be refused in half a minute.
            Phone {
                after: -330,
                ..Phone::new(7)
            },
            Phone {
                after: 45,
                ..Phone::new(7)
            },
        ];
        for (number, phone) in (1..).zip(phones) {
            let phone = Phone {
                login: format!("qrs_{number:032x}").parse().unwrap(),
                ..phone
            };
            let answer = log_in(&server, &phone.detail(&phone.proof())).await;
            assert_eq!(answer, logged_in(), "{name} {number}");
        }
        let mut expected = vec![format!("logged in {ZOE}"); 7];
        "logged in mallory".clone_into(&mut expected[1]);
        assert_eq!(server.stop().await, expected, "{name}");
    }
}

#[tokio::test]
async fn forged_logins_are_refused_and_change_nothing() {
    for language in language::logins() {
        let name = language.name;
        let server = start(language).await;
        // Generated separately for each language, because a proof dated in the future would become
        // valid while other samples start.
        for (what, forgery) in &login_forgeries::all() {
            assert_eq!(log_in(&server, forgery).await, refused(), "{name}: {what}");
        }
        let zoe = Phone::new(7);
        assert_eq!(
            log_in(&server, &zoe.detail(&zoe.proof())).await,
            logged_in(),
            "{name}"
        );
        assert_eq!(server.stop().await, [format!("logged in {ZOE}")], "{name}");
    }
}

#[tokio::test]
async fn requests_from_other_pages_are_refused() {
    for language in language::logins() {
        let server = start(language).await;
        let zoe = Phone::new(7);
        let body = zoe.detail(&zoe.proof()).to_string().into_bytes();
        for origin in [
            None,
            Some("null"),
            Some("https://evil.example"),
            Some("https://shop.example/"),
        ] {
            let (status, _) = server.log_in(origin, body.clone()).await;
            assert_eq!(status, 403, "{} {origin:?}", language.name);
        }
        assert_eq!(
            server.log_in(Some(ORIGIN), body).await.0,
            200,
            "{}",
            language.name
        );
    }
}

#[tokio::test]
async fn bodies_that_are_no_logins_are_refused() {
    for language in language::logins() {
        let name = language.name;
        let server = start(language).await;
        let zoe = Phone::new(7);
        let right = zoe.detail(&zoe.proof());
        let mut bodies = vec![
            String::new(),
            "null".to_owned(),
            "[]".to_owned(),
            "{}".to_owned(),
            "\"text\"".to_owned(),
            "[".repeat(20_000),
            right.to_string()[1..].to_owned(),
        ];
        for member in ["sessionId", "payload", "salt", "proof"] {
            for value in [json!(null), json!(7), json!([right[member]]), json!({})] {
                let mut detail = right.clone();
                detail[member] = value;
                bodies.push(detail.to_string());
            }
        }
        for body in bodies {
            let (status, text) = server.log_in(Some(ORIGIN), body.clone().into_bytes()).await;
            let answer = (status.as_u16(), text.as_str());
            assert_eq!(answer, (400, "not a login"), "{name}: {body:.100}");
        }
        let (status, _) = server.log_in(Some(ORIGIN), vec![b' '; 64 * 1024 + 1]).await;
        assert_eq!(status, 413, "{name}");
        assert_eq!(server.request("GET", "/login").await, 405, "{name}");
        assert_eq!(server.request("POST", "/logins").await, 404, "{name}");
        assert_eq!(log_in(&server, &right).await, logged_in(), "{name}");
    }
}
