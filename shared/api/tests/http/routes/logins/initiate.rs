//! `POST /qr-sessions/{id}/initiate`.

use countersign_domain::login::Login;
use std::time::Duration;
use strum::VariantArray as _;

use countersign_conformance::samples::logins::mobile_token;
use countersign_domain::login::risk::Flag;
use countersign_domain::login::texts::{Language, Texts};
use countersign_domain::login::{BrowserPublicKey, ClaimedUserId, LoginCreator, Status};
use insta::assert_json_snapshot;
use serde_json::Value;
use serde_json::json;

use crate::host::{ABROAD, Answer, BROWSER, Host, Opened, PHONE, SHOP, TOR, asked, from};

#[tokio::test]
async fn session_object_is_as_specified() {
    let host = Host::new().await;
    let opened = host.opened_at(TOR, json!({})).await;
    let answer = host.initiate(&opened, 1, json!({})).await;
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_json_snapshot!("deny", answer.json());

    let opened = host.open_sealed().await;
    let mut answer = host.initiate(&opened, 1, json!({})).await.json();
    let key = answer["browserPublicKey"].take();
    assert!(key.as_str().unwrap().parse::<BrowserPublicKey>().is_ok());
    answer["browserPublicKey"] = json!("B…");
    assert_json_snapshot!("sealed", answer);
}

