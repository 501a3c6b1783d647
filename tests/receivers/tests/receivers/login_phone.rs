//! Phones that confirm logins, and the data that the page then passes to its server.

use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use countersign_domain::login::ClaimedUserId;
use countersign_domain::primitives::ids::LoginId;
use countersign_domain::primitives::time::Timestamp;
use countersign_proof::{AssociationPrivateKey, ProofClaims};
use p256::ecdsa::signature::Signer as _;
use p256::ecdsa::{Signature, SigningKey};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

pub(crate) const APP: &str = "cs_app_0123456789abcdefABCDEF";
pub(crate) const ORIGIN: &str = "https://shop.example";
pub(crate) const ZOE: &str = "zoe@example.com";
/// The link host, whose page has passkeys.
pub(crate) const LINK_HOST: &str = "login.shop.example";
pub(crate) const LINK_ORIGIN: &str = "https://login.shop.example";
/// Flags of authenticator data.
const PRESENT: u8 = 1;
const VERIFIED: u8 = 1 << 2;
const SALT: [u8; 16] = [0x5a; 16];

/// A phone with an association key. Attackers may do more with it than the SDK allows.
pub(crate) struct Phone {
    pub(crate) key: AssociationPrivateKey,
    pub(crate) app: String,
    pub(crate) origin: String,
    pub(crate) login: LoginId,
    pub(crate) user: Option<String>,
    pub(crate) context: Option<String>,
    pub(crate) payload: String,
    /// The time of the proof, in seconds from now.
    pub(crate) after: i64,
}

impl Phone {
    /// Creates a phone with a key derived from this byte. Zoe's phone has 7.
    pub(crate) fn new(key: u8) -> Self {
        Self {
            key: AssociationPrivateKey::from_bytes(&[key; 32]).unwrap(),
            app: APP.to_owned(),
            origin: ORIGIN.to_owned(),
            login: "qrs_abababababababababababababababab".parse().unwrap(),
            user: Some(ZOE.to_owned()),
            context: None,
            payload: "a token".to_owned(),
            after: 0,
        }
    }

    pub(crate) fn public_key(&self) -> String {
        self.key.public_key().to_string()
    }

    pub(crate) fn key_id(&self) -> String {
        self.key.public_key().key_id().to_string()
    }

    /// Confirms the login and returns the proof.
    pub(crate) fn proof(&self) -> String {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let now = i64::try_from(now.as_millis()).unwrap() + self.after * 1000;
        let user = self
            .user
            .as_deref()
            .map(|id| id.parse::<ClaimedUserId>().unwrap());
        let signed = self.key.sign_proof(&ProofClaims {
            app: &self.app.parse().unwrap(),
            origin: &self.origin.parse().unwrap(),
            login: self.login,
            user: user.as_ref(),
            context: self.context.as_deref(),
            payload: &self.payload,
            salt: &SALT,
            at: Timestamp::from_millis(u64::try_from(now).unwrap()),
        });
        signed.unwrap()
    }

    /// Confirms the login with a passkey: the same key, in the form of the web authenticator.
    pub(crate) fn proof_by_passkey(&self, change: impl FnOnce(&mut String)) -> String {
        let kid = self.key_id();
        let header =
            json!({ "alg": "WebAuthn-ES256", "kid": kid, "typ": "countersign-login+webauthn" });
        let input = format!(
            "{}.{}",
            encode(header.to_string()),
            encode(self.claims().to_string())
        );
        let challenge = Sha256::digest(format!("countersign/webauthn/1\0{input}"));
        let mut client = json!({
            "type": "webauthn.get", "challenge": encode(challenge), "origin": LINK_ORIGIN, "crossOrigin": false,
        })
        .to_string();
        change(&mut client);
        let mut data = Sha256::digest(LINK_HOST).to_vec();
        data.extend([PRESENT | VERIFIED, 0, 0, 0, 0]);
        let signed = [data.as_slice(), &Sha256::digest(&client)].concat();
        let key = SigningKey::from_slice(self.key.to_bytes().as_ref()).unwrap();
        let signature: Signature = key.sign(&signed);
        format!(
            "{input}.{}.{}.{}",
            encode(data),
            encode(client),
            encode(signature.to_der())
        )
    }

    /// Returns the claims of a proof.
    pub(crate) fn claims(&self) -> Value {
        let proof = self.proof();
        let claims = BASE64_URL_SAFE_NO_PAD.decode(proof.split('.').nth(1).unwrap());
        serde_json::from_slice(&claims.unwrap()).unwrap()
    }

    /// Returns the header of a proof.
    pub(crate) fn header(&self) -> Value {
        json!({ "alg": "ES256", "kid": self.key_id(), "typ": "countersign-login+jwt" })
    }

    /// Signs an arbitrary header and arbitrary claims.
    pub(crate) fn compact(&self, header: impl AsRef<[u8]>, claims: impl AsRef<[u8]>) -> String {
        let input = format!("{}.{}", encode(header), encode(claims));
        format!("{input}.{}", encode(self.sign(&input)))
    }

    /// Signs any input, without refusing reserved data.
    pub(crate) fn sign(&self, input: &str) -> Vec<u8> {
        let key = SigningKey::from_slice(self.key.to_bytes().as_ref()).unwrap();
        let signature: Signature = key.sign(input.as_bytes());
        signature.to_bytes().to_vec()
    }

    /// Returns the detail of the page's `confirmed` event, with this proof.
    pub(crate) fn detail(&self, proof: &str) -> Value {
        json!({
            "sessionId": self.login.to_string(),
            "payload": self.payload,
            "salt": encode(SALT),
            "proof": proof,
        })
    }
}

pub(crate) fn encode(bytes: impl AsRef<[u8]>) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}
