//! Rate limits: callers who request other users' logins, and callers who share their address.

use std::time::Duration;

use countersign_api::RateLimits;
use serde_json::json;

use crate::host::{Answer, BROWSER, Host, PHONE, SHOP, asked, broken, from};

const ID: &str = "/qr-sessions/qrs_0123456789abcdef0123456789abcdef";
const TOKEN: &str = "Bearer AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Sends a request that counts as a miss.
async fn miss(host: &Host, address: &str) -> Answer {
    let request = asked("GET", ID, &[("authorization", TOKEN)], None);
    host.send(from(address, request)).await
}

/// Sends a page's request that counts as a miss.
async fn miss_of(host: &Host, address: &str, origin: &str) -> Answer {
    let headers = [("authorization", TOKEN), ("origin", origin)];
    host.send(from(address, asked("GET", ID, &headers, None)))
        .await
}

/// A page that misses deliberately reaches its own limit. A program that claims a new page each time
/// reaches the limit of its address.
#[tokio::test]
async fn misses_are_counted_by_page_and_by_address() {
    let host = Host::new().await;
    let evil = "https://evil.example";
    for _ in 0..40 {
        miss_of(&host, BROWSER, evil).await;
    }
    assert_eq!(miss_of(&host, BROWSER, evil).await.status, 429);
    for n in 0..270 {
        let page = format!("https://{n}.example");
        assert_eq!(miss_of(&host, BROWSER, &page).await.status, 404, "{n}");
    }
    let held = miss_of(&host, BROWSER, "https://another.example").await;
    assert_eq!(held.status, 429);
}

/// Sends misses from an address until it is limited, as the site's own page and as others.
async fn flood(host: &Host, address: &str) {
    for n in 0..400 {
        miss_of(host, address, if n < 40 { SHOP } else { "null" }).await;
        miss_of(host, address, &format!("https://{n}.example")).await;
    }
    assert_eq!(miss_of(host, address, SHOP).await.code(), "too_many_misses");
}

#[tokio::test]
async fn owner_of_a_login_is_not_affected_by_misses_from_the_same_address() {
    let host = Host::new().await;
    let scanned = host.scanned().await;
    let waiting = host.open().await;
    for address in [BROWSER, PHONE] {
        flood(&host, address).await;
    }
    for _ in 0..40 {
        let answer = host.initiate(&scanned, 1, json!({})).await;
        assert_eq!(answer.status, 200, "the same phone again");
    }
    assert_eq!(host.confirm(&scanned, 1, "yes").await.status, 200);
    assert_eq!(host.browser("GET", &scanned, "").await.status, 200);
    let redeemed = host.browser("POST", &scanned, "/redeem").await;
    assert_eq!(redeemed.status, 200);
    assert_eq!(host.initiate(&waiting, 2, json!({})).await.status, 200);
    assert_eq!(host.deny(&waiting, 2).await.status, 200);
    let opened = host.open().await;
    assert_eq!(host.browser("DELETE", &opened, "").await.status, 204);
}

#[tokio::test]
async fn misses_that_claim_a_sites_origin_do_not_affect_its_browsers() {
    let host = Host::new().await;
    flood(&host, "192.0.2.1").await;
    assert_eq!(miss_of(&host, BROWSER, SHOP).await.status, 404);
    assert_eq!(host.open_from(SHOP, BROWSER, json!({})).await.status, 200);
}

#[tokio::test]
async fn burst_gets_no_more_than_the_limit() {
    let host = Host::new().await;
    let misses = (0..200).map(|_| miss(&host, BROWSER));
    let answers = futures_util::future::join_all(misses).await;
    let found = |status: u16| answers.iter().filter(|a| a.status == status).count();
    assert_eq!((found(404), found(429)), (30, 170));

    let openings = (0..700).map(|_| host.open_from(SHOP, BROWSER, json!({})));
    let answers = futures_util::future::join_all(openings).await;
    let found = |status: u16| answers.iter().filter(|a| a.status == status).count();
    assert_eq!((found(200), found(429)), (600, 100));
}

#[tokio::test]
async fn address_opens_600_logins_a_minute() {
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
}

/// An untrusted proxy on the same machine is an address like any other.
#[tokio::test]
async fn loopback_has_the_same_limit() {
    let host = Host::new().await;
    for address in ["127.0.0.1", "::1"] {
        for n in 0..600 {
            let opened = host.open_from(SHOP, address, json!({})).await;
            assert_eq!(opened.status, 200, "{n}");
        }
        let refused = host.open_from(SHOP, address, json!({})).await;
        assert_eq!(refused.code(), "too_many_sessions", "{address}");
    }
}

async fn exhaust(host: &Host, address: &str) {
    for n in 0..30 {
        assert_eq!(miss(host, address).await.status, 404, "{n}");
    }
    assert_eq!(miss(host, address).await.status, 429);
}

