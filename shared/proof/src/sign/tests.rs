//! Tests of proofs whose keys can only sign, like those in a phone's secure hardware.

use countersign_domain::login::Salt;
use p256::ecdsa::signature::Signer as _;

use super::*;
use crate::{Expected, ExpectedPayload, ExpectedUser, KnownKey, verify};

const NOW: Timestamp = Timestamp::from_millis(1_767_323_045_678);

struct Facts {
    app: AppKey,
    origin: WebOrigin,
    login: LoginId,
    salt: Salt,
}

impl Facts {
    fn new() -> Self {
        Self {
            app: "cs_app_0123456789abcdefABCDEF".parse().unwrap(),
            origin: "https://shop.example".parse().unwrap(),
            login: "qrs_5d0c8e2f6a914b7d9c3e0f1a2b4c6d8e".parse().unwrap(),
            salt: Salt::from_bytes([7; 16]),
        }
    }

    fn claims(&self) -> ProofClaims<'_> {
        ProofClaims {
            app: &self.app,
            origin: &self.origin,
            login: self.login,
            user: None,
            context: None,
            payload: "a token",
            salt: self.salt.as_bytes(),
            at: NOW,
        }
    }

    fn is_valid(&self, proof: &str, key: &AssociationPrivateKey) -> bool {
        let expected = Expected {
            app: &self.app,
            origin: &self.origin,
            login: self.login,
            user: ExpectedUser::Exactly(None),
            context: None,
            payload: ExpectedPayload::Is {
                payload: "a token",
                salt: self.salt.as_bytes(),
            },
            now: NOW,
        };
        let key = key.public_key();
        verify(proof, &expected, |_| {
            Some(KnownKey {
                key,
                owner: None,
                passkey: None,
            })
        })
        .is_ok()
    }
}

fn key(byte: u8) -> AssociationPrivateKey {
    AssociationPrivateKey::from_bytes(&[byte; 32]).unwrap()
}

/// Both `s` and the curve's order minus `s` are valid for the same input; stores return either.
fn both_forms(signature: &Signature) -> [Vec<u8>; 2] {
    let (r, s) = signature.split_scalars();
    let other = Signature::from_scalars(r, -*s).unwrap();
    [signature, &other].map(|form| form.to_der().as_bytes().to_vec())
}

#[test]
fn low_and_high_signatures_complete_a_proof() {
    let (facts, key) = (Facts::new(), key(7));
    let unsigned = || facts.claims().unsigned(&key.public_key()).unwrap();
    let signature: Signature = key.signing().sign(unsigned().signing_input());
    let [one, other] = both_forms(&signature);
    assert_ne!(one, other);
    for der in [one, other, key.sign_der(unsigned().signing_input())] {
        let proof = unsigned().assemble(&der).unwrap();
        assert!(facts.is_valid(&proof, &key), "{proof}");
    }
}

#[test]
fn key_that_signs_by_itself_makes_the_same_proof() {
    let (facts, key) = (Facts::new(), key(7));
    let unsigned = facts.claims().unsigned(&key.public_key()).unwrap();
    let der = key.sign_der(unsigned.signing_input());
    assert_eq!(
        unsigned.assemble(&der),
        Ok(key.sign_proof(&facts.claims()).unwrap())
    );
}

#[test]
fn wrong_signatures_complete_nothing() {
    let facts = Facts::new();
    let unsigned = || facts.claims().unsigned(&key(7).public_key()).unwrap();
    let right = key(7).sign_der(unsigned().signing_input());
    for wrong in [
        Vec::new(),
        key(8).sign_der(unsigned().signing_input()),
        key(7).sign_der(b"other data"),
        right[..right.len() - 1].to_vec(),
        [right.as_slice(), &[0]].concat(),
        vec![0x30, 6, 2, 1, 0, 2, 1, 0],
        vec![0xff; 72],
        vec![7; 64],
    ] {
        assert_eq!(unsigned().assemble(&wrong), Err(WrongSignature));
    }
}

#[test]
fn too_long_claims_are_refused_before_they_are_signed() {
    let mut facts = Facts::new();
    let user = "🦀".repeat(256).parse::<ClaimedUserId>().unwrap();
    facts.origin = format!("https://{}.example", ["a"; 100].join("."))
        .parse()
        .unwrap();
    let claims = ProofClaims {
        user: Some(&user),
        ..facts.claims()
    };
    let refused = claims.unsigned(&key(7).public_key()).unwrap_err();
    assert_eq!(refused, key(7).sign_proof(&claims).unwrap_err());
}

#[test]
fn unsigned_proof_is_not_shown() {
    let facts = Facts::new();
    let unsigned = facts.claims().unsigned(&key(7).public_key()).unwrap();
    assert_eq!(format!("{unsigned:?}"), "UnsignedProof(…)");
}
