//! Telnyx: keys and events.

use countersign_inbound::telnyx::{MalformedTelnyxKey, Telnyx, TelnyxKey};
use countersign_inbound::{Inbound, InboundError, Reading};
use serde_json::json;

use crate::cases::{NOW, events, only, take, telnyx_call, telnyx_public};

fn read(body: &serde_json::Value) -> Result<Reading, InboundError> {
    let telnyx = Telnyx::new(telnyx_public(1));
    take(&telnyx, &telnyx_call(1, body.to_string(), NOW), NOW)
}

fn received(payload: &serde_json::Value) -> Result<Reading, InboundError> {
    read(&json!({"data": {"event_type": "message.received", "payload": payload}}))
}

#[test]
fn key_is_the_base64_of_32_bytes() {
    for bad in [
        "",
        "AAAA",
        "?",
        &"A".repeat(44),
        "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
    ] {
        assert_eq!(bad.parse::<TelnyxKey>(), Err(MalformedTelnyxKey), "{bad}");
    }
}

#[test]
fn carrier_is_passed_on() {
    let of = |carrier| {
        only(received(&json!({
            "id": "m", "type": "SMS", "text": "CS-0",
            "from": {"phone_number": "+12025550100", "carrier": carrier},
            "to": [{"phone_number": "+12025550199"}],
        })))
        .carrier
    };
    assert_eq!(
        of(json!("Example Wireless")).as_deref(),
        Some("Example Wireless")
    );
    assert_eq!(of(json!("")), None);
    assert_eq!(of(json!(null)), None);
}

#[test]
fn group_message_counts_for_each_recipient() {
    let group = received(&json!({
        "id": "m", "type": "MMS", "text": "CS-0",
        "from": {"phone_number": "+12025550100"},
        "to": [{"phone_number": "+12025550198"}, {"phone_number": "+12025550199"}],
    }));
    let to: Vec<_> = events(group)
        .into_iter()
        .map(|event| match event {
            Inbound::Text { message, .. } => message.to,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(to, ["+12025550198", "+12025550199"]);
}
