//! Signatures for bodies that no provider's module writes.

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use countersign_inbound::{
    Inbound, InboundError, Reading, SignedCall, generic, sinch, sms_gate, whatsapp,
};
use hmac::{Hmac, KeyInit as _, Mac as _};
use http::header::AUTHORIZATION;
use percent_encoding::percent_decode;
use serde_json::{Value, json};
use sha1::Sha1;
use sha2::{Digest as _, Sha256, Sha512};

use crate::cases::{NONCE, NOW, all, events, sns_call, take, telnyx_call, text};

const SECRET: &[u8] = b"first-secret";

fn sha256(parts: &[&[u8]]) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(SECRET).unwrap();
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().to_vec()
}

fn sha1(parts: &[&[u8]]) -> Vec<u8> {
    let mut mac = Hmac::<Sha1>::new_from_slice(SECRET).unwrap();
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().to_vec()
}

fn sha512(body: &[u8]) -> Vec<u8> {
    let mut mac = Hmac::<Sha512>::new_from_slice(SECRET).unwrap();
    mac.update(body);
    mac.finalize().into_bytes().to_vec()
}

/// Returns the sorted parameters of a form as decoded bytes.
fn parameters(form: &[u8]) -> Vec<[Vec<u8>; 2]> {
    let mut pairs: Vec<_> = form
        .split(|byte| *byte == b'&')
        .map(|pair| {
            let at = pair.iter().position(|byte| *byte == b'=').unwrap();
            [&pair[..at], &pair[at + 1..]].map(|part| percent_decode(part).collect())
        })
        .collect();
    pairs.sort();
    pairs
}

/// Returns a call with another body, authenticated as the case's provider does it.
pub(crate) fn seal(label: &str, signed: &SignedCall, body: &[u8]) -> SignedCall {
    let mut call = SignedCall {
        body: body.to_vec(),
        ..signed.clone()
    };
    let mut set = |name: &str, value: String| {
        let header = call.headers.iter_mut().find(|(known, _)| known == name);
        header.unwrap().1 = value;
    };
    let address = "https://text.example.com:8443/base/inbound-sms/";
    match label {
        "generic" => {
            let secret = "whsec_QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFB".parse().unwrap();
            let id = &signed.headers[1].1;
            assert_eq!(signed.headers[1].0, generic::ID_HEADER);
            for (name, value) in generic::sign(&secret, id, NOW, body) {
                set(name, value);
            }
        }
        "twilio sha1" | "twilio sha256" => {
            let address = format!("{address}twilio");
            let parameters = parameters(body).into_iter().flatten();
            let signed: Vec<Vec<u8>> = [address.into_bytes()]
                .into_iter()
                .chain(parameters)
                .collect();
            let signed: Vec<_> = signed.iter().map(Vec::as_slice).collect();
            let hash = if label == "twilio sha1" {
                sha1(&signed)
            } else {
                sha256(&signed)
            };
            set("x-twilio-signature", BASE64_STANDARD.encode(hash));
        }
        "vonage messages" => {
            let hash = base16ct::lower::encode_string(&Sha256::digest(body));
            let claims = json!({"iat": NOW.as_secs(), "payload_hash": hash});
            let encode = |json: Value| BASE64_URL_SAFE_NO_PAD.encode(json.to_string());
            let signed = format!("{}.{}", encode(json!({"alg": "HS256"})), encode(claims));
            let hash = BASE64_URL_SAFE_NO_PAD.encode(sha256(&[signed.as_bytes()]));
            set(AUTHORIZATION.as_str(), format!("Bearer {signed}.{hash}"));
        }
        "telnyx" => return telnyx_call(1, body, NOW),
        "plivo v3" => {
            let parameters = parameters(body).concat().concat();
            let address = format!("{address}plivo?");
            let signed = [address.as_bytes(), &parameters, b".", NONCE.as_bytes()];
            set(
                "x-plivo-signature-v3",
                BASE64_STANDARD.encode(sha256(&signed)),
            );
        }
        "sinch" | "sinch conversation" => {
            let at = NOW.as_secs().to_string();
            let hash = sha256(&[body, b".", NONCE.as_bytes(), b".", at.as_bytes()]);
            set(sinch::SIGNATURE_HEADER, BASE64_STANDARD.encode(hash));
        }
        "sms gate" => {
            let hash = sha256(&[body, NOW.as_secs().to_string().as_bytes()]);
            set(
                sms_gate::SIGNATURE_HEADER,
                base16ct::lower::encode_string(&hash),
            );
        }
        "infobip sha1" => set(
            "x-signature",
            base16ct::lower::encode_string(&sha1(&[body])),
        ),
        "infobip sha256" => set(
            "x-signature",
            base16ct::lower::encode_string(&sha256(&[body])),
        ),
        "infobip sha512" => set("x-signature", base16ct::lower::encode_string(&sha512(body))),
        "whatsapp" => {
            let digits = base16ct::lower::encode_string(&sha256(&[body]));
            set(whatsapp::SIGNATURE_HEADER, format!("sha256={digits}"));
        }
        // These providers do not sign the body.
        "plivo v2" | "infobip basic" | "bandwidth" => {}
        other => panic!("{other} signs what is in the body"),
    }
    call
}

/// Returns the events in a body sent by a case's provider.
pub(crate) fn read(label: &str, body: &[u8]) -> Vec<Inbound> {
    events(try_to_read(label, body))
}

pub(crate) fn try_to_read(label: &str, body: &[u8]) -> Result<Reading, InboundError> {
    let case = all().into_iter().find(|case| case.label == label).unwrap();
    let signed = (case.sign)(&text(case.channels[0]), NOW);
    take(&*case.provider, &seal(label, &signed, body), NOW)
}

/// Returns a topic's message that contains another document of AWS End User Messaging.
pub(crate) fn seal_message(document: &[u8]) -> SignedCall {
    sns_call(std::str::from_utf8(document).unwrap())
}
