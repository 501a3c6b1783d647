//! Unusual events of an Android phone.

use countersign_inbound::Inbound;
use serde_json::{Value, json};

use super::{MALFORMED, NOT_A_TEXT, ignored, texts};
use crate::seal::read;

fn with(event: &Value, payload: &Value) -> Value {
    json!({"deviceId": "d", "event": event, "id": "e", "payload": payload, "webhookId": "w"})
}

fn mms(more: &Value) -> Value {
    let mut payload = json!({"messageId": "m", "sender": "+12025550100", "recipient": "+12025550199",
        "simNumber": 1, "attachments": [], "receivedAt": "2026-11-24T07:00:00.000+01:00"});
    for (name, value) in more.as_object().unwrap() {
        payload[name] = value.clone();
    }
    payload
}

#[test]
fn odd_events_of_an_android_phone() {
    for event in [
        "sms:data-received",
        "sms:batch:data-received",
        "sms:sent",
        "sms:delivered",
        "sms:failed",
        "sms:cancelled",
        "system:ping",
        "app:started",
        "",
    ] {
        ignored(
            "sms gate",
            &with(&json!(event), &json!({"message": "CS-0", "sender": "1"})),
            NOT_A_TEXT,
        );
    }
    for (body, why) in [
        (
            with(
                &json!("mms:downloaded"),
                &mms(&json!({"body": null, "subject": null})),
            ),
            NOT_A_TEXT,
        ),
        (
            with(
                &json!("mms:received"),
                &mms(&json!({"transactionId": "t", "subject": null})),
            ),
            NOT_A_TEXT,
        ),
        (with(&json!("sms:received"), &mms(&json!({}))), NOT_A_TEXT),
        (
            with(&json!(null), &mms(&json!({"message": "CS-0"}))),
            NOT_A_TEXT,
        ),
        (json!({}), NOT_A_TEXT),
        (
            with(
                &json!("sms:received"),
                &json!({"message": 7, "sender": "1"}),
            ),
            MALFORMED,
        ),
        (with(&json!("mms:downloaded"), &json!("CS-0")), MALFORMED),
        (with(&json!("sms:batch:received"), &json!(null)), MALFORMED),
        (with(&json!("sms:received"), &json!([])), MALFORMED),
        (
            json!({"event": "sms:received", "payload": {"message": "CS-0", "sender": "1"}}),
            MALFORMED,
        ),
        (json!({"event": "mms:downloaded", "id": "e"}), MALFORMED),
        (json!([]), MALFORMED),
    ] {
        ignored("sms gate", &body, why);
    }
}

#[test]
fn messages_with_pictures_and_batches_of_an_android_phone() {
    for (event, more, expected) in [
        ("mms:downloaded", json!({"body": "CS-0"}), "CS-0"),
        (
            "mms:downloaded",
            json!({"body": "hello", "subject": "CS-0"}),
            "hello\nCS-0",
        ),
        (
            "mms:downloaded",
            json!({"body": null, "subject": "CS-0"}),
            "CS-0",
        ),
        (
            "mms:received",
            json!({"subject": "CS-0", "size": 7}),
            "CS-0",
        ),
    ] {
        let taken = texts("sms gate", &with(&json!(event), &mms(&more)));
        let [message] = &taken[..] else {
            panic!("{taken:?}")
        };
        assert_eq!(message.text, expected, "{event}");
        assert_eq!(message.from, "+12025550100");
        assert_eq!(
            (message.to.as_str(), message.message_id.as_str()),
            ("+12025550199", "e")
        );
    }
    for (event, name) in [
        ("sms:batch:received", "message"),
        ("mms:batch:downloaded", "body"),
        ("mms:batch:received", "subject"),
    ] {
        let list =
            json!({"messages": [mms(&json!({name: "CS-0"})), 7, mms(&json!({name: "CS-1"}))]});
        let events = read(
            "sms gate",
            with(&json!(event), &list).to_string().as_bytes(),
        );
        let [
            Inbound::Text { message: one, .. },
            odd,
            Inbound::Text { message: two, .. },
        ] = &events[..]
        else {
            panic!("{event}: {events:?}")
        };
        assert_eq!(*odd, Inbound::Ignored(MALFORMED));
        assert_eq!([one, two].map(|it| it.message_id.as_str()), ["e/0", "e/2"]);
        assert_eq!([one, two].map(|it| it.text.as_str()), ["CS-0", "CS-1"]);
    }
}
