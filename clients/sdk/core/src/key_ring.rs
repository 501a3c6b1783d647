//! Association keys: the functions for the app and for the core.

use std::sync::Arc;

use countersign_domain::login::user::ANONYMOUS;
use countersign_domain::login::{ClaimedUserId, Proof};
use countersign_proof::{AssociationPublicKey, ProofClaims, is_reserved};

use crate::error::SdkError;
use crate::ports::keys::AssociationKeys;

/// The public user id for an unknown user: the default of all key functions. Logins never contain
/// it; its key signs logins without a user.
pub const ANON: &str = ANONYMOUS;

/// The phone's association keys. A public user id of `None` means [`ANON`].
#[derive(Clone)]
pub struct KeyRing(Arc<dyn AssociationKeys>);

impl KeyRing {
    /// Creates a key ring over a store.
    #[must_use]
    pub const fn new(store: Arc<dyn AssociationKeys>) -> Self {
        Self(store)
    }

    /// Generates a persistent key pair for a user, and returns the public key: X.509
    /// `SubjectPublicKeyInfo` in DER, in standard Base64.
    ///
    /// An existing pair of the user is replaced and lost: its signatures stay verifiable, but it can
    /// sign nothing more. The app must send the new public key to its servers.
    ///
    /// # Errors
    ///
    /// Fails if the id is malformed, or if the store fails.
    pub fn generate_association_key(
        &self,
        public_user_id: Option<&str>,
    ) -> Result<String, SdkError> {
        let key = self.0.generate(owner(public_user_id)?)?;
        Ok(public_key(&key)?.to_string())
    }

    /// Returns a user's public key, in the format of
    /// [`generate_association_key`](Self::generate_association_key).
    ///
    /// # Errors
    ///
    /// Fails with [`SdkError::UnknownKey`] if the user has no key.
    pub fn get_association_key(&self, public_user_id: Option<&str>) -> Result<String, SdkError> {
        let key = self.find(owner(public_user_id)?)?;
        Ok(key.ok_or(SdkError::UnknownKey)?.to_string())
    }

    /// Returns the ids of all users with a key, sorted.
    ///
    /// # Errors
    ///
    /// Fails if the store fails.
    pub fn list_association_key(&self) -> Result<Vec<String>, SdkError> {
        let mut users = self.0.list()?;
        users.sort_unstable();
        Ok(users)
    }

    /// Signs data from the app with a user's key: ECDSA with SHA-256 over the data in UTF-8, DER,
    /// in standard Base64.
    ///
    /// # Errors
    ///
    /// Fails with [`SdkError::ReservedData`] for data that has the form of a login proof, with
    /// [`SdkError::UnknownKey`] if the user has no key, and with
    /// [`SdkError::UserAuthenticationRequired`] if the user must unlock it first.
    pub fn generate_user_signature(
        &self,
        public_user_id: Option<&str>,
        data: &str,
    ) -> Result<String, SdkError> {
        if is_reserved(data) {
            return Err(SdkError::ReservedData);
        }
        let user = owner(public_user_id)?;
        let key = self.find(user.clone())?.ok_or(SdkError::UnknownKey)?;
        let signature = self.0.sign(user, data.as_bytes().to_vec())?;
        let signature = key.user_signature(data, &signature);
        signature.map_err(|error| broken(&error))
    }

    /// Signs the proof of a confirmation with its user's key, or with the anonymous key if it has no
    /// user. Returns `None` if the phone has no such key.
    pub(crate) fn prove(&self, claims: &ProofClaims<'_>) -> Result<Option<Proof>, SdkError> {
        let user = claims.user.map_or(ANON, ClaimedUserId::as_str).to_owned();
        let Some(key) = self.find(user.clone())? else {
            return Ok(None);
        };
        let unsigned = claims.unsigned(&key);
        let unsigned = unsigned.map_err(|_| SdkError::ProofTooLong)?;
        let signature = self.0.sign(user, unsigned.signing_input().to_vec())?;
        // A key that was replaced in the meantime does not match.
        let proof = unsigned.assemble(&signature);
        let proof = proof.map_err(|error| broken(&error))?;
        let proof = proof.parse::<Proof>();
        proof.map(Some).map_err(|error| SdkError::Internal {
            detail: error.to_string(),
        })
    }

    fn find(&self, user: String) -> Result<Option<AssociationPublicKey>, SdkError> {
        let key = self.0.public_key(user)?;
        key.map(|key| public_key(&key)).transpose()
    }
}

/// Parses a public user id.
fn owner(public_user_id: Option<&str>) -> Result<String, SdkError> {
    let user = public_user_id.unwrap_or(ANON).parse::<ClaimedUserId>();
    let user = user.map_err(|_| SdkError::InvalidPublicUserId)?;
    Ok(user.as_str().to_owned())
}

fn public_key(der: &[u8]) -> Result<AssociationPublicKey, SdkError> {
    AssociationPublicKey::from_der(der).map_err(|error| broken(&error))
}

fn broken(error: &dyn std::error::Error) -> SdkError {
    SdkError::KeyStoreFailed {
        detail: format!("the store of keys is faulty: {error}"),
    }
}
