//! The vectors: ids, proofs, registrations and reserved data. The vectors are the same in every
//! run.

#[path = "forgeries.rs"]
mod forgeries;
#[path = "libraries.rs"]
pub(crate) mod libraries;
#[path = "passkeys.rs"]
mod passkeys;
#[path = "said.rs"]
mod said;

use std::error::Error;

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use countersign_domain::app::AppKey;
use countersign_domain::login::identity::{IdInputs, plain_id, sealed_id};
use countersign_domain::login::{BrowserPublicKey, BrowserToken, ClaimedUserId};
use countersign_domain::primitives::ids::LoginId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::web::origin::WebOrigin;
use countersign_proof::{
    AssociationPrivateKey, ProofClaims, context_digest, is_reserved, payload_digest, registration,
};
use p256::ecdsa::SigningKey;
use serde_json::{Value, json};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const APP: &str = "cs_app_0123456789abcdefABCDEF";

/// Returns each file's name and content.
pub(crate) fn files() -> Result<[(&'static str, Value); 7]> {
    Ok([
        ("ids.json", ids()?),
        ("proofs.json", proofs()?),
        ("registrations.json", registrations()?),
        ("reserved.json", reserved()),
        ("passkey_proofs.json", passkeys::proofs()?),
        ("passkey_registrations.json", passkeys::registrations()?),
        ("passkey_identifications.json", passkeys::identifications()?),
    ])
}

/// A confirmation, as written to the file.
struct Confirmation {
    key: u8,
    origin: &'static str,
    session: &'static str,
    user: Option<&'static str>,
    context: Option<&'static str>,
    payload: String,
    salt: [u8; 16],
    at: u64,
}

fn confirmations() -> [Confirmation; 5] {
    let usual = |key, payload: &str| Confirmation {
        key,
        origin: "https://shop.example",
        session: "qrs_5d0c8e2f6a914b7d9c3e0f1a2b4c6d8e",
        user: Some("zoe@example.com"),
        context: None,
        payload: payload.to_owned(),
        salt: [key; 16],
        at: 1_767_323_045_678,
    };
    [
        usual(1, "a token"),
        Confirmation {
            user: None,
            session: "qrp_00000000000000000000000000000001",
            origin: "https://shop.example:8443",
            ..usual(2, "")
        },
        Confirmation {
            user: Some("Zoë \"Z\" \\ 🦀"),
            context: Some("Pay 20.00 EUR\nto Zoë & <Sons>"),
            ..usual(3, "✓ \u{0} \u{1f512} \r\n\t\"\\ \u{2028}")
        },
        Confirmation {
            origin: "http://localhost:8787",
            context: Some(" "),
            salt: [0xff; 16],
            at: 253_402_300_000_000,
            ..usual(
                4,
                r#"{"publicUserId":"zoë@shop.example","timestamp":1767323045678}"#,
            )
        },
        Confirmation {
            at: 999,
            ..usual(5, &"Länge ".repeat(800))
        },
    ]
}

/// Returns ids of logins with and without a browser key.
fn ids() -> Result<Value> {
    let mut ids = Vec::new();
    for (byte, origin, context) in [
        (1, "https://shop.example", ""),
        (
            2,
            "https://shop.example:8443",
            "Pay 20.00 EUR\nto Zoë & <Sons>",
        ),
        (3, "http://localhost:8787", &"Länge\n".repeat(12)),
    ] {
        let browser = SigningKey::from_slice(&[byte; 32])?;
        let point = browser.verifying_key().to_sec1_bytes();
        let point = BrowserPublicKey::from_bytes(point.as_ref().try_into()?)?;
        let inputs = IdInputs {
            app_key: &APP.parse::<AppKey>()?,
            origin: &origin.parse::<WebOrigin>()?,
            context,
        };
        ids.push(json!({
            "appKey": APP,
            "origin": origin,
            "context": context,
            "browserPublicKey": point.to_string(),
            "sessionId": sealed_id(inputs, &point).to_string(),
        }));
    }
    for byte in [0, 0xa7] {
        let token = base64url([byte; 32]);
        let id = plain_id(&token.parse::<BrowserToken>()?).to_string();
        ids.push(json!({ "browserToken": token, "sessionId": id }));
    }
    Ok(Value::Array(ids))
}

fn key(byte: u8) -> Result<AssociationPrivateKey> {
    Ok(AssociationPrivateKey::from_bytes(&[byte; 32])?)
}

fn base64url(bytes: impl AsRef<[u8]>) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

fn proofs() -> Result<Value> {
    confirmations().iter().map(proof).collect()
}

fn proof(it: &Confirmation) -> Result<Value> {
    let key = key(it.key)?;
    let user = it.user.map(str::parse::<ClaimedUserId>).transpose()?;
    let signed = key.sign_proof(&ProofClaims {
        app: &APP.parse::<AppKey>()?,
        origin: &it.origin.parse::<WebOrigin>()?,
        login: it.session.parse::<LoginId>()?,
        user: user.as_ref(),
        context: it.context,
        payload: &it.payload,
        salt: &it.salt,
        at: Timestamp::from_millis(it.at),
    })?;
    Ok(json!({
        "privateKey": base64url(key.to_bytes().as_ref()),
        "publicKey": key.public_key().to_string(),
        "keyId": key.public_key().key_id().to_string(),
        "appKey": APP,
        "origin": it.origin,
        "sessionId": it.session,
        "publicUserId": it.user,
        "context": it.context,
        "payload": it.payload,
        "salt": base64url(it.salt),
        "at": it.at,
        "pay": payload_digest(&it.payload, &it.salt),
        "ctx": it.context.map(context_digest),
        "proof": signed,
    }))
}

fn registrations() -> Result<Value> {
    let users = ["zoe@example.com", "ANON", "Zoë \"Z\" 🦀"];
    let registered = (1..).zip(users).map(|(byte, user)| {
        let (key, app, user) = (key(byte)?, APP.parse::<AppKey>()?, user.parse()?);
        Ok(json!({
            "privateKey": base64url(key.to_bytes().as_ref()),
            "publicKey": key.public_key().to_string(),
            "keyId": key.public_key().key_id().to_string(),
            "appKey": APP,
            "publicUserId": ClaimedUserId::as_str(&user),
            "text": registration::text(&app, &user),
            "signature": registration::sign(&key, &app, &user),
        }))
    });
    registered.collect()
}

/// Returns inputs for `generateUserSignature`, and whether it must refuse them.
fn reserved() -> Value {
    let header = r#"{"alg":"ES256","kid":"xx0BcA-wMohw8atYDJOe6peGModklG2wRHBlXHMvl0M","typ":"countersign-login+jwt"}"#;
    let url = base64url(header);
    let utf_16: Vec<u8> = header.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let input = |header: &str| format!("{}.e30", base64url(header));
    let data = [
        format!("{url}.e30"),
        format!("{url}."),
        format!(" \n{url}.e30"),
        format!("{}\r\n{}.e30", &url[..40], &url[40..]),
        format!("{}={}.e30", &url[..40], &url[40..]),
        format!("{}.e30", BASE64_STANDARD.encode(format!("{header}>?~"))),
        format!("{}.e30", base64url(utf_16)),
        input(&format!("\u{feff} \t{header}")),
        input(&header.to_uppercase()),
        input(&header.replace("login", "\\u006cogin")),
        input(r#"{ "t\u0079p": "x" }"#),
        input(r#"{typ:"\u0063ountersign-login+jwt"}"#),
        input(r#"{"alg":"ES256","typ":"JWT"}"#),
        input("[\\]"),
        url,
        header.to_owned(),
        "zoe@example.com".to_owned(),
        format!("countersign-association-key/1\n{APP}\nzoe@example.com"),
        String::new(),
    ];
    let judged = data.map(|data| json!({ "reserved": is_reserved(&data), "data": data }));
    judged.into_iter().collect()
}
