//! Details that must not log a user in, with one for each way to cheat.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::login_phone::{APP, ORIGIN, Phone, ZOE, encode};

type Forgeries = Vec<(String, Value)>;

/// Returns every forgery, for a server that knows the keys of Zoe's phone (7) and Mallory's phone
/// (8).
pub(crate) fn all() -> Forgeries {
    let mut all = swapped();
    all.extend(other_claims());
    all.extend(other_headers());
    all.extend(other_spellings());
    all.extend(other_texts());
    all
}

/// The right proof next to other data, and proofs of other facts.
fn swapped() -> Forgeries {
    let zoe = Phone::new(7);
    let detail = zoe.detail(&zoe.proof());
    let with = |name: &str, value: &str| {
        let mut detail = detail.clone();
        detail[name] = value.into();
        (format!("{name} {value}"), detail)
    };
    let mut forgeries = vec![
        with("payload", "another token"),
        with("payload", ""),
        with("salt", &encode([0; 16])),
        with("salt", ""),
        with("salt", "*"),
        with("salt", &format!("{}=", encode([0x5a; 16]))),
        with("salt", &encode([0x5a; 15])),
        with("sessionId", "qrs_cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd"),
        with("sessionId", "QRS_ABABABABABABABABABABABABABABABAB"),
        with("sessionId", ""),
    ];
    let phones = [
        (
            "another app",
            Phone {
                app: APP.replace('F', "G"),
                ..Phone::new(7)
            },
        ),
        (
            "another origin",
            Phone {
                origin: "https://evil.example".to_owned(),
                ..Phone::new(7)
            },
        ),
        (
            "another session",
            Phone {
                login: "qrs_cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd".parse().unwrap(),
                ..Phone::new(7)
            },
        ),
        (
            "a context",
            Phone {
                context: Some("Pay 20 EUR".to_owned()),
                ..Phone::new(7)
            },
        ),
        (
            "another user",
            Phone {
                user: Some("mallory".to_owned()),
                ..Phone::new(7)
            },
        ),
        ("Mallory's key", Phone::new(8)),
        ("an unknown key", Phone::new(10)),
        (
            "stale",
            Phone {
                after: -365,
                ..Phone::new(7)
            },
        ),
        (
            "from the future",
            Phone {
                // Becomes valid a minute from now.
                after: 120,
                ..Phone::new(7)
            },
        ),
    ];
    for (what, phone) in phones {
        forgeries.push((what.to_owned(), zoe.detail(&phone.proof())));
    }
    forgeries
}

/// Zoe's signature over other claims, as if her phone malfunctioned.
fn other_claims() -> Forgeries {
    let zoe = Phone::new(7);
    let header = zoe.header().to_string();
    let right = zoe.claims();
    let mut forgeries = Vec::new();
    let mut add = |what: String, claims: &Value| {
        forgeries.push((what, zoe.detail(&zoe.compact(&header, claims.to_string()))));
    };
    for name in ["act", "app", "aud", "exp", "iat", "jti", "pay"] {
        let mut claims = right.clone();
        claims.as_object_mut().unwrap().remove(name);
        add(format!("no {name}"), &claims);
        for value in [
            json!(null),
            json!([right[name]]),
            json!({}),
            json!(true),
            json!(""),
        ] {
            claims[name] = value.clone();
            add(format!("{name} {value}"), &claims);
        }
    }
    let iat = right["iat"].as_u64().unwrap();
    for (name, value) in [
        ("act", json!("deny")),
        ("sub", json!(null)),
        ("sub", json!("ZOE@example.com")),
        ("sub", json!([ZOE])),
        ("aud", json!([ORIGIN, "https://evil.example"])),
        ("exp", json!(iat + 301)),
        ("exp", json!(iat + 299)),
        ("exp", json!(1e300)),
        ("exp", json!(u64::MAX)),
        ("iat", json!(0)),
        ("iat", json!(-1)),
        ("nbf", json!(0)),
        ("admin", json!(true)),
    ] {
        let mut claims = right.clone();
        claims[name] = value.clone();
        add(format!("{name} {value}"), &claims);
    }
    for value in [
        json!(null),
        json!([]),
        json!([right]),
        json!("text"),
        json!(7),
    ] {
        add(format!("claims {value:.20}"), &value);
    }
    forgeries
}

