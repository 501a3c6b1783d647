//! Providers that send several events per call, and providers that report a network code.

use countersign_domain::confirmation::text::Channel;
use countersign_inbound::bandwidth::Bandwidth;
use countersign_inbound::infobip::{Infobip, InfobipProof};
use countersign_inbound::sinch::Sinch;
use countersign_inbound::{
    BasicCredentials, HashAlgorithm, Ignored, Inbound, InboundError, InboundProvider as _,
    MAX_EVENTS, MalformedText, Reading, SignedCall,
};
use http::HeaderName;
use serde_json::json;

use crate::cases::{NOW, events, post, secret, take, text};

fn known() -> BasicCredentials {
    "name:0123456789abcdef".parse().unwrap()
}

fn infobip(body: &serde_json::Value) -> Result<Reading, InboundError> {
    let infobip = Infobip::new(InfobipProof::Basic(known().into()));
    let signed = infobip.sign(&text(Channel::Sms), NOW, "").unwrap();
    post(&infobip, &signed.headers, body.to_string().as_bytes(), NOW)
}

fn bandwidth(body: &serde_json::Value) -> Result<Reading, InboundError> {
    let bandwidth = Bandwidth::new(known());
    let signed = bandwidth.sign(&text(Channel::Sms), NOW, "").unwrap();
    post(
        &bandwidth,
        &signed.headers,
        body.to_string().as_bytes(),
        NOW,
    )
}

fn senders(events: &[Inbound]) -> Vec<&str> {
    let mut senders = Vec::new();
    for event in events {
        senders.push(match event {
            Inbound::Text { message, .. } => message.from.as_str(),
            _ => "",
        });
    }
    senders
}

#[test]
fn infobip_brings_several_texts() {
    let list = events(infobip(&json!({"results": [
        {"messageId": "a", "from": "12025550100", "to": "12025550199", "text": "CS-0"},
        {"messageId": "b", "from": "ACME", "to": "12025550199", "text": "CS-0"},
        {"messageId": "c", "from": "12025550100", "to": "1", "integrationType": "WHATSAPP",
            "message": {"type": "TEXT", "text": "CS-0"}},
        {"messageId": "d", "to": "12025550100", "status": {"groupName": "DELIVERED"}},
    ], "messageCount": 4})));
    assert_eq!(senders(&list), ["12025550100", "ACME", "12025550100", ""]);
    assert_eq!(list[3], Inbound::Ignored(Ignored::NotAText));
}

#[test]
fn bandwidth_brings_several_events() {
    let list = events(bandwidth(&json!([
        {"type": "message-received", "message": {"id": "a", "from": "+12025550100",
            "to": ["+12025550198", "+12025550199"], "text": "CS-0"}},
        {"type": "message-delivered", "message": {"id": 7}},
        {"type": "message-received", "message": {"id": "b", "from": "+12025550101",
            "to": ["+12025550199"], "channel": "RBM", "text": "CS-0"}},
        {"type": "message-received", "message": {"id": "c", "from": "+12025550101",
            "to": ["+12025550199"], "media": ["https://example.com/a.jpg"]}},
    ])));
    assert_eq!(
        senders(&list),
        ["+12025550100", "+12025550100", "", "+12025550101", ""]
    );
    assert_eq!(list[4], Inbound::Ignored(Ignored::NotAText));
}

#[test]
fn too_many_events_are_refused() {
    let results = |count| {
        let one = json!({"messageId": "a", "from": "1", "to": "2", "text": "x"});
        infobip(&json!({ "results": vec![one; count] })).map(|_| ())
    };
    let too_many = Err(InboundError::Malformed(MalformedText::TooMany));
    assert_eq!(results(MAX_EVENTS), Ok(()));
    assert_eq!(results(MAX_EVENTS + 1), too_many);
    let group = |recipients| {
        let to = vec!["+12025550199"; recipients];
        let group = bandwidth(&json!([{"type": "message-received",
            "message": {"id": "a", "from": "+12025550100", "to": to, "text": "x"}}]));
        events(group).len()
    };
    assert_eq!((group(0), group(16), group(17)), (1, 16, 1));
}

