//! A phone that signs anything, and a server that verifies.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use countersign_domain::app::AppKey;
use countersign_domain::login::ClaimedUserId;
use countersign_domain::primitives::ids::LoginId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::web::origin::WebOrigin;
use countersign_proof::{
    AssociationPrivateKey, Expected, ExpectedPayload, ExpectedUser, KnownKey, ProofClaims,
    ProofError, ProofTooLong, VerifiedProof, payload_digest, verify,
};
use p256::ecdsa::signature::Signer as _;
use p256::ecdsa::{Signature, SigningKey};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// The time of each proof and each verification, in milliseconds since the epoch.
pub(crate) const NOW: u64 = 1_767_323_045_678;
pub(crate) const SALT: [u8; 16] = [0x5a; 16];
const LOGIN: &str = "qrs_abababababababababababababababab";

pub(crate) fn app(digit: &str) -> AppKey {
    format!("cs_app_{}", digit.repeat(22)).parse().unwrap()
}

pub(crate) fn origin(text: &str) -> WebOrigin {
    text.parse().unwrap()
}

pub(crate) fn user(id: &str) -> ClaimedUserId {
    id.parse().unwrap()
}

pub(crate) fn encode(bytes: impl AsRef<[u8]>) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

pub(crate) fn pay() -> String {
    payload_digest("a token", &SALT)
}

/// A phone with an association key, to which an attacker may have more access than the SDK gives.
pub(crate) struct Phone {
    pub(crate) key: AssociationPrivateKey,
    pub(crate) app: AppKey,
    pub(crate) origin: WebOrigin,
    pub(crate) login: LoginId,
    pub(crate) user: Option<ClaimedUserId>,
    pub(crate) context: Option<String>,
}

impl Phone {
    pub(crate) fn new() -> Self {
        Self {
            key: AssociationPrivateKey::from_bytes(&[7; 32]).unwrap(),
            app: app("a"),
            origin: origin("https://shop.example"),
            login: LOGIN.parse().unwrap(),
            user: Some(user("zoe@example.com")),
            context: None,
        }
    }

    pub(crate) fn known(&self) -> KnownKey {
        KnownKey {
            key: self.key.public_key(),
            owner: Some(user("zoe@example.com")),
            passkey: None,
        }
    }

    pub(crate) fn try_proof(&self) -> Result<String, ProofTooLong> {
        self.key.sign_proof(&ProofClaims {
            app: &self.app,
            origin: &self.origin,
            login: self.login,
            user: self.user.as_ref(),
            context: self.context.as_deref(),
            payload: "a token",
            salt: &SALT,
            at: Timestamp::from_millis(NOW),
        })
    }

    pub(crate) fn proof(&self) -> String {
        self.try_proof().unwrap()
    }

    /// The claims of [`Self::proof`].
    pub(crate) fn claims(&self) -> Value {
        let proof = self.proof();
        let claims = BASE64_URL_SAFE_NO_PAD.decode(proof.split('.').nth(1).unwrap());
        serde_json::from_slice(&claims.unwrap()).unwrap()
    }

    /// The header of a proof, with these members added or replaced.
    pub(crate) fn header(&self, changed: &Value) -> String {
        let kid = self.key.public_key().key_id().to_string();
        let mut header = json!({ "alg": "ES256", "kid": kid, "typ": "countersign-login+jwt" });
        for (name, value) in changed.as_object().unwrap() {
            header[name] = value.clone();
        }
        header.to_string()
    }

    /// Signs any header and any claims.
    pub(crate) fn compact(&self, header: &str, claims: &str) -> String {
        let input = format!("{}.{}", encode(header), encode(claims));
        format!("{input}.{}", encode(self.sign_raw(&input).to_bytes()))
    }

    pub(crate) fn with_claims(&self, change: impl FnOnce(&mut Value)) -> String {
        let mut claims = self.claims();
        change(&mut claims);
        self.compact(&self.header(&json!({})), &claims.to_string())
    }

    /// Replaces a claim, or removes it.
    pub(crate) fn with_claim(&self, name: &str, value: Option<Value>) -> String {
        self.with_claims(|claims| {
            let claims = claims.as_object_mut().unwrap();
            match value {
                Some(value) => claims.insert(name.to_owned(), value),
                None => claims.remove(name),
            };
        })
    }

    pub(crate) fn sign_raw(&self, input: &str) -> Signature {
        let key = SigningKey::from_slice(self.key.to_bytes().as_ref()).unwrap();
        key.sign(input.as_bytes())
    }
}

/// A server that knows the key of [`Phone::new`] as Zoe's.
pub(crate) struct Server<'a> {
    app: AppKey,
    origin: WebOrigin,
    pub(crate) login: LoginId,
    pub(crate) user: Option<ExpectedUser<'a>>,
    pub(crate) context: Option<String>,
    pub(crate) payload: String,
    pub(crate) salt: [u8; 16],
    pub(crate) now: u64,
}

impl Server<'_> {
    pub(crate) fn new() -> Self {
        Self {
            app: app("a"),
            origin: origin("https://shop.example"),
            login: LOGIN.parse().unwrap(),
            user: None,
            context: None,
            payload: "a token".to_owned(),
            salt: SALT,
            now: NOW,
        }
    }

    pub(crate) fn expected(&self) -> Expected<'_> {
        Expected {
            app: &self.app,
            origin: &self.origin,
            login: self.login,
            user: self.user.unwrap_or(ExpectedUser::Owner),
            context: self.context.as_deref(),
            payload: ExpectedPayload::Is {
                payload: &self.payload,
                salt: &self.salt,
            },
            now: Timestamp::from_millis(self.now),
        }
    }

    pub(crate) fn verify(&self, proof: &str) -> Result<VerifiedProof, ProofError> {
        let known = Phone::new().known();
        let id = known.key.key_id();
        verify(proof, &self.expected(), |wanted| {
            (*wanted == id).then_some(known)
        })
    }
}

/// HMAC-SHA256 (RFC 2104), for the attack that uses the public key as the secret.
pub(crate) fn hmac_sha256(secret: &[u8], message: &[u8]) -> Vec<u8> {
    let mut block = [0; 64];
    if secret.len() > 64 {
        block[..32].copy_from_slice(&Sha256::digest(secret));
    } else {
        block[..secret.len()].copy_from_slice(secret);
    }
    let padded = |byte: u8| block.map(|b| b ^ byte);
    let inner = Sha256::new()
        .chain_update(padded(0x36))
        .chain_update(message)
        .finalize();
    Sha256::new()
        .chain_update(padded(0x5c))
        .chain_update(inner)
        .finalize()
        .to_vec()
}
