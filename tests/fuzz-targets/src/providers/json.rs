//! Providers that send JSON, with authentication over its bytes or next to it.

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use countersign_domain::confirmation::text::Channel;
use countersign_domain::primitives::phone::PhoneNumber;
use countersign_domain::primitives::webhook_secret::WebhookSecret;
use countersign_inbound::bandwidth::Bandwidth;
use countersign_inbound::generic::{self, Generic};
use countersign_inbound::infobip::{Infobip, InfobipProof};
use countersign_inbound::sinch::Sinch;
use countersign_inbound::sinch_conversation::SinchConversation;
use countersign_inbound::sms_gate::SmsGate;
use countersign_inbound::telnyx::Telnyx;
use countersign_inbound::vonage_messages::VonageMessages;
use countersign_inbound::whatsapp::WhatsApp;
use countersign_inbound::{BasicCredentials, HashAlgorithm};
use hmac::{Hmac, KeyInit as _, Mac as _};
use http::{HeaderName, Method};
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::{NONCE, NOW, SECRET, Setting, Signs, secret};
use crate::call::Incoming;

const CREDENTIALS: &str = "name:0123456789abcdef";
const SMS: &[Channel] = &[Channel::Sms];

fn mac(parts: &[&[u8]]) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).expect("a key");
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().to_vec()
}

fn credentials() -> BasicCredentials {
    CREDENTIALS.parse().expect("credentials")
}

fn with_credentials(mut call: Incoming) -> Incoming {
    let encoded = BASE64_STANDARD.encode(CREDENTIALS);
    call.method = Method::POST;
    call.set("authorization", &format!("Basic {encoded}"));
    call
}

fn shared() -> WebhookSecret {
    let secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=".parse();
    secret.expect("a secret")
}

/// The generic provider.
pub(crate) fn generic(input: &[u8]) {
    let setting = Setting {
        provider: Generic::new(shared()),
        signs: Signs::Bytes,
        prove: |mut call| {
            for (name, value) in generic::sign(&shared(), "text-1", NOW, &call.body) {
                call.set(name, &value);
            }
            call.method = Method::POST;
            Some(call)
        },
        channels: SMS,
    };
    setting.check(input);
}

/// Sinch's SMS API.
pub(crate) fn sinch(input: &[u8]) {
    let setting = Setting {
        provider: Sinch::new(secret()),
        signs: Signs::Bytes,
        prove: |call| Some(signed_by_sinch(call)),
        channels: SMS,
    };
    setting.check(input);
}

pub(crate) fn sinch_conversation(input: &[u8]) {
    let setting = Setting {
        provider: SinchConversation::new(secret()),
        signs: Signs::Bytes,
        prove: |call| Some(signed_by_sinch(call)),
        channels: SMS,
    };
    setting.check(input);
}

fn signed_by_sinch(mut call: Incoming) -> Incoming {
    let at = NOW.as_secs().to_string();
    let parts = [&call.body[..], b".", NONCE.as_bytes(), b".", at.as_bytes()];
    let signature = BASE64_STANDARD.encode(mac(&parts));
    call.method = Method::POST;
    call.set("x-sinch-webhook-signature", &signature);
    call.set("x-sinch-webhook-signature-nonce", NONCE);
    call.set("x-sinch-webhook-signature-timestamp", &at);
    call
}

/// SMS Gateway for Android, on a phone in a country with numbers of many lengths.
pub(crate) fn sms_gate(input: &[u8]) {
    let number = PhoneNumber::parse_e164("+4915123456789").expect("a number");
    let setting = Setting {
        provider: SmsGate::new(secret(), number, "DE".parse().expect("a country")),
        signs: Signs::Bytes,
        prove: |mut call| {
            let at = NOW.as_secs().to_string();
            let signature = mac(&[&call.body[..], at.as_bytes()]);
            let hex = signature.iter().map(|byte| format!("{byte:02x}"));
            call.method = Method::POST;
            call.set("x-signature", &hex.collect::<String>());
            call.set("x-timestamp", &at);
            Some(call)
        },
        channels: SMS,
    };
    setting.check(input);
}

