//! Vonage: API keys, and the hash that is not an HMAC.

use countersign_domain::confirmation::text::Channel;
use countersign_inbound::vonage_messages::{MAX_KEYS, VonageMessages};
use countersign_inbound::vonage_sms::VonageSms;
use countersign_inbound::{HashAlgorithm, InboundError, InboundProvider as _, Rotating};
use md5::{Digest as _, Md5};

use crate::cases::{NOW, post, secret, take, text};

#[test]
fn each_api_key_has_its_own_secrets() {
    let whatsapp = Rotating::pair(secret("whatsapp-new"), secret("whatsapp-old"));
    let ours = VonageMessages::named("a1b2c3d4", secret("first-secret"))
        .and_then(|ours| ours.and("e5f6a7b8", whatsapp))
        .unwrap();
    let signer = |name: &str, text: &str| VonageMessages::named(name, secret(text)).unwrap();
    let call = |provider: &VonageMessages| {
        let call = provider.sign(&text(Channel::WhatsApp), NOW, "n").unwrap();
        take(&ours, &call, NOW).map(|_| ())
    };
    assert_eq!(call(&ours), Ok(()));
    let refused = Err(InboundError::NotAuthentic);
    for (name, secret, expected) in [
        ("a1b2c3d4", "first-secret", Ok(())),
        ("e5f6a7b8", "whatsapp-new", Ok(())),
        ("e5f6a7b8", "whatsapp-old", Ok(())),
        ("e5f6a7b8", "first-secret", refused),
        ("a1b2c3d4", "whatsapp-new", refused),
        ("00000000", "first-secret", refused),
        ("a1b2c3d4", "other-secret", refused),
    ] {
        assert_eq!(call(&signer(name, secret)), expected, "{name} {secret}");
    }
    // A token without an API key is accepted by its secret only.
    assert_eq!(call(&VonageMessages::new(secret("whatsapp-old"))), Ok(()));
}

#[test]
fn api_keys_have_names_and_are_few() {
    for bad in ["", "a b", "é", &"a".repeat(65)] {
        let named = VonageMessages::named(bad, secret("first-secret"));
        assert!(named.is_err(), "{bad}");
    }
    let mut full = VonageMessages::named("k0", secret("first-secret"));
    for number in 1..MAX_KEYS {
        full = full.and_then(|full| full.and(&format!("k{number}"), secret("first-secret")));
    }
    let full = full.unwrap();
    assert!(full.and("more", secret("first-secret")).is_err());
}

/// Vonage's default, "MD5 hash", appends the secret to the text and is not an HMAC.
#[test]
fn plain_hash_with_the_secret_at_its_end_is_refused() {
    let now = NOW.as_secs().to_string();
    let pairs = [
        ("msisdn", "12025550100"),
        ("text", "CS-0"),
        ("timestamp", &now),
    ];
    let signed = pairs
        .map(|(name, value)| format!("&{name}={value}"))
        .concat();
    let plain = Md5::digest(format!("{signed}first-secret"));
    let digits = base16ct::lower::encode_string(&plain);
    let mut body: serde_json::Map<_, _> = pairs
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.into()))
        .collect();
    body.insert("sig".to_owned(), digits.into());
    let body = serde_json::Value::from(body).to_string();
    let json = [(http::header::CONTENT_TYPE, "application/json".to_owned())];
    for algorithm in [
        HashAlgorithm::Md5,
        HashAlgorithm::Sha1,
        HashAlgorithm::Sha256,
        HashAlgorithm::Sha512,
    ] {
        let sms = VonageSms::new(secret("first-secret"), algorithm);
        let taken = post(&sms, &json, body.as_bytes(), NOW);
        assert_eq!(taken, Err(InboundError::NotAuthentic), "{algorithm:?}");
    }
}
