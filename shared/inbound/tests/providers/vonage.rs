//! Vonage: where the parameters are, parts of long texts, and tokens.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use countersign_domain::confirmation::text::Channel;
use countersign_inbound::part::assemble;
use countersign_inbound::vonage_messages::VonageMessages;
use countersign_inbound::vonage_sms::VonageSms;
use countersign_inbound::{
    Call, HashAlgorithm, Ignored, Inbound, InboundError, InboundProvider as _, MalformedText,
    Reading, read,
};
use futures_util::FutureExt as _;
use hmac::{Hmac, KeyInit as _, Mac as _};
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderMap, Method};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::cases::{NOW, events, only, post, secret, take, text};

const SECRET: &str = "first-secret";

fn mac(text: &str) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).unwrap();
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().to_vec()
}

fn sms() -> VonageSms {
    VonageSms::new(secret(SECRET), HashAlgorithm::Sha256)
}

/// Returns the parameters with their signature. The names must be sorted, and the values plain.
fn sign(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let signed = pairs.iter().map(|(n, v)| format!("&{n}={v}"));
    let signed = signed.collect::<Vec<_>>().concat();
    let digits = base16ct::upper::encode_string(&mac(&signed));
    let mut all: Vec<_> = pairs
        .iter()
        .map(|(n, v)| ((*n).to_owned(), (*v).to_owned()))
        .collect();
    all.push(("sig".to_owned(), digits));
    all
}

fn now() -> String {
    NOW.as_secs().to_string()
}

fn take_json(pairs: &[(&str, &str)]) -> Result<Reading, InboundError> {
    let object: serde_json::Map<_, _> = sign(pairs)
        .into_iter()
        .map(|(name, value)| (name, value.into()))
        .collect();
    let body = serde_json::to_vec(&object).unwrap();
    let json = (CONTENT_TYPE, "application/json".to_owned());
    post(&sms(), &[json], &body, NOW)
}

fn query(pairs: &[(&str, &str)]) -> String {
    let pairs = sign(pairs);
    let pairs = pairs.iter().map(|(n, v)| format!("{n}={v}"));
    pairs.collect::<Vec<_>>().join("&")
}

#[test]
fn parameters_come_in_a_query_a_form_or_json() {
    let now = now();
    let pairs = [
        ("messageId", "m1"),
        ("msisdn", "12025550100"),
        ("text", "CS-0"),
        ("timestamp", &now),
        ("to", "12025550199"),
        ("type", "text"),
    ];
    assert_eq!(only(take_json(&pairs)).from, "12025550100");
    let form = (CONTENT_TYPE, "application/x-www-form-urlencoded".to_owned());
    let body = query(&pairs);
    assert_eq!(
        only(post(&sms(), &[form], body.as_bytes(), NOW)).text,
        "CS-0"
    );
    let get = |query, body| {
        let call = Call {
            method: &Method::GET,
            query,
            headers: &HeaderMap::new(),
            body,
        };
        read(&sms(), call, NOW).now_or_never().unwrap()
    };
    assert_eq!(only(get(Some(&body), b"")).message_id, "m1");
    // The body of a GET is ignored, and so is the query of a POST.
    let refused = Err(InboundError::NotAuthentic);
    assert_eq!(get(None, body.as_bytes()), refused);
    let call = Call {
        method: &Method::POST,
        query: Some(&body),
        headers: &HeaderMap::new(),
        body: b"",
    };
    assert_eq!(read(&sms(), call, NOW).now_or_never().unwrap(), refused);
}

#[test]
fn two_readings_of_one_signature_are_refused() {
    let now = now();
    let good = query(&[
        ("messageId", "m1"),
        ("msisdn", "12025550100"),
        ("text", "a"),
        ("timestamp", &now),
        ("to", "12025550199"),
    ]);
    let form = [(CONTENT_TYPE, "application/x-www-form-urlencoded".to_owned())];
    let read = |body: &str| post(&sms(), &form, body.as_bytes(), NOW);
    assert!(read(&good).is_ok());
    // The signature covers `&messageId=m1&msisdn=12025550100`, however it is split into names.
    let merged = good.replace("messageId=m1&msisdn=", "messageId%3Dm1%26msisdn=");
    assert_eq!(read(&merged), Err(InboundError::NotAuthentic));
    let twice = format!("{good}&text=a");
    assert_eq!(read(&twice), Err(InboundError::NotAuthentic));
    let json = format!(r#"{{"text":"a","text":"b","sig":"{}"}}"#, "00".repeat(32));
    let json_type = [(CONTENT_TYPE, "application/json".to_owned())];
    let taken = post(&sms(), &json_type, json.as_bytes(), NOW);
    assert_eq!(taken, Err(InboundError::NotAuthentic));
}

fn part<'a>(number: &'a str, text: &'a str, now: &'a str) -> Vec<(&'static str, &'a str)> {
    vec![
        ("concat", "true"),
        ("concat-part", number),
        ("concat-ref", "173"),
        ("concat-total", "2"),
        ("messageId", number),
        ("msisdn", "12025550100"),
        ("text", text),
        ("timestamp", now),
        ("to", "12025550199"),
    ]
}

