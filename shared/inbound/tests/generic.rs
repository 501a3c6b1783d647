//! The generic provider, tested with the Standard Webhooks library as the signer.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use countersign_domain::confirmation::text::{Channel, InboundMessage};
use countersign_domain::primitives::canonical_json::CanonicalError;
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::webhook_secret::WebhookSecret;
use countersign_inbound::generic::Generic;
use countersign_inbound::generic::{
    ID_HEADER, SIGNATURE_HEADER, TIMESTAMP_HEADER, TOLERANCE, body, sign,
};
use countersign_inbound::{
    Call, Content, Inbound, InboundError, InboundProvider as _, MAX_BODY, MalformedText, Providers,
};
use futures_util::FutureExt as _;
use http::{HeaderMap, HeaderValue, Method};
use proptest::prelude::*;
use standardwebhooks::Webhook;

const NOW: Timestamp = Timestamp::from_millis(1_767_323_045_678);
const BODY: &str = r#"{"from":"+12025550100","to":"+12025550199","text":"CS-0"}"#;

struct Fixed(u8);

impl Entropy for Fixed {
    fn fill(&self, buffer: &mut [u8]) {
        buffer.fill(self.0);
    }
}

fn secret() -> WebhookSecret {
    WebhookSecret::generate(&Fixed(7))
}

fn now_secs() -> i64 {
    i64::try_from(NOW.as_secs()).unwrap()
}

/// Signs with the library.
fn signature(secret: &WebhookSecret, id: &str, at: i64, body: &[u8]) -> String {
    let webhook = Webhook::new(&secret.reveal()).unwrap();
    webhook.sign(id, at, body).unwrap()
}

