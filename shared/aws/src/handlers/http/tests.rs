#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use axum::Extension;
use axum::extract::RawQuery;
use axum::http::StatusCode;
use axum::routing::{any, post};
use countersign_api::RequestId;
use countersign_api::viewer::PeerAddress;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Uri};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::events::http::samples::{Kind, Sample};

fn metrics() -> EmbeddedMetrics {
    EmbeddedMetrics::new("shop".to_owned(), "shop-echo".to_owned())
}

fn request(event: &Value) -> HttpEvent {
    serde_json::from_str(&event.to_string()).unwrap()
}

/// Answers an event as the function does.
async fn answer(router: Router, event: Value) -> Value {
    let handler = HttpHandler::new(router, Arc::new(metrics()));
    let answer = handler.handle(request(&event), "invocation").await;
    serde_json::to_value(answer.unwrap()).unwrap()
}

/// Returns a header of an answer, wherever the kind of event has it.
fn header<'a>(answer: &'a Value, name: &str) -> &'a Value {
    match &answer["headers"][name] {
        Value::Null => &answer["multiValueHeaders"][name][0],
        value => value,
    }
}

fn echo() -> Router {
    Router::new()
        .route(
            "/echo",
            post(
                async |headers: HeaderMap, id: Option<Extension<RequestId>>, body: String| {
                    let key = headers["x-api-key"].to_str().unwrap().to_owned();
                    let id = id.map(|id| id.as_str().to_owned()).unwrap_or_default();
                    (StatusCode::CREATED, format!("{key} {id} {body}"))
                },
            ),
        )
        .route("/bytes", any(async || vec![0xff_u8, 0x00]))
        .route("/items/{id}", any(async || "item"))
        .route(
            "/query",
            any(async |RawQuery(query): RawQuery| query.unwrap_or_default()),
        )
        .route(
            "/headers",
            any(async |method: Method, headers: HeaderMap| {
                let values = |name| {
                    let values = headers.get_all(name).iter();
                    let values: Vec<_> = values.map(|value| value.to_str().unwrap()).collect();
                    values.join("|")
                };
                format!("{method} {} {}", values("x-many"), values("cookie"))
            }),
        )
        .route(
            "/target",
            any(async |uri: Uri, headers: HeaderMap| {
                format!("{uri} {}", headers["host"].to_str().unwrap())
            }),
        )
        .route(
            "/peer",
            any(async |peer: Option<Extension<PeerAddress>>| {
                peer.map(|peer| peer.0.0.to_string()).unwrap_or_default()
            }),
        )
}

fn sample(method: &str, path: &str) -> Sample {
    Sample::new(method, path).header("x-api-key", "secret")
}

#[tokio::test]
async fn request_and_answer_of_every_kind_are_carried_over() {
    for kind in Kind::ALL {
        let event = sample("POST", "/echo").body("hällo").event(kind);
        let answer = answer(echo(), event).await;
        let id = match kind {
            Kind::LoadBalancer | Kind::LoadBalancerMultiValue => "",
            _ => "JKJaXmPLvHcESHA=",
        };
        assert_eq!(answer["statusCode"], 201, "{kind:?}");
        assert_eq!(answer["body"], format!("secret {id} hällo"), "{kind:?}");
        assert_eq!(answer["isBase64Encoded"], false, "{kind:?}");
        assert_eq!(
            header(&answer, "content-type"),
            "text/plain; charset=utf-8",
            "{kind:?}"
        );
    }
}

#[tokio::test]
async fn answer_of_a_load_balancer_has_headers_in_both_forms() {
    let answer = answer(echo(), sample("GET", "/items/1").event(Kind::LoadBalancer)).await;
    let content_type = "text/plain; charset=utf-8";
    assert_eq!(answer["headers"]["content-type"], content_type);
    assert_eq!(
        answer["multiValueHeaders"]["content-type"],
        json!([content_type])
    );
    assert_eq!(answer["statusDescription"], "200 OK");
}

#[tokio::test]
async fn bodies_are_carried_in_base64() {
    for kind in Kind::ALL {
        let event = sample("POST", "/echo")
            .body("aMOkbGxv")
            .encoded()
            .event(kind);
        let text = answer(echo(), event).await;
        let body = text["body"].as_str().unwrap();
        assert!(body.ends_with(" hällo"), "{kind:?}: {body}");

        let bytes = answer(echo(), sample("GET", "/bytes").event(kind)).await;
        assert_eq!(bytes["body"], "/wA=", "{kind:?}");
        assert_eq!(bytes["isBase64Encoded"], true, "{kind:?}");
    }
}

