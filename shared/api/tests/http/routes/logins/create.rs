//! `POST /qr-sessions`.

use countersign_domain::login::Login;
use std::time::Duration;

use countersign_domain::app::login::PayloadEncryption;
use countersign_domain::login::identity::{IdInputs, plain_id, sealed_id};
use countersign_domain::login::{BrowserToken, Status};
use serde_json::{Value, json};

use crate::host::{Answer, BROWSER, Host, LINK_HOST, Opened, PHONE, SHOP, app, asked, from};

/// Returns a problem without its request's id.
fn problem(answer: &Answer) -> (u16, Value) {
    let mut body = answer.json();
    body["requestId"].take();
    (answer.status.as_u16(), body)
}

#[tokio::test]
async fn id_is_derived_and_the_link_has_nothing_else() {
    let host = Host::new().await;
    let (key, token) = (host.browser_key(), host.browser_token());
    let (app_key, origin) = (Host::app_key(), SHOP.parse().unwrap());
    let inputs = IdInputs {
        app_key: &app_key,
        origin: &origin,
        context: "",
    };
    let plain = plain_id(&token.parse::<BrowserToken>().unwrap());
    for (body, id) in [
        (
            json!({"browserPublicKey": key.to_string()}),
            sealed_id(inputs, &key),
        ),
        (json!({}), plain),
        (json!({"browserPublicKey": null}), plain),
    ] {
        let session = host.open_as(&token, (SHOP, BROWSER), body).await.json();
        assert_eq!(session["sessionId"], id.to_string());
        let link = format!("https://{LINK_HOST}?sessionId={id}");
        assert_eq!(session["url"], link);
    }
}

#[tokio::test]
async fn repeated_request_gets_the_same_answer_while_the_login_is_live() {
    let host = Host::new().await;
    for body in [
        json!({}),
        json!({"browserPublicKey": host.browser_key().to_string()}),
    ] {
        let token = host.browser_token();
        let open = || host.open_as(&token, (SHOP, BROWSER), body.clone());
        let first = open().await;
        let opened = Opened::from_answer(&first, &token);
        host.metrics.take();
        host.clock.advance(Duration::from_secs(59));
        assert_eq!(open().await.lasting(), first.lasting());
        assert_eq!(host.metrics.take(), ["qr_replayed"]);
        host.initiate(&opened, 1, json!({})).await;
        let mut later = open().await.lasting();
        assert_ne!(later["expiresAt"].take(), first.json()["expiresAt"]);
        let mut session = first.lasting();
        session["expiresAt"].take();
        assert_eq!(later, session);
        assert_eq!(host.state_of(&opened).await, "scanned");
    }
}

#[tokio::test]
async fn request_for_a_login_that_ended_is_refused() {
    let host = Host::new().await;
    let mut told = Vec::new();
    for end in [
        Status::Consumed,
        Status::Denied,
        Status::Blocked,
        Status::Cancelled,
        Status::Expired,
    ] {
        let opened = host.scanned().await;
        match end {
            Status::Consumed => {
                host.confirm(&opened, 1, "yes").await;
                host.browser("POST", &opened, "/redeem").await
            }
            Status::Denied => host.deny(&opened, 1).await,
            Status::Blocked => host.initiate(&opened, 2, json!({})).await,
            Status::Cancelled => host.browser("DELETE", &opened, "").await,
            _ => {
                host.clock.advance(Duration::from_mins(3));
                host.browser("GET", &opened, "").await
            }
        };
        let again = host.open_as(&opened.token, (SHOP, BROWSER), json!({}));
        told.push(problem(&again.await));
        assert_eq!(host.state_of(&opened).await, end.into_str());
    }
    assert_eq!(told[0].0, 410);
    assert_eq!(told[0].1["code"], "session_over");
    assert!(told.iter().all(|one| *one == told[0]), "{told:#?}");
}

/// The id of a login with a key can be computed by everyone who scanned the code. The answer reveals
/// nothing more to them.
#[tokio::test]
async fn id_that_another_browser_has_is_refused_whatever_its_state() {
    let host = Host::new().await;
    let mut told = Vec::new();
    for state in [
        Status::Created,
        Status::Scanned,
        Status::Confirmed,
        Status::Denied,
        Status::Cancelled,
        Status::Expired,
    ] {
        let body = json!({"browserPublicKey": host.browser_key().to_string()});
        let first = host.browser_token();
        let answer = host.open_as(&first, (SHOP, BROWSER), body.clone()).await;
        let opened = Opened::from_answer(&answer, &first);
        if state != Status::Created {
            host.initiate(&opened, 1, json!({})).await;
        }
        match state {
            Status::Confirmed => host.confirm_sealed(&opened, 1).await,
            Status::Denied => host.deny(&opened, 1).await,
            Status::Cancelled => host.browser("DELETE", &opened, "").await,
            Status::Expired => {
                host.clock.advance(Duration::from_mins(3));
                host.browser("GET", &opened, "").await
            }
            _ => host.browser("GET", &opened, "").await,
        };
        told.push(problem(&host.open_from(SHOP, PHONE, body).await));
        assert_eq!(host.state_of(&opened).await, state.into_str());
    }
    assert_eq!(told[0].0, 409);
    assert_eq!(told[0].1["code"], "session_exists");
    assert!(told.iter().all(|one| *one == told[0]), "{told:#?}");
}

