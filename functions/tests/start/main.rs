//! Each function's program, started as Lambda starts it, while a service that it uses is in trouble.
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
const PROGRAMS: [(&str, &str); 9] = [
    program!("acquire"),
    program!("browser-socket"),
    program!("confirm"),
    program!("confirmations"),
    program!("dispatcher"),
    program!("inbound-sms"),
    program!("inbound-sns"),
    program!("qr-session"),
    program!("well-known"),
];

/// How many functions are started at once, each with every trouble.
const AT_ONCE: usize = 3;

fn program(name: &str) -> &'static str {
    PROGRAMS.iter().find(|(known, _)| *known == name).unwrap().1
}

async fn start(function: &str, service: Service, trouble: Trouble, events: &[&str]) -> Function {
    let services = services::start(service, trouble).await;
    Function::start(program(function), services, events).await
}

/// An event of the HTTP API.
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

fn code(answer: &Value) -> Value {
    let body: Value = serde_json::from_str(answer["body"].as_str().unwrap()).unwrap();
    body["code"].clone()
}

#[tokio::test]
async fn what_the_first_request_can_do_without_stops_no_start() {
    let uses = [
        ("browser-socket", Service::Sockets),
        ("confirmations", Service::Sqs),
        ("dispatcher", Service::Kms),
        ("dispatcher", Service::Sqs),
        ("inbound-sms", Service::Sqs),
        ("inbound-sns", Service::Sqs),
        ("qr-session", Service::Sockets),
        ("qr-session", Service::Sqs),
        ("well-known", Service::Kms),
    ];
    for some in uses.chunks(AT_ONCE) {
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
async fn without_what_every_request_needs_a_function_says_so_and_ends() {
    let needs = [
        ("acquire", Service::DynamoDb, "store: connect"),
        ("confirm", Service::DynamoDb, "store: connect"),
        ("dispatcher", Service::DynamoDb, "store: connect"),
        ("inbound-sms", Service::Secrets, "inbound secrets"),
        ("inbound-sns", Service::DynamoDb, "store: connect"),
    ];
    for some in needs.chunks(AT_ONCE) {
        let starts = some.iter().flat_map(|&(function, service, named)| {
            Trouble::ALL.map(|trouble| async move {
                let mut running = start(function, service, trouble, &[]).await;
                let started = running.has_started().await;
                assert!(!started, "{function} with {service:?}: {trouble:?}");
                let output = running.end().await;
                let told = String::from_utf8(output.stdout).unwrap();
                assert!(!output.status.success(), "{trouble:?}: {told}");
                assert!(told.contains("cannot start"), "{trouble:?}: {told}");
                assert!(told.contains(named), "{trouble:?}: {told}");
            })
        });
        join_all(starts).await;
    }
}

#[tokio::test]
async fn health_is_answered_while_kms_is_in_trouble() {
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
async fn keys_that_cannot_be_had_are_a_problem_of_their_requests_alone() {
    let events = [get("/.well-known/jwks.json"), get("/healthz")];
    let events = events.each_ref().map(String::as_str);
    let mut running = start("well-known", Service::Kms, Trouble::Fails, &events).await;
    let keys = running.answer().await;
    assert_eq!(keys["statusCode"], 503);
    assert_eq!(code(&keys), "service_unavailable");
    assert_eq!(running.answer().await["statusCode"], 200);
    // The answer of 503 is counted, by the function's name; the other is not.
    let told = running.kill().await;
    let lines = told
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let counts: Vec<Value> = lines.filter(|line| !line["_aws"].is_null()).collect();
    assert_eq!(counts.len(), 1, "{told}");
    assert_eq!(counts[0]["FunctionName"], "shop-function");
    assert_eq!(counts[0]["server_error"], 1);
}
