//! Prints the test vectors for the browser's code:
//! `cargo run -p countersign-sealing --example vectors >
//! clients/widget/test/vectors/from-rust.json`

use std::error::Error;
use std::io::{self, Write as _};

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use countersign_domain::app::AppKey;
use countersign_domain::login::identity::{IdInputs, plain_id, sealed_id};
use countersign_domain::login::{BrowserToken, Salt};
use countersign_domain::primitives::entropy::Entropy as _;
use countersign_domain::web::origin::WebOrigin;
use countersign_sealing::{BrowserPrivateKey, Envelope, MAX_PLAINTEXT, seal};
use countersign_system::entropy::OsEntropy;
use serde_json::{Value, json};

/// Origin, context and payload of a login.
type Case<'a> = (&'a str, &'a str, &'a str);

fn main() -> Result<(), Box<dyn Error>> {
    let long = "Länge ".repeat(MAX_PLAINTEXT / 8);
    let cases: [Case<'_>; 5] = [
        ("https://shop.example", "", ""),
        ("https://shop.example", "", "a session token"),
        (
            "https://shop.example:8443",
            "Pay 20.00 EUR to Bücher GmbH\nOrder 4711",
            r#"{"publicUserId":"zoë@shop.example","timestamp":1767323045678}"#,
        ),
        ("http://localhost:8787", "", "✓ \u{0} \u{1f512} \r\n\t\"\\"),
        ("http://127.0.0.1:3000", "", &long),
    ];
    let sealed = cases.map(sealed).into_iter();
    let vectors = json!({
        "sealed": sealed.collect::<Result<Vec<_>, _>>()?,
        "plain": [plain(), plain()],
    });
    let text = serde_json::to_string_pretty(&vectors)?;
    Ok(writeln!(io::stdout(), "{text}")?)
}

fn sealed((origin, context, payload): Case<'_>) -> Result<Value, Box<dyn Error>> {
    let private = BrowserPrivateKey::generate(&OsEntropy);
    let public = private.public_key()?;
    let app_key = AppKey::generate(&OsEntropy);
    let origin = origin.parse::<WebOrigin>()?;
    let inputs = IdInputs {
        app_key: &app_key,
        origin: &origin,
        context,
    };
    let id = sealed_id(inputs, &public);
    let mut salt = [0; 16];
    OsEntropy.fill(&mut salt);
    let envelope = Envelope {
        payload: payload.to_owned(),
        salt: Salt::from_bytes(salt),
    };
    let sealed = seal(&public, id, &origin, &envelope, &OsEntropy)?;
    Ok(json!({
        "appKey": app_key.as_str(),
        "origin": origin.as_str(),
        "context": context,
        "browserPrivateKey": BASE64_URL_SAFE_NO_PAD.encode(private.to_bytes()),
        "browserPublicKey": public.to_string(),
        "sessionId": id.to_string(),
        "salt": envelope.salt.to_string(),
        "payload": payload,
        "sealed": sealed.as_str(),
    }))
}

fn plain() -> Value {
    let token = BrowserToken::generate(&OsEntropy);
    json!({
        "browserToken": token.reveal(),
        "sessionId": plain_id(&token).to_string(),
    })
}
