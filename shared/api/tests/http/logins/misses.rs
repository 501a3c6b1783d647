//! Who asks for sessions that are not theirs, again and again.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use crate::host::{Answer, BROWSER, BrokenLogins, Host, SHOP, asked, from};

const ID: &str = "/qr-sessions/qrs_0123456789abcdef0123456789abcdef";
const TOKEN: &str = "Bearer AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// A request that misses.
async fn miss(host: &Host, address: &str) -> Answer {
    let request = asked("GET", ID, &[("authorization", TOKEN)], None);
    host.send(from(address, request)).await
}

/// The same of a page.
async fn miss_of(host: &Host, address: &str, origin: &str) -> Answer {
    let headers = [("authorization", TOKEN), ("origin", origin)];
    host.send(from(address, asked("GET", ID, &headers, None)))
        .await
}

/// A page that misses on purpose, in a visitor's browser, does not log that visitor out elsewhere;
/// a program that names a new page each time is held by the bound on its address.
#[tokio::test]
async fn a_page_that_misses_on_purpose_is_held_by_itself() {
    let host = Host::new().await;
    let evil = "https://evil.example";
    for _ in 0..40 {
        miss_of(&host, BROWSER, evil).await;
    }
    assert_eq!(miss_of(&host, BROWSER, evil).await.status, 429);
    let opened = host.open_from(SHOP, BROWSER, json!({})).await;
    assert_eq!(opened.status, 200);
    for n in 0..270 {
        let page = format!("https://{n}.example");
        assert_eq!(miss_of(&host, BROWSER, &page).await.status, 404, "{n}");
    }
    let held = miss_of(&host, BROWSER, "https://another.example").await;
    assert_eq!(held.status, 429);
}

#[tokio::test]
async fn nobody_opens_more_than_a_whole_office_needs() {
    let host = Host::new().await;
    for n in 0..600 {
        let opened = host.open_from(SHOP, BROWSER, json!({})).await;
        assert_eq!(opened.status, 200, "{n}");
    }
    let refused = host.open_from(SHOP, BROWSER, json!({})).await;
    assert_eq!(refused.code(), "too_many_sessions");
    assert_eq!(refused.header("retry-after"), Some("60"));
    let elsewhere = host.open_from(SHOP, "203.0.113.8", json!({})).await;
    assert_eq!(elsewhere.status, 200);
    // The developer's own machine is no stranger.
    for _ in 0..610 {
        let opened = host.open_from(SHOP, "127.0.0.1", json!({})).await;
        assert_eq!(opened.status, 200);
    }
}

async fn exhaust(host: &Host, address: &str) {
    for n in 0..30 {
        assert_eq!(miss(host, address).await.status, 404, "{n}");
    }
    assert_eq!(miss(host, address).await.status, 429);
}

#[tokio::test]
async fn it_is_the_address_that_waits_and_no_other() {
    let host = Host::new().await;
    for n in 0..30 {
        assert_eq!(miss_of(&host, BROWSER, SHOP).await.status, 404, "{n}");
    }
    let refused = host.open_from(SHOP, BROWSER, json!({})).await;
    assert_eq!(refused.code(), "too_many_misses");
    assert_eq!(refused.header("access-control-allow-origin"), Some(SHOP));
    let elsewhere = host.open_from(SHOP, "203.0.113.8", json!({})).await;
    assert_eq!(elsewhere.status, 200);
    // Other routes are not about sessions.
    assert_eq!(host.call("GET", "/healthz", None).await.status, 200);
}

#[tokio::test]
async fn the_wait_ends_when_it_says() {
    let host = Host::new().await;
    exhaust(&host, BROWSER).await;
    host.clock.advance(Duration::from_millis(1_500));
    let answer = miss(&host, BROWSER).await;
    assert_eq!(answer.header("retry-after"), Some("59"));
    host.clock.advance(Duration::from_millis(58_499));
    assert_eq!(miss(&host, BROWSER).await.header("retry-after"), Some("1"));
    host.clock.advance(Duration::from_millis(1));
    assert_eq!(miss(&host, BROWSER).await.status, 404);
}

#[tokio::test]
async fn a_line_of_ipv6_counts_as_one() {
    let host = Host::new().await;
    for n in 0..30 {
        let address = format!("2001:db8:0:1::{n:x}");
        assert_eq!(miss(&host, &address).await.status, 404);
    }
    assert_eq!(miss(&host, "2001:db8:0:1:ffff::1").await.status, 429);
    assert_eq!(miss(&host, "2001:db8:0:2::1").await.status, 404);
    // An IPv4 address is the same in an IPv6 one's clothes.
    exhaust(&host, "::ffff:203.0.113.7").await;
    assert_eq!(miss(&host, "203.0.113.7").await.status, 429);
}

#[tokio::test]
async fn what_looked_for_something_in_vain_counts_and_nothing_else() {
    let host = Host::new().await;
    let opened = host.confirmed().await;
    for _ in 0..40 {
        assert_eq!(host.browser("GET", &opened, "").await.status, 200);
        let answer = host
            .open_from("https://evil.example", BROWSER, json!({}))
            .await;
        assert_eq!(answer.status, 403);
        assert_eq!(host.browser("GET", &opened, "/nothing").await.status, 404);
        assert_eq!(host.browser("PUT", &opened, "").await.status, 405);
    }
    let bare = |method: &str, path: &str| {
        let request = asked(method, path, &[], None);
        host.send(from("203.0.113.50", request))
    };
    for _ in 0..40 {
        assert_eq!(bare("GET", ID).await.status, 401);
        assert_eq!(bare("POST", "/v1/qr-sessions").await.status, 401);
    }
}

#[tokio::test]
async fn nothing_is_looked_up_for_who_has_to_wait() {
    let host = Host::with(|parts| {
        let logins = parts.logins.as_mut().unwrap();
        logins.sessions = Arc::new(BrokenLogins);
    })
    .await;
    // Ours are not the caller's misses.
    for _ in 0..40 {
        assert_eq!(miss(&host, BROWSER).await.status, 503);
    }
    let key = format!("cs_app_{}", "0".repeat(22));
    for _ in 0..30 {
        let request = asked("POST", "/qr-sessions", &[("x-app-key", &key)], None);
        assert_eq!(host.send(request).await.status, 401);
    }
    assert_eq!(miss(&host, BROWSER).await.status, 429);
}
