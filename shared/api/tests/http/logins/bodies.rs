//! Malformed and oversized bodies for each route, and the order in which errors are reported.

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

/// A body that a route refuses: the route, the body, the problem's code, and the field.
type Refused = (&'static str, Value, &'static str, &'static str);

/// Checks that each body is refused, and that the login does not change.
async fn are_refused(rows: impl IntoIterator<Item = Refused>) {
    let host = Host::new().await;
    let opened = host.scanned().await;
    for (route, body, code, field) in rows {
        let answer = with_body(&host, ("POST", route), &opened, body.to_string()).await;
        let expected = (code.to_owned(), Some(field.to_owned()));
        assert_eq!(answer.code_at(), expected, "{route} {body}");
        assert!(answer.json()["detail"].as_str().unwrap().ends_with('.'));
    }
    assert_eq!(host.state_of(&opened).await, "scanned");
}

#[tokio::test]
async fn wrong_field_of_a_new_login_is_named() {
    let at = "/browserPublicKey";
    are_refused(
        [
            (json!(7), "field_wrong_type"),
            (json!("x"), "browser_key_malformed"),
        ]
        .map(|(key, code)| ("new", json!({"browserPublicKey": key}), code, at)),
    )
    .await;
}

#[tokio::test]
async fn wrong_field_of_a_phone_is_named() {
    let at = "/publicUserId";
    are_refused(
        [
            (json!([]), "field_wrong_type"),
            (json!(""), "public_user_id_malformed"),
            (json!("zoe\u{200b}"), "public_user_id_malformed"),
            (json!("zо\u{435}"), "public_user_id_malformed"),
        ]
        .map(|(user, code)| ("/initiate", json!({"publicUserId": user}), code, at)),
    )
    .await;
}

#[tokio::test]
async fn wrong_payload_is_named() {
    let long = "x".repeat(8_193);
    for route in ["/confirm", "/deny"] {
        are_refused(
            [
                (json!({}), "field_missing"),
                (json!({"payload": null}), "field_missing"),
                (json!({"payload": {}}), "field_wrong_type"),
                (json!({"payload": long}), "payload_too_long"),
            ]
            .map(|(body, code)| (route, body, code, "/payload")),
        )
        .await;
    }
    let confirm = |body, code, at| ("/confirm", body, code, at);
    are_refused([
        confirm(
            json!({"payload": "", "encrypted": "yes"}),
            "field_wrong_type",
            "/encrypted",
        ),
        confirm(
            json!({"payload": "x", "encrypted": true}),
            "payload_not_sealed",
            "/payload",
        ),
    ])
    .await;
}

#[tokio::test]
async fn wrong_salt_is_named() {
    let (fitting, sealed) = ("A".repeat(22), sealed());
    let sealed = sealed.payload().as_str();
    are_refused(
        [
            (json!({"payload": "x", "salt": 7}), "field_wrong_type"),
            (
                json!({"payload": "x", "salt": "A".repeat(21)}),
                "salt_malformed",
            ),
            (
                json!({"payload": "x", "salt": "A".repeat(43)}),
                "salt_malformed",
            ),
            (
                json!({"payload": "x", "salt": "A".repeat(9_000)}),
                "salt_malformed",
            ),
            (json!({"payload": "x", "proof": "a.b.c"}), "field_missing"),
            (
                json!({"payload": sealed, "encrypted": true, "salt": fitting}),
                "salt_exposed",
            ),
        ]
        .map(|(body, code)| ("/confirm", body, code, "/salt")),
    )
    .await;
}

#[tokio::test]
async fn wrong_proof_is_named() {
    let long = format!("a.b.{}", "c".repeat(2_045));
    are_refused(
        [
            (json!({}), "field_wrong_type"),
            (json!("a.b"), "proof_malformed"),
            (json!("a.b.c="), "proof_malformed"),
            (json!(long), "proof_malformed"),
        ]
        .map(|(proof, code)| {
            let body = json!({"payload": "x", "salt": "A".repeat(22), "proof": proof});
            ("/confirm", body, code, "/proof")
        }),
    )
    .await;
}

#[tokio::test]
async fn wrong_reason_is_named() {
    are_refused(
        [
            (json!("other"), "reason_unknown"),
            (json!(""), "reason_unknown"),
            (json!(true), "field_wrong_type"),
        ]
        .map(|(reason, code)| {
            let body = json!({"payload": "", "reason": reason});
            ("/deny", body, code, "/reason")
        }),
    )
    .await;
}

#[tokio::test]
async fn wrong_receipt_is_named() {
    are_refused(
        [
            (json!({}), "field_missing"),
            (json!({"receipt": null}), "field_missing"),
            (json!({"receipt": 7}), "field_wrong_type"),
            (json!({"receipt": "A".repeat(20)}), "receipt_malformed"),
            (json!({"receipt": "A".repeat(44)}), "receipt_malformed"),
            (
                json!({"receipt": format!("{RECEIPT}==")}),
                "receipt_malformed",
            ),
        ]
        .map(|(body, code)| ("/redeem", body, code, "/receipt")),
    )
    .await;
}

#[tokio::test]
async fn lone_surrogate_is_refused() {
    let host = Host::new().await;
    let opened = host.scanned().await;
    let surrogate = r#"{"payload":"\ud800"}"#;
    let answer = with_body(&host, ("POST", "/confirm"), &opened, surrogate).await;
    assert_eq!(answer.code(), "field_not_unicode");
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

/// A caller without a token learns nothing about a login, and the answer to a wrong token does not
/// reveal whether it is malformed.
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
