//! Telnyx: keys and events.

use countersign_inbound::telnyx::{MalformedTelnyxKey, Telnyx, TelnyxKey};
use countersign_inbound::{Ignored, Inbound, InboundError, MalformedText, Reading};
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

#[test]
fn other_events_are_ignored() {
    let sent = json!({"data": {"event_type": "message.finalized", "payload": {"id": 7}}});
    assert_eq!(events(read(&sent)), [Inbound::Ignored(Ignored::NotAText)]);
    let of = |kind: &str, text| {
        events(received(&json!({
            "id": "m", "type": kind, "text": text,
            "from": {"phone_number": "+12025550100"},
            "to": [{"phone_number": "+12025550199"}],
        })))
    };
    assert_eq!(of("MMS", None), [Inbound::Ignored(Ignored::NotAText)]);
    assert_eq!(
        of("RCS", Some("x")),
        [Inbound::Ignored(Ignored::OtherChannel)]
    );
}

#[test]
fn malformed_event_is_refused() {
    let payload = MalformedText::Invalid("payload");
    assert_eq!(
        received(&json!({"id": "m"})),
        Err(InboundError::Malformed(payload))
    );
    let none = read(&json!({"data": {"event_type": "message.received"}}));
    let missing = MalformedText::Missing("payload");
    assert_eq!(none, Err(InboundError::Malformed(missing)));
    let shape = MalformedText::Shape { line: 1, column: 2 };
    assert_eq!(read(&json!({})), Err(InboundError::Malformed(shape)));
}
