//! `POST /qr-sessions`.

use countersign_domain::login::BrowserPublicKey;
use serde_json::json;

use crate::host::{BROWSER, Host, LINK_HOST, PHONE, SHOP, asked, from};

#[tokio::test]
async fn link_contains_the_hash_of_the_browsers_key() {
    let host = Host::new().await;
    let key = BrowserPublicKey::from_bytes([4; 65]).unwrap();
    let body = json!({"browserPublicKey": key.to_string()});
    let session = host.open_from(SHOP, BROWSER, body).await.json();
    let url = session["url"].as_str().unwrap();
    let id = session["sessionId"].as_str().unwrap();
    let expected = format!("https://{LINK_HOST}?sessionId={id}#k={}", key.hash());
    assert_eq!(url, expected);
    for absent in [json!({}), json!({"browserPublicKey": null})] {
        let session = host.open_from(SHOP, BROWSER, absent).await.json();
        assert!(!session["url"].as_str().unwrap().contains('#'));
    }
}

#[tokio::test]
async fn app_key_has_one_spelling_and_is_sent_once() {
    let host = Host::new().await;
    let key = Host::app_key();
    let key = key.as_str();
    let with = |keys: Vec<&str>| {
        let mut headers: Vec<_> = keys.iter().map(|key| ("x-app-key", *key)).collect();
        headers.push(("origin", SHOP));
        host.send(asked("POST", "/qr-sessions", &headers, None))
    };
    assert_eq!(with(vec![key]).await.status, 200);
    let other = &key.replace("cs_app_", "cs_app_0")[..key.len()];
    for (keys, code) in [
        (vec![], "app_key_missing"),
        (vec![key, key], "app_key_malformed"),
        (vec![""], "app_key_malformed"),
        (vec!["cs_app_x"], "app_key_malformed"),
        (vec!["é"], "app_key_malformed"),
        (vec![other], "app_key_unknown"),
    ] {
        let answer = with(keys).await;
        assert_eq!(answer.code(), code);
        assert_eq!(answer.status, 401);
        let challenge = answer.header("www-authenticate");
        assert_eq!(challenge, Some("AppKey header=\"x-app-key\""));
    }
    // The server's API key is not an app key.
    let secret = with(vec![host.key.reveal()]).await;
    assert_eq!(secret.code(), "app_key_malformed");
}

#[tokio::test]
async fn app_without_a_link_host_opens_no_login() {
    let host = Host::new().await;
    host.change_app(|app| app.login.link_host = None).await;
    let answer = host.open_from(SHOP, BROWSER, json!({})).await;
    assert_eq!(answer.code(), "link_host_missing");
    let request = asked("GET", "/", &[("host", LINK_HOST)], None);
    assert_eq!(host.send(from(PHONE, request)).await.code(), "not_found");
}
