//! Public keys, the API description, explanations of the problems, and the server's health.

use axum::body::Body;
use http::Request;
use serde_json::json;
use std::sync::Arc;

use crate::host::{Answer, FixedSigner, Host};
use countersign_conformance::ports::DigestSigner;

async fn get(host: &Host, path: &str) -> Answer {
    host.send(Request::get(path).body(Body::empty()).unwrap())
        .await
}

#[tokio::test]
async fn public_key_is_the_current_one_in_pem() {
    let host = Host::new().await;
    let answer = get(&host, "/public-key").await;
    assert_eq!(answer.status, 200);
    assert_eq!(
        answer.header("content-type"),
        Some("application/x-pem-file")
    );
    assert_eq!(answer.header("cache-control"), Some("public, max-age=300"));
    let pem = FixedSigner::keys()[0].to_pem();
    assert_eq!(answer.body, pem);
    assert!(pem.starts_with("-----BEGIN PUBLIC KEY-----\n"));
}

#[tokio::test]
async fn jwks_has_every_key() {
    let host = Host::new().await;
    let answer = get(&host, "/.well-known/jwks.json").await;
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(answer.header("cache-control"), Some("public, max-age=300"));
    let keys = FixedSigner::keys();
    let jwk = |key: &countersign_domain::delivery::signing::PublicKey| {
        json!({
            "kty": "EC",
            "crv": "P-256",
            "x": key.x_base64url(),
            "y": key.y_base64url(),
            "kid": key.key_id().as_str(),
            "use": "sig",
            "alg": "ES256",
        })
    };
    assert_eq!(
        answer.json(),
        json!({"keys": [jwk(&keys[0]), jwk(&keys[1])]})
    );
}

#[tokio::test]
async fn failed_signer_returns_503() {
    let host = Host::with(|parts| parts.signer = Arc::new(DigestSigner::broken())).await;
    for path in ["/public-key", "/.well-known/jwks.json"] {
        let answer = get(&host, path).await;
        assert_eq!(answer.code(), "service_unavailable");
        assert_eq!(answer.header("cache-control"), Some("no-store"));
    }
}

#[tokio::test]
async fn description_is_served() {
    let host = Host::new().await;
    let answer = get(&host, "/openapi.json").await;
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(answer.body, countersign_api::openapi::json());
}

#[tokio::test]
async fn healthy_server_answers_ok() {
    let host = Host::new().await;
    let answer = get(&host, "/healthz").await;
    assert_eq!(answer.json(), json!({"status": "ok"}));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
}

#[tokio::test]
async fn type_of_a_problem_leads_to_its_paragraph() {
    let host = Host::new().await;
    let problem = get(&host, "/nothing").await;
    assert_eq!(problem.code(), "not_found");
    let paragraph = get(&host, problem.json()["type"].as_str().unwrap()).await;
    assert_eq!(paragraph.status, 200);
    let text = Some("text/plain; charset=utf-8");
    assert_eq!(paragraph.header("content-type"), text);
    let caching = Some("public, max-age=300");
    assert_eq!(paragraph.header("cache-control"), caching);
    let begin = "### `not_found`\n\n404 · There";
    assert!(paragraph.body.starts_with(begin.as_bytes()));
    for unknown in ["nothing", "NOT_FOUND", "not_found%00", "%ff", "a%2Fb"] {
        let answer = get(&host, &format!("/problems/{unknown}")).await;
        assert_eq!(answer.code(), "not_found", "{unknown}");
    }
}
