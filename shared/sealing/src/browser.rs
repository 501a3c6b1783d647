//! The browser's side: opening sealed payloads. Browsers use TypeScript; this module is for tests,
//! and for programs that show a code without a browser.

use std::fmt;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use countersign_domain::login::{BrowserPublicKey, Payload};
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::ids::LoginId;
use countersign_domain::web::origin::WebOrigin;
use hpke::{Deserializable as _, Kem as _, OpModeR, Serializable as _};
use thiserror::Error;

use crate::envelope::Envelope;
use crate::hybrid::{Aead, ENCAPSULATED, Kdf, Kem, Random};
use crate::info::info;

/// The private key of a login's browser. `Debug` hides it, and dropping it wipes it.
#[derive(Clone)]
pub struct BrowserPrivateKey(<Kem as hpke::Kem>::PrivateKey);

/// The bytes are not a private key: not 32 of them, zero, or not below the curve's order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("not a private key of the curve P-256")]
pub struct MalformedPrivateKey;

/// Why a payload cannot be opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum OpenError {
    #[error("the payload is not encrypted")]
    NotSealed,
    /// The payload was sealed for a different key, login or origin, or was altered.
    #[error("the payload was not sealed for this key, login and origin")]
    DoesNotOpen,
    /// The content is not an envelope.
    #[error("the payload does not contain a payload and a salt")]
    NotAnEnvelope,
}

impl BrowserPrivateKey {
    /// Generates a random key.
    #[must_use]
    pub fn generate(entropy: &dyn Entropy) -> Self {
        Self(Kem::gen_keypair_with_rng(&mut Random(entropy)).0)
    }

    /// Creates a key from 32 big-endian bytes.
    ///
    /// # Errors
    ///
    /// Fails if the bytes are not a private key of the curve.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, MalformedPrivateKey> {
        let key = <Kem as hpke::Kem>::PrivateKey::from_bytes(bytes);
        key.map(Self).map_err(|_| MalformedPrivateKey)
    }

    /// Returns the 32 big-endian bytes.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; 32] {
        self.0.to_bytes().into()
    }

    /// Returns the public key that the browser sends when it creates the login.
    ///
    /// # Errors
    ///
    /// Fails if the curve library returns an invalid point, which it never does for a valid key.
    pub fn public_key(&self) -> Result<BrowserPublicKey, MalformedPrivateKey> {
        let bytes: [u8; ENCAPSULATED] = Kem::sk_to_pk(&self.0).to_bytes().into();
        BrowserPublicKey::from_bytes(bytes).map_err(|_| MalformedPrivateKey)
    }

    /// Opens a payload that was sealed for this key, this login and a page of this origin.
    ///
    /// # Errors
    ///
    /// Fails if the payload is not encrypted, was sealed for anything else, or does not contain an
    /// envelope.
    pub fn open(
        &self,
        id: LoginId,
        origin: &WebOrigin,
        payload: &Payload,
    ) -> Result<Envelope, OpenError> {
        if !payload.is_encrypted() {
            return Err(OpenError::NotSealed);
        }
        let sealed = BASE64_URL_SAFE_NO_PAD.decode(payload.as_str());
        let sealed = sealed.map_err(|_| OpenError::NotSealed)?;
        let json = self.open_bytes(&info(id, origin), &sealed, b"")?;
        Envelope::from_json(&json).ok_or(OpenError::NotAnEnvelope)
    }

    pub(crate) fn open_bytes(
        &self,
        info: &[u8],
        sealed: &[u8],
        additional: &[u8],
    ) -> Result<Vec<u8>, OpenError> {
        let parts = sealed.split_at_checked(ENCAPSULATED);
        let (encapsulated, ciphertext) = parts.ok_or(OpenError::NotSealed)?;
        let encapsulated = <Kem as hpke::Kem>::EncappedKey::from_bytes(encapsulated);
        let encapsulated = encapsulated.map_err(|_| OpenError::DoesNotOpen)?;
        let opened = hpke::single_shot_open::<Aead, Kdf, Kem>(
            &OpModeR::Base,
            &self.0,
            &encapsulated,
            info,
            ciphertext,
            additional,
        );
        opened.map_err(|_| OpenError::DoesNotOpen)
    }
}

impl fmt::Debug for BrowserPrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BrowserPrivateKey(…)")
    }
}
