//! Plivo: nonces, versions and lists of signatures.

use countersign_domain::confirmation::text::Channel;
use countersign_inbound::plivo::{Plivo, PlivoVersion};
use countersign_inbound::{InboundError, InboundProvider as _, SingleUse};

use crate::cases::{NOW, secret, take, text, url};

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

/// Shows why the nonce must count once.
#[test]
fn v2_does_not_sign_the_body() {
    let plivo = plivo(PlivoVersion::V2);
    let mut call = plivo.sign(&text(Channel::Sms), NOW, "n1").unwrap();
    call.body = b"From=1&To=2&Text=forged&MessageUUID=3".to_vec();
    assert!(take(&plivo, &call, NOW).is_ok());
}

#[test]
fn v3_needs_no_store() {
    let plivo = plivo(PlivoVersion::V3);
    let call = plivo.sign(&text(Channel::Sms), NOW, "n1").unwrap();
    assert_eq!(take(&plivo, &call, NOW).unwrap().single_use, None);
}

#[test]
fn other_version_than_the_configured_one_is_refused() {
    let (v2, v3) = (plivo(PlivoVersion::V2), plivo(PlivoVersion::V3));
    let refused = Err(InboundError::NotAuthentic);
    let old = v2.sign(&text(Channel::Sms), NOW, "n1").unwrap();
    let new = v3.sign(&text(Channel::Sms), NOW, "n1").unwrap();
    assert_eq!(take(&v3, &old, NOW), refused);
    assert_eq!(take(&v2, &new, NOW), refused);
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
