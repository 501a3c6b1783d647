//! Approvals and test logins, which the app's server opens and its page only watches.

use std::path::Path;

use countersign_domain::login::BrowserToken;
use serde_json::{Value, json};

use crate::support::{Browser, Http, Phone, Server, countersign, data_dir};

const USER: &str = "zoe@shop.example";

/// Returns the app's server with a test key.
fn tester(data: &Path, server: &Server) -> Http {
    let issued = countersign(data, &["key", "issue", "demo", "--test", "--json"]);
    let issued: Value = serde_json::from_slice(&issued.stdout).unwrap();
    let key = issued["apiKey"].as_str().unwrap();
    server.anyone().with("x-api-key", key)
}

/// Opens a login from the app's server.
async fn open(server: &Server, caller: Http, context: Option<&str>) -> Browser {
    let more = json!({"context": context, "publicUserId": USER});
    Browser::open_by_server(server, caller, more).await
}

/// Returns the token with which the page watches.
fn page_token(opened: &Browser) -> String {
    let token = opened.token.parse::<BrowserToken>().unwrap();
    token.page_token().reveal()
}

#[tokio::test(flavor = "multi_thread")]
async fn page_watches_an_approval_and_sends_the_digits() {
    let data = data_dir();
    let server = Server::start(data.path());
    let words = ["app", "update", "demo", "--check-code", "on"];
    assert!(countersign(data.path(), &words).status.success());
    let opened = open(&server, server.caller(), Some("Pay 20 EUR to Zoë")).await;
    let path = format!("/qr-sessions/{}", opened.id);
    let page = page_token(&opened);
    let mut socket = opened.watch_with(&page).await;
    socket.notified().await;
    let stranger = Phone::new(&server, 9)
        .initiate(&opened.id, Some("max@shop.example"))
        .await;
    assert_eq!(stranger.problem(403), "user_mismatch");

    let phone = data.path().join("phone");
    let phone = ["phone", "--phone", phone.to_str().unwrap()];
    let said = |args: &[&str]| {
        let output = countersign(data.path(), &[&phone, args].concat());
        assert!(output.status.success(), "{output:?}");
        output.stdout
    };
    said(&["keys", "create"]);
    let shown = said(&["open", &opened.url, "--confirm", "--json"]);
    let shown: Value = serde_json::from_slice(&shown).unwrap();
    for _ in ["scanned", "confirmed"] {
        socket.notified().await;
    }
    let seen = server.caller().get(&path).await.ok();
    assert_eq!(
        (&seen["state"], &seen["checkCodeRequired"]),
        (&json!("confirmed"), &json!(true))
    );
    let own = server
        .anyone()
        .with("authorization", &format!("Bearer {page}"));
    assert_eq!(own.get(&path).await.ok()["state"], "confirmed");
    let redeemed = own
        .post(
            &format!("{path}/redeem"),
            &json!({"receipt": "A".repeat(22)}),
        )
        .await;
    assert_eq!(redeemed.problem(404), "session_not_found");
    let digits = json!({"checkCode": shown["checkCode"]});
    let checked = own.post(&format!("{path}/check-code"), &digits).await;
    assert_eq!(checked.status, 204, "{checked:?}");
    socket.notified().await;
    let seen = server.caller().get(&path).await.ok();
    assert_eq!(
        (&seen["state"], &seen["expectedPublicUserId"]),
        (&json!("consumed"), &json!(USER))
    );
    assert!(seen["proof"].is_string());
}

#[tokio::test(flavor = "multi_thread")]
async fn login_of_a_test_takes_only_the_phone_of_a_test() {
    let data = data_dir();
    let server = Server::start(data.path());
    let tester = tester(data.path(), &server);
    let opened = open(&server, tester.clone(), None).await;
    let path = format!("/qr-sessions/{}", opened.id);
    let phone = Phone::new(&server, 1);
    let refused = phone.initiate(&opened.id, Some(USER)).await;
    assert_eq!(refused.problem(404), "session_not_found");
    let initiate = async |opened: &Browser| {
        let bearer = format!("Bearer {}", phone.token);
        let http = tester.clone().with("authorization", &bearer);
        let path = format!("/qr-sessions/{}/initiate", opened.id);
        http.post(&path, &json!({"publicUserId": USER})).await.ok()
    };
    initiate(&opened).await;
    assert_eq!(phone.confirm(&opened, "yes").await, json!(true));
    assert_eq!(opened.payload().await, "yes");
    assert_eq!(tester.get(&path).await.ok()["test"], true);

    let late = open(&server, tester.clone(), None).await;
    initiate(&late).await;
    let expired = tester
        .call("POST", &format!("/qr-sessions/{}/expire", late.id), None)
        .await;
    assert_eq!(expired.status, 204, "{expired:?}");
    let body = late.confirmation("yes");
    let refused = phone.decide(&late.id, "confirm", &body).await;
    assert_eq!(refused.problem(410), "session_expired");

    let live = open(&server, server.caller(), None).await;
    let path = format!("/qr-sessions/{}", live.id);
    assert_eq!(tester.get(&path).await.problem(404), "session_not_found");
}
