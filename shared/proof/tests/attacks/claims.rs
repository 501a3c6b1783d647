//! Proofs whose claims differ from what the verifier expects.

use countersign_domain::login::Proof;
use countersign_proof::{
    AssociationPrivateKey, CLOCK_TOLERANCE, Expected, ExpectedPayload, ExpectedUser, KnownKey,
    LIFETIME_SECONDS, MAX_PROOF, ProofError, key_id, payload_digest, verify,
};
use serde_json::{Value, json};

use crate::support::{self, NOW, Phone, SALT, Server, app, origin, user};

#[test]
fn proof_tells_who_confirmed() {
    let (phone, server) = (Phone::new(), Server::new());
    let proof = phone.proof();
    let verified = server.verify(&proof).unwrap();
    assert_eq!(verified.user(), Some(&user("zoe@example.com")));
    assert_eq!(verified.key_id(), phone.key.public_key().key_id());
    assert_eq!(key_id(&proof), Ok(verified.key_id()));
    assert_eq!(verified.login(), server.login);
    assert_eq!(verified.pay().to_string(), payload_digest("a token", &SALT));
    assert_eq!(verified.issued_at().as_millis(), NOW / 1000 * 1000);
    assert!(proof.parse::<Proof>().is_ok());
}

#[test]
fn proof_of_another_app_of_the_same_origin_is_refused() {
    let proof = Phone {
        app: app("b"),
        ..Phone::new()
    }
    .proof();
    assert_eq!(Server::new().verify(&proof), Err(ProofError::App));
}

#[test]
fn proof_for_another_origin_login_or_action_is_refused() {
    let server = Server::new();
    let elsewhere = Phone {
        origin: origin("https://evil.example"),
        ..Phone::new()
    };
    assert_eq!(server.verify(&elsewhere.proof()), Err(ProofError::Origin));
    let other = Phone {
        login: "qrs_cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd".parse().unwrap(),
        ..Phone::new()
    };
    assert_eq!(server.verify(&other.proof()), Err(ProofError::Login));
    let phone = Phone::new();
    for act in [
        json!("deny"),
        json!("Confirm"),
        json!(true),
        json!(["confirm"]),
    ] {
        let forged = phone.with_claim("act", Some(act.clone()));
        assert_eq!(server.verify(&forged), Err(ProofError::Action), "{act}");
    }
}

#[test]
fn proof_is_valid_for_five_minutes_and_the_tolerance() {
    let (phone, mut server) = (Phone::new(), Server::new());
    let proof = phone.proof();
    let made = NOW / 1000;
    for (now, outcome) in [
        (made - CLOCK_TOLERANCE - 1, Err(ProofError::TooEarly)),
        (made - CLOCK_TOLERANCE, Ok(())),
        (made + LIFETIME_SECONDS + CLOCK_TOLERANCE - 1, Ok(())),
        (
            made + LIFETIME_SECONDS + CLOCK_TOLERANCE,
            Err(ProofError::Expired),
        ),
        (made + 86_400, Err(ProofError::Expired)),
        (0, Err(ProofError::TooEarly)),
    ] {
        server.now = now * 1000 + 999;
        assert_eq!(server.verify(&proof).map(drop), outcome, "{now}");
    }
}

#[test]
fn proof_has_the_lifetime_of_a_proof() {
    let (phone, server) = (Phone::new(), Server::new());
    let made = NOW / 1000;
    for (iat, exp) in [
        (json!(made), json!(made + LIFETIME_SECONDS + 1)),
        (json!(made), json!(made + LIFETIME_SECONDS - 1)),
        (json!(made), json!(u64::MAX)),
        (json!(u64::MAX), json!(u64::MAX)),
        (json!(made), Value::Null),
        (Value::Null, json!(made + LIFETIME_SECONDS)),
        (json!(made.to_string()), json!(made + LIFETIME_SECONDS)),
        (json!(1_767_323_045.5), json!(1_767_323_345.5)),
        (json!(-300), json!(0)),
    ] {
        let forged = phone.with_claims(|claims| {
            claims["iat"] = iat.clone();
            claims["exp"] = exp.clone();
        });
        assert_eq!(
            server.verify(&forged),
            Err(ProofError::Lifetime),
            "{iat} {exp}"
        );
    }
    for name in ["iat", "exp"] {
        let forged = phone.with_claim(name, None);
        assert_eq!(server.verify(&forged), Err(ProofError::Lifetime), "{name}");
    }
}

