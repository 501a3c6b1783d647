//! Texts from AWS End User Messaging's topic.

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
    let Ok(message) = parse(MESSAGE) else {
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
fn missing_member_is_refused() {
    for name in [
        "originationNumber",
        "destinationNumber",
        "messageBody",
        "inboundMessageId",
    ] {
        let without = MESSAGE.replace(name, "other");
        assert_eq!(parse(&without), Err(MalformedText::Missing(name)));
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
