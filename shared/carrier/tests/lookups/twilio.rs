//! Twilio Lookup on the wire, with a fake server on loopback.

use std::sync::Arc;

use countersign_carrier::{
    BoundedLookup, CarrierSource as _, MAX_ANSWER, SourceError, TwilioCredentials, TwilioLookup,
};
use countersign_conformance::ports::SetClock;
use countersign_domain::confirmation::carrier::{
    CarrierLookup as _, CarrierName, LOOKUP_TIMEOUT, LookupOutcome,
};
use countersign_domain::web::callback_url::CallbackPolicy;
use countersign_webhook::client::{FetchError, WebhookClient};
use tokio::time::Instant;

use crate::server::Server;
use crate::{FIXED, number};

/// Returns the source, with the fake server in place of Twilio.
fn twilio(server: &Server, policy: CallbackPolicy) -> TwilioLookup {
    let client = WebhookClient::new(policy, Arc::new(SetClock::default())).unwrap();
    let credentials = TwilioCredentials::new("SK0123", "hunter2").unwrap();
    TwilioLookup::new(client, format!("http://{}", server.address), credentials)
}

async fn ask(server: &Server) -> Result<String, SourceError> {
    let source = twilio(server, CallbackPolicy::local());
    let name = source.ask(&number(1)).await?;
    Ok(name.as_str().to_owned())
}

fn body(line_type: &str) -> String {
    format!(
        r#"{{"phone_number":"+12025550101","valid":true,"call_forwarding":null,"line_type_intelligence":{line_type}}}"#
    )
}

#[tokio::test]
async fn carrier_is_asked_for_and_read() {
    let line_type = r#"{"carrier_name":"Acme Mobile","type":"mobile","mobile_country_code":"310","mobile_network_code":"410","error_code":null}"#;
    let server = Server::with("200 OK", &body(line_type)).await;
    assert_eq!(ask(&server).await.as_deref(), Ok("Acme Mobile"));
    let heads = server.heads();
    let [head] = &heads[..] else {
        panic!("{heads:?}")
    };
    let head = head.to_lowercase();
    let line = "get /v2/phonenumbers/%2b12025550101?fields=line_type_intelligence http/1.1\r\n";
    assert!(head.starts_with(line), "{head}");
    let basic = "authorization: basic u0swmtizomh1bnrlcji=\r\n";
    assert!(head.contains(basic), "{head}");
}

#[tokio::test]
async fn name_that_twilio_does_not_know_is_empty() {
    for line_type in [
        r#"{"carrier_name":null,"type":"tollFree","error_code":null}"#,
        r#"{"carrier_name":null,"type":null,"error_code":60607}"#,
        r#"{"carrier_name":null,"type":null,"error_code":60610}"#,
        r#"{"type":"personal"}"#,
    ] {
        let server = Server::with("200 OK", &body(line_type)).await;
        assert_eq!(ask(&server).await.as_deref(), Ok(""), "{line_type}");
    }
}

#[tokio::test]
async fn error_of_the_package_is_a_failure() {
    let line_type = r#"{"carrier_name":null,"type":null,"error_code":60601}"#;
    let server = Server::with("200 OK", &body(line_type)).await;
    assert_eq!(ask(&server).await, Err(SourceError::Reported(60601)));
}

#[tokio::test]
async fn other_statuses_are_failures() {
    for status in [401, 403, 404, 429, 500, 503] {
        let line = format!("{status} Something");
        let server = Server::with(&line, "{}").await;
        let failed = Err(SourceError::Call(FetchError::Status(status)));
        assert_eq!(ask(&server).await, failed);
    }
}

#[tokio::test]
async fn credentials_follow_no_redirect() {
    let elsewhere = Server::with("200 OK", "{}").await;
    let location = elsewhere.address;
    let answer =
        format!("HTTP/1.1 302 Found\r\nlocation: http://{location}/\r\ncontent-length: 0\r\n\r\n");
    let server = Server::answering(answer.into_bytes()).await;
    let failed = Err(SourceError::Call(FetchError::Status(302)));
    assert_eq!(ask(&server).await, failed);
    assert!(elsewhere.heads().is_empty());
}

#[tokio::test]
async fn answers_that_are_not_twilios_are_failures() {
    let many = body(r#"{"carrier_name":["Acme"]}"#);
    for garbage in ["", "{", "[]", "null", "{}", "<html></html>", &many] {
        let server = Server::with("200 OK", garbage).await;
        assert_eq!(ask(&server).await, Err(SourceError::Malformed), "{garbage}");
    }
    let server = Server::answering(b"SSH-2.0-OpenSSH\r\n".to_vec()).await;
    assert!(matches!(ask(&server).await, Err(SourceError::Call(_))));
}

#[tokio::test]
async fn oversized_answer_is_a_failure() {
    let name = "x".repeat(MAX_ANSWER);
    let server = Server::with("200 OK", &body(&format!(r#"{{"carrier_name":"{name}"}}"#))).await;
    let failed = Err(SourceError::Call(FetchError::TooLarge));
    assert_eq!(ask(&server).await, failed);
}

#[tokio::test]
async fn name_is_cut_and_cleaned() {
    let long = "é".repeat(1000);
    let line_type = format!(r#"{{"carrier_name":"\u0000\r\nX-Evil: 1\u007f {long}"}}"#);
    let server = Server::with("200 OK", &body(&line_type)).await;
    let name = ask(&server).await.unwrap();
    assert_eq!(name.chars().count(), 64);
    assert!(!name.contains(char::is_control));
}

/// Time is paused: it advances to the next timer whenever everything else waits.
#[tokio::test(start_paused = true)]
async fn server_that_never_answers_ends_the_lookup_in_time() {
    for answer in [&b""[..], b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"] {
        let server = Server::answering(answer.to_vec()).await;
        let source = Arc::new(twilio(&server, CallbackPolicy::local()));
        let lookup = BoundedLookup::new(source, 9, &FIXED);
        let began = Instant::now();
        let outcome = lookup.lookup(&number(1), LOOKUP_TIMEOUT).await;
        assert_eq!(outcome, LookupOutcome::TimedOut);
        assert_eq!(began.elapsed(), LOOKUP_TIMEOUT);
    }
}

#[tokio::test]
async fn deployed_client_reaches_no_fake_on_this_machine() {
    let server = Server::with("200 OK", &body(r#"{"carrier_name":"Acme"}"#)).await;
    let source = twilio(&server, CallbackPolicy::deployed());
    assert!(matches!(
        source.ask(&number(1)).await,
        Err(SourceError::Call(FetchError::NoAnswer(_)))
    ));
    assert!(server.heads().is_empty());
    let lookup = BoundedLookup::new(Arc::new(source), 9, &FIXED);
    assert_eq!(
        lookup.lookup(&number(1), LOOKUP_TIMEOUT).await,
        LookupOutcome::Failed
    );
    assert_eq!(LookupOutcome::Failed.into_name(), CarrierName::default());
}
