#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use http::header::{COOKIE, SET_COOKIE};
use http::{HeaderValue, Response, StatusCode};
use lambda_http::request::LambdaRequest;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::samples::{Kind, Sample};
use super::target::MAX_TARGET;
use super::*;

fn read(event: &[u8]) -> Option<HttpEvent> {
    serde_json::from_slice(event).ok()
}

fn converted(event: &Value) -> Request<Bytes> {
    read(event.to_string().as_bytes()).unwrap().request
}

fn request_line(event: &Value) -> String {
    let request = converted(event);
    format!("{} {}", request.method(), request.uri().path())
}

/// Converts an event as `lambda_http` does.
fn of_lambda_http(event: &Value) -> lambda_http::Request {
    let request: LambdaRequest = serde_json::from_value(event.clone()).unwrap();
    request.into()
}

const REFUSED: &str = "GET /";

#[test]
fn host_that_is_no_authority_is_refused() {
    for host in [
        "a b",
        "[::1",
        "a\"b.example",
        "a{b}.example",
        "a`b.example",
        "",
    ] {
        for kind in Kind::ALL {
            let mut sample = Sample::new("POST", "/echo");
            sample.headers[0].1 = host.to_owned();
            assert_eq!(
                request_line(&sample.event(kind)),
                REFUSED,
                "{kind:?} {host:?}"
            );
        }
    }
}

#[test]
fn query_that_makes_no_uri_is_encoded() {
    for kind in [Kind::HttpApi, Kind::FunctionUrl] {
        let event = Sample::new("POST", "/echo")
            .query("a b", "\u{1}#ä")
            .event(kind);
        assert_eq!(request_line(&event), "POST /echo", "{kind:?}");
        assert_eq!(converted(&event).uri().query(), Some("a%20b=%01%23%C3%A4"));
    }
}

#[test]
fn query_name_without_a_value_is_dropped() {
    for kind in [Kind::RestApi, Kind::HttpApiV1, Kind::LoadBalancerMultiValue] {
        let mut event = Sample::new("POST", "/echo").query("a", "b").event(kind);
        event["multiValueQueryStringParameters"]["c"] = json!([]);
        assert_eq!(request_line(&event), "POST /echo", "{kind:?}");
        assert_eq!(converted(&event).uri().query(), Some("a=b"), "{kind:?}");
    }
}

#[test]
fn target_that_is_too_long_for_a_uri_is_refused() {
    let long = "ä".repeat(35_000);
    for kind in Kind::ALL {
        let event = Sample::new("POST", "/echo").query("a", &long).event(kind);
        assert_eq!(request_line(&event), REFUSED, "{kind:?}");
        let event = Sample::new("POST", &format!("/{long}")).event(kind);
        assert_eq!(request_line(&event), REFUSED, "{kind:?}");
    }
    // The most that is let through stays below the limit of a URI.
    let most = "\u{7f}".repeat(MAX_TARGET - 100);
    for kind in Kind::ALL {
        let event = Sample::new("POST", "/echo").query("a", &most).event(kind);
        assert!(converted(&event).uri().path().starts_with('/'), "{kind:?}");
    }
}

#[test]
fn more_headers_than_a_map_holds_are_refused() {
    let mut sample = Sample::new("POST", "/echo");
    for number in 0..33_000 {
        sample = sample.header(&format!("x-{number}"), "x");
    }
    for kind in Kind::ALL {
        assert_eq!(request_line(&sample.event(kind)), REFUSED, "{kind:?}");
    }
}

#[test]
fn body_that_is_no_base64_is_taken_as_text() {
    for kind in Kind::ALL {
        let event = Sample::new("POST", "/echo")
            .body("no base64!")
            .encoded()
            .event(kind);
        assert_eq!(request_line(&event), "POST /echo", "{kind:?}");
        assert_eq!(&converted(&event).body()[..], b"no base64!", "{kind:?}");
    }
}

#[test]
fn method_that_is_none_is_refused() {
    for method in ["NO METHOD", "", "ä"] {
        for kind in Kind::ALL {
            let request = converted(&Sample::new(method, "/echo").event(kind));
            assert_eq!(request.uri().path(), "/", "{kind:?} {method:?}");
            assert_eq!(request.method(), Method::GET, "{kind:?} {method:?}");
        }
    }
}

#[test]
fn path_that_a_url_would_change_is_refused() {
    for path in ["", "echo", "/a/../echo", "/./echo", "/a/%2e%2E/echo"] {
        for kind in Kind::ALL {
            let request = converted(&Sample::new("POST", path).event(kind));
            assert_eq!(request.uri().path(), "/", "{kind:?} {path:?}");
        }
    }
}

