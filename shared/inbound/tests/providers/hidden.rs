//! Senders without a number: users who hide it, and networks without numbers.

use countersign_domain::confirmation::miss::UnusableText;
use countersign_domain::confirmation::text::{Channel, InboundMessage};
use countersign_inbound::vonage_sms::VonageSms;
use countersign_inbound::{HashAlgorithm, Inbound, InboundProvider as _};
use serde_json::{Value, json};

use crate::cases::{NOW, TOPIC, events, only, secret, sns_provider, take, text};
use crate::seal::{read, seal_message};

mod whatsapp;

const NUMBER: &str = "12025550100";

/// The sender, or why it is missing.
type Sender = Result<String, UnusableText>;

fn event_sender(event: &Inbound) -> Sender {
    match event {
        Inbound::Text { message, .. } => {
            assert_eq!(message.text, "CS-0");
            let number = message.sender()?;
            Ok(number.as_str().to_owned())
        }
        other => panic!("{other:?}"),
    }
}

fn sender(label: &str, body: &[u8]) -> Sender {
    match &read(label, body)[..] {
        [event] => event_sender(event),
        other => panic!("{other:?}"),
    }
}

fn hidden() -> Sender {
    Err(UnusableText::NumberHidden)
}

fn number() -> String {
    format!("+{NUMBER}")
}

fn without(mut object: Value, name: &str) -> Value {
    object.as_object_mut().unwrap().remove(name);
    object
}

#[test]
fn vonage_sms_may_lack_its_sender() {
    let vonage = VonageSms::new(secret("first-secret"), HashAlgorithm::Sha256);
    for (from, expected) in [
        ("", hidden()),
        ("anonymous", hidden()),
        ("ACME", Err(UnusableText::Sender)),
    ] {
        let given = InboundMessage {
            from: from.to_owned(),
            text: "CS-0".to_owned(),
            ..text(Channel::Sms)
        };
        let taken = events(take(&vonage, &vonage.sign(&given, NOW, "n").unwrap(), NOW));
        assert_eq!(event_sender(&taken[0]), expected, "{from}");
    }
}

/// Every other provider: no sender, an empty one, a word in its place, a name, and a number.
#[test]
fn missing_sender_is_hidden_with_each_provider() {
    let telnyx = |from: Value, kind: &str| {
        let payload = json!({"id": "m", "type": kind, "text": "CS-0", "from": from,
            "to": [{"phone_number": "+12025550199"}]});
        json!({"data": {"event_type": "message.received", "payload": payload}})
    };
    let sinch = |from: Value| json!({"type": "mo_text", "id": "m", "from": from, "to": "12025550199", "body": "CS-0"});
    let infobip = |from: Value| json!({"results": [{"messageId": "m", "from": from, "to": "12025550199", "text": "CS-0"}]});
    let bandwidth = |from: Value| json!([{"type": "message-received", "message": {"id": "m", "from": from, "to": ["+12025550199"], "text": "CS-0"}}]);
    let sms_gate = |from: Value| json!({"event": "sms:received", "id": "m", "payload": {"message": "CS-0", "sender": from}});
    let senders = [
        (json!(null), hidden()),
        (json!(""), hidden()),
        (json!("anonymous"), hidden()),
        (json!("ACME"), Err(UnusableText::Sender)),
        (json!("12345"), Err(UnusableText::Sender)),
        (json!("+12025550100"), Ok(number())),
    ];
    for (from, expected) in senders {
        for (label, body) in [
            ("telnyx", telnyx(json!({"phone_number": from}), "SMS")),
            ("sinch", sinch(from.clone())),
            ("infobip basic", infobip(from.clone())),
            ("bandwidth", bandwidth(from.clone())),
            ("sms gate", sms_gate(from.clone())),
        ] {
            assert_eq!(
                sender(label, body.to_string().as_bytes()),
                expected,
                "{label}: {from}"
            );
        }
        let word = from.as_str().unwrap_or_default().replace('+', "%2B");
        for label in ["plivo v2", "plivo v3"] {
            let body = format!("From={word}&To=12025550199&MessageUUID=m&Text=CS-0&Type=sms");
            assert_eq!(sender(label, body.as_bytes()), expected, "{label}: {from}");
        }
        let document = json!({"originationNumber": from, "destinationNumber": "+12025550199",
            "messageBody": "CS-0", "inboundMessageId": "m"});
        for document in [document.clone(), without(document, "originationNumber")] {
            let expected = if document.get("originationNumber").is_some() {
                expected.clone()
            } else {
                hidden()
            };
            let call = seal_message(document.to_string().as_bytes());
            let sns = sns_provider(TOPIC, countersign_inbound::sns::SignatureVersion::V2);
            let taken = only(take(&sns, &call, NOW));
            assert_eq!(
                taken.sender().map(|number| number.as_str().to_owned()),
                expected,
                "{document}"
            );
        }
    }
    // Without the member, and from networks whose senders are not verified.
    let none = [
        ("telnyx", telnyx(json!(null), "SMS")),
        ("telnyx", telnyx(json!({"carrier": "Acme"}), "MMS")),
        (
            "telnyx",
            telnyx(json!({"phone_number": "+12025550100"}), "RCS"),
        ),
        ("sinch", without(sinch(json!("1")), "from")),
        (
            "infobip basic",
            json!({"results": [{"messageId": "m", "to": "2", "text": "CS-0"}]}),
        ),
        (
            "infobip basic",
            json!({"results": [{"messageId": "m", "from": NUMBER, "to": "2",
            "integrationType": "WHATSAPP", "message": {"type": "TEXT", "text": "CS-0"}}]}),
        ),
        (
            "bandwidth",
            json!([{"type": "message-received", "message": {"id": "m", "to": ["+12025550199"], "text": "CS-0"}}]),
        ),
        (
            "bandwidth",
            json!([{"type": "message-received", "message": {"id": "m", "from": "+12025550100",
            "to": ["acme"], "channel": "RBM", "text": "CS-0"}}]),
        ),
        (
            "sms gate",
            json!({"event": "sms:received", "id": "m", "payload": {"message": "CS-0"}}),
        ),
    ];
    for (label, body) in none {
        assert_eq!(
            sender(label, body.to_string().as_bytes()),
            hidden(),
            "{label}: {body}"
        );
    }
    for body in [
        "To=12025550199&MessageUUID=m&Text=CS-0&Type=sms",
        "From=12025550100&To=12025550199&MessageUUID=m&Text=CS-0&Type=whatsapp",
    ] {
        assert_eq!(sender("plivo v3", body.as_bytes()), hidden(), "{body}");
    }
    let generic = json!({"from": "", "to": "+12025550199", "text": "CS-0"});
    assert_eq!(sender("generic", generic.to_string().as_bytes()), hidden());
}