/// Other algorithms, types and members in the header.
fn other_headers() -> Forgeries {
    let zoe = Phone::new(7);
    let claims = zoe.claims().to_string();
    let mut forgeries = Vec::new();
    for (name, value) in [
        ("alg", json!("none")),
        ("alg", json!("HS256")),
        ("alg", json!("ES384")),
        ("alg", json!("es256")),
        ("alg", json!(null)),
        ("typ", json!("JWT")),
        ("typ", json!("Countersign-Login+JWT")),
        ("typ", json!("application/countersign-login+jwt")),
        ("typ", json!(null)),
        ("kid", json!(null)),
        ("kid", json!("__proto__")),
        ("kid", json!([zoe.key_id()])),
        ("kid", json!(format!("{}=", zoe.key_id()))),
        ("crit", json!(["exp"])),
        ("crit", json!([])),
        ("b64", json!(true)),
        ("jku", json!("https://evil.example")),
        ("jwk", json!({ "kty": "EC" })),
    ] {
        let mut header = zoe.header();
        header[name] = value.clone();
        let proof = zoe.compact(header.to_string(), &claims);
        forgeries.push((format!("{name} {value}"), zoe.detail(&proof)));
    }
    for alg in ["none", "ES256"] {
        let mut header = zoe.header();
        header["alg"] = alg.into();
        let input = format!("{}.{}.", encode(header.to_string()), encode(&claims));
        forgeries.push((format!("{alg} without a signature"), zoe.detail(&input)));
    }
    // Uses the public key as an HMAC secret.
    let mut header = zoe.header();
    header["alg"] = "HS256".into();
    let input = format!("{}.{}", encode(header.to_string()), encode(&claims));
    for secret in [
        zoe.public_key().into_bytes(),
        BASE64_STANDARD.decode(zoe.public_key()).unwrap(),
    ] {
        let mac = encode(hmac_sha256(&secret, input.as_bytes()));
        forgeries.push(("HMAC".to_owned(), zoe.detail(&format!("{input}.{mac}"))));
    }
    forgeries
}

/// The right header in other spellings that lenient parsers accept. An attacker could have had them
/// signed as data.
fn other_spellings() -> Forgeries {
    let zoe = Phone::new(7);
    let claims = zoe.claims().to_string();
    let json = zoe.header().to_string();
    let utf_16: Vec<u8> = json.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let single = json.replace('"', "'");
    let spellings: [Vec<u8>; 10] = [
        format!(" {json}").into(),
        format!("\u{feff}{json}").into(),
        format!("{json}\n").into(),
        json.replace(':', ": ").into(),
        json.replace("login", "\\u006cogin").into(),
        json.replacen('{', "{/**/", 1).into(),
        json.replace(r#""typ""#, "typ").into(),
        json.replacen('{', r#"{"alg":"none","#, 1).into(),
        single.into(),
        utf_16,
    ];
    let mut forgeries = Vec::new();
    for spelling in spellings {
        let what = format!("header {}", String::from_utf8_lossy(&spelling));
        forgeries.push((what, zoe.detail(&zoe.compact(spelling, &claims))));
    }
    // Characters that Base64 parsers skip, signed unchanged.
    for (what, header) in [
        ("padding", format!("{}=", encode(&json))),
        ("a line feed", format!("{}\n", encode(&json))),
        ("a space before", format!(" {}", encode(&json))),
        ("a percent sign", encode(&json).replacen('J', "%J", 1)),
    ] {
        let input = format!("{header}.{}", encode(&claims));
        let proof = format!("{input}.{}", encode(zoe.sign(&input)));
        forgeries.push((format!("{what} in the header"), zoe.detail(&proof)));
    }
    forgeries
}

/// Texts that are not compact JWTs, and signatures in other formats.
fn other_texts() -> Forgeries {
    let zoe = Phone::new(7);
    let proof = zoe.proof();
    let (input, signature) = proof.rsplit_once('.').unwrap();
    let mut flipped = zoe.sign(input);
    flipped[63] ^= 1;
    let texts = [
        String::new(),
        ".".to_owned(),
        "..".to_owned(),
        "a.b.c".to_owned(),
        input.to_owned(),
        format!("{proof}.{signature}"),
        format!("{proof}{}", "A".repeat(2048)),
        format!("{input}.{}", encode(flipped)),
        format!("{input}.{}", encode([0; 64])),
        format!("{input}.{}", encode([0xff; 64])),
        format!("{input}.{}", encode([1; 63])),
        format!("{input}x.{signature}"),
        "ü".repeat(700),
        "{}".to_owned(),
    ];
    let detail = |text: String| (format!("text {text:.60}"), zoe.detail(&text));
    texts.map(detail).into()
}

/// HMAC-SHA256 (RFC 2104).
fn hmac_sha256(secret: &[u8], message: &[u8]) -> Vec<u8> {
    let mut block = [0; 64];
    if secret.len() > 64 {
        block[..32].copy_from_slice(&Sha256::digest(secret));
    } else {
        block[..secret.len()].copy_from_slice(secret);
    }
    let padded = |byte: u8| block.map(|b| b ^ byte);
    let inner = Sha256::new()
        .chain_update(padded(0x36))
        .chain_update(message);
    let outer = Sha256::new()
        .chain_update(padded(0x5c))
        .chain_update(inner.finalize());
    outer.finalize().to_vec()
}
