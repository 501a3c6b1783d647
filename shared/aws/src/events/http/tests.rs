#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::panic::catch_unwind;

use lambda_http::request::LambdaRequest;
use proptest::prelude::*;

use super::samples::{Kind, Sample};
use super::*;

/// Converts an event as `lambda_http` does.
fn convert(event: &[u8]) -> Option<lambda_http::Request> {
    let request: LambdaRequest = serde_json::from_slice(event).ok()?;
    Some(request.into())
}

fn converted(event: &Value) -> lambda_http::Request {
    convert(&judge(event.to_string().as_bytes())).unwrap()
}

/// Returns the request line after judging; without judging the event must make `lambda_http` panic.
fn judged(event: &Value) -> String {
    let event = event.to_string();
    assert!(
        catch_unwind(|| convert(event.as_bytes())).is_err(),
        "lambda_http converts it: {event}"
    );
    let request = convert(&judge(event.as_bytes())).unwrap();
    format!("{} {}", request.method(), request.uri().path())
}

const REFUSED: &str = "GET /";

/// The kinds whose host is in a header that `lambda_http` makes a URL with.
const WITH_HOST: [Kind; 5] = [
    Kind::RestApi,
    Kind::HttpApiV1,
    Kind::HttpApi,
    Kind::FunctionUrl,
    Kind::LoadBalancer,
];

#[test]
fn path_that_makes_no_url_is_refused() {
    for kind in Kind::ALL {
        let event = Sample::new("POST", ":no-port/x").event(kind);
        assert_eq!(judged(&event), REFUSED, "{kind:?}");
    }
}

#[test]
fn path_without_a_host_that_makes_no_url_is_refused() {
    let mut sample = Sample::new("POST", ":no-port/x");
    sample.headers.clear();
    for kind in [Kind::LoadBalancer, Kind::LoadBalancerMultiValue] {
        assert_eq!(judged(&sample.event(kind)), REFUSED, "{kind:?}");
    }
}

#[test]
fn host_that_makes_no_url_is_refused() {
    for host in ["a b", "[::1", "example.com:port", "xn--a"] {
        for kind in WITH_HOST {
            let mut sample = Sample::new("POST", "/echo");
            sample.headers[0].1 = host.to_owned();
            assert_eq!(judged(&sample.event(kind)), REFUSED, "{kind:?} {host:?}");
        }
    }
}

#[test]
fn host_that_makes_a_url_but_no_uri_is_refused() {
    for host in ["a\"b.example", "a{b}.example", "a`b.example"] {
        for kind in WITH_HOST {
            let mut sample = Sample::new("POST", "/echo");
            sample.headers[0].1 = host.to_owned();
            assert_eq!(judged(&sample.event(kind)), REFUSED, "{kind:?} {host:?}");
        }
    }
}

#[test]
fn scheme_that_makes_no_url_is_dropped() {
    for scheme in ["1", "a b", "https,http", ""] {
        for kind in WITH_HOST {
            let mut sample = Sample::new("POST", "/echo");
            sample.headers[1].1 = scheme.to_owned();
            assert_eq!(
                judged(&sample.event(kind)),
                "POST /echo",
                "{kind:?} {scheme:?}"
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
        assert_eq!(judged(&event), "POST /echo", "{kind:?}");
        assert_eq!(converted(&event).uri().query(), Some("a%20b=%01%23%C3%A4"));
    }
}

#[test]
fn query_name_without_a_value_is_dropped() {
    for kind in [Kind::RestApi, Kind::HttpApiV1, Kind::LoadBalancerMultiValue] {
        let mut event = Sample::new("POST", "/echo").query("a", "b").event(kind);
        event["multiValueQueryStringParameters"]["c"] = json!([]);
        assert_eq!(judged(&event), "POST /echo", "{kind:?}");
        assert_eq!(converted(&event).uri().query(), Some("a=b"), "{kind:?}");
    }
}

#[test]
fn target_that_is_too_long_for_a_uri_is_refused() {
    let long = "ä".repeat(35_000);
    for kind in Kind::ALL {
        let event = Sample::new("POST", "/echo").query("a", &long).event(kind);
        assert_eq!(judged(&event), REFUSED, "{kind:?}");
        let event = Sample::new("POST", &format!("/{long}")).event(kind);
        assert_eq!(judged(&event), REFUSED, "{kind:?}");
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
        assert_eq!(judged(&sample.event(kind)), REFUSED, "{kind:?}");
    }
}

#[test]
fn body_that_is_no_base64_is_taken_as_text() {
    for kind in Kind::ALL {
        let event = Sample::new("POST", "/echo")
            .body("no base64!")
            .encoded()
            .event(kind);
        assert_eq!(judged(&event), "POST /echo", "{kind:?}");
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
        let event = event.to_string();
        assert_eq!(judge(event.as_bytes()), "null", "{event}");
    }
    assert_eq!(judge(b"{"), "null");
    assert!(convert(b"null").is_none());
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
            let request = convert(&judge(event.to_string().as_bytes()));
            let request = request.ok_or_else(|| TestCaseError::fail(format!("{event}")))?;
            prop_assert!(request.uri().path().starts_with('/'));
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
            if let Some(request) = convert(&judge(event.to_string().as_bytes())) {
                prop_assert!(request.uri().path().starts_with('/'));
            }
        }
    }

    #[test]
    fn arbitrary_json_does_not_panic(value in any_json(), text in ".{0,40}") {
        for event in [value.to_string(), text] {
            let _ = convert(&judge(event.as_bytes()));
        }
    }
}
