//! Texts from a topic of AWS End User Messaging.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use countersign_domain::primitives::canonical_json::CanonicalError;
use countersign_inbound::MalformedText;
use countersign_inbound::end_user_messaging::{NAME, parse};

/// A message as in the User Guide, with other values.
const MESSAGE: &str = r#"{
    "originationNumber": "+12025550100",
    "destinationNumber": "+12025550199",
    "messageKeyword": "KEYWORD_123456789012",
    "messageBody": "Sign in to Shop: CS-0123456789ABCDEF",
    "inboundMessageId": "d8b5a2a0-5a5d-4a4b-8a52-7a8e2d7f1c11",
    "previousPublishedMessageId": "x"
}"#;

#[test]
fn topic_message_is_parsed() {
    let Ok(Some(message)) = parse(MESSAGE) else {
        panic!("the message is well formed");
    };
    assert_eq!(message.provider, NAME);
    assert_eq!(message.message_id, "d8b5a2a0-5a5d-4a4b-8a52-7a8e2d7f1c11");
    assert_eq!(message.from, "+12025550100");
    assert_eq!(message.to, "+12025550199");
    assert_eq!(message.text, "Sign in to Shop: CS-0123456789ABCDEF");
    assert_eq!(message.carrier, None, "AWS does not name the carrier");
}

#[test]
fn half_an_emoji_in_a_text_is_replaced() {
    let broken = MESSAGE.replace("Sign in", r"Sign in \ud83d");
    let message = parse(&broken).unwrap().unwrap();
    assert_eq!(
        message.text,
        "Sign in \u{fffd} to Shop: CS-0123456789ABCDEF"
    );
}

#[test]
fn missing_member_is_refused() {
    for name in [
        "originationNumber",
        "destinationNumber",
        "messageBody",
        "inboundMessageId",
    ] {
        let without = MESSAGE.replace(name, "other");
        match name {
            "originationNumber" => assert_eq!(parse(&without).unwrap().unwrap().from, ""),
            "messageBody" => assert_eq!(parse(&without), Ok(None)),
            _ => assert_eq!(parse(&without), Err(MalformedText::Missing(name))),
        }
        let number = MESSAGE.replace(
            &format!("\"{name}\": \""),
            &format!("\"{name}\": 7, \"x\": \""),
        );
        assert_eq!(parse(&number), Err(MalformedText::NotAString(name)));
    }
}

#[test]
fn other_json_is_refused() {
    assert_eq!(
        parse("poison"),
        Err(MalformedText::Json(CanonicalError::NotJson { at: 0 }))
    );
    assert_eq!(
        parse("[]"),
        Err(MalformedText::Json(CanonicalError::NotAnObject { at: 0 }))
    );
}
