//! What the hosts of links serve, and the login element.

use std::sync::Arc;

use countersign_api::ApiState;
use countersign_domain::app::login::IosAppId;
use countersign_domain::app::store::AppStore as _;
use serde_json::json;

use crate::host::{Answer, BrokenApps, Host, LINK_HOST, app, asked, send_to};

const ANDROID: &str = "/.well-known/assetlinks.json";
const IOS: &str = "/.well-known/apple-app-site-association";

async fn get(host: &Host, path: &str, name: &str) -> Answer {
    host.send(asked("GET", path, &[("host", name)], None)).await
}

#[tokio::test]
async fn phones_are_told_whose_links_they_are() {
    let host = Host::new().await;
    let fingerprint = vec!["0A"; 32].join(":");
    for name in [LINK_HOST, "LOGIN.Shop.Example.", "login.shop.example:443"] {
        let answer = get(&host, ANDROID, name).await;
        let expected = json!([{
            "relation": ["delegate_permission/common.handle_all_urls"],
            "target": {
                "namespace": "android_app",
                "package_name": "com.example.shop",
                "sha256_cert_fingerprints": [fingerprint],
            },
        }]);
        assert_eq!(answer.json(), expected);
        assert_eq!(answer.header("content-type"), Some("application/json"));
        assert_eq!(answer.header("cache-control"), Some("private, max-age=300"));
        let answer = get(&host, IOS, name).await;
        let expected = json!({"applinks": {"details": [{
            "appIDs": ["ABCDE12345.com.example.shop"],
            "components": [{"/": "/", "?": {"sessionId": "?*"}}],
        }]}});
        assert_eq!(answer.json(), expected);
        assert_eq!(answer.header("content-type"), Some("application/json"));
    }
}

#[tokio::test]
async fn apps_that_share_a_host_are_all_listed() {
    let host = Host::new().await;
    let mut other = app("other");
    other.login.ios = vec!["ABCDE12345.com.example.other".parse::<IosAppId>().unwrap()];
    host.store.create_app(other).await.unwrap();
    let mut elsewhere = app("elsewhere");
    elsewhere.login.link_host = None;
    host.store.create_app(elsewhere).await.unwrap();
    let android = get(&host, ANDROID, LINK_HOST).await.json();
    assert_eq!(android.as_array().unwrap().len(), 2);
    let ios = get(&host, IOS, LINK_HOST).await.json();
    let details = &ios["applinks"]["details"];
    assert_eq!(details.as_array().unwrap().len(), 1);
    let both = json!([
        "ABCDE12345.com.example.shop",
        "ABCDE12345.com.example.other"
    ]);
    assert_eq!(details[0]["appIDs"], both);
}

#[tokio::test]
async fn an_app_without_phones_lists_none() {
    let host = Host::new().await;
    host.change_app(|app| {
        app.login.ios.clear();
        app.login.android.clear();
    })
    .await;
    assert_eq!(get(&host, ANDROID, LINK_HOST).await.json(), json!([]));
    let ios = get(&host, IOS, LINK_HOST).await.json();
    assert_eq!(ios, json!({"applinks": {"details": []}}));
}

#[tokio::test]
async fn other_hosts_have_no_links() {
    let host = Host::new().await;
    for path in [ANDROID, IOS, "/"] {
        for name in ["shop.example", "login.shop.example:8443", "203.0.113.1", ""] {
            assert_eq!(
                get(&host, path, name).await.code(),
                "not_found",
                "{path} {name}"
            );
        }
        let nameless = host.send(asked("GET", path, &[], None)).await;
        assert_eq!(nameless.code(), "not_found");
    }
}

#[tokio::test]
async fn people_without_the_app_find_a_page() {
    let host = Host::new().await;
    let page = get(&host, "/", LINK_HOST).await;
    assert_eq!(
        page.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"));
    for part in [
        "frame-ancestors 'none'",
        "form-action 'none'",
        "base-uri 'none'",
    ] {
        assert!(policy.contains(part), "{part}");
    }
    assert!(!policy.contains("unsafe"));
    assert_eq!(page.header("referrer-policy"), Some("no-referrer"));
    let html = String::from_utf8(page.body.to_vec()).unwrap();
    for part in [
        "<html lang=\"en\">",
        "name=\"viewport\"",
        "prefers-color-scheme: dark",
    ] {
        assert!(html.contains(part), "{part}");
    }
    for part in ["<script", "http:", "https:", "<form", "<img"] {
        assert!(!html.contains(part), "{part}");
    }
    // The same whatever the link says: nothing is looked up.
    for query in [
        "/?sessionId=qrs_0123456789abcdef0123456789abcdef",
        "/?sessionId=%3Cscript%3E",
    ] {
        assert_eq!(get(&host, query, LINK_HOST).await.body, page.body);
    }
    for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
        let request = asked(method, "/", &[("host", LINK_HOST)], None);
        let answer = host.send(request).await;
        assert_eq!(answer.code(), "method_not_allowed");
        assert_eq!(answer.header("allow"), Some("GET,HEAD"));
    }
}

