//! The web authenticator's pages, on the link host of an app that has switched them on.

use http::Method;

use crate::host::{Answer, Host, LINK_HOST, asked};
use crate::phone_registrations::world::share_link_host;

const FILES: [(&str, &str); 2] = [
    ("/phone/page.js", "text/javascript; charset=utf-8"),
    ("/phone/page.css", "text/css; charset=utf-8"),
];

async fn get(host: &Host, path: &str, name: &str) -> Answer {
    host.send(asked("GET", path, &[("host", name)], None)).await
}

fn text(answer: &Answer) -> String {
    String::from_utf8(answer.body.to_vec()).unwrap()
}

async fn host() -> Host {
    let host = Host::new().await;
    host.change_app(|app| {
        app.login.web_phone = true;
        app.login.phone_setup_url = "https://shop.example/phones".parse().ok();
    })
    .await;
    host
}

#[tokio::test]
async fn host_of_an_app_with_web_phone_serves_the_pages() {
    let host = host().await;
    let confirmation = get(
        &host,
        "/?sessionId=qrs_0123456789abcdef0123456789abcdef",
        LINK_HOST,
    )
    .await;
    let setup = get(&host, "/phone-setup", LINK_HOST).await;
    for (page, kind) in [(&confirmation, "confirm"), (&setup, "setup")] {
        assert_eq!(page.status, 200);
        let html = text(page);
        assert!(html.contains(&format!("data-page=\"{kind}\"")));
        assert!(
            html.contains("src=\"/phone/page.js\"") && html.contains("href=\"/phone/page.css\"")
        );
        for part in ["<style", " style=", "http:", "onclick", "javascript:"] {
            assert!(!html.contains(part), "{kind}: {part}");
        }
        let policy = page.header("content-security-policy").unwrap();
        assert!(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"));
        assert_eq!(page.header("cache-control"), Some("no-store"));
        assert_eq!(page.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(page.header("vary"), Some("Accept-Language"));
    }
    assert!(text(&confirmation).contains("href=\"https://shop.example/phones\""));
    // No login is looked up.
    assert_eq!(
        get(&host, "/?sessionId=x", LINK_HOST).await.body,
        confirmation.body
    );
}

#[tokio::test]
async fn other_hosts_and_apps_have_no_such_pages() {
    let host = host().await;
    assert_eq!(
        get(&host, "/phone-setup", "other.example").await.code(),
        "not_found"
    );
    host.change_app(|app| app.login.web_phone = false).await;
    assert_eq!(
        get(&host, "/phone-setup", LINK_HOST).await.code(),
        "not_found"
    );
    assert!(text(&get(&host, "/", LINK_HOST).await).contains("opens in the demo app"));
    // An app that shares its host gets no page.
    host.change_app(|app| app.login.web_phone = true).await;
    share_link_host(&host);
    assert_eq!(
        get(&host, "/phone-setup", LINK_HOST).await.code(),
        "not_found"
    );
}

#[tokio::test]
async fn files_are_the_same_for_every_host() {
    let host = Host::new().await;
    for (path, kind) in FILES {
        let file = get(&host, path, "any.example").await;
        assert_eq!(
            (file.status.as_u16(), file.header("content-type")),
            (200, Some(kind))
        );
        assert_eq!(file.header("cache-control"), Some("no-cache"));
        let tag = file.header("etag").unwrap();
        let again = host
            .send(asked("GET", path, &[("if-none-match", tag)], None))
            .await;
        assert_eq!(again.status, 304);
        let wrong = host
            .send(asked(Method::POST.as_str(), path, &[], None))
            .await;
        assert_eq!(wrong.code(), "method_not_allowed");
    }
}