#[tokio::test]
async fn body_that_is_no_base64_reaches_its_route_as_text() {
    for kind in Kind::ALL {
        let event = sample("POST", "/echo")
            .body("no base64!")
            .encoded()
            .event(kind);
        let text = answer(echo(), event).await;
        let body = text["body"].as_str().unwrap();
        assert!(body.ends_with(" no base64!"), "{kind:?}: {body}");
    }
}

#[tokio::test]
async fn query_is_carried_over() {
    for kind in Kind::ALL {
        let event = sample("GET", "/query").query("a", "1").event(kind);
        assert_eq!(answer(echo(), event).await["body"], "a=1", "{kind:?}");
        let event = sample("GET", "/query").event(kind);
        assert_eq!(answer(echo(), event).await["body"], "", "{kind:?}");
    }
}

#[tokio::test]
async fn repeated_headers_and_cookies_are_carried_over() {
    for (kind, many, cookies) in [
        (Kind::RestApi, "one|two", "a=1|b=2"),
        (Kind::HttpApiV1, "one|two", "a=1|b=2"),
        (Kind::HttpApi, "one,two", "a=1; b=2"),
        (Kind::FunctionUrl, "one,two", "a=1; b=2"),
        (Kind::LoadBalancer, "two", "b=2"),
        (Kind::LoadBalancerMultiValue, "one|two", "a=1|b=2"),
    ] {
        let event = sample("PUT", "/headers")
            .header("x-many", "one")
            .header("x-many", "two")
            .header("cookie", "a=1")
            .header("cookie", "b=2")
            .event(kind);
        let body = format!("PUT {many} {cookies}");
        assert_eq!(answer(echo(), event).await["body"], body, "{kind:?}");
    }
}

#[tokio::test]
async fn target_has_no_host_and_the_header_has_it() {
    for kind in Kind::ALL {
        let event = sample("GET", "/target").event(kind);
        let body = answer(echo(), event).await["body"].clone();
        assert_eq!(body, "/target api.example", "{kind:?}");
    }
}

#[tokio::test]
async fn stage_is_no_part_of_the_path() {
    for kind in Kind::ALL {
        let event = sample("GET", "/items/1").stage("prod").event(kind);
        assert_eq!(answer(echo(), event).await["body"], "item", "{kind:?}");
    }
}

#[tokio::test]
async fn peer_is_the_platforms_word() {
    for kind in Kind::ALL {
        for address in ["192.0.2.1", "2001:db8::1"] {
            let mut sample = sample("GET", "/peer").header("x-forwarded-for", "198.51.100.7");
            address.clone_into(&mut sample.peer);
            let body = answer(echo(), sample.event(kind)).await["body"].clone();
            assert_eq!(body, address, "{kind:?}");
        }
        let mut sample = sample("GET", "/peer");
        "nowhere".clone_into(&mut sample.peer);
        let body = answer(echo(), sample.event(kind)).await["body"].clone();
        assert_eq!(body, "", "{kind:?}");
    }
}

#[tokio::test]
async fn missing_peer_is_unknown() {
    let mut v2 = sample("GET", "/peer").event(Kind::HttpApi);
    v2["requestContext"]["http"]["sourceIp"] = Value::Null;
    let mut v1 = sample("GET", "/peer").event(Kind::RestApi);
    v1["requestContext"]["identity"] = json!({});
    let mut alb = sample("GET", "/peer").event(Kind::LoadBalancer);
    alb["headers"] = json!({});
    for event in [v2, v1, alb] {
        assert_eq!(answer(echo(), event).await["body"], "");
    }
}

#[tokio::test]
async fn peer_of_a_load_balancer_may_have_a_port() {
    for (peer, address) in [
        ("192.0.2.1:49152", "192.0.2.1"),
        ("[2001:db8::1]:49152", "2001:db8::1"),
    ] {
        let mut sample = sample("GET", "/peer");
        peer.clone_into(&mut sample.peer);
        let body = answer(echo(), sample.event(Kind::LoadBalancer)).await["body"].clone();
        assert_eq!(body, address);
    }
}

#[tokio::test]
async fn answers_of_500_and_above_are_counted() {
    let statuses = [200, 404, 429, 499, 500, 503, 599];
    let statuses = statuses.map(|status| StatusCode::from_u16(status).unwrap());
    let metrics = Arc::new(metrics());
    for status in statuses {
        let router = Router::new().route("/echo", any(async move || status));
        let handler = HttpHandler::new(router, Arc::clone(&metrics));
        let event = sample("GET", "/echo").event(Kind::HttpApi);
        handler.handle(request(&event), "invocation").await.unwrap();
    }
    assert_eq!(metrics.server_errors(), 3);
}