/// Infobip, with an HMAC or a password.
pub(crate) fn infobip(input: &[u8]) {
    let hmac = Setting {
        provider: Infobip::new(InfobipProof::Hmac {
            secrets: secret().into(),
            algorithm: HashAlgorithm::Sha256,
            header: HeaderName::from_static("x-signature"),
        }),
        signs: Signs::Bytes,
        prove: |mut call| {
            let signature = BASE64_STANDARD.encode(mac(&[&call.body]));
            call.method = Method::POST;
            call.set("x-signature", &signature);
            Some(call)
        },
        channels: SMS,
    };
    hmac.check(input);
    let basic = Setting {
        provider: Infobip::new(InfobipProof::Basic(credentials().into())),
        signs: Signs::Nothing,
        prove: |call| Some(with_credentials(call)),
        channels: SMS,
    };
    basic.check(input);
}

pub(crate) fn bandwidth(input: &[u8]) {
    let setting = Setting {
        provider: Bandwidth::new(credentials()),
        signs: Signs::Nothing,
        prove: |call| Some(with_credentials(call)),
        channels: SMS,
    };
    setting.check(input);
}

/// Meta's WhatsApp.
pub(crate) fn whatsapp(input: &[u8]) {
    let setting = Setting {
        provider: WhatsApp::new(secret(), secret()),
        signs: Signs::Bytes,
        prove: |mut call| {
            if call.method == Method::GET {
                let query = call.query.unwrap_or_default();
                let proof = format!("hub.mode=subscribe&hub.verify_token={SECRET}");
                call.query = Some(format!("{proof}&hub.challenge={query}"));
                // A second parameter of the same name makes the call ambiguous, so it is refused.
                return (!query.contains(['&', '%', '+'])).then_some(call);
            }
            let digits = base16ct::lower::encode_string(&mac(&[&call.body]));
            call.set("x-hub-signature-256", &format!("sha256={digits}"));
            Some(call)
        },
        channels: &[Channel::WhatsApp],
    };
    setting.check(input);
}

fn telnyx_key() -> Ed25519KeyPair {
    Ed25519KeyPair::from_seed_unchecked(&[1; 32]).expect("a key")
}

pub(crate) fn telnyx(input: &[u8]) {
    let public = BASE64_STANDARD.encode(telnyx_key().public_key().as_ref());
    let setting = Setting {
        provider: Telnyx::new(
            public
                .parse::<countersign_inbound::telnyx::TelnyxKey>()
                .expect("a key"),
        ),
        signs: Signs::Bytes,
        prove: |mut call| {
            let at = NOW.as_secs().to_string();
            let signed = [at.as_bytes(), b"|", &call.body].concat();
            let signature = telnyx_key().sign(&signed);
            let signature = BASE64_STANDARD.encode(signature.as_ref());
            call.method = Method::POST;
            call.set("telnyx-signature-ed25519", &signature);
            call.set("telnyx-timestamp", &at);
            Some(call)
        },
        channels: SMS,
    };
    setting.check(input);
}

/// Vonage's Messages API.
pub(crate) fn vonage_messages(input: &[u8]) {
    let setting = Setting {
        provider: VonageMessages::new(secret()),
        signs: Signs::Bytes,
        prove: |mut call| {
            let hash = base16ct::lower::encode_string(&Sha256::digest(&call.body));
            let claims = json!({"iat": NOW.as_secs(), "payload_hash": hash});
            let encode = |json: serde_json::Value| BASE64_URL_SAFE_NO_PAD.encode(json.to_string());
            let header = encode(json!({"alg": "HS256", "typ": "JWT"}));
            let signed = format!("{header}.{}", encode(claims));
            let signature = BASE64_URL_SAFE_NO_PAD.encode(mac(&[signed.as_bytes()]));
            call.method = Method::POST;
            call.set("authorization", &format!("Bearer {signed}.{signature}"));
            Some(call)
        },
        channels: &[Channel::Sms, Channel::WhatsApp],
    };
    setting.check(input);
}
