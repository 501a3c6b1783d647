//! Unusual events of Telnyx.

use serde_json::{Value, json};

use super::{MALFORMED, NOT_A_TEXT, ignored, words};
use crate::seal::read;

#[test]
fn odd_events_of_telnyx() {
    let payload = |more: Value| {
        let mut payload = json!({"id": "m", "type": "MMS", "from": {"phone_number": "+12025550100"},
            "to": [{"phone_number": "+12025550199"}]});
        for (name, value) in more.as_object().unwrap() {
            payload[name] = value.clone();
        }
        json!({"data": {"event_type": "message.received", "payload": payload}})
    };
    for (body, why) in [
        (
            json!({"data": {"event_type": "message.received"}}),
            MALFORMED,
        ),
        (
            json!({"data": {"event_type": "message.received", "payload": null}}),
            MALFORMED,
        ),
        (payload(json!({"text": "CS-0", "type": null})), MALFORMED),
        (payload(json!({"text": "CS-0", "id": 7})), MALFORMED),
        (payload(json!({"text": 7})), MALFORMED),
        (
            payload(json!({"text": "CS-0", "to": "+12025550199"})),
            MALFORMED,
        ),
        (json!({"data": null}), MALFORMED),
        (json!({}), MALFORMED),
        (json!([]), MALFORMED),
        (json!({"data": {}}), NOT_A_TEXT),
        (json!({"data": {"payload": {}}}), NOT_A_TEXT),
        (json!({"data": {"event_type": null}}), NOT_A_TEXT),
        (
            json!({"data": {"event_type": "message.sent", "payload": 7}}),
            NOT_A_TEXT,
        ),
        (
            json!({"data": {"event_type": "message.finalized", "payload": {"id": 7}}}),
            NOT_A_TEXT,
        ),
        (
            json!({"data": {"event_type": "10dlc.campaign.update"}}),
            NOT_A_TEXT,
        ),
        (payload(json!({"text": null})), NOT_A_TEXT),
        // A reaction or a location on WhatsApp.
        (
            payload(json!({"type": "WHATSAPP", "body": {"type": "reaction"}})),
            NOT_A_TEXT,
        ),
    ] {
        ignored("telnyx", &body, why);
    }
    for (more, expected) in [
        (json!({"subject": "CS-0", "text": ""}), "CS-0"),
        (json!({"subject": "CS-0"}), "CS-0"),
        (json!({"subject": "Hi", "text": "CS-0"}), "CS-0\nHi"),
    ] {
        assert_eq!(words("telnyx", &payload(more)), [expected]);
    }
    let nobody = payload(json!({"text": "CS-0", "to": []}));
    assert_eq!(read("telnyx", nobody.to_string().as_bytes()), []);
}
