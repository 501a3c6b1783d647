#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use axum::Extension;
use axum::extract::RawQuery;
use axum::http::StatusCode;
use axum::response::AppendHeaders;
use axum::routing::{any, post};
use http::Method;
use lambda_http::Context;
use lambda_http::request::LambdaRequest;
use proptest::prelude::{any as arbitrary, prop, prop_assert, proptest};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tower::ServiceExt as _;

use countersign_system::entropy::OsEntropy;

use super::samples::{Kind, Sample};
use super::*;

fn metrics() -> Arc<EmbeddedMetrics> {
    let (deployment, function) = ("shop".to_owned(), "shop-echo".to_owned());
    Arc::new(EmbeddedMetrics::new(deployment, function))
}

fn lambda_event<E: DeserializeOwned>(event: &Value) -> LambdaEvent<E> {
    let event = serde_json::from_str(&event.to_string()).unwrap();
    LambdaEvent::new(event, Context::default())
}

/// Answers an event as the function does.
async fn answer(router: Router, event: Value) -> Value {
    let service = http(router, metrics());
    let answer = service.oneshot(lambda_event(&event)).await.unwrap();
    serde_json::to_value(answer).unwrap()
}

/// Answers an event as `lambda_http` does.
async fn answer_of_lambda_http(router: Router, event: Value) -> Value {
    let service = Adapter::from(router);
    let event = lambda_event::<LambdaRequest>(&event);
    let answer = service.oneshot(event).await.unwrap();
    serde_json::to_value(answer).unwrap()
}

