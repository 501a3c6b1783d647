//! Proofs with a different format, algorithm or key.

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use countersign_domain::login::Proof;
use countersign_proof::{AssociationPrivateKey, MAX_PROOF, ProofError, ReservedData, key_id};
use p256::ecdsa::Signature;
use serde_json::{Value, json};

use crate::support::{self, Phone, Server, encode};

#[test]
fn data_signed_for_the_app_makes_no_proof() {
    let phone = Phone::new();
    let (input, _) = phone
        .proof()
        .rsplit_once('.')
        .map(|(a, b)| (a.to_owned(), b.to_owned()))
        .unwrap();
    assert_eq!(phone.key.generate_user_signature(&input), Err(ReservedData));

    // Without the refusal the signature would complete a proof: the key and the algorithm are the
    // same.
    let server = Server::new();
    let signature: Signature = phone.sign_raw(&input);
    let forged = format!(
        "{input}.{}",
        BASE64_URL_SAFE_NO_PAD.encode(signature.to_bytes())
    );
    assert!(server.verify(&forged).is_ok());

    // A signature over data is never accepted as the signature of a proof over the same data.
    for data in ["{}.{}", "e30.e30", "eyJhbGciOiJFUzI1NiJ9.e30", "", "."] {
        let signature = phone.key.generate_user_signature(data).unwrap();
        let der = BASE64_STANDARD.decode(signature).unwrap();
        let raw = Signature::from_der(&der).unwrap().to_bytes();
        let forged = format!("{data}.{}", BASE64_URL_SAFE_NO_PAD.encode(raw));
        assert!(server.verify(&forged).is_err(), "{data}");
    }
}

#[test]
fn other_algorithms_are_refused() {
    let (phone, server) = (Phone::new(), Server::new());
    let claims = phone.claims().to_string();
    for alg in [
        "none", "None", "HS256", "RS256", "ES384", "ES256K", "es256", "",
    ] {
        let header = phone.header(&json!({ "alg": alg }));
        assert_eq!(
            server.verify(&phone.compact(&header, &claims)),
            Err(ProofError::Algorithm)
        );
        let unsigned = format!("{}.{}.", encode(&header), encode(&claims));
        assert_eq!(
            server.verify(&unsigned),
            Err(ProofError::Algorithm),
            "{alg}"
        );
    }
    // Uses the public key as the secret of an HMAC.
    let header = phone.header(&json!({ "alg": "HS256" }));
    let input = format!("{}.{}", encode(&header), encode(&claims));
    for secret in [
        phone.key.public_key().to_string().into_bytes(),
        BASE64_STANDARD
            .decode(phone.key.public_key().to_string())
            .unwrap(),
    ] {
        let forged = format!(
            "{input}.{}",
            encode(support::hmac_sha256(&secret, input.as_bytes()))
        );
        assert_eq!(server.verify(&forged), Err(ProofError::Algorithm));
    }
    // The right algorithm name, but an empty or short signature.
    let input = phone.proof().rsplit_once('.').unwrap().0.to_owned();
    for signature in [
        vec![],
        vec![0; 32],
        vec![0; 64],
        vec![0xff; 64],
        vec![1; 65],
    ] {
        let forged = format!("{input}.{}", encode(signature));
        assert_eq!(server.verify(&forged), Err(ProofError::Signature));
    }
}

