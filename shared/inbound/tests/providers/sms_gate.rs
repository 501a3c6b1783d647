//! SMS Gateway for Android: a call as documented, numbers in national form, and other events.

use countersign_domain::confirmation::miss::UnusableText;
use countersign_domain::confirmation::text::Channel;
use countersign_domain::primitives::phone::PhoneNumber;
use countersign_domain::primitives::time::Timestamp;
use countersign_inbound::sms_gate::{SIGNATURE_HEADER, SmsGate, TIMESTAMP_HEADER};
use countersign_inbound::{Ignored, Inbound, InboundError, Reading, SignedCall};
use hmac::{Hmac, KeyInit as _, Mac as _};
use http::HeaderName;
use serde_json::{Value, json};

use crate::cases::{NOW, events, only, secret, take, text};

const NUMBER: &str = "+33612345699";

/// A body in the app's documented format, which gson writes with sorted members.
const BODY: &str = concat!(
    r#"{"deviceId":"ffffffffceb0b1db0000018e937c815b","event":"sms:received","#,
    r#""id":"Ey6ECgOkVVFjz3CL48B8C","payload":{"message":"Sign in to Shop: CS-7Q2M0XK4V9T1BHNE","#,
    r#""messageId":"a80532bb","receivedAt":"2026-11-24T07:00:00.000+01:00","#,
    r#""recipient":"+33612345699","sender":"0612345678","simNumber":1},"#,
    r#""webhookId":"LreFUt-Z3sSq0JufY9uWB"}"#,
);
/// The HMAC of the body followed by `1795500000`, from another implementation (Python's `hmac`).
const SIGNATURE: &str = "b3070fe4e68386451624272fa6c36ad4a9b125414a8ffc70d2f2360113fd956f";

fn phone(country: &str) -> SmsGate {
    let number = PhoneNumber::parse_e164(NUMBER).unwrap();
    SmsGate::new(secret("first-secret"), number, country.parse().unwrap())
}

fn call(body: &str, timestamp: &str, signature: &str) -> SignedCall {
    let named = HeaderName::from_static;
    SignedCall {
        headers: vec![
            (named(SIGNATURE_HEADER), signature.to_owned()),
            (named(TIMESTAMP_HEADER), timestamp.to_owned()),
        ],
        body: body.as_bytes().to_vec(),
    }
}

fn signature(body: &str, timestamp: &str) -> String {
    let mut mac = Hmac::<sha2::Sha256>::new_from_slice(b"first-secret").unwrap();
    mac.update(body.as_bytes());
    mac.update(timestamp.as_bytes());
    base16ct::lower::encode_string(&mac.finalize().into_bytes())
}

/// Reads a body signed by the phone in this country.
fn read_in(country: &str, body: &Value) -> Result<Reading, InboundError> {
    let (body, at) = (body.to_string(), NOW.as_secs().to_string());
    let signed = call(&body, &at, &signature(&body, &at));
    take(&phone(country), &signed, NOW)
}

fn received(payload: &Value) -> Value {
    json!({"deviceId": "d", "event": "sms:received", "id": "event-1", "payload": payload, "webhookId": "w"})
}

#[test]
fn call_of_the_documentation_is_taken() {
    let signed = call(BODY, "1795500000", SIGNATURE);
    let message = only(take(&phone("FR"), &signed, NOW));
    assert_eq!(message.channel, Channel::Sms);
    assert_eq!(message.message_id, "Ey6ECgOkVVFjz3CL48B8C");
    assert_eq!(message.from, "+33612345678");
    assert_eq!(message.to, NUMBER);
    assert_eq!(message.text, "Sign in to Shop: CS-7Q2M0XK4V9T1BHNE");
    assert_eq!(message.carrier, None);
}

#[test]
fn call_that_another_signed_or_another_time_signs_is_refused() {
    let forged = SIGNATURE.replace('b', "c");
    let capitals = SIGNATURE.to_uppercase();
    let changed = BODY.replace("0612345678", "0612345679");
    for (body, timestamp, signature) in [
        (BODY, "1795500000", forged.as_str()),
        (BODY, "1795500001", SIGNATURE),
        (BODY, "1795500000", capitals.as_str()),
        (BODY, "1795500000", &SIGNATURE[2..]),
        (BODY, "1795500000", ""),
        (BODY, "1795500000", "sha256"),
        (BODY, "", SIGNATURE),
        (BODY, "1795500000.0", SIGNATURE),
        (changed.as_str(), "1795500000", SIGNATURE),
    ] {
        let taken = take(&phone("FR"), &call(body, timestamp, signature), NOW);
        assert_eq!(
            taken,
            Err(InboundError::NotAuthentic),
            "{timestamp} {signature}"
        );
    }
    // Digits of the time cannot be moved into the body.
    let longer = format!("{BODY}1");
    let taken = take(&phone("FR"), &call(&longer, "795500000", SIGNATURE), NOW);
    assert_eq!(taken, Err(InboundError::TooOld));
}

