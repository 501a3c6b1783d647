//! The return from an app to the page that showed its link on the same phone.

use serde_json::json;

use crate::host::{BROWSER, Host, PAGE, RECEIPT};

#[tokio::test]
async fn only_the_browser_that_the_app_returned_to_redeems() {
    let host = Host::new().await;
    let (opened, token) = host.confirmed_returning().await;
    let other = host.confirmed_returning().await.1;
    let with = |token: &str| json!({"receipt": RECEIPT, "returnToken": token});
    // A stranger who sent the link has the browser's token, but not the one-time token.
    for answer in [
        host.redeem(&opened, RECEIPT).await,
        host.redeem_with(&opened, with(&other)).await,
        host.redeem_checked(&opened, "42").await,
    ] {
        assert_eq!(answer.code(), "return_token_required");
    }
    assert_eq!(host.state_of(&opened).await, "confirmed");
    let redeemed = host.redeem_with(&opened, with(&token)).await;
    assert_eq!(redeemed.json()["payload"], "yes");
}

#[tokio::test]
async fn return_takes_the_place_of_the_check_code() {
    let host = Host::new().await;
    host.change_app(|app| app.login.check_code = true).await;
    let (opened, token) = host.confirmed_returning().await;
    let body = json!({"receipt": RECEIPT, "returnToken": token});
    assert_eq!(host.redeem_with(&opened, body).await.status, 200);
}

#[tokio::test]
async fn phone_or_page_that_cannot_return_gets_no_link() {
    let host = Host::new().await;
    host.change_app(|app| app.login.check_code = true).await;
    for (page, phone) in [
        (json!({"returnUrl": PAGE}), json!({})),
        (json!({}), json!({"canReturn": true})),
    ] {
        let opened = host.opened_at(BROWSER, page).await;
        let session = host.initiate(&opened, 1, phone).await.json();
        assert_eq!(session.get("returnUrl"), None);
        let digits = session["checkCode"].as_str().unwrap();
        host.confirm(&opened, 1, "yes").await;
        assert_eq!(host.redeem_checked(&opened, digits).await.status, 200);
    }
}

#[tokio::test]
async fn repeated_initiate_gets_the_same_link() {
    let host = Host::new().await;
    let opened = host.opened_at(BROWSER, json!({"returnUrl": PAGE})).await;
    let initiate = || host.initiate(&opened, 1, json!({"canReturn": true}));
    let (first, again) = (initiate().await.json(), initiate().await.json());
    assert_eq!(first["returnUrl"], again["returnUrl"]);
    // The phone's first value applies.
    let later = host.initiate(&opened, 1, json!({})).await.json();
    assert_eq!(later["returnUrl"], first["returnUrl"]);
}

#[tokio::test]
async fn app_returns_only_to_the_pages_that_it_lists() {
    let host = Host::new().await;
    // A page that redirects would pass on the token.
    for url in ["https://shop.example/out", "https://shop.example/login/"] {
        let answer = host.open_from(crate::host::SHOP, BROWSER, json!({"returnUrl": url}));
        let answer = answer.await;
        assert_eq!(answer.code(), "return_url_not_allowed", "{url}");
        let command = format!("countersign app update APP --add-return-page {url}");
        let detail = answer.json()["detail"].to_string();
        assert!(detail.contains(&command), "{detail}");
    }
    host.change_app(|app| app.login.return_pages.clear()).await;
    let opened = host.opened_at(BROWSER, json!({"returnUrl": PAGE})).await;
    let session = host.initiate(&opened, 1, json!({"canReturn": true}));
    assert_eq!(session.await.json().get("returnUrl"), None);
}

#[tokio::test]
async fn removed_return_page_is_not_returned_to_any_more() {
    let host = Host::new().await;
    let (opened, token) = host.confirmed_returning().await;
    let unopened = host.opened_at(BROWSER, json!({"returnUrl": PAGE})).await;
    let scanned = host.opened_at(BROWSER, json!({"returnUrl": PAGE})).await;
    let can_return = || json!({"canReturn": true});
    host.initiate(&scanned, 1, can_return()).await;
    host.change_app(|app| app.login.return_pages.clear()).await;

    let body = json!({"receipt": RECEIPT, "returnToken": token});
    let redeemed = host.redeem_with(&opened, body).await;
    assert_eq!(redeemed.code(), "session_cancelled");
    assert_eq!(host.state_of(&opened).await, "cancelled");
    let confirmed = host.confirm(&scanned, 1, "yes").await;
    assert_eq!(confirmed.code(), "session_cancelled");
    let session = host.initiate(&unopened, 1, can_return()).await;
    assert_eq!(session.json().get("returnUrl"), None);
    assert_eq!(host.confirm(&unopened, 1, "yes").await.status, 200);
    assert_eq!(host.redeem(&unopened, RECEIPT).await.status, 200);
}

#[tokio::test]
async fn app_returns_only_to_pages_of_the_same_origin() {
    let host = Host::new().await;
    for url in ["https://evil.example/", "javascript:alert(1)", "/sign-in"] {
        let answer = host.open_from(crate::host::SHOP, BROWSER, json!({"returnUrl": url}));
        assert_eq!(answer.await.code(), "return_url_not_allowed", "{url}");
    }
}
