//! Answers that pages of any origin may read.

use std::sync::Arc;

use serde_json::json;

use crate::host::{Answer, BROWSER, Host, PanickingGeoIp, SHOP, asked};

const ID: &str = "/qr-sessions/qrs_0123456789abcdef0123456789abcdef";
const EVIL: &str = "https://evil.example";

fn is_readable_by(answer: &Answer, origin: &str) {
    assert_eq!(answer.header("access-control-allow-origin"), Some(origin));
    assert_eq!(answer.header("vary"), Some("Origin"));
    assert_eq!(answer.header("access-control-allow-credentials"), None);
    let exposed = answer.header("access-control-expose-headers").unwrap();
    for name in ["date", "etag", "retry-after", "x-request-id"] {
        assert!(exposed.split(", ").any(|one| one == name), "{name}");
    }
}

#[tokio::test]
async fn preflight_is_answered_for_any_origin() {
    let host = Host::new().await;
    let paths = ["", "/redeem", "/initiate", "/confirm", "/deny"].map(|rest| format!("{ID}{rest}"));
    for path in paths.iter().map(String::as_str).chain(["/qr-sessions"]) {
        for origin in [SHOP, EVIL, "null"] {
            let headers = [
                ("origin", origin),
                ("access-control-request-method", "POST"),
                (
                    "access-control-request-headers",
                    "authorization, content-type",
                ),
            ];
            let answer = host.send(asked("OPTIONS", path, &headers, None)).await;
            assert_eq!(answer.status, 204, "{path}");
            assert!(answer.body.is_empty());
            is_readable_by(&answer, origin);
            let methods = answer.header("access-control-allow-methods");
            assert_eq!(methods, Some("GET, POST, DELETE"));
            let allowed = answer.header("access-control-allow-headers");
            assert_eq!(
                allowed,
                Some("authorization, content-type, if-none-match, x-app-key")
            );
            assert_eq!(answer.header("access-control-max-age"), Some("7200"));
        }
    }
}

#[tokio::test]
async fn preflight_is_not_a_miss_and_needs_no_address() {
    let host = Host::new().await;
    for _ in 0..40 {
        let request = asked("OPTIONS", ID, &[("origin", EVIL)], None);
        assert_eq!(host.send_bare(request).await.status, 204);
    }
}

#[tokio::test]
async fn page_can_read_answers_and_problems() {
    let host = Host::new().await;
    is_readable_by(&host.open_from(SHOP, BROWSER, json!({})).await, SHOP);
    let other = "http://localhost:3000";
    is_readable_by(&host.open_from(other, BROWSER, json!({})).await, other);
    let opened = host.confirmed().await;
    for (method, rest, status) in [
        ("GET", "", 200),
        ("POST", "/redeem", 200),
        ("POST", "/redeem", 409),
        ("DELETE", "", 409),
        ("PUT", "", 405),
        ("GET", "/redeem", 405),
        ("GET", "/nothing", 404),
        ("GET", "/a/b/c", 404),
    ] {
        let answer = host.browser(method, &opened, rest).await;
        assert_eq!(answer.status, status, "{method} {rest}");
        is_readable_by(&answer, SHOP);
    }
    is_readable_by(&host.open_from(EVIL, BROWSER, json!({})).await, EVIL);
    is_readable_by(&host.open_from(SHOP, BROWSER, json!([])).await, SHOP);
    let headers = [("origin", EVIL)];
    for (path, status) in [("/qr-sessions", 401), ("/qr-sessions/", 404)] {
        let answer = host.send(asked("POST", path, &headers, None)).await;
        assert_eq!(answer.status, status, "{path}");
        is_readable_by(&answer, EVIL);
    }
    let large = json!({"x": " ".repeat(countersign_api::MAX_BODY)});
    let answer = host.open_from(SHOP, BROWSER, large).await;
    assert_eq!(answer.status, 413);
    is_readable_by(&answer, SHOP);
}

#[tokio::test]
async fn request_without_an_origin_gets_no_permission() {
    let host = Host::new().await;
    let answer = host.send(asked("GET", ID, &[], None)).await;
    assert_eq!(answer.header("access-control-allow-origin"), None);
    assert_eq!(answer.header("vary"), Some("Origin"));
}

#[tokio::test]
async fn pages_can_read_nothing_else() {
    let host = Host::new().await;
    for path in [
        "/healthz",
        "/confirmations/cfm_x",
        "/qr-sessionsx",
        "/v1/qr-sessions",
        "/nothing",
        "/openapi.json",
    ] {
        for method in ["GET", "OPTIONS"] {
            let answer = host
                .send(asked(method, path, &[("origin", SHOP)], None))
                .await;
            assert_eq!(answer.header("access-control-allow-origin"), None, "{path}");
        }
    }
}

/// The CORS layer of the login routes is inside the middleware that answers for a panicking
/// handler.
#[tokio::test]
async fn page_can_read_the_answer_for_a_handler_that_panics() {
    let host = Host::with(|parts| {
        let logins = parts.logins.as_mut().unwrap();
        logins.geo = Arc::new(PanickingGeoIp);
    })
    .await;
    let answer = host.open_from(SHOP, BROWSER, json!({})).await;
    assert_eq!(answer.code(), "internal_error");
    is_readable_by(&answer, SHOP);
}
