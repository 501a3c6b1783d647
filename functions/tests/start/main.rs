//! Each function's program, started as on Lambda, while a service that it uses fails.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod http;
mod lambda;
mod services;

use futures_util::future::join_all;
use lambda::Function;
use serde_json::{Value, json};
use services::{Service, Trouble};

macro_rules! program {
    ($name:literal) => {
        ($name, env!(concat!("CARGO_BIN_EXE_", $name)))
    };
}

/// Functions by name, each with its program.
const PROGRAMS: [(&str, &str); 13] = [
    program!("acquire"),
    program!("association-keys"),
    program!("browser-socket"),
    program!("confirm"),
    program!("confirmations"),
    program!("dispatcher"),
    program!("inbound-sms"),
    program!("inbound-sns"),
    program!("openid"),
    program!("origin-check"),
    program!("qr-session"),
    program!("sweeper"),
    program!("well-known"),
];

/// Number of functions started concurrently, each with every type of failure.
const CONCURRENT: usize = 3;

fn program(name: &str) -> &'static str {
    PROGRAMS.iter().find(|(known, _)| *known == name).unwrap().1
}

async fn start(function: &str, service: Service, trouble: Trouble, events: &[&str]) -> Function {
    let services = services::start(service, trouble).await;
    Function::start(program(function), services, events).await
}

/// An event of an HTTP API.
fn get(path: &str) -> String {
    json!({
        "rawPath": path,
        "requestContext": {
            "requestId": "JKJaXmPLvHcESHA=",
            "http": { "method": "GET", "sourceIp": "192.0.2.1" },
        },
    })
    .to_string()
}

/// A request in each event format: payload 1.0, payload 2.0 and a load balancer's.
fn of_every_kind(method: &str, path: &str, headers: &Value, body: &Value) -> [String; 3] {
    let common = json!({ "headers": headers, "body": body, "isBase64Encoded": !body.is_null() });
    let members = [
        json!({
            "httpMethod": method,
            "path": path,
            "requestContext": { "httpMethod": method, "stage": "prod", "path": format!("/prod{path}") },
        }),
        json!({
            "version": "2.0",
            "rawPath": path,
            "requestContext": { "stage": "$default", "http": { "method": method } },
        }),
        json!({
            "httpMethod": method,
            "path": path,
            "requestContext": { "elb": { "targetGroupArn": "arn" } },
        }),
    ];
    members.map(|mut event| {
        let members = event.as_object_mut().unwrap();
        members.extend(common.as_object().unwrap().clone());
        event.to_string()
    })
}

fn code(answer: &Value) -> Value {
    let body: Value = serde_json::from_str(answer["body"].as_str().unwrap()).unwrap();
    body["code"].clone()
}

#[tokio::test]
async fn optional_service_does_not_stop_the_start() {
    let uses = [
        ("browser-socket", Service::Sockets),
        ("confirmations", Service::Sqs),
        ("dispatcher", Service::Kms),
        ("dispatcher", Service::Sqs),
        ("inbound-sms", Service::Sqs),
        ("inbound-sns", Service::Sqs),
        ("openid", Service::Kms),
        ("qr-session", Service::Sockets),
        ("qr-session", Service::Sqs),
        ("sweeper", Service::Sqs),
        ("well-known", Service::Kms),
    ];
    for some in uses.chunks(CONCURRENT) {
        let starts = some.iter().flat_map(|&(function, service)| {
            Trouble::ALL.map(|trouble| async move {
                let mut running = start(function, service, trouble, &[]).await;
                let started = running.has_started().await;
                assert!(started, "{function} with {service:?}: {trouble:?}");
            })
        });
        join_all(starts).await;
    }
}