#[tokio::test]
async fn of_two_browsers_with_one_key_only_one_opens_the_login() {
    let host = Host::new().await;
    let body = json!({"browserPublicKey": host.browser_key().to_string()});
    let (one, other) = tokio::join!(
        host.open_from(SHOP, BROWSER, body.clone()),
        host.open_from(SHOP, PHONE, body.clone()),
    );
    let mut statuses = [one.status.as_u16(), other.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409]);
    assert_eq!(host.stored::<Login>().len(), 1);
}

/// The id of a login without a key depends only on the token.
#[tokio::test]
async fn token_of_a_login_opens_no_login_of_another_app_or_page() {
    let host = Host::new().await;
    host.stranger().await;
    let mut other = app("stranger");
    other.login.link_host = "other.example".parse().ok();
    host.replace_app(other).await;
    let opened = host.open().await;
    let elsewhere = ("http://localhost:3000", BROWSER);
    let page = host.open_as(&opened.token, elsewhere, json!({})).await;
    let bearer = format!("Bearer {}", opened.token);
    let key = app("stranger").app_key;
    let headers = [
        ("x-app-key", key.as_str()),
        ("authorization", &bearer),
        ("origin", SHOP),
    ];
    let app = host.send(asked("POST", "/qr-sessions", &headers, None));
    for answer in [page, app.await] {
        assert_eq!(answer.status, 409);
        assert_eq!(answer.code(), "session_exists");
    }
    assert_eq!(host.stored::<Login>().len(), 1);
}

#[tokio::test]
async fn browser_sends_one_well_formed_token() {
    let host = Host::new().await;
    let key = Host::app_key();
    let token = host.browser_token();
    let with = |values: &[String]| {
        let mut headers = vec![("x-app-key", key.as_str()), ("origin", SHOP)];
        headers.extend(values.iter().map(|value| ("authorization", value.as_str())));
        host.send(asked("POST", "/qr-sessions", &headers, None))
    };
    let bearer = format!("Bearer {token}");
    for missing in [
        vec![],
        vec!["Bearer ".to_owned()],
        vec![token.clone()],
        vec![bearer.clone(), bearer.clone()],
    ] {
        let answer = with(&missing).await;
        assert_eq!(answer.status, 401, "{missing:?}");
        assert_eq!(answer.code(), "token_missing");
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
    }
    for malformed in [
        format!("{bearer}="),
        format!("Bearer {}", &token[1..]),
        format!("Bearer {}", "A".repeat(8_000)),
        "Bearer \u{e9}".to_owned(),
    ] {
        let answer = with(&[malformed]).await;
        assert_eq!(answer.status, 422);
        assert_eq!(answer.code(), "token_malformed");
    }
    assert_eq!(host.stored::<Login>(), []);
    assert_eq!(with(&[bearer]).await.status, 200);
}

#[tokio::test]
async fn key_is_required_unless_the_app_allows_logins_without_one() {
    let host = Host::new().await;
    assert_eq!(host.open_from(SHOP, BROWSER, json!({})).await.status, 200);
    let required = PayloadEncryption::Required;
    host.change_app(|app| app.login.payload_encryption = required)
        .await;
    let refused = host.open_from(SHOP, BROWSER, json!({})).await;
    let at = Some("/browserPublicKey".to_owned());
    assert_eq!(refused.code_at(), ("field_missing".to_owned(), at));
    let body = json!({"browserPublicKey": host.browser_key().to_string()});
    assert_eq!(host.open_from(SHOP, BROWSER, body).await.status, 200);
}

#[tokio::test]
async fn app_key_has_one_spelling_and_is_sent_once() {
    let host = Host::new().await;
    let key = Host::app_key();
    let key = key.as_str();
    let bearer = format!("Bearer {}", host.browser_token());
    let with = |keys: Vec<&str>| {
        let mut headers: Vec<_> = keys.iter().map(|key| ("x-app-key", *key)).collect();
        headers.extend([("origin", SHOP), ("authorization", &bearer)]);
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
