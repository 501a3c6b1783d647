//! What phones ask, and what they are answered.

use countersign_conformance::samples::logins::{browser_key, sealed};
use countersign_domain::login::{ClaimedUserId, Status};
use serde_json::{Value, json};

use crate::host::{BROWSER, Host, LINK_HOST, Opened, PHONE, SHOP, TOR, asked, from};

#[tokio::test]
async fn the_session_object_is_as_specified() {
    let host = Host::new().await;
    let opened = Opened::of(&host.open_from(SHOP, TOR, json!({})).await);
    let answer = host.initiate(&opened, 1, json!({})).await;
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let tor = "The browser hides where it is by using Tor.";
    let expected = json!({
        "session": {
            "iPAddressMobile": PHONE,
            "iPAddressWidget": TOR,
            "riskAnalytics": {
                "riskStatus": "deny",
                "riskFlagString": tor,
                "geoData": {
                    "mobile": {"city": "Berlin", "country_code": "DE"},
                    "browser": {"city": "Berlin", "country_code": "DE"},
                },
            },
            "mobileTemplateResponse": {
                "title": "Log in to shop.example?",
                "message": "unknown browser in Berlin, DE wants to log in to shop.example as you. \
                    Confirm only if you started this login yourself, on a screen in front of you.",
                "widget": {"location": "Berlin, DE", "issue": tor},
                "mobile": {"location": "Berlin, DE"},
                "userAgent": {"name": "unknown browser"},
                "flags": [tor],
            },
        },
        "origin": SHOP,
    });
    assert_eq!(answer.json(), expected);
}

#[tokio::test]
async fn what_is_clear_has_no_flag_string_and_what_is_unknown_no_names() {
    let host = Host::with(|parts| {
        let logins = parts.logins.as_mut().unwrap();
        logins.geo = std::sync::Arc::new(countersign_domain::login::sighting::NoGeoIp);
    })
    .await;
    let opened = host.open().await;
    let answer = host.initiate(&opened, 1, json!({})).await.json();
    let expected = json!({
        "riskStatus": "clear",
        "geoData": {"mobile": {}, "browser": {}},
    });
    assert_eq!(answer["session"]["riskAnalytics"], expected);
    let screen = &answer["session"]["mobileTemplateResponse"];
    assert_eq!(screen["widget"]["location"], "unknown place");
    assert!(screen["widget"]["issue"].is_string());
}

#[tokio::test]
async fn a_repeated_initiate_repeats_the_answer() {
    let host = Host::new().await;
    let opened = host.open().await;
    let body = json!({"publicUserId": "person@example.com"});
    let first = host.initiate(&opened, 1, body.clone()).await.json();
    assert_eq!(host.initiate(&opened, 1, body).await.json(), first);
    assert_eq!(host.state_of(&opened).await, "scanned");
}

#[tokio::test]
async fn a_user_may_be_named_or_not() {
    let host = Host::new().await;
    for (body, user) in [
        (json!({}), None),
        (json!({"publicUserId": null}), None),
        (json!({"publicUserId": "ä", "more": 1}), Some("ä")),
    ] {
        let opened = host.open().await;
        assert_eq!(host.initiate(&opened, 1, body).await.status, 200);
        let items = host.logins.items();
        let item = items.iter().find(|item| item.id == opened.id).unwrap();
        let claimed = item.phone().unwrap().user.as_ref();
        assert_eq!(claimed.map(ClaimedUserId::as_str), user);
    }
    let opened = host.open().await;
    for bad in ["", "a\nb", &"x".repeat(257)] {
        let answer = host
            .initiate(&opened, 1, json!({"publicUserId": bad}))
            .await;
        let expected = (
            "public_user_id_malformed".to_owned(),
            Some("/publicUserId".to_owned()),
        );
        assert_eq!(answer.code_at(), expected);
    }
    let answer = host.initiate(&opened, 1, json!({"publicUserId": 7})).await;
    assert_eq!(answer.code(), "field_wrong_type");
}

#[tokio::test]
async fn a_phone_needs_the_apps_key_and_a_token_of_its_own() {
    let host = Host::new().await;
    let opened = host.open().await;
    let path = opened.path("/initiate");
    let key = Host::app_key();
    let token = format!("Bearer {}", opened.token);
    let without = asked("POST", &path, &[("authorization", &token)], None);
    assert_eq!(host.send(without).await.code(), "app_key_missing");
    let without = asked("POST", &path, &[("x-app-key", key.as_str())], None);
    assert_eq!(host.send(without).await.code(), "token_missing");
    // Another app's key opens nothing of this one's.
    host.stranger().await;
    let strangers = crate::host::app("stranger").app_key;
    let headers = [("x-app-key", strangers.as_str()), ("authorization", &token)];
    let foreign = host.send(asked("POST", &path, &headers, None)).await;
    assert_eq!(foreign.code(), "session_not_found");
    assert_eq!(host.state_of(&opened).await, "created");
}

#[tokio::test]
async fn payloads_are_free_form_and_may_be_empty() {
    let host = Host::new().await;
    for text in ["", "{\"a\":1}", "ünï", &"x".repeat(8_192)] {
        let opened = host.scanned().await;
        let body = json!({"payload": text, "encrypted": false, "more": {}});
        let answer = host.decide(&opened, 1, "confirm", body).await;
        assert_eq!(answer.json(), json!(true));
        let redeemed = host.browser("POST", &opened, "/redeem").await.json();
        assert_eq!(redeemed, json!({"payload": text, "encrypted": false}));
    }
}