/// Infobip sends up to 2,000 texts per call, and repeats the whole call if it is refused.
#[test]
fn largest_call_of_infobip_is_taken() {
    let one = json!({
        "messageId": "817790313235066447", "from": "12025550100", "to": "12025550199",
        "text": "x".repeat(160), "cleanText": "x".repeat(160), "keyword": "CS",
        "receivedAt": "2026-11-22T10:00:00.000+0000", "smsCount": 1, "integrationType": "SMS",
        "price": {"pricePerMessage": 0.0, "currency": "EUR"}, "callbackData": "x".repeat(200),
        "entityId": "entity", "applicationId": "application",
    });
    let whole = json!({ "results": vec![one; 2000], "messageCount": 2000 });
    assert_eq!(events(infobip(&whole)).len(), 2000);
}

/// Puts each unusual event before, between and after valid ones, which must all be accepted.
fn each_odd_event_stands_for_itself(
    good: &serde_json::Value,
    odd: &[serde_json::Value],
    read: impl Fn(&[serde_json::Value]) -> Result<Reading, InboundError>,
) {
    for odd in odd {
        for at in 0..3 {
            let mut list = vec![good.clone(), good.clone()];
            list.insert(at, odd.clone());
            let events = events(read(&list));
            let texts = events
                .iter()
                .filter(|it| matches!(it, Inbound::Text { .. }));
            assert_eq!(texts.count(), 2, "{odd}");
            let malformed = Inbound::Ignored(Ignored::Malformed);
            assert!(events.contains(&malformed), "{odd}: {events:?}");
        }
    }
}

#[test]
fn odd_event_of_infobip_loses_no_other() {
    let good = json!({"messageId": "a", "from": "12025550100", "to": "12025550199", "text": "x"});
    let odd = [
        json!({"from": "1", "to": "2", "text": "x"}),
        json!({"messageId": "a", "from": "1", "text": "x"}),
        json!({"messageId": "a", "from": 12_025_550_100_u64, "to": "2", "text": "x"}),
        json!({"messageId": "a", "from": "1", "to": ["2"], "text": "x"}),
        json!({"messageId": 7, "from": "1", "to": "2", "text": "x"}),
        json!({"messageId": "a", "from": "1", "to": "2", "text": 7}),
        json!({"messageId": "a", "from": "1", "to": "2", "text": {"a": "x"}}),
        json!(null),
        json!([]),
        json!("x"),
    ];
    each_odd_event_stands_for_itself(&good, &odd, |list| infobip(&json!({ "results": list })));
}

#[test]
fn odd_event_of_bandwidth_loses_no_other() {
    let message = json!({"id": "a", "from": "+12025550100", "to": ["+12025550199"], "text": "x"});
    let with = |name: &str, value| {
        let mut message = message.clone();
        message[name] = value;
        json!({"type": "message-received", "message": message})
    };
    let odd = [
        json!({"type": "message-received"}),
        json!({"type": "message-received", "message": null}),
        json!({"type": "message-received", "message": {"id": 7}}),
        json!({"type": 7}),
        json!(null),
        json!([]),
        with("from", json!(12_025_550_100_u64)),
        with("to", json!("+12025550199")),
        with("to", json!([])),
        with("to", json!(vec!["+12025550199"; 17])),
        with("id", json!(null)),
        with("text", json!(7)),
        with("channel", json!(7)),
    ];
    let good = with("id", json!("b"));
    each_odd_event_stands_for_itself(&good, &odd, |list| bandwidth(&json!(list)));
}

#[test]
fn infobips_digits_may_be_hexadecimal_or_base64() {
    use base64::Engine as _;
    use base64::prelude::BASE64_STANDARD;

    let infobip = Infobip::new(InfobipProof::Hmac {
        secrets: secret("first-secret").into(),
        algorithm: HashAlgorithm::Sha256,
        header: HeaderName::from_static("x-signature"),
    });
    let SignedCall { mut headers, body } = infobip.sign(&text(Channel::Sms), NOW, "").unwrap();
    let digits = headers[1].1.clone();
    let bytes: Vec<u8> = (0..digits.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap())
        .collect();
    for (spelling, fits) in [
        (digits.to_uppercase(), true),
        (format!("sha256={digits}"), true),
        (BASE64_STANDARD.encode(&bytes), true),
        (BASE64_STANDARD.encode(&bytes[1..]), false),
        (digits[2..].to_owned(), false),
        (format!("md5={digits}"), false),
        (String::new(), false),
    ] {
        headers[1].1 = spelling;
        assert_eq!(post(&infobip, &headers, &body, NOW).is_ok(), fits);
    }
}

