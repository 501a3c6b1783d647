//! Events without text, and texts in unusual places. None is refused: providers repeat refused calls, or never
//! send them again.

use countersign_domain::confirmation::text::InboundMessage;
use countersign_inbound::sns::SignatureVersion;
use countersign_inbound::{Ignored, Inbound, InboundError, MalformedText};
use serde_json::{Value, json};

use crate::cases::{NOW, TOPIC, events, sns_provider, take};
use crate::seal::{read, seal_message, try_to_read};

mod sinch;
mod sms_gate;
mod telnyx;
mod whatsapp;

const NOT_A_TEXT: Ignored = Ignored::NotAText;
const MALFORMED: Ignored = Ignored::Malformed;

fn ignored(label: &str, body: &Value, why: Ignored) {
    let events = read(label, body.to_string().as_bytes());
    assert_eq!(events, [Inbound::Ignored(why)], "{label}: {body}");
}

/// Returns the texts of a body, which contains nothing else.
fn texts(label: &str, body: &Value) -> Vec<InboundMessage> {
    let events = read(label, body.to_string().as_bytes()).into_iter();
    let text = |event| match event {
        Inbound::Text { message, .. } => message,
        other => panic!("{label}: {body}: {other:?}"),
    };
    events.map(text).collect()
}

fn words(label: &str, body: &Value) -> Vec<String> {
    texts(label, body)
        .into_iter()
        .map(|message| message.text)
        .collect()
}

#[test]
fn odd_forms_of_twilio_and_plivo() {
    for (body, why) in [
        (
            "MessageSid=SM1&MessageStatus=delivered&From=1&To=2",
            NOT_A_TEXT,
        ),
        (
            "MessageSid=SM1&MessageStatus=sent&From=1&To=2&Body=CS-0",
            NOT_A_TEXT,
        ),
        (
            "MessageSid=SM1&SmsStatus=delivered&From=1&To=2&Body=CS-0",
            NOT_A_TEXT,
        ),
        (
            "EventType=onConversationAdded&ConversationSid=CH1",
            NOT_A_TEXT,
        ),
        (
            "EventType=onMessageAdded&ConversationSid=CH1&Author=%2B12025550100&Body=CS-0",
            MALFORMED,
        ),
        ("MessageSid=SM1&From=1&Body=CS-0", MALFORMED),
        ("From=1&To=2&Body=CS-0", MALFORMED),
    ] {
        for label in ["twilio sha1", "twilio sha256"] {
            let events = read(label, body.as_bytes());
            assert_eq!(events, [Inbound::Ignored(why)], "{label}: {body}");
        }
    }
    for (body, why) in [
        ("MessageUUID=m&Status=delivered&From=1&To=2", NOT_A_TEXT),
        ("MessageUUID=m&From=1&To=2&Type=mms&Media0=u", NOT_A_TEXT),
        ("From=1&To=2&Text=CS-0&Type=sms", MALFORMED),
        ("MessageUUID=m&From=1&Text=CS-0&Type=sms", MALFORMED),
    ] {
        for label in ["plivo v2", "plivo v3"] {
            let events = read(label, body.as_bytes());
            assert_eq!(events, [Inbound::Ignored(why)], "{label}: {body}");
        }
    }
}

#[test]
fn odd_batches_of_infobip_and_bandwidth() {
    for (label, body) in [
        ("infobip basic", json!({})),
        ("infobip basic", json!({"results": null})),
        ("infobip basic", json!({"results": {}})),
        ("infobip sha256", json!([])),
        ("infobip sha256", json!(null)),
        ("bandwidth", json!({})),
        ("bandwidth", json!(null)),
    ] {
        ignored(label, &body, MALFORMED);
    }
    for (label, body) in [
        (
            "infobip basic",
            json!({"results": [{"messageId": "m", "status": {"groupName": "DELIVERED"}}]}),
        ),
        (
            "infobip basic",
            json!({"results": [{"messageId": "m", "from": "1", "to": "2", "text": null}]}),
        ),
        (
            "bandwidth",
            json!([{"type": "message-sending", "message": {"id": 7}}]),
        ),
        ("bandwidth", json!([{"type": "message-delivered"}])),
        ("bandwidth", json!([{"message": {"text": "CS-0"}}])),
    ] {
        ignored(label, &body, NOT_A_TEXT);
    }
    assert_eq!(read("infobip basic", br#"{"results":[]}"#), []);
    assert_eq!(read("bandwidth", b"[]"), []);
}

/// A topic may receive more than texts: receipts, and tests from the console.
#[test]
fn odd_messages_of_a_topic() {
    let sns = sns_provider(TOPIC, SignatureVersion::V2);
    for (document, why) in [
        (
            r#"{"eventType":"TEXT_DELIVERED","messageId":"m"}"#,
            NOT_A_TEXT,
        ),
        (
            r#"{"originationNumber":"+12025550100","messageBody":null}"#,
            NOT_A_TEXT,
        ),
        ("hello", MALFORMED),
        ("", MALFORMED),
        ("[]", MALFORMED),
        (r#"{"messageBody":7}"#, MALFORMED),
        (
            r#"{"messageBody":"CS-0","originationNumber":"+12025550100"}"#,
            MALFORMED,
        ),
    ] {
        let taken = take(&sns, &seal_message(document.as_bytes()), NOW);
        assert_eq!(events(taken), [Inbound::Ignored(why)], "{document}");
    }
}

#[test]
fn body_that_is_not_json_is_refused() {
    for label in [
        "sinch",
        "sinch conversation",
        "telnyx",
        "sms gate",
        "whatsapp",
        "vonage messages",
        "infobip basic",
        "bandwidth",
    ] {
        for body in ["", "{", "hello", "{\"a\":\"\\ud83\"}", "From=1&To=2"] {
            let taken = try_to_read(label, body.as_bytes());
            let shape = matches!(
                taken,
                Err(InboundError::Malformed(MalformedText::Shape { .. }))
            );
            assert!(shape, "{label}: {body}: {taken:?}");
        }
    }
}
