//! Cases of signatures, texts and claims.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use countersign_conformance::passkey::SoftwarePasskey;
use countersign_domain::login::PasskeyAssertion;
use countersign_proof::passkey::proof_challenge;
use p256::ecdsa::Signature;
use serde_json::{Value, json};

use super::libraries::{AT, Cases, HOST, ZOE, decode, joined, passkey, signed_with};
use super::{Result, base64url};

/// Whether a signature is the one of a case.
type Fits = fn(&Signature) -> bool;

/// Cases of the signature's encoding.
pub(super) fn signatures(cases: &mut Cases, input: &str) -> Result<()> {
    let phone = passkey();
    let challenge = base64url(proof_challenge(input));
    let judged: [(&str, Fits); 5] = [
        ("s in the upper half", |it| it.normalize_s() != *it),
        ("s in the lower half", |it| it.normalize_s() == *it),
        ("r has a zero byte first", |it| it.to_bytes()[0] == 0),
        ("s has a zero byte first", |it| it.to_bytes()[32] == 0),
        ("both need a zero byte in DER", |it| {
            it.to_bytes()[0] > 0x7f && it.to_bytes()[32] > 0x7f
        }),
    ];
    for (name, fits) in judged {
        // The counter varies the signature.
        let found = (0..10_000_u32).map(|counter| {
            phone.assert_with(&challenge, |it| it.rest = counter.to_be_bytes().to_vec())
        });
        let mut found =
            found.filter(|it| Signature::from_der(it.signature()).is_ok_and(|it| fits(&it)));
        let assertion = found.next().ok_or("no such signature")?;
        cases.add(name, &joined(input, &assertion), Some(ZOE));
    }
    let assertion = phone.assert(&challenge);
    let signature = Signature::from_der(assertion.signature())?;
    let der = assertion.signature();
    let mut padded = der.to_vec();
    padded.splice(4..4, [0]);
    padded[1] += 1;
    padded[3] += 1;
    let long_form = [&[0x30, 0x81], &der[1..]].concat();
    for (name, bytes) in [
        ("r with a zero byte that DER does not need", padded),
        ("length in the long form", long_form),
        ("byte after the signature", [der, &[0]].concat()),
        ("signature of 64 bytes", signature.to_bytes().to_vec()),
        ("r and s are zero", vec![0x30, 6, 2, 1, 0, 2, 1, 0]),
        (
            "another passkey's signature",
            SoftwarePasskey::new(9, HOST)
                .assert(&challenge)
                .signature()
                .to_vec(),
        ),
    ] {
        let (data, client) = (assertion.authenticator_data(), assertion.client_data());
        let changed = PasskeyAssertion::new(data.to_vec(), client.to_vec(), bytes)?;
        cases.add(name, &joined(input, &changed), None);
    }
    Ok(())
}

/// Cases of the proof's text.
pub(super) fn texts(cases: &mut Cases, input: &str, proof: &str) -> Result<()> {
    let phone = passkey();
    let parts: Vec<_> = proof.split('.').collect();
    cases.add("four parts", &parts[..4].join("."), None);
    cases.add("six parts", &format!("{proof}.e30"), None);
    cases.add("six parts, the last one empty", &format!("{proof}."), None);
    for (at, name) in [
        "header",
        "claims",
        "authenticator data",
        "client data",
        "signature",
    ]
    .iter()
    .enumerate()
    {
        for (how, end) in [
            ("padding", "="),
            ("a line feed", "\n"),
            ("a foreign character", "+"),
        ] {
            let mut changed: Vec<_> = parts.iter().map(ToString::to_string).collect();
            changed[at].push_str(end);
            cases.add(&format!("{name} with {how}"), &changed.join("."), None);
        }
    }
    // One spelling only: the bits after the last byte are zero.
    let data = parts[2];
    let other_bits = format!("{}B", &data[..data.len() - 1]);
    let same_bytes = BASE64_URL_SAFE_NO_PAD.decode(&other_bits).is_err() && data.ends_with('A');
    if !same_bytes {
        return Err("the authenticator data has no surplus bits".into());
    }
    cases.add(
        "surplus bits",
        &[parts[0], parts[1], &other_bits, parts[3], parts[4]].join("."),
        None,
    );
    let header = String::from_utf8(decode(parts[0])?)?;
    for (name, header) in [
        ("header with a space", header.replacen(',', ", ", 1)),
        ("header with crit", header.replace('}', r#","crit":[]}"#)),
        (
            "header of a JWT",
            header.replace("WebAuthn-", "").replace("+webauthn", "+jwt"),
        ),
        ("algorithm ES256", header.replace("WebAuthn-", "")),
        ("type of a JWT", header.replace("+webauthn", "+jwt")),
    ] {
        let input = format!("{}.{}", base64url(header), parts[1]);
        cases.add(name, &signed_with(&phone, &input, |_| ()), None);
    }
    let long = |length: usize| {
        signed_with(&phone, input, |it| {
            let more = (length - proof.len()) / 4 * 3;
            let member = format!(r#","a":"{}"}}"#, "x".repeat(more - r#","a":"""#.len()));
            it.client_data = it.client_data.replace('}', &member);
        })
    };
    let (longest, too_long) = (long(2_560), long(2_564));
    if longest.len() > 2_560 || longest.len() <= 2_048 || too_long.len() <= 2_560 {
        return Err("the long proofs have another length".into());
    }
    cases.add("2,560 bytes", &longest, Some(ZOE));
    cases.add("more than 2,560 bytes", &too_long, None);
    Ok(())
}

/// Cases of the claims.
pub(super) fn claims(cases: &mut Cases, input: &str) -> Result<()> {
    let phone = passkey();
    let (header, claims) = input.split_once('.').ok_or("no claims")?;
    let claims: Value = serde_json::from_slice(&decode(claims)?)?;
    for (name, claim, value) in [
        ("no user", "sub", None),
        ("another user", "sub", Some(json!("mallory"))),
        (
            "another app",
            "app",
            Some(json!("cs_app_aaaaaaaaaaaaaaaaaaaaaa")),
        ),
        (
            "the link's origin as audience",
            "aud",
            Some(json!("https://login.shop.example")),
        ),
        (
            "another session",
            "jti",
            Some(json!("qrs_cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd")),
        ),
        ("another action", "act", Some(json!("deny"))),
        ("a longer lifetime", "exp", Some(json!(AT / 1000 + 301))),
        ("no issue time", "iat", None),
        ("a surplus claim", "nonce", Some(json!("x"))),
    ] {
        let mut changed = claims.clone();
        if let Some(changed) = changed.as_object_mut() {
            match value {
                Some(value) => changed.insert(claim.to_owned(), value),
                None => changed.remove(claim),
            };
        }
        let input = format!("{header}.{}", base64url(changed.to_string()));
        let user = (name == "no user").then_some(ZOE);
        cases.add(
            &format!("claims with {name}"),
            &signed_with(&phone, &input, |_| ()),
            user,
        );
    }
    let mut late = claims;
    for claim in ["iat", "exp"] {
        late[claim] = json!(late[claim].as_u64().unwrap_or_default() - 400);
    }
    let input = format!("{header}.{}", base64url(late.to_string()));
    cases.add("expired", &signed_with(&phone, &input, |_| ()), None);
    Ok(())
}