/// Answers every request with these headers.
fn answering(headers: &'static [(&'static str, &'static [u8])]) -> Router {
    Router::new().fallback(async move || {
        let mut response = Response::new(Body::empty());
        for (name, value) in headers {
            let name = HeaderName::from_static(name);
            let value = HeaderValue::from_bytes(value).unwrap();
            response.headers_mut().append(name, value);
        }
        response
    })
}

#[tokio::test]
async fn repeated_headers_of_an_answer_are_joined() {
    let router = answering(&[("x-many", b"one"), ("x-many", b"two")]);
    for kind in Kind::ALL {
        let answer = answer(router.clone(), sample("GET", "/echo").event(kind)).await;
        assert_eq!(header(&answer, "x-many"), "one, two", "{kind:?}");
    }
}

#[tokio::test]
async fn cookies_of_an_answer_are_not_joined() {
    let router = answering(&[("set-cookie", b"a=1"), ("set-cookie", b"b=2")]);
    for (kind, place) in [
        (Kind::RestApi, "/multiValueHeaders/set-cookie"),
        (Kind::HttpApi, "/cookies"),
        (Kind::FunctionUrl, "/cookies"),
        (
            Kind::LoadBalancerMultiValue,
            "/multiValueHeaders/set-cookie",
        ),
    ] {
        let answer = answer(router.clone(), sample("GET", "/echo").event(kind)).await;
        assert_eq!(
            answer.pointer(place),
            Some(&json!(["a=1", "b=2"])),
            "{kind:?}"
        );
    }
}

/// `lambda_http` cannot serialize such a header, and the runtime would end.
#[tokio::test]
async fn header_of_an_answer_that_is_no_text_is_made_one() {
    let router = answering(&[("x-bytes", b"a\xff")]);
    for kind in Kind::ALL {
        let answer = answer(router.clone(), sample("GET", "/echo").event(kind)).await;
        assert_eq!(header(&answer, "x-bytes"), "a\u{fffd}", "{kind:?}");
    }
}

#[tokio::test]
async fn answer_that_breaks_off_or_is_too_large_is_an_error() {
    let broken = || Body::from_stream(futures_util::stream::iter([Err::<Vec<u8>, _>("broken")]));
    let large = || Body::from(vec![0; MAX_ANSWER + 1]);
    let routers = [
        Router::new().fallback(async move || broken()),
        Router::new().fallback(async move || large()),
    ];
    for router in routers {
        let handler = HttpHandler::new(router, Arc::new(metrics()));
        let event = sample("GET", "/echo").event(Kind::HttpApi);
        assert!(handler.handle(request(&event), "invocation").await.is_err());
    }
}

#[tokio::test]
async fn request_that_cannot_be_ours_is_not_found() {
    for (method, path) in [
        ("NO METHOD", "/echo"),
        ("", "/echo"),
        ("POST", ""),
        ("POST", "echo"),
        ("POST", "//evil.example/echo"),
        ("POST", "http://evil.example/echo"),
        ("POST", "/x/../echo"),
    ] {
        for kind in Kind::ALL {
            let answer = answer(echo(), sample(method, path).event(kind)).await;
            assert_eq!(answer["statusCode"], 404, "{kind:?} {method:?} {path:?}");
        }
    }
    for host in ["a b", "a\"b", ""] {
        let mut sample = sample("POST", "/echo");
        sample.headers[0].1 = host.to_owned();
        for kind in Kind::ALL {
            let answer = answer(echo(), sample.event(kind)).await;
            assert_eq!(answer["statusCode"], 404, "{kind:?} {host:?}");
        }
    }
}

#[tokio::test]
async fn decoded_path_is_encoded_again() {
    for kind in Kind::ALL {
        let event = sample("GET", "/items/a b\u{e4}?#\u{0}").event(kind);
        assert_eq!(answer(echo(), event).await["body"], "item", "{kind:?}");
    }
}

proptest! {
    #[test]
    fn arbitrary_request_is_answered(
        method in "(GET|POST|.{0,8})",
        path in "(/echo|/target|/.{0,40}|.{0,40})",
        host in ".{0,12}",
        names in proptest::collection::vec((".{0,12}", ".{0,12}"), 0..6),
        body in proptest::option::of(".{0,40}"),
        is_encoded: bool,
    ) {
        let mut sample = sample(&method, &path);
        sample.headers[0].1 = host;
        sample.headers.extend(names);
        sample.body = body;
        sample.is_encoded = is_encoded;
        let router = || Router::new().fallback(async |uri: Uri| uri.to_string());
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        for kind in Kind::ALL {
            let answer = runtime.block_on(answer(router(), sample.event(kind)));
            prop_assert_eq!(&answer["statusCode"], 200);
            prop_assert!(answer["body"].as_str().unwrap_or_default().starts_with('/'));
        }
    }
}
