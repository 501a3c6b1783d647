//! Tokens of the other device.

use countersign_conformance::samples::logins::mobile_token;
use serde_json::json;

use crate::host::{Host, Opened, asked};

#[tokio::test]
async fn phone_token_is_refused_as_the_browsers() {
    let host = Host::new().await;
    let opened = host.open().await;
    let (key, browser) = (Host::app_key(), format!("Bearer {}", opened.token));
    // A phone may choose any token, so the browser's token opens the code as a phone's...
    let headers = [("x-app-key", key.as_str()), ("authorization", &browser)];
    let path = opened.path("/initiate");
    assert_eq!(
        host.send(asked("POST", &path, &headers, None)).await.status,
        200
    );
    // ...but a phone's token is not accepted as the browser's. It only gives access to the status.
    let confirmed = host.confirmed().await;
    let phones = Opened {
        token: mobile_token(1).reveal(),
        ..confirmed.clone()
    };
    assert_eq!(host.state_of(&phones).await, "confirmed");
    for (method, rest) in [("POST", "/redeem"), ("DELETE", "")] {
        let answer = host.browser(method, &phones, rest).await;
        assert_eq!(answer.code(), "session_not_found", "{method} {rest}");
    }
    assert_eq!(host.state_of(&confirmed).await, "confirmed");
}

#[tokio::test]
async fn browser_token_is_refused_as_the_phones() {
    let host = Host::new().await;
    let opened = host.scanned().await;
    let bearer = format!("Bearer {}", opened.token);
    for rest in ["/confirm", "/deny"] {
        let headers = [("authorization", bearer.as_str())];
        let body = json!({"payload": "mine"});
        let request = asked("POST", &opened.path(rest), &headers, Some(&body));
        let answer = host.send(request).await;
        assert_eq!(answer.code(), "session_not_found", "{rest}");
    }
    assert_eq!(host.state_of(&opened).await, "scanned");
    // A second phone's token gives access to nothing, not even the status.
    let second = Opened {
        token: mobile_token(2).reveal(),
        ..opened
    };
    assert_eq!(host.browser("GET", &second, "").await.status, 404);
}
