//! Unusual events of Sinch, of both APIs.

use countersign_domain::confirmation::miss::UnusableText;
use countersign_domain::confirmation::text::Channel;
use serde_json::{Value, json};

use super::{MALFORMED, NOT_A_TEXT, ignored, texts, words};

#[test]
fn odd_events_of_sinch() {
    let with = |kind: Value, body: Value| json!({"type": kind, "id": "m", "from": "12025550100", "to": "12025550199", "body": body});
    for (body, why) in [
        (with(json!("mo_text"), json!(null)), NOT_A_TEXT),
        (with(json!("mo_media"), json!(null)), NOT_A_TEXT),
        (with(json!("mo_media"), json!({})), NOT_A_TEXT),
        (
            with(
                json!("mo_media"),
                json!({"message": null, "subject": null, "media": []}),
            ),
            NOT_A_TEXT,
        ),
        (with(json!("mo_binary"), json!("AAEC")), NOT_A_TEXT),
        (with(json!("something_new"), json!(null)), NOT_A_TEXT),
        (with(json!(null), json!("CS-0")), NOT_A_TEXT),
        (
            json!({"type": "delivery_report_sms", "batch_id": "b", "statuses": []}),
            NOT_A_TEXT,
        ),
        (
            json!({"type": "mo_text", "id": "m", "from": "1", "to": "2"}),
            NOT_A_TEXT,
        ),
        (json!({}), NOT_A_TEXT),
        (with(json!("mo_text"), json!(7)), MALFORMED),
        (with(json!(7), json!("CS-0")), MALFORMED),
        (
            json!({"type": "mo_text", "from": "1", "to": "2", "body": "CS-0"}),
            MALFORMED,
        ),
        (json!([]), MALFORMED),
        (json!(null), MALFORMED),
    ] {
        ignored("sinch", &body, why);
    }
    for (content, expected) in [
        (json!({"message": "CS-0"}), "CS-0"),
        (json!({"subject": "CS-0"}), "CS-0"),
        (json!({"message": "", "subject": "CS-0"}), "CS-0"),
        (
            json!({"message": "hello", "subject": "CS-0"}),
            "hello\nCS-0",
        ),
    ] {
        assert_eq!(
            words("sinch", &with(json!("mo_media"), content)),
            [expected]
        );
    }
}

#[test]
fn odd_events_of_sinchs_conversation_api() {
    let with = |more: Value| {
        let mut message = json!({"id": "m", "direction": "TO_APP", "sender_id": "12025550199",
            "contact_message": {"text_message": {"text": "CS-0"}},
            "channel_identity": {"channel": "SMS", "identity": "12025550100"}});
        for (name, value) in more.as_object().unwrap() {
            message[name] = value.clone();
        }
        json!({"app_id": "a", "project_id": "p", "accepted_time": "2026-11-22T10:00:00Z", "message": message})
    };
    for (body, why) in [
        (
            json!({"app_id": "a", "message_delivery_report": {"status": "DELIVERED"}}),
            NOT_A_TEXT,
        ),
        (
            json!({"app_id": "a", "event": {"contact_event": {"composing_event": {}}}}),
            NOT_A_TEXT,
        ),
        (
            json!({"app_id": "a", "conversation_start_notification": {}}),
            NOT_A_TEXT,
        ),
        (
            json!({"app_id": "a", "unsupported_callback": {"channel": "SMS", "payload": "{}"}}),
            NOT_A_TEXT,
        ),
        (json!({"app_id": "a", "message": null}), NOT_A_TEXT),
        (json!({}), NOT_A_TEXT),
        (with(json!({"contact_message": null})), NOT_A_TEXT),
        (with(json!({"contact_message": {}})), NOT_A_TEXT),
        (
            with(json!({"contact_message": {"media_message": {"url": "u"}}})),
            NOT_A_TEXT,
        ),
        (
            with(json!({"contact_message": {"text_message": {"text": null}}})),
            NOT_A_TEXT,
        ),
        // The business's own messages, and messages that no phone sent.
        (with(json!({"direction": "TO_CONTACT"})), NOT_A_TEXT),
        (with(json!({"injected": true})), NOT_A_TEXT),
        (with(json!({"channel_identity": null})), MALFORMED),
        (with(json!({"id": 7})), MALFORMED),
        (with(json!({"contact_message": "CS-0"})), MALFORMED),
        (json!({"message": "CS-0"}), MALFORMED),
        (json!([]), MALFORMED),
    ] {
        ignored("sinch conversation", &body, why);
    }
    let card = json!({"contact_message": {"media_card_message": {"url": "u", "caption": "CS-0"}}});
    for (more, to) in [
        (json!({}), "12025550199"),
        (json!({"injected": false, "direction": null}), "12025550199"),
        (card, "12025550199"),
        (json!({"sender_id": null}), ""),
    ] {
        let taken = texts("sinch conversation", &with(more));
        let [message] = &taken[..] else {
            panic!("{taken:?}")
        };
        assert_eq!((message.text.as_str(), message.to.as_str()), ("CS-0", to));
        assert_eq!(
            (message.from.as_str(), message.channel),
            ("12025550100", Channel::Sms)
        );
    }
    for (channel, expected) in [
        ("SMS", Channel::Sms),
        ("MMS", Channel::Sms),
        ("WHATSAPP", Channel::Other),
        ("RCS", Channel::Other),
        ("MESSENGER", Channel::Other),
        ("TELEGRAM", Channel::Other),
    ] {
        let identity = json!({"channel": channel, "identity": "12025550100"});
        let taken = texts(
            "sinch conversation",
            &with(json!({"channel_identity": identity})),
        );
        assert_eq!(taken[0].channel, expected, "{channel}");
        assert_eq!(taken[0].sender().is_ok(), expected == Channel::Sms);
    }
    for identity in [
        json!({"channel": "SMS"}),
        json!({"channel": "SMS", "identity": ""}),
    ] {
        let taken = texts(
            "sinch conversation",
            &with(json!({"channel_identity": identity})),
        );
        assert_eq!(taken[0].sender(), Err(UnusableText::NumberHidden));
    }
}