#[test]
fn credentials_are_compared_whole() {
    let bandwidth = Bandwidth::new(known());
    let good = bandwidth.sign(&text(Channel::Sms), NOW, "").unwrap();
    let encode = |text: &str| {
        use base64::Engine as _;
        base64::prelude::BASE64_STANDARD.encode(text)
    };
    for (value, fits) in [
        (format!("Basic {}", encode("name:0123456789abcdef")), true),
        (format!("basic {}", encode("name:0123456789abcdef")), true),
        (format!("Basic {}", encode("name:0123456789abcde")), false),
        (format!("Basic {}", encode("name:0123456789abcdef ")), false),
        (format!("Basic {}", encode("Name:0123456789abcdef")), false),
        (format!("Bearer {}", encode("name:0123456789abcdef")), false),
        ("Basic".to_owned(), false),
        ("Basic ?".to_owned(), false),
    ] {
        let headers = [(http::header::AUTHORIZATION, value.clone())];
        let taken = post(&bandwidth, &headers, &good.body, NOW);
        assert_eq!(taken.is_ok(), fits, "{value}");
    }
}

#[test]
fn sinch_names_the_network_and_sends_other_events() {
    let sinch = Sinch::new(secret("first-secret"));
    let read = |extra: &str| {
        let mut signed = sinch.sign(&text(Channel::Sms), NOW, "n").unwrap();
        let body = String::from_utf8(signed.body).unwrap();
        signed.body = body.replacen('{', &format!("{{{extra}"), 1).into_bytes();
        resign(&mut signed);
        take(&sinch, &signed, NOW)
    };
    let network = |extra| match &events(read(extra))[..] {
        [Inbound::Text { network, .. }] => network.clone().map(|code| code.as_str().to_owned()),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        network(r#""operator_id":"310260","#).as_deref(),
        Some("310260")
    );
    for none in ["", r#""operator_id":null,"#, r#""operator_id":"unknown","#] {
        assert_eq!(network(none), None);
    }
    let twice = events(read(r#""type":"delivery_report_sms","#));
    assert_eq!(twice, [Inbound::Ignored(Ignored::Malformed)]);
}

/// Signs a Sinch call again after its body was changed.
fn resign(signed: &mut SignedCall) {
    use base64::Engine as _;
    use hmac::{Hmac, KeyInit as _, Mac as _};

    let mut mac = Hmac::<sha2::Sha256>::new_from_slice(b"first-secret").unwrap();
    mac.update(&signed.body);
    mac.update(format!(".n.{}", NOW.as_secs()).as_bytes());
    let encoded = base64::prelude::BASE64_STANDARD.encode(mac.finalize().into_bytes());
    signed.headers[1].1 = encoded;
}

/// The format of `mo_media` is taken from Sinch's libraries.
#[test]
fn text_of_an_mms_through_sinch_counts() {
    let sinch = Sinch::new(secret("first-secret"));
    let read = |content: serde_json::Value| {
        let mut signed = sinch.sign(&text(Channel::Sms), NOW, "n").unwrap();
        let body = json!({"type": "mo_media", "id": "a", "from": "12025550100",
            "to": "12025550199", "operator_id": "310260", "body": content});
        signed.body = body.to_string().into_bytes();
        resign(&mut signed);
        events(take(&sinch, &signed, NOW))
    };
    let media = json!([{"url": "https://example.com/1", "content_type": "image/png"}]);
    let list = read(json!({"message": "CS-0", "subject": "Hello", "media": media}));
    let [Inbound::Text { message, network }] = &list[..] else {
        panic!("{list:?}")
    };
    assert_eq!(
        (message.text.as_str(), message.message_id.as_str()),
        ("CS-0\nHello", "a")
    );
    assert!(network.is_some());
    for none in [json!({"media": media}), json!({"message": null})] {
        assert_eq!(read(none), [Inbound::Ignored(Ignored::NotAText)]);
    }
}
