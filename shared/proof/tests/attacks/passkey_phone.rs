//! A phone whose key is a passkey.

use countersign_conformance::passkey::{Ceremony, SoftwarePasskey};
use countersign_domain::login::PasskeyAssertion;
use countersign_domain::primitives::time::Timestamp;
use countersign_proof::passkey::proof_challenge;
use countersign_proof::{
    AssociationPrivateKey, AssociationPublicKey, KnownKey, ProofClaims, UnsignedPasskeyProof,
};
use serde_json::Value;

use crate::support::{NOW, Phone, SALT, encode};

/// A phone whose key is a passkey of the page on `login.shop.example`.
pub(crate) struct PasskeyPhone {
    pub(crate) passkey: SoftwarePasskey,
    phone: Phone,
}

impl PasskeyPhone {
    /// A phone with the key pair of [`Phone::new`].
    pub(crate) fn new() -> Self {
        Self::of(7)
    }

    pub(crate) fn of(n: u8) -> Self {
        Self {
            passkey: SoftwarePasskey::new(n, "login.shop.example"),
            phone: Phone {
                key: AssociationPrivateKey::from_bytes(&[n; 32]).unwrap(),
                ..Phone::new()
            },
        }
    }

    pub(crate) fn bound_to_device(self) -> Self {
        Self {
            passkey: self.passkey.bound_to_device(),
            ..self
        }
    }

    pub(crate) fn key(&self) -> AssociationPublicKey {
        self.phone.key.public_key()
    }

    pub(crate) fn known(&self) -> KnownKey {
        KnownKey {
            passkey: Some(self.passkey.passkey.clone()),
            ..self.phone.known()
        }
    }

    pub(crate) fn header(&self) -> String {
        let kid = self.key().key_id();
        format!(r#"{{"alg":"WebAuthn-ES256","kid":"{kid}","typ":"countersign-login+webauthn"}}"#)
    }

    fn unsigned(&self) -> UnsignedPasskeyProof {
        let phone = &self.phone;
        let claims = ProofClaims {
            app: &phone.app,
            origin: &phone.origin,
            login: phone.login,
            user: phone.user.as_ref(),
            context: None,
            payload: "a token",
            salt: &SALT,
            at: Timestamp::from_millis(NOW),
        };
        claims.unsigned_by_passkey(&self.key()).unwrap()
    }

    /// Header and claims of [`Self::proof`].
    pub(crate) fn input(&self) -> String {
        self.unsigned().signing_input().to_owned()
    }

    /// Header and changed claims.
    pub(crate) fn input_with(&self, change: impl FnOnce(&mut Value)) -> String {
        let mut claims = self.phone.claims();
        change(&mut claims);
        format!("{}.{}", encode(self.header()), encode(claims.to_string()))
    }

    /// The challenge of [`Self::proof`].
    pub(crate) fn challenge(&self) -> String {
        encode(self.unsigned().challenge())
    }

    pub(crate) fn proof(&self) -> String {
        let (unsigned, assertion) = (self.unsigned(), self.passkey.assert(&self.challenge()));
        unsigned
            .assemble(&self.passkey.passkey, &assertion)
            .unwrap()
    }

    /// A proof whose passkey says something else.
    pub(crate) fn proof_with(&self, change: impl FnOnce(&mut Ceremony)) -> String {
        let assertion = self.passkey.assert_with(&self.challenge(), change);
        joined(&self.input(), &assertion)
    }

    /// Signs any header and claims.
    pub(crate) fn sign_input(&self, input: &str) -> String {
        let assertion = self.passkey.assert(&encode(proof_challenge(input)));
        joined(input, &assertion)
    }

    /// Header and claims of [`Self::proof`], and its assertion.
    pub(crate) fn asserted(&self) -> (String, PasskeyAssertion) {
        (self.input(), self.passkey.assert(&self.challenge()))
    }

    /// Header and claims of [`Self::proof`], and its other three parts.
    pub(crate) fn split(&self) -> (String, String) {
        let (proof, input) = (self.proof(), self.input());
        let rest = proof[input.len() + 1..].to_owned();
        (input, rest)
    }
}

/// A proof of these parts.
pub(crate) fn joined(input: &str, assertion: &PasskeyAssertion) -> String {
    format!("{input}.{}", assertion.to_base64url().join("."))
}
