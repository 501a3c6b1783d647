//! Proofs by passkeys, and forgeries of them.

use countersign_conformance::passkey::{
    ATTESTED, BACKED_UP, Ceremony, ELIGIBLE, PRESENT, VERIFIED,
};
use countersign_domain::login::{Passkey, PasskeyAssertion, Proof};
use countersign_proof::{
    AssociationPrivateKey, KnownKey, MAX_JWT, MAX_PROOF, ProofError, check, is_reserved, key_id,
    payload_digest, verify,
};
use p256::ecdsa::Signature;
use serde_json::{Value, json};

use crate::passkey_phone::{PasskeyPhone, joined};
use crate::support::{Phone, SALT, Server, encode, user};

fn verify_as(known: KnownKey, proof: &str) -> Result<(), ProofError> {
    verify(proof, &Server::new().expected(), |_| Some(known)).map(drop)
}

fn judge(phone: &PasskeyPhone, proof: &str) -> Result<(), ProofError> {
    verify_as(phone.known(), proof)
}

/// Verifies a proof whose passkey says something else.
fn judge_with(change: impl FnOnce(&mut Ceremony)) -> Result<(), ProofError> {
    let phone = PasskeyPhone::new();
    judge(&phone, &phone.proof_with(change))
}

#[test]
fn proof_by_a_passkey_tells_who_confirmed() {
    for phone in [PasskeyPhone::new(), PasskeyPhone::new().bound_to_device()] {
        let (proof, server) = (phone.proof(), Server::new());
        let verified = verify(&proof, &server.expected(), |_| Some(phone.known())).unwrap();
        assert_eq!(verified.user(), Some(&user("zoe@example.com")));
        assert_eq!(key_id(&proof), Ok(verified.key_id()));
        assert_eq!(verified.key_id(), phone.key().key_id());
        assert_eq!(verified.login(), server.login);
        assert_eq!(verified.pay().to_string(), payload_digest("a token", &SALT));
        let named = check(&proof, &server.expected()).unwrap();
        assert_eq!(named.key, verified.key_id());
        assert_eq!(named.user.as_ref(), verified.user());
        assert!(proof.parse::<Proof>().is_ok());
        assert!(is_reserved(&proof));
    }
}

