//! Paths and methods of the whole API and of each function.

use axum::Router;
use axum::body::Body;
use countersign_api::{ApiState, functions};
use http::{Method, Request};

use crate::host::{Answer, Host};

const ID: &str = "/confirmations/cfm_0123456789abcdef0123456789abcdef";

#[tokio::test]
async fn unknown_paths_are_not_found() {
    let host = Host::new().await;
    for path in [
        "/v1",
        "/v1/",
        "/v2/healthz",
        "/healthz/",
        "//healthz",
        "/HEALTHZ",
        "/%68ealthz",
        "/healthz%00",
        "/%ff",
        "/acquire-phone-number/",
        "/confirmations/",
        "/confirmations/a/b",
        "/confirmations/a/redact/b",
        "/qr-sessions/",
        "/qr-sessions/a/b",
        "/qr-sessions/a/redeem/b",
        "/.well-known",
        "/../healthz",
    ] {
        for method in ["GET", "POST", "DELETE", "BREW"] {
            let answer = host.call(method, path, None).await;
            assert_eq!(answer.code(), "not_found", "{method} {path}");
        }
    }
}

#[tokio::test]
async fn wrong_method_is_answered_with_the_allowed_ones() {
    let host = Host::new().await;
    let redact = format!("{ID}/redact");
    let redeliver = format!("{ID}/redeliver");
    for (path, allow) in [
        ("/acquire-phone-number", "POST"),
        ("/make-confirmation", "POST"),
        (ID, "GET,HEAD,DELETE"),
        (&redact, "POST"),
        (&redeliver, "POST"),
        ("/association-keys", "GET,HEAD,POST"),
        ("/association-keys/x", "DELETE"),
        ("/inbound-sms/generic", "POST"),
        ("/widget.js", "GET,HEAD"),
        ("/widget/de.js", "GET,HEAD"),
        ("/.well-known/assetlinks.json", "GET,HEAD"),
        ("/.well-known/apple-app-site-association", "GET,HEAD"),
        ("/public-key", "GET,HEAD"),
        ("/.well-known/jwks.json", "GET,HEAD"),
        ("/openapi.json", "GET,HEAD"),
        ("/reference", "GET,HEAD"),
        ("/problems/not_found", "GET,HEAD"),
        ("/healthz", "GET,HEAD"),
    ] {
        for method in ["PUT", "PATCH", "OPTIONS", "TRACE", "BREW"] {
            let answer = host.call(method, path, None).await;
            assert_eq!(answer.code(), "method_not_allowed", "{method} {path}");
            assert_eq!(answer.header("allow"), Some(allow), "{path}");
        }
    }
}

#[tokio::test]
async fn login_routes_allow_options() {
    let host = Host::new().await;
    let id = "/qr-sessions/qrs_0123456789abcdef0123456789abcdef";
    for (rest, allow) in [
        ("", "GET,HEAD,DELETE,OPTIONS"),
        ("/redeem", "POST,OPTIONS"),
        ("/initiate", "POST,OPTIONS"),
        ("/confirm", "POST,OPTIONS"),
        ("/deny", "POST,OPTIONS"),
    ] {
        let path = format!("{id}{rest}");
        let answer = host.call("PUT", &path, None).await;
        assert_eq!(answer.code(), "method_not_allowed", "{path}");
        assert_eq!(answer.header("allow"), Some(allow), "{path}");
    }
}

#[tokio::test]
async fn version_prefix_is_an_unknown_path() {
    let host = Host::new().await;
    let description = host.call("GET", "/openapi.json", None).await.json();
    let paths = description["paths"].as_object().unwrap();
    assert!(paths.len() >= 17);
    for (path, operations) in paths {
        let path = path
            .replace("{id}", "cfm_0123456789abcdef0123456789abcdef")
            .replace("{provider}", "generic");
        for method in operations.as_object().unwrap().keys() {
            let answer = host
                .call(&method.to_uppercase(), &format!("/v1{path}"), None)
                .await;
            assert_eq!(answer.code(), "not_found", "{method} {path}");
        }
    }
}

