//! Plivo: nonces, versions and lists of signatures.

use countersign_domain::confirmation::text::Channel;
use countersign_inbound::plivo::{Plivo, PlivoVersion};
use countersign_inbound::{Ignored, Inbound, InboundError, InboundProvider as _, SingleUse};
use http::HeaderName;

use crate::cases::{NOW, events, only, secret, take, text, url};

fn plivo(version: PlivoVersion) -> Plivo {
    Plivo::new(&url(), secret("first-secret"), version)
}

fn single_use(nonce: &str, content: &str) -> Option<SingleUse> {
    let plivo = plivo(PlivoVersion::V2);
    let mut message = text(Channel::Sms);
    content.clone_into(&mut message.text);
    let call = plivo.sign(&message, NOW, nonce).unwrap();
    take(&plivo, &call, NOW).unwrap().single_use
}

#[test]
fn nonce_of_v2_counts_once_for_one_body() {
    let first = single_use("n1", "CS-0").unwrap();
    assert_eq!(single_use("n1", "CS-0"), Some(first));
    let forged = single_use("n1", "CS-1").unwrap();
    assert_eq!(forged.nonce, first.nonce);
    assert_ne!(forged.content, first.content);
    assert_ne!(single_use("n2", "CS-0").unwrap().nonce, first.nonce);
}

/// Shows why a nonce must be accepted only once.
#[test]
fn v2_does_not_sign_the_body() {
    let plivo = plivo(PlivoVersion::V2);
    let mut call = plivo.sign(&text(Channel::Sms), NOW, "n1").unwrap();
    call.body = b"From=1&To=2&Text=forged&MessageUUID=3".to_vec();
    assert!(take(&plivo, &call, NOW).is_ok());
}

/// The data that V3 signs has no separators around names, values or the nonce.
#[test]
fn signature_of_v3_is_good_for_one_content() {
    let plivo = plivo(PlivoVersion::V3);
    let mut message = text(Channel::Sms);
    "CS-0.7".clone_into(&mut message.text);
    message.message_id.clear();
    let call = plivo.sign(&message, NOW, "n1").unwrap();
    let once = |call| take(&plivo, call, NOW).unwrap().single_use.unwrap();
    let first = once(&call);
    assert_eq!(once(&call), first);
    assert_eq!(first.retention, std::time::Duration::from_hours(24));
    let sent = String::from_utf8(call.body.clone()).unwrap();
    let mut split = call.clone();
    split.body = sent.replace("Text=CS-0.7", "TextCS-0=.7").into_bytes();
    assert_eq!(once(&split).nonce, first.nonce);
    assert_ne!(once(&split).content, first.content);
    let other = once(&plivo.sign(&message, NOW, "n2").unwrap());
    assert_ne!(other.nonce, first.nonce);
}

#[test]
fn older_version_than_the_configured_one_is_refused() {
    let (v2, v3) = (plivo(PlivoVersion::V2), plivo(PlivoVersion::V3));
    let old = v2.sign(&text(Channel::Sms), NOW, "n1").unwrap();
    assert_eq!(take(&v3, &old, NOW), Err(InboundError::NotAuthentic));
}

#[test]
fn newer_version_needs_no_change_of_the_settings() {
    let (v2, v3) = (plivo(PlivoVersion::V2), plivo(PlivoVersion::V3));
    let new = v3.sign(&text(Channel::Sms), NOW, "n1").unwrap();
    assert!(take(&v2, &new, NOW).is_ok());
    let mut forged = new;
    forged.body = b"From=1&To=2&Text=forged&MessageUUID=3".to_vec();
    assert!(take(&v2, &forged, NOW).is_err(), "the body is signed");
}

#[test]
fn call_that_claims_v3_is_judged_only_by_v3() {
    let (v2, v3) = (plivo(PlivoVersion::V2), plivo(PlivoVersion::V3));
    let old = v2.sign(&text(Channel::Sms), NOW, "n1").unwrap();
    let new = v3.sign(&text(Channel::Sms), NOW, "n1").unwrap();
    let mut both = new.clone();
    both.headers.extend_from_slice(&old.headers[1..]);
    for provider in [&v2, &v3] {
        assert!(take(provider, &both, NOW).is_ok());
        let mut forged = both.clone();
        forged.body = b"From=1&To=2&Text=forged&MessageUUID=3".to_vec();
        let refused = Err(InboundError::NotAuthentic);
        assert_eq!(take(provider, &forged, NOW), refused);
    }
}

#[test]
fn signature_of_the_main_account_counts_as_well() {
    for version in [PlivoVersion::V2, PlivoVersion::V3] {
        let plivo = plivo(version);
        let mut call = plivo.sign(&text(Channel::Sms), NOW, "n1").unwrap();
        let (name, value) = call.headers[1].clone();
        let main = name.as_str().replace("signature-v", "signature-ma-v");
        let main = HeaderName::from_bytes(main.as_bytes()).unwrap();
        // The number's own account may have a token that is not configured here.
        call.headers[1].1 = "AAAA".to_owned();
        assert!(take(&plivo, &call, NOW).is_err());
        call.headers.push((main.clone(), value.clone()));
        assert!(take(&plivo, &call, NOW).is_ok());
        call.headers[1] = (main, value.clone());
        call.headers.pop();
        assert!(take(&plivo, &call, NOW).is_ok());
    }
}

#[test]
fn text_of_an_mms_is_its_body() {
    let plivo = plivo(PlivoVersion::V2);
    let of = |body: &str| {
        let mut call = plivo.sign(&text(Channel::Sms), NOW, "n1").unwrap();
        call.body = format!("From=12025550100&To=12025550199&MessageUUID=m&{body}").into_bytes();
        take(&plivo, &call, NOW)
    };
    for body in [
        "Type=sms&Text=CS-0",
        "Text=CS-0&Body=",
        "Type=mms&Body=CS-0&MediaCount=1&Media0=https%3A%2F%2Fexample.com%2F1",
        "Type=sms&Body=CS-0",
    ] {
        assert_eq!(only(of(body)).text, "CS-0", "{body}");
    }
    let ignored = |why| [Inbound::Ignored(why)];
    assert_eq!(
        events(of("Type=mms&MediaCount=1")),
        ignored(Ignored::NotAText)
    );
    assert!(of("Type=mms&Body=CS-0&Body=CS-1").is_err());
}

#[test]
fn one_right_signature_in_a_list_is_enough() {
    let plivo = plivo(PlivoVersion::V3);
    let mut call = plivo.sign(&text(Channel::Sms), NOW, "n1").unwrap();
    let right = call.headers[1].1.clone();
    for (list, fits) in [
        (format!("AAAA,{right}"), true),
        (format!("{right}, AAAA"), true),
        (format!("a,b,c,{right}"), true),
        (format!("a,b,c,d,{right}"), false),
        (format!("{right}{right}"), false),
    ] {
        call.headers[1].1 = list;
        assert_eq!(take(&plivo, &call, NOW).is_ok(), fits);
    }
}