#[test]
fn browsers_and_authenticators_may_say_more() {
    let more =
        r#","other_keys_can_be_added_here":"do not compare clientDataJSON against a template"}"#;
    assert_eq!(
        judge_with(|it| it.client_data = it.client_data.replace('}', more)),
        Ok(())
    );
    assert_eq!(
        judge_with(|it| it.client_data = it.client_data.replace(r#","crossOrigin":false"#, "")),
        Ok(())
    );
    assert_eq!(
        judge_with(|it| it.rest = vec![0xff; 4]),
        Ok(()),
        "the counter"
    );
    assert_eq!(
        judge_with(|it| (it.flags, it.rest) = (it.flags | 0x80, vec![0; 40])),
        Ok(()),
        "extensions"
    );
}

#[test]
fn backup_eligibility_may_change_after_the_registration() {
    let (synced, bound) = (PasskeyPhone::new(), PasskeyPhone::new().bound_to_device());
    assert_eq!(verify_as(bound.known(), &synced.proof()), Ok(()));
    assert_eq!(verify_as(synced.known(), &bound.proof()), Ok(()));
    assert_eq!(
        judge_with(|it| it.flags = PRESENT | VERIFIED | ELIGIBLE),
        Ok(())
    );
    let impossible = judge_with(|it| it.flags = PRESENT | VERIFIED | BACKED_UP);
    assert_eq!(impossible, Err(ProofError::BackupState));
}

#[test]
fn either_form_needs_a_key_of_its_kind() {
    let (phone, by_passkey) = (Phone::new(), PasskeyPhone::new());
    // The same key pair under both kinds.
    assert_eq!(phone.key.public_key(), by_passkey.key());
    assert_eq!(
        verify_as(phone.known(), &by_passkey.proof()),
        Err(ProofError::KeyKind)
    );
    assert_eq!(
        verify_as(by_passkey.known(), &phone.proof()),
        Err(ProofError::KeyKind)
    );
    assert_eq!(verify_as(phone.known(), &phone.proof()), Ok(()));
    assert_eq!(verify_as(by_passkey.known(), &by_passkey.proof()), Ok(()));

    // A JWT's signature by the same key over a passkey's header, and the reverse.
    let (signed, rest) = by_passkey.split();
    let jwt = format!("{signed}.{}", encode(phone.sign_raw(&signed).to_bytes()));
    assert_eq!(judge(&by_passkey, &jwt), Err(ProofError::Algorithm));
    let jwt = phone.proof();
    let (header_and_claims, signature) = jwt.rsplit_once('.').unwrap();
    let mixed = format!("{header_and_claims}.{rest}");
    assert_eq!(judge(&by_passkey, &mixed), Err(ProofError::Algorithm));
    let padded = format!("{signed}.{}.{}.{signature}", encode([0; 37]), encode("{}"));
    assert_eq!(judge(&by_passkey, &padded), Err(ProofError::ClientData));
}

#[test]
fn assertion_of_a_framed_page_is_refused() {
    for more in [
        r#""crossOrigin":true"#,
        r#""crossOrigin":true,"topOrigin":"https://evil.example""#,
        r#""crossOrigin":false,"topOrigin":"https://evil.example""#,
        r#""topOrigin":"https://login.shop.example""#,
        r#""crossOrigin":null"#,
        r#""crossOrigin":"""#,
    ] {
        let framed = judge_with(|it| {
            it.client_data = it.client_data.replace(r#""crossOrigin":false"#, more);
        });
        assert_eq!(framed, Err(ProofError::Framed), "{more}");
    }
}

#[test]
fn assertion_of_another_page_is_refused() {
    for origin in [
        "https://shop.example",
        "https://login.shop.example:8443",
        "http://login.shop.example",
        "https://login.shop.example.",
        "https://LOGIN.shop.example",
        "https://login.shop.example/",
        "https://evil.login.shop.example",
        "android:apk-key-hash:47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU",
        "",
    ] {
        let other = judge_with(|it| {
            it.client_data = it.client_data.replace("https://login.shop.example", origin);
        });
        assert_eq!(other, Err(ProofError::Page), "{origin}");
    }
    for rp_id in [
        "shop.example",
        "a.login.shop.example",
        "",
        "https://login.shop.example",
    ] {
        let other = judge_with(|it| rp_id.clone_into(&mut it.rp_id));
        assert_eq!(other, Err(ProofError::RelyingParty), "{rp_id}");
    }
    // The same passkey, known as one of another page.
    let phone = PasskeyPhone::new();
    let known_at = |host: &str| {
        let passkey = Passkey::of_host(&host.parse().unwrap(), true);
        let known = KnownKey {
            passkey,
            ..phone.known()
        };
        verify_as(known, &phone.proof())
    };
    assert_eq!(known_at("login.shop.example"), Ok(()));
    assert_eq!(known_at("login.shop.example:8443"), Err(ProofError::Page));
    assert_eq!(known_at("shop.example"), Err(ProofError::Page));
}

#[test]
fn user_must_be_present_and_verified() {
    for flags in [0, PRESENT, VERIFIED, PRESENT | ELIGIBLE | BACKED_UP] {
        let refused = judge_with(|it| it.flags = flags);
        assert_eq!(refused, Err(ProofError::UserVerification), "{flags:08b}");
    }
    let creation = judge_with(|it| (it.flags, it.rest) = (it.flags | ATTESTED, vec![0; 100]));
    assert_eq!(creation, Err(ProofError::AuthenticatorData));
    let short = judge_with(|it| it.rest.truncate(3));
    assert_eq!(short, Err(ProofError::AuthenticatorData));
}

#[test]
fn assertion_is_over_this_header_and_these_claims() {
    let phone = PasskeyPhone::new();
    let challenge = phone.challenge();
    for (wrong, rule) in [
        (encode(&challenge), ProofError::Challenge),
        (format!("{challenge}="), ProofError::Challenge),
        (encode([7; 32]), ProofError::Challenge),
        (String::new(), ProofError::Challenge),
    ] {
        let other =
            phone.proof_with(|it| it.client_data = it.client_data.replace(&challenge, &wrong));
        assert_eq!(judge(&phone, &other), Err(rule), "{wrong}");
        let proof = check(&other, &Server::new().expected());
        assert_eq!(proof, Err(rule), "without the key");
    }
    // The assertion of another confirmation.
    let (_, rest) = phone.split();
    for change in [
        |claims: &mut Value| claims["pay"] = json!(payload_digest("another token", &SALT)),
        |claims: &mut Value| claims["sub"] = json!("mallory"),
        |claims: &mut Value| claims["exp"] = json!(claims["exp"].as_u64().unwrap() + 1),
    ] {
        let signed = phone.input_with(change);
        assert_eq!(
            judge(&phone, &format!("{signed}.{rest}")),
            Err(ProofError::Challenge)
        );
    }
    let created =
        judge_with(|it| it.client_data = it.client_data.replace("webauthn.get", "webauthn.create"));
    assert_eq!(created, Err(ProofError::ClientData));
    let twice =
        judge_with(|it| it.client_data = it.client_data.replace('}', r#","type":"webauthn.get"}"#));
    assert_eq!(twice, Err(ProofError::ClientData));
}

#[test]
fn claims_are_those_of_a_jwt() {
    let phone = PasskeyPhone::new();
    for (change, rule) in [
        (
            (|it| it["aud"] = json!("https://evil.example")) as fn(&mut Value),
            ProofError::Origin,
        ),
        (
            |it| it["app"] = json!("cs_app_bbbbbbbbbbbbbbbbbbbbbb"),
            ProofError::App,
        ),
        (
            |it| it["jti"] = json!("qrs_cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd"),
            ProofError::Login,
        ),
        (|it| it["act"] = json!("deny"), ProofError::Action),
        (|it| it["ctx"] = json!("x"), ProofError::Context),
        (|it| it["sub"] = json!("mallory"), ProofError::Owner),
        (|it| it["exp"] = json!(1), ProofError::Lifetime),
        (|it| it["nonce"] = json!(1), ProofError::SurplusClaim),
    ] {
        let signed = phone.input_with(change);
        assert_eq!(judge(&phone, &phone.sign_input(&signed)), Err(rule));
    }
    let other = KnownKey {
        key: AssociationPrivateKey::from_bytes(&[8; 32])
            .unwrap()
            .public_key(),
        ..phone.known()
    };
    assert_eq!(
        verify_as(other, &phone.proof()),
        Err(ProofError::UnknownKey)
    );
}

#[test]
fn signature_has_one_encoding_and_either_half() {
    let phone = PasskeyPhone::new();
    let (input, assertion) = phone.asserted();
    let with = |der: &[u8]| {
        let (data, client) = (assertion.authenticator_data(), assertion.client_data());
        let changed = PasskeyAssertion::new(data.to_vec(), client.to_vec(), der.to_vec());
        judge(&phone, &joined(&input, &changed.unwrap()))
    };
    let signature = Signature::from_der(assertion.signature()).unwrap();
    let (r, s) = signature.split_scalars();
    let other_half = Signature::from_scalars(*r, -*s).unwrap();
    assert_eq!(with(signature.to_der().as_bytes()), Ok(()));
    assert_eq!(with(other_half.to_der().as_bytes()), Ok(()));
    let der = assertion.signature();
    let mut padded = der.to_vec();
    // One zero byte more than needed before the first integer.
    padded.splice(4..4, [0]);
    padded[1] += 1;
    padded[3] += 1;
    let raw = signature.to_bytes();
    let trailing = [der, &[0]].concat();
    for wrong in [&padded[..], &trailing, &raw, &der[1..], &[0x30, 0], &[0; 8]] {
        assert_eq!(with(wrong), Err(ProofError::Signature), "{wrong:02x?}");
    }
    let forged = PasskeyPhone::of(8).sign_input(&input);
    assert_eq!(judge(&phone, &forged), Err(ProofError::Signature));
}

#[test]
fn text_with_other_parts_is_refused() {
    let phone = PasskeyPhone::new();
    let proof = phone.proof();
    let parts: Vec<_> = proof.split('.').collect();
    for bad in [
        parts[..4].join("."),
        format!("{proof}."),
        format!("{proof}.e30"),
        format!("{}.{}.{}..{}", parts[0], parts[1], parts[2], parts[4]),
    ] {
        assert_eq!(judge(&phone, &bad), Err(ProofError::Malformed), "{bad}");
        assert!(bad.parse::<Proof>().is_err(), "{bad}");
    }
    for at in 0..5 {
        for (was, becomes) in [("", "="), ("", "\n"), ("", " "), ("e", "+")] {
            let mut changed: Vec<_> = parts.iter().map(ToString::to_string).collect();
            changed[at] = if was.is_empty() {
                format!("{}{becomes}", changed[at])
            } else {
                changed[at].replacen(was, becomes, 1)
            };
            let bad = changed.join(".");
            assert!(
                judge(&phone, &bad).is_err() || bad == proof,
                "{at} {becomes:?}"
            );
        }
    }
    let spaced = joined(
        &phone
            .input()
            .replacen(parts[0], &encode(phone.header().replace(',', ", ")), 1),
        &phone.asserted().1,
    );
    assert_eq!(judge(&phone, &spaced), Err(ProofError::Malformed));
}

#[test]
fn length_is_limited() {
    let phone = PasskeyPhone::new();
    let proof_of = |length: usize| {
        let base = phone.proof().len();
        // Four characters of base64url are three bytes.
        let more = (length - base) / 4 * 3;
        phone.proof_with(|it| {
            let member = format!(r#","a":"{}"}}"#, "x".repeat(more - r#","a":"""#.len()));
            it.client_data = it.client_data.replace('}', &member);
        })
    };
    let longer_than_a_jwt = proof_of(MAX_JWT + 40);
    assert!(longer_than_a_jwt.len() > MAX_JWT);
    assert_eq!(judge(&phone, &longer_than_a_jwt), Ok(()));
    assert!(longer_than_a_jwt.parse::<Proof>().is_ok());
    let long = proof_of(MAX_PROOF + 8);
    assert_eq!(judge(&phone, &long), Err(ProofError::TooLong));
    assert_eq!(key_id(&long), Err(ProofError::TooLong));
    assert!(long.parse::<Proof>().is_err());
    let jwt = Phone::new().proof();
    let jwt = format!("{jwt}{}", "A".repeat(MAX_JWT + 1 - jwt.len()));
    assert_eq!(key_id(&jwt), Err(ProofError::TooLong));
}

#[test]
fn no_changed_bit_goes_unnoticed() {
    let phone = PasskeyPhone::new();
    let proof = phone.proof();
    for at in 0..proof.len() {
        let mut bytes = proof.clone().into_bytes();
        bytes[at] ^= 1;
        if let Ok(changed) = String::from_utf8(bytes) {
            assert!(judge(&phone, &changed).is_err(), "{at}");
        }
    }
}