#[tokio::test]
async fn requests_without_a_path_are_not_found() {
    let host = Host::new().await;
    for (method, uri) in [("OPTIONS", "*"), ("CONNECT", "example.com:443")] {
        let request = Request::builder()
            .method(method)
            .uri(uri)
            .body(Body::empty())
            .unwrap();
        assert_eq!(host.send(request).await.code(), "not_found");
    }
    let absolute = Request::get("http://example.com/healthz").body(Body::empty());
    assert_eq!(host.send(absolute.unwrap()).await.status, 200);
}

#[tokio::test]
async fn head_is_get_without_the_body() {
    let host = Host::new().await;
    for path in [
        "/healthz",
        "/public-key",
        "/openapi.json",
        "/reference",
        "/problems/not_found",
    ] {
        let get = host.call("GET", path, None).await;
        let head = host.call("HEAD", path, None).await;
        assert_eq!(head.status, 200);
        assert!(head.body.is_empty());
        for name in ["content-type", "cache-control"] {
            assert_eq!(get.header(name), head.header(name));
        }
        let length = get.body.len().to_string();
        assert_eq!(head.header("content-length"), Some(length.as_str()));
    }
    let missing = host.call("HEAD", ID, None).await;
    assert_eq!(missing.status, 404);
    let wrong = host.call("HEAD", "/acquire-phone-number", None).await;
    assert_eq!(wrong.status, 405);
    assert!(missing.body.is_empty() && wrong.body.is_empty());
}

/// Returns which of these paths a router serves.
async fn serves(router: Router, host: &Host) -> Vec<&'static str> {
    let mut served = Vec::new();
    for path in [
        "/acquire-phone-number",
        "/make-confirmation",
        "/confirmations/x",
        "/inbound-sms/generic",
        "/association-keys",
        "/association-keys/x",
        "/phone-registrations",
        "/phone-registrations/x",
        "/passkeys/identify",
        "/qr-sessions",
        "/confirmation-status/x",
        "/.well-known/assetlinks.json",
        "/widget.js",
        "/widget/de.js",
        "/",
        "/healthz",
        "/reference",
    ] {
        let mut request = host.request("PUT", path, "");
        *request.method_mut() = Method::PUT;
        let peer = countersign_api::viewer::PeerAddress(std::net::IpAddr::from([203, 0, 113, 7]));
        request.extensions_mut().insert(peer);
        let answer = Answer::from_router(router.clone(), request).await;
        match answer.code().as_str() {
            "method_not_allowed" => served.push(path),
            other => assert_eq!(other, "not_found"),
        }
    }
    served
}

#[tokio::test]
async fn each_function_serves_its_own_routes() {
    let host = Host::new().await;
    let state = || ApiState::from(host.parts());
    for (router, paths) in [
        (functions::acquire(state()), &["/acquire-phone-number"][..]),
        (functions::confirm(state()), &["/make-confirmation"]),
        (
            functions::confirmations(state()),
            &["/confirmations/x", "/qr-sessions"],
        ),
        (functions::inbound_sms(state()), &["/inbound-sms/generic"]),
        (
            functions::association_keys(state()),
            &[
                "/association-keys",
                "/association-keys/x",
                "/phone-registrations",
                "/phone-registrations/x",
                "/passkeys/identify",
            ],
        ),
        (
            functions::logins(state()),
            &[
                "/qr-sessions",
                "/confirmation-status/x",
                "/.well-known/assetlinks.json",
                "/widget.js",
                "/widget/de.js",
                "/",
            ],
        ),
        (
            functions::well_known(host.parts().signer, host.parts().entropy),
            &["/healthz", "/reference"],
        ),
    ] {
        assert_eq!(serves(router, &host).await, paths);
    }
}