#[test]
fn parts_of_a_long_text_are_put_together() {
    let now = now();
    let parts: Vec<_> = [("2", "HJKMNPQ"), ("1", "CS-01ABCDEFG")]
        .into_iter()
        .flat_map(|(number, text)| events(take_json(&part(number, text, &now))))
        .map(|event| match event {
            Inbound::Part(part) => part,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(assemble(&parts[..1]), None);
    let message = assemble(&parts).unwrap();
    assert_eq!(message.text, "CS-01ABCDEFGHJKMNPQ");
    assert_eq!(message.message_id, "1");
}

#[test]
fn part_outside_its_text_is_malformed() {
    let now = now();
    for (number, name) in [
        ("0", "concat-part"),
        ("3", "concat-part"),
        ("300", "concat-part"),
        ("x", "concat-part"),
    ] {
        let taken = take_json(&part(number, "a", &now));
        // The part is read as a separate text.
        assert_eq!(only(taken).text, "a", "{number}: {name}");
    }
}

#[test]
fn call_without_a_time_is_malformed_and_a_receipt_is_ignored() {
    let taken = take_json(&[("text", "a")]);
    let missing = MalformedText::Missing("timestamp");
    assert_eq!(taken, Err(InboundError::Malformed(missing)));
    let now = now();
    let receipt = take_json(&[("status", "delivered"), ("timestamp", &now)]);
    assert_eq!(events(receipt), [Inbound::Ignored(Ignored::NotAText)]);
    let binary = take_json(&[("text", "a"), ("timestamp", &now), ("type", "binary")]);
    assert_eq!(events(binary), [Inbound::Ignored(Ignored::NotAText)]);
}

fn messages() -> VonageMessages {
    VonageMessages::new(secret(SECRET))
}

fn token(header: &serde_json::Value, claims: &serde_json::Value) -> String {
    let encode = |json: &serde_json::Value| BASE64_URL_SAFE_NO_PAD.encode(json.to_string());
    let signed = format!("{}.{}", encode(header), encode(claims));
    let signature = BASE64_URL_SAFE_NO_PAD.encode(mac(&signed));
    format!("Bearer {signed}.{signature}")
}

fn with_token(token: String, body: &str) -> Result<Reading, InboundError> {
    post(&messages(), &[(AUTHORIZATION, token)], body.as_bytes(), NOW)
}

fn hash(body: &str) -> String {
    base16ct::lower::encode_string(&Sha256::digest(body))
}

#[test]
fn token_must_be_of_the_configured_kind_and_cover_the_body() {
    let header = json!({"alg": "HS256", "typ": "JWT"});
    let body = r#"{"message_type":"image"}"#;
    let now = NOW.as_secs();
    let claims = json!({"iat": now, "payload_hash": hash(body)});
    assert!(with_token(token(&header, &claims), body).is_ok());
    let refused = Err(InboundError::NotAuthentic);
    for (header, claims) in [
        (json!({"alg": "none"}), claims.clone()),
        (json!({"alg": "HS512"}), claims.clone()),
        (json!({"alg": "hs256"}), claims.clone()),
        (json!({"alg": "HS256", "crit": ["exp"]}), claims.clone()),
        (json!({"typ": "JWT"}), claims.clone()),
        (header.clone(), json!({"iat": now})),
        (header.clone(), json!({"payload_hash": hash(body)})),
        (
            header.clone(),
            json!({"iat": now, "payload_hash": hash("x")}),
        ),
        (header.clone(), json!({"iat": now, "payload_hash": ""})),
        (
            header.clone(),
            json!({"iat": -1, "payload_hash": hash(body)}),
        ),
    ] {
        let taken = with_token(token(&header, &claims), body);
        assert_eq!(taken, refused, "{header} {claims}");
    }
    let good = token(&header, &claims);
    let (signed, _) = good.rsplit_once('.').unwrap();
    for bad in [
        signed.to_owned(),
        format!("{signed}."),
        good.replace("Bearer ", "bearer "),
        good.replace("Bearer ", ""),
        format!("{good}.x"),
        format!("{good}="),
    ] {
        assert_eq!(with_token(bad.clone(), body), refused, "{bad}");
    }
}

#[test]
fn token_that_has_ended_is_too_old() {
    let header = json!({"alg": "HS256"});
    let now = NOW.as_secs();
    let of = |name: &str, at: u64| {
        let mut claims = json!({"iat": now, "payload_hash": hash("{}")});
        claims[name] = at.into();
        with_token(token(&header, &claims), "{}").map(|_| ())
    };
    assert_eq!(of("exp", now), Err(InboundError::TooOld));
    assert_eq!(of("exp", now + 1), Ok(()));
    assert_eq!(of("nbf", now + 301), Err(InboundError::TooOld));
    assert_eq!(of("nbf", now + 300), Ok(()));
}

fn read_event(body: &serde_json::Value) -> Vec<Inbound> {
    let body = body.to_string();
    let claims = json!({"iat": NOW.as_secs(), "payload_hash": hash(&body)});
    events(with_token(token(&json!({"alg": "HS256"}), &claims), &body))
}

#[test]
fn events_that_bring_no_phone_number_are_ignored() {
    for (body, why) in [
        (
            json!({"status": "delivered", "channel": "sms"}),
            Ignored::NotAText,
        ),
        (
            json!({"channel": "whatsapp", "message_type": "image", "from": "12025550100"}),
            Ignored::NotAText,
        ),
    ] {
        assert_eq!(read_event(&body), [Inbound::Ignored(why)], "{body}");
    }
}

#[test]
fn token_of_another_call_does_not_fit() {
    let first = messages().sign(&text(Channel::Sms), NOW, "n").unwrap();
    let mut other = text(Channel::Sms);
    other.from = "+12025550101".to_owned();
    let mut mixed = messages().sign(&other, NOW, "n").unwrap();
    mixed.headers = first.headers;
    assert_eq!(
        take(&messages(), &mixed, NOW),
        Err(InboundError::NotAuthentic)
    );
}
