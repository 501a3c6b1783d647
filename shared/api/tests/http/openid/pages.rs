//! The page and its calls.

use axum::body::Body;
use countersign_api::ProblemCode;
use http::Request;
use http::header::COOKIE;

use serde_json::json;

use super::world::{Browser, World};
use crate::host::{Answer, PERSON, asked};

/// Sends a request that is answered with this problem.
pub(crate) async fn meet(code: ProblemCode) -> Answer {
    let world = World::new().await;
    let browser = world.open().await;
    match code {
        ProblemCode::ConfirmationWithoutWebhook => {
            let session = browser.send_text(PERSON).await;
            let id = session["confirmationId"].as_str().unwrap();
            let path = format!("/confirmations/{id}/redeliver");
            world.host.call("POST", &path, None).await
        }
        ProblemCode::OpenIdRequestInvalid => {
            let mut damaged = browser.clone();
            "a.b".clone_into(&mut damaged.request);
            damaged.call("finish").await
        }
        ProblemCode::OpenIdNotVerified => browser.call("finish").await,
        ProblemCode::OpenIdPhoneUnknown => super::codes::meet_unknown_phone().await,
        _ => {
            browser.send_text(PERSON).await;
            world.exchange(&browser.code().await).await;
            browser.call("finish").await
        }
    }
}

#[tokio::test]
async fn page_stores_nothing_and_is_guarded() {
    let world = World::new().await;
    let before = world.host.items.items.all().len();
    let answer = world.get(&format!("/authorize?{}", world.query())).await;
    assert_eq!(world.host.items.items.all().len(), before);
    let policy = answer.header("content-security-policy").unwrap();
    assert!(policy.contains("frame-ancestors 'none'") && policy.contains("default-src 'none'"));
    assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_eq!(answer.header("access-control-allow-origin"), None);
    let cookie = answer.header("set-cookie").unwrap();
    assert!(cookie.starts_with("__Host-countersign-openid="), "{cookie}");
    assert!(
        cookie.ends_with("; Path=/; Max-Age=900; HttpOnly; SameSite=Lax; Secure"),
        "{cookie}"
    );
}

/// The form of another site comes without the browser's cookie, and must not replace it.
#[tokio::test]
async fn form_leads_to_the_same_page() {
    let world = World::new().await;
    let answer = world.form("/authorize", &world.query()).await;
    assert_eq!(
        (answer.status.as_u16(), answer.header("set-cookie")),
        (303, None)
    );
    let location = answer.header("location").unwrap();
    assert_eq!(location, format!("/authorize?{}", world.query()));
    let page = world.get(location).await;
    let browser = Browser::read(&world, &page);
    browser.send_text(PERSON).await;
    assert_eq!(world.exchange(&browser.code().await).await.status, 200);
}

#[tokio::test]
async fn form_cannot_lead_elsewhere() {
    let world = World::new().await;
    let odd = world
        .form("/authorize", "client_id=a b#c\r\nset-cookie: x=y\u{e4}")
        .await;
    let expected = "/authorize?client_id=a%20b%23c%0D%0Aset-cookie:%20x=y%C3%A4";
    assert_eq!(odd.header("location"), Some(expected));
    assert_eq!(odd.header("set-cookie"), None);
    let long = format!("{}&state={}", world.query(), "x".repeat(8 * 1024));
    assert_eq!(world.form("/authorize", &long).await.status, 400);
    let empty = world.form("/authorize", "").await;
    assert_eq!(empty.header("location"), Some("/authorize?"));
    let json = asked(
        "POST",
        "/authorize",
        &[],
        Some(&json!({"client_id": world.client})),
    );
    assert_eq!(world.host.send(json).await.status, 400);
}

#[tokio::test]
async fn two_tabs_log_in_independently() {
    let world = World::new().await;
    let first = world.open().await;
    let request =
        Request::get(format!("/authorize?{}", world.query())).header(COOKIE, &first.cookie);
    let answer = world.host.send(request.body(Body::empty()).unwrap()).await;
    let second = Browser::read(&world, &answer);
    assert_eq!(second.cookie, first.cookie);
    second.send_text(PERSON).await;
    assert_eq!(first.call("finish").await.code(), "openid_not_verified");
    first.send_text("+12025550101").await;
    let codes = [first.code().await, second.code().await];
    assert_ne!(codes[0], codes[1]);
    for code in codes {
        assert_eq!(world.exchange(&code).await.status, 200);
    }
}

#[tokio::test]
async fn repeated_calls_get_the_same_answer() {
    let world = World::new().await;
    let browser = world.open().await;
    let session = browser.text().await;
    let again = browser.send_text(PERSON).await;
    for same in ["confirmationId", "confirmationMessage", "client"] {
        assert_eq!(again[same], session[same], "{same}");
    }
    let code = browser.code().await;
    assert_eq!(browser.code().await, code);
    assert_eq!(world.exchange(&code).await.status, 200);
    assert_eq!(browser.call("finish").await.code(), "openid_answered");
    // The back button and its answer do not end the tokens.
    assert_eq!(
        world.open().await.call("finish").await.code(),
        "openid_not_verified"
    );
}

#[tokio::test]
async fn client_token_of_the_session_shows_the_status() {
    let world = World::new().await;
    let session = world.open().await.send_text(PERSON).await;
    let client = &session["client"];
    let url = client["statusUrl"].as_str().unwrap();
    let path = url.strip_prefix("https://countersign.example").unwrap();
    let token = client["token"].as_str().unwrap();
    let request = Request::get(path).header("authorization", format!("Bearer {token}"));
    let answer = world.host.send(request.body(Body::empty()).unwrap()).await;
    assert_eq!(answer.json()["status"], "verified");
}

#[tokio::test]
async fn logout_goes_only_to_a_listed_page() {
    let world = World::new().await;
    let client = format!("client_id={}", world.client);
    let page = "post_logout_redirect_uri=https%3A%2F%2Fshop.example%2Fbye";
    let answer = world
        .get(&format!("/end-session?{client}&{page}&state=a+b"))
        .await;
    assert_eq!(answer.status, 303);
    assert_eq!(
        answer.header("location"),
        Some("https://shop.example/bye?state=a+b")
    );
    let tokens = world.tokens().await;
    let hint = format!("id_token_hint={}", tokens["id_token"].as_str().unwrap());
    let answer = world.form("/end-session", &format!("{hint}&{page}")).await;
    assert_eq!(answer.header("location"), Some("https://shop.example/bye"));
    for refused in [
        page.to_owned(),
        format!("{client}&{}", page.replace("bye", "other")),
        format!("{client}&{}", page.replace("shop.example", "evil.example")),
        format!("{client}&{page}&{page}"),
        format!("client_id=cs_app_0000000000000000000000&{page}"),
        format!("client_id=cs_app_0000000000000000000000&{page}&{hint}"),
        format!("id_token_hint=a.b.c&{page}"),
    ] {
        let answer = world.get(&format!("/end-session?{refused}")).await;
        assert_eq!(
            (answer.status.as_u16(), answer.header("location")),
            (400, None),
            "{refused}"
        );
    }
    let bare = world.get("/end-session").await;
    assert_eq!((bare.status.as_u16(), bare.header("location")), (200, None));
}