#[test]
fn swapped_payload_and_swapped_salt_are_refused() {
    let mut server = Server::new();
    let proof = Phone::new().proof();
    for payload in ["another token", "a token ", "", "A token"] {
        payload.clone_into(&mut server.payload);
        assert_eq!(server.verify(&proof), Err(ProofError::Payload), "{payload}");
    }
    "a token".clone_into(&mut server.payload);
    server.salt[15] ^= 1;
    assert_eq!(server.verify(&proof), Err(ProofError::Payload));
    server.salt = SALT;
    assert!(server.verify(&proof).is_ok());
    let phone = Phone::new();
    for pay in [None, Some(json!("")), Some(json!(7)), Some(json!(null))] {
        let forged = phone.with_claim("pay", pay);
        assert_eq!(server.verify(&forged), Err(ProofError::Payload));
    }
}

#[test]
fn verifier_that_cannot_read_the_payload_gets_its_digest() {
    let (phone, server) = (Phone::new(), Server::new());
    let expected = Expected {
        payload: ExpectedPayload::Sealed,
        ..server.expected()
    };
    let check = |proof: &str| verify(proof, &expected, |_| Some(phone.known()));
    assert_eq!(
        check(&phone.proof()).unwrap().pay().to_string(),
        support::pay()
    );
    for pay in ["", "x", &"*".repeat(43), &"A".repeat(44)] {
        let forged = phone.with_claim("pay", Some(json!(pay)));
        assert_eq!(check(&forged), Err(ProofError::Payload), "{pay}");
    }
}

#[test]
fn user_must_be_the_expected_one() {
    let (named, unnamed) = (
        Phone::new(),
        Phone {
            user: None,
            ..Phone::new()
        },
    );
    let (zoe, mallory) = (user("zoe@example.com"), user("mallory"));
    let mut server = Server::new();
    server.user = Some(ExpectedUser::Exactly(Some(&zoe)));
    assert!(server.verify(&named.proof()).is_ok());
    assert_eq!(
        server.verify(&unnamed.proof()),
        Err(ProofError::User),
        "sub is missing"
    );
    server.user = Some(ExpectedUser::Exactly(None));
    assert!(server.verify(&unnamed.proof()).is_ok());
    assert_eq!(
        server.verify(&named.proof()),
        Err(ProofError::User),
        "sub is surplus"
    );
    server.user = Some(ExpectedUser::Exactly(Some(&mallory)));
    assert_eq!(
        server.verify(&named.proof()),
        Err(ProofError::User),
        "initiated as another"
    );
    server.user = Some(ExpectedUser::Owner);
    assert!(server.verify(&named.proof()).is_ok());
    assert!(server.verify(&unnamed.proof()).is_ok());
    for sub in [json!(null), json!(7), json!(["zoe@example.com"]), json!({})] {
        let forged = named.with_claim("sub", Some(sub.clone()));
        assert_eq!(server.verify(&forged), Err(ProofError::User), "{sub}");
    }
}

#[test]
fn key_of_another_user_is_refused() {
    let server = Server::new();
    // Mallory confirms as Zoe, with a key of her own.
    let mallory = Phone {
        key: AssociationPrivateKey::from_bytes(&[8; 32]).unwrap(),
        ..Phone::new()
    };
    let check = |owner: Option<&str>| {
        let known = KnownKey {
            key: mallory.key.public_key(),
            owner: owner.map(user),
            passkey: None,
        };
        verify(&mallory.proof(), &server.expected(), |_| Some(known))
    };
    assert_eq!(check(Some("mallory")), Err(ProofError::Owner));
    assert_eq!(check(Some("ZOE@example.com")), Err(ProofError::Owner));
    assert_eq!(
        check(None),
        Err(ProofError::Owner),
        "a key without an owner identifies no user"
    );
}

