//! The request on the wire, with a fake endpoint on loopback.

use aws_credential_types::Credentials;
use aws_credential_types::provider::SharedCredentialsProvider;
use aws_types::region::Region;
use countersign_carrier::BoundedLookup;
use countersign_conformance::ports::SetClock;
use countersign_domain::confirmation::carrier::{
    CarrierLookup as _, LOOKUP_TIMEOUT, LookupOutcome,
};
use countersign_domain::web::callback_url::CallbackPolicy;
use countersign_system::entropy::OsEntropy;
use countersign_webhook::client::FetchError;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::*;

/// Answers each request with these bytes, and leaves the connection open. Returns the endpoint and the
/// requests.
async fn endpoint(answer: Vec<u8>) -> (String, mpsc::UnboundedReceiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (sender, requests) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let (answer, sender) = (answer.clone(), sender.clone());
            tokio::spawn(async move {
                let mut bytes = Vec::new();
                while !bytes.ends_with(b"}") {
                    if !matches!(stream.read_buf(&mut bytes).await, Ok(1..)) {
                        return;
                    }
                }
                let _ = sender.send(String::from_utf8(bytes).unwrap());
                let _ = stream.write_all(&answer).await;
                // The connection stays open until the client closes it.
                let _ = stream.read(&mut [0]).await;
            });
        }
    });
    (url, requests)
}

fn answer(status: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\n\r\n{body}").into_bytes()
}

fn source(endpoint: Option<String>, policy: CallbackPolicy) -> EndUserMessagingLookup {
    let credentials = Credentials::new("AKID", "hunter2", Some("token".into()), None, "test");
    let mut sdk = SdkConfig::builder()
        .region(Region::new("eu-central-1"))
        .credentials_provider(SharedCredentialsProvider::new(credentials));
    sdk.set_endpoint_url(endpoint);
    EndUserMessagingLookup {
        client: WebhookClient::new(policy, Arc::new(SetClock::default())).unwrap(),
        sdk: sdk.build(),
        clock: Arc::new(SetClock::default()),
    }
}

fn number() -> PhoneNumber {
    PhoneNumber::parse_e164("+12025550100").unwrap()
}

async fn ask(reply: Vec<u8>) -> Result<String, SourceError> {
    let (url, _requests) = endpoint(reply).await;
    let source = source(Some(url), CallbackPolicy::local());
    let name = source.ask(&number()).await?;
    Ok(name.as_str().to_owned())
}

#[tokio::test]
async fn request_is_signed_and_the_carrier_is_read() {
    let body = r#"{"Carrier":"Acme Mobile","Country":"United States","E164PhoneNumber":"+12025550100","PhoneNumberType":"MOBILE"}"#;
    let (url, mut requests) = endpoint(answer("200 OK", body)).await;
    let source = source(Some(url.clone()), CallbackPolicy::local());
    let name = source.ask(&number()).await;
    assert_eq!(name, Ok(CarrierName::from_text("Acme Mobile")));
    let request = requests.recv().await.unwrap().to_lowercase();
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    assert_eq!(body, r#"{"phonenumber":"+12025550100"}"#);
    for line in [
        "post / http/1.1",
        "content-type: application/x-amz-json-1.0",
        "x-amz-target: pinpointsmsvoicev2.carrierlookup",
        "x-amz-date: 20260102t030405z",
        "x-amz-security-token: token",
        &url.replace("http://", "host: "),
    ] {
        assert!(head.lines().any(|one| one == line), "{line}: {head}");
    }
    let scope = "authorization: aws4-hmac-sha256 credential=akid/20260102/eu-central-1/sms-voice/\
                 aws4_request, signedheaders=content-type;host;x-amz-date;x-amz-security-token;\
                 x-amz-target, signature=";
    assert!(head.contains(scope), "{head}");
    assert!(!head.contains("hunter2"));
}

#[test]
fn endpoint_is_the_regions() {
    let source = source(None, CallbackPolicy::deployed());
    let url = "https://sms-voice.eu-central-1.amazonaws.com/";
    assert_eq!(source.url().as_deref(), Some(url));
    assert!(!format!("{source:?}").contains("hunter2"));
}

#[tokio::test]
async fn number_without_a_carrier_has_an_empty_name() {
    let body = r#"{"E164PhoneNumber":"+12025550100","PhoneNumberType":"INVALID"}"#;
    assert_eq!(ask(answer("200 OK", body)).await.as_deref(), Ok(""));
}

#[tokio::test]
async fn refusals_are_failures() {
    // A missing permission and throttling are 400 in this protocol.
    for (status, line) in [
        (400, "400 Bad Request"),
        (403, "403 Forbidden"),
        (429, "429 Too Many Requests"),
        (500, "500 Internal Server Error"),
        (503, "503 Slow Down"),
    ] {
        let body = r#"{"__type":"AccessDeniedException"}"#;
        let failed = SourceError::Call(FetchError::Status(status));
        assert_eq!(ask(answer(line, body)).await, Err(failed));
    }
}

#[tokio::test]
async fn garbage_and_oversized_answers_are_failures() {
    for garbage in [
        "",
        "{}",
        "[]",
        "null",
        r#"{"Carrier":7,"E164PhoneNumber":"+1"}"#,
    ] {
        let failed = Err(SourceError::Malformed);
        assert_eq!(ask(answer("200 OK", garbage)).await, failed, "{garbage}");
    }
    let name = "x".repeat(MAX_ANSWER);
    let body = format!(r#"{{"Carrier":"{name}","E164PhoneNumber":"+12025550100"}}"#);
    let failed = Err(SourceError::Call(FetchError::TooLarge));
    assert_eq!(ask(answer("200 OK", &body)).await, failed);
}

/// Time is paused: it advances to the next timer whenever everything else waits.
#[tokio::test(start_paused = true)]
async fn endpoint_that_never_answers_ends_the_lookup_in_time() {
    let (url, _requests) = endpoint(Vec::new()).await;
    let source = Arc::new(source(Some(url), CallbackPolicy::local()));
    let lookup = BoundedLookup::new(source, 9, &OsEntropy);
    let began = Instant::now();
    assert_eq!(
        lookup.lookup(&number(), LOOKUP_TIMEOUT).await,
        LookupOutcome::TimedOut
    );
    assert_eq!(began.elapsed(), LOOKUP_TIMEOUT);
}
