//! Texts that come by AWS End User Messaging's topic.

use countersign_domain::primitives::canonical_json::CanonicalError;
use countersign_inbound::MalformedText;
use countersign_inbound::end_user_messaging::{NAME, parse};

/// As the User Guide shows a message, with other values.
const MESSAGE: &str = r#"{
    "originationNumber": "+12025550100",
    "destinationNumber": "+12025550199",
    "messageKeyword": "KEYWORD_123456789012",
    "messageBody": "Sign in to Shop: CS-0123456789ABCDEF",
    "inboundMessageId": "d8b5a2a0-5a5d-4a4b-8a52-7a8e2d7f1c11",
    "previousPublishedMessageId": "x"
}"#;

#[test]
fn a_message_of_the_topic_is_a_text() {
    let Ok(message) = parse(MESSAGE) else {
        panic!("the message is well formed");
    };
    assert_eq!(message.provider, NAME);
    assert_eq!(message.message_id, "d8b5a2a0-5a5d-4a4b-8a52-7a8e2d7f1c11");
    assert_eq!(message.from, "+12025550100");
    assert_eq!(message.to, "+12025550199");
    assert_eq!(message.text, "Sign in to Shop: CS-0123456789ABCDEF");
    assert_eq!(message.carrier, None, "the service does not say");
}

#[test]
fn each_member_that_is_needed_is_missed() {
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
fn what_is_no_json_object_is_refused() {
    assert_eq!(
        parse("poison"),
        Err(MalformedText::Json(CanonicalError::NotJson { at: 0 }))
    );
    assert_eq!(
        parse("[]"),
        Err(MalformedText::Json(CanonicalError::NotAnObject { at: 0 }))
    );
}
