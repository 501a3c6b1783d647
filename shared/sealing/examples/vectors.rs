//! Prints the test vectors for the browser's code:
//! `cargo run -p countersign-sealing --example vectors >
//! clients/widget/test/vectors/from-rust.json`

use std::error::Error;
use std::io::{self, Write as _};

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use countersign_domain::primitives::ids::LoginId;
use countersign_domain::web::origin::WebOrigin;
use countersign_sealing::{BrowserPrivateKey, MAX_PAYLOAD, seal};
use countersign_system::entropy::OsEntropy;
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    let long = "Länge ".repeat(MAX_PAYLOAD / 7);
    let cases = [
        ("https://shop.example", ""),
        ("https://shop.example", "a session token"),
        (
            "https://shop.example:8443",
            r#"{"publicUserId":"zoë@shop.example","timestamp":1767323045678}"#,
        ),
        ("http://localhost:8787", "✓ \u{0} \u{1f512} \r\n\t\"\\"),
        ("http://127.0.0.1:3000", &long),
    ];
    let vectors = cases.map(|(origin, payload)| vector(origin, payload));
    let vectors = vectors.into_iter().collect::<Result<Vec<_>, _>>()?;
    let text = serde_json::to_string_pretty(&vectors)?;
    Ok(writeln!(io::stdout(), "{text}")?)
}

fn vector(origin: &str, payload: &str) -> Result<Value, Box<dyn Error>> {
    let private = BrowserPrivateKey::generate(&OsEntropy);
    let public = private.public_key()?;
    let id = LoginId::generate(&OsEntropy);
    let origin = origin.parse::<WebOrigin>()?;
    let sealed = seal(&public, id, &origin, payload, &OsEntropy)?;
    Ok(json!({
        "recipientPrivateKey": BASE64_URL_SAFE_NO_PAD.encode(private.to_bytes()),
        "recipientPublicKey": public.to_string(),
        "sessionId": id.to_string(),
        "origin": origin.as_str(),
        "payload": payload,
        "sealed": sealed.as_str(),
    }))
}