#[tokio::test]
async fn other_addresses_do_not_wait() {
    let host = Host::new().await;
    for n in 0..30 {
        assert_eq!(miss_of(&host, BROWSER, SHOP).await.status, 404, "{n}");
    }
    let refused = miss_of(&host, BROWSER, SHOP).await;
    assert_eq!(refused.code(), "too_many_misses");
    assert_eq!(refused.header("access-control-allow-origin"), Some(SHOP));
    assert_eq!(miss_of(&host, "203.0.113.8", SHOP).await.status, 404);
    let counted = host.metrics.take();
    assert_eq!(counted, ["qr_miss_limited"]);
}

#[tokio::test]
async fn wait_ends_after_retry_after() {
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
async fn ipv6_line_counts_as_one_address() {
    let host = Host::new().await;
    for n in 0..30 {
        let address = format!("2001:db8:0:1::{n:x}");
        assert_eq!(miss(&host, &address).await.status, 404);
    }
    assert_eq!(miss(&host, "2001:db8:0:1:ffff::1").await.status, 429);
    assert_eq!(miss(&host, "2001:db8:0:2::1").await.status, 404);
    // An IPv4 address mapped to IPv6 is the same address.
    exhaust(&host, "::ffff:203.0.113.7").await;
    assert_eq!(miss(&host, "203.0.113.7").await.status, 429);
}

/// A site can miss from 65,536 networks.
#[tokio::test]
async fn ipv6_site_has_its_own_limit() {
    let host = Host::new().await;
    for line in 0..40 {
        for n in 0..30 {
            let address = format!("2001:db8:7:{line:x}::{n:x}");
            assert_eq!(miss(&host, &address).await.status, 404);
        }
    }
    assert_eq!(miss(&host, "2001:db8:7:ffff::1").await.status, 429);
    assert_eq!(miss(&host, "2001:db8:8::1").await.status, 404);

    let open = |address: String| {
        let host = &host;
        async move { host.open_from(SHOP, &address, json!({})).await.status }
    };
    for n in 0..2_400 {
        assert_eq!(open(format!("2001:db8:9:{n:x}::1")).await, 200);
    }
    assert_eq!(open("2001:db8:9:ffff::1".to_owned()).await, 429);
    assert_eq!(open("2001:db8:a::1".to_owned()).await, 200);
}

#[tokio::test]
async fn only_failed_lookups_count_as_misses() {
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
        assert_eq!(bare("POST", "/qr-sessions").await.status, 401);
    }
}

#[tokio::test]
async fn unknown_app_is_a_miss_and_a_failed_port_is_not() {
    let host = Host::failing(broken::logins).await;
    for _ in 0..40 {
        assert_eq!(miss(&host, BROWSER).await.status, 503);
    }
    let key = format!("cs_app_{}", "0".repeat(22));
    let create = || asked("POST", "/qr-sessions", &[("x-app-key", &key)], None);
    for _ in 0..30 {
        assert_eq!(host.send(create()).await.code(), "app_key_unknown");
    }
    assert_eq!(host.send(create()).await.code(), "too_many_misses");
}

#[tokio::test]
async fn lifted_limits_do_not_apply() {
    let host = Host::with(|parts| parts.rate_limits = RateLimits::Lifted).await;
    for _ in 0..40 {
        assert_eq!(miss(&host, BROWSER).await.status, 404);
    }
    for _ in 0..610 {
        assert_eq!(host.open_from(SHOP, BROWSER, json!({})).await.status, 200);
    }
}

/// A stranger with the public app key confirms their own logins, each under a new name.
#[tokio::test]
async fn phone_leaves_a_thousand_new_names_a_day() {
    let host = Host::new().await;
    let log_in = |n: u32| {
        let host = &host;
        async move {
            let browser = format!("198.18.{}.{}", n / 200, n % 200);
            let opened = host.opened_at(&browser, json!({})).await;
            let name = json!({"publicUserId": format!("user-{n}")});
            assert_eq!(host.initiate(&opened, 1, name).await.status, 200);
            assert_eq!(host.confirm(&opened, 1, "yes").await.status, 200);
        }
    };
    let limited = || {
        let counted = host.metrics.take();
        counted.iter().filter(|n| **n == "qr_name_limited").count()
    };
    for n in 0..1_000 {
        log_in(n).await;
    }
    assert_eq!(limited(), 0);
    log_in(1_000).await;
    assert_eq!(limited(), 1);
    log_in(7).await;
    assert_eq!(limited(), 0, "a known name");
    host.clock.advance(Duration::from_hours(24));
    log_in(1_000).await;
    assert_eq!(limited(), 0, "another day");
}
