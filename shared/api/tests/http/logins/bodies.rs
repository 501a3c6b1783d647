//! Malformed and oversized bodies of each route, and the order in which faults are reported.

use axum::body::Body;
use countersign_conformance::samples::logins::{mobile_token, sealed};
use http::Request;
use serde_json::{Value, json};

use crate::host::{Answer, Host, Opened, RECEIPT, SHOP, asked};

/// Returns a request to a route that would succeed with the right body.
fn request(method: &str, opened: &Opened, rest: &str) -> Request<Body> {
    let key = Host::app_key();
    let token = match rest {
        "/initiate" | "/confirm" | "/deny" => mobile_token(1).reveal(),
        _ => opened.token.clone(),
    };
    let bearer = format!("Bearer {token}");
    let path = match rest {
        "new" => "/qr-sessions".to_owned(),
        _ => opened.path(rest),
    };
    let headers = [
        ("x-app-key", key.as_str()),
        ("authorization", bearer.as_str()),
        ("origin", SHOP),
        ("content-type", "application/json"),
    ];
    asked(method, &path, &headers, None)
}

async fn with_body(
    host: &Host,
    (method, rest): (&str, &str),
    opened: &Opened,
    body: impl Into<Body>,
) -> Answer {
    let mut request = request(method, opened, rest);
    *request.body_mut() = body.into();
    host.send(request).await
}

const JSON: [(&str, &str); 5] = [
    ("POST", "new"),
    ("POST", "/redeem"),
    ("POST", "/initiate"),
    ("POST", "/confirm"),
    ("POST", "/deny"),
];
const IGNORED: [(&str, &str); 2] = [("GET", ""), ("DELETE", "")];

#[tokio::test]
async fn large_body_is_refused_everywhere() {
    let host = Host::new().await;
    let opened = host.scanned().await;
    for route in JSON.into_iter().chain(IGNORED) {
        let large = " ".repeat(countersign_api::MAX_BODY + 1);
        let answer = with_body(&host, route, &opened, large).await;
        assert_eq!(answer.code(), "body_too_large", "{route:?}");
    }
    assert_eq!(host.state_of(&opened).await, "scanned");
}