#[test]
fn recorded_call_is_worth_nothing_after_five_minutes() {
    let later = Timestamp::from_millis(NOW.as_millis() + 301_000);
    let taken = take(&phone("FR"), &call(BODY, "1795500000", SIGNATURE), later);
    assert_eq!(taken, Err(InboundError::TooOld));
    // The app signs each attempt with a new timestamp.
    let again = signature(BODY, "1795500301");
    let taken = take(&phone("FR"), &call(BODY, "1795500301", &again), later);
    assert_eq!(only(taken).message_id, "Ey6ECgOkVVFjz3CL48B8C");
}

#[test]
fn sender_in_national_form_is_completed_by_the_country() {
    let from = |country, sender: &str| {
        let body = received(&json!({"message": "CS-0", "sender": sender, "recipient": NUMBER}));
        only(read_in(country, &body)).from
    };
    for (country, sender, number) in [
        ("US", "6505551212", "+16505551212"),
        ("US", "+16505551212", "+16505551212"),
        ("GB", "07700900123", "+447700900123"),
        ("GB", "7700900123", "+447700900123"),
        ("GB", "00447700900123", "+447700900123"),
        ("GB", "0033612345678", "+33612345678"),
        ("DE", "015123456789", "+4915123456789"),
        ("IT", "3331234567", "+393331234567"),
        ("RU", "89161234567", "+79161234567"),
        ("HU", "06201234567", "+36201234567"),
        ("FR", "06 12 34 56 78", "+33612345678"),
        ("FR", "\u{202a}+33 6 12 34 56 78\u{202c}", "+33612345678"),
        ("FR", "0696123456", "+596696123456"),
        ("DE", "491701234567", "+491701234567"),
        ("US", "011447911123456", "+447911123456"),
        ("EG", "٠١٠٠١٢٣٤٥٦٧", "+201001234567"),
    ] {
        assert_eq!(from(country, sender), number, "{country}: {sender}");
    }
}

/// `447700900123` is a British number to a provider that omits the `+`. To a phone in the US it is
/// not a number.
#[test]
fn sender_that_the_country_does_not_have_is_no_number() {
    for (country, sender) in [
        ("US", "447700900123"),
        ("US", "5551212"),
        ("FR", "12345"),
        ("FR", "ACME"),
        ("DE", "12345"),
        ("DE", "30123"),
        ("FR", ""),
    ] {
        let body = received(&json!({"message": "CS-0", "sender": sender, "recipient": NUMBER}));
        let message = only(read_in(country, &body));
        let expected = if sender.is_empty() {
            UnusableText::NumberHidden
        } else {
            UnusableText::Sender
        };
        assert_eq!(message.sender(), Err(expected), "{country}: {sender}");
    }
}

#[test]
fn app_before_it_named_the_recipient_is_understood() {
    let payload = json!({"message": "CS-0", "messageId": "m", "phoneNumber": "0612345678",
        "simNumber": null, "receivedAt": "2026-11-24T07:00:00.000+01:00"});
    let message = only(read_in("FR", &received(&payload)));
    assert_eq!((&*message.from, &*message.to), ("+33612345678", NUMBER));
}

#[test]
fn own_number_stands_in_for_a_recipient_that_the_phone_does_not_know() {
    let to = |recipient| {
        let body =
            received(&json!({"message": "CS-0", "sender": "+33612345678", "recipient": recipient}));
        only(read_in("FR", &body)).to
    };
    assert_eq!(to(json!(null)), NUMBER);
    assert_eq!(to(json!("")), NUMBER);
    assert_eq!(to(json!("0612345699")), NUMBER);
    assert_eq!(to(json!("+33612345600")), "+33612345600");
    assert_eq!(to(json!("12345")), "12345");
}

#[test]
fn member_that_occurs_twice_is_malformed() {
    let at = NOW.as_secs().to_string();
    for (member, twice) in [
        (r#""event":"#, r#""event":"system:ping","event":"#),
        (r#""sender":"#, r#""sender":"0600000000","sender":"#),
        (r#""message":"#, r#""message":"CS-1","message":"#),
    ] {
        let body = BODY.replacen(member, twice, 1);
        let taken = take(&phone("FR"), &call(&body, &at, &signature(&body, &at)), NOW);
        assert_eq!(
            events(taken),
            [Inbound::Ignored(Ignored::Malformed)],
            "{body}"
        );
    }
}

#[test]
fn own_trial_text_has_the_form_of_the_app() {
    use countersign_inbound::InboundProvider as _;

    let signed = phone("FR").sign(&text(Channel::Sms), NOW, "").unwrap();
    let body: Value = serde_json::from_slice(&signed.body).unwrap();
    assert_eq!(body["event"], "sms:received");
    assert_eq!(body["payload"]["sender"], "+12025550100");
    assert_eq!(signed.headers[2].1, NOW.as_secs().to_string());
}