#[test]
fn other_headers_are_refused() {
    let (phone, server) = (Phone::new(), Server::new());
    let claims = phone.claims().to_string();
    for typ in [
        json!("JWT"),
        json!("at+jwt"),
        json!("Countersign-Login+JWT"),
        Value::Null,
    ] {
        let header = phone.header(&json!({ "typ": typ }));
        assert_eq!(
            server.verify(&phone.compact(&header, &claims)),
            Err(ProofError::Type)
        );
    }
    for more in [
        json!({ "crit": ["exp"] }),
        json!({ "crit": [] }),
        json!({ "crit": ["b64"], "b64": false }),
        json!({ "jwk": { "kty": "EC" } }),
        json!({ "x5c": [] }),
        json!({ "jku": "https://evil.example" }),
    ] {
        let header = phone.header(&more);
        let forged = phone.compact(&header, &claims);
        assert_eq!(
            server.verify(&forged),
            Err(ProofError::SurplusHeader),
            "{more}"
        );
    }
    let kid = phone.key.public_key().key_id();
    for header in [
        format!(r#"{{"alg":"none","alg":"ES256","kid":"{kid}","typ":"countersign-login+jwt"}}"#),
        format!(r#"{{"alg":"ES256","kid":"{kid}","kid":"{kid}","typ":"countersign-login+jwt"}}"#),
        r#"["ES256"]"#.to_owned(),
        String::new(),
    ] {
        let forged = phone.compact(&header, &claims);
        assert_eq!(
            server.verify(&forged),
            Err(ProofError::Malformed),
            "{header}"
        );
    }
}

#[test]
fn unknown_and_wrong_keys_are_refused() {
    let (phone, server) = (Phone::new(), Server::new());
    let stranger = Phone {
        key: AssociationPrivateKey::from_bytes(&[8; 32]).unwrap(),
        ..Phone::new()
    };
    assert_eq!(
        server.verify(&stranger.proof()),
        Err(ProofError::UnknownKey)
    );
    let wrong = |_: &_| Some(stranger.known());
    let refused = countersign_proof::verify(&phone.proof(), &server.expected(), wrong);
    assert_eq!(
        refused,
        Err(ProofError::UnknownKey),
        "the lookup found another key"
    );
    // Zoe's key id with the stranger's signature.
    let forged = stranger.compact(&phone.header(&json!({})), &phone.claims().to_string());
    assert_eq!(server.verify(&forged), Err(ProofError::Signature));
    for kid in [json!(null), json!(""), json!("first"), json!([])] {
        let header = phone.header(&json!({ "kid": kid }));
        let forged = phone.compact(&header, &phone.claims().to_string());
        assert_eq!(server.verify(&forged), Err(ProofError::UnknownKey), "{kid}");
    }
}

#[test]
fn text_that_is_no_compact_jwt_is_refused() {
    let server = Server::new();
    let proof = Phone::new().proof();
    let json = r#"{"payload":"","signatures":[]}"#.to_owned();
    for bad in [
        String::new(),
        ".".to_owned(),
        "..".to_owned(),
        "....".to_owned(),
        json,
    ] {
        assert_eq!(server.verify(&bad), Err(ProofError::Malformed), "{bad}");
        assert!(bad.parse::<Proof>().is_err(), "{bad}");
    }
    for bad in [
        format!(" {proof}"),
        format!("{proof} "),
        format!("{proof}."),
        format!("{proof}="),
        proof.replacen('.', "=.", 1),
        proof.replacen('.', "\n.", 1),
        proof.replace('.', "\u{3002}"),
    ] {
        assert!(server.verify(&bad).is_err(), "{bad}");
        assert!(bad.parse::<Proof>().is_err(), "{bad}");
    }
    let long = format!("{proof}{}", "A".repeat(MAX_PROOF + 1 - proof.len()));
    assert_eq!(server.verify(&long), Err(ProofError::TooLong));
    assert_eq!(key_id(&long), Err(ProofError::TooLong));
    assert!(long.parse::<Proof>().is_err());
}

#[test]
fn no_changed_bit_goes_unnoticed() {
    let (phone, server) = (Phone::new(), Server::new());
    let proof = phone.proof();
    for at in 0..proof.len() {
        let mut bytes = proof.clone().into_bytes();
        bytes[at] ^= 1;
        if let Ok(changed) = String::from_utf8(bytes) {
            assert!(server.verify(&changed).is_err(), "{at}");
        }
    }
}
