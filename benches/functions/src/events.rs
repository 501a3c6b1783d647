//! The event that each function answers in a measurement, in AWS's format.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use countersign_domain::primitives::ids::ConfirmationId;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha2::Sha256;

use crate::samples::{self, Progress};

/// Functions by name, in the order of the tables.
pub const FUNCTIONS: [&str; 10] = [
    "acquire",
    "confirm",
    "confirmations",
    "inbound-sms",
    "inbound-sns",
    "dispatcher",
    "qr-session",
    "browser-socket",
    "association-keys",
    "well-known",
];

/// Returns an event for a function. The event may differ from call to call, since some events
/// contain the time.
///
/// # Panics
/// If the function does not exist.
#[must_use]
pub fn event(function: &str) -> String {
    let key = ("x-api-key", samples::api_key().reveal().to_owned());
    let event = match function {
        "acquire" => request(
            "POST",
            "/acquire-phone-number",
            "",
            &[key],
            Some(r#"{"metadata":{"orderId":"17"}}"#),
        ),
        "confirm" => request(
            "POST",
            "/make-confirmation",
            "",
            &[key],
            Some(r#"{"phoneNumber":"+12025550100","metadata":{"orderId":"17"}}"#),
        ),
        "confirmations" => {
            let path = format!(
                "/confirmations/{}",
                samples::confirmation(Progress::Delivered)
            );
            request("GET", &path, "", &[key], None)
        }
        "inbound-sms" => text(),
        "inbound-sns" => topic(),
        "dispatcher" => pointer(samples::confirmation(Progress::Owed)),
        "qr-session" => request(
            "POST",
            "/qr-sessions",
            "",
            &[
                ("x-app-key", samples::APP_KEY.to_owned()),
                ("origin", samples::ORIGIN.to_owned()),
                (
                    "authorization",
                    format!("Bearer {}", samples::browser_token()),
                ),
            ],
            Some(BROWSER_KEY),
        ),
        "browser-socket" => json!({
            "requestContext": {
                "routeKey": "$connect",
                "eventType": "CONNECT",
                "connectionId": "L0SM9cOFvHcCIhw=",
                "requestId": "L0SM9EC8vHcFyMQ=",
                "stage": "$default",
                "connectedAt": 1_767_323_045_678_u64,
                "requestTimeEpoch": 1_767_323_045_679_u64,
                "identity": { "userAgent": "Mozilla/5.0", "sourceIp": "192.0.2.1" },
                "domainName": "abcd123.execute-api.eu-central-1.amazonaws.com",
                "apiId": "abcd123",
            },
            "isBase64Encoded": false,
        }),
        "association-keys" => {
            let query = "publicUserId=person%40example.com";
            request("GET", "/association-keys", query, &[key], None)
        }
        "well-known" => request("GET", "/.well-known/jwks.json", "", &[], None),
        _ => panic!("there is no function {function}"),
    };
    event.to_string()
}

/// The body that opens a login. The key is the example in the API's description.
const BROWSER_KEY: &str = r#"{"browserPublicKey":"BAswVXqfxOkOM1h9osfsETZbgKXK7xQ5XoOozfIXPGGGq9D1Gj9kia7T-B1CZ4yx1vsgRWqPtNn-I0htkrfcASY"}"#;

/// Returns a request in the format of an API Gateway HTTP API: payload 2.0.
fn request(
    method: &str,
    path: &str,
    query: &str,
    headers: &[(&str, String)],
    body: Option<&str>,
) -> Value {
    let mut all = json!({
        "accept": "*/*",
        "content-length": body.unwrap_or_default().len().to_string(),
        "content-type": "application/json",
        "host": "api.example",
        "user-agent": "shop/1.0",
        "x-amzn-trace-id": "Root=1-6957335a-1f2e3d4c5b6a798081726354",
        "x-forwarded-for": "192.0.2.1",
        "x-forwarded-port": "443",
        "x-forwarded-proto": "https",
    });
    for (name, value) in headers {
        all[name] = json!(value);
    }
    json!({
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": path,
        "rawQueryString": query,
        "headers": all,
        "requestContext": {
            "accountId": "000000000000",
            "apiId": "a1b2c3d4e5",
            "domainName": "api.example",
            "domainPrefix": "api",
            "http": {
                "method": method,
                "path": path,
                "protocol": "HTTP/1.1",
                "sourceIp": "192.0.2.1",
                "userAgent": "shop/1.0",
            },
            "requestId": "JKJaXmPLvHcESHA=",
            "routeKey": "$default",
            "stage": "$default",
            "time": "02/Jan/2026:03:04:05 +0000",
            "timeEpoch": 1_767_323_045_678_u64,
        },
        "body": body,
        "isBase64Encoded": false,
    })
}

/// Returns a signed webhook call of an SMS provider, with the current time.
fn text() -> Value {
    let body = json!({
        "from": samples::SENDER,
        "to": samples::RECIPIENT,
        "text": samples::text(),
    })
    .to_string();
    let time = (samples::now() / 1000).to_string();
    let mac = Hmac::<Sha256>::new_from_slice(&samples::INBOUND_SECRET);
    let mut mac = mac.expect("HMAC takes a key of any length");
    mac.update(format!("msg_1.{time}.{body}").as_bytes());
    let signature = BASE64_STANDARD.encode(mac.finalize().into_bytes());
    let headers = [
        ("webhook-id", "msg_1".to_owned()),
        ("webhook-timestamp", time),
        ("webhook-signature", format!("v1,{signature}")),
    ];
    request("POST", "/inbound-sms/generic", "", &headers, Some(&body))
}

/// Returns a text published by AWS End User Messaging.
fn topic() -> Value {
    let message = json!({
        "originationNumber": samples::SENDER,
        "destinationNumber": samples::RECIPIENT,
        "messageKeyword": "KEYWORD_000000000000",
        "messageBody": samples::text(),
        "inboundMessageId": "cae173d2-66b9-564c-8309-21f858e9fb84",
        "previousPublishedMessageId": "wJalrXUtnFEMI/K7MDENG",
    });
    json!({ "Records": [{
        "EventVersion": "1.0",
        "EventSubscriptionArn": format!("{}:21be56ed-a058-49f5-8c98-aedd2564c486", samples::TOPIC),
        "EventSource": "aws:sns",
        "Sns": {
            "Type": "Notification",
            "MessageId": "95df01b4-ee98-5cb9-9903-4c221d41eb5e",
            "TopicArn": samples::TOPIC,
            "Subject": null,
            "Message": message.to_string(),
            "Timestamp": "2026-01-02T03:04:05.678Z",
            "SignatureVersion": "1",
            "Signature": "EXAMPLE",
            "SigningCertURL": "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService.pem",
            "UnsubscribeURL": "https://sns.eu-west-1.amazonaws.com/?Action=Unsubscribe",
            "MessageAttributes": {},
        },
    }] })
}

/// Returns a message from the queue for first attempts.
fn pointer(id: ConfirmationId) -> Value {
    let body = json!({
        "v": 1,
        "confirmationId": id.to_string(),
        "attemptsClaimed": 0,
        "group": "09090909090909090909090909090909",
    });
    json!({ "Records": [{
        "messageId": "059f36b4-87a3-44ab-83d2-661975830a7d",
        "receiptHandle": "AQEBwJnKyrHigUMZj6rYigCgxlaS3SLy0a",
        "body": body.to_string(),
        "attributes": {
            "ApproximateReceiveCount": "1",
            "SentTimestamp": "1767323045678",
            "SenderId": "AIDAIENQZJOLO23YVJ4VO",
            "ApproximateFirstReceiveTimestamp": "1767323045679",
        },
        "messageAttributes": {},
        "md5OfBody": "e4e68fb7bd0e697a0ae8f1bb342846b3",
        "eventSource": "aws:sqs",
        "eventSourceARN": "arn:aws:sqs:eu-central-1:000000000000:first",
        "awsRegion": "eu-central-1",
    }] })
}

/// Returns the reason why an answer does not show that the function did its work; `None` if it
/// does.
#[must_use]
pub fn refusal(function: &str, answer: &str) -> Option<String> {
    let value: Value = serde_json::from_str(answer).unwrap_or_default();
    let right = match function {
        "inbound-sns" => value.is_null(),
        "dispatcher" => value["batchItemFailures"] == json!([]),
        "inbound-sms" => matches!(value["statusCode"].as_u64(), Some(200 | 202 | 204)),
        _ => value["statusCode"] == 200,
    };
    (!right).then(|| format!("{function} answers {answer}"))
}