#[test]
fn path_stays_a_path() {
    for path in [
        "//evil.example/echo",
        "/http://evil.example/echo",
        "/@evil.example",
    ] {
        for kind in Kind::ALL {
            let request = converted(&Sample::new("POST", path).event(kind));
            assert_eq!(request.uri().path(), path, "{kind:?}");
        }
    }
}

#[test]
fn stage_is_removed_from_the_path() {
    let kinds = [Kind::RestApi, Kind::HttpApiV1, Kind::HttpApi];
    for kind in kinds {
        for (path, expected) in [("/echo", "/echo"), ("/prod/x", "/prod/x"), ("/", "/")] {
            let event = Sample::new("POST", path).stage("prod").event(kind);
            assert_eq!(converted(&event).uri().path(), expected, "{kind:?} {path}");
        }
    }
    // Behind a domain of one's own, the path of a REST API or an HTTP API has no stage.
    for kind in kinds {
        let mut event = Sample::new("POST", "/production").event(kind);
        event["requestContext"]["stage"] = json!("prod");
        assert_eq!(converted(&event).uri().path(), "/production", "{kind:?}");
    }
}

#[test]
fn headers_that_http_does_not_allow_are_dropped() {
    for kind in Kind::ALL {
        let sample = Sample::new("POST", "/echo");
        let sample = sample
            .header("bad name", "x")
            .header("x-bad", "\u{1}")
            .header("x-ok", "ä");
        let request = converted(&sample.event(kind));
        assert_eq!(request.uri().path(), "/echo", "{kind:?}");
        assert_eq!(
            request.headers()["x-ok"].as_bytes(),
            "ä".as_bytes(),
            "{kind:?}"
        );
        assert_eq!(request.headers().get("x-bad"), None, "{kind:?}");
    }
}

#[test]
fn other_events_are_errors() {
    for event in [
        json!({}),
        json!([]),
        json!({ "Records": [] }),
        json!({ "requestContext": { "http": "x" } }),
        json!({ "requestContext": { "eventType": "CONNECT", "connectionId": "x" } }),
    ] {
        assert!(read(event.to_string().as_bytes()).is_none(), "{event}");
    }
    assert!(read(b"{").is_none());
}

/// Returns the pairs of a query, sorted: `lambda_http` keeps them in no order.
fn pairs_of(query: Option<&str>) -> Vec<(String, String)> {
    let pairs = url::form_urlencoded::parse(query.unwrap_or_default().as_bytes());
    let mut pairs: Vec<_> = pairs.into_owned().collect();
    pairs.sort();
    pairs
}

#[test]
fn request_is_the_one_of_lambda_http() {
    let plain = Sample::new("POST", "/echo/a%20b").body("hällo");
    let samples = [
        plain.clone(),
        plain
            .clone()
            .query("a", "b")
            .query("c", "%26+d%C3%A4")
            .query("a", "e"),
        plain
            .clone()
            .header("x-many", "one")
            .header("x-many", "two")
            .header("cookie", "a=1")
            .header("cookie", "b=2"),
        Sample::new("PUT", "/").body("aMOkbGxv").encoded(),
        Sample::new("DELETE", "/"),
    ];
    for sample in samples {
        for kind in Kind::ALL {
            let event = sample.event(kind);
            let (ours, theirs) = (converted(&event), of_lambda_http(&event));
            assert_eq!(ours.method(), theirs.method(), "{event}");
            assert_eq!(ours.uri().path(), theirs.uri().path(), "{event}");
            let query = |uri: &Uri| pairs_of(uri.query());
            assert_eq!(query(ours.uri()), query(theirs.uri()), "{event}");
            assert_eq!(&ours.body()[..], &theirs.body()[..], "{event}");
            // It keeps the last value of each header of payload 1.0.
            if !(kind == Kind::RestApi || kind == Kind::HttpApiV1) {
                let mut theirs = theirs.headers().clone();
                // It makes an empty header of no cookies.
                if theirs.get(COOKIE).is_some_and(HeaderValue::is_empty) {
                    theirs.remove(COOKIE);
                }
                assert_eq!(ours.headers(), &theirs, "{event}");
            }
        }
    }
}

/// Returns an answer as `lambda_http` writes it.
async fn answer_of_lambda_http(kind: Kind, response: &Response<Bytes>) -> Value {
    let (parts, body) = response.clone().into_parts();
    let body = lambda_http::Body::Binary(body.into());
    let response = Response::from_parts(parts, body);
    let service = lambda_http::service_fn(move |_: lambda_http::Request| {
        std::future::ready(Ok::<_, std::convert::Infallible>(response.clone()))
    });
    let request = serde_json::from_value(Sample::new("GET", "/").event(kind)).unwrap();
    let event = lambda_runtime::LambdaEvent::new(request, lambda_runtime::Context::default());
    let mut service = lambda_http::Adapter::from(service);
    let answer = lambda_runtime::Service::call(&mut service, event).await;
    let mut answer = serde_json::to_value(answer.unwrap()).unwrap();
    // It has all members in each, most of them empty.
    let members = answer.as_object_mut().unwrap();
    members.retain(|name, value| *value != json!({}) || name == "headers");
    if matches!(kind, Kind::RestApi | Kind::HttpApiV1) {
        members.remove("headers");
    }
    answer
}

