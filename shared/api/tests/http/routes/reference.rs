//! `GET /reference`.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use countersign_api::{ProblemCode, openapi};
use sha2::{Digest as _, Sha256};

use crate::host::{Answer, Host, asked};

async fn get(host: &Host, path: &str, headers: &[(&str, &str)]) -> Answer {
    host.send(asked("GET", path, headers, None)).await
}

async fn page(host: &Host) -> String {
    let answer = get(host, "/reference", &[]).await;
    String::from_utf8(answer.body.into()).unwrap()
}

#[tokio::test]
async fn page_is_html_that_runs_nothing() {
    let host = Host::new().await;
    let answer = get(&host, "/reference", &[]).await;
    assert_eq!(answer.status, 200);
    for (name, value) in [
        ("content-type", "text/html; charset=utf-8"),
        ("cache-control", "public, max-age=300"),
        ("vary", "Accept-Encoding"),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
    ] {
        assert_eq!(answer.header(name), Some(value), "{name}");
    }
    let policy = answer.header("content-security-policy").unwrap();
    let page = String::from_utf8(answer.body.to_vec()).unwrap();
    let (_, style) = page.split_once("<style>").unwrap();
    let (style, _) = style.split_once("</style>").unwrap();
    let hash = BASE64_STANDARD.encode(Sha256::digest(style));
    assert_eq!(
        policy,
        format!(
            "default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'; \
             frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
        )
    );
    for forbidden in ["<script", "<link", "<img", " style=", " onclick=", "src="] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
}

#[tokio::test]
async fn page_is_compressed_and_sent_once() {
    let host = Host::new().await;
    let packed = get(&host, "/reference", &[("accept-encoding", "gzip")]).await;
    assert_eq!(packed.header("content-encoding"), Some("gzip"));
    let length = packed.body.len();
    assert!(length < 80_000, "{length} bytes for each reader");
    let tag = packed.header("etag").unwrap();
    let headers = [("accept-encoding", "gzip"), ("if-none-match", tag)];
    let again = get(&host, "/reference", &headers).await;
    assert_eq!(again.status, 304);
    assert!(again.body.is_empty());
    assert!(again.header("content-security-policy").is_some());
}

/// Fails if the page was not regenerated after a change of the description. `make check` compares the whole
/// page.
#[tokio::test]
async fn page_has_a_place_for_each_operation_problem_and_schema() {
    let host = Host::new().await;
    let page = page(&host).await;
    let ids = page.split(" id=\"").skip(1);
    let ids: BTreeSet<_> = ids.filter_map(|rest| rest.split('"').next()).collect();
    let description: serde_json::Value = serde_json::from_str(openapi::json()).unwrap();
    let items = ["paths", "webhooks"].map(|section| description[section].as_object().unwrap());
    let operations = items
        .into_iter()
        .flat_map(serde_json::Map::values)
        .flat_map(|item| item.as_object().unwrap().values());
    for operation in operations {
        let id = operation["operationId"].as_str().unwrap();
        assert!(ids.contains(id), "{id}: run `make openapi`");
    }
    for code in ProblemCode::ALL {
        assert!(ids.contains(code.as_str()), "{code:?}: run `make openapi`");
    }
    for name in description["components"]["schemas"]
        .as_object()
        .unwrap()
        .keys()
    {
        assert!(
            ids.contains(&*format!("schema-{name}")),
            "{name}: run `make openapi`"
        );
    }
}

#[tokio::test]
async fn browser_is_sent_from_a_problem_to_its_place_in_the_page() {
    let host = Host::new().await;
    let path = "/problems/callback_url_not_https";
    let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    let answer = get(&host, path, &[("accept", browser)]).await;
    assert_eq!(answer.status, 303);
    let place = Some("../reference#callback_url_not_https");
    assert_eq!(answer.header("location"), place);
    assert_eq!(answer.header("vary"), Some("Accept"));
    for program in ["*/*", "text/plain, text/html;q=0", "application/json"] {
        let answer = get(&host, path, &[("accept", program)]).await;
        assert_eq!(answer.status, 200, "{program}");
        assert_eq!(answer.header("vary"), Some("Accept"));
    }
    let unknown = get(&host, "/problems/nothing", &[("accept", browser)]).await;
    assert_eq!(unknown.code(), "not_found");
}