/// Returns a header of an answer, wherever this kind of event has it.
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
async fn problems_are_sent_as_text() {
    let problem = || ([("content-type", "application/problem+json")], "{}");
    let router = Router::new().fallback(async move || problem());
    for kind in Kind::ALL {
        let answer = answer(router.clone(), sample("GET", "/").event(kind)).await;
        assert_eq!(answer["body"], "{}", "{kind:?}");
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

/// Fails once `with_repeated_headers` is no longer needed.
#[tokio::test]
async fn lambda_http_drops_repeated_headers_of_payload_1() {
    let event = sample("PUT", "/headers")
        .header("x-many", "one")
        .header("x-many", "two")
        .event(Kind::RestApi);
    let answer = answer_of_lambda_http(echo(), event).await;
    assert_eq!(answer["body"], "PUT two ");
}

/// Answers every request with a repeated header.
fn twice() -> Router {
    Router::new().fallback(async || AppendHeaders([("x-many", "one"), ("x-many", "two")]))
}

#[tokio::test]
async fn repeated_headers_of_an_answer_are_joined() {
    for kind in Kind::ALL {
        let answer = answer(twice(), sample("GET", "/echo").event(kind)).await;
        assert_eq!(header(&answer, "x-many"), "one, two", "{kind:?}");
    }
}

/// Fails once `join_repeated` is no longer needed.
#[tokio::test]
async fn lambda_http_drops_repeated_headers_of_an_answer() {
    let event = sample("GET", "/echo").event(Kind::HttpApi);
    let answer = answer_of_lambda_http(twice(), event).await;
    assert_eq!(answer["headers"]["x-many"], "one");
}

#[tokio::test]
async fn target_has_no_host_and_the_header_has_it() {
    for kind in Kind::ALL {
        let event = sample("GET", "/target").query("a", "1").event(kind);
        let body = answer(echo(), event).await["body"].clone();
        assert_eq!(body, "/target?a=1 api.example", "{kind:?}");
    }
}

#[tokio::test]
async fn stage_is_no_part_of_the_path() {
    for kind in Kind::ALL {
        let event = sample("GET", "/items/1").stage("prod").event(kind);
        assert_eq!(answer(echo(), event).await["body"], "item", "{kind:?}");
    }
    // With a custom domain, the path of an API has no stage.
    for kind in [Kind::RestApi, Kind::HttpApiV1, Kind::HttpApi] {
        let mut event = sample("GET", "/items/1").event(kind);
        event["requestContext"]["stage"] = json!("prod");
        assert_eq!(answer(echo(), event).await["body"], "item", "{kind:?}");
    }
}

/// Fails once `without_stage` is no longer needed.
#[tokio::test]
async fn lambda_http_adds_the_stage() {
    let event = sample("GET", "/items/1").stage("prod").event(Kind::RestApi);
    let answer = answer_of_lambda_http(echo(), event).await;
    assert_eq!(answer["statusCode"], 404);
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
    let metrics = metrics();
    for status in statuses {
        let router = Router::new().route("/echo", any(async move || status));
        let service = http(router, Arc::clone(&metrics));
        let event = lambda_event(&sample("GET", "/echo").event(Kind::HttpApi));
        service.oneshot(event).await.unwrap();
    }
    assert_eq!(metrics.server_errors(), 3);
}

#[tokio::test]
async fn path_that_is_no_route_is_not_found() {
    for path in [
        "",
        "/",
        "//evil.example/echo",
        "/@evil.example",
        "/http://evil.example/echo",
    ] {
        for kind in Kind::ALL {
            let answer = answer(echo(), sample("POST", path).event(kind)).await;
            assert_eq!(answer["statusCode"], 404, "{kind:?} {path:?}");
        }
    }
}

#[tokio::test]
async fn decoded_path_is_encoded_again() {
    for kind in Kind::ALL {
        let event = sample("GET", "/items/a b\u{e4}\u{0}").event(kind);
        assert_eq!(answer(echo(), event).await["body"], "item", "{kind:?}");
    }
}

/// Returns a router with the same middleware as ours.
fn served() -> Router {
    countersign_api::with_middleware(echo(), Arc::new(OsEntropy))
}

/// `lambda_http` panicked on each of these, or did not recognize it as an event.
#[tokio::test]
async fn request_that_cannot_be_read_is_malformed() {
    for kind in Kind::ALL {
        let sample = || sample("GET", "/query");
        let mut events = vec![
            sample().header("x\u{7f}", "1").event(kind),
            sample().header("x-odd", "\u{1}").event(kind),
            Sample::new("GE T", "/query").event(kind),
            Sample::new("POST", "/query")
                .body("=")
                .encoded()
                .event(kind),
        ];
        if matches!(kind, Kind::HttpApi | Kind::FunctionUrl) {
            let queries = ["<b", ">", "\"", "\u{0}", "a b", "{\u{7f}"];
            events.extend(queries.map(|value| sample().query("a", value).event(kind)));
        }
        for event in events {
            let answer = answer(served(), event.clone()).await;
            assert_eq!(answer["statusCode"], 400, "{kind:?} {event}");
            let problem: Value = serde_json::from_str(answer["body"].as_str().unwrap()).unwrap();
            assert_eq!(problem["code"], "malformed_request", "{kind:?}");
            assert_eq!(header(&answer, "cache-control"), "no-store", "{kind:?}");
        }
    }
}

#[tokio::test]
async fn what_is_no_request_fails() {
    for event in [json!({}), json!([]), json!({"Records": []}), json!(null)] {
        let service = http(echo(), metrics());
        let answer = service.oneshot(lambda_event(&event)).await;
        assert!(answer.is_err(), "{event}");
    }
}

proptest! {
    #[test]
    fn no_request_of_a_stranger_is_an_error_of_ours(
        kind in prop::sample::select(&Kind::ALL[..]),
        method in "GET|POST|[ -~]{0,5}",
        path in "/\\PC{0,12}|\\PC{0,12}|/[ -~]{0,12}",
        queries in prop::collection::vec(("\\PC{0,4}|[ -~]{0,4}", arbitrary::<String>()), 0..3),
        headers in prop::collection::vec(
            ("host|x-forwarded-proto|cookie|expect|content-length|[!-~]{1,6}|\\PC{0,4}", "[ -~]{0,8}|\\PC{0,8}|.{0,4}"),
            0..4,
        ),
        (body, encoded) in (proptest::option::of(arbitrary::<String>()), arbitrary::<bool>()),
    ) {
        let mut sample = Sample::new(&method, &path);
        sample.headers.extend(headers);
        sample.query.extend(queries);
        sample.body = body;
        sample.is_encoded = encoded;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let answer = runtime.block_on(answer(served(), sample.event(kind)));
        prop_assert!(answer["statusCode"].as_u64().unwrap() < 500, "{answer}");
    }
}