#[tokio::test]
async fn answer_is_the_one_of_lambda_http() {
    let response = |content_type: Option<&'static str>, body: &'static [u8]| {
        let mut response = Response::new(Bytes::from_static(body));
        *response.status_mut() = StatusCode::CREATED;
        let headers = response.headers_mut();
        headers.insert("x-one", HeaderValue::from_static("1"));
        headers.insert(SET_COOKIE, HeaderValue::from_static("a=1"));
        if let Some(content_type) = content_type {
            headers.insert("content-type", HeaderValue::from_static(content_type));
        }
        response
    };
    let mut encoded = response(Some("text/html"), b"packed");
    let gzip = HeaderValue::from_static("gzip");
    encoded.headers_mut().insert("content-encoding", gzip);
    for response in [
        response(Some("application/json"), br#"{"a":"\u00e4\n"}"#),
        response(Some("application/problem+json"), "ä\n".as_bytes()),
        response(Some("text/html; charset=utf-8"), b"<p>"),
        response(Some("application/xml"), b"<Response/>"),
        response(Some("image/png"), b"\xff\x00"),
        response(None, b""),
        encoded,
    ] {
        for kind in Kind::ALL {
            let payload = read(Sample::new("GET", "/").event(kind).to_string().as_bytes());
            let ours = HttpAnswer::new(payload.unwrap().payload, response.clone());
            let ours = serde_json::to_value(ours).unwrap();
            assert_eq!(
                ours,
                answer_of_lambda_http(kind, &response).await,
                "{kind:?}"
            );
        }
    }
}

/// Any JSON, most of it of another type than a member has.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            proptest::collection::btree_map(".{0,8}", inner, 0..3)
                .prop_map(|map| Value::from(map.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

const MEMBERS: [&str; 17] = [
    "/body",
    "/cookies",
    "/headers",
    "/headers/host",
    "/httpMethod",
    "/isBase64Encoded",
    "/multiValueHeaders",
    "/multiValueQueryStringParameters",
    "/path",
    "/queryStringParameters",
    "/rawPath",
    "/rawQueryString",
    "/requestContext",
    "/requestContext/http",
    "/requestContext/httpMethod",
    "/requestContext/path",
    "/requestContext/stage",
];

fn pairs() -> impl Strategy<Value = Vec<(String, String)>> {
    let name = prop_oneof![".{0,12}", "(host|x-forwarded-proto|x-forwarded-for|cookie)"];
    proptest::collection::vec((name, ".{0,12}"), 0..6)
}

prop_compose! {
    fn sample()(
        method in "(GET|POST|.{0,8})",
        path in "(/.{0,40}|.{0,40})",
        headers in pairs(),
        query in pairs(),
        body in proptest::option::of("(.{0,40}|[A-Za-z0-9+/]{0,8}={0,2})"),
        is_encoded: bool,
        (peer, id) in (".{0,12}", ".{0,12}"),
        stage in "(\\$default|.{0,8})",
    ) -> Sample {
        Sample { method, path, headers, query, body, is_encoded, peer, id, stage }
    }
}

proptest! {
    #[test]
    fn arbitrary_request_of_every_kind_does_not_panic(sample in sample()) {
        for kind in Kind::ALL {
            let event = sample.event(kind);
            let read = read(event.to_string().as_bytes());
            let read = read.ok_or_else(|| TestCaseError::fail(format!("{event}")))?;
            prop_assert!(read.request.uri().path().starts_with('/'));
        }
    }

    #[test]
    fn arbitrary_member_does_not_panic(
        sample in sample(),
        member in proptest::sample::select(MEMBERS.as_slice()),
        value in any_json(),
    ) {
        for kind in Kind::ALL {
            let mut event = sample.event(kind);
            if let Some(member) = event.pointer_mut(member) {
                *member = value.clone();
            }
            if let Some(read) = read(event.to_string().as_bytes()) {
                prop_assert!(read.request.uri().path().starts_with('/'));
            }
        }
    }

    #[test]
    fn arbitrary_json_does_not_panic(value in any_json(), text in ".{0,40}") {
        for event in [value.to_string(), text] {
            let _ = read(event.as_bytes());
        }
    }
}