#[test]
fn context_must_be_the_expected_one() {
    let (phone, mut server) = (Phone::new(), Server::new());
    let approved = Phone {
        context: Some("Pay 20 EUR".to_owned()),
        ..Phone::new()
    };
    assert_eq!(
        server.verify(&approved.proof()),
        Err(ProofError::Context),
        "ctx is surplus"
    );
    server.context = Some("Pay 20 EUR".to_owned());
    assert!(server.verify(&approved.proof()).is_ok());
    assert_eq!(
        server.verify(&phone.proof()),
        Err(ProofError::Context),
        "ctx is missing"
    );
    server.context = Some("Pay 2000 EUR".to_owned());
    assert_eq!(server.verify(&approved.proof()), Err(ProofError::Context));
    server.context = Some(String::new());
    assert_eq!(
        server.verify(&phone.proof()),
        Err(ProofError::Context),
        "empty is not absent"
    );
    server.context = None;
    let forged = phone.with_claim("ctx", Some(json!(null)));
    assert_eq!(server.verify(&forged), Err(ProofError::Context));
}

#[test]
fn claims_are_strings_and_there_are_no_others() {
    let (phone, server) = (Phone::new(), Server::new());
    for (name, rule) in [
        ("app", ProofError::App),
        ("aud", ProofError::Origin),
        ("jti", ProofError::Login),
        ("act", ProofError::Action),
    ] {
        let right = phone.claims()[name].clone();
        for wrong in [
            None,
            Some(json!(null)),
            Some(json!([right])),
            Some(json!("")),
        ] {
            assert_eq!(
                server.verify(&phone.with_claim(name, wrong)),
                Err(rule),
                "{name}"
            );
        }
    }
    for name in ["nbf", "iss", "nonce", "SUB", "aud "] {
        let forged = phone.with_claim(name, Some(json!(0)));
        assert_eq!(
            server.verify(&forged),
            Err(ProofError::SurplusClaim),
            "{name}"
        );
    }
    let claims = phone.claims().to_string();
    for claims in [
        claims.replacen('{', r#"{"jti":"qrs_x","#, 1),
        claims.replacen('{', r#"{"\u0073ub":"mallory","#, 1),
        format!("{claims}{claims}"),
        format!("[{claims}]"),
        "null".to_owned(),
        String::new(),
    ] {
        let forged = phone.compact(&phone.header(&json!({})), &claims);
        assert_eq!(
            server.verify(&forged),
            Err(ProofError::Malformed),
            "{claims}"
        );
    }
}

#[test]
fn longest_proofs() {
    let (mut phone, server) = (Phone::new(), Server::new());
    // The longest host name with the longest port.
    let labels = [
        "a".repeat(63),
        "b".repeat(63),
        "c".repeat(63),
        "d".repeat(61),
    ];
    phone.origin = origin(&format!("https://{}:65535", labels.join(".")));
    phone.context = Some("x".repeat(1024));
    phone.user = Some(user(&"€".repeat(256)));
    assert!(
        phone.try_proof().unwrap().len() <= MAX_PROOF,
        "768 bytes fit"
    );
    phone.user = Some(user(&"🦀".repeat(256)));
    assert!(
        phone.try_proof().is_err(),
        "1,024 bytes do not, with the longest origin"
    );
    phone.origin = origin("https://shop.example");
    let proof = phone.try_proof().unwrap();
    let known = KnownKey {
        key: phone.key.public_key(),
        owner: phone.user.clone(),
        passkey: None,
    };
    let context = phone.context.clone();
    let expected = Expected {
        context: context.as_deref(),
        ..server.expected()
    };
    assert!(verify(&proof, &expected, |_| Some(known)).is_ok());
}
