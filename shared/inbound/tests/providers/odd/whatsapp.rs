//! Unusual WhatsApp messages, from Meta and from Vonage.

use countersign_domain::confirmation::text::Channel;
use serde_json::{Value, json};

use super::{MALFORMED, NOT_A_TEXT, ignored, texts, words};

fn meta(message: &Value) -> Value {
    let value = json!({"metadata": {"display_phone_number": "12025550199"}, "messages": [message]});
    json!({"object": "whatsapp_business_account",
        "entry": [{"id": "0", "changes": [{"field": "messages", "value": value}]}]})
}

#[test]
fn odd_messages_on_whatsapp() {
    let with = |kind: &str, content: Value| {
        let mut message = json!({"id": "wamid.2", "from": "12025550100", "type": kind});
        message[kind] = content;
        meta(&message)
    };
    for (kind, content) in [
        ("reaction", json!({"emoji": "x", "message_id": "wamid.1"})),
        ("sticker", json!({"id": "s"})),
        ("audio", json!({"id": "s", "voice": true})),
        ("location", json!({"latitude": 1.5})),
        ("contacts", json!([{"name": {}}])),
        ("button", json!({"text": "CS-0", "payload": "p"})),
        (
            "system",
            json!({"body": "changed", "type": "user_changed_number"}),
        ),
        ("revoke", json!({"original_message_id": "wamid.1"})),
        ("unsupported", json!({"type": "edit"})),
        ("errors", json!([{"code": 131_051}])),
        ("image", json!({"id": "i"})),
        ("text", json!({})),
        ("text", json!({"body": null})),
        ("edit", json!({"original_message_id": "wamid.1"})),
        (
            "edit",
            json!({"original_message_id": "wamid.1", "message": {"type": "reaction"}}),
        ),
    ] {
        ignored("whatsapp", &with(kind, content), NOT_A_TEXT);
    }
    for (body, why) in [
        (with("text", json!("CS-0")), MALFORMED),
        (
            with("edit", json!({"message": {"text": {"body": "CS-0"}}})),
            MALFORMED,
        ),
        (json!({"object": "whatsapp_business_account"}), MALFORMED),
        (json!({}), MALFORMED),
        (json!([]), MALFORMED),
    ] {
        ignored("whatsapp", &body, why);
    }
    // The business itself wrote this in the app on its phone.
    let echo = json!({"object": "whatsapp_business_account", "entry": [{"id": "0", "changes": [{
        "field": "smb_message_echoes", "value": {"metadata": {"display_phone_number": "12025550199"},
        "message_echoes": [{"from": "12025550199", "to": "12025550100", "id": "wamid.3", "type": "text",
            "text": {"body": "CS-0"}}]}}]}]});
    ignored("whatsapp", &echo, NOT_A_TEXT);
    for (kind, content) in [
        ("text", json!({"body": "CS-0"})),
        ("image", json!({"id": "i", "caption": "CS-0"})),
        ("video", json!({"id": "i", "caption": "CS-0"})),
        (
            "document",
            json!({"id": "i", "filename": "a.pdf", "caption": "CS-0"}),
        ),
        (
            "edit",
            json!({"original_message_id": "wamid.1",
            "message": {"context": {"id": "wamid.1"}, "type": "text", "text": {"body": "CS-0"}}}),
        ),
        (
            "edit",
            json!({"original_message_id": "wamid.1",
            "message": {"type": "image", "image": {"id": "i", "caption": "CS-0"}}}),
        ),
    ] {
        let taken = texts("whatsapp", &with(kind, content));
        let [message] = &taken[..] else {
            panic!("{taken:?}")
        };
        assert_eq!(message.text, "CS-0", "{kind}");
        assert_eq!(
            (message.message_id.as_str(), message.channel),
            ("wamid.2", Channel::WhatsApp)
        );
    }
}

#[test]
fn odd_events_of_vonage() {
    let with = |kind: Value, more: Value| {
        let mut body = json!({"channel": "whatsapp", "message_uuid": "m", "from": "12025550100",
            "to": "12025550199", "message_type": kind});
        for (name, value) in more.as_object().unwrap() {
            body[name] = value.clone();
        }
        body
    };
    for (body, why) in [
        (
            with(json!("reaction"), json!({"reaction": {"emoji": "x"}})),
            NOT_A_TEXT,
        ),
        (
            with(json!("sticker"), json!({"sticker": {"url": "u"}})),
            NOT_A_TEXT,
        ),
        (with(json!("audio"), json!({})), NOT_A_TEXT),
        (with(json!("unsupported"), json!({})), NOT_A_TEXT),
        (with(json!("text"), json!({"text": null})), NOT_A_TEXT),
        (with(json!("text"), json!({})), NOT_A_TEXT),
        (
            with(json!("image"), json!({"image": {"url": "u"}})),
            NOT_A_TEXT,
        ),
        (with(json!(null), json!({"text": "CS-0"})), NOT_A_TEXT),
        (
            json!({"message_uuid": "m", "status": "delivered", "channel": "sms"}),
            NOT_A_TEXT,
        ),
        (json!({}), NOT_A_TEXT),
        (with(json!("text"), json!({"text": 7})), MALFORMED),
        (
            with(json!("text"), json!({"text": "CS-0", "to": null})),
            MALFORMED,
        ),
        (with(json!(7), json!({"text": "CS-0"})), MALFORMED),
        (json!([]), MALFORMED),
    ] {
        ignored("vonage messages", &body, why);
    }
    for (kind, name) in [("image", "image"), ("video", "video"), ("file", "file")] {
        let body = with(json!(kind), json!({name: {"url": "u", "caption": "CS-0"}}));
        assert_eq!(words("vonage messages", &body), ["CS-0"]);
    }
}