#[tokio::test]
async fn malformed_body_is_refused_if_it_is_read() {
    let host = Host::new().await;
    let opened = host.scanned().await;
    for route in JSON {
        for (body, code) in [
            ("{", "malformed_json"),
            ("\u{feff}{}", "malformed_json"),
            ("[]", "body_not_object"),
            ("true", "body_not_object"),
            (r#"{"a":1,"a":2}"#, "duplicate_field"),
        ] {
            let answer = with_body(&host, route, &opened, body).await;
            assert_eq!(answer.code(), code, "{route:?} {body}");
        }
        let mut plain = request(route.0, &opened, route.1);
        *plain.body_mut() = Body::from("{}");
        plain.headers_mut().remove("content-type");
        assert_eq!(host.send(plain).await.code(), "unsupported_content_type");
    }
    assert_eq!(host.state_of(&opened).await, "scanned");
}

#[tokio::test]
async fn wrong_field_is_named() {
    let host = Host::new().await;
    let opened = host.scanned().await;
    let long = "x".repeat(8_193);
    let long_proof = format!("a.b.{}", "c".repeat(2_045));
    for (route, body, code, field) in [
        (
            "new",
            json!({"browserPublicKey": 7}),
            "field_wrong_type",
            "/browserPublicKey",
        ),
        (
            "new",
            json!({"browserPublicKey": "x"}),
            "browser_key_malformed",
            "/browserPublicKey",
        ),
        (
            "/initiate",
            json!({"publicUserId": []}),
            "field_wrong_type",
            "/publicUserId",
        ),
        (
            "/initiate",
            json!({"publicUserId": ""}),
            "public_user_id_malformed",
            "/publicUserId",
        ),
        ("/confirm", json!({}), "field_missing", "/payload"),
        (
            "/confirm",
            json!({"payload": null}),
            "field_missing",
            "/payload",
        ),
        (
            "/confirm",
            json!({"payload": {}}),
            "field_wrong_type",
            "/payload",
        ),
        (
            "/confirm",
            json!({"payload": long}),
            "payload_too_long",
            "/payload",
        ),
        (
            "/confirm",
            json!({"payload": "", "encrypted": "yes"}),
            "field_wrong_type",
            "/encrypted",
        ),
        (
            "/confirm",
            json!({"payload": "x", "encrypted": true}),
            "payload_not_sealed",
            "/payload",
        ),
        (
            "/confirm",
            json!({"payload": "x", "salt": 7}),
            "field_wrong_type",
            "/salt",
        ),
        (
            "/confirm",
            json!({"payload": "x", "salt": "A".repeat(21)}),
            "salt_malformed",
            "/salt",
        ),
        (
            "/confirm",
            json!({"payload": "x", "salt": "A".repeat(43)}),
            "salt_malformed",
            "/salt",
        ),
        (
            "/confirm",
            json!({"payload": "x", "salt": "A".repeat(9_000)}),
            "salt_malformed",
            "/salt",
        ),
        (
            "/confirm",
            json!({"payload": "x", "proof": {}}),
            "field_wrong_type",
            "/proof",
        ),
        (
            "/confirm",
            json!({"payload": "x", "salt": "A".repeat(22), "proof": "a.b"}),
            "proof_malformed",
            "/proof",
        ),
        (
            "/confirm",
            json!({"payload": "x", "salt": "A".repeat(22), "proof": long_proof}),
            "proof_malformed",
            "/proof",
        ),
        (
            "/confirm",
            json!({"payload": "x", "proof": "a.b.c"}),
            "field_missing",
            "/salt",
        ),
        (
            "/confirm",
            json!({
                "payload": sealed().payload().as_str(),
                "encrypted": true,
                "salt": "A".repeat(22),
            }),
            "salt_exposed",
            "/salt",
        ),
        ("/deny", json!({}), "field_missing", "/payload"),
        (
            "/deny",
            json!({"payload": long}),
            "payload_too_long",
            "/payload",
        ),
        (
            "/deny",
            json!({"payload": "", "reason": "other"}),
            "reason_unknown",
            "/reason",
        ),
        (
            "/deny",
            json!({"payload": "", "reason": ""}),
            "reason_unknown",
            "/reason",
        ),
        (
            "/deny",
            json!({"payload": "", "reason": true}),
            "field_wrong_type",
            "/reason",
        ),
        ("/redeem", json!({}), "field_missing", "/receipt"),
        (
            "/redeem",
            json!({"receipt": null}),
            "field_missing",
            "/receipt",
        ),
        (
            "/redeem",
            json!({"receipt": 7}),
            "field_wrong_type",
            "/receipt",
        ),
        (
            "/redeem",
            json!({"receipt": "A".repeat(20)}),
            "receipt_malformed",
            "/receipt",
        ),
        (
            "/redeem",
            json!({"receipt": "A".repeat(44)}),
            "receipt_malformed",
            "/receipt",
        ),
        (
            "/redeem",
            json!({"receipt": format!("{RECEIPT}==")}),
            "receipt_malformed",
            "/receipt",
        ),
    ] {
        let answer = with_body(&host, ("POST", route), &opened, body.to_string()).await;
        let expected = (code.to_owned(), Some(field.to_owned()));
        assert_eq!(answer.code_at(), expected, "{route} {body}");
        assert!(answer.json()["detail"].as_str().unwrap().ends_with('.'));
    }
    let surrogate = with_body(
        &host,
        ("POST", "/confirm"),
        &opened,
        r#"{"payload":"\ud800"}"#,
    );
    assert_eq!(surrogate.await.code(), "field_not_unicode");
    assert_eq!(host.state_of(&opened).await, "scanned");
}

#[tokio::test]
async fn null_counts_as_absent() {
    let host = Host::new().await;
    let opened = host.scanned().await;
    let body: Value = json!({"payload": "yes", "encrypted": null, "salt": null, "proof": null});
    let answer = with_body(&host, ("POST", "/confirm"), &opened, body.to_string()).await;
    assert_eq!(answer.json(), json!(true));
}

#[tokio::test]
async fn ignored_body_may_be_anything() {
    let host = Host::new().await;
    let opened = host.confirmed().await;
    for (route, status) in [(("GET", ""), 200), (("DELETE", ""), 204)] {
        let answer = with_body(&host, route, &opened, "not json").await;
        assert_eq!(answer.status, status, "{route:?}");
    }
}

#[tokio::test]
async fn denial_without_a_reason_may_send_null() {
    let host = Host::new().await;
    let opened = host.scanned().await;
    let body: Value = json!({"payload": "", "reason": null, "encrypted": true});
    let answer = with_body(&host, ("POST", "/deny"), &opened, body.to_string()).await;
    assert_eq!(answer.json(), json!(true));
    assert_eq!(host.state_of(&opened).await, "denied");
}

/// A caller without a token learns nothing about a login, and the answer to a wrong token does not say
/// whether it is malformed.
#[tokio::test]
async fn faults_are_reported_in_order() {
    let host = Host::new().await;
    let opened = host.scanned().await;
    let mut bare = request("POST", &opened, "/confirm");
    *bare.body_mut() = Body::from("{");
    bare.headers_mut().remove("authorization");
    assert_eq!(host.send(bare).await.code(), "token_missing");
    for token in ["x", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"] {
        for (body, code) in [
            ("{", "malformed_json"),
            ("{}", "field_missing"),
            (r#"{"payload":""}"#, "session_not_found"),
        ] {
            let mut request = request("POST", &opened, "/confirm");
            let bearer = format!("Bearer {token}").parse().unwrap();
            request.headers_mut().insert("authorization", bearer);
            *request.body_mut() = Body::from(body);
            assert_eq!(host.send(request).await.code(), code, "{token}");
        }
    }
}