#[tokio::test]
async fn failing_required_service_ends_the_start_with_its_name() {
    let needs = [
        ("acquire", Service::DynamoDb, "store: connect"),
        ("association-keys", Service::DynamoDb, "store: connect"),
        ("confirm", Service::DynamoDb, "store: connect"),
        ("dispatcher", Service::DynamoDb, "store: connect"),
        ("dispatcher", Service::Secrets, "secret for webhooks"),
        ("inbound-sms", Service::Secrets, "settings of SMS providers"),
        ("inbound-sns", Service::DynamoDb, "store: connect"),
        ("openid", Service::DynamoDb, "store: connect"),
        ("openid", Service::Secrets, "secret of the OpenID provider"),
        ("sweeper", Service::DynamoDb, "store: connect"),
    ];
    for some in needs.chunks(CONCURRENT) {
        let starts = some.iter().flat_map(|&(function, service, named)| {
            Trouble::ALL.map(|trouble| async move {
                let mut running = start(function, service, trouble, &[]).await;
                let started = running.has_started().await;
                assert!(!started, "{function} with {service:?}: {trouble:?}");
                let output = running.end().await;
                let log = String::from_utf8(output.stdout).unwrap();
                assert!(!output.status.success(), "{trouble:?}: {log}");
                assert!(log.contains("cannot start"), "{trouble:?}: {log}");
                assert!(log.contains(named), "{trouble:?}: {log}");
            })
        });
        join_all(starts).await;
    }
}

#[tokio::test]
async fn health_is_answered_while_kms_fails() {
    let events = [get("/healthz"), get("/openapi.json"), get("/nothing")];
    let events = events.each_ref().map(String::as_str);
    let answers = Trouble::ALL.map(|trouble| async move {
        let mut running = start("well-known", Service::Kms, trouble, &events).await;
        let mut answers = Vec::new();
        for _ in events {
            answers.push(running.answer().await["statusCode"].clone());
        }
        (trouble, answers)
    });
    for (trouble, answers) in join_all(answers).await {
        assert_eq!(answers, [200, 200, 404], "{trouble:?}");
    }
}

#[tokio::test]
async fn failing_kms_is_a_problem_of_key_requests_only() {
    let events = [get("/.well-known/jwks.json"), get("/healthz")];
    let events = events.each_ref().map(String::as_str);
    let mut running = start("well-known", Service::Kms, Trouble::Fails, &events).await;
    let keys = running.answer().await;
    assert_eq!(keys["statusCode"], 503);
    assert_eq!(code(&keys), "service_unavailable");
    assert_eq!(running.answer().await["statusCode"], 200);
    // The 503 answer is counted under the function's name, the other one is not.
    let log = running.kill().await;
    let lines = log
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let counts: Vec<Value> = lines.filter(|line| !line["_aws"].is_null()).collect();
    assert_eq!(counts.len(), 1, "{log}");
    assert_eq!(counts[0]["FunctionName"], "shop-function");
    assert_eq!(counts[0]["server_error"], 1);
}

#[tokio::test]
async fn hostile_request_is_its_senders_error_and_not_ours() {
    let host = |host: &str| json!({ "host": host, "x-forwarded-proto": "https" });
    let example = host("api.example");
    let none = Value::Null;
    let hostile = [
        of_every_kind("GET", ":port", &example, &none),
        of_every_kind("NO METHOD", "/healthz", &example, &none),
        of_every_kind("GET", "/healthz", &host("a b"), &none),
        of_every_kind("GET", "/healthz", &host("a\"b"), &none),
        of_every_kind("GET", "/healthz", &example, &json!("no base64!")),
    ];
    let fair = get("/healthz");
    let hostile = hostile.as_flattened().iter();
    let events: Vec<_> = hostile.flat_map(|event| [event, &fair]).collect();
    let events: Vec<_> = events.into_iter().map(String::as_str).collect();
    let mut running = start("well-known", Service::Kms, Trouble::Fails, &events).await;
    for pair in events.chunks(2) {
        let refused = running.answer().await;
        let status = &refused["statusCode"];
        assert!(*status == 400 || *status == 404, "{}: {refused}", pair[0]);
        assert_eq!(running.answer().await["statusCode"], 200, "{}", pair[0]);
    }
    let log = running.kill().await;
    for quoted in ["panicked", "ERROR", "no base64!", "a b", "NO METHOD"] {
        assert!(!log.contains(quoted), "{log}");
    }
}
