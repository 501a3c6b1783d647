//! Logins by code: a phone with a registered key confirms the page's login.

use std::time::Duration;

use axum::body::Body;
use countersign_conformance::samples::logins::sealed;
use countersign_domain::app::App;
use countersign_domain::app::openid::SignInMethod;
use countersign_domain::login::Login;
use countersign_domain::web::callback_url::CallbackUrl;
use countersign_proof::{AssociationPrivateKey, ProofClaims};
use http::Request;
use serde_json::{Value, json};

use super::world::{Browser, CALLBACK, ISSUER, World, claims, parameter};
use crate::host::{Answer, BROWSER, Opened, PERSON, SHOP, app, asked};
use crate::routes::association_keys::{private_key, proof, register};

const USER: &str = "ada@shop.example";

fn offering(methods: &[SignInMethod]) -> impl FnOnce(&mut App) + use<> {
    let methods = methods.to_vec().try_into().unwrap();
    move |app| app.openid.methods = methods
}

/// Creates a world whose app offers both ways to log in, and in which phone 1 has a registered key.
async fn world() -> World {
    let both = [SignInMethod::Code, SignInMethod::Text];
    let world = World::with(offering(&both)).await;
    assert_eq!(register(&world.host, USER, 1).await.status, 200);
    world
}

/// Opens a login as the page's element does: the service opens it, and the element joins it.
async fn open(world: &World, browser: &Browser<'_>) -> Opened {
    let (token, key) = (world.host.browser_token(), world.host.browser_key());
    let body = json!({"browserToken": token, "browserPublicKey": key.to_string()});
    let made = Opened::from_answer(&browser.call_with("code", body).await, &token);
    let own = json!({"browserPublicKey": key.to_string()});
    let joined = world.host.open_as(&token, (ISSUER, BROWSER), own).await;
    let joined = Opened::from_answer(&joined, &token);
    assert_eq!(joined.id, made.id);
    joined
}

/// Returns the confirmation of a phone with this key, for a page of this origin.
fn confirmation(
    world: &World,
    key: &AssociationPrivateKey,
    opened: &Opened,
    origin: &str,
) -> Value {
    let (origin, at) = (origin.parse().unwrap(), world.host.clock.get());
    let proof = proof(opened, |claims| {
        let origin = &origin;
        key.sign_proof(&ProofClaims {
            origin,
            at,
            ..claims
        })
    });
    json!({"payload": sealed().payload().as_str(), "encrypted": true, "proof": proof})
}

