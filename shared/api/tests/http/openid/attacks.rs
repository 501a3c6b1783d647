//! Attacks on the provider (RFC 9700, section 4).

use std::time::Duration;

use countersign_domain::app::App;
use countersign_domain::primitives::ids::AppId;
use futures_util::future::join;
use serde_json::Value;

use super::world::{CALLBACK, VERIFIER, World, claims};
use crate::host::{PERSON, app};

/// Adds another public client with the same redirect URI, and returns its id.
async fn other_client(world: &World) -> String {
    let mut other: App = app("stranger");
    other.openid.redirect_uris = vec![CALLBACK.parse().unwrap()];
    other.openid.public_client = true;
    let key = other.app_key.as_str().to_owned();
    world.host.store.create_app(other).await.unwrap();
    key
}

fn access(tokens: &Value) -> String {
    tokens["access_token"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn code_works_once_and_its_second_use_ends_the_token() {
    let world = World::new().await;
    let code = world.code().await;
    let tokens = world.exchange(&code).await.json();
    assert_eq!(world.user_info(&access(&tokens)).await.status, 200);
    let again = world.exchange(&code).await;
    assert_eq!(
        (again.status.as_u16(), &again.json()["error"]),
        (400, &"invalid_grant".into())
    );
    let info = world.user_info(&access(&tokens)).await;
    assert_eq!(info.status, 401);
    let challenge = info.header("www-authenticate").unwrap();
    assert_eq!(challenge, "Bearer error=\"invalid_token\"");
}

#[tokio::test]
async fn of_two_exchanges_at_once_one_succeeds() {
    let world = World::new().await;
    let code = world.code().await;
    let (one, two) = join(world.exchange(&code), world.exchange(&code)).await;
    let mut statuses = [one.status.as_u16(), two.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 400]);
}

#[tokio::test]
async fn stolen_code_is_useless_and_stays_usable_for_its_client() {
    let world = World::new().await;
    let code = world.code().await;
    let form = world.exchange_form(&code);
    let other = other_client(&world).await;
    for stolen in [
        form.replace(VERIFIER, &"a".repeat(43)),
        form.replace(&format!("&code_verifier={VERIFIER}"), ""),
        form.replace("%2Fcallback", "%2Fcallback2"),
        form.replace(&world.client, &other),
        form.replace(&code, &"A".repeat(43)),
        form.replace(&code, "x"),
    ] {
        let answer = world.form("/token", &stolen).await;
        assert_eq!(
            (answer.status.as_u16(), &answer.json()["error"]),
            (400, &"invalid_grant".into()),
            "{stolen}"
        );
    }
    for malformed in [
        form.replace("&redirect_uri", "&other"),
        form.replace("&code=", "&other="),
        form.replace("grant_type=authorization_code&", ""),
        format!("{form}&code={code}"),
    ] {
        let answer = world.form("/token", &malformed).await;
        assert_eq!(answer.json()["error"], "invalid_request", "{malformed}");
    }
    let password = form.replace("authorization_code", "password");
    assert_eq!(
        world.form("/token", &password).await.json()["error"],
        "unsupported_grant_type"
    );
    assert_eq!(world.form("/token", &form).await.status, 200);
}

#[tokio::test]
async fn code_is_over_after_a_minute_and_the_token_after_ten() {
    let world = World::new().await;
    let late = world.code().await;
    world.host.clock.advance(Duration::from_mins(1));
    assert_eq!(world.exchange(&late).await.json()["error"], "invalid_grant");
    let tokens = world.tokens().await;
    world.host.clock.advance(Duration::from_secs(599));
    assert_eq!(world.user_info(&access(&tokens)).await.status, 200);
    world.host.clock.advance(Duration::from_secs(1));
    assert_eq!(world.user_info(&access(&tokens)).await.status, 401);
}

/// A client that demanded PKCE must not get tokens for a request from which an attacker removed the challenge.
#[tokio::test]
async fn challenge_cannot_be_removed_from_a_request() {
    let world = World::with(|app| {
        app.openid.public_client = false;
        app.openid.nonce_instead_of_pkce = true;
    })
    .await;
    let without = world
        .query()
        .split("&code_challenge=")
        .next()
        .unwrap()
        .to_owned();
    let browser = world.open_with(&without).await;
    browser.send_text(PERSON).await;
    let code = browser.code().await;
    world
        .host
        .replace_app({
            let mut app = app("demo");
            app.openid.redirect_uris = vec![CALLBACK.parse().unwrap()];
            app.openid.public_client = true;
            app
        })
        .await;
    let answer = world.exchange(&code).await;
    assert_eq!(answer.json()["error"], "invalid_grant");
}

#[tokio::test]
async fn page_of_another_browser_or_site_gets_nothing() {
    let world = World::new().await;
    let victim = world.open().await;
    victim.send_text(PERSON).await;
    let attacker = world.open().await;
    let mut stolen = attacker.clone();
    stolen.request.clone_from(&victim.request);
    for name in ["text", "finish", "cancel"] {
        assert_eq!(
            stolen.call(name).await.code(),
            "openid_request_invalid",
            "{name}"
        );
        for site in [Some("cross-site"), Some("same-site"), Some("none"), None] {
            let answer = victim.call_from(name, site).await;
            assert_eq!(answer.code(), "origin_forbidden", "{name} {site:?}");
        }
    }
    stolen.cookie.clear();
    assert_eq!(stolen.call("finish").await.code(), "openid_request_invalid");
    assert_eq!(victim.call("finish").await.status, 200);
}

#[tokio::test]
async fn old_page_starts_nothing_but_an_open_text_may_still_finish() {
    let world = World::new().await;
    let browser = world.open().await;
    let late = world.open().await;
    browser.send_text(PERSON).await;
    world.host.clock.advance(Duration::from_mins(5));
    assert_eq!(late.call("text").await.code(), "openid_request_invalid");
    assert_eq!(browser.call("finish").await.status, 200);
    world.host.clock.advance(Duration::from_mins(10));
    assert_eq!(
        browser.call("finish").await.code(),
        "openid_request_invalid"
    );
}

#[tokio::test]
async fn error_goes_to_the_client_only_at_a_listed_address() {
    let world = World::new().await;
    let query = world.query();
    let callback = "https%3A%2F%2Fshop.example%2Fcallback";
    for other in [
        "https%3A%2F%2Fevil.example%2Fcallback",
        "https%3A%2F%2Fshop.example%2FCallback",
        "https%3A%2F%2Fshop.example%2Fcallback%2F",
        "https%3A%2F%2Fshop.example%2Fcallback%3Fa%3Db",
        "https%3A%2F%2Fshop.example%2Fcallback%23a",
        "https%3A%2F%2Fshop.example%3A443%2Fcallback",
        "https%3A%2F%2Fshop.example.%2Fcallback",
        "https%3A%2F%2Fuser%40shop.example%2Fcallback",
        "https%3A%2F%2Fshop.example%40evil.example%2Fcallback",
        "http%3A%2F%2Fshop.example%2Fcallback",
        "%2F%2Fshop.example%2Fcallback",
        "javascript%3Aalert(1)",
    ] {
        for broken in [&query, &format!("{query}&prompt=none")] {
            let answer = world
                .get(&format!("/authorize?{}", broken.replace(callback, other)))
                .await;
            assert_eq!(
                (answer.status.as_u16(), answer.header("location")),
                (400, None),
                "{other}"
            );
            assert_eq!(answer.header("set-cookie"), None);
        }
    }
    for (broken, error) in [
        (format!("{query}&prompt=none"), "login_required"),
        (format!("{query}&request=ey"), "request_not_supported"),
        (
            format!("{query}&request_uri=https://evil.example"),
            "request_uri_not_supported",
        ),
        (
            format!("{query}&registration=x"),
            "registration_not_supported",
        ),
        (
            query.replace("response_type=code", "response_type=token"),
            "unsupported_response_type",
        ),
        (query.replace("S256", "plain"), "invalid_request"),
    ] {
        let answer = world.get(&format!("/authorize?{broken}")).await;
        assert_eq!(answer.status, 303, "{broken}");
        let location = answer.header("location").unwrap();
        assert!(
            location.starts_with(&format!("{CALLBACK}?error={error}&")),
            "{location}"
        );
        assert!(
            location.ends_with("&state=a+state&iss=https%3A%2F%2Fcountersign.example"),
            "{location}"
        );
    }
}

#[tokio::test]
async fn app_without_a_redirect_uri_is_no_client() {
    let world = World::new().await;
    let code = world.code().await;
    world.host.change_app(|_| ()).await;
    let page = world.get(&format!("/authorize?{}", world.query())).await;
    assert_eq!(page.status, 400);
    let answer = world.exchange(&code).await;
    assert_eq!(
        (answer.status.as_u16(), &answer.json()["error"]),
        (401, &"invalid_client".into())
    );
}

#[tokio::test]
async fn redaction_ends_code_token_and_subject() {
    let world = World::new().await;
    let browser = world.open().await;
    let session = browser.send_text(PERSON).await;
    let tokens = world.exchange(&browser.code().await).await.json();
    let unused = world.open().await;
    let second = unused.send_text(PERSON).await;
    let code = unused.code().await;
    for session in [&session, &second] {
        let id = session["confirmationId"].as_str().unwrap();
        let answer = world
            .host
            .call("POST", &format!("/confirmations/{id}/redact"), None)
            .await;
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    assert_eq!(world.user_info(&access(&tokens)).await.status, 401);
    assert_eq!(world.exchange(&code).await.json()["error"], "invalid_grant");
    let later = world.tokens().await;
    assert_ne!(claims(&later)["sub"], claims(&tokens)["sub"]);
    assert_eq!(browser.call("finish").await.code(), "openid_answered");
}

#[tokio::test]
async fn silent_number_gets_another_subject() {
    let world = World::new().await;
    let day = Duration::from_hours(24);
    let first = claims(&world.tokens().await)["sub"].clone();
    world.host.clock.advance(day * 89);
    assert_eq!(claims(&world.tokens().await)["sub"], first);
    world.host.clock.advance(day * 90);
    assert_ne!(claims(&world.tokens().await)["sub"], first);
}

#[tokio::test]
async fn deleting_the_app_ends_everything() {
    let world = World::new().await;
    let tokens = world.tokens().await;
    let code = world.code().await;
    let browser = world.open().await;
    browser.send_text(PERSON).await;
    let demo: AppId = "demo".parse().unwrap();
    let now = world.host.clock.get();
    world.host.store.delete_app(&demo, now).await.unwrap();
    assert_eq!(world.user_info(&access(&tokens)).await.status, 401);
    assert_eq!(
        world.exchange(&code).await.json()["error"],
        "invalid_client"
    );
    assert_eq!(
        browser.call("finish").await.code(),
        "openid_request_invalid"
    );
}

/// The texts that strangers start must leave room for the app's server.
#[tokio::test]
async fn strangers_cannot_use_up_the_quota_of_the_apps_server() {
    let world = World::with(|app| {
        app.quotas.confirmations.max_open = std::num::NonZeroU32::new(4);
        app.quotas.confirmations.burst = std::num::NonZeroU32::new(3);
    })
    .await;
    let mut refused = 0;
    for _ in 0..6 {
        let answer = world.open().await.call("text").await;
        refused += u32::from(answer.status == 429);
    }
    assert!(refused >= 3, "{refused}");
    world.host.acquire().await;
}

#[tokio::test]
async fn guessing_clients_is_limited() {
    let world = World::new().await;
    let form = world
        .exchange_form("x")
        .replace(&world.client, "cs_app_0000000000000000000000");
    let mut statuses = Vec::new();
    for _ in 0..31 {
        statuses.push(world.form("/token", &form).await.status.as_u16());
    }
    assert_eq!((statuses[0], statuses[30]), (401, 429));
}