/// The page at `/` is the host's choice.
#[tokio::test]
async fn a_host_may_have_its_own_page() {
    let host = Host::new().await;
    let state = ApiState::from(host.parts());
    let router = countersign_api::routes().with_state(state.clone());
    let own = axum::Router::new().route("/", axum::routing::get(async || "mine"));
    let router = countersign_api::framed(router.merge(own), &state);
    let answer = send_to(router, asked("GET", "/", &[("host", LINK_HOST)], None)).await;
    assert_eq!(answer.status(), 200);
    assert_eq!(
        answer.headers()["content-type"],
        "text/plain; charset=utf-8"
    );
}

#[tokio::test]
async fn hosts_that_cannot_be_looked_up_are_our_fault() {
    let host = Host::with(|parts| parts.apps = Arc::new(BrokenApps)).await;
    for path in [ANDROID, IOS, "/"] {
        let answer = get(&host, path, LINK_HOST).await;
        assert_eq!(answer.code(), "service_unavailable", "{path}");
    }
}

#[tokio::test]
async fn any_page_may_load_the_login_element() {
    let host = Host::new().await;
    let file = get(&host, "/widget.js", "any.example").await;
    let kind = file.header("content-type");
    assert_eq!(kind, Some("text/javascript; charset=utf-8"));
    let expected = [
        ("access-control-allow-origin", "*"),
        ("cross-origin-resource-policy", "cross-origin"),
        ("cache-control", "public, max-age=300"),
    ];
    for (name, value) in expected {
        assert_eq!(file.header(name), Some(value), "{name}");
    }
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../clients/widget/dist/widget.js"
    );
    assert_eq!(file.body, std::fs::read(path).unwrap());
    let tag = file.header("etag").unwrap();
    let headers = [("if-none-match", tag)];
    let again = host.send(asked("GET", "/widget.js", &headers, None)).await;
    assert_eq!(again.status, 304);
    assert_eq!(again.header("etag"), Some(tag));
    for (name, value) in expected {
        assert_eq!(again.header(name), Some(value), "{name}");
    }
    let headers = [("if-none-match", "\"older\"")];
    let newer = host.send(asked("GET", "/widget.js", &headers, None)).await;
    assert_eq!(newer.body, file.body);
}

#[tokio::test]
async fn the_login_element_travels_compressed_for_who_takes_that() {
    let host = Host::new().await;
    let plain = get(&host, "/widget.js", "any.example").await;
    assert_eq!(plain.header("vary"), Some("Accept-Encoding"));
    let ask = async |accepted: &str| {
        let headers = [("accept-encoding", accepted)];
        host.send(asked("GET", "/widget.js", &headers, None)).await
    };
    for accepted in ["gzip", "br, GZIP;q=0.5", "deflate,gzip;q=1.0"] {
        let packed = ask(accepted).await;
        assert_eq!(
            packed.header("content-encoding"),
            Some("gzip"),
            "{accepted}"
        );
        assert_eq!(packed.header("vary"), Some("Accept-Encoding"));
        assert!(packed.body.len() < 20_000, "{}", packed.body.len());
        let mut unpacked = Vec::new();
        let mut decoder = flate2::read::GzDecoder::new(&*packed.body);
        std::io::Read::read_to_end(&mut decoder, &mut unpacked).unwrap();
        assert_eq!(unpacked, plain.body);
        let tag = packed.header("etag").unwrap();
        assert_ne!(Some(tag), plain.header("etag"));
        let headers = [("accept-encoding", accepted), ("if-none-match", tag)];
        let again = host.send(asked("GET", "/widget.js", &headers, None)).await;
        assert_eq!(again.status, 304);
    }
    for accepted in ["", "br", "gzip;q=0", "gzip; q=0.000", "x-gzip", "identity"] {
        let packed = ask(accepted).await;
        assert_eq!(packed.header("content-encoding"), None, "{accepted}");
        assert_eq!(packed.body, plain.body);
    }
}
