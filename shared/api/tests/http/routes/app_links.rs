//! The files and the page of link hosts.

use countersign_api::ApiState;
use countersign_domain::app::login::IosAppId;
use countersign_domain::login::texts::{Language, Texts};
use serde_json::json;
use strum::VariantArray as _;

use crate::host::{Answer, Host, LINK_HOST, app, asked, broken, send_to};

const ANDROID: &str = "/.well-known/assetlinks.json";
const IOS: &str = "/.well-known/apple-app-site-association";

async fn get(host: &Host, path: &str, name: &str) -> Answer {
    host.send(asked("GET", path, &[("host", name)], None)).await
}

#[tokio::test]
async fn files_list_the_apps_of_the_host() {
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
async fn app_without_phone_apps_lists_none() {
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
async fn other_hosts_are_not_found() {
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
async fn landing_page_is_the_same_for_every_link() {
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
        "<html lang=\"en\" dir=\"ltr\">",
        "name=\"viewport\"",
        "prefers-color-scheme: dark",
    ] {
        assert!(html.contains(part), "{part}");
    }
    for part in ["<script", "http:", "https:", "<form", "<img"] {
        assert!(!html.contains(part), "{part}");
    }
    // The page is the same for every link: no login is looked up.
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

#[tokio::test]
async fn landing_page_is_in_the_language_of_the_visitor() {
    let host = Host::new().await;
    for &language in Language::VARIANTS {
        let headers = [("host", LINK_HOST), ("accept-language", language.tag())];
        let page = host.send(asked("GET", "/", &headers, None)).await;
        assert_eq!(page.header("content-language"), Some(language.tag()));
        assert_eq!(page.header("vary"), Some("Accept-Language"));
        let html = String::from_utf8(page.body.to_vec()).unwrap();
        let direction = language.direction().as_str();
        let root = format!("<html lang=\"{}\" dir=\"{direction}\">", language.tag());
        assert!(html.contains(&root), "{html}");
        let title = Texts::for_language(language).landing(None).title;
        assert!(html.contains(&format!("<h1>{title}</h1>")), "{html}");
    }
    let page = get(&host, "/", LINK_HOST).await;
    assert_eq!(page.header("content-language"), Some("en"));
}

#[tokio::test]
async fn landing_page_names_the_app_if_the_host_has_only_one() {
    let host = Host::new().await;
    let html = async || {
        let page = get(&host, "/", LINK_HOST).await;
        String::from_utf8(page.body.to_vec()).unwrap()
    };
    assert!(html().await.contains("opens in the demo app"));
    host.store.create_app(app("other")).await.unwrap();
    let html = html().await;
    assert!(!html.contains("demo") && !html.contains("other"));
    assert!(html.contains("opens in the app of the site"));
}

/// The host chooses the page at `/`.
#[tokio::test]
async fn host_may_serve_its_own_page() {
    let host = Host::new().await;
    let state = ApiState::from(host.parts());
    let router = countersign_api::routes(&state);
    let own = axum::Router::new().route("/", axum::routing::get(async || "mine"));
    let router = countersign_api::with_middleware(router.merge(own), state.entropy.clone());
    let answer = send_to(router, asked("GET", "/", &[("host", LINK_HOST)], None)).await;
    assert_eq!(answer.status(), 200);
    assert_eq!(
        answer.headers()["content-type"],
        "text/plain; charset=utf-8"
    );
}

#[tokio::test]
async fn failed_lookup_returns_503() {
    let host = Host::failing(broken::apps).await;
    for path in [ANDROID, IOS, "/"] {
        let answer = get(&host, path, LINK_HOST).await;
        assert_eq!(answer.code(), "service_unavailable", "{path}");
    }
}