#[tokio::test]
async fn clear_risk_has_no_flag_string_and_unknown_places_no_names() {
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

/// The licenses of free sources of places require credit wherever a place is shown.
#[tokio::test]
async fn source_that_asks_to_be_named_is_named_beside_its_places() {
    let host = Host::new().await;
    for (address, named) in [
        (BROWSER, Value::Null),
        (
            ABROAD,
            json!([{"text": "IP Geolocation by DB-IP", "url": "https://db-ip.com"}]),
        ),
    ] {
        let opened = host.opened_at(address, json!({})).await;
        let answer = host.initiate(&opened, 1, json!({})).await.json();
        let screen = &answer["session"]["mobileTemplateResponse"];
        assert_eq!(screen["attributions"], named, "{address}");
    }
}

/// Initiates a login with a phone that accepts these languages.
async fn initiate_in(host: &Host, opened: &Opened, languages: Option<&str>) -> Answer {
    let key = Host::app_key();
    let token = format!("Bearer {}", mobile_token(1).reveal());
    let mut headers = vec![("x-app-key", key.as_str()), ("authorization", &token)];
    headers.extend(languages.map(|languages| ("accept-language", languages)));
    let request = asked("POST", &opened.path("/initiate"), &headers, None);
    host.send(from(PHONE, request)).await
}

#[tokio::test]
async fn texts_come_in_the_language_that_the_phone_asks_for() {
    let host = Host::new().await;
    let opened = host.opened_at(TOR, json!({})).await;
    let english = initiate_in(&host, &opened, None).await.json();
    for &language in Language::VARIANTS {
        let tag = language.tag();
        let answer = initiate_in(&host, &opened, Some(&format!("nl, {tag}-ZZ;q=0.9"))).await;
        assert_eq!(answer.header("content-language"), Some(tag));
        assert_eq!(answer.header("vary"), Some("Accept-Language, Origin"));
        let mut session = answer.json()["session"].take();
        let screen = &session["mobileTemplateResponse"];
        let texts = Texts::for_language(language);
        let tor = texts.flag(Flag::BrowserTor);
        let unnamed = texts.flag(Flag::NameUnchecked);
        let flags = json!([
            {"code": "browser_tor", "severity": "deny", "text": tor},
            {"code": "name_unchecked", "severity": "info", "text": unnamed},
        ]);
        assert_eq!(screen["flags"], flags);
        assert_eq!(screen["widget"]["issue"], tor);
        assert_eq!(
            screen["title"],
            texts.title(&SHOP.parse().unwrap(), &LoginCreator::Page)
        );
        for part in ["title", "message"] {
            assert!(screen[part].as_str().unwrap().contains("shop.example"));
        }
        assert_eq!(session["riskAnalytics"]["riskFlagString"], tor);
        // Everything except the texts is the same in every language.
        session["mobileTemplateResponse"].take();
        session["riskAnalytics"]["riskFlagString"].take();
        let mut expected = english["session"].clone();
        expected["mobileTemplateResponse"].take();
        expected["riskAnalytics"]["riskFlagString"].take();
        assert_eq!(session, expected, "{tag}");
    }
}

#[tokio::test]
async fn other_languages_and_malformed_headers_are_answered_in_english() {
    let host = Host::new().await;
    let opened = host.open().await;
    for languages in [
        None,
        Some(""),
        Some("nl"),
        Some("de;q=2"),
        Some("en;q=0, de;q"),
    ] {
        let answer = initiate_in(&host, &opened, languages).await;
        assert_eq!(answer.header("content-language"), Some("en"));
        assert_eq!(answer.header("vary"), Some("Accept-Language, Origin"));
        let screen = answer.json()["session"]["mobileTemplateResponse"].take();
        assert_eq!(screen["title"], "Log in to shop.example?");
    }
}

#[tokio::test]
async fn phone_in_the_browsers_network_learns_that() {
    let host = Host::new().await;
    let opened = host.opened_at(PHONE, json!({})).await;
    let answer = initiate_in(&host, &opened, None).await.json();
    let session = &answer["session"];
    assert_eq!(session["riskAnalytics"]["riskStatus"], "clear");
    assert_eq!(session["riskAnalytics"].get("riskFlagString"), None);
    let expected = json!([
        {
            "code": "name_unchecked",
            "severity": "info",
            "text": "The app did not say who is logging in, so no earlier logins were compared.",
        },
        {
            "code": "same_network",
            "severity": "info",
            "text": "The browser and this phone use the same network.",
        },
    ]);
    assert_eq!(session["mobileTemplateResponse"]["flags"], expected);
}

#[tokio::test]
async fn repeated_initiate_repeats_the_answer() {
    let host = Host::new().await;
    let opened = host.open().await;
    let body = json!({"publicUserId": "person@example.com"});
    let mut first = host.initiate(&opened, 1, body.clone()).await.json();
    host.clock.advance(Duration::from_secs(1));
    let mut second = host.initiate(&opened, 1, body).await.json();
    let times = [&mut first, &mut second].map(|answer| answer["serverTime"].take());
    assert_eq!(
        times,
        ["2026-01-02T03:04:05.678Z", "2026-01-02T03:04:06.678Z"]
    );
    let left = [&mut first, &mut second].map(|answer| answer["expiresIn"].take());
    assert_eq!(left, [180, 179]);
    assert_eq!(second, first);
    assert_eq!(host.state_of(&opened).await, "scanned");
}

/// The first name stays: neither another name nor its absence replaces it.
#[tokio::test]
async fn initiate_repeated_with_another_body_is_refused() {
    let host = Host::new().await;
    let (named, unnamed) = (json!({"publicUserId": "person"}), json!({}));
    let other = json!({"publicUserId": "another"});
    for (first, others) in [(&named, [&unnamed, &other]), (&unnamed, [&named, &other])] {
        let opened = host.open().await;
        host.initiate(&opened, 1, first.clone()).await;
        for body in others {
            let answer = host.initiate(&opened, 1, body.clone()).await;
            assert_eq!(answer.status, 409);
            assert_eq!(answer.code(), "session_initiated_differently");
        }
        assert_eq!(host.state_of(&opened).await, "scanned");
        assert_eq!(host.initiate(&opened, 1, first.clone()).await.status, 200);
    }
}

#[tokio::test]
async fn public_user_id_is_optional_and_bounded() {
    let host = Host::new().await;
    for (body, user) in [
        (json!({}), None),
        (json!({"publicUserId": null}), None),
        (json!({"publicUserId": "ANON"}), None),
        (json!({"publicUserId": "ä", "more": 1}), Some("ä")),
    ] {
        let opened = host.open().await;
        assert_eq!(host.initiate(&opened, 1, body).await.status, 200);
        let items = host.stored::<Login>();
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
async fn phone_needs_the_apps_key_and_a_token() {
    let host = Host::new().await;
    let opened = host.open().await;
    let path = opened.path("/initiate");
    let key = Host::app_key();
    let token = format!("Bearer {}", opened.token);
    let without = asked("POST", &path, &[("authorization", &token)], None);
    assert_eq!(host.send(without).await.code(), "app_key_missing");
    let without = asked("POST", &path, &[("x-app-key", key.as_str())], None);
    assert_eq!(host.send(without).await.code(), "token_missing");
    // Another app's key does not open this app's login.
    host.stranger().await;
    let strangers = crate::host::app("stranger").app_key;
    let headers = [("x-app-key", strangers.as_str()), ("authorization", &token)];
    let foreign = host.send(asked("POST", &path, &headers, None)).await;
    assert_eq!(foreign.code(), "session_not_found");
    assert_eq!(host.state_of(&opened).await, "created");
}

/// Only participants can see how a login ended. A late phone only learns that the login ended.
#[tokio::test]
async fn late_phone_learns_that_the_login_ended_but_not_how() {
    let host = Host::new().await;
    let mut told = Vec::<Value>::new();
    for end in [Status::Confirmed, Status::Denied, Status::Cancelled] {
        let opened = host.scanned().await;
        match end {
            Status::Confirmed => host.confirm(&opened, 1, "yes").await,
            Status::Denied => host.deny(&opened, 1).await,
            _ => host.browser("DELETE", &opened, "").await,
        };
        assert_eq!(host.state_of(&opened).await, end.into_str());
        let late = host.initiate(&opened, 2, json!({})).await;
        assert_eq!(late.code(), "session_ended");
        let mut problem = late.json();
        problem["requestId"].take();
        told.push(problem);
    }
    assert!(told.windows(2).all(|two| two[0] == two[1]));
}