/// Opens the code with phone `n` and confirms.
async fn confirm(world: &World, opened: &Opened, n: u8) {
    let shown = world.host.initiate(opened, n, json!({})).await;
    assert_eq!(shown.json()["origin"], ISSUER, "{shown:?}");
    let body = confirmation(world, &private_key(n), opened, ISSUER);
    let answer = world.host.decide(opened, n, "confirm", body).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

async fn redeem(world: &World, opened: &Opened) {
    let answer = world.host.browser("POST", opened, "/redeem").await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

/// Returns a login of this page that phone 1 confirmed and the browser redeemed.
async fn confirmed(world: &World, browser: &Browser<'_>) -> Opened {
    let opened = open(world, browser).await;
    confirm(world, &opened, 1).await;
    redeem(world, &opened).await;
    opened
}

async fn finish(browser: &Browser<'_>, opened: &Opened) -> Answer {
    let login = opened.id.to_string();
    browser.call_with("finish", json!({"login": login})).await
}

/// Returns to the client, and exchanges the code for the claims of the ID token.
async fn log_in(world: &World, browser: &Browser<'_>, opened: &Opened) -> Value {
    let answer = finish(browser, opened).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let location = answer.json()["location"].as_str().unwrap().to_owned();
    let code = parameter(&location, "code");
    let tokens = world.exchange(&code).await;
    assert_eq!(tokens.status, 200, "{tokens:?}");
    tokens.json()
}

/// Finishes with a phone whose key is not registered.
pub(super) async fn meet_unknown_phone() -> Answer {
    let world = world().await;
    let browser = world.open().await;
    let opened = open(&world, &browser).await;
    confirm(&world, &opened, 2).await;
    redeem(&world, &opened).await;
    finish(&browser, &opened).await
}

#[tokio::test]
async fn client_learns_the_user_of_the_phones_key() {
    let world = world().await;
    let browser = world.open().await;
    let opened = open(&world, &browser).await;
    confirm(&world, &opened, 1).await;
    let proven = world.host.clock.get().as_secs();
    world.host.clock.advance(Duration::from_secs(5));
    let early = finish(&browser, &opened).await;
    assert_eq!(
        early.code(),
        "openid_not_verified",
        "the browser redeems first"
    );
    redeem(&world, &opened).await;
    let tokens = log_in(&world, &browser, &opened).await;
    let claims = claims(&tokens);
    for (name, expected) in [
        ("sub", json!(USER)),
        ("amr", json!(["swk"])),
        ("acr", json!("urn:countersign:key")),
        ("auth_time", json!(proven)),
        ("nonce", json!("a nonce")),
    ] {
        assert_eq!(claims[name], expected, "{name}");
    }
    assert_eq!(claims.get("phone_number"), None);
    assert_eq!(claims.get("phone_number_verified"), None);
    let token = tokens["access_token"].as_str().unwrap();
    let info = world.user_info(token).await;
    assert_eq!(info.json(), json!({"sub": USER}));
}

#[tokio::test]
async fn repeated_finish_gets_the_same_code_and_the_first_proof_counts() {
    let world = world().await;
    let browser = world.open().await;
    let opened = confirmed(&world, &browser).await;
    let first = finish(&browser, &opened).await.json();
    assert_eq!(finish(&browser, &opened).await.json(), first);
    // Another way to log in gives this request no second code.
    browser.send_text(PERSON).await;
    assert_eq!(browser.call("finish").await.json(), first);
    let code = parameter(first["location"].as_str().unwrap(), "code");
    let tokens = world.exchange(&code).await.json();
    assert_eq!(claims(&tokens)["sub"], USER);
    for again in [
        finish(&browser, &opened).await,
        browser.call("finish").await,
    ] {
        assert_eq!(again.code(), "openid_answered");
    }
}

#[tokio::test]
async fn phone_without_a_registered_key_does_not_log_in() {
    assert_eq!(meet_unknown_phone().await.code(), "openid_phone_unknown");
    let world = world().await;
    let browser = world.open().await;
    let opened = open(&world, &browser).await;
    world.host.initiate(&opened, 1, json!({})).await;
    world.host.confirm_sealed(&opened, 1).await;
    redeem(&world, &opened).await;
    let bare = finish(&browser, &opened).await;
    assert_eq!(bare.code(), "openid_phone_unknown", "no proof");
}

#[tokio::test]
async fn user_whose_id_could_be_a_numbers_does_not_log_in() {
    let world = world().await;
    for (n, user) in [(3, "num_0123456789abcdef0123456789abcdef"), (4, "Ünal")] {
        register(&world.host, user, n).await;
        let browser = world.open().await;
        let opened = open(&world, &browser).await;
        confirm(&world, &opened, n).await;
        redeem(&world, &opened).await;
        let answer = finish(&browser, &opened).await;
        assert_eq!(answer.code(), "openid_phone_unknown", "{user}");
    }
}

#[tokio::test]
async fn login_finishes_only_the_page_that_opened_it() {
    let world = world().await;
    let victim = world.open().await;
    let opened = confirmed(&world, &victim).await;
    // Another browser, and another tab of the same browser, both with their own requests.
    let stranger = world.open().await;
    let path = format!("/authorize?{}", world.query());
    let request = Request::get(path).header("cookie", &victim.cookie);
    let request = request.body(Body::empty()).unwrap();
    let tab = Browser::read(&world, &world.host.send(request).await);
    assert_eq!(tab.cookie, victim.cookie);
    for other in [&stranger, &tab] {
        assert_eq!(finish(other, &opened).await.code(), "openid_not_verified");
    }
    let mut stolen = stranger.clone();
    stolen.request.clone_from(&victim.request);
    assert_eq!(
        finish(&stolen, &opened).await.code(),
        "openid_request_invalid"
    );
    assert_eq!(finish(&victim, &opened).await.status, 200);
}

#[tokio::test]
async fn login_of_the_apps_own_page_or_server_is_no_proof_here() {
    let world = world().await;
    let browser = world.open().await;
    let key = world.host.browser_key().to_string();
    let own = world
        .host
        .opened_at(BROWSER, json!({"browserPublicKey": key}))
        .await;
    let token = world.host.browser_token();
    let key = world.host.browser_key().to_string();
    let body = json!({"browserPublicKey": key, "origin": SHOP});
    let (api_key, bearer) = (world.host.key.reveal(), format!("Bearer {token}"));
    let headers = [("x-api-key", api_key), ("authorization", bearer.as_str())];
    let made = asked("POST", "/qr-sessions", &headers, Some(&body));
    let of_server = Opened::from_answer(&world.host.send(made).await, &token);
    for opened in [&own, &of_server] {
        world.host.initiate(opened, 1, json!({})).await;
        let body = confirmation(&world, &private_key(1), opened, SHOP);
        let answer = world.host.decide(opened, 1, "confirm", body).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        redeem(&world, opened).await;
        assert_eq!(finish(&browser, opened).await.code(), "openid_not_verified");
    }
}

/// The proof names the origin of the page, so one for the provider's page is none for the app's, and the reverse.
#[tokio::test]
async fn proof_for_the_other_origin_is_refused() {
    let world = world().await;
    let browser = world.open().await;
    let here = open(&world, &browser).await;
    let key = json!({"browserPublicKey": world.host.browser_key().to_string()});
    let there = world.host.opened_at(BROWSER, key).await;
    for (opened, other) in [(&here, SHOP), (&there, ISSUER)] {
        world.host.initiate(opened, 1, json!({})).await;
        let body = confirmation(&world, &private_key(1), opened, other);
        let answer = world.host.decide(opened, 1, "confirm", body).await;
        assert_eq!(answer.code(), "proof_invalid", "{other}");
    }
}

#[tokio::test]
async fn login_of_another_app_is_no_proof_here() {
    let world = world().await;
    let mut other = app("stranger");
    other.openid.redirect_uris = vec![CALLBACK.parse().unwrap()];
    other.openid.public_client = true;
    let client = other.app_key.as_str().to_owned();
    offering(&[SignInMethod::Code])(&mut other);
    world.host.store.create_app(other).await.unwrap();
    let victim = world.open().await;
    let opened = confirmed(&world, &victim).await;
    let query = world.query().replace(&world.client, &client);
    let elsewhere = world.open_with(&query).await;
    assert_eq!(
        finish(&elsewhere, &opened).await.code(),
        "openid_not_verified"
    );
}

#[tokio::test]
async fn only_the_service_opens_logins_at_its_origin() {
    let world = world().await;
    let browser = world.open().await;
    let key = json!({"browserPublicKey": world.host.browser_key().to_string()});
    let alone = world.host.open_from(ISSUER, BROWSER, key.clone()).await;
    assert_eq!(
        (alone.status.as_u16(), alone.code()),
        (403, "login_server_only".to_owned())
    );
    // A page of another origin does not join, nor does one with another token.
    let (token, key) = (world.host.browser_token(), world.host.browser_key());
    let body = json!({"browserToken": token, "browserPublicKey": key.to_string()});
    assert_eq!(browser.call_with("code", body).await.status, 200);
    let own = json!({"browserPublicKey": key.to_string()});
    let other = world.host.browser_token();
    for (token, origin) in [(&token, "https://evil.example"), (&other, ISSUER)] {
        let answer = world
            .host
            .open_as(token, (origin, BROWSER), own.clone())
            .await;
        assert_eq!(answer.status, 403, "{origin}: {answer:?}");
    }
    // The app's server does not open logins for the service's page.
    let body = json!({"browserPublicKey": key.to_string(), "origin": ISSUER});
    let bearer = format!("Bearer {other}");
    let headers = [
        ("x-api-key", world.host.key.reveal()),
        ("authorization", &bearer),
    ];
    let made = world
        .host
        .send(asked("POST", "/qr-sessions", &headers, Some(&body)))
        .await;
    assert_eq!(made.code(), "origin_not_allowed");
}

#[tokio::test]
async fn call_of_another_site_opens_nothing() {
    let world = world().await;
    let browser = world.open().await;
    let before = world.host.items.items.all().len();
    for site in [Some("cross-site"), Some("same-site"), None] {
        let answer = browser.call_from("code", site).await;
        assert_eq!(answer.code(), "origin_forbidden", "{site:?}");
    }
    assert_eq!(browser.call("code").await.code(), "field_missing");
    let bad = json!({"browserToken": "x", "browserPublicKey": "y"});
    assert_eq!(
        browser.call_with("code", bad).await.code(),
        "token_malformed"
    );
    world.host.clock.advance(Duration::from_mins(5));
    let late = json!({"browserToken": world.host.browser_token()});
    assert_eq!(
        browser.call_with("code", late).await.code(),
        "openid_request_invalid"
    );
    assert_eq!(world.host.items.items.all().len(), before);
}

#[tokio::test]
async fn denied_cancelled_and_expired_logins_prove_nothing() {
    let world = world().await;
    let browser = world.open().await;
    let denied = open(&world, &browser).await;
    world.host.initiate(&denied, 1, json!({})).await;
    assert_eq!(world.host.deny(&denied, 1).await.status, 200);
    let cancelled = open(&world, &browser).await;
    confirm(&world, &cancelled, 1).await;
    let answer = world.host.browser("DELETE", &cancelled, "").await;
    assert!(answer.status.is_success(), "{answer:?}");
    let expired = open(&world, &browser).await;
    confirm(&world, &expired, 1).await;
    world.host.clock.advance(Duration::from_mins(1));
    assert_eq!(
        world.host.browser("POST", &expired, "/redeem").await.status,
        410
    );
    for opened in [&denied, &cancelled, &expired] {
        assert_eq!(finish(&browser, opened).await.code(), "openid_not_verified");
    }
    for unknown in ["qrs_00000000000000000000000000000000", "x", ""] {
        let answer = browser.call_with("finish", json!({"login": unknown})).await;
        assert_eq!(answer.code(), "openid_not_verified", "{unknown}");
    }
    // The page goes back to the client after a denial.
    let location = browser.call("cancel").await.json()["location"].clone();
    let error = format!("{CALLBACK}?error=access_denied&");
    assert!(location.as_str().unwrap().starts_with(&error), "{location}");
}

#[tokio::test]
async fn digits_of_the_phone_are_needed_if_the_app_asks_for_them() {
    let world = world().await;
    world.change(|app| app.login.check_code = true).await;
    let browser = world.open().await;
    let opened = open(&world, &browser).await;
    let session = world.host.initiate(&opened, 1, json!({})).await.json();
    let digits = session["checkCode"].as_str().unwrap();
    let body = confirmation(&world, &private_key(1), &opened, ISSUER);
    world.host.decide(&opened, 1, "confirm", body).await;
    let without = world.host.browser("POST", &opened, "/redeem").await;
    assert_eq!(without.code(), "check_code_required");
    assert_eq!(
        finish(&browser, &opened).await.code(),
        "openid_not_verified"
    );
    assert_eq!(world.host.redeem_checked(&opened, digits).await.status, 200);
    assert_eq!(
        claims(&log_in(&world, &browser, &opened).await)["sub"],
        USER
    );
}

#[tokio::test]
async fn revoked_key_and_withdrawn_setting_end_it() {
    let world = world().await;
    let browser = world.open().await;
    let opened = confirmed(&world, &browser).await;
    world.change(offering(&[SignInMethod::Text])).await;
    assert_eq!(
        finish(&browser, &opened).await.code(),
        "openid_not_verified"
    );
    let body = json!({"browserToken": world.host.browser_token()});
    assert_eq!(
        browser.call_with("code", body).await.code(),
        "openid_request_invalid"
    );
}

#[tokio::test]
async fn client_chooses_the_way_to_log_in() {
    let world = world().await;
    let page = async |more: &str| {
        let answer = world
            .get(&format!("/authorize?{}{more}", world.query()))
            .await;
        assert_eq!(answer.status, 200, "{more}");
        String::from_utf8(answer.body.to_vec()).unwrap()
    };
    for (more, text, code) in [
        ("", true, true),
        ("&acr_values=urn:countersign:key", false, true),
        ("&acr_values=urn:countersign:text", true, false),
        ("&acr_values=urn:example:other", true, true),
        ("&login_hint=tel:%2B12025550100", true, false),
    ] {
        let html = page(more).await;
        let shown = ["<countersign-phone", "<countersign-login"].map(|it| html.contains(it));
        assert_eq!(shown, [text, code], "{more}");
    }
    // The page cannot make the call of a way that it does not show.
    let query = format!("{}&acr_values=urn:countersign:key", world.query());
    let browser = world.open_with(&query).await;
    assert_eq!(browser.call("text").await.code(), "openid_request_invalid");
}

#[tokio::test]
async fn number_cannot_be_proven_by_code() {
    let world = World::with(offering(&[SignInMethod::Code])).await;
    let path = format!("/authorize?{}&login_hint=tel:%2B12025550100", world.query());
    let answer = world.get(&path).await;
    let location = answer.header("location").unwrap();
    let error =
        format!("{CALLBACK}?error=unmet_authentication_requirements&error_description=login_hint+");
    assert!(location.starts_with(&error), "{location}");
    assert!(location.contains("&state=a+state&iss="), "{location}");
    assert_eq!(answer.header("set-cookie"), None);
}

#[tokio::test]
async fn webhook_says_nothing_about_the_pages_logins() {
    let world = world().await;
    let hook = CallbackUrl::from_stored("https://shop.example/hook").ok();
    world.change(|app| app.login.callback = hook).await;
    let browser = world.open().await;
    let opened = confirmed(&world, &browser).await;
    let (store, now) = (&world.host.store, world.host.clock.get());
    let stored = store.find::<Login>(opened.id, now).await.unwrap().unwrap();
    assert!(stored.notice.is_none());
    let seen = world.host.call("GET", &opened.path(""), None).await.json();
    assert_eq!(seen["verifiedPublicUserId"], USER);
}