fn headers(id: &str, timestamp: &str, signature: &str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in [
        (ID_HEADER, id),
        (TIMESTAMP_HEADER, timestamp),
        (SIGNATURE_HEADER, signature),
    ] {
        headers.insert(name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
    }
    headers
}

/// Returns the headers of a call that the library signed.
fn signed(id: &str, at: i64, body: &[u8]) -> HeaderMap {
    headers(id, &at.to_string(), &signature(&secret(), id, at, body))
}

fn take(headers: &HeaderMap, body: &[u8]) -> Result<InboundMessage, InboundError> {
    let providers = Providers::default().with(Arc::new(Generic::new(secret())));
    read(&providers, headers, body)
}

fn read(
    providers: &Providers,
    headers: &HeaderMap,
    body: &[u8],
) -> Result<InboundMessage, InboundError> {
    let call = Call {
        method: &Method::POST,
        query: None,
        headers,
        body,
    };
    let reading = providers.read("generic", call, NOW);
    let reading = reading.now_or_never().unwrap()?;
    let Content::Events(events) = reading.content else {
        panic!("a call brings events")
    };
    match <[_; 1]>::try_from(events) {
        Ok([Inbound::Text { message, .. }]) => Ok(message),
        other => panic!("a call brings one text: {other:?}"),
    }
}

#[test]
fn call_signed_by_the_library_is_accepted() {
    let body = r#"{"text":"hé 😀","to":"12345","from":"+12025550100","carrier":"Example Wireless","x":[1e400]}"#;
    let message = take(
        &signed("msg_1", now_secs(), body.as_bytes()),
        body.as_bytes(),
    )
    .unwrap();
    let expected = InboundMessage {
        provider: "generic",
        channel: Channel::Sms,
        message_id: "msg_1".to_owned(),
        from: "+12025550100".to_owned(),
        to: "12345".to_owned(),
        text: "hé 😀".to_owned(),
        carrier: Some("Example Wireless".to_owned()),
    };
    assert!(message == expected);
}

#[test]
fn carrier_may_be_absent_or_null() {
    for carrier in ["", r#","carrier":null"#] {
        let body = format!(r#"{{"from":"a","to":"b","text":"c"{carrier}}}"#);
        let message = take(&signed("m", now_secs(), body.as_bytes()), body.as_bytes()).unwrap();
        assert_eq!(message.carrier, None);
    }
}

#[test]
fn channel_is_sms_or_modem() {
    let read = |channel: &str| {
        let body = format!(r#"{{"from":"a","to":"b","text":"c"{channel}}}"#);
        take(&signed("m", now_secs(), body.as_bytes()), body.as_bytes())
    };
    for (channel, expected) in [
        ("", Channel::Sms),
        (r#","channel":null"#, Channel::Sms),
        (r#","channel":"sms""#, Channel::Sms),
        (r#","channel":"modem""#, Channel::Modem),
    ] {
        assert_eq!(read(channel).unwrap().channel, expected, "{channel}");
    }
    for (channel, fault) in [
        (
            r#","channel":"whatsapp""#,
            MalformedText::Invalid("channel"),
        ),
        (r#","channel":1"#, MalformedText::NotAString("channel")),
    ] {
        let refused = InboundError::Malformed(fault);
        assert!(read(channel) == Err(refused), "{channel}");
    }
}

#[test]
fn text_of_a_modem_is_signed_with_its_channel() {
    let text = InboundMessage {
        provider: "generic",
        channel: Channel::Modem,
        message_id: "m".to_owned(),
        from: "+12025550100".to_owned(),
        to: "+12025550199".to_owned(),
        text: "CS-0".to_owned(),
        carrier: None,
    };
    let signed = Generic::new(secret()).sign(&text, NOW, "").unwrap();
    let headers = signed.headers.into_iter();
    let headers = headers.map(|(name, value)| (name, value.parse().unwrap()));
    assert!(take(&headers.collect(), &signed.body).unwrap() == text);
}

/// The library reads the system clock, so the call is signed now.
#[test]
fn library_accepts_our_signature() {
    let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap();
    let now = Timestamp::from_millis(u64::try_from(now.as_millis()).unwrap());
    let body = body("+12025550100", "+12025550199", "a \"text\"", Some("é"));
    let mut headers = HeaderMap::new();
    for (name, value) in sign(&secret(), "msg_2", now, body.as_bytes()) {
        headers.insert(name, value.parse().unwrap());
    }
    let library = Webhook::new(&secret().reveal()).unwrap();
    library.verify(body.as_bytes(), &headers).unwrap();
}

#[test]
fn own_signature_is_accepted() {
    let body = body("+12025550100", "+12025550199", "text", None);
    let mut headers = HeaderMap::new();
    for (name, value) in sign(&secret(), "msg_2", NOW, body.as_bytes()) {
        headers.insert(name, value.parse().unwrap());
    }
    let message = take(&headers, body.as_bytes()).unwrap();
    assert_eq!(message.from, "+12025550100");
    assert_eq!(message.carrier, None);
}

#[test]
fn timestamp_within_five_minutes_is_accepted() {
    let tolerance = i64::try_from(TOLERANCE.as_secs()).unwrap();
    assert_eq!(tolerance, 300);
    for (offset, expected) in [
        (-tolerance - 1, Err(InboundError::TooOld)),
        (-tolerance, Ok(())),
        (tolerance, Ok(())),
        (tolerance + 1, Err(InboundError::TooOld)),
    ] {
        let headers = signed("m", now_secs() + offset, BODY.as_bytes());
        let taken = take(&headers, BODY.as_bytes()).map(|_| ());
        assert_eq!(taken, expected, "{offset}");
    }
}

#[test]
fn caller_without_the_secret_learns_nothing_about_time_or_body() {
    let forged = signature(&WebhookSecret::generate(&Fixed(8)), "m", 1, b"{");
    let taken = take(&headers("m", "1", &forged), b"{");
    assert_eq!(taken.map(|_| ()), Err(InboundError::NotAuthentic));
}

#[test]
fn one_right_signature_among_others_is_enough() {
    let right = signature(&secret(), "m", now_secs(), BODY.as_bytes());
    let wrong = signature(
        &WebhookSecret::generate(&Fixed(8)),
        "m",
        now_secs(),
        BODY.as_bytes(),
    );
    let at = now_secs().to_string();
    for list in [
        format!("{wrong} {right}"),
        format!("{right} {wrong}"),
        format!("v1a,AAAA v2,{} {right}", &right[3..]),
        format!("  {right}"),
    ] {
        assert!(
            take(&headers("m", &at, &list), BODY.as_bytes()).is_ok(),
            "{list}"
        );
    }
}

#[test]
fn long_list_of_signatures_is_cut() {
    let right = signature(&secret(), "m", now_secs(), BODY.as_bytes());
    let at = now_secs().to_string();
    let after = |others| format!("{}{right}", "v1,AAAA ".repeat(others));
    assert!(take(&headers("m", &at, &after(15)), BODY.as_bytes()).is_ok());
    assert!(take(&headers("m", &at, &after(16)), BODY.as_bytes()).is_err());
}

#[test]
fn malformed_proof_is_refused() {
    let right = signature(&secret(), "m", now_secs(), BODY.as_bytes());
    let at = now_secs().to_string();
    let digits = &right[3..];
    for (id, timestamp, signature) in [
        ("", at.as_str(), right.as_str()),
        ("m", "", &right),
        ("m", &format!("+{at}"), &right),
        ("m", &format!(" {at}"), &right),
        ("m", &format!("{at}.0"), &right),
        ("m", &format!("00{at}"), &right),
        ("m", &at, ""),
        ("m", &at, "v1,"),
        ("m", &at, "v1"),
        ("m", &at, digits),
        ("m", &at, &format!("v2,{digits}")),
        ("m", &at, &format!("V1,{digits}")),
        ("m", &at, &format!("v1,{}", digits.trim_end_matches('='))),
        ("m", &at, &format!("v1,{digits}=")),
        ("m", &at, &format!("v1,{}", &digits[..20])),
        ("m", &at, &format!("{right},{right}")),
        ("é", &at, &right),
        ("m", &at, "v1,é"),
    ] {
        let taken = take(&headers(id, timestamp, signature), BODY.as_bytes());
        assert_eq!(
            taken.map(|_| ()),
            Err(InboundError::NotAuthentic),
            "{id} {timestamp} {signature}"
        );
    }
}

#[test]
fn missing_and_repeated_headers_are_refused() {
    for name in [ID_HEADER, TIMESTAMP_HEADER, SIGNATURE_HEADER] {
        let mut headers = signed("m", now_secs(), BODY.as_bytes());
        let value = headers.remove(name).unwrap();
        assert_eq!(
            take(&headers, BODY.as_bytes()).map(|_| ()),
            Err(InboundError::NotAuthentic)
        );
        headers.append(name, value.clone());
        assert!(take(&headers, BODY.as_bytes()).is_ok());
        headers.append(name, value);
        assert_eq!(
            take(&headers, BODY.as_bytes()).map(|_| ()),
            Err(InboundError::NotAuthentic)
        );
    }
}

#[test]
fn too_long_ids_and_bodies_are_refused() {
    let of = |id: &str, body: &[u8]| take(&signed(id, now_secs(), body), body).is_ok();
    assert!(of(&"i".repeat(256), BODY.as_bytes()));
    assert!(!of(&"i".repeat(257), BODY.as_bytes()));
    let padded = |length: usize| format!("{BODY}{}", " ".repeat(length - BODY.len()));
    assert!(of("m", padded(MAX_BODY).as_bytes()));
    let larger = padded(MAX_BODY + 1);
    let taken = take(
        &signed("m", now_secs(), larger.as_bytes()),
        larger.as_bytes(),
    );
    assert_eq!(taken.map(|_| ()), Err(InboundError::TooLarge));
}

#[test]
fn half_an_emoji_is_replaced() {
    let body = br#"{"from":"+12025550100","to":"b","text":"CS-0 \ud83d","carrier":"\udc00"}"#;
    let message = take(&signed("m", now_secs(), body), body).unwrap();
    assert_eq!(message.text, "CS-0 \u{fffd}");
    assert_eq!(message.carrier.as_deref(), Some("\u{fffd}"));
}

#[test]
fn authentic_call_learns_what_is_malformed() {
    let json = |error| MalformedText::Json(error);
    for (body, expected) in [
        ("", json(CanonicalError::NotJson { at: 0 })),
        ("[]", json(CanonicalError::NotAnObject { at: 0 })),
        (r#"{"to":"b","text":"c"}"#, MalformedText::Missing("from")),
        (
            r#"{"from":null,"to":"b","text":"c"}"#,
            MalformedText::Missing("from"),
        ),
        (r#"{"from":"a","text":"c"}"#, MalformedText::Missing("to")),
        (r#"{"from":"a","to":"b"}"#, MalformedText::Missing("text")),
        (
            r#"{"from":"a","to":["b"],"text":"c"}"#,
            MalformedText::NotAString("to"),
        ),
        (
            r#"{"from":"a","to":"b","text":"c","carrier":7}"#,
            MalformedText::NotAString("carrier"),
        ),
        (
            r#"{"from":"a","from":"a","to":"b","text":"c"}"#,
            json(CanonicalError::DuplicateKey { at: 12 }),
        ),
    ] {
        let taken = take(&signed("m", now_secs(), body.as_bytes()), body.as_bytes());
        assert_eq!(
            taken.map(|_| ()),
            Err(InboundError::Malformed(expected)),
            "{body}"
        );
    }
}

#[test]
fn provider_without_a_secret_is_not_served() {
    let headers = signed("m", now_secs(), BODY.as_bytes());
    let taken = read(&Providers::default(), &headers, BODY.as_bytes());
    assert_eq!(taken.map(|_| ()), Err(InboundError::NotConfigured));
}

proptest! {
    #[test]
    fn any_changed_bit_of_the_body_is_noticed(at in 0..BODY.len(), bit in 0..8_u32) {
        let headers = signed("m", now_secs(), BODY.as_bytes());
        let mut body = BODY.as_bytes().to_vec();
        body[at] ^= 1 << bit;
        prop_assert_eq!(take(&headers, &body).map(|_| ()), Err(InboundError::NotAuthentic));
    }

    #[test]
    fn any_changed_character_of_a_header_is_noticed(
        name in prop::sample::select(vec![ID_HEADER, TIMESTAMP_HEADER, SIGNATURE_HEADER]),
        at: prop::sample::Index,
        with in b'!'..=b'~',
    ) {
        let mut headers = signed("msg_27UH4WbU6Z5A5EzD8u03UvzRbpk", now_secs(), BODY.as_bytes());
        let mut value = headers[name].as_bytes().to_vec();
        let at = at.index(value.len());
        prop_assume!(value[at] != with);
        value[at] = with;
        headers.insert(name, HeaderValue::from_bytes(&value).unwrap());
        prop_assert_eq!(
            take(&headers, BODY.as_bytes()).map(|_| ()),
            Err(InboundError::NotAuthentic)
        );
    }

    #[test]
    fn another_secret_is_noticed(key: [u8; 32]) {
        prop_assume!(key != [7; 32]);
        let other = Webhook::from_bytes(key.to_vec()).unwrap();
        let signature = other.sign("m", now_secs(), BODY.as_bytes()).unwrap();
        let headers = headers("m", &now_secs().to_string(), &signature);
        prop_assert_eq!(
            take(&headers, BODY.as_bytes()).map(|_| ()),
            Err(InboundError::NotAuthentic)
        );
    }

    #[test]
    fn what_body_writes_is_what_is_read(
        from in ".{0,20}", to in ".{0,20}", text in "\\PC{0,200}", carrier in prop::option::of(".{0,20}"),
    ) {
        let body = body(&from, &to, &text, carrier.as_deref());
        let message = take(&signed("m", now_secs(), body.as_bytes()), body.as_bytes()).unwrap();
        prop_assert!(message.from == from && message.to == to);
        prop_assert!(message.text == text && message.carrier == carrier);
        prop_assert!(serde_json::from_str::<serde_json::Value>(&body).is_ok());
    }
}