#[tokio::test]
async fn a_sealed_payload_passes_through() {
    let host = Host::new().await;
    let body = json!({"browserPublicKey": browser_key().to_string()});
    let opened = Opened::of(&host.open_from(SHOP, BROWSER, body).await);
    let answer = host.initiate(&opened, 1, json!({})).await.json();
    assert_eq!(answer["browserPublicKey"], browser_key().to_string());
    let payload = json!({"payload": sealed().as_str(), "encrypted": true});
    let answer = host.decide(&opened, 1, "confirm", payload.clone()).await;
    assert_eq!(answer.json(), json!(true));
    let redeemed = host.browser("POST", &opened, "/redeem").await;
    assert_eq!(redeemed.json(), payload);
}

#[tokio::test]
async fn a_payload_that_does_not_suit_changes_nothing() {
    let host = Host::new().await;
    let sealed = json!({"payload": sealed().as_str(), "encrypted": true});
    let opened = host.scanned().await;
    let answer = host.decide(&opened, 1, "confirm", sealed).await;
    assert_eq!(answer.code(), "payload_unsuitable");
    let detail = answer.json()["detail"].clone();
    assert!(detail.as_str().unwrap().contains("gave no key"));
    assert_eq!(host.state_of(&opened).await, "scanned");

    host.change_app(|app| app.login.require_encryption = true)
        .await;
    let refused = host.open_from(SHOP, BROWSER, json!({})).await;
    let missing = (
        "field_missing".to_owned(),
        Some("/browserPublicKey".to_owned()),
    );
    assert_eq!(refused.code_at(), missing);
    let body = json!({"browserPublicKey": browser_key().to_string()});
    let opened = Opened::of(&host.open_from(SHOP, BROWSER, body).await);
    host.initiate(&opened, 1, json!({})).await;
    let answer = host.confirm(&opened, 1, "yes").await;
    assert_eq!(answer.code(), "payload_unsuitable");
    let detail = answer.json()["detail"].clone();
    assert!(
        detail
            .as_str()
            .unwrap()
            .contains("encrypted payloads alone")
    );
    assert_eq!(host.state_of(&opened).await, "scanned");
}

#[tokio::test]
async fn a_repeated_decision_is_answered_the_same() {
    let host = Host::new().await;
    let opened = host.confirmed().await;
    assert_eq!(host.confirm(&opened, 1, "yes").await.json(), json!(true));
    let other = host.confirm(&opened, 1, "another").await;
    assert_eq!(other.code(), "session_confirmed");
    host.browser("POST", &opened, "/redeem").await;
    assert_eq!(host.confirm(&opened, 1, "yes").await.json(), json!(true));
    let other = host.confirm(&opened, 1, "another").await;
    assert_eq!(other.code(), "session_consumed");

    let opened = host.scanned().await;
    assert_eq!(host.deny(&opened, 1).await.json(), json!(true));
    assert_eq!(host.deny(&opened, 1).await.json(), json!(true));
    assert_eq!(host.state_of(&opened).await, "denied");
}

/// How a session ended is told to those who took part, and to a phone that comes late that it has.
#[tokio::test]
async fn a_phone_that_comes_late_is_told_that_it_is_over_and_not_how() {
    let host = Host::new().await;
    let mut told = Vec::<Value>::new();
    for end in [Status::Confirmed, Status::Denied, Status::Cancelled] {
        let opened = host.scanned().await;
        match end {
            Status::Confirmed => host.confirm(&opened, 1, "yes").await,
            Status::Denied => host.deny(&opened, 1).await,
            _ => host.browser("DELETE", &opened, "").await,
        };
        assert_eq!(host.state_of(&opened).await, end.as_str());
        let late = host.initiate(&opened, 2, json!({})).await;
        assert_eq!(late.code(), "session_ended");
        let mut problem = late.json();
        problem["requestId"].take();
        told.push(problem);
    }
    assert!(told.windows(2).all(|two| two[0] == two[1]));
}

#[tokio::test]
async fn the_app_is_told_where_it_wants_to_be() {
    let host = Host::new().await;
    let policy = countersign_domain::web::callback_url::CallbackPolicy::deployed();
    let callback = countersign_domain::web::callback_url::CallbackUrl::parse(
        "https://shop.example/hook",
        &policy,
    );
    host.change_app(|app| app.login.callback = callback.ok())
        .await;
    host.confirmed().await;
    assert_eq!(host.queue.take().len(), 1);
    let opened = host.scanned().await;
    assert_eq!(host.queue.take().len(), 0);
    host.deny(&opened, 1).await;
    assert_eq!(host.queue.take().len(), 1);
}

#[tokio::test]
async fn an_app_without_a_link_host_opens_nothing() {
    let host = Host::new().await;
    host.change_app(|app| app.login.link_host = None).await;
    let answer = host.open_from(SHOP, BROWSER, json!({})).await;
    assert_eq!(answer.code(), "link_host_missing");
    let request = asked("GET", "/", &[("host", LINK_HOST)], None);
    assert_eq!(host.send(from(PHONE, request)).await.code(), "not_found");
}
